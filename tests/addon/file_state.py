"""Split the content of a Blender file into comparable parts, which are equal if no user could see a difference."""

import bpy
import material
import numpy as np

PROPERTIES = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
KINDS = ("objects", "armatures", "meshes", "curves", "materials", "images", "texts", "collections", "scenes")


def state():
    """Return the content of the file in parts, which are equal if no user could see a difference."""
    rig = bpy.data.objects.get("Biped")
    scene, active = bpy.context.scene, bpy.context.view_layer.objects.active
    actions = {action.name: whole(action) for action in bpy.data.actions}
    found = {
        "sources": {name: actions.get(name) for name in ("slow", "quick")},
        "result": actions.get("Mixed"),
        "new actions": {name: content for name, content in actions.items() if name not in ("slow", "quick", "Mixed")},
        "users": {name: bpy.data.actions[name].users for name in ("slow", "quick", "Mixed") if name in actions},
        "assets": {action.name: asset(action) for action in bpy.data.actions if action.asset_data is not None},
        "frame": (scene.frame_current, scene.frame_subframe, scene.frame_start, scene.frame_end, scene.render.fps),
        "selection": (sorted(o.name for o in bpy.context.view_layer.objects if o.select_get()), name_of(active)),
        "settings": values(scene.action_loom),
        "images": {image.name: (tuple(image.size), plain(image.get("action_loom"))) for image in bpy.data.images},
    }
    for kind in KINDS:
        found.setdefault(kind, sorted(one.name for one in getattr(bpy.data, kind)))
    if rig is not None:
        found["bones"] = rig.data.bones.active.name if rig.data.bones.active else ""
        found["roles"] = plain(rig.get("action_loom_roles"))
        found["pose"] = pose(rig)
        found["animation"] = animation(rig)
    return found


def pose(rig):
    held = [[tuple(getattr(owner, name)) for name in PROPERTIES] for owner in (rig, *rig.pose.bones)]
    return held, [bone.rotation_mode for bone in rig.pose.bones], rig.mode, rig.data.pose_position


def animation(rig):
    data = rig.animation_data
    slot = getattr(data, "action_slot", None)
    tracks = [
        (
            track.name,
            track.mute,
            track.is_solo,
            [(s.name, name_of(s.action), s.frame_start, s.mute) for s in track.strips],
        )
        for track in data.nla_tracks
    ]
    return name_of(data.action), slot.identifier if slot else "", data.use_nla, data.use_tweak_mode, tracks


def whole(action):
    """All of an action: its curves with all that keys have, slots, markers, custom properties, range."""
    slots = [(slot.identifier, slot.handle, slot.target_id_type) for slot in getattr(action, "slots", ())]
    frames = action.use_frame_range, action.use_cyclic, action.frame_start, action.frame_end
    markers = sorted((marker.name, marker.frame) for marker in action.pose_markers)
    kept = {name: plain(action[name]) for name in action.keys()}  # noqa: SIM118  (going through it gives nothing)
    curves = [curve_content(curve) for curve in material.fcurves(action)]
    return curves, slots, frames, markers, kept, action.use_fake_user


def asset(action):
    """Return an asset's catalogue, description, author and tags, and whether it has a preview."""
    data = action.asset_data
    tags = sorted(tag.name for tag in data.tags)
    return data.catalog_id, data.description, data.author, tags, action.preview is not None


def curve_content(curve):
    points = curve.keyframe_points
    numbers = []
    for name, size in (
        ("co", 2),
        ("handle_left", 2),
        ("handle_right", 2),
        ("back", 1),
        ("amplitude", 1),
        ("period", 1),
    ):
        held = np.empty(size * len(points), dtype=np.float32)
        points.foreach_get(name, held)
        numbers.append(held.tobytes())
    for name in ("interpolation", "easing", "handle_left_type", "handle_right_type", "type"):
        held = np.empty(len(points), dtype=np.int32)
        points.foreach_get(name, held)
        numbers.append(held.tobytes())
    modifiers = [values(modifier) for modifier in curve.modifiers]
    about = curve.data_path, curve.array_index, curve.extrapolation, curve.mute, curve.lock, curve.hide
    return about, name_of(curve.group), numbers, modifiers


def values(owner):
    """Return all properties of a group, including its groups and lists, with names instead of data."""
    found = {}
    for about in owner.bl_rna.properties:
        if about.identifier in ("rna_type", "bl_system_properties", "uid", "session"):  # the last two vary by file
            continue
        value = getattr(owner, about.identifier)
        if about.type == "COLLECTION":
            value = [values(one) for one in value]
        elif about.type == "POINTER":
            is_group = value is not None and not isinstance(value, bpy.types.ID)
            value = values(value) if is_group else name_of(value)
        elif getattr(about, "is_array", False):
            value = tuple(value)
        found[about.identifier] = value
    return found


def plain(value):
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return value.to_list() if hasattr(value, "to_list") else value


def name_of(one):
    return "" if one is None else one.name


def differing(before, after):
    return {part for part in before | after if before.get(part) != after.get(part)}
