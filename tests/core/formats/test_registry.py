"""The end of a name selects the format; a new entry in the registry adds a format to the command line."""

import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from action_loom.core.errors import MotionFileError, OptionError
from action_loom.core.formats import motion_file, registry
from action_loom.core.formats.motion_file import Convention, MotionFile
from action_loom.core.formats.registry import Format
from action_loom.core.motion import kinematics
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton
from numpy.testing import assert_allclose
from oracles import console, material

pytestmark = pytest.mark.both_engines

READABLE, WRITABLE = ", ".join(registry.readable()), ", ".join(registry.writable())
BODY = ("parents", "offsets", "orients", "tips")


def toy_compose(clip, like=None, convention=None):
    """Return a clip as JSON in metres, with the layout of `like` and the unit of `convention`."""
    values = {name: getattr(clip.skeleton, name).tolist() for name in BODY}
    values |= {"names": clip.skeleton.names, "rate": clip.rate}
    values |= {"rotations": clip.rotations.tolist(), "translations": clip.translations.tolist()}
    values |= {"like": None if like is None else like.layout, "unit": None if convention is None else convention.unit}
    return json.dumps(values).encode()


def toy_read(path, reading):
    values = json.loads(Path(path).read_bytes())
    body = Skeleton(tuple(values["names"]), *(np.array(values[name]) for name in BODY))
    clip = Clip(Path(path).stem, body, values["rate"], np.array(values["rotations"]), np.array(values["translations"]))
    return MotionFile(
        str(path), clip, Convention("toy", 1.0, "z", False), (True,) * len(body), f"the layout of {reading.unit}"
    )


@pytest.fixture
def toy(monkeypatch):
    """Add two formats for a test: one to read and write, and one to read only."""
    module = ModuleType("action_loom.core.formats.toy")
    module.read_file, module.compose = toy_read, toy_compose
    monkeypatch.setitem(sys.modules, module.__name__, module)
    both = Format(".toy", "Toy", "A toy", "formats.toy:read_file", "formats.toy:compose")
    for row in (both, Format(".seen", "Seen", "A toy that is only read", "formats.toy:read_file")):
        monkeypatch.setitem(registry.FORMATS, row.suffix, row)


@pytest.fixture
def walk():
    return material.walk(1.5)


def assert_same_motion(one, other):
    assert one.rate == other.rate
    assert_allclose(kinematics.points(one), kinematics.points(other), atol=1e-6)


def test_a_format_is_known_by_the_end_of_a_name_in_any_case():
    assert registry.read_by("walk.BVH") is registry.FORMATS[".bvh"]
    assert registry.written_by("a folder.fbx/walk.bvh") is registry.FORMATS[".bvh"]
    assert registry.DEFAULT in registry.writable()
    assert {".bvh", ".amc"} <= set(registry.readable()) >= set(registry.writable())


@pytest.mark.parametrize("name", ["walk", "walk.mov", "walk.bvh.txt", "bvh", ".bvh", "walk.bvh "])
def test_any_other_end_is_refused_by_name(name):
    with pytest.raises(MotionFileError) as unread:
        registry.read_by(name)
    assert str(unread.value) == f"{name}: its name does not end like that of a motion file: {READABLE}"
    with pytest.raises(OptionError) as unwritten:
        registry.written_by(name)
    assert str(unwritten.value) == f"{name} does not end like a motion file that can be written: {WRITABLE}"


def test_a_clip_comes_back_from_a_file_of_its_name(walk, tmp_path):
    path = tmp_path / "walk.bvh"
    path.write_bytes(motion_file.compose(walk, path))
    found = motion_file.read(path)
    assert (found.path, found.clip.name) == (str(path), "walk")
    assert_same_motion(found.clip, walk)


def test_a_file_is_written_like_another_of_its_format(walk, tmp_path):
    inches = tmp_path / "inches.bvh"
    inches.write_bytes(motion_file.compose(walk, inches, None, Convention("inch", 0.0254, "z", False)))
    like = motion_file.read(inches, "inch", "z")
    again = motion_file.compose(walk, "again.bvh", like)
    assert again == inches.read_bytes()
    assert again != motion_file.compose(walk, "again.bvh")


def test_of_another_format_only_the_units_are_taken_over(toy, walk, tmp_path):
    inches = tmp_path / "inches.bvh"
    inches.write_bytes(motion_file.compose(walk, inches, None, Convention("inch", 0.0254, "z", False)))
    like = motion_file.read(inches, "inch", "z")
    written = json.loads(motion_file.compose(walk, "walk.toy", like))
    assert (written["like"], written["unit"]) == (None, "inch")
    own = tmp_path / "own.toy"
    own.write_bytes(motion_file.compose(walk, own))
    written = json.loads(motion_file.compose(walk, "walk.TOY", motion_file.read(own, "cm")))
    assert (written["like"], written["unit"]) == ("the layout of cm", "toy")


def test_what_is_only_read_is_not_written(toy):
    assert registry.read_by("a.seen").label == "Seen"
    with pytest.raises(OptionError) as unwritten:
        registry.written_by("a.seen")
    assert str(unwritten.value).endswith(f"a motion file that can be written: {WRITABLE}, .toy")
    with pytest.raises(MotionFileError) as unread:
        registry.read_by("a.mov")
    assert str(unread.value).endswith(f"of a motion file: {READABLE}, .toy, .seen")


def test_the_command_line_works_with_another_format_as_with_the_first(toy, run, walk, tmp_path):
    slow = material.walk(2.0, stride=0.7, turn=0.2, name="slow")
    for clip in (walk, slow):
        for suffix in (".bvh", ".toy", ".seen"):
            content = motion_file.compose(clip, clip.name + suffix.replace("seen", "toy"))
            (tmp_path / f"{clip.name}{suffix}").write_bytes(content)
    code, printed, err = run("info", tmp_path / "walk.toy")
    assert (code, err) == (0, "")
    assert "up z (asked), unit toy (asked)" in printed
    made = {}
    for one, other, result in ((".bvh", ".bvh", ".bvh"), (".toy", ".bvh", ".toy"), (".seen", ".toy", ".bvh")):
        path, report = tmp_path / f"made{one[1:]}{result}", tmp_path / "r.json"
        clips = (tmp_path / f"walk{one}", tmp_path / f"slow{other}")
        code, _, err = run("blend", *clips, "-o", path, "--report", report, "--force")
        assert (code, err) == (0, "")
        assert console.read_json(report)["inputs"] == [str(clip) for clip in clips]
        made[one] = motion_file.read(path, *(("auto", "auto") if one == ".seen" else ("cm", "y"))).clip
    for other in (".toy", ".seen"):
        assert made[other].rate == made[".bvh"].rate
        assert_allclose(kinematics.points(made[other]), kinematics.points(made[".bvh"]), atol=1e-5)
    assert json.loads((tmp_path / "madetoy.toy").read_bytes())["like"] == "the layout of auto"
    code, _, err = run("blend", tmp_path / "walk.toy", tmp_path / "slow.toy", "-o", tmp_path / "made.seen")
    assert code == 2
    assert f"made.seen does not end like a motion file that can be written: {WRITABLE}, .toy" in err
