"""Files of captured clips in conventions used in practice, and differences of their reading from the original's.

../shared/tools/vary_bvh.py, which shares no code with the reader, makes the variations.
"""

from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

import numpy as np
from action_loom.core.errors import SeveralBodiesError
from action_loom.core.formats import motion_file
from action_loom.core.motion import kinematics
from action_loom.core.quality import contacts
from oracles import kept_aside, material

TOOL = material.SHARED.parent / "tools" / "vary_bvh.py"
FRAMES = 360  # of a clip; long takes would take minutes to write
# Each variation changes one kind of convention; two of a kind are never combined.
VARIATIONS = {
    "rest x": "rest",
    "rest random:7": "rest",
    "rest frame:120": "rest",
    "turn-rest 180": "turn",
    "world z": "world",
    "world down": "world",
    "root-up z": "world",
    "static-root": "root",
    "declare 24": "rate",
    "frame-time-is-fps": "rate",
    "two-bodies": "bodies",
    "scale 0.01": "scale",
    "line-ends cr": "ends",
    "names zh": "names",
    "names numbers": "names",
}
# Sentences that a correctly read file needs, because the file contradicts itself.
NEEDED = {"root-up z": "up", "frame-time-is-fps": "rate", "declare 24": "rate", "scale 0.01": "unit"}
PAIRS = [pair for pair in combinations(VARIATIONS, 2) if VARIATIONS[pair[0]] != VARIATIONS[pair[1]]]


@dataclass
class Cell:
    """The reading of a varied file: its differences from the original, and the reader's sentences about them.

    wrong : kinds of differences; doubts : kinds of sentences, and those themselves
    """

    wrong: set = field(default_factory=set)
    doubts: dict = field(default_factory=dict)
    variations: tuple = ()

    @property
    def silent(self):
        """Return the differences without a sentence about them."""
        return {kind for kind in self.wrong if SPEAKS_OF[kind] not in self.doubts}

    @property
    def needless(self):
        """Return the sentences about correctly read parts that nothing in the file contradicts."""
        needed = {NEEDED.get(one) for one in self.variations} | {SPEAKS_OF[one] for one in self.wrong}
        return set(self.doubts) - needed


# The part of a convention that each difference concerns.
SPEAKS_OF = {
    "places": "up",
    "size": "unit",
    "rate": "rate",
    "facing": "up",
    "sides": "sides",
    "contacts": "up",
    "roles": "up",
}


@cache
def clips():
    """Return the paths of all captured clips by name."""
    return {path.stem.removeprefix("cmu_"): path for path in sorted((material.SHARED / "cmu").glob("*.bvh"))}


def is_kept_aside(name):
    return kept_aside.is_kept_aside(clips()[name])


@cache
def _tool():
    """Return the names that the variation tool defines, without running it."""
    names = {"__name__": "vary_bvh"}
    exec(compile(TOOL.read_text(encoding="utf-8").replace("\nmain()\n", "\n"), str(TOOL), "exec"), names)
    return names


def write(source, target, variations):
    """Write a varied copy of a file by the tool's own command line."""
    names, words = _tool(), ["vary_bvh", str(source), str(target), "--frames", f"0:{FRAMES}"]
    for one in variations:
        option, _, value = one.partition(" ")
        words += [f"--{option}", *([value] if value else [])]
    names["argparse"]._sys.argv, before = words, names["argparse"]._sys.argv
    try:
        names["main"]()
    finally:
        names["argparse"]._sys.argv = before


def shape_of(path):
    """Return the distances of joints from four places of the first frame, as shares, by the tool's own reader.

    They are the same in all axes and units.
    """
    clip = _tool()["Bvh"](path)
    world = clip.world()[1][:, [joint for joint, name in enumerate(clip.names) if name != "Scene"]]
    spread = np.linalg.norm(world[:, :12, None] - world[0, [0, 3, 6, 9]], axis=3)
    return spread / spread.max()


def has_shape(path, shape):
    """Return whether the tool wrote the motion that it varied: angles near their poles lose digits."""
    return bool(np.abs(shape_of(path) - shape).max() < 2e-4)


def read_all(path):
    """Return a file as it is read, once for each of its bodies."""
    try:
        return [motion_file.read(path)]
    except SeveralBodiesError as error:
        return [motion_file.read(path, body=body) for body in error.bodies]


def judge(original, varied, variations):
    """Return how the readings of a varied file differ from that of the original."""
    cell, bodies = Cell(variations=tuple(variations)), 2 if "two-bodies" in variations else 1
    for one in varied:
        for finding in one.findings:
            if finding.doubt:
                cell.doubts[finding.part] = finding.doubt
    if len(varied) != bodies:
        cell.wrong.add("places")
        return cell
    clip, true = varied[0].clip, original.clip
    if not np.isclose(clip.rate, true.rate, rtol=1e-4):
        cell.wrong.add("rate")
    places = _of_body(clip, true)
    scale = clip.skeleton.height / true.skeleton.height
    if abs(scale - 1.0) > 1e-3:
        cell.wrong.add("size")
    if np.abs(places / scale - kinematics.world(true)[1]).max() > 1e-3:
        cell.wrong.add("places")
    ours, theirs = _roles(clip, true), true.skeleton.roles
    turned = _facing(places, ours) * np.conj(_facing(kinematics.world(true)[1], theirs))
    if np.abs(np.degrees(np.angle(turned))).max() > 1.0:
        cell.wrong.add("facing")
    shared = [role for role in ours if role in theirs]
    if len(shared) < 0.7 * len(theirs):
        cell.wrong.add("roles")
    elif any(ours[role] != theirs[role] for role in shared if role.startswith(("thigh", "shin", "foot", "hand"))):
        cell.wrong.add("sides")
    slow = contacts.detect(clip.__class__(**{**clip.__dict__, "rate": true.rate}))
    for side, flags in contacts.detect(true).items():
        if side not in slow or (slow[side] != flags).mean() > 0.02:
            cell.wrong.add("contacts")
    return cell


def _of_body(clip, true):
    """Return the places (F, J, 3) of the joints that the original has, without a static root."""
    skip = len(clip.skeleton) - len(true.skeleton)
    return kinematics.world(clip)[1][:, skip:]


def _facing(places, roles):
    """Return the facing (F,) as x + iy, by the lines of thighs and upper arms; 1 for a body without known ones."""
    pairs = [(roles.get(f"{part}.L"), roles.get(f"{part}.R")) for part in ("thigh", "upper_arm")]
    lines = [places[:, right] - places[:, left] for left, right in pairs if left is not None and right is not None]
    return sum(line[:, 0] + 1j * line[:, 1] for line in lines) if lines else np.ones(len(places), complex)


def _roles(clip, true):
    skip = len(clip.skeleton) - len(true.skeleton)
    return {role: joint - skip for role, joint in clip.skeleton.roles.items()}
