"""What is tried: damaged files of all kinds, recipes and jobs, each made again from its kind, seed and number."""

import contextlib
import io
import json
import random
import re
import shutil
import sqlite3
import sys
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

import containers
import damage
import limits
import numpy as np
import plain_amc
import plain_bvh
from action_loom.core import verbs
from action_loom.core.cli import jobfile
from action_loom.core.cli import main as command_line
from action_loom.core.cli.common import read_value
from action_loom.core.cli.motion_files import MotionFiles
from action_loom.core.demo_character import actions
from action_loom.core.errors import LoomError
from action_loom.core.formats import amc_text, asf, bvh, motion_file, obj
from action_loom.core.graph import storage
from action_loom.core.graph.motion_graph import MotionGraph
from action_loom.core.library import basis, feature, index, search, similar
from action_loom.core.library import storage as library_storage
from action_loom.core.library import text as library_text
from action_loom.core.motion.clip import Clip
from action_loom.core.options import Option, declared_options
from action_loom.core.points import orders, solve
from action_loom.core.points import read as read_points
from action_loom.core.recipes.base import Recipe
from action_loom.core.recipes.points import FromPoints
from action_loom.core.recipes.style import StyleOptions
from action_loom.core.style import fit, labels
from action_loom.core.style import storage as styles
from action_loom.core.verbs import Ask, BuildGraph, Follow, Restyle, Synchronise, Walk
from action_loom.core.verbs.follow import work as follow
from damage import Wrong
from oracles import points_files, trials


def run(kind: str, seed: int, number: int, folder: Path) -> str:
    """Run one case and return its outcome, "fine" or "refused"; errors other than LoomError propagate."""
    rng = random.Random(f"{kind} {seed} {number}")
    try:
        KINDS[kind](rng, folder)
    except LoomError as error:
        if "\n" in str(error) or len(str(error)) > 1200:
            raise Wrong(f"a message of {len(str(error))} letters: {str(error)[:80]!r}") from None
        return "refused"
    return "fine"


# --- motion files ---------------------------------------------------------------------------------------------------


@cache
def _figures() -> tuple[bytes, ...]:
    """Small files that are whole: bodies of a few joints up to the demo's figure."""
    from action_loom.core.formats import bvh_text

    clips = [actions.walk(30.0, 2).take_frames(np.arange(12)), actions.turn_left(30.0).take_frames(np.arange(5))]
    texts = [bvh_text.compose(bvh.from_clip(clip)).encode() for clip in clips]
    texts.append(
        b"HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n"
        b" CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
        b" JOINT Chest\n {\n  OFFSET 0 50 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n"
        b"  End Site\n  {\n   OFFSET 0 9 0\n  }\n"
        b" }\n}\nMOTION\nFrames: 2\nFrame Time: 0.0333333\n0 90 0 0 0 0 10 0 0\n1 91 0 5 0 0 11 0 -3.5e-1\n"
    )
    return tuple(texts)


def _files(rng: random.Random, folder: Path) -> None:
    data = damage.mutate_bytes(rng.choice(_figures()), rng)
    path = folder / "case.bvh"
    path.write_bytes(data)
    read = bvh.read(path)
    _compare(read, data)
    clip = motion_file.read(path).clip
    again = bvh.from_clip(clip)
    if not np.isfinite(again.values).all():
        raise Wrong("what is written is not a number")
    if rng.random() < 0.1:
        verbs.apply(Synchronise(), [clip, actions.walk(30.0, 2)])


def _compare(read: bvh.BvhMotion, data: bytes) -> None:
    """Raise Wrong if another reader reads the accepted file differently."""
    try:
        other = plain_bvh.read(data)
    except (plain_bvh.NotBvhError, ValueError, IndexError) as error:
        raise Wrong(f"accepted, but another reader says {error}") from None
    if list(read.parents) != other["parents"] or not np.array_equal(read.offsets, np.array(other["offsets"])):
        raise Wrong("another reader reads another hierarchy")
    if [len(one) for one in read.channels] != [len(one) for one in other["channels"]]:
        raise Wrong("another reader reads other channels")
    if float(read.frame_time) != other["frame_time"] or not np.array_equal(read.values, np.array(other["rows"])):
        raise Wrong("another reader reads other values")


# --- takes: a motion and its skeleton -------------------------------------------------------------------------------

