"""Benchmarks of the core in this process. A line is a row of LINES; a rival is a row of its case."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any

import engines
import numpy as np
import searches
from action_loom.core import jit
from action_loom.core.formats import bvh, motion_file
from action_loom.core.motion import kinematics, quat, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.frame_map import FrameMap
from action_loom.core.motion.quat import Array
from action_loom.core.motion.skeleton import Skeleton
from action_loom.core.skin import skinning
from action_loom.core.skin.skin import Skin, skin
from action_loom.core.sync import cycle_search, distance, dtw, joint_weights, metrics, registration
from action_loom.core.sync.registration_curve import Registration
from action_loom.core.verbs import Blend, Synchronise
from action_loom.core.verbs.blend import weights as blend_weights
from action_loom.core.verbs.blend import work as blend
from action_loom.core.weave.preprocess import PreparedClips, RegisteredClips
from material import FRAMES, Material, load
from table import Case, Rival, Target

CLIPS, JOINTS = 5, 60
PER_PAIR = "numpy, pair by pair"
WINDOW = 5  # frames on each side
SAMPLE, ROWS = 400, 5  # pairs of frames, rows of a matrix, for slow rivals
LIMIT = 3  # of slopes
TURNS_WAIT = "each cell waits for three others, and six rows at a time are what the registers hold"
WEIGHTS = np.array([0.1, 0.15, 0.2, 0.25, 0.3])
OTHER_MEAN = 5.0  # degrees allowed between chordal and geodesic mean; the input rotations differ by up to 100°
ROUNDING = 1e-5  # degrees and lengths; some libraries use single precision
INFLUENCES, NEAR = 4, 2e-5  # single precision, for positions some units from the origin


# --- pose distances -------------------------------------------------------------------------------------------------


def pose_distances(material: Material, metric: str, window: int) -> Callable[[], Array]:
    a, b = (metrics.prepare(clip, Synchronise(metric=metric)) for clip in material.clips)
    return lambda: a.matrix(b, window)


def largest_error(part: Any = ...) -> Callable[[Array, Array], float]:
    """Return a function that compares a part of our values with a rival's."""
    return lambda ours, theirs: float(np.abs(ours[part] - theirs).max())


def compare_points(material: Material, window: int) -> Case:
    one, other = (kinematics.points(clip) for clip in material.clips)
    weights = np.tile(joint_weights.point_weights(material.clips[0].skeleton, "all"), 2 * window + 1) / (2 * window + 1)
    m, n, points = len(one), len(other), one.shape[1]
    pairs = np.random.default_rng(0).integers(0, [m, n], (SAMPLE, 2))
    windows = [distance.clamp_windows(len(places), window) for places in (one, other)]

    def align(i: int, j: int) -> float:
        """Implement the formula literally: align the two point clouds of a pair of frames."""
        a, b = one[windows[0][i]].reshape(-1, 3), other[windows[1][j]].reshape(-1, 3)
        p, q = a[:, :2] - weights @ a[:, :2], b[:, :2] - weights @ b[:, :2]
        c = (weights * (p * q).sum(axis=1)).sum()
        s = (weights * (p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0])).sum()
        square = (weights * ((p**2).sum(axis=1) + (q**2).sum(axis=1) + (a[:, 2] - b[:, 2]) ** 2)).sum()
        return float(np.sqrt(max(square - 2.0 * np.hypot(c, s), 0.0)))

    def work() -> Array:
        return np.array([align(i, j) for i, j in pairs])

    rival = Rival(work, largest_error(tuple(pairs.T)), 1e-6, m * n / SAMPLE)
    operations = 2.0 * m * n * (5 * points + (2 * 2 * (2 * window + 1) if window else 0))
    return Case(pose_distances(material, "points", window), {PER_PAIR: lambda: rival}, 8.0 * m * n, operations)


