"""Judge actions without Action Loom: play them, record Blender's evaluated motion, and compare.

The expected motion of a result is computed here by separate code, given the evaluated motion of its source.
"""

from dataclasses import dataclass, field

import bpy
import numpy as np

FRAMES = 25  # one cycle of each source, and the first frame of the next
REFLECTED = np.diag([-1.0, 1.0, 1.0])


@dataclass
class Motion:
    """The evaluated motion of a character.

    points : (F, 3) by name, metres of the world; turns : (F, 3, 3) by bone, unit axes in the world; values : (F,) by
    name, of shape keys and custom properties; markers : frames after the first, by name
    """

    points: dict = field(default_factory=dict)
    turns: dict = field(default_factory=dict)
    values: dict = field(default_factory=dict)
    markers: dict = field(default_factory=dict)


def play(rig, action):
    """Assign an action to a character, and the action's slot for shape keys to the shape keys."""
    data = rig.animation_data or rig.animation_data_create()
    data.action = action
    if not hasattr(data, "action_slot"):
        return
    data.action_slot = next((slot for slot in action.slots if slot.target_id_type == "OBJECT"), None)
    faces = [slot for slot in action.slots if slot.target_id_type == "KEY"]
    for keys in bpy.data.shape_keys if faces else ():
        (keys.animation_data or keys.animation_data_create()).action = action
        keys.animation_data.action_slot = faces[0]


def first_frame(action):
    return round(action.frame_range[0])