_SKELETON = (
    b"# two bones\n:version 1.10\n:units\n  mass 1.0\n  length 0.45\n  angle deg\n:documentation\n  any, (words)\n"
    b":root\n  order TX TY TZ RX RY RZ\n  axis XYZ\n  position 0 0 0\n  orientation 0 0 0\n:bonedata\n"
    b"  begin\n    id 1\n    name Hips\n    direction 0 1 0\n    length 10\n    axis 0 0 90 XYZ\n   dof rx ry rz\n"
    b"   limits (-160.0 20.0)\n          (-inf inf)\n          (-60.0 70.0)\n  end\n"
    b"  begin\n    id 2\n    name Chest\n    direction 0.6 0.8 0\n    length 5\n    axis 0 0 0 XYZ\n   dof rz\n  end\n"
    b":hierarchy\n  begin\n    root Hips\n    Hips Chest\n  end\n"
)
_TAKE = b"#!OML:ASF two.asf\n:FULLY-SPECIFIED\n:DEGREES\n" + b"".join(
    b"%d\nroot 1 %d 3.5e-1 0 90 0\nHips 90 %d 0\nChest -.5\n" % (k, k, 7 * k) for k in range(1, 5)
)


def _takes(rng: random.Random, folder: Path) -> None:
    contents = {"case.asf": _SKELETON, "case.amc": _TAKE}
    for name in rng.choice((["case.asf"], ["case.amc"], ["case.amc"], list(contents))):
        contents[name] = damage.mutate_bytes(contents[name], rng)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    clip = motion_file.read(folder / "case.amc").clip
    if not np.isfinite(bvh.from_clip(clip).values).all():
        raise Wrong("what is written is not a number")
    body = asf.read(folder / "case.asf")
    values = amc_text.parse(folder / "case.amc", contents["case.amc"].removeprefix(b"\xef\xbb\xbf"), body).values
    try:
        bones = plain_amc.skeleton(contents["case.asf"])
        frames = plain_amc.frames(contents["case.amc"], bones)
    except (plain_amc.NotAmcError, ValueError, IndexError, KeyError) as error:
        raise Wrong(f"accepted, but another reader says {error!r}") from None
    parents = [body.names[parent] if parent >= 0 else "" for parent in body.parents]
    if set(bones) != set(body.names) or parents != [bones[name]["parent"] for name in body.names]:
        raise Wrong("another reader reads another hierarchy")
    if not np.array_equal(body.bones, [bones[name]["end"] for name in body.names]):
        raise Wrong("another reader reads other bones")
    rows = [[value for name in body.names for value in frame.get(name, [])] for frame in frames]
    if not np.array_equal(values, rows):
        raise Wrong("another reader reads other values")


# --- graphs and styles -----------------------------------------------------------------------------------------------


@cache
def _graph() -> tuple[bytes, dict[str, np.ndarray]]:
    return _with_arrays(
        storage.compose(
            verbs.apply(BuildGraph(mirror=False), [actions.walk(30.0, 3), actions.turn_left(30.0), actions.wave(30.0)])
        )
    )


@cache
def _style() -> tuple[bytes, dict[str, np.ndarray]]:
    return _with_arrays(styles.compose(fit.fit(_people(), StyleOptions(mirror=False))))


def _people() -> list[Clip]:
    return [actions.walk(30.0, 5), actions.sneak(30.0, 5)]


def _with_arrays(content: bytes) -> tuple[bytes, dict[str, np.ndarray]]:
    with np.load(io.BytesIO(content)) as arrays:
        return content, dict(arrays)


def _graphs(rng: random.Random, folder: Path) -> None:
    path = folder / "case.npz"
    path.write_bytes(damage.damage_archive(rng, *_graph(), "about"))
    graph = storage.load(path)
    made = verbs.apply(Walk(seconds=rng.choice((0.1, 3.0)), seed=rng.randrange(9)), [], prepared=graph)
    if not np.isfinite(made.clip.rotations).all():
        raise Wrong("the walk is not of numbers")


def _styles(rng: random.Random, folder: Path) -> None:
    """A damaged style is refused, or walks that it makes consist of numbers, and its file is read as it was."""
    path = folder / "case.style"
    path.write_bytes(damage.damage_archive(rng, *_style(), "text"))
    style = styles.load(path)
    again = styles.read(styles.compose(style), "again")
    if not np.array_equal(again.material.rows, style.material.rows.astype(np.float32)) or again.name != style.name:
        raise Wrong("what is written is another style")
    asked = rng.choice((Ask(speed=1.0), Ask(), Restyle(variation=rng.randrange(9))))
    made = verbs.apply(asked, [] if isinstance(asked, Ask) else [actions.walk(30.0, 2)], prepared=style)
    if not (np.isfinite(made.clip.rotations).all() and np.isfinite(made.clip.translations).all()):
        raise Wrong("the motion is not of numbers")