def compare_rotations(material: Material, metric: str) -> Case:
    """Compare rotations of weighted joints; the hips are in the heading frame."""
    weights = joint_weights.rotation_weights(material.clips[0].skeleton, "all")
    used = np.flatnonzero(weights)
    turns = []
    for clip in material.clips:
        rotations, hips = clip.rotations.copy(), root_motion.travelling_joint(clip.skeleton)
        turned_back = quat.about_axis("Z", -root_motion.pelvis_heading(clip, root_motion.HEADING_SIGMA))
        rotations[:, hips] = quat.mul(turned_back, kinematics.world(clip)[0][:, hips])
        turns.append(rotations[:, used])
    one, other = turns
    size, angles = 1.0 * len(one) * len(other), metric == "angles"

    def joint_by_joint() -> Array:
        total = np.zeros((len(one), len(other)))
        for k, weight in enumerate(weights[used]):
            cosine = np.minimum(np.abs(one[:, k] @ other[:, k].T), 1.0)
            total += weight * ((2.0 * np.arccos(cosine)) ** 2 if angles else 1.0 - cosine**2)
        return total

    def make_scipy() -> Rival:
        turn = load("scipy.spatial.transform").Rotation
        first, second = (turn.from_quat(some, scalar_first=True) for some in (one[:ROWS], other))
        rows = range(ROWS)
        work = partial(lambda: np.stack([(first[k].inv() * second).magnitude() ** 2 @ weights[used] for k in rows]))
        return Rival(work, largest_error(slice(ROWS)), 1e-6, len(one) / ROWS)

    rivals = {"numpy, joint by joint": lambda: Rival(joint_by_joint, largest_error(), 1e-6)}
    rivals |= {"scipy": make_scipy} if angles else {}
    operations = (8.0 if angles else 20.0) * size * len(used)
    return Case(pose_distances(material, metric, 0), rivals, 8.0 * size, operations)


# --- time warping ---------------------------------------------------------------------------------------------------


def cost_error(cost_of: Callable[[Any], Any]) -> Callable[[Any, Any], float]:
    """Return a function that compares the costs of two paths, relative to ours."""
    return lambda ours, theirs: abs(float(cost_of(theirs)) - ours.cost) / ours.cost


def warp_freely(material: Material) -> Case:
    matrix = pose_distances(material, "points", WINDOW)()
    step = {"step_pattern": "symmetric1"}

    def make_tslearn() -> Rival:
        find = load("tslearn.metrics").dtw_path_from_metric
        return Rival(partial(find, matrix, metric="precomputed"), cost_error(lambda found: found[1]))

    rivals = {
        "librosa": lambda: Rival(
            partial(load("librosa.sequence").dtw, C=matrix), cost_error(lambda found: found[0][-1, -1])
        ),
        "tslearn": make_tslearn,
        "dtw-python": lambda: Rival(partial(load("dtw").dtw, matrix, **step), cost_error(attrgetter("distance"))),
    }
    return Case(lambda: dtw.find_pinned_path(matrix, len(matrix)), rivals, moved=9.0 * matrix.size)


def warp_series(material: Material) -> Case:
    one, other = (
        np.ascontiguousarray(kinematics.points(clip)[:, ::4].reshape(len(clip), -1)) for clip in material.clips
    )

    def ours() -> Any:
        squares = one @ (-2.0 * other.T)
        squares += np.einsum("fd,fd->f", one, one)[:, None]
        squares += np.einsum("fd,fd->f", other, other)
        return dtw.find_pinned_path(np.maximum(squares, 0.0, out=squares), len(one))

    def make_dtaidistance() -> Rival:
        costs, path = load("dtaidistance.dtw_ndim").warping_paths_fast, load("dtaidistance.dtw").best_path

        def find() -> tuple[Any, float]:
            distance, every = costs(one, other)
            return path(every), distance**2

        return Rival(find, cost_error(itemgetter(1)), ROUNDING)

    def make_aeon() -> Rival:
        find = load("aeon.distances").dtw_alignment_path
        return Rival(partial(find, one.T.copy(), other.T.copy()), cost_error(itemgetter(1)), ROUNDING)

    return Case(ours, {"dtaidistance": make_dtaidistance, "aeon": make_aeon}, moved=17.0 * len(one) * len(other))


