"""The characters and rigs that the battery tries in Blender, how operators are called, and odd states of a scene."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from right_states import curves

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@dataclass(frozen=True)
class Scene:
    """A subject: how its file is made, and its actions of some kinds by the beginnings of their names."""

    make: Callable[[Any], None]
    group: str = "Blender"
    kinds: dict[str, str] = field(default_factory=dict)

    def action(self, kind: str) -> str:
        """Return the name of an action of a kind (walk, run, idle, arms)."""
        import bpy

        start = self.kinds.get(kind) or self.kinds["walk"]
        names = sorted(action.name for action in bpy.data.actions)
        longest = max(names, key=lambda name: bpy.data.actions[name].frame_range[1])
        return next((n for n in names if n.rpartition("|")[2].lower().startswith(start)), longest)


# --- subjects --------------------------------------------------------------------------------------------------------


def _glb(name: str) -> Callable[[Any], None]:
    def make(loom: Any) -> None:  # noqa: ARG001
        import bpy

        bpy.ops.import_scene.gltf(filepath=str(DATA / "characters" / f"{name}.glb"))
        _activate(next(one for one in bpy.data.objects if one.type == "ARMATURE"))

    return make


def _demo(loom: Any) -> None:
    import bpy

    _activate(loom("addon.services.sources.demo").add(bpy.context))


def _bvh(*names: str) -> Callable[[Any], None]:
    def make(loom: Any) -> None:  # noqa: ARG001
        import bpy

        files = [{"name": str(next(DATA.glob(f"*/{name}.bvh")))} for name in names]
        bpy.ops.action_loom.import_motion(files=files[:1], new_armature=True)
        bpy.ops.action_loom.import_motion(files=files[1:])
        _activate(next(one for one in bpy.data.objects if one.type == "ARMATURE"))

    return make


def _blend_file(name: str) -> Callable[[Any], None]:
    """Open a rig's file, with the demo figure beside it, whose actions are brought onto it (or its own actions)."""

    def make(loom: Any) -> None:
        import bpy

        bpy.ops.wm.open_mainfile(filepath=str(DATA / "rigs" / f"{name}.blend"))
        rig = next(one for one in bpy.context.scene.objects if one.type == "ARMATURE")
        if not bpy.data.actions:
            demo = loom("addon.services.sources.demo").add(bpy.context)
            for kind in ("Walk", "Run", "Wave"):
                _activate(demo, rig)
                source = {"name": kind, "weight": 1.0}
                player = {"name": kind, "armature": demo.name}
                bpy.ops.action_loom.retarget(sources=[source], players=[player], result_name=f"{kind} on it")
                bpy.data.actions[kind].name = f"of the figure: {kind}"
                for one in bpy.data.actions:
                    one.name = kind if one.name == f"{kind} on it" else one.name
            body = [demo, *demo.children]
            for one in body:
                bpy.data.objects.remove(one)
            for one in [one for one in bpy.data.actions if one.name.startswith("of the figure")]:
                bpy.data.actions.remove(one)
        _activate(rig)

    return make


def at_rest() -> None:
    """Let bones that some action keys be at rest: an importer leaves them as the last action of its file has them."""
    import bpy

    keyed = {curve.data_path.split('"')[1] for curve in curves() if curve.data_path.startswith("pose.bones")}
    for rig in (one for one in bpy.context.scene.objects if one.type == "ARMATURE"):
        for bone in rig.pose.bones:
            if bone.name in keyed:
                bone.matrix_basis.identity()


def _activate(*objects: Any) -> None:
    """Select objects; the last one is active, in object mode, with all of its actions kept."""
    import bpy

    for one in (one for one in bpy.context.scene.objects if one.mode != "OBJECT"):
        bpy.context.view_layer.objects.active = one
        bpy.ops.object.mode_set(mode="OBJECT")
    for one in bpy.context.scene.objects:
        one.select_set(one in objects)
    bpy.context.view_layer.objects.active = objects[-1]
    for action in bpy.data.actions:
        action.use_fake_user = True
    bpy.context.view_layer.update()


def _kinds(walk: str, run: str, idle: str, arms: str) -> dict[str, str]:
    return {"walk": walk, "run": run, "idle": idle, "arms": arms}


