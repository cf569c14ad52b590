"""What source 002 (lecture slides on character animation) has, element by element, and what is measured of it here.

Writes a section of docs/measured/sources.md and the pictures of docs/manual/scripts.md.
"""

import contextlib
import io
import sys
import tempfile
import textwrap
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.spatial.transform import Rotation

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from action_loom.core.errors import LoomError, MotionFileError
from action_loom.core.figure import skin as figure_skin
from action_loom.core.formats import bvh
from action_loom.core.motion import kinematics, quat, resample
from action_loom.core.motion.clip import Clip
from action_loom.core.skin import normals, playing, skinning
from action_loom.core.skin.skin import skin
from oracles import manual_scripts
from oracles.material import SMALL_BVH, captured_files, read_bvh
from page_sections import put

IMAGES = ROOT / "docs" / "manual" / "images"
COLOURS = 48  # of a picture
SEVERAL = 20  # frames of a clip that are looked at
ELEMENTS = Path(__file__).with_suffix(".txt")  # the table, with fields for what is measured
COMMAND = "    python tools/bench/sources_002.py      # and the pictures of docs/manual/scripts.md"
INTRODUCTION = (
    "On {files} captured BVH files and the demo figure. The slides print no measurements; a figure under *ours* is of"
    " this command, or the page named."
)


@dataclass(frozen=True, kw_only=True)
class Found:
    """What was measured: of files, of joints, of the scripts, of the skin."""

    files: int
    frames: int
    rewritten: float  # of the body's height
    four_numbers: str  # what is said of an OFFSET of four numbers
    euler: float  # of matrix elements, at most
    recursion: float  # of the body's height
    slower: float  # times
    whole: float  # of quaternions and m
    ends: float  # likewise
    spread: float  # degrees
    seam: tuple[float, float]  # cm a frame, at the transition and elsewhere
    rounds: tuple[int, float, float]  # of CCD, mm before and after
    zeros: float  # %
    formula: float  # mm
    four: float  # mm
    turned: tuple[float, float]  # degrees


def main() -> None:
    paths = captured_files()
    if not paths[0].exists():
        sys.exit("sources_002: the captured clips of ../shared/data are needed")
    with tempfile.TemporaryDirectory() as folder:
        manual_scripts.write_files(Path(folder))
        made = {name: _run(name, Path(folder)) for name in manual_scripts.TYPED}
        found = measured(paths, made)
        for path in IMAGES.glob("script_*.png"):  # those that the manual shows
            _keep(Path(folder) / path.name.removeprefix("script_"), path)
    table = ELEMENTS.read_text(encoding="utf-8").format(**asdict(found))
    lines = textwrap.wrap(INTRODUCTION.format(files=found.files), 118, break_on_hyphens=False)
    put("sources.md", "002 · Character animation (Oshita)", [*lines, "", COMMAND, "", *table.splitlines()])
    print(found)


def _run(name: str, folder: Path) -> dict[str, object]:
    with contextlib.redirect_stdout(io.StringIO()):
        return manual_scripts.run(name, folder)


def _keep(picture: Path, path: Path) -> None:
    """A picture with few colours: lines need no more."""
    with Image.open(picture) as drawn:
        few = drawn.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(path, optimize=True)


# --- measuring ------------------------------------------------------------------------------------------------------


def measured(paths, made) -> Found:  # type: ignore[no-untyped-def]
    motions = [motion for path in paths if (motion := _readable(path)) is not None]
    clips = [bvh.to_clip(motion)[0] for motion in motions]
    recursion, slower = _recursion([_several(clip) for clip in clips if len(clip.skeleton) < 200], made)
    postures = made["postures"]
    away = [_apart(postures["clip"].taken([f]), postures["postures"].taken([k])) for f, k in ((0, 0), (10, -1))]
    formula, four, turned = _skin(made["skinning"])
    return Found(
        files=len(motions),
        frames=sum(len(clip) for clip in clips),
        rewritten=max(_rewritten(motion) for motion in motions),
        four_numbers=_four_numbers(),
        euler=max(_euler(motion) for motion in motions),
        recursion=recursion,
        slower=slower,
        whole=max(_apart(resample.sample(clip, np.arange(float(len(clip)))), clip) for clip in clips[:SEVERAL]),
        ends=max(away),
        spread=_spread(postures["postures"]),
        seam=_seam(made["transition"]),
        rounds=_rounds(made["inverse_kinematics"]),
        zeros=100.0 * float((figure_skin.skin().weights == 0.0).mean()),
        formula=formula,
        four=four,
        turned=turned,
    )


def _readable(path: Path) -> bvh.BvhMotion | None:
    try:
        return bvh.read(path)
    except LoomError as problem:
        print(f"not read: {problem}")
        return None


def _several(clip: Clip) -> Clip:
    return clip.taken(np.linspace(0, len(clip) - 1, min(len(clip), SEVERAL)).astype(np.int64))


def _apart(one: Clip, other: Clip) -> float:
    turned = 1.0 - np.abs((one.rotations * other.rotations).sum(axis=-1))
    return float(max(turned.max(), np.abs(one.translations - other.translations).max()))


