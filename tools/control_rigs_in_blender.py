"""Captures and verbs on one control rig, measured at its deforming bones; runs in a Blender's Python.

Arguments: the extension's zip, the rig's name (see `RIGS`), which controls of limbs get keys (source or ik), and the
file for the figures (JSON). Each result is compared, frame by frame, with the clip that was made for the rig's body.
For one of `ANIMALS`, which take no captures of people, the source is keyed on its controls.
"""

import json
import re
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import in_blender
import numpy as np
import right_scenes

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
sys.path.insert(0, str(ROOT / "tests" / "addon"))
RATE = 30  # frames a second: captures have 120
CAPTURES = {  # all kept aside
    "walk": "cmu_mb_08_01",
    "second walk": "cmu_mb_12_01",
    "run": "cmu_mb_35_22",
    "turn": "cmu_asf_16_19",
    "jump": "cmu_daz_13_39",
    "dance": "cmu_mb_05_03",
    "kick": "cmu_daz_10_03",
}
ENDS = ("hips", "hand.L", "hand.R", "foot.L", "foot.R")
MIDDLES = ("shin.L", "shin.R", "forearm.L", "forearm.R")
CALLS: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "blend": ("blend", ("walk", "run"), {}),
    "loop": ("loop", ("walk",), {}),
    "connect": ("connect", ("run", "walk"), {}),
    "path": ("follow", ("walk", "run"), {"curve": "Path"}),
    "plant": ("plant", ("kick",), {}),
    "mirror": ("mirror", ("dance",), {}),
    "ask": ("ask", ("walk", "run"), {"speed": 2.0}),
    "restyle": ("restyle", ("walk", "second walk"), {"mirror": True, "stride": 1.3}),
}
# Two steps of 47 keys by hand: IK controls of the feet, the control of the trunk, and whether its own z is up.
HAND_KEYED = {
    "legs on IK, with poles": ("goal.L", "goal.R", "hips", False),
    "legs on IK, without poles": ("goal.L", "goal.R", "hips", False),
    "Rigify, human": ("foot_ik.L", "foot_ik.R", "torso", True),
}
BY_HAND: dict[str, tuple[str, str, dict[str, Any]]] = {  # the verb, its source, and options
    "mirrored": ("mirror", "Steps", {}),
    "mirrored twice": ("mirror", "mirrored", {}),
    "placed": ("place", "Steps", {"where": "at", "x": 1.0}),
    "fewer keys": ("fewer_keys", "Steps", {"within": 1.0}),
    "planted": ("plant", "Steps", {}),
}
OWN: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {  # the same of animals; their sources; options
    "mirrored": ("mirror", ("Walk",), {}),
    "mirrored twice": ("mirror", ("mirrored",), {}),
    "placed": ("place", ("Walk",), {"where": "at", "x": 1.0}),
    "fewer keys": ("fewer_keys", ("Walk",), {"within": 1.0}),
    "loop": ("loop", ("Walk",), {}),
    "blend": ("blend", ("Walk", "Trot"), {}),
}
AS_BEFORE = ("mirrored twice", "placed", "fewer keys")  # of these every deforming bone is compared with the source's
Loom = Callable[[str], ModuleType]


# --- the rigs --------------------------------------------------------------------------------------------------------


def _by_hand(make: str, **how: Any) -> Callable[[Path], None]:
    def made(_folder: Path) -> None:
        import bpy
        import hand_rigs

        kinds = {"kinds": hand_rigs.LAYERS[0]} if make == "with_layers" else how
        _chosen(getattr(hand_rigs, make)(**kinds))
        bpy.context.view_layer.update()

    return made


def _of_maker(name: str) -> Callable[[Path], None]:
    return lambda _folder: _opened(DATA / "rigs" / f"{name}.blend")


def _rigify(metarig: str) -> Callable[[Path], None]:
    def made(folder: Path) -> None:
        import test_control_rig

        _opened(test_control_rig.generated(folder / "rigify.blend", metarig))

    return made


def _fresh(name: str) -> Callable[[Path], None]:
    def made(_folder: Path) -> None:
        import fresh_rigs

        _chosen(fresh_rigs.build(name))

    return made