ASIDE = "Blender aside"
_OWN = _kinds("walk", "run", "wave", "wave")
SUBJECTS = {
    "figure": Scene(_demo, kinds=_OWN),
    "mannequiny": Scene(_glb("mannequiny"), kinds=_kinds("run", "idle", "idle", "fight_punch")),
    "RobotExpressive": Scene(_glb("RobotExpressive"), kinds=_kinds("walking", "running", "idle", "wave")),
    "Fox": Scene(_glb("Fox"), kinds=_kinds("walk", "run", "survey", "survey")),
    "boxman": Scene(_glb("boxman"), ASIDE, _kinds("run", "sprint", "idle", "close_door")),
    "godot_player": Scene(_glb("godot_player"), ASIDE, _kinds("walk", "run", "idle", "shooting")),
    "captured mb": Scene(_bvh("cmu_mb_02_01", "cmu_mb_16_15"), kinds={"walk": "cmu_mb_02", "run": "cmu_mb_16"}),
    "captured aside": Scene(_bvh("cmu_mb_08_01", "cmu_mb_12_01"), ASIDE, {"walk": "cmu_mb_08", "run": "cmu_mb_12"}),
    "vrm_humanoid": Scene(_blend_file("vrm_humanoid"), kinds=_OWN),
    "mmd_own": Scene(_blend_file("mmd_own"), kinds=_OWN),
    "mixamo_own": Scene(_blend_file("mixamo_own"), kinds=_OWN),
    "tps_red_robot": Scene(_blend_file("tps_red_robot"), kinds=_kinds("walk", "run", "idle", "aim")),
}


# --- calls -----------------------------------------------------------------------------------------------------------


def _of(*kinds: str, **options: Any) -> Callable[[Any, Scene], tuple[dict[str, Any], Any]]:
    def call(rig: Any, subject: Scene) -> dict[str, Any]:  # noqa: ARG001
        names = [subject.action(kind) for kind in kinds]
        return {"sources": [{"name": name, "weight": 1.0} for name in names], **options}

    return call


def _path(rig: Any, subject: Scene) -> dict[str, Any]:
    add_path(rig, points=10, sway=0.2)
    return _of("walk", "run")(rig, subject) | {"curve": "Path"}


def add_path(rig: Any, *, points: int, sway: float) -> None:
    """Add a curve "Path" that winds away from the origin; sway : to each side, in heights of the rig."""
    import bpy

    size = rig.dimensions.z or 1.7
    data = bpy.data.curves.new("Path", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(points - 1)
    for k, point in enumerate(spline.points):
        point.co = (sway * size * np.sin(0.5 * k), -0.4 * size * k, 0.0, 1.0)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Path", data))


def _warp(rig: Any, subject: Scene) -> dict[str, Any]:
    """Turn the middle bone of the armature, whatever it is, at a frame in the middle."""
    return _of("walk")(rig, subject) | {"corrections": f"8 {len(rig.data.bones) // 2 + 1} 10 25 0 0 0 0"}


def _shortest(rig: Any, subject: Scene) -> dict[str, Any]:
    walk, run = (subject.action(kind) for kind in ("walk", "run"))
    return _of("walk", "run")(rig, subject) | {"threshold": 0.3, "leave": f"{walk}:3", "reach": f"{run}:10"}


def _retarget(rig: Any, subject: Scene) -> dict[str, Any]:  # noqa: ARG001
    """Bring the walk of the demo figure, which stands beside, onto the armature."""
    import bpy

    before = set(bpy.data.objects)
    bpy.ops.action_loom.add_demo()
    demo = next(one for one in bpy.data.objects if one.type == "ARMATURE" and one not in before)
    name = demo.animation_data.action.name
    _activate(demo, rig)
    return {"sources": [{"name": name, "weight": 1.0}], "players": [{"name": name, "armature": demo.name}]}


_ROWS: dict[str, tuple[str, Callable[[Any, Scene], Any]]] = {
    "blend": ("blend", _of("walk", "run")),
    "sync": ("retime", _of("walk", "run")),
    "connect": ("connect", _of("idle", "walk")),
    "loop": ("loop", _of("walk")),
    "splice": ("splice", _of("walk", "arms")),
    "follow": ("follow", _path),
    "walk": ("walk", _of("walk", "run", seconds=3.0)),
    "shortest": ("shortest", _shortest),
    "travel": ("travel", _of("walk")),
    "in_place": ("in_place", _of("run")),
    "restyle": ("restyle", _of("walk", "run", mirror=True, stride=1.0)),
    "ask": ("ask", _of("walk", "run", speed=1.2)),
    "key_poses": ("key_poses", _of("walk", "idle")),
    "mirror": ("mirror", _of("walk")),
    "warp": ("warp", _warp),
    "fewer_keys": ("fewer_keys", _of("walk")),
    "move_events": ("move_events", _of("walk", events="8 10")),
    "reach": ("reach", _of("walk", target="0.3 -0.4 1.1", from_frame=8)),
    "filter": ("filter", _of("walk")),
    "place": ("place", _of("walk", where="at", x=2.0, y=1.0, face="way", facing=40.0)),
    "root": ("root", _of("walk", onto="hips")),
    "bake": ("bake", _of("walk")),
    "plant": ("plant", _of("walk")),
    "retarget": ("retarget", _retarget),
}


def _row(name: str) -> Callable[[Any, Scene], tuple[str, dict[str, Any]]]:
    def call(rig: Any, subject: Scene) -> tuple[str, dict[str, Any]]:
        operator, options = _ROWS[name]
        return operator, options(rig, subject)

    return call


CALLS = {name: _row(name) for name in _ROWS}