def _rewritten(motion: bvh.BvhMotion) -> float:
    """How far joints are from where they were, at most, once a file was read, written and read again: of the height."""
    clip, convention = bvh.to_clip(motion)
    again = bvh.from_clip(clip, motion, convention)
    one, other = (
        kinematics.world(bvh.to_clip(each)[0])[1][:: max(1, len(clip) // SEVERAL)] for each in (motion, again)
    )
    return float(np.abs(one - other).max() / max(clip.skeleton.height, 1e-9))


def _four_numbers() -> str:
    with tempfile.TemporaryDirectory() as folder:
        try:
            read_bvh(Path(folder), SMALL_BVH.replace("OFFSET 0.0 50.0 0.0", "OFFSET 0 0 -18.47 0"))
        except MotionFileError as problem:
            return str(problem).partition(": ")[2] or str(problem)
    return "read"


def _euler(motion: bvh.BvhMotion) -> float:
    """How far our rotations are from products of scipy's matrices, one for each channel in the file's order."""
    clip, _ = bvh.to_clip(motion, unit="m", up="z")
    frames = np.linspace(0, len(clip) - 1, min(len(clip), SEVERAL)).astype(int)
    column, worst = 0, 0.0
    for joint, names in enumerate(motion.channels):
        product = np.broadcast_to(np.eye(3), (len(frames), 3, 3))
        for name in names:
            if name.lower().endswith("rotation"):
                turns = Rotation.from_euler(name[0].lower(), motion.values[frames, column, None], degrees=True)
                product = product @ turns.as_matrix()
            column += 1
        worst = max(worst, float(np.abs(product - quat.to_matrix(clip.rotations[frames, joint])).max()))
    return worst


def _recursion(clips: list[Clip], made) -> tuple[float, float]:  # type: ignore[no-untyped-def]
    """How far the script's recursion is from the core, of the height, and how many times as long it takes."""
    go_on = made["forward_kinematics"]["go_on"]
    worst, ours, theirs = 0.0, 0.0, 0.0
    for clip in clips:
        kinematics.world(clip)
        began = time.process_time()
        places = kinematics.world(clip)[1]
        between = time.process_time()
        for frame in range(len(clip)):
            found = np.empty((len(clip.skeleton), 4, 4))
            for root in np.flatnonzero(clip.skeleton.parents < 0):
                go_on(clip.cut(frame, frame + 1), int(root), np.eye(4), found)
            worst = max(worst, float(np.abs(found[:, :3, 3] - places[frame]).max()) / max(clip.skeleton.height, 1.0))
        ours, theirs = ours + between - began, theirs + time.process_time() - between
    return worst, float(f"{theirs / ours:.1g}")


def _spread(postures: Clip) -> float:
    """How unequal the turns from posture to posture are, degrees."""
    steps = quat.log(quat.mul(quat.inv(postures.rotations[:-1]), postures.rotations[1:]))
    return float(np.degrees(np.ptp(np.linalg.norm(steps, axis=-1), axis=0).max()))


def _seam(made) -> tuple[float, float]:  # type: ignore[no-untyped-def]
    steps, first, last = made["steps"], made["asked"].leave - 1, made["asked"].leave + made["asked"].span
    return 100.0 * float(steps[first:last].max()), 100.0 * float(np.delete(steps, np.s_[first:last]).max())


def _rounds(made) -> tuple[int, float, float]:  # type: ignore[no-untyped-def]
    places = [kinematics.world(posture)[1][0, made["end"]] for posture in made["steps"]]
    away = [1000.0 * float(np.linalg.norm(place - made["goal"])) for place in places]
    return len(away) - 1, away[0], away[-1]


def _skin(made) -> tuple[float, float, tuple[float, float]]:  # type: ignore[no-untyped-def]
    """Formula against kernel and four influences against all (mm), and normals by both ways (degrees)."""
    clip, mesh, given = made["clip"], made["mesh"], made["given"]
    surface = skin(mesh.vertices, (given.first, given.joints, given.weights), (mesh.corners, mesh.begins))
    joints = range(len(clip.skeleton))
    moved = skinning.moves(playing.at_rest(clip.skeleton, joints), playing.in_frame(clip, made["asked"].frame, joints))
    vertices, turned = skinning.linear(surface, moved)
    bones, shares = surface.compact
    rows = (np.arange(0, bones.size + 1, bones.shape[1]), bones.ravel(), shares.ravel())
    kept = skin(mesh.vertices, rows, (mesh.corners, mesh.begins))
    fewer, _ = skinning.linear(kept, moved)
    faces = normals.of_faces(vertices, surface.corners, surface.faces)
    angles = np.degrees(np.arccos(np.clip((turned * faces).sum(axis=1), -1.0, 1.0)))
    formula, four = (10.0 * float(np.linalg.norm(one - vertices, axis=1).max()) for one in (made["vertices"], fewer))
    return formula, four, (float(np.median(angles)), float(angles.max()))


if __name__ == "__main__":
    main()
