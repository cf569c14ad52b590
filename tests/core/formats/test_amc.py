"""ASF and AMC files as clips: two bones by hand, captured takes against another library and against conversions."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from action_loom.core.errors import MotionFileError, OptionError
from action_loom.core.formats import amc_text, asf, motion_file
from action_loom.core.formats.conventions import settling
from action_loom.core.motion import kinematics, quat
from action_loom.core.motion.clip import Clip
from numpy.testing import assert_allclose, assert_array_equal
from oracles import acclaim, engines, material
from oracles.acclaim import AMC, ASF
from oracles.kept_aside import AMC_KEPT_ASIDE, KEPT_ASIDE
from scipy.spatial.transform import Rotation

INCH = 0.0254
CMU = INCH / 0.45
CONVERTED = ("127_04", "16_08", "16_11", "16_15", "16_17", "16_19", "16_41")  # as BVH files of another program, too


# Takes kept out of tuning, and a third of all takes.
SOME_TAKES = [path for k, path in enumerate(acclaim.captured()) if k % 3 == 0 or path.stem in AMC_KEPT_ASIDE]


def in_file(clip, convention):
    """A clip's joints, then tips, in the file's own unit and axes (Y up)."""
    x, y, z = np.moveaxis(kinematics.points(clip), -1, 0) / convention.metres
    return np.stack([x, z, -y], axis=-1)


def read(folder, text=ASF, motion=AMC, **how):
    return motion_file.read(acclaim.write(folder, text, motion), "cmu", "y", **how)


# --- two bones by hand ----------------------------------------------------------------------------------------------


@pytest.mark.both_engines
def test_two_bones_stand_where_they_are_worked_out_by_hand(tmp_path):
    found = read(tmp_path)
    clip = found.clip
    assert clip.skeleton.names == ("root", "upper", "lower")
    assert_array_equal(clip.skeleton.parents, [-1, 0, 1])
    assert (clip.name, clip.rate, len(clip)) == ("two", 120.0, 3)
    assert found.turned == (True, True, True)
    root, upper, lower, tip = np.moveaxis(in_file(clip, found.convention), 1, 0)
    assert_allclose(root, [[1, 2, 3], [1, 2, 3], [1, 2.5, 3]], atol=1e-9)
    assert_allclose(upper, root, atol=1e-9)
    # Frame 2: the upper bone's own x is the file's y (its axis is turned 90 degrees about z), along which it points, so
    # it stays; the lower one is turned with it about y, after its own quarter turn about z. Frame 3: about z, and all
    # about y with the root.
    assert_allclose(lower - upper, [[0, 10, 0], [0, 10, 0], [0, 0, 10]], atol=1e-9)
    lean = np.radians(-0.45)
    bone = 5.0 * np.array([0.6 * np.cos(lean) - 0.8 * np.sin(lean), 0.6 * np.sin(lean) + 0.8 * np.cos(lean), 0.0])
    assert_allclose((tip - lower)[:2], [[3, 4, 0], [0, 3, 4]], atol=1e-9)
    assert_allclose((tip - lower)[2], [0.0, bone[0], bone[1]], atol=1e-9)


@pytest.mark.both_engines
@pytest.mark.parametrize("order", ["".join(order) for order in itertools.permutations("xyz")])
def test_every_order_of_turns_and_of_axes_is_understood(order, tmp_path):
    """The first axis of the order turns first, and axes are fixed: small letters in scipy."""
    text = ASF.replace("TX TY TZ RX RY RZ", " ".join(f"R{one.upper()}" for one in order) + " TZ TX TY")
    text = text.replace("axis 0 0 90  XYZ", f"axis 10 20 30 {order.upper()}")
    text = text.replace("dof rx ry rz", "DOF " + " ".join(f"r{one}" for one in order))
    motion = "7\nlower 12\nroot 40 50 60 3 1 2\nupper 15 25 35\n"
    found = read(tmp_path, text, motion)
    frame = Rotation.from_euler(order, [[10, 20, 30]["xyz".index(one)] for one in order], degrees=True)
    root = Rotation.from_euler(order, [40, 50, 60], degrees=True)
    upper = root * frame * Rotation.from_euler(order, [15, 25, 35], degrees=True) * frame.inv()
    lower = upper * Rotation.from_euler("z", 12, degrees=True)
    elbow = np.array([1, 2, 3]) + upper.apply([0, 10, 0])
    expected = [[1, 2, 3], [1, 2, 3], elbow, elbow + lower.apply([3, 4, 0])]
    assert_allclose(in_file(found.clip, found.convention)[0], expected, atol=1e-9)


@pytest.mark.both_engines
def test_angles_are_in_the_unit_that_is_said(tmp_path):
    degrees = in_file(read(tmp_path).clip, read(tmp_path).convention)
    radians = AMC.replace(":DEGREES", ":RADIANS")
    for value in ("90 0 0", "lower 90", "0 90 0", "9e1", "-4.5e-1"):
        number = next(word for word in value.split() if word not in ("0", "lower"))
        radians = radians.replace(value, value.replace(number, repr(float(np.radians(float(number))))))
    found = read(tmp_path, ASF, radians)
    assert_allclose(in_file(found.clip, found.convention), degrees, atol=1e-9)
    # The skeleton's own angles are in its unit; so are the motion's, unless the motion declares another.
    text = ASF.replace("angle deg", "angle rad").replace("axis 0 0 90", f"axis 0 0 {np.pi / 2}")
    for motion in (radians, radians.replace(":RADIANS\n", ""), AMC):
        found = read(tmp_path, text, motion)
        assert_allclose(in_file(found.clip, found.convention), degrees, atol=1e-9)


@pytest.mark.both_engines
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n", "\r\n"),
        (" ", "\t"),
        ("\nupper", "\n  upper"),
        ("2\nroot", "\n2\n\nroot"),
        ("1\nroot 1 2 3 0 0 0\nupper 0 0 0", "1\nupper 0 0 0\nroot 1 2 3 0 0 0"),  # the first frame in another order
        ("3\nroot 1 2.5 3 0 90 0\nupper 0 0 9e1", "3\nupper 0 0 90\nroot 1 2.5 3 0 90 0"),
        ("lower 0\n", "lower 0 # at rest\n# and on\n"),
        ("-4.5e-1\n", "-.45"),
        (":DEGREES", ":degrees"),
        (":FULLY-SPECIFIED\n", ""),
        ("#!OML:ASF two.asf\n", "\ufeff"),
    ],
)
def test_spaces_line_ends_comments_and_the_order_of_bones_do_not_matter(old, new, tmp_path):
    assert old in AMC
    expected = read(tmp_path).clip
    found = read(tmp_path, ASF, AMC.replace(old, new)).clip
    assert_array_equal(found.rotations, expected.rotations)
    assert_array_equal(found.translations, expected.translations)


@pytest.mark.both_engines
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n", "\r\n"),
        (" ", "\t"),
        ("TX TY TZ RX RY RZ", "tx ty tz rx ry rz"),
        ("angle deg", "angle degrees"),
        ("direction 0 1 0", "direction 0, 1, 0"),
        ("direction 0.6 0.8 0", "direction (0.6 0.8 0)"),
        ("begin what", ":skin skin.obj\n:other\n begin"),
        ("# two bones", "\ufeff"),
        ("     id 1\n", "     bodymass 3\n"),
        ("root upper\n", "root upper # and no more\n"),
        ("   position 0 0 0\n   orientation 0 0 0\n", ""),
    ],
)
def test_a_skeleton_is_read_however_it_is_set_out(old, new, tmp_path):
    assert old in ASF
    expected = asf.read(acclaim.write(tmp_path).with_suffix(".asf"))
    found = asf.read(acclaim.write(tmp_path, ASF.replace(old, new)).with_suffix(".asf"))
    assert (found.names, found.freedom, found.length) == (expected.names, expected.freedom, expected.length)
    assert_array_equal(found.bones, expected.bones)
    assert_array_equal(found.axes, expected.axes)


@pytest.mark.both_engines
def test_a_turned_root_is_a_turned_clip(tmp_path):
    """A quarter turn of the root about the vertical, and of its place: the clip turned about the vertical."""
    found = read(tmp_path, ASF, "1\nroot 1 2 3 0 20 0\nupper 10 20 30\nlower 5\n").clip
    turned = read(tmp_path, ASF, "1\nroot 3 2 -1 0 110 0\nupper 10 20 30\nlower 5\n").clip
    quarter = quat.about_axis("Z", np.array(0.5 * np.pi))
    assert_allclose(kinematics.points(turned), quat.rotate(quarter, kinematics.points(found)), atol=1e-12)
    assert_array_equal(turned.rotations[:, 1:], found.rotations[:, 1:])


# --- units, axes, rate ----------------------------------------------------------------------------------------------


def scaled(text, lengths, unit):
    """Return the text of the small skeleton with its lengths times a factor and another unit."""
    text = text.replace("length 10", f"length {10 * lengths}").replace("length 5", f"length {5 * lengths}")
    return text.replace("length 0.45", unit)


@pytest.mark.parametrize(
    ("unit", "name", "metres"),
    [
        ("length 0.45", "cmu", CMU),
        ("length 1.0", "inch", INCH),
        ("length 2.54", "cm", 0.01),
        ("length 0.0254", "m", 1.0),
        ("length 3", f"{INCH / 3:.6g}", INCH / 3),
    ],
)
def test_the_length_is_how_many_units_make_an_inch(unit, name, metres, tmp_path):
    found = motion_file.read(acclaim.write(tmp_path, scaled(ASF, 1, unit)))
    assert found.convention.unit == name
    assert found.convention.metres == pytest.approx(metres, rel=1e-12)
    assert_allclose(found.clip.skeleton.offsets[2], [0.0, 0.0, 10 * metres], atol=1e-12)


def test_a_skeleton_without_a_length_is_read_as_bvh_files_are(tmp_path):
    for lengths, name in ((10.0, "cm"), (0.1, "cm")):  # without legs nothing shows the size
        found = motion_file.read(acclaim.write(tmp_path, scaled(ASF, lengths, "mass 2")))
        assert (found.convention.unit, found.convention.guessed) == (name, True)
        assert found.doubts[1] == "two: it has no legs that show its size, so centimetres were taken (option units)"


def test_what_is_asked_for_comes_before_what_the_file_says(tmp_path):
    found = motion_file.read(acclaim.write(tmp_path), "0.5", "z")
    assert (found.convention.metres, found.convention.up, found.convention.guessed) == (0.5, "z", False)
    assert_allclose(found.clip.skeleton.offsets[2], [0.0, 5.0, 0.0])
    for how in (("parsec", "y"), ("m", "w")):
        with pytest.raises(OptionError):
            motion_file.read(tmp_path / "two.amc", *how)


@pytest.mark.shared
def test_a_length_that_makes_a_person_a_giant_is_believed(tmp_path):
    text = (acclaim.FOLDER / "16.asf").read_text().replace("length 0.45", "length 0.001")
    found = motion_file.read(acclaim.write(tmp_path, text, (acclaim.FOLDER / "16_41.amc").read_bytes(), "16"))
    assert (found.convention.unit, found.convention.guessed) == ("25.4", True)
    assert found.clip.skeleton.height > 700.0


def test_the_frame_rate_is_asked_for_or_said_or_120_which_is_noted(tmp_path):
    found = read(tmp_path)
    assert found.clip.rate == 120.0
    assert found.notes == ("AMC files have no frame rate: 120 was taken (option file_rate)",)
    asked = read(tmp_path, rate=59.94)
    assert (asked.clip.rate, asked.notes) == (59.94, ())
    message = AMC.replace(":DEGREES", ":DEGREES\n:SAMPLES-PER-SECOND 30")
    assert (read(tmp_path, ASF, message).clip.rate, read(tmp_path, ASF, message).notes) == (30.0, ())
    assert read(tmp_path, ASF, message, rate=60.0).clip.rate == 60.0


# --- the skeleton beside --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("motion", "beside", "taken"),
    [
        ("09_01.amc", ["09.asf", "16.asf"], "09.asf"),
        ("09_01.amc", ["09.asf", "09_01.asf"], "09_01.asf"),
        ("HDM_bd_01-01_01_120.amc", ["HDM_bd.asf", "HDM_dg.asf"], "HDM_bd.asf"),
        ("Walk.AMC", ["walk.ASF", "other.asf"], "walk.ASF"),
        ("walk.amc", ["someone.asf", "notes.txt"], "someone.asf"),
        ("_1.amc", ["only.asf"], "only.asf"),
    ],
)
def test_the_skeleton_is_the_file_beside_that_is_called_like_it(motion, beside, taken, tmp_path):
    for name in beside:
        (tmp_path / name).write_text(ASF)
    (tmp_path / motion).write_text(AMC)
    assert motion_file.read(tmp_path / motion).skeleton == str(tmp_path / taken)
    assert motion_file.skeleton_of(tmp_path / motion) == str(tmp_path / taken)


@pytest.mark.parametrize(
    ("beside", "problem"),
    [
        ([], "there is no .asf file beside it"),
        (["a.asf", "b.asf"], "none of the 2 .asf files beside it is called like it"),
    ],
)
def test_where_none_is_found_it_says_what_to_do(beside, problem, tmp_path):
    for name in beside:
        (tmp_path / name).write_text(ASF)
    (tmp_path / "walk.amc").write_text(AMC)
    with pytest.raises(MotionFileError) as caught:
        motion_file.read(tmp_path / "walk.amc")
    where = tmp_path / "walk.amc"
    assert str(caught.value) == f"{where}: {problem}: put its skeleton there, or name it (option skeleton)"


def test_the_skeleton_that_is_named_is_taken(tmp_path):
    acclaim.write(tmp_path, ASF.replace("length 10", "wrong"))
    other = tmp_path / "elsewhere.skeleton"
    other.write_text(ASF)
    assert read_named(tmp_path, other).skeleton == str(other)
    with pytest.raises(MotionFileError, match=r"absent\.asf: can't be read \(No such file"):
        read_named(tmp_path, tmp_path / "absent.asf")
    assert motion_file.skeleton_of("walk.bvh", "any.asf") is None


def read_named(folder, skeleton):
    return motion_file.read(folder / "two.amc", skeleton=str(skeleton))


def test_a_skeleton_is_no_clip(tmp_path):
    path = acclaim.write(tmp_path).with_suffix(".ASF")
    with pytest.raises(MotionFileError) as caught:
        motion_file.read(path)
    assert str(caught.value) == f"{path}: this is a skeleton without motion: name the .amc file instead"


# --- captured takes -------------------------------------------------------------------------------------------------


@pytest.mark.shared
def test_what_is_kept_aside_is_a_third_and_no_recording_that_is_tuned_on():
    takes = {path.stem for path in acclaim.captured()}
    assert takes > AMC_KEPT_ASIDE
    assert round(len(takes) / 3) == len(AMC_KEPT_ASIDE)
    other = {re.sub(r"^cmu_[a-z]+_", "", path.stem): path.stem for path in material.captured_files("cmu")}
    assert not [take for take in AMC_KEPT_ASIDE & set(other) if other[take].removeprefix("cmu_") not in KEPT_ASIDE]


@pytest.mark.shared
@pytest.mark.parametrize("path", SOME_TAKES, ids=lambda path: path.stem)
def test_the_bones_of_a_captured_take_end_where_another_library_says(path):
    """The ends of bones agree to 1e-9 of the body's height in every frame; no constant was tuned on these files."""
    found = motion_file.read(path)
    assert (found.convention.unit, found.convention.up, found.clip.rate) == ("cmu", "y", 120.0)
    expected = acclaim.points(path.with_name(path.stem.split("_")[0] + ".asf"), path)
    skeleton, ends = found.clip.skeleton, in_file(found.clip, found.convention)
    height = skeleton.height / found.convention.metres
    tips = dict(zip(skeleton.tipped.tolist(), range(len(skeleton), ends.shape[1]), strict=True))
    # A bone ends where its children are, a leaf at its tip; bones of the file and joints have the same order, except
    # roots.
    lines = Path(found.skeleton).read_text(encoding="utf-8").splitlines()
    names = [words[1] for words in map(str.split, lines) if words[:1] == ["name"]]
    for column, name in enumerate(names):
        joint = skeleton.index(name)
        children = np.flatnonzero(skeleton.parents == joint)
        place = ends[:, children[0] if len(children) else tips[joint]]
        assert np.abs(place - expected[:, column]).max() < 1e-9 * height