def warp_with_limit(material: Material) -> Case:
    matrix = pose_distances(material, "points", WINDOW)()
    # A start cell before the matrix: our paths may wait in the first frame, dtw-python's may not.
    padded = np.pad(matrix, ((1, 0), (1, 0)), constant_values=np.inf)
    padded[0, 0] = 0.0

    def make_dtw_python() -> Rival:
        package = load("dtw")
        pattern = package.StepPattern(np.array(step_pattern(LIMIT), dtype=float))
        return Rival(partial(package.dtw, padded, step_pattern=pattern), cost_error(attrgetter("distance")))

    ours = partial(dtw.find_pinned_path, matrix, LIMIT)
    return Case(ours, {"dtw-python": make_dtw_python}, moved=9.0 * matrix.size)


def step_pattern(limit: int) -> list[Sequence[float]]:
    """Return our step pattern for dtw-python: a diagonal, then up to limit − 1 steps down or right, all of weight 1."""
    pattern, number = [], 0
    for down in (True, False):
        for waits in range(0 if down else 1, limit):  # the first direction adds the diagonal alone
            number += 1
            start = (waits + 1, 1) if down else (1, waits + 1)
            pattern.append((number, *start, -1))
            pattern += [(number, k * down, k * (not down), 1) for k in range(waits, -1, -1)]
    return pattern


# --- rotations and blends -------------------------------------------------------------------------------------------


def average_rotations(_: Material) -> Case:
    rotations = [clip.rotations for clip in make_clips()[0]]
    stacked = np.stack(rotations)

    def make_scipy() -> Rival:
        turn = load("scipy.spatial.transform").Rotation
        turns = turn.from_quat(stacked, scalar_first=True)
        weights = np.broadcast_to(WEIGHTS[:, None, None], stacked.shape[:-1])

        def apart(ours: Array, theirs: Any) -> float:
            mean = turn.from_quat(ours, scalar_first=True)
            # Our mean is geodesic: the weighted logarithms about it sum to zero.
            rest = (WEIGHTS[:, None, None, None] * (mean.inv() * turns).as_rotvec()).sum(axis=0)
            return float(np.degrees((mean.inv() * theirs).magnitude().max())) if np.abs(rest).max() < 1e-6 else np.inf

        return Rival(lambda: turns.mean(weights=weights, axis=0), apart, OTHER_MEAN)

    moved = 8.0 * 4 * (CLIPS + 1) * FRAMES * JOINTS
    return Case(lambda: quat.mean(rotations, WEIGHTS[:, None, None]), {"scipy": make_scipy}, moved)


def blend_clips(_: Material) -> Case:
    clips, registered = make_clips()
    equal = blend_weights.of_recipe(Blend(), len(clips))

    def ours() -> Clip:
        at = blend.output_frames(registered.registration, equal, "blended")
        return blend.weave(clips, registered.registration, at, equal.at(registered.registration.share_of_way(at)))[0]

    return Case(ours, moved=8.0 * 7 * (CLIPS + 1) * FRAMES * JOINTS)


def make_clips() -> tuple[list[Clip], RegisteredClips]:
    """Return five clips (1000 frames, 60 joints, rotations about 30° different) with uneven registration curves."""
    rng = np.random.default_rng(0)
    parents = np.array([-1, *(max(0, k - 1) if k % 12 else 0 for k in range(1, JOINTS))])
    offsets, still = np.tile([0.0, 0.02, 0.08], (JOINTS, 1)), np.tile(quat.IDENTITY, (JOINTS, 1))
    names = tuple(f"joint{k}" for k in range(JOINTS))
    skeleton = Skeleton(names, parents, offsets, still, np.zeros((JOINTS, 3)))
    translations = np.zeros((FRAMES, JOINTS, 3))
    translations[:, 0] = 0.01 * np.arange(FRAMES)[:, None]

    def wander() -> Array:
        steps = rng.normal(size=(FRAMES, JOINTS, 3)) / np.sqrt(FRAMES)
        return quat.exp(0.3 * np.cumsum(steps, axis=0) + 0.2 * rng.normal(size=(JOINTS, 3)))

    common = wander()
    turns = [quat.mul(common, wander()) for _ in range(CLIPS)]
    clips = [Clip(f"clip{k}", skeleton, 120.0, turn, translations.copy()) for k, turn in enumerate(turns)]
    straight, uneven = registration.identity(clips[0]), 3.0 * np.sin(np.linspace(0.0, np.pi, FRAMES))
    curves = [straight, *(replace(straight, frames=straight.frames + uneven) for _ in clips[1:])]
    prepared = PreparedClips(tuple(clips), 0, (), (FrameMap(),) * CLIPS)
    return clips, RegisteredClips(prepared, Registration(0, tuple(curves)), True)


