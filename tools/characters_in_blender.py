"""What becomes of a character that others made: every verb on its own clips, as figures; runs in a Blender's Python.

Arguments: the extension's zip, a glTF or FBX file, the scene's frames a second, where the figures go (JSON), and a
folder that keeps the installed extension for the next run. Lengths are in body heights, H.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import in_blender
import numpy as np

Loom = Callable[[str], ModuleType]

FIGURES = ("figure_gltf", "figure_mixamo", "figure_fbx", "figure_numbered")
# How the clips are called that are tried: idle, walk (or the slowest gait), run (or another), and what arms do.
CLIPS = {
    "mannequiny": ("idle", "run", "idle", "fight_punch"),
    "RobotExpressive": ("idle", "walking", "running", "wave"),
    "Fox": ("survey", "walk", "run", "survey"),
    "boxman": ("idle", "run", "sprint", "close_door_standing_left"),
    "godot_player": ("idle", "walk", "run", "shooting_standing"),
} | dict.fromkeys(FIGURES, ("wave", "walk", "run", "wave"))


def main(zip_path: str, path: Path, fps: int, out: Path, home: str) -> None:
    with in_blender.extension(zip_path, home) as loom:
        import bpy

        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.context.scene.render.fps = fps
        load(path)
        rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
        bpy.context.view_layer.objects.active = rig
        found = Character(loom, rig, path.stem).figures()
        found |= {"name": path.stem, "fps": fps, "blender": bpy.app.version_string}
        out.write_text(json.dumps(found, indent=1), encoding="utf-8")


def load(path: Path) -> None:
    import bpy

    if path.suffix == ".fbx":
        bpy.ops.import_scene.fbx(filepath=str(path))
    else:
        bpy.ops.import_scene.gltf(filepath=str(path))


class Character:
    """A character in the scene, and what its clips come to."""

    def __init__(self, loom: Loom, rig: Any, name: str) -> None:
        self.loom, self.rig = loom, rig
        names = sorted(self._moving())
        self.idle, self.walk, self.run, self.arms = (
            next(one for one in names if one.rpartition("|")[2].lower().startswith(start)) for start in CLIPS[name]
        )
        self.body = loom("addon.bridge.rig").read(rig).skeleton

    def _moving(self) -> list[str]:
        import bpy

        listed = self.loom("addon.services.sources.source_list")
        return [action.name for action in bpy.data.actions if listed.moves(action, self.rig).bones]

    def read(self, *names: str, visual: bool = False) -> Any:
        import bpy

        reading = self.loom("core.recipes.reading")
        sources = tuple(reading.Source(name=name) for name in names)
        asked = reading.Request(sources=sources, reading=reading.ReadingOptions(visual=visual))
        return self.loom("addon.services.weaving.reading").read(bpy.context, self.rig, asked)

    def made(self, verb: str, names: tuple[str, ...], **options: Any) -> Any:
        verbs = self.loom("core.verbs")
        return verbs.apply(verbs.VERBS[verb].recipe(**options), self.read(*names).clips)

    def figures(self) -> dict[str, Any]:
        tried = (self.roles, self.cycles, self.blend, self.loop, self.connect, self.splice, self.travel, self.path)
        return {one.__name__: self._tried(one) for one in (*tried, self.visual)}

    def _tried(self, figures: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        try:
            return figures()
        except self.loom("core.errors").LoomError as error:
            return {"refused": str(error)}

    def roles(self) -> dict[str, Any]:
        return {"count": len(self.body.roles), "height_m": float(self.body.height), "four": self.body.four_footed}

    def cycles(self) -> dict[str, Any]:
        """How many of its clips are taken for cycles as they are."""
        closing, names = self.loom("core.motion.closing"), self._moving()
        kinds = [closing.of(self.read(name).clips[0]).kind for name in names]
        return {"clips": len(kinds), "taken": sum(bool(kind) for kind in kinds)}

    def _error(self, weights: tuple[float, float], which: int, *, visual: bool = False) -> float:
        """How far a written blend of one clip alone is from that clip, farthest point."""
        import bpy

        names = (self.walk, self.run)
        sources = [{"name": name, "weight": weight} for name, weight in zip(names, weights, strict=True)]
        bpy.ops.action_loom.blend(
            sources=sources, ends="pinned", reference=str(which + 1), result_name="Tried", assign=False, visual=visual
        )
        points = self.loom("core.motion.kinematics").points
        (source,) = self.read(names[which], visual=visual).clips
        (woven,) = self.read("Tried", visual=visual).clips
        bpy.data.actions.remove(bpy.data.actions["Tried"])
        if len(woven) != len(source):
            return float("nan")
        return float(np.abs(points(woven) - points(source)).max() / self.body.height)

    def blend(self) -> dict[str, Any]:
        closing, woven = self.loom("core.motion.closing"), self.made("blend", (self.walk, self.run))
        report = woven.report
        return {
            "error": max(self._error((1.0, 0.0), 0), self._error((0.0, 1.0), 1)),
            "closes": closing.of(woven.clip).gap / self.body.height,
            "cyclic": bool(woven.clip.cyclic),
            "slide": _share(report["quality"]["after"]["slide_cm_s"], self.body.height),
            "warnings": report["warnings"],
        }

    def loop(self) -> dict[str, Any]:
        closing = self.loom("core.motion.closing")
        made = {name: self._tried(lambda name=name: self._looped(name)) for name in (self.walk, self.run, self.idle)}
        ends = [one for one in made.values() if "refused" not in one]
        return {"made": len(ends), "of": len(made), "gap": max((one["gap"] for one in ends), default=None)} | {
            "kinds": [one.get("kind", "refused") for one in made.values()],
            "exact": closing.EXACT,
        }

    def _looped(self, name: str) -> dict[str, Any]:
        woven = self.made("loop", (name,))
        gap = self.loom("core.motion.closing").of(woven.clip).gap / self.body.height
        reported = woven.report["loop"]["closing"]
        return {"gap": gap, "kind": reported["kind"] if reported else "found"}

    def connect(self) -> dict[str, Any]:
        root_motion = self.loom("core.motion.root_motion")
        woven = self.made("connect", (self.idle, self.walk), add_root_motion="no")
        walk = self.read(self.walk).clips[0]
        turned = np.degrees(root_motion.heading(woven.clip)[-1] - root_motion.heading(walk)[-1])
        reported = woven.report["connect"]
        return {
            "turn": reported["turn_degrees"],
            "facing": float(abs((turned + 180.0) % 360.0 - 180.0)),
            "distance": reported["distance"] / self.body.height,
        }

    def splice(self) -> dict[str, Any]:
        woven = self.made("splice", (self.walk, self.arms))
        return {"slide": _share(woven.report["quality"]["after"]["slide_cm_s"], self.body.height)}

    def travel(self) -> dict[str, Any]:
        woven = self.made("travel", (self.walk,))
        return {key: woven.report["travel"].get(key) for key in woven.report["travel"]} | {
            "warnings": woven.report["warnings"]
        }

    def gaits(self) -> tuple[list[Any], list[str]]:
        """Walk and run for a path, and which of them were made cycles for it that are none."""
        loop, closing = self.loom("core.verbs").Loop, self.loom("core.motion.closing")
        clips, closed = self.read(*dict.fromkeys((self.walk, self.run))).clips, []
        clips = [clip for clip in clips if not clip.name.lower().startswith("idle")]
        for k, clip in enumerate(clips):
            if not closing.of(clip).kind:
                clips[k] = self.loom("core.verbs").apply(loop(whole="yes"), [clip]).clip
                closed.append(clip.name)
        return clips, closed

    def path(self) -> dict[str, Any]:
        share, height = np.linspace(0.0, 1.0, 60), self.body.height
        winding = np.column_stack([7.0 * height * share, 0.45 * height * np.sin(2.0 * np.pi * share)])
        verbs, (clips, closed) = self.loom("core.verbs"), self.gaits()
        woven = verbs.apply(verbs.VERBS["follow"].recipe(path=tuple(map(tuple, winding.tolist()))), clips)
        return {
            "rms": woven.report["follow"]["rms"] / height,
            "closed": closed,
            "slide": _share(woven.report["quality"]["after"]["slide_cm_s"], height),
            "warnings": woven.report["warnings"],
        }

    def visual(self) -> dict[str, Any]:
        return {"error": max(self._error((1.0, 0.0), 0, visual=True), self._error((0.0, 1.0), 1, visual=True))}


def _share(slide: float | None, height: float) -> float | None:
    """A slide in cm/s as body heights a second."""
    return None if slide is None else 0.01 * slide / height


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]).resolve(), int(sys.argv[3]), Path(sys.argv[4]).resolve(), sys.argv[5])