@pytest.mark.shared
@pytest.mark.both_engines
@pytest.mark.parametrize("take", CONVERTED)
def test_a_captured_take_is_where_its_conversion_by_another_program_has_it(take, record_property):
    """Joints and tips of every frame agree without any alignment: same origin, same unit, same frames.

    The conversion has six decimals, which leave 3e-6 of the height; the limit is 1e-5.
    """
    found = motion_file.read(acclaim.FOLDER / f"{take}.amc").clip
    other = material.as_captured(f"cmu_asf_{take}")
    assert found.skeleton.names == other.skeleton.names
    assert_array_equal(found.skeleton.parents, other.skeleton.parents)
    assert (len(found), found.rate) == (len(other), other.rate)
    apart = np.abs(kinematics.points(found) - kinematics.points(other)).max() / found.skeleton.height
    record_property("farthest apart, of the height", apart)
    assert apart < 1e-5


@pytest.mark.shared
@pytest.mark.parametrize("path", acclaim.captured()[::6], ids=lambda path: path.stem)
def test_written_as_bvh_and_read_again_every_point_is_where_it_was(path, tmp_path):
    found = motion_file.read(path)
    written = tmp_path / "again.bvh"
    written.write_bytes(motion_file.compose(found.clip, written, found))
    again = motion_file.read(written)
    assert (again.convention.unit, again.clip.rate) == ("cmu", 120.0)
    assert again.clip.skeleton.names == found.clip.skeleton.names
    assert_allclose(kinematics.points(again.clip), kinematics.points(found.clip), rtol=0.0, atol=1e-6)