RIGS: dict[str, Callable[[Path], None]] = {
    "legs on IK, with poles": _by_hand("with_legs_on_ik", pole=True),
    "legs on IK, without poles": _by_hand("with_legs_on_ik", pole=False),
    "reverse foot roll": _by_hand("with_foot_roll"),
    "layers by Copy Transforms": _by_hand("with_layers"),
    "Mixamo Rig": _of_maker("mixamo_own"),
    "MMD": _of_maker("mmd_own"),
    "game biped, kept aside": _fresh("game_biped"),
    "cartoon cat": _fresh("cartoon_cat"),
    "after CloudRig": _fresh("cloudrig"),
    "after BlenRig": _fresh("blenrig"),
    "after Auto-Rig Pro": _fresh("auto_rig_pro"),
    "after Unreal's Manny": _fresh("manny"),
    "Rigify, basic human": _rigify("armature_basic_human_metarig_add"),
    "Rigify, human": _rigify("armature_human_metarig_add"),
    "Rigify, bird": _rigify("armature_bird_metarig_add"),
}
ANIMALS: dict[str, tuple[str, Callable[[Path], None]]] = {  # the names of `animals.ANIMALS`, and what makes the rig
    "bird": ("bird", _rigify("armature_bird_metarig_add")),
    "wolf": ("wolf", _rigify("armature_wolf_metarig_add")),
    "cat": ("cat", _of_maker("rigify_cat")),
    "horse": ("horse", _of_maker("rigify_horse")),
}


def _opened(path: Path) -> None:
    import bpy

    bpy.ops.wm.open_mainfile(filepath=str(path))
    _chosen(max((one for one in bpy.data.objects if one.type == "ARMATURE"), key=lambda one: len(one.data.bones)))


def _chosen(rig: Any) -> None:
    """Select a rig alone, in object mode."""
    import bpy

    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for one in bpy.context.scene.objects:
        one.select_set(one == rig)
    rig.hide_set(False)
    bpy.context.view_layer.objects.active = rig


# --- what is measured ------------------------------------------------------------------------------------------------


class Measured:
    """Runs operators on a rig, and compares what Blender then shows with the clips that were made."""

    def __init__(self, loom: Loom, limbs: str) -> None:
        import bpy

        self.loom, self.limbs, self.rig = loom, limbs, bpy.context.view_layer.objects.active
        self.last: dict[str, Any] = {}
        body = loom("addon.bridge.control_body").body_of(self.rig)
        self.controls = {*body.controls.names, *body.controls.idle}
        self._overhear("addon.services.weaving.writing", "as_written", lambda found: found[0])
        self._overhear("addon.services.files.onto_armature", "carried_onto", lambda moved: moved.clip)

    def _overhear(self, module: str, name: str, clip_of: Callable[[Any], Any]) -> None:
        owner = self.loom(module)
        original = getattr(owner, name)

        def heard(*args: Any, **how: Any) -> Any:
            found = original(*args, **how)
            self.last["clip"] = clip_of(found)
            return found

        setattr(owner, name, heard)

    def row(self, call: Callable[[], Any]) -> dict[str, Any]:
        """Return the figures of one call."""
        import bpy

        before, began = set(bpy.data.actions), time.process_time()
        try:
            call()
        except RuntimeError as error:
            return {"refused": str(error).removeprefix("Error: ").strip()}
        seconds = time.process_time() - began
        made = [action for action in bpy.data.actions if action not in before]
        if not made:
            return {"refused": "nothing was changed"}
        return self.figures(made[0], self.last["clip"]) | {"seconds": seconds}

    def figures(self, action: Any, clip: Any) -> dict[str, Any]:
        """Return how far an action shows the body from a clip, and how many keys it has."""
        import bpy

        loom = self.loom
        quat, kinematics = loom("core.motion.quat"), loom("core.motion.kinematics")
        curves = loom("addon.bridge.curves")
        body = loom("addon.bridge.control_body").body_of(self.rig)
        slot = curves.choose_slot(action, self.rig)
        span = action.curve_frame_range[0], action.curve_frame_range[0] + len(clip) - 1
        read = loom("addon.bridge.clip_on_controls").read
        shown = read(bpy.context.scene, self.rig, action, body, clip.rate, slot, span).clip
        (turns, places), (turned, stands) = kinematics.world(clip), kinematics.world(shown)
        far = np.percentile(1000.0 * np.linalg.norm(places - stands, axis=2), 95, axis=0)
        along = [
            _directions(quat.rotate(each, np.array([0.0, 1.0, 0.0])), joints, clip.skeleton.roles)
            for each, joints in ((turns, places), (turned, stands))
        ]
        angles = np.percentile(np.degrees(np.linalg.norm(along[0] - along[1], axis=2)), 95, axis=0)
        roles = clip.skeleton.roles
        ends, middles = (max(far[roles[role]] for role in kind if role in roles) for kind in (ENDS, MIDDLES))
        quality = loom("core.check.quality")
        return {
            "ends": float(ends),
            "middles": float(middles),
            "degrees": float(max(angles[joint] for joint in roles.values())),
            "keys": curves.key_count(action, slot),
            "frames": len(clip),
            "slides": [quality.measure(one)["slide_cm_s"] for one in (clip, shown)],
        }