# --- tables of numbers and of labels --------------------------------------------------------------------------------

_TABLES = (
    b"x,y\n0,0\n0,3.5\n-2,5e0\n",
    b"# seconds, metres\n0 0 1.2\n1.5\t1 0\n\n2.5;0;0\n",
    b"\xef\xbb\xbf0,1,2,3\r\n4,5,6,7\r\n",
    b'{"path": [[0, 0], [0, 3]], "wishes": [[0, 0, 1]]}',
    b'clip,person,mood\nwalk,Ann,"calm, slow"\nsneak.bvh,Bob,sly\n',
)


def _tables(rng: random.Random, folder: Path) -> None:
    """A damaged table is refused, or its numbers are those that another reader finds."""
    data = damage.mutate_bytes(rng.choice(_TABLES), rng)
    path = folder / f"case.{'json' if data[:1] == b'{' and rng.random() < 0.8 else 'csv'}"
    path.write_bytes(data)
    about = rng.choice([one for row in verbs.VERBS.values() for one in _from_files(row.recipe)])
    if about.kind is str:
        labels.of_clips(read_value(about, str(path)), ["walk", "sneak"])
        index.read_labels(str(path))
        return
    read = read_value(about, str(path))
    lines = (re.findall(r"[^\s,;]+", line.split("#")[0]) for line in data.decode("utf-8-sig").splitlines())
    plain = [words for words in lines if words][-len(read) :]  # without a header
    if path.suffix == ".csv" and list(read) != [tuple(map(float, words)) for words in plain]:
        raise Wrong("another reader reads other rows")


def _from_files(recipe: type[Recipe]) -> list[Option]:
    return [one for one in declared_options(recipe).values() if one.from_file]


# --- recipes and job files ------------------------------------------------------------------------------------------


def _value(rng: random.Random) -> object:
    return rng.choice((
        None, True, -1, 0, 1, 2**70, 10**400, 0.5, -0.5, 1e308, float("nan"), float("inf"), "", "2", "²",
        "auto", "a\x00b", "x" * 5000, [], [1], [1, 2], [[99, 99, 99]], {}, {"a": 1}, [[[]]], ["a"], rng.random(),
        rng.randrange(9), *trials.values(),
    ))  # fmt: skip


def _recipes(rng: random.Random, _folder: Path) -> None:
    recipe = rng.choice([row.recipe for row in verbs.VERBS.values()])
    names = [*declared_options(recipe), "verb", "nothing"]
    values: dict[str, object] = {"verb": recipe.verb}
    values |= {rng.choice(names): _value(rng) for _ in range(rng.randrange(4))}
    text = json.dumps(values)
    if rng.random() < 0.2:
        text = damage.mutate_bytes(text.encode(), rng).decode("latin-1")
    if rng.random() < 0.02:
        text = "[" * 100_000
    made = verbs.from_json(text)
    clips = [actions.walk(30.0, 2), actions.turn_left(30.0)][: made.most or 2]
    if rng.random() < 0.2 and getattr(made, "repeat", 1) < 10 and getattr(made, "seconds", 0.0) < 60.0:
        result = verbs.apply(made, clips)
        if verbs.VERBS[made.verb].makes == "clip" and not np.isfinite(result.clip.rotations).all():
            raise Wrong("the result is not of numbers")


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + "}"
    return str(value).replace("None", '""')


def _jobs(rng: random.Random, folder: Path) -> None:
    (folder / "walk.bvh").write_bytes(_figures()[0])
    recipe = rng.choice([row.recipe for row in verbs.VERBS.values()])
    keys = [
        *declared_options(recipe),
        "clips",
        "output",
        "each",
        "name",
        "units",
        "report",
        "picture",
        "graph",
        "folder",
        "engine",
        "force",
    ]
    lines = [f"{rng.choice(keys)} = {_toml(_value(rng))}" for _ in range(rng.randrange(2))]
    lines += [
        "[[job]]",
        f'verb = "{recipe.verb}"',
        'clips = ["walk.bvh", "walk.bvh"]',
        f'output = "{rng.randrange(10**9)}.bvh"',
    ]
    lines += [f"{rng.choice(keys)} = {_toml(_value(rng))}" for _ in range(rng.randrange(4))]
    data = "\n".join(lines).encode("utf-8", errors="surrogatepass")
    if rng.random() < 0.3:
        data = damage.mutate_bytes(data, rng)
    (folder / "case.toml").write_bytes(data)
    jobfile.read(MotionFiles(), str(folder / "case.toml"), {})


# --- meshes and weights ---------------------------------------------------------------------------------------------

