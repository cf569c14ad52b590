"""Functions and classes that registries name as text, such as "weave.blend:blend", loaded when they are wanted.

A registry can then be read without loading numpy, as Blender does when it registers the extension.
"""

from importlib import import_module
from typing import Any


def load(source: str) -> Any:
    """Return what a text names: a module of core, a colon, and a name in it."""
    module, _, name = source.partition(":")
    return getattr(import_module(f".{module}", __package__), name)
