"""Run every operator on characters and rigs in odd states and check the results; runs in a Blender's Python.

Arguments: the extension's zip, the file for the cells (JSON), and verb|subject|variation to run some cells alone. Each
cell opens the subject's file, brings it into a state, runs one operator, and compares the pose in Blender with the
woven clip.
"""

import contextlib
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import in_blender
import numpy as np
import right_invariants as invariants
import right_measures as see
import right_scenes as scenes
import right_states as states
from right_invariants import Trial, Wrong

Loom = Callable[[str], ModuleType]
MILLIMETRE, DEGREES = 1e-3, 0.5  # tolerances of the pose in Blender
NEAR = 5e-3  # of the height: files hold single precision, and matching amplifies it
SAMPLE = 8  # compared frames of a result
EACH = 2  # states of each subject and operator


def main(zip_path: str, out: Path, only: str) -> None:
    with in_blender.extension(zip_path) as loom, tempfile.TemporaryDirectory() as folder:
        battery = Battery(loom, Path(folder))
        wanted = [part.strip() for part in only.split("|")] if only else ["", "", ""]
        cells = []
        for name in [one for one in scenes.SUBJECTS if wanted[1] in one]:
            try:
                path = battery.prepared(name)
            except RuntimeError as error:  # the actions can't be brought onto this rig
                cells.append(battery.unprepared(name, _sentence(str(error))))
                continue
            for verb in [one for one in scenes.CALLS if wanted[0] in ("", one)]:
                chosen = [one for one in states.STATES if wanted[2] in one] if only else states.drawn(verb, name, EACH)
                cells += [battery.cell(path, verb, name, state) for state in chosen]
            print(f"{name}: {len(cells)} cells", flush=True)
        out.write_text(json.dumps(cells, indent=0, ensure_ascii=False), encoding="utf-8")