_MESH = (
    b"mtllib a.mtl\no box\nv 10 95 -5\nv -10 95 -5\nv -10 95 5\nv 10 95 5\nv 9 145 0 1 0 0\nvt 0 0.5\nvn 0 1 0\n"
    b"vn 0 0 1\nusemtl a\ns off\nf 1/1/1 2/1/1 3/1/1 4/1/1\nf -5//2 -4//2 -1//2\nf 2 3 \\\n  5\nl 1 5\n"
)
_WEIGHTS = (
    b"# weights\n1 Hips 1\n2 Hips 0.5\n2 Chest 0.5\n3,0,1\n4\t1\t0.25\n5 Chest 1e0\n",
    b"1 0\n0.5 0.5\n1 0\n0 0.25\n0 1\n",
)


def _meshes(rng: random.Random, folder: Path) -> None:
    matrix = rng.random() < 0.3
    contents = {"walk.bvh": _figures()[2], "case.obj": _MESH, "case.txt": _WEIGHTS[matrix]}
    damaged = rng.choice(("case.obj", "case.txt"))
    contents[damaged] = damage.mutate_bytes(contents[damaged], rng)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    flags = ["--matrix"] * matrix + ["--normals", rng.choice(("moved", "faces")), "--frames", "1", "--quiet", "--force"]
    flags += ["--method", rng.choice(("linear", "dual-quaternions")), "-o", str(folder / "made.obj")]
    options = command_line.parser(MotionFiles()).parse_args(
        ["skin", *(str(folder / name) for name in contents), *flags]
    )
    options.run(MotionFiles(), options)
    before, after = obj.read(folder / "case.obj"), obj.read(folder / "made.obj")
    if after.vertices.shape != before.vertices.shape or after.corners.tolist() != before.corners.tolist():
        raise Wrong("what is written is another mesh")


# --- edited paths -----------------------------------------------------------------------------------------------------


@cache
def _gaits() -> tuple[MotionGraph, tuple[Clip, ...]]:
    """A small graph, and actions for stretches."""
    graph = verbs.apply(BuildGraph(), [actions.walk(30.0, 4), actions.turn_left(30.0)])
    return graph, (actions.wave(30.0), actions.carry(30.0))


def _paths(rng: random.Random, _folder: Path) -> None:
    """Follow a strange path, change its end, and follow it again: the frames before the change must stay the same."""
    graph, clips = _gaits()
    made = follow.follow(clips, _follow(rng), graph=graph)
    changed = [list(row) for row in made.recipe.path]
    changed[-1] = [value + rng.gauss(0.0, 0.5) for value in changed[-1]]
    more = tuple(tuple(row) for row in (*changed, [changed[-1][0] + rng.gauss(0.0, 2.0), changed[-1][1] - 2.0]))
    again = follow.again(made, clips, replace(made.recipe, path=more))
    kept = again.report["follow"]["kept_frames"]
    if not (again.plain.rotations[:kept] == made.plain.rotations[:kept]).all():
        raise Wrong("frames before the change are others")
    if not (np.isfinite(again.clip.rotations).all() and np.isfinite(again.clip.translations).all()):
        raise Wrong("the result is not of numbers")


def _follow(rng: random.Random) -> Follow:
    step = rng.choice((0.1, 1.0, 1.0, 3.0))
    path, place = [], [0.0, 0.0, 0.0]
    for _ in range(rng.randrange(2, 6)):
        path.append(tuple(place[: rng.choice((2, 3, 3))]))
        place = [place[0] + rng.gauss(0.0, 0.3 * step), place[1] - step, place[2] + rng.gauss(0.0, 0.1)]
    numbers = rng.choice(((1,), (2,), (1, 2), (3,)))
    stretch = (rng.choice((0.0, 0.2, rng.random())), rng.choice((1.0, 0.9, rng.random())), *numbers)
    words = (
        "method=heck", "posture=1", "retime=yes", "splice_threshold=0.3", "upper=spine", "upper='", "action_graph=yes",
        "action_threshold=0.4", "splice_interval=0.05", "x=1", "strength=2", ";",
    )  # fmt: skip
    return Follow(
        path=tuple(path),
        climbing=rng.random() < 0.3,
        follows=rng.choice(("hips", "mass")),
        closed=rng.random() < 0.1,
        stretches=(stretch,) if rng.random() < 0.5 else (),
        stretch_options=" ".join(rng.sample(words, rng.randrange(3))),
    )


# --- libraries of clips ---------------------------------------------------------------------------------------------


