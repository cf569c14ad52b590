"""List the endings of files that we read and write: our own formats, and those of Blender's importers and exporters."""

from ...core.formats import registry

MODELS = (".fbx", ".glb", ".gltf")
WRITABLE = (".glb", ".fbx", *registry.WRITABLE)
READABLE = (*registry.READABLE, *MODELS)