class Battery:
    """Runs cells, and records the last result by wrapping the functions that write it."""

    def __init__(self, loom: Loom, folder: Path) -> None:
        self.loom, self.folder, self.last = loom, folder, {}
        writing = loom("addon.services.weaving.writing")
        write, as_written = writing.write, writing.as_written

        def noted(context: Any, inputs: Any, woven: Any, **more: Any) -> Any:
            self.last |= {"inputs": inputs, "woven": woven}
            self.last["written"] = write(context, inputs, woven, **more)
            return self.last["written"]

        def noted_clip(*given: Any) -> Any:
            self.last["clip"], self.last["first"], notice = as_written(*given)
            return self.last["clip"], self.last["first"], notice

        writing.write, writing.as_written = noted, noted_clip

    def prepared(self, name: str) -> Path:
        """Make the file of a subject: its armature active, its actions listed."""
        import bpy

        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        scenes.SUBJECTS[name].make(self.loom)
        scenes.at_rest()
        path = self.folder / f"{name}.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        return path

    def unprepared(self, name: str, sentence: str) -> dict[str, Any]:
        """Return the cell of a rig that can't take the figure's walk."""
        fault = invariants.refusal(sentence, [name])
        found = _wrong([Wrong("sentence of refusal", 0.0, 1.0, fault)]) if fault else {"outcome": "refused"}
        cell = {
            "verb": "retarget",
            "subject": name,
            "variation": "figure onto it",
            "group": scenes.SUBJECTS[name].group,
        }
        return cell | {"sentence": sentence, "seconds": 0.0} | found

    def cell(self, path: Path, verb: str, name: str, state: str) -> dict[str, Any]:
        group = scenes.SUBJECTS[name].group
        found = {"verb": verb, "subject": name, "variation": state, "group": group, "outcome": "right"}
        began = time.perf_counter()
        try:
            found |= self._tried(path, verb, name, state)
        except Exception as error:  # any other error is a fault: its text is not for users
            found |= _wrong([Wrong("raised", 0.0, 1.0, f"{type(error).__name__}: {error}"[:300])])
        return found | {"seconds": round(time.perf_counter() - began, 3)}

    def run(self, path: Path, verb: str, name: str, state: str) -> tuple[str, list[str], Any, Any]:
        """Open the file, set the state and call the operator; return (refusal or "", printed words, rig, state)."""
        import bpy

        bpy.ops.wm.open_mainfile(filepath=str(path))
        rig = bpy.context.view_layer.objects.active
        states.STATES[state](rig)
        try:
            operator, options = scenes.CALLS[verb](rig, scenes.SUBJECTS[name])
        except RuntimeError as error:  # no other body can be added in this state
            return f"(rule) {name} {state}: {_sentence(str(error))}", [], rig, ({}, {})
        self.last.clear()
        before = states.content(), states.surroundings(rig)
        words: list[str] = []
        refused = ""
        try:
            with heard() as words:
                done = getattr(bpy.ops.action_loom, operator)(**options)
            refused = "" if done == {"FINISHED"} else f"it returned {done}"
        except RuntimeError as error:
            refused = _sentence(str(error))
        return refused, words, rig, before

    def _tried(self, path: Path, verb: str, name: str, state: str) -> dict[str, Any]:
        import bpy

        refused, words, rig, (before, around) = self.run(path, verb, name, state)
        if refused.startswith("(rule)"):
            return {"outcome": "refused", "sentence": refused}
        if refused:
            names = [action.name for action in bpy.data.actions] + [rig.name]
            fault = invariants.refusal(refused, names)
            if fault:
                return _wrong([Wrong("sentence of refusal", float(len(refused)), 1.0, f"{fault}: {refused[:160]}")])
            return {"outcome": "refused", "sentence": refused}
        told = [word.partition(": ")[2] for word in words if word.startswith(("Warning: ", "Info: "))]
        warned = [word.partition(": ")[2] for word in words if word.startswith("Warning: ")]
        faults = [Wrong("sources unchanged", 1.0, 1.0, changed) for changed in states.changes(before, around, rig)]
        if "written" not in self.last:
            return _wrong(faults) if faults else {"notes": told}
        faults += self._shown(rig, told) + self._general(verb, told)
        if state in states.SAME_RESULT and verb != "follow" and not faults:  # its path has the scale of the armature
            faults += self._as_plain(path, verb, name, state)
        return (_wrong(faults) if faults else {}) | {"warnings": warned, "frames": len(self.last["clip"])}

    def _general(self, verb: str, told: list[str]) -> list[Wrong]:
        """Return the invariants that the clip breaks, compared with the source clips."""
        woven, clips = self.last["woven"], self.last["inputs"].read.clips
        clip = woven.clip
        joints = np.flatnonzero(clip.skeleton.body).tolist()
        given = clips[1:] if verb == "retarget" else clips
        bodies = [np.flatnonzero(one.skeleton.body).tolist() for one in given]
        more = {"said": told, "free": verb in ("warp", "reach"), "bodies": bodies}
        sources = [self._seen(one) for one in given]
        carrier = self.loom("core.motion.root_motion").travelling_joint(clip.skeleton)
        trial = Trial(verb, self._seen(clip), sources, joints, bool(clip.cyclic), woven.report, False, carrier, more)
        if verb == "travel":  # its source stands on the spot, which gives no travel to compare with
            trial.more["free"] = True
        return [fault for row in invariants.EVERY if (fault := row.holds(trial)) is not None]

    def _seen(self, clip: Any) -> see.Seen:
        places = self.loom("core.motion.kinematics").world(clip)[1]
        return see.Seen(places, clip.rate, clip.skeleton.roles, clip.skeleton.height)

    def _shown(self, rig: Any, told: list[str]) -> list[Wrong]:
        """Return the differences between the pose in Blender and the clip, in sampled frames."""
        import bpy

        clip, first = self.last["clip"], self.last["first"]
        body, action = self.last["inputs"].read.body, self.last["written"].action
        rig = bpy.data.objects[rig.name]
        rig.hide_viewport = False
        rig.hide_set(False)
        if rig.animation_data is None or rig.animation_data.action != action:
            # Keys of Bake are for a rig without constraints.
            if any("was not assigned" in sentence for sentence in told):
                return []
            return [Wrong("assigned", 1.0, 1.0, f"{action.name} is not the armature's action")]
        rotations, places = self.loom("core.motion.kinematics").world(clip)
        to_matrix, matters = self.loom("core.motion.quat").to_matrix, _with_roles(clip.skeleton)
        joints = [j for j, n in enumerate(clip.skeleton.names) if n in rig.pose.bones and matters[j]]
        if not joints:
            return []
        worst, turned, where = 0.0, 0.0, ("", 0)
        for frame in np.unique(np.linspace(0, len(clip) - 1, SAMPLE).round().astype(int)):
            at = first + float(frame)
            bpy.context.scene.frame_set(int(np.floor(at)), subframe=at % 1.0)
            shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
            for joint in joints:
                matrix = np.array(shown.matrix_world @ shown.pose.bones[clip.skeleton.names[joint]].matrix)
                off = float(np.linalg.norm(matrix[:3, 3] * body.world_metres - places[frame, joint]))
                axes = matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=0)
                cosine = 0.5 * (np.trace(axes.T @ to_matrix(rotations[frame, joint])) - 1.0)
                angle = float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
                if max(off / MILLIMETRE, angle / DEGREES) > max(worst / MILLIMETRE, turned / DEGREES):
                    worst, turned, where = off, angle, (clip.skeleton.names[joint], int(frame))
        within = MILLIMETRE * max(1.0, clip.skeleton.height / see.TALL) + 1e-6 * float(np.abs(places).max())
        few = getattr(self.last["inputs"].recipe, "within", 0.0) * 1e-3
        said = any("is shown" in word for word in told)
        if said or (worst <= within + few and (turned <= DEGREES or few or clip.scales is not None)):
            return []
        text = f"{where[0]} at frame {where[1]} of the clip is {1000 * worst:.1f} mm and {turned:.2f}° off"
        return [Wrong("on screen as made", worst, max(worst / within, turned / DEGREES), text)]

    def _as_plain(self, path: Path, verb: str, name: str, state: str) -> list[Wrong]:
        """Return the difference from the result of the plain file, for states that must not change the result."""
        world = self.loom("core.motion.kinematics").world
        clip = self.last["woven"].clip
        refused, _, _, _ = self.run(path, verb, name, "plain")
        if refused or "woven" not in self.last:
            return []
        plain = self.last["woven"].clip
        chosen = plain.skeleton.body
        if len(chosen) != len(clip.skeleton):
            return []
        off = see.apart(world(clip)[1][:, chosen], world(plain)[1][:, chosen]) / plain.skeleton.height
        what = f"{off:.2g} of the height from the plain file's" if np.isfinite(off) else "another number of frames"
        return [] if off < NEAR else [Wrong("invariance", off, off / NEAR, f"{what} ({state})")]


