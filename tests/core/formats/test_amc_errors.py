"""A broken ASF or AMC file is refused with its line, the fault and the remedy, never with another error."""

import numpy as np
import pytest
from action_loom.core.errors import MotionFileError
from action_loom.core.formats import motion_file
from oracles import acclaim
from oracles.acclaim import AMC, ASF

pytestmark = pytest.mark.both_engines


def line_of(text, within):
    return next(number for number, line in enumerate(within.splitlines(), start=1) if text in line)


def skeleton(old, new):
    assert old in ASF
    return ASF.replace(old, new, 1)


def motion(old, new):
    assert old in AMC
    return AMC.replace(old, new, 1)


LAST = len(AMC.splitlines())
END = len(ASF.splitlines()) + 1
FOREIGN = "'ankle' is not a bone of two.asf; name the skeleton it belongs to (option skeleton)"
BROKEN_MOTION = {
    "a gap": (motion("3\nroot", "4\nroot"), 12, "expected 3, found '4'"),
    "a frame twice": (motion("3\nroot", "2\nroot"), 12, "expected 3, found '2'"),
    "no frame number": (motion("1\nroot", "root"), 4, "expected FRAME, found 'root 1 2 3 0 0 0'"),
    "a broken frame number": (motion("2\nroot", "2.0\nroot"), 8, "'2.0' is not a bone of two"),
    "a missing bone": (motion("lower 90\n", ""), 11, "frame 2 has no values of 'lower'"),
    "two missing bones": (motion("upper 90 0 0\nlower 90\n", ""), 10, "frame 2 has no values of 'upper' and 1 more"),
    "a cut last frame": (AMC[: AMC.rindex("lower")], LAST - 1, "frame 3 has no values of 'lower'; the file ends"),
    "an empty last frame": (AMC + "4\n", LAST + 1, "frame 4 has no values of 'root' and 2 more; the file ends"),
    "an unknown bone": (motion("lower 0", "lower 0\nankle 1"), 8, FOREIGN),
    "another bone": (AMC.replace("lower", "ankle"), 7, FOREIGN),
    "a bone twice": (motion("lower 90", "lower 90\nlower 90"), 12, "there is a second 'lower'"),
    "too few values": (motion("upper 90 0 0", "upper 90 0"), 10, "there are 2 values, but 3 are needed"),
    "too many values": (motion("lower 90", "lower 90 1"), 11, "there are 2 values, but 1 are needed"),
    "a value moved": (
        motion("upper 90 0 0\nlower 90", "upper 90 0\nlower 0 90"), 10, "there are 2 values",
    ),
    **{
        bad: (motion("upper 90", f"upper {bad}"), 10, f"value 1 is '{bad}', but must be a number")
        for bad in ("nan", "inf", "-1.#IND", "0x10", "9_0", "90,5", "1e", "--1")
    },
    "digits of another script": (motion("upper 90", "upper ９０"), 10, "must be a number"),
    "a value beyond reason": (motion("2.5", "1e155"), 13, "value 2 is '1e155', but must be a number up to"),
    "an unknown keyword": (motion(":FULLY", ":HALF"), 2, "expected :FULLY-SPECIFIED | :DEGREES | :RADIANS, found ':H"),
    "both units of angles": (motion(":DEGREES", ":DEGREES\n:RADIANS"), 4, "there is a second ':RADIANS'"),
    "no rate": (motion(":DEGREES", ":SAMPLES-PER-SECOND 0"), 3, "expected :SAMPLES-PER-SECOND RATE, found"),
    "no frames": (AMC[: AMC.index("1\n")], 3, "expected FRAME; the file ends"),
    "empty": (" \n", None, "the file is empty"),
    "binary": (b"\x00\x01", None, "this is a binary file, not AMC text"),
    "another kind of text": ("HIERARCHY\nROOT a\n", 1, "expected FRAME, found 'HIERARCHY'"),
}  # fmt: skip
BROKEN_SKELETON = {
    "empty": ("", None, "the file is empty"),
    "another kind of text": ("HIERARCHY\nROOT a\n", 1, "expected :version, found 'HIER"),
    "no root": (skeleton(":root", ":roof"), END, "expected :root; the file ends"),
    "no bones": (skeleton(":bonedata", ":bones"), END, "expected :bonedata; the file ends"),
    "no hierarchy": (ASF[: ASF.index(":hier")], line_of(":hier", ASF), "expected :hierarchy; the file ends"),
    "a second section": (skeleton(":hierarchy", ":units\n:hierarchy"), line_of(":hier", ASF), "a second ':units'"),
    "no unit of angles": (skeleton("angle deg", ""), 4, "expected :units angle deg; the file ends"),
    "no units": (ASF.replace(":units", ":others"), END, "expected :units angle deg; the file ends"),
    "a strange angle": (skeleton("angle deg", "angle grad"), 7, "expected angle deg | angle rad, found 'angle grad'"),
    "no length": (skeleton("length 0.45", "length 0"), 6, "expected length NUMBER, found 'length 0'"),
    "a length in words": (skeleton("length 0.45", "length inch"), 6, "expected length NUMBER, found 'length inch'"),
    "no order": (skeleton("   order TX", "   sort TX"), 10, "expected :root order TX TY TZ RX RY RZ, found ':root'"),
    "a strange order": (skeleton("TX TY", "TX TQ"), 11, "expected tx | ty | tz | rx | ry | rz, found 'tq'"),
    "an order twice": (skeleton("TX TY", "TX TX"), 11, "there is a second 'TX TX TZ RX RY RZ'"),
    "a turned root": (
        skeleton("orientation 0 0 0", "orientation 0 90 0"), 14,
        "the root's orientation is 0 90 0, of which programs differ; only 0 0 0 is read",
    ),
    "a moved root": (skeleton("position 0 0 0", "position 1 0 0"), 13, "the root's position is 1 0 0, of which"),
    "a bone that stretches": (
        skeleton("dof rz", "dof rz l"), line_of("dof rz", ASF), "expected rx | ry | rz, found 'l'",
    ),
    "a bone that moves": (skeleton("dof rz", "dof tx"), line_of("dof rz", ASF), "expected rx | ry | rz, found 'tx'"),
    "no name": (skeleton("     name upper\n", ""), 25, "expected name, found 'end'"),
    "two names": (skeleton("name upper", "name upper arm"), 18, "expected name NAME, found 'name upper"),
    "no direction": (skeleton("     direction 0 1 0\n", ""), 25, "expected direction, found 'end'"),
    "a flat direction": (skeleton("direction 0 1 0", "direction 0 1"), 19, "expected direction NUMBER"),
    "a direction that is none": (skeleton("direction 0 1 0", "direction 0 nan 0"), 19, "found 'direction 0 nan 0'"),
    "no bone length": (skeleton("     length 10\n", ""), 25, "expected length, found 'end'"),
    "a length beyond reason": (skeleton("length 10", "length 1e155"), 20, "value 1 is '1e155', but must be"),
    "no axis": (skeleton("     axis 0 0 90  XYZ\n", ""), 25, "expected axis, found 'end'"),
    "an axis without order": (skeleton("90  XYZ", "90"), 21, "expected axis X Y Z XYZ, found 'axis 0 0 90'"),
    "an axis twice in the order": (skeleton("90  XYZ", "90  XXZ"), 21, "expected axis X Y Z XYZ"),
    "a second length": (skeleton("length 10", "length 10\nlength 10"), 21, "there is a second ':bonedata length'"),
    "a bone twice": (skeleton("name lower", "name upper"), 29, "there is a second 'upper'"),
    "a bone called root": (skeleton("name lower", "name root"), 29, "there is a second 'root'"),
    "a bone that is not closed": (skeleton("  end\n", ""), 26, "expected end, found 'begin'"),
    "a bone that is not opened": (skeleton("  begin\n", ""), 16, "expected begin, found 'id'"),
    "the last bone is open": (
        ASF.replace("inf)\n  end", "inf)"), END - 1, "expected end; the file ends",
    ),
    "an unknown child": (skeleton("upper lower", "upper ankle"), END - 2, "there is no bone 'ankle'"),
    "an unknown parent": (skeleton("upper lower", "ankle lower"), END - 2, "there is no bone 'ankle'"),
    "a bone left out": (
        skeleton("    upper lower\n", ""), 29, "in the hierarchy no way leads from the root to 'lower'",
    ),
    "a circle": (
        skeleton("root upper\n    upper lower", "upper lower\n    lower upper"), 18,
        "in the hierarchy no way leads from the root to 'upper', 'lower'",
    ),
    "two parents": (skeleton("root upper", "root upper lower"), END - 2, "'lower' has a parent already"),
    "its own parent": (skeleton("upper lower", "upper lower\n lower lower"), END - 1, "'lower' has a parent already"),
    "the root below": (skeleton("upper lower", "upper lower root"), END - 2, "'root' has a parent already"),
    "no begin": (skeleton(":hierarchy\n  begin", ":hierarchy"), END - 4, "expected begin"),
    "no end": (ASF.removesuffix("  end\n"), END - 2, "expected end"),
    "nothing in the hierarchy": (ASF[: ASF.index("  begin\n    root")], END - 4, "expected begin"),
    "a control character": (skeleton("name upper", "name up\1per"), 18, "'\\x01' is no text"),
}  # fmt: skip


