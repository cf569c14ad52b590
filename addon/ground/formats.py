"""List the endings of importable files: our own formats, and those that Blender's importers read for us."""

from ...core.formats import registry

MODELS = (".fbx", ".glb", ".gltf")
READABLE = (*registry.READABLE, *MODELS)