def _with_roles(skeleton: Any) -> list[bool]:
    """Return which joints have a role, or a joint with a role below them."""
    matters = np.zeros(len(skeleton), dtype=bool)
    matters[list(skeleton.roles.values())] = True
    if not matters.any():
        return [True] * len(skeleton)
    for joint in range(len(skeleton) - 1, 0, -1):
        if matters[joint] and skeleton.parents[joint] >= 0:
            matters[skeleton.parents[joint]] = True
    return matters.tolist()


def _wrong(faults: list[Wrong]) -> dict[str, Any]:
    rows = [{"invariant": one.invariant, "figure": one.figure, "times": one.times, "text": one.text} for one in faults]
    return {"outcome": "wrong", "wrong": rows}


def _sentence(message: str) -> str:
    """Return the operator's own words from Blender's error."""
    lines = [line for line in message.splitlines() if line and not line.startswith("Location: ")]
    text = " ".join(lines).removeprefix("Error: ")
    return re.sub(r"^Operator bpy\.ops\.[\w.]+\.poll\(\) (failed, |)", "", text)


@contextlib.contextmanager
def heard() -> Iterator[list[str]]:
    """Collect the lines that Blender prints meanwhile, such as the reports of operators."""
    words: list[str] = []
    sys.stdout.flush()
    kept = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            yield words
        finally:
            sys.stdout.flush()
            import_module("ctypes").CDLL(None).fflush(None)
            os.dup2(kept, 1)
            os.close(kept)
            file.seek(0)
            words += file.read().decode("utf-8", "replace").splitlines()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]).resolve(), sys.argv[3] if len(sys.argv) > 3 else "")
