"""A broken file is refused with its line and the fault, never with another error."""

import numpy as np
import pytest
from action_loom.core.errors import ClipError, MotionFileError
from action_loom.core.formats import bvh
from action_loom.core.motion import limits
from oracles import material

pytestmark = pytest.mark.both_engines

SMALL = material.SMALL_BVH
LINES = SMALL.splitlines()
HEADER = SMALL[: SMALL.index("MOTION")]
ROWS = LINES[-2:]


def line_of(text):
    """The number of the first line of the small file that holds a text."""
    return next(number for number, line in enumerate(LINES, start=1) if text in line)


MOTION = line_of("MOTION")
FIRST_ROW = MOTION + 3


def read(folder, content):
    path = folder / "broken.bvh"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return bvh.read(path)


def swapped(old, new, count=1):
    assert old in SMALL
    return SMALL.replace(old, new, count)


def with_rows(*rows, frames=None):
    header = HEADER + f"MOTION\nFrames: {len(rows) if frames is None else frames}\nFrame Time: 0.0333333\n"
    return header + "\n".join(rows) + "\n"


SHORT, LONG = ROWS[0].rsplit(" ", 1)[0], ROWS[0] + " 10"

BROKEN = {
    "fewer rows": (with_rows(ROWS[0], frames=2), FIRST_ROW, "Frames: says 2, but the file ends after 1"),
    "no rows": (with_rows(frames=2), MOTION + 2, "Frames: says 2, but the file ends after 0"),
    "more rows": (with_rows(*ROWS, *ROWS, frames=2), FIRST_ROW + 2, "Frames: says 2, but '0 90 0"),
    "text after the rows": (SMALL + "\nend of file\n", FIRST_ROW + 3, "but 'end of file' follows"),
    "a short row": (with_rows(SHORT, ROWS[1]), FIRST_ROW, "there are 14 values, but 15 are needed"),
    "a long row": (with_rows(ROWS[0], LONG), FIRST_ROW + 1, "there are 16 values, but 15 are needed"),
    "a short and a long row": (with_rows(SHORT, LONG), FIRST_ROW, "there are 14 values"),
    "a long and a short row": (with_rows(LONG, SHORT), FIRST_ROW, "there are 16 values"),
    "a row in two lines": (with_rows(*ROWS[0].split(" 10 "), frames=1), FIRST_ROW, "there are 3 values"),
    "two rows in one line": (with_rows(" ".join(ROWS)), FIRST_ROW, "there are 30 values"),
    "nan": (with_rows(ROWS[0], ROWS[1].replace("91", "nan")), FIRST_ROW + 1, "value 2 is 'nan'"),
    "inf": (with_rows(ROWS[0].replace("90", "inf"), ROWS[1]), FIRST_ROW, "value 2 is 'inf'"),
    "-Infinity": (with_rows(ROWS[0].replace("90", "-Infinity")), FIRST_ROW, "value 2 is '-Infinity'"),
    "too large": (with_rows(ROWS[0].replace("90", "1e999")), FIRST_ROW, "value 2 is '1e999'"),
    "-1.#IND": (with_rows(ROWS[0].replace("90", "-1.#IND")), FIRST_ROW, "value 2 is '-1.#IND'"),
    "decimal comma": (with_rows(ROWS[0].replace("90", "90,5")), FIRST_ROW, "value 2 is '90,5'"),
    "hexadecimal": (with_rows(ROWS[0].replace("90", "0x10")), FIRST_ROW, "value 2 is '0x10'"),
    "underscores": (with_rows(ROWS[0].replace("90", "9_0")), FIRST_ROW, "value 2 is '9_0'"),
    "a brace at the very end": (SMALL.rstrip() + "}\n", FIRST_ROW + 1, "value 15 is '9.5}'"),
    "half an exponent at the very end": (SMALL.rstrip() + "e", FIRST_ROW + 1, "value 15 is '9.5e'"),
    "two dots at the very end": (SMALL.rstrip() + ".1", FIRST_ROW + 1, "value 15 is '9.5.1'"),
    "a word in the rows": (with_rows("# " + ROWS[0]), FIRST_ROW, "value 1 is '#', but must be a number"),
    "no MOTION": (HEADER, MOTION, "expected MOTION; the file ends"),
    "a second 'OFFSET (Hips)'": (
        swapped("OFFSET", "OFFSET 1 2 3\nOFFSET"), line_of("OFFSET") + 1, "a second 'OFFSET (Hips)'",
    ),
    "a second 'CHANNELS (Hips)'": (
        swapped("CHANNELS", "CHANNELS 1 Xrotation\nCHANNELS"), line_of("CHANNELS") + 1, "a second 'CHANNELS (Hips)'",
    ),
    "misspelt MOTION": (swapped("MOTION", "MOTIONS"), MOTION, "expected ROOT"),
    "nothing after MOTION": (HEADER + "MOTION\n", MOTION, "expected Frames:; the file ends"),
    "MOTION without line end": (HEADER + "MOTION", MOTION, "expected Frames:; the file ends"),
    "no Frames": (swapped("Frames: 2\n", ""), MOTION + 1, "expected Frames:, found 'Frame Time: 0.0333333'"),
    "Frames without colon": (swapped("Frames: 2", "Frames 2"), MOTION + 1, "expected Frames:, found 'Frames 2'"),
    **{
        f"Frames: {bad}": (
            swapped("Frames: 2", f"Frames: {bad}"),
            MOTION + 1,
            f"expected Frames: N, found 'Frames: {bad}'",
        )
        for bad in ("0", "-2", "2.0", "two", "", "2 2", "1_0")
    },
    "Frames: 2²": (
        swapped("Frames: 2", "Frames: 2²").encode("latin-1"), MOTION + 1, "expected Frames: N, found 'Frames: 2²'",
    ),
    "far too many frames": (swapped("Frames: 2", "Frames: 99999999999"), FIRST_ROW + 1, "Frames: says 99999999999"),
    "endless frames": (swapped("Frames: 2", "Frames: " + "9" * 5000), MOTION + 1, "expected Frames: N"),
    "no Frame Time": (swapped("Frame Time: 0.0333333\n", ""), MOTION + 2, "expected Frame Time:, found '0 90 0"),
    **{
        f"Frame Time: {bad}": (
            swapped("0.0333333", bad),
            MOTION + 2,
            f"expected Frame Time: SECONDS, found 'Frame Time: {bad}'",
        )
        for bad in ("0", "-0.03", "fast", "", "nan", "inf", "1e9", "0,0333", "0.03 s", "0.0_3", "1e-9")
    },
    "a control character after the frame time": (swapped("0.0333333", "0.03\x1c"), MOTION + 2, "Frame Time: SECONDS"),
    "empty": ("", None, "the file is empty"),
    "white space": (" \n\t\r\n ", None, "the file is empty"),
    "only a mark of byte order": (b"\xef\xbb\xbf", None, "the file is empty"),
    "binary": (b"Kaydara FBX Binary  \x00\x1a\x00" + bytes(range(256)), None, "this is a binary file"),
    "utf-16": (SMALL.encode("utf-16"), None, "this is a binary file"),
    "another kind of text": ("# of bones\n:version 1\n", 1, "HIERARCHY, found '#'"),
    "only HIERARCHY": ("HIERARCHY\n", 1, "expected ROOT; the file ends"),
    "no joint": ("HIERARCHY\nMOTION\nFrames: 1\nFrame Time: 0.1\n", 1, "expected ROOT; the file ends"),
    "JOINT for ROOT": (swapped("ROOT", "JOINT"), 2, "expected ROOT, found 'JOINT'"),
    "a root without name": (swapped("ROOT Hips", "ROOT"), 2, "expected ROOT NAME, found 'ROOT'"),
    "a joint without name": (
        swapped("JOINT Head", "JOINT"), line_of("JOINT Head"), "expected JOINT NAME, found 'JOINT'",
    ),
    "no brace after the root": (swapped("{\n", "", 1), 3, "expected {, found 'OFFSET'"),
    "no brace after an End Site": (
        swapped("End Site\n      {", "End Site\n"), line_of("OFFSET 0.0 20.0"), "expected {, found 'OFFSET'",
    ),
    "an End Site that is not closed": (
        swapped("0.0 20.0 0.0\n      }", "0.0 20.0 0.0\n"), MOTION - 1, "JOINT | End Site | }; the file ends",
    ),
    "an End Site without offset": (
        swapped("        OFFSET 0.0 20.0 0.0\n", ""), line_of("OFFSET 0.0 20.0"), "expected OFFSET, found '}'",
    ),
    "a missing closing brace": (swapped("}\nMOTION", "MOTION"), MOTION - 2, "JOINT | End Site | }; the file ends"),
    "a surplus closing brace": (swapped("}\nMOTION", "}\n}\nMOTION"), MOTION, "expected ROOT"),
    "an unknown word": (swapped("OFFSET 0.0 60", "OFSET 0.0 60"), line_of("0.0 60"), "found 'OFSET'"),
    "an unknown channel": (
        swapped("Zrotation Xrotation", "Zrotation Wrotation"), 5, "expected Xposition … Zrotation, found 'Wrotation'",
    ),
    "a scale channel": (
        swapped("3 Yrotation Zrotation Xrotation", "1 Xscale"), 9, "expected Xposition … Zrotation, found 'Xscale'",
    ),
    "a channel named twice": (
        swapped("Xposition Yposition", "Xposition Xposition"), 5, "a second 'Xposition Xposition",
    ),
    "too few channels": (swapped("CHANNELS 6", "CHANNELS 7"), 5, "expected CHANNELS 6 Xposition"),
    "too many channels": (swapped("CHANNELS 6", "CHANNELS 5"), 5, "expected CHANNELS 6 Xposition"),
    "channels without count": (
        swapped("CHANNELS 6 Xposition", "CHANNELS Xposition"), 5, "expected CHANNELS 5 Yposition",
    ),
    "channels without anything": (
        swapped("CHANNELS 3 Yrotation Zrotation Xrotation", "CHANNELS"), 9, "expected CHANNELS 0, found 'CHANNELS'",
    ),
    **{
        f"OFFSET{bad}": (swapped("OFFSET 0.0 50.0 0.0", f"OFFSET{bad}"), 8, "expected OFFSET X Y Z, found 'OFFSET")
        for bad in ("", " 0.0 50.0", " 0.0 50.0 0.0 0.0", " 0.0 high 0.0", " 0.0 nan 0.0", " 0.0 0x10 0.0", " 0 5_0 0")
    },
    **{
        f"offset {far}": (swapped("OFFSET 0.0 50.0 0.0", f"OFFSET 0.0 {far} 0.0"), 8, "but must be a number up to")
        for far in ("1e999", "-1e155", "1.1e9")
    },
    "a value beyond reason": (
        with_rows(ROWS[0].replace("90", "1e155")), FIRST_ROW, "'1e155', but must be a number up to 1e+09",
    ),
    "a control character in a number": (with_rows(ROWS[0].replace("90", "9\1")), FIRST_ROW, "value 2 is '9"),
    "a control character between": (with_rows(ROWS[0].replace(" ", "\x1f", 1)), FIRST_ROW, "must be a number"),
    "digits of another script": (with_rows(ROWS[0].replace("90", "９０")), FIRST_ROW, "must be a number"),
    "no joint has channels": (
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n\n",
        8,
        "Frames: says 1, but the file ends after 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_file_is_refused_with_its_line_and_what_is_wrong(what, tmp_path):
    content, line, fragment = BROKEN[what]
    with pytest.raises(MotionFileError) as caught:
        read(tmp_path, content)
    message = str(caught.value)
    assert fragment in message
    assert caught.value.line == line
    assert message.startswith(str(tmp_path / "broken.bvh") + ("" if line is None else f", line {line}: "))
    assert "\n" not in message
    assert len(message) < len(str(tmp_path)) + 200


@pytest.mark.parametrize("ends", ["\r\n", "\n\n"])
def test_lines_are_counted_as_an_editor_does(ends, tmp_path):
    content = with_rows(ROWS[0], SHORT).replace("\n", ends)
    with pytest.raises(MotionFileError) as caught:
        read(tmp_path, content)
    assert content.splitlines()[caught.value.line - 1] == SHORT


def test_a_line_in_the_header_is_counted_as_an_editor_does_whatever_the_names_hold(tmp_path):
    content = swapped("ROOT Hips", "ROOT Hi\x85p\x0cs").encode("latin-1")
    with pytest.raises(MotionFileError) as caught:
        read(tmp_path, content.replace(b"50.0", b"high"))
    assert caught.value.line == line_of("50.0")


def test_a_path_that_is_no_file_is_refused(tmp_path):
    with pytest.raises(MotionFileError, match=r"absent\.bvh: can't be read \(No such file"):
        bvh.read(tmp_path / "absent.bvh")
    with pytest.raises(MotionFileError, match=r"can't be read \(Is a directory"):
        bvh.read(tmp_path)
    with pytest.raises(MotionFileError, match=r"can't be read"):
        bvh.read(tmp_path / "a.bvh" / "b.bvh")
    with pytest.raises(MotionFileError, match=r"can't be read \(File name too long"):
        bvh.read(tmp_path / ("n" * 300))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("broken")


def outcome(folder, content):
    """Return the motion, or None if the file is refused correctly."""
    try:
        return read(folder, content)
    except MotionFileError:
        return None


def assert_is_all_or_nothing(folder, content):
    """A file cut at any byte is refused, except in its last number, where nobody can detect missing digits."""
    whole = read(folder, content)
    last = content.rstrip().rindex(b" ") + 1
    cuts = range(len(content)) if len(content) < 1500 else np.random.default_rng(1).integers(0, len(content), 400)
    for cut in cuts:
        found = outcome(folder, content[:cut])
        if cut <= last or found is None:
            assert found is None
            continue
        assert found.values[-1, -1] == float(content[last:cut])
        found.values[-1, -1] = whole.values[-1, -1]
        material.assert_same_motion(found, whole)


def test_a_file_cut_anywhere_is_refused(folder):
    assert_is_all_or_nothing(folder, SMALL.encode())
    assert_is_all_or_nothing(folder, SMALL.replace("\n", "\r\n").encode())


@pytest.mark.shared
@pytest.mark.parametrize("name", ["bvh_anim__test_simple", "pybvh__rotation_first_root", "bvh-parser__example"])
def test_a_file_from_the_wild_cut_anywhere_is_refused(folder, name):
    assert_is_all_or_nothing(folder, material.captured_file(name).read_bytes())


def test_more_poses_than_fit_in_memory_are_refused_before_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MOST_POSES", 3)
    with pytest.raises(ClipError, match="broken would have 2 frames of . joints, more than fit in memory"):
        read(tmp_path, SMALL)
