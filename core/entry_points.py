"""Load functions and classes that registries name as text, such as "graph.build:build".

A registry can thus be read without numpy, as Blender does when it registers the extension.
"""

from importlib import import_module
from typing import Any


def load(source: Any) -> Any:
    """Return the function or class named by a text: a module of core, a colon, and a name in it.

    Rows of other packages hold functions instead of texts, which are returned unchanged.

    Example:
        >>> from action_loom.core import entry_points
        >>> entry_points.load("verbs:Blend").verb
        'blend'
    """
    if not isinstance(source, str):
        return source
    module, _, name = source.partition(":")
    return getattr(import_module(f".{module}", __package__), name)