def record(rig, action=None, *, local=False, frames=FRAMES, first=None):
    """Record a character's evaluated motion, starting at the first frame of an action; local :

    in the armature's space.
    """
    if action is not None:
        play(rig, action)
    first = first_frame(rig.animation_data.action) if first is None else first
    seen, render = Motion(), bpy.context.scene.render
    for frame in range(first, first + frames):  # frames of the action: the scene may stretch time
        bpy.context.scene.frame_set(frame * render.frame_map_new // render.frame_map_old)
        graph = bpy.context.evaluated_depsgraph_get()
        _note_bones(seen, rig.evaluated_get(graph), local)
        _note_values(seen, rig, graph)
    for kept in (seen.points, seen.turns, seen.values):
        kept.update({name: np.array(rows) for name, rows in kept.items()})
    if action is not None:
        for marker in action.pose_markers:
            if marker.frame < first + frames:
                seen.markers.setdefault(marker.name, []).append(marker.frame - first)
    return seen


def _note_bones(seen, posed, local):
    world = np.eye(4) if local else np.array(posed.matrix_world)
    for bone in posed.pose.bones:
        matrix = world @ np.array(bone.matrix)
        places = {bone.name: matrix[:3, 3], f"{bone.name} tail": (matrix @ [0.0, bone.length, 0.0, 1.0])[:3]}
        if bone.bone.bbone_segments > 1:
            for k in range(bone.bone.bbone_segments + 1):
                places[f"{bone.name} segment {k}"] = (matrix @ np.array(bone.bbone_segment_matrix(k)))[:3, 3]
        for name, place in places.items():
            seen.points.setdefault(name, []).append(place)
        axes = matrix[:3, :3]
        seen.turns.setdefault(bone.name, []).append(axes / np.linalg.norm(axes, axis=0))


def _note_values(seen, rig, graph):
    posed = rig.evaluated_get(graph)
    for owner in (posed, *posed.pose.bones):
        for name, value in owner.items():
            if isinstance(value, float) and not name.startswith("Way "):
                seen.values.setdefault(f"{owner.name if owner != posed else ''} {name}", []).append(value)
    for child in rig.children:
        keys = child.evaluated_get(graph).data.shape_keys if child.type == "MESH" else None
        for key in list(keys.key_blocks)[1:] if keys else ():  # the first one is the basis
            seen.values.setdefault(f"face {key.name}", []).append(key.value)


# --- expected motion of a result -----------------------------------------------------------------------------------


def mirrored(rig, seen, pairs, aside=0.0):
    """Reflect a motion in a plane across the armature's x axis.

    pairs : names of one side to names of the other, both ways; aside : x of the plane
    """
    found = Motion()
    rests = {bone.name: np.array(bone.matrix_local)[:3, :3] for bone in rig.data.bones}
    for name, places in seen.points.items():
        found.points[_other(name, pairs)] = places @ REFLECTED + (2.0 * aside, 0.0, 0.0)
    for name, axes in seen.turns.items():
        other = _other(name, pairs)
        found.turns[other] = REFLECTED @ axes @ rests[name].T @ REFLECTED @ rests[other]
    found.values = {_other(name, pairs): values for name, values in seen.values.items()}
    found.markers = {_other(name, pairs): at for name, at in seen.markers.items()}
    return found


def _other(name, pairs):
    """Return the name of the other side: by pairs, otherwise by endings such as .L and .R."""
    for one, other in pairs.items():
        if one in name:
            return name.replace(one, other)
    for one, other in ((".L", ".R"), (".R", ".L"), ("_L", "_R"), ("_R", "_L")):
        head, _, rest = name.partition(one)
        if head != name and rest[:1] in ("", " "):
            return head + other + rest
    return name


def moved(seen, turn, offset):
    """Turn a motion about the vertical, radians, and move it."""
    sine, cosine = np.sin(turn), np.cos(turn)
    turning = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    points = {name: places @ turning.T + offset for name, places in seen.points.items()}
    return Motion(points, {name: turning @ axes for name, axes in seen.turns.items()}, seen.values, seen.markers)


def carried(rig, frames=FRAMES):
    """Return the movements (F, 4, 4) by which parents and constraints have carried a character since frame 1."""
    places = []
    for frame in range(1, frames + 1):
        bpy.context.scene.frame_set(frame)
        posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        places.append(np.array(posed.matrix_world) @ np.linalg.inv(np.array(posed.matrix_basis)))
    return np.array(places) @ np.linalg.inv(places[0])


def carried_back(seen, away):
    """Return a motion without the movements of `carried`."""
    back = np.linalg.inv(away)
    points = {
        name: np.einsum("fij,fj->fi", back[:, :3, :3], places) + back[:, :3, 3] for name, places in seen.points.items()
    }
    turns = {name: back[:, :3, :3] @ axes for name, axes in seen.turns.items()}
    return Motion(points, turns, seen.values, seen.markers)


# --- differences ----------------------------------------------------------------------------------------------------


def millimetres(seen, wanted):
    """Return the largest distance between points, and the name of that point."""
    off = {name: _largest(seen.points[name], places) for name, places in wanted.points.items() if name in seen.points}
    assert len(off) >= 10, sorted(seen.points)
    worst = max(off, key=off.get)
    return 1000.0 * off[worst], worst


def _largest(one, other):
    return float(np.linalg.norm(one[: len(other)] - other[: len(one)], axis=-1).max())


def degrees(seen, wanted):
    """Return the largest angle between axes of the same bone."""
    each = [_angle(seen.turns[name], axes) for name, axes in wanted.turns.items() if name in seen.turns]
    return max(each, default=0.0)


def _angle(one, other):
    """Measure by chords, since arccos is not exact near 0."""
    chords = np.linalg.norm(one[: len(other)] - other[: len(one)], axis=1)
    return float(np.degrees(2.0 * np.arcsin(np.minimum(0.5 * chords, 1.0))).max())


def units(seen, wanted):
    """Return the largest difference of a shape key or custom property in a cycle; faces may have another period."""
    assert seen.values.keys() >= wanted.values.keys(), (sorted(seen.values), sorted(wanted.values))
    each = [np.abs(seen.values[name] - values)[: FRAMES - 1].max() for name, values in wanted.values.items()]
    return float(max(each, default=0.0))


def out_of_hand(seen, hand, held):
    """Return the largest distance, in millimetres, of the ends of a held bone from where the hand bone carries them.

    The held bone begins at the tail of the hand bone, and its direction in the hand bone does not change.
    """
    begins = seen.points[held] - seen.points[f"{hand} tail"]
    length = np.linalg.norm(seen.points[f"{held} tail"] - seen.points[held], axis=1).max()
    inside = np.swapaxes(seen.turns[hand], 1, 2) @ seen.turns[held]
    turned = length * np.linalg.norm(inside - inside[0], axis=1).max()
    return 1000.0 * max(float(np.linalg.norm(begins, axis=1).max()), float(turned))


def largest_step(seen):
    """Return {bone: its largest turn from one frame to the next, in degrees}."""
    return {name: _angle(axes[1:], axes[:-1]) for name, axes in seen.turns.items()}