def refused(folder, text, content):
    with pytest.raises(MotionFileError) as caught:
        motion_file.read(acclaim.write(folder, text, content))
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < len(str(folder)) + 200
    return caught.value, message


@pytest.mark.parametrize("what", BROKEN_MOTION)
def test_a_broken_motion_is_refused_with_its_line_and_what_is_wrong(what, tmp_path):
    content, line, fragment = BROKEN_MOTION[what]
    error, message = refused(tmp_path, ASF, content)
    assert fragment in message
    assert message.startswith(str(tmp_path / "two.amc") + ("" if line is None else f", line {line}: "))
    assert error.line == line


@pytest.mark.parametrize("what", BROKEN_SKELETON)
def test_a_broken_skeleton_is_refused_with_its_line_and_what_is_wrong(what, tmp_path):
    content, line, fragment = BROKEN_SKELETON[what]
    error, message = refused(tmp_path, content, AMC)
    assert fragment in message
    assert message.startswith(str(tmp_path / "two.asf") + ("" if line is None else f", line {line}: "))
    assert error.line == line


@pytest.mark.parametrize("ends", ["\r\n", "\n\n"])
def test_lines_are_counted_as_an_editor_does(ends, tmp_path):
    content = motion("lower 90", "lower x").replace("\n", ends)
    error, _ = refused(tmp_path, ASF, content)
    assert content.splitlines()[error.line - 1] == "lower x"