def _directions(own: Any, places: Any, roles: dict[str, int]) -> Any:
    """Return directions (F, J, 3): of arms and legs to the next joint, since some rigs' bones lie across; else own."""
    out = own.copy()
    for limb in (("thigh", "shin", "foot"), ("upper_arm", "forearm", "hand")):
        for here, there in pairwise(limb):
            for side in "LR":
                if f"{there}.{side}" in roles:
                    way = places[:, roles[f"{there}.{side}"]] - places[:, roles[f"{here}.{side}"]]
                    out[:, roles[f"{here}.{side}"]] = way / np.linalg.norm(way, axis=1, keepdims=True)
    return out


def main(zip_path: str, name: str, limbs: str, out: Path) -> None:
    with in_blender.extension(zip_path) as loom, tempfile.TemporaryDirectory() as folder:
        import bpy

        if name in ANIMALS:
            out.write_text(json.dumps(_of_animal(loom, name, Path(folder)), indent=1), encoding="utf-8")
            return
        RIGS[name](Path(folder))
        bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = RATE, 1.0
        found = _found(loom, bpy.context.view_layer.objects.active)
        measured = Measured(loom, limbs.upper())
        rows: dict[str, Any] = {"find": found}
        for kind, capture in CAPTURES.items():
            rows[f"import {kind}"] = measured.row(lambda capture=capture: _import(capture, limbs.upper()))
        right_scenes.add_path(bpy.context.view_layer.objects.active, points=18, sway=0.4)  # an S of seven heights
        for verb, (operator, kinds, options) in CALLS.items():
            sources = [{"name": CAPTURES[kind], "weight": 1.0} for kind in kinds]
            if all(source["name"] in bpy.data.actions for source in sources):
                run = getattr(bpy.ops.action_loom, operator)
                rows[verb] = measured.row(lambda run=run, s=sources, o=options: run(sources=s, **o))
        if name in HAND_KEYED and limbs == "source":
            rows |= _by_hand_keyed(measured, name)
        if name == "Rigify, human" and limbs == "ik":
            rows["Rigify's IK->FK"] = _rigifys_own(measured)
        out.write_text(json.dumps(rows, indent=1), encoding="utf-8")


def _found(loom: Loom, rig: Any) -> dict[str, Any]:
    """Find the controls of a rig; return how long that took, and what is said of them."""
    bodies, began = loom("addon.bridge.control_body"), time.process_time()
    found = bodies.controls_of(rig)
    return {"seconds": time.process_time() - began, "notes": list(found.notes)}


def _of_animal(loom: Loom, name: str, folder: Path) -> dict[str, Any]:
    """Return the figures of verbs on two walks that are keyed on an animal's controls."""
    import animals
    import bpy

    kind, made = ANIMALS[name]
    made(folder)
    rig = bpy.context.view_layer.objects.active
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 24, 1.0
    found = _found(loom, rig)
    measured = Measured(loom, "SOURCE")
    walk = animals.key_walk(rig, animals.ANIMALS[kind], "Walk")
    animals.key_walk(rig, animals.ANIMALS[kind], "Trot", gain=1.4)
    key_count = loom("addon.bridge.curves").key_count
    shown = animals.deforming(rig, walk)
    rows: dict[str, Any] = {"find": found}
    rows["keys"] = key_count(walk, rig.animation_data.action_slot)
    for made_by, (verb, sources, options) in OWN.items():
        run = getattr(bpy.ops.action_loom, verb)
        how = {"sources": [{"name": one, "weight": 1.0} for one in sources], "result_name": made_by, **options}
        rows[made_by] = measured.row(lambda run=run, how=how: run(**how))
        if made_by in AS_BEFORE and "ends" in rows[made_by]:
            rows[made_by] |= _as_before(animals.deforming(rig, bpy.data.actions[made_by]), shown)
    return rows


