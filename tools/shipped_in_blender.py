"""Jobs on a character as it is shipped, judged on Blender's evaluated bones and meshes; runs in a Blender's Python.

Arguments: the extension's zip, where the cells go (JSON), a folder for pictures, and files of characters. The judge
uses nothing of the product but its body roles, for the limbs of imported clips. Lengths are in heights of the mesh, H.
"""

import json
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import character_meshes
import in_blender
import numpy as np
import shipped_captures
from right_in_blender import heard
from right_scenes import add_path

SAMPLE, DENSE, VERTICES = 14, 48, 8000  # frames of a result and of a source, and vertices of each mesh
MOST_DENSE = 800  # frames of a source where a result seems to be lower
CAPTURES = ("cmu_mb_02_01", "cmu_daz_09_12")
CMU = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "cmu"
# H: stray of a bone with a constant place in its sources, and the most that a result may add.
KEEPS, MORE = 0.03, 0.01
MOVES = 0.02  # a bone that moves less belongs to its parent
UNDER, FLOOR = 0.01, 0.03  # how far the mesh may be under its sources, and off the floor on another's clip
STRETCHED, NEIGHBOURS = 2.5, 0.15  # factor of the largest distance in any source, and the limit of that distance
BENT = 10.0  # degrees by which planting may turn a bone unsaid
KINDS = ("walk", "run", "idle", "gallop", "fly", "swim", "attack", "jump", "wave")  # actions in this order
LIMBS = (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"), ("forearm", "hand"))
COLUMNS = 8


def main(zip_path: str, out: Path, pictures: Path, files: list[Path]) -> None:
    cells: list[dict[str, Any]] = []
    pictures.mkdir(parents=True, exist_ok=True)
    with in_blender.extension(zip_path) as loom:
        for path in files:
            try:
                rig = opened(path)
            except (RuntimeError, StopIteration) as error:
                print(f"{path.name} can't be read: {str(error)[:100]}", flush=True)
                continue
            one = Character(loom, rig, path.stem)
            cells += one.cells(pictures / f"{path.stem}.png")
            out.write_text(json.dumps(cells, indent=0, ensure_ascii=False), encoding="utf-8")
            print(f"{path.name}: {len(cells)} cells", flush=True)


def opened(path: Path) -> Any:
    """Open a file; returns its largest armature, active."""
    import bpy

    if path.suffix == ".blend":
        bpy.ops.wm.open_mainfile(filepath=str(path))
    else:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        load = bpy.ops.import_scene.fbx if path.suffix == ".fbx" else bpy.ops.import_scene.gltf
        load(filepath=str(path))
    rigs = [one for one in bpy.context.scene.objects if one.type == "ARMATURE"]
    rig = max(rigs, key=lambda one: len(one.data.bones), default=None)
    if rig is None:
        raise RuntimeError("no armature")
    bpy.context.view_layer.objects.active = rig
    if rig.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    return rig


@cache
def captured(name: str) -> shipped_captures.Capture:
    """Return a captured clip as Blender imports it, once for all characters."""
    return shipped_captures.Capture(CMU / f"{name}.bvh")


class Character:
    """A character, the places of its mesh in its own actions, and bones with a constant place on others."""

    def __init__(self, loom: Any, rig: Any, name: str) -> None:
        import bpy

        self.loom, self.rig, self.name = loom, rig, name
        moves = loom("addon.services.sources.source_list").moves
        loom("addon.services.sources.listing").complete(bpy.context.scene, rig)  # as the tab does when it is opened
        own = [one for one in bpy.data.actions if moves(one, rig).bones and np.ptp(one.frame_range[:]) > 3]
        for action in bpy.data.actions:
            action.use_fake_user = True
        kinds = [(self._kind(action), len(action.name), action.name) for action in own]
        firsts = {kind: (kind, length, name) for kind, length, name in sorted(kinds, reverse=True)}
        self.names = [name for _, _, name in sorted(firsts.values())[:4]]
        self.pose = {bone.name: bone.matrix_basis.copy() for bone in rig.pose.bones}
        self.bodies = [
            one for one in bpy.context.scene.objects if one.type == "MESH" and character_meshes.belongs(one, rig)
        ]
        self.shown = {name: self.look(bpy.data.actions[name], DENSE) for name in self.names}
        meshes = [mesh for _, mesh in self.shown.values() if mesh.size]
        if meshes:
            self.height = float(np.median([np.ptp(mesh[:, :, 2], axis=1) for mesh in meshes]))
            self.lowest = min(float(mesh[:, :, 2].min()) for mesh in meshes)
            self.floor = min((float(mesh[:, :, 2].min()) for mesh in meshes), key=abs)
            # one attack alone may dip below the floor on which it stands
            self.usual = min((float(np.median(mesh[:, :, 2].min(axis=1))) for mesh in meshes), key=abs)
            self.standing = (
                np.min([mesh[:, :, 2].min(axis=0) for mesh in meshes], axis=0) < self.floor + FLOOR * self.height
            )
            self.pairs = self._pairs()

    @staticmethod
    def _kind(action: Any) -> int:
        return next((k for k, kind in enumerate(KINDS) if kind in action.name.lower()), len(KINDS))

    def look(self, action: Any, count: int = SAMPLE, at: Any = None) -> tuple[Any, Any]:
        """Return world matrices (F, B, 4, 4) of the bones and vertices (F, V, 3) while an action plays.

        at : the frames, without vertices; by default `count` frames, evenly spaced
        """
        import bpy

        curves = self.loom("addon.bridge.curves")
        curves.assign(self.rig, action, curves.choose_slot(action, self.rig))
        for bone in self.rig.pose.bones:  # undoes an earlier action
            bone.matrix_basis = self.pose[bone.name]
        bones, meshes = [], []
        for frame in np.linspace(*action.frame_range[:], count) if at is None else at:
            bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
            scene = bpy.context.evaluated_depsgraph_get()
            seen = self.rig.evaluated_get(scene)
            bones.append([np.array(seen.matrix_world @ bone.matrix) for bone in seen.pose.bones])
            bodies = self.bodies if at is None else []
            meshes.append(np.concatenate([np.zeros((0, 3)), *(self._vertices(one, scene) for one in bodies)]))
        return np.array(bones), np.array(meshes)

    @staticmethod
    def _vertices(body: Any, scene: Any) -> Any:
        seen = body.evaluated_get(scene)
        places = np.empty(3 * len(seen.data.vertices), dtype=np.float32)
        seen.data.vertices.foreach_get("co", places)
        matrix = np.array(seen.matrix_world)
        step = max(1, len(seen.data.vertices) // VERTICES)
        return places.reshape(-1, 3)[::step] @ matrix[:3, :3].T + matrix[:3, 3]

    def _pairs(self) -> list[tuple[int, int, Any, float]]:
        """Return bones that move a mesh and keep their place on others that do not carry them, with place and stray."""
        bones = list(self.rig.pose.bones)
        number = {bone.name: k for k, bone in enumerate(bones)}
        above = [{number[one.name] for one in bone.parent_recursive} for bone in bones]
        every = np.concatenate([matrices for matrices, _ in self.shown.values()])
        drawn = {body.parent_bone for body in self.bodies}
        for body in self.bodies:  # importers make groups for control bones, too
            used = {one.group for vertex in body.data.vertices for one in vertex.groups if one.weight > 0.0}
            drawn |= {group.name for group in body.vertex_groups if group.index in used}
        found = []
        for k, bone in enumerate(bones):
            own = every[:, k, :3, 3] if bone.parent is None else placed(every, k, number[bone.parent.name])
            below = {j for j in range(len(bones)) if k in above[j]}
            visible = drawn & {bone.name, *(bones[j].name for j in below)}
            goes = float(np.ptp(own, axis=0).max())
            if goes < MOVES * self.height or 2 * len(below) > len(bones) or not visible:
                continue
            best: tuple[Any, ...] = ()
            for j in (j for j in range(len(bones)) if j != k and j not in above[k] and j not in below):
                there = placed(every, k, j)
                usual = np.median(there, axis=0)
                stray = float(np.linalg.norm(there - usual, axis=1).max())
                if stray <= KEEPS * self.height and goes > 4.0 * stray:
                    merit = round(stray / (0.1 * KEEPS * self.height)), float(np.linalg.norm(usual))
                    best = min(best or (merit, j, usual, stray), (merit, j, usual, stray), key=lambda one: one[0])
            if best:
                found.append((k, *best[1:]))
        return found

    def cells(self, picture: Path) -> list[dict[str, Any]]:
        """Try every job; the picture shows the first imported clip."""
        if not self.names or not any(mesh.size for _, mesh in self.shown.values()):
            return []
        one, two = self.names[0], self.names[1 % len(self.names)]
        attached = {pair[0] for pair in self.pairs}  # a track of a tank, which must not leave its place
        bone = next(k for k in range(len(self.rig.data.bones) // 2 + 1, 1000) if k not in attached)
        add_path(self.rig, points=10, sway=0.2)
        jobs: list[tuple[str, list[str], dict[str, Any]]] = [
            ("blend", [one, two], {}), ("blend", self.names[:3], {}), ("connect", [one, two], {}),
            ("connect", [two, one], {}), ("loop", [one], {}), ("loop", [one], {"whole": "yes"}),
            ("splice", [one, self.names[-1]], {}), ("mirror", [one], {}), ("mirror", [two], {}),
            ("place", [one], {"where": "at", "x": 2.0, "y": 1.0, "face": "way", "facing": 40.0}),
            ("root", [one], {"onto": "hips"}), ("root", [one], {"onto": "object"}), ("plant", [one], {}),
            ("plant", [two], {}), ("filter", [one], {}), ("fewer_keys", [one], {}), ("travel", [one], {}),
            ("in_place", [one], {}), ("follow", [one], {"curve": "Path"}), ("retime", [one, two], {}),
            ("key_poses", [one, two], {}), ("warp", [one], {"corrections": f"3 {bone} 0 0 5 0 0 0"}),
        ]  # fmt: skip
        found = [self.cell(verb, sources, options) for verb, sources, options in jobs]
        for name in CAPTURES:
            bare = self.imported(name, plant=False, bare=None, picture=picture)
            found += [bare[0], self.imported(name, plant=True, bare=bare[1], picture=None)[0]]
        return found

    def cell(self, verb: str, sources: list[str], options: dict[str, Any]) -> dict[str, Any]:
        given = [{"name": name, "weight": 1.0} for name in sources]
        return self.tried(verb, lambda ops: getattr(ops, verb)(sources=given, **options), sources)[0]

    def imported(self, name: str, *, plant: bool, bare: Any, picture: Path | None) -> tuple[dict[str, Any], Any]:
        """Bring a captured clip onto the character; bare : how its limbs point where it was not planted."""
        import bpy

        capture = captured(name)
        bpy.context.view_layer.objects.active = self.rig
        bpy.ops.object.select_all(action="DESELECT")
        self.rig.select_set(True)
        files = [{"name": f"{name}.bvh"}]
        found, limbs, said = self.tried(
            f"import {name}{' planted' * plant}",
            lambda ops: ops.import_motion(directory=str(CMU), files=files, plant_feet=plant),
            [],
            picture,
        )
        if limbs and (faults := capture.faults(limbs, said, BENT if plant else shipped_captures.OFF)):
            found |= {"outcome": "wrong", "faults": [*found["faults"], *faults]}
        if limbs and bare and "°" not in said:
            apart = {bone: degrees(way, bare[bone]) for bone, way in limbs.items() if bone in bare}
            worst = max(apart, key=lambda bone: apart[bone])
            if apart[worst] > BENT:
                found |= {"outcome": "wrong", "faults": [*found["faults"], f"planting turns {worst} unsaid"]}
        return found, limbs

    def tried(
        self, job: str, call: Any, sources: list[str], picture: Path | None = None
    ) -> tuple[dict[str, Any], Any, str]:
        """Do a job; returns its cell, directions of limbs of an imported clip, and all messages."""
        import bpy

        for name in sources[:1]:
            self.look(bpy.data.actions[name])
        bpy.context.view_layer.objects.active = self.rig
        before, objects = set(bpy.data.actions), set(bpy.data.objects)
        began, refused = time.perf_counter(), ""
        with heard() as words:
            try:
                done = call(bpy.ops.action_loom)
                refused = "" if done == {"FINISHED"} else str(done)
            except RuntimeError as error:
                refused = str(error).strip()
        cell: dict[str, Any] = {"character": self.name, "job": job, "seconds": round(time.perf_counter() - began, 2)}
        said, made = " ".join(words), sorted(set(bpy.data.actions) - before, key=lambda one: one.name)
        others = [one for one in set(bpy.data.objects) - objects if one.type == "ARMATURE"]
        limbs: Any = None
        if refused or others or not made:
            raised = "Traceback" in refused
            outcome = "wrong" if raised else "refused" if refused else "apart" if others else "nothing to change"
            cell |= {"outcome": outcome, "sentence": refused, "faults": ["raised"] if raised else []}
        else:
            bones, mesh = self.look(made[0])
            faults = self.faults(bones, mesh, sources, said)
            cell |= {"outcome": "wrong" if faults else "right", "faults": faults, "words": words[:6]}
            limbs = None if sources else self.limbs(self.look(made[0], at=shipped_captures.frames_of(made[0]))[0])
            if picture is not None:
                self.draw(made[0], picture)
        for one in others:
            bpy.data.objects.remove(one)
        for one in made:
            bpy.data.actions.remove(one)
        return cell, limbs, said

    def faults(self, bones: Any, mesh: Any, sources: list[str], said: str) -> list[str]:
        """Return the faults of a result without a warning."""
        found, height = [], self.height
        for k, j, usual, stray in self.pairs:
            there = placed(bones, k, j)
            away = there - (usual if sources else np.median(there, axis=0))
            far, bone = float(np.linalg.norm(away, axis=1).max()), self.rig.pose.bones[k].name
            if far > stray + MORE * height and "from its place" not in said:
                found.append(f"{bone} leaves {self.rig.pose.bones[j].name} by {far / height:.3f} H")
        heights = mesh[:, self.standing, 2]  # feet, not a sword
        low = float(heights.min())
        if sources and low < self.lowest - UNDER * height and " lower than in the sources" not in said:
            self.lowest = min(self.lowest, *(self._lowest_of(name) for name in sources))
            if low < self.lowest - UNDER * height:
                found.append(f"the mesh is {(self.lowest - low) / height:.3f} H under its sources")
        flies = self.usual - self.floor > FLOOR * height  # and no vertex stands: the lowest are tips of wings
        usual = float(np.median((mesh[:, :, 2] if flies else heights).min(axis=1)))
        raised = "raised by" in said and "raised by 0 cm" not in said
        told = " over the floor" in said or " under the floor" in said
        off = self.floor - usual if raised else min(abs(usual - self.floor), abs(usual - self.usual))
        if not sources and not told and off > FLOOR * height:
            found.append(f"the mesh is {(usual - self.floor) / height:+.3f} H off the floor")
        known = [self.shown[name][1] for name in sources] or [one for _, one in self.shown.values()]
        apart, most = (
            np.linalg.norm(np.diff(one, axis=1), axis=2).max(axis=0) for one in (mesh, np.concatenate(known))
        )
        near = most < NEIGHBOURS * height
        if near.any():
            times = float(np.quantile(apart[near] / np.maximum(most[near], 0.02 * height), 0.995))
            if times > STRETCHED and " is stretched " not in said:
                found.append(f"the mesh is stretched {times:.1f} times")
        return found

    def _lowest_of(self, name: str) -> float:
        """Return the height of the lowest vertex of an action, also between its keys, where short ones may dip."""
        import bpy

        action = bpy.data.actions[name]
        _, mesh = self.look(action, min(MOST_DENSE, 8 * int(np.ptp(action.frame_range[:])) + 1))
        return float(mesh[:, :, 2].min())

    def limbs(self, bones: Any) -> dict[str, Any]:
        """Return how the limbs (F, 3) of a result point, by role."""
        skeleton, names = self.loom("addon.bridge.rig").read(self.rig).skeleton, self.rig.pose.bones.keys()
        at = {role: names.index(skeleton.names[k]) for role, k in skeleton.roles.items() if skeleton.names[k] in names}
        ways = {}
        for high, low in ((f"{high}.{side}", f"{low}.{side}") for side in "LR" for high, low in LIMBS):
            if {high, low} <= at.keys():
                way = bones[:, at[low], :3, 3] - bones[:, at[high], :3, 3]
                ways[high] = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)
        return ways

    def draw(self, action: Any, picture: Path) -> None:
        """Draw a row of poses of the skin, each over its own place."""
        import bpy

        turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # the camera sees the right side
        before, rows = set(bpy.data.objects), []
        for frame in np.linspace(*action.frame_range[:], COLUMNS):
            bpy.context.scene.frame_set(int(frame), subframe=float(frame % 1.0))
            every = [character_meshes.evaluate_mesh(body) for body in self.bodies]
            middle = np.array([*np.concatenate([places for _, places in every]).mean(axis=0)[:2], self.floor])
            rows.append([(posed, (places - middle) @ turn.T) for posed, places in every])
        drawn = np.concatenate([places for row in rows for _, places in row])
        wide, tall = 2.0 * float(np.abs(drawn[:, 0]).max()), float(drawn[:, 2].max())
        for column, row in enumerate(rows):
            for posed, places in row:
                posed.vertices.foreach_set("co", np.add(places, (column * wide, 0.0, 0.0)).astype(np.float32).ravel())
                pose = bpy.data.objects.new("Pose", posed)
                pose.color = (0.45, 0.55, 0.70, 1.0)
                bpy.context.scene.collection.objects.link(pose)
        character_meshes.add_label(self.name, 0.09 * tall, (-0.48 * wide, 1.1 * tall), character_meshes.INK)
        hidden = [one for one in before if one.name in bpy.context.scene.objects and not one.hide_render]
        for one in hidden:
            one.hide_render = True
        character_meshes.photograph(COLUMNS * wide, 1.4 * tall, wide, 1.4 * tall, picture)
        for one in hidden:
            one.hide_render = False
        for one in set(bpy.data.objects) - before:
            bpy.data.objects.remove(one)


def placed(bones: Any, one: int, other: int) -> Any:
    """Return where the head of a bone is (F, 3) in the frame of another."""
    axes = bones[:, other, :3, :3] / np.maximum(np.linalg.norm(bones[:, other, :3, :3], axis=1, keepdims=True), 1e-12)
    return np.einsum("fji,fj->fi", axes, bones[:, one, :3, 3] - bones[:, other, :3, 3])


def degrees(one: Any, other: Any) -> float:
    return float(np.degrees(np.arccos(np.clip((one * other).sum(axis=1), -1.0, 1.0))).max())


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), [Path(one) for one in sys.argv[4:]])