# --- the fast and the slow way --------------------------------------------------------------------------------------


@pytest.mark.shared
def test_the_fast_way_reads_what_the_slow_way_reads(monkeypatch):
    path = acclaim.FOLDER / "127_04.amc"
    skeleton, data = asf.read(acclaim.FOLDER / "127.asf"), path.read_bytes()
    fast = engines.by_both("action_loom.core.formats", lambda: amc_text.parse(path, data, skeleton).values)
    monkeypatch.setattr(amc_text, "_bulk", lambda *_: None)
    slow = amc_text.parse(path, data, skeleton).values
    for values in fast:
        assert_array_equal(values, slow)


@pytest.mark.shared
def test_captured_takes_are_read_in_the_fast_way(monkeypatch):
    monkeypatch.setattr(amc_text._Reader, "_line_by_line", lambda *_: pytest.fail("the slow way"))
    for path in acclaim.captured()[::10]:
        motion_file.read(path)


def test_settling_needs_no_more_than_a_clip(tmp_path):
    """The same numbers in another unit and another upward axis are the same clip, scaled and turned."""
    clip = read(tmp_path).clip
    plain = Clip(clip.name, clip.skeleton, clip.rate, clip.rotations, clip.translations)
    stated = motion_file.Finding("rate", "120", motion_file.STATED)
    settled = settling.settle(plain, motion_file.Reading("m", "z"), rate=stated)
    assert_allclose(kinematics.points(settled.clip), kinematics.points(clip), atol=1e-15)
    assert settled.convention == motion_file.Convention("m", 1.0, "z", False)