@cache
def _library() -> dict[str, bytes]:
    """Return the files of a small library by name; the listed clips no longer exist."""
    with tempfile.TemporaryDirectory() as folder:
        for clip in (actions.walk(30.0, 2), actions.turn_left(30.0), actions.wave(30.0)):
            bvh.write(bvh.from_clip(clip), Path(folder) / f"{clip.name}.bvh")
        index.update(f"{folder}/a.loomlib", [folder])
        return {path.name: path.read_bytes() for path in sorted(Path(folder, "a.loomlib").iterdir())}


def _libraries(rng: random.Random, folder: Path) -> None:
    """A damaged library is refused, or its search finds only frames of the listed clips."""
    place = folder / "case.loomlib"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    contents = dict(_library())
    damaged = rng.choice(sorted(contents))
    if rng.random() < 0.6:
        data = bytearray(contents[damaged])
        for _ in range(rng.choice((1, 1, 4, 50))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        contents[damaged] = bytes(data[: rng.choice((len(data), len(data), rng.randrange(len(data))))])
    for name, data in contents.items():
        (place / name).write_bytes(data)
    if rng.random() < 0.5:
        _change_table(rng, place)
    (folder / "empty").mkdir(exist_ok=True)
    bvh.write(bvh.from_clip(actions.wave(30.0)), folder / "empty" / "wave.bvh")
    work = rng.randrange(3)
    if work == 0:
        index.update(str(place), [str(folder / "empty")])
    library = library_storage.read(place)
    words = " ".join(
        rng.choice((*damage.STRANGE_NAMES, "walk", "-wave", '"turn left"', "-")) for _ in range(rng.randrange(3))
    )
    clips = tuple(filter(library_text.matching_words(words), library.clips)) if words else library.clips
    if work == 1:
        similar.similar(library, least=rng.choice((0, 2, 10)), farthest=rng.choice((0.08, 0.0, 1e9)))
        return
    query = basis.shorten_rows(feature.rows(actions.walk(30.0)))[: rng.choice((2, 5, 30, 60))]
    found = search.search(search.Searched(library, clips), query, part=rng.choice(("whole", "legs", "arms")))
    for one in found:
        if not (
            one.entry in clips and 0 <= one.first <= one.last < one.entry.rows and 0 <= one.frames[0] <= one.frames[1]
        ):
            raise Wrong(f"found rows {one.first} to {one.last} of {one.entry.rows}")


def _change_table(rng: random.Random, place: Path) -> None:
    """Put a strange value into the table of clips, where it can still be read."""
    column = rng.choice(("path", "size", "digest", "rate", "frames", "first", "rows", "kept", "label", "trouble"))
    value = rng.choice((None, -1, 0, 1, 2**62, 1e300, float("inf"), "", "x", b"\x00", "9" * 400))
    statement = rng.choice(
        (
            "UPDATE about SET rows = ?",
            "UPDATE about SET file = ?",
            f"UPDATE clips SET {column} = ?",
            f"UPDATE clips SET {column} = ? WHERE first > 0",
        )
    )
    with (
        contextlib.suppress(sqlite3.Error, UnicodeDecodeError),
        contextlib.closing(sqlite3.connect(place / library_storage.TABLE)) as table,
    ):
        table.execute(statement, (value,))
        table.commit()


# --- points ---------------------------------------------------------------------------------------------------------


@cache
def _point_files() -> tuple[tuple[str, bytes], ...]:
    """Small whole files of points in each format, by their suffix."""
    values = np.random.default_rng(1).uniform(-1.0, 1.0, (12, len(orders.ORDERS["coco"]), 3)).round(3)
    return tuple((f".{kind}", write(values, orders.ORDERS["coco"])) for kind, write in points_files.FORMATS.items())


def _points(rng: random.Random, folder: Path) -> None:
    """Read a damaged file of points, and solve the people in it."""
    suffix, content = rng.choice(_point_files())
    path = folder / f"points{suffix}"
    path.write_bytes(damage.mutate_bytes(content, rng) if rng.random() < 0.9 else content)
    order = "auto" if suffix in (".json", ".csv", ".trc", ".c3d") else "coco"
    for one in read_points.people(path, order):
        if not (one.positions.ndim == 3 and (np.isfinite(one.positions) | np.isnan(one.positions)).all()):
            raise Wrong("points are not numbers")
        solve.solve(one, FromPoints(), "points")


KINDS = {
    "points": _points,
    "files": _files,
    "takes": _takes,
    "graphs": _graphs,
    "styles": _styles,
    "tables": _tables,
    "recipes": _recipes,
    "jobs": _jobs,
    "meshes": _meshes,
    "paths": _paths,
    "libraries": _libraries,
    **containers.KINDS,
    **limits.KINDS,
}
