"""Time reading vertex weights and deforming a mesh, and compare with Blender's Armature modifier; prints JSON.

Runs inside Blender. Arguments: the extension's zip and the number of runs.
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import bridge
import in_blender
import line
from line import Case, Figures, Rival
from telling import tell

INFLUENCES = 4
SIZES = {"20k": 20_000, "100k": 100_000}
LONGEST = 8.0  # s
CLOCK = time.process_time  # counts all threads, since Blender runs modifiers on several
NEAR = 1e-5  # single precision, for positions some units from the origin


def main(zip_path: str, runs: int) -> None:
    with in_blender.extension(zip_path) as loom:
        import bpy

        figures: dict[str, Figures] = {}
        for name, vertices in SIZES.items():
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            armature = bridge.chain()
            drawn = hung(armature, vertices)
            figures[f"weights-{name}"] = weights(loom, armature, drawn, runs)
            posed(armature)
            for key, preserve in (("skin-modifier", False), ("skin-modifier-dual", True)):
                drawn.modifiers[0].use_deform_preserve_volume = preserve
                figures[f"{key}-{name}"] = moved(loom, armature, drawn, runs)
        tell(figures, blender=bpy.app.version_string)


def hung(armature: Any, vertices: int) -> Any:
    """Make a mesh of quads around an armature's bones; each vertex has weights for INFLUENCES neighbouring bones."""
    import bpy

    rng = np.random.default_rng(0)
    near = np.sort(rng.integers(0, bridge.BONES - INFLUENCES, vertices))
    places = rng.normal(scale=0.1, size=(vertices, 3)) + np.stack([0 * near, 0 * near, 0.03 * near], axis=1)
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata(places.tolist(), [], np.arange(vertices).reshape(-1, 4).tolist())
    drawn = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(drawn)
    groups = [drawn.vertex_groups.new(name=bone.name) for bone in armature.data.bones]
    shares = rng.integers(1, 9, (vertices, INFLUENCES))
    for k in range(INFLUENCES):
        for bone, share in np.unique(np.stack([near + k, shares[:, k]], axis=1), axis=0).tolist():
            rows = np.flatnonzero((near + k == bone) & (shares[:, k] == share))
            groups[bone].add(rows.tolist(), share / 8.0, "REPLACE")
    modifier = drawn.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    return drawn


def posed(armature: Any) -> None:
    """Rotate every bone a little, which moves the end of the chain far."""
    import bpy

    rng = np.random.default_rng(1)
    for bone in armature.pose.bones:
        bone.rotation_quaternion = (1.0, *rng.uniform(-0.05, 0.05, 3))
    bpy.context.view_layer.update()


def weights(loom: Callable[[str], Any], armature: Any, drawn: Any, runs: int) -> Figures:
    reading = loom("addon.bridge.vertex_weights").read
    bones = [bone.name for bone in armature.data.bones]
    ours = partial(reading, drawn, drawn.data, bones, stored_order=False)
    loop = Rival(partial(reading, drawn, drawn.data, bones, stored_order=True), sums_apart)
    return line.measure(Case(ours, {"vertex by vertex": lambda: loop}), runs, LONGEST, CLOCK)


def sums_apart(one: Any, other: Any) -> float:
    """Return the largest difference of the total weight per bone, which does not depend on the storage order."""
    sums = [np.bincount(bones, values, bridge.BONES) for _, bones, values in (one, other)]
    return float(np.abs(sums[0] - sums[1]).max())


def moved(loom: Callable[[str], Any], armature: Any, drawn: Any, runs: int) -> Figures:
    """Time deforming a mesh: from bone matrices to vertex positions."""
    mesh, skinning = loom("addon.bridge.mesh"), loom("core.skin.skinning")
    read = mesh.read(armature, drawn)
    rest = matrices(armature.data.bones, "matrix_local")

    def ours() -> np.ndarray:
        pose = matrices(armature.pose.bones, "matrix")
        if read.preserve_volume:
            return skinning.dual_quaternions(read.surface, rest, pose)[0]
        return skinning.linear(read.surface, skinning.moves(rest, pose))[0]

    modifier = Rival(partial(evaluated, armature, drawn), lambda one, other: float(np.abs(one - other).max()), NEAR)
    return line.measure(Case(ours, {"the modifier": lambda: modifier}), runs, LONGEST, CLOCK)


def evaluated(armature: Any, drawn: Any) -> np.ndarray:
    """Evaluate the armature and its modifier in Blender; return the vertex positions (V, 3)."""
    import bpy

    armature.update_tag(refresh={"DATA"})
    depsgraph = bpy.context.evaluated_depsgraph_get()
    vertices = drawn.evaluated_get(depsgraph).data.vertices
    found = np.empty((len(vertices), 3), np.float32)
    vertices.foreach_get("co", found.ravel())
    return found


def matrices(bones: Any, name: str) -> np.ndarray:
    found = np.empty((len(bones), 4, 4), np.float32)
    bones.foreach_get(name, found.ravel())
    return found.transpose(0, 2, 1).astype(np.float64)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