def _as_before(now: Any, before: Any) -> dict[str, float]:
    """Return how far bones (F, B, 4, 4) are from where they were, but for a step of all, in the 95th percentile."""
    far = (now - before)[..., :3, 3]
    along = [one[..., :3, 1] / np.linalg.norm(one[..., :3, 1], axis=2, keepdims=True) for one in (now, before)]
    each = (
        1000.0 * np.linalg.norm(far - far.mean((0, 1)), axis=2),
        np.degrees(np.linalg.norm(np.subtract(*along), axis=2)),
    )
    millimetres, degrees = (float(np.percentile(one, 95, axis=0).max()) for one in each)
    return {"ends": millimetres, "middles": millimetres, "degrees": degrees}


def _by_hand_keyed(measured: Measured, name: str) -> dict[str, Any]:
    """Return the figures of verbs on an action that is keyed by hand, on few frames."""
    import bpy
    import test_hand_keyed

    left, right, torso, upright = HAND_KEYED[name]
    measured.rig.animation_data.action = None
    for bone in measured.rig.pose.bones:  # what other actions have posed
        if bone.name in measured.controls:
            bone.matrix_basis.identity()
    test_hand_keyed.key(measured.rig, left, right, torso, upright=upright)
    rows = {}
    for kind, (verb, source, options) in BY_HAND.items():
        run = getattr(bpy.ops.action_loom, verb)
        how = {"sources": [{"name": source, "weight": 1.0}], "result_name": kind, **options}
        rows[f"47 keys {kind}"] = measured.row(lambda run=run, how=how: run(**how))
    return rows


def _rigifys_own(measured: Measured) -> dict[str, Any]:
    """Return the figures of Rigify's own button IK->FK, applied to the keys of both legs of an imported walk."""
    import bpy

    script = next(text for text in bpy.data.texts if text.name.endswith(".py")).as_string()
    exec(compile(script, "rig_ui.py", "exec"), {"__name__": "__main__"})
    before = set(bpy.data.actions)
    _import(CAPTURES["walk"], "FK")
    (action,) = set(bpy.data.actions) - before
    measured.rig.animation_data.action = action
    wanted = _legs(measured.rig, action)
    bpy.ops.object.mode_set(mode="POSE")
    began = time.process_time()
    for side in "LR":
        block = script.partition(f"text='IK->FK (foot.{side})'")[2].partition("props = ")[0]
        values = dict(re.findall(r"props\.(\w+) = '(.*)'", block))
        name = next(one for one in dir(bpy.ops.pose) if one.startswith("rigify_limb_ik2fk_bake_"))
        getattr(bpy.ops.pose, name)(**values)
    seconds = time.process_time() - began
    bpy.ops.object.mode_set(mode="OBJECT")
    bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
    for curve in [one for bag in bags for one in bag.fcurves if one.data_path.endswith('["IK_FK"]')]:
        for point in curve.keyframe_points:
            point.co[1] = 0.0
        curve.update()
    seen = _legs(measured.rig, action)
    far = np.percentile(1000.0 * np.linalg.norm(seen[..., :3, 3] - wanted[..., :3, 3], axis=2), 95, axis=0)
    along = [each[..., :3, 1] / np.linalg.norm(each[..., :3, 1], axis=2, keepdims=True) for each in (seen, wanted)]
    angles = np.percentile(np.degrees(np.linalg.norm(along[0] - along[1], axis=2)), 95, axis=0)
    feet, knees = far[:2].max(), far[2:4].max()
    frames, keys = len(seen), sum(len(curve.keyframe_points) for bag in bags for curve in bag.fcurves)
    figures = {"ends": feet, "middles": knees, "degrees": angles.max(), "seconds": seconds}
    return {name: float(one) for name, one in figures.items()} | {"frames": frames, "keys": keys}


def _legs(rig: Any, action: Any) -> Any:
    """Return the matrices (F, 6, 4, 4) of feet, shins and thighs while an action plays."""
    import bpy

    first, last = (round(frame) for frame in action.curve_frame_range)
    names = [f"DEF-{part}.{side}" for part in ("foot", "shin", "thigh") for side in "LR"]
    poses = []
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        poses.append([np.array(rig.pose.bones[name].matrix) for name in names])
    return np.array(poses)


def _import(capture: str, limbs: str) -> None:
    import bpy

    path = DATA / "cmu" / f"{capture}.bvh"
    where = {"directory": f"{path.parent}/", "files": [{"name": path.name}]}
    planted = capture != CAPTURES["kick"]  # of which *Plant* makes something
    how = {"onto": "ACTIVE", "rate": "SCENE", "select": False, "plant_feet": planted, "trim": True}
    bpy.ops.action_loom.import_motion(**where, limbs=limbs, **how)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]))
