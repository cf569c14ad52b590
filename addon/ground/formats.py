"""List the endings, units and axes of files that we read and write, in our own formats and in Blender's."""

import os
from typing import Any

import bpy

from ...core.formats import registry

MODELS = registry.OF_BLENDER
UNITS = ("m", "dm", "cm", "mm", "inch", "cmu")
UNIT_TIP = "Unit of length in the files: m, dm, cm, mm, inch, cmu (5.64 cm), or a number of metres; auto finds it"
ONTO = [
    (
        "AUTO",
        "Character or New",
        "The active armature if it has the files' joints, moves a mesh or has controls, else a new one",
    ),
    ("ACTIVE", "Active Armature", "The active armature, even if it has other joints"),
    ("NEW", "New Armature", "A new armature with the files' joints"),
]  # the armature that gets imported actions
UPS = (("y", "Y", "As in most programs"), ("z", "Z", "As Blender has it"))


def readable() -> tuple[str, ...]:
    """Return the endings of files that can be imported."""
    return (*registry.readable(), *MODELS)


def writable() -> tuple[str, ...]:
    """Return the endings of files that can be exported."""
    return (".glb", ".fbx", *registry.writable())


def glob(endings: tuple[str, ...]) -> str:
    """Return the pattern of files with some endings for file browsers."""
    return ";".join(f"*{ending}" for ending in endings)


def chosen_paths(operator: Any) -> list[str]:
    """Return the files chosen in an operator's file browser, or dropped into the view."""
    folder = bpy.path.abspath(operator.directory)
    names = [element.name for element in operator.files if element.name]
    if names:
        return [os.path.join(folder, bpy.path.abspath(name)) for name in names]
    path = bpy.path.abspath(operator.filepath)
    return [path] if path and not os.path.isdir(path) else []
