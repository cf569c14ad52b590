"""Action Loom: weaves new actions out of the ones a character already has.

Blender calls `register` and `unregister`; everything else is `core` (no Blender) and `addon` (the only code
that imports bpy). Importing this module needs neither Blender nor numpy.
"""


def register() -> None:
    from . import addon

    addon.register()


def unregister() -> None:
    from . import addon

    addon.unregister()
