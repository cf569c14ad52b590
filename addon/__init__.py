"""The Blender side of Action Loom: the only code that imports bpy."""

from importlib import import_module

# In the order of registration; unregistered in reverse.
MODULES: tuple[str, ...] = ()


def register() -> None:
    for name in MODULES:
        import_module(name, __package__).register()


def unregister() -> None:
    for name in reversed(MODULES):
        import_module(name, __package__).unregister()