def test_a_file_that_is_not_there_is_said_before_its_skeleton_is_missed(tmp_path):
    with pytest.raises(MotionFileError, match=r"absent\.amc: can't be read \(No such file"):
        motion_file.read(tmp_path / "absent.amc")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("broken")


def outcome(folder, text, content):
    """Return the clip, or None if one of the files is refused correctly."""
    try:
        return motion_file.read(acclaim.write(folder, text, content)).clip
    except MotionFileError:
        return None


def test_a_motion_cut_anywhere_is_refused_or_has_fewer_frames(folder):
    """A file that ends with a frame is whole; nobody can detect missing digits of its last number."""
    content = AMC.encode()
    whole = outcome(folder, ASF, content)
    for cut in range(len(content)):
        found = outcome(folder, ASF, content[:cut])
        if found is None:
            continue
        assert content[:cut].split(b"\n")[-1].startswith(b"lower") or content[:cut].split(b"\n")[-2].startswith(
            b"lower"
        )
        frames = len(found)
        assert np.array_equal(found.rotations[: frames - 1], whole.rotations[: frames - 1])


def test_a_skeleton_cut_anywhere_is_refused(folder):
    content = ASF.encode()
    assert all(outcome(folder, content[:cut], AMC) is None for cut in range(len(content.rstrip())))
