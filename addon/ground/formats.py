"""Endings of the files that can be imported: our own formats, and those that Blender's importers read for us."""

from ...core.formats import registry

MODELS = (".fbx", ".glb", ".gltf")
READABLE = (*registry.READABLE, *MODELS)
