"""Blends two actions and saves the file; an example for scripts of your own.

    blender --background scene.blend --python tools/example_script.py -- Walk Sneak 0.3

The number is the second action's share. An error ends Blender with status 1 if `--python-exit-code 1` precedes
`--python`.
"""

import sys

import bpy

first, second, share = sys.argv[sys.argv.index("--") + 1 :]

armature = next(item for item in bpy.context.scene.objects if item.type == "ARMATURE")
bpy.context.view_layer.objects.active = armature  # whose actions they are

sources = [{"name": first, "weight": 1.0 - float(share)}, {"name": second, "weight": float(share)}]
bpy.ops.action_loom.blend(sources=sources, ends="auto")

print(f"{armature.name} now has {armature.animation_data.action.name}")
bpy.ops.wm.save_mainfile()
