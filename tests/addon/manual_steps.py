"""Shared steps of the manual's tests: the demo's list, the buttons, and the messages."""

import bpy
import material

DONE = {"FINISHED"}


def lines():
    return {line.action.name: line for line in bpy.context.scene.action_loom.rigs[0].sources}


def tick(*names, reference=None):
    """Tick only these lines of the list; the first one or `reference` becomes the reference."""
    for name, line in lines().items():
        line.use = name in names
    place = list(lines()).index(reference or names[0])
    bpy.context.view_layer.objects.active = hint()
    assert bpy.ops.action_loom.set_reference(index=place) == DONE


def weave(mode, **options):
    """Press *Weave* in a mode, or the button of a tool, and return the armature's new action."""
    settings = bpy.context.scene.action_loom
    settings.tool_open = mode in settings.bl_rna.properties["edit"].enum_items
    setattr(settings, "edit" if settings.tool_open else "mode", mode)
    bpy.context.view_layer.objects.active = hint()  # the panel's buttons act on the tab's armature
    before = set(bpy.data.actions)
    kept = {action.name: material.fingerprint(action) for action in before}
    assert getattr(bpy.ops.action_loom, mode)(**options) == DONE
    action = hint().animation_data.action
    assert action not in before
    assert action.use_fake_user
    assert {name: material.fingerprint(bpy.data.actions[name]) for name in kept} == kept
    return action


def hint():
    return next(one for one in bpy.context.scene.objects if one.type == "ARMATURE")


def message():
    return bpy.context.scene.action_loom.rigs[0].last


def grey(operator):
    return not getattr(bpy.ops.action_loom, operator).poll()


def hips_at(frame):
    return material.pose_positions(hint(), ["hips"], frame)[0]