def find_loop(material: Material) -> Case:
    clip = material.clips[0]
    frames = -(-len(clip) // max(1, round(clip.rate / cycle_search.SEARCH_RATE)))
    # Products of all pairs of frames and of all pairs of their sums; each matrix is symmetric.
    return Case(lambda: cycle_search.find(clip), operations=2.0 * frames**2 * 3 * len(clip.skeleton))


# --- files ----------------------------------------------------------------------------------------------------------


def read_bvh(material: Material) -> Case:
    path = material.files[0]
    values = bvh.read(path).values

    def compare(columns: Callable[[Any], tuple[Array, Array]]) -> Callable[[Any, Any], float]:
        """Compare values in the column order of the files: root position, then three angles of each joint."""

        def apart(ours: Any, theirs: Any) -> float:
            root, angles = columns(theirs)
            return float(np.abs(ours.values - np.concatenate([root, angles.reshape(len(angles), -1)], axis=1)).max())

        return apart

    def make_pymotion() -> Rival:
        reader = load("pymotion.io.bvh").BVH

        def work() -> Any:
            found = reader()
            found.load(str(path))
            return found.data

        return Rival(work, compare(lambda data: (data["positions"][:, 0], data["rotations"])), ROUNDING)

    def make_pybvh() -> Rival:
        read = load("pybvh").read_bvh_file
        apart = compare(lambda found: (found.root_pos, np.degrees(found.joint_angles)))
        return Rival(partial(read, str(path)), apart, ROUNDING)

    moved = float(path.stat().st_size + values.nbytes)
    return Case(lambda: bvh.read(path), {"pymotion": make_pymotion, "pybvh": make_pybvh}, moved)


def read_clip(material: Material) -> Case:
    path = material.files[0]
    return Case(lambda: motion_file.read(path), moved=float(path.stat().st_size))


# --- skinning -------------------------------------------------------------------------------------------------------


def bend_surface(_: Material, vertices: int, method: str) -> Case:
    surface, rest, posed = make_surface(vertices)
    if method == "linear":
        moved = skinning.moves(rest, posed)
        rows = np.ascontiguousarray(moved[:, :3], np.float32)
        twin = ("linear", rows)
        ours: Callable[[], Any] = partial(skinning.linear, surface, moved)
    else:
        twin = ("dual", *skinning._split(rest, posed))
        ours = partial(skinning.dual_quaternions, surface, rest, posed)

    def apart(ours: tuple[Array, Array], theirs: tuple[Array, Array]) -> float:
        return float(max(np.abs(one - other).max() for one, other in zip(ours, theirs, strict=True)))

    def make_numpy() -> Rival:
        """Use the numpy kernels, regardless of the selected engine."""
        work = getattr(load("action_loom.core.skin._numpy"), twin[0])
        return Rival(partial(work, *skinning._arrays(surface), *twin[1:]), apart, NEAR)

    def make_scipy() -> Rival:
        """Blend the bone matrices with one sparse product, then transform each vertex with its blended matrix."""
        shape = (len(surface), len(rest))
        weights = load("scipy.sparse").csr_matrix((surface.weights, surface.bones, surface.first), shape=shape)

        def work() -> tuple[Array, Array]:
            blended = (weights @ rows.reshape(-1, 12)).reshape(-1, 3, 4)
            places = np.einsum("vij,vj->vi", blended[:, :, :3], surface.vertices) + blended[:, :, 3]
            normals = np.einsum("vij,vj->vi", blended[:, :, :3], surface.normals)
            return places, normals / np.linalg.norm(normals, axis=1, keepdims=True)

        return Rival(work, apart, NEAR)

    rivals = {"numpy": make_numpy} | ({"scipy, sparse": make_scipy} if method == "linear" else {})
    return Case(ours, rivals, moved=4.0 * vertices * (4 * 3 + 2 * INFLUENCES))


def make_surface(vertices: int) -> tuple[Skin, Array, Array]:
    """Return a skin around a chain of bones (four influences per vertex), and its rest and posed matrices (B, 4, 4)."""
    jit.kernels("action_loom.core.skin")
    rng = np.random.default_rng(0)
    rest, posed = np.tile(np.eye(4), (JOINTS, 1, 1)), np.tile(np.eye(4), (JOINTS, 1, 1))
    rest[:, 2, 3] = posed[:, 2, 3] = 0.03 * np.arange(JOINTS)
    posed[:, :3, :3] = quat.to_matrix(quat.exp(np.radians(10.0) * rng.normal(size=(JOINTS, 3))))
    near = rng.integers(0, JOINTS - INFLUENCES, vertices)
    places = rng.normal(scale=0.1, size=(vertices, 3)) + np.stack([0 * near, 0 * near, 0.03 * near], axis=1)
    bones = near[:, None] + np.arange(INFLUENCES)
    weights = rng.uniform(0.1, 1.0, (vertices, INFLUENCES))
    normals = rng.normal(size=(vertices, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    first = np.arange(0, INFLUENCES * vertices + 1, INFLUENCES)
    return skin(places, (first, bones.ravel(), weights.ravel()), [], normals), rest, posed


# --- the table ------------------------------------------------------------------------------------------------------

# Description, target and case of each line, by its key.
LINES: dict[str, tuple[str, Target, Callable[[Material], Case]]] = {
    "distance": (
        "pose distances `points`, single frames",
        Target(10.0, {PER_PAIR: 1000.0}),
        partial(compare_points, window=0),
    ),
    "distance-window": (
        "pose distances `points`, 11 frames",
        Target(35.0),
        partial(compare_points, window=WINDOW),
    ),
    "angles": ("pose distances `angles`, single frames", Target(40.0), partial(compare_rotations, metric="angles")),
    "chordal": ("pose distances `chordal`, single frames", Target(15.0), partial(compare_rotations, metric="chordal")),
    "dtw": ("time warping with path, no limit", Target(2.0, {"librosa": 4.0, "tslearn": 4.0}, TURNS_WAIT), warp_freely),
    "dtw-series": (
        "the same with the distances of two series",
        Target(4.0, {"dtaidistance": 4.0, "aeon": 4.0}, "half of it is the matrix, which numpy writes four times"),
        warp_series,
    ),
    "dtw-slope": ("time warping with path, slope limit 3", Target(4.0, {"dtw-python": 8.0}), warp_with_limit),
    "mean": ("weighted mean of rotations, 5 × 1000 × 60", Target(25.0), average_rotations),
    "blend": ("blend of 5 × 1000 × 60, registration known", Target(60.0), blend_clips),
    "loop": ("find a loop in 1000 frames: the whole finder", Target(20.0), find_loop),
    "bvh": ("read a BVH file", Target(8.0), read_bvh),
    "clip": ("read a BVH file as a clip, its conventions found in its motion", Target(20.0), read_clip),
}
for _size, _most in ((20_000, (0.6, 1.2)), (100_000, (3.0, 5.0))):
    for _method, _target in zip(("linear", "dual"), _most, strict=True):
        _name = f"{_size:,} vertices, 60 bones" if _method == "linear" else f"the same by dual quaternions, {_size:,}"
        _case = partial(bend_surface, vertices=_size, method=_method)
        LINES[f"skin-{_method}-{_size // 1000}k"] = (f"skin: {_name}", Target(_target), _case)
LINES |= searches.LINES | engines.LINES
