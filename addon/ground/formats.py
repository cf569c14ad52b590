"""List the endings, units and axes of files that we read and write, in our own formats and in Blender's."""

from ...core.formats import registry

MODELS = registry.OF_BLENDER
WRITABLE = (".glb", ".fbx", *registry.WRITABLE)
READABLE = (*registry.READABLE, *MODELS)
UNITS = ("m", "dm", "cm", "mm", "inch", "cmu")
UPS = (("y", "Y", "As in most programs"), ("z", "Z", "As Blender has it"))
