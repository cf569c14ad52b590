"""BVH files: a written file holds the values that were read."""

import os
from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.formats import bvh
from numpy.testing import assert_array_equal
from oracles import material

pytestmark = pytest.mark.both_engines

SMALL = material.SMALL_BVH


# --- reading and writing ------------------------------------------------------------------------------------------


def test_a_file_is_read_as_it_is_written(small):
    assert small.names == ("Hips", "Chest", "Head", "Leg")
    assert_array_equal(small.parents, [-1, 0, 1, 0])
    assert_array_equal(small.offsets, [[1, 2, 3], [0, 50, 0], [0, 60, 0], [10, 0, 0]])
    assert_array_equal(small.tips, [[np.nan] * 3, [np.nan] * 3, [0, 20, 0], [0, -40, 0]])
    assert small.channels[1] == ("Yrotation", "Zrotation", "Xrotation")
    assert small.frame_time == "0.0333333"
    assert_array_equal(small.values[1], [1.5, 91, -0.2, 11, 21, 31, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n", "\r\n"),
        ("  ", "\t"),
        (" 2 3", " \t 2  3 "),
        ("Frame Time: ", "Frame Time:\t"),
        ("Frames: ", "frames :"),
        ("HIERARCHY", "\n\n  hierarchy"),
        ("MOTION", "  Motion  "),
        ("\n{", " {"),
        ("End Site", "END SITE"),
        ("Xrotation", "xRotation"),
        ("CHANNELS", "channels"),
        ("MOTION\n", "\nMOTION\n\n"),
        ("9.5\n", "9.5"),
        ("9.5\n", "9.5\n\n \n\t\n"),
        ("9\n1.5", "9\n\n1.5"),
        ("HIERARCHY", "\ufeffHIERARCHY"),
    ],
)
def test_spaces_line_ends_and_capitals_do_not_matter(small, tmp_path, old, new):
    assert old in SMALL
    material.assert_same_motion(material.read_bvh(tmp_path, SMALL.replace(old, new)), small)


def test_names_may_have_spaces_colons_and_any_letters(tmp_path):
    names = ("mixamorig:Hips", "Bip01 L Thigh", "センター", "Hüfte")
    text = SMALL
    for old, new in zip(("Hips", "Chest", "Head", "Leg"), names, strict=True):
        text = text.replace(f" {old}\n", f" {new}\n")
    motion = material.read_bvh(tmp_path, text)
    assert motion.names == names
    bvh.write(motion, tmp_path / "again.bvh")
    assert bvh.read(tmp_path / "again.bvh").names == names


def test_a_name_that_is_not_utf8_is_read_as_western_european(tmp_path):
    motion = material.read_bvh(tmp_path, SMALL.replace("Chest", "Hüfte").encode("latin-1"))
    assert motion.names[1] == "Hüfte"
    bvh.write(motion, tmp_path / "again.bvh")
    material.assert_same_motion(bvh.read(tmp_path / "again.bvh"), motion)


def test_japanese_names_are_read_in_the_encoding_of_japanese_files(tmp_path):
    motion = material.read_bvh(tmp_path, SMALL.replace("Hips", "センターボマ").encode("cp932"))
    assert motion.names[0] == "センターボマ"


def test_two_roots_are_read_and_written(tmp_path):
    prop = "ROOT Prop\n{\nOFFSET 5 0 0\nCHANNELS 3 Xposition Yposition Zposition\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n"
    text = SMALL.replace("MOTION", prop + "MOTION").replace("7 8 9\n", "7 8 9 1 2 3\n")
    motion = material.read_bvh(tmp_path, text.replace("8.5 9.5\n", "8.5 9.5 4 5 6\n"))
    assert motion.names[4] == "Prop"
    assert motion.parents[4] == -1
    bvh.write(motion, tmp_path / "again.bvh")
    material.assert_same_motion(bvh.read(tmp_path / "again.bvh"), motion)


@pytest.mark.shared
@pytest.mark.parametrize("path", material.some_captured_files(), ids=lambda path: path.stem)
def test_writing_what_was_read_loses_nothing(path, tmp_path):
    motion = bvh.read(path)
    motion = replace(motion, values=motion.values[:150])
    once, twice = tmp_path / "once.bvh", tmp_path / "twice.bvh"
    bvh.write(motion, once)
    again = bvh.read(once)
    material.assert_same_motion(again, motion)
    bvh.write(again, twice)
    assert twice.read_bytes() == once.read_bytes()


def test_any_number_is_written_so_that_it_reads_the_same(small, tmp_path, rng):
    values = rng.normal(size=(200, 15)) * 10.0 ** rng.integers(-20, 8, size=(200, 15))
    values[0, :5] = [0.0, -0.0, 1e9, 5e-324, 0.1 + 0.2]
    motion = replace(small, values=values, offsets=rng.normal(size=(4, 3)), tips=small.tips * (1.0 / 3.0))
    bvh.write(motion, tmp_path / "again.bvh")
    material.assert_same_motion(bvh.read(tmp_path / "again.bvh"), motion)


def test_a_write_that_fails_leaves_nothing_and_keeps_what_was_there(small, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    bvh.write(small, folder / "a.bvh")
    before = (folder / "a.bvh").read_bytes()
    with pytest.raises(UnicodeEncodeError):
        bvh.write(replace(small, names=("\udcff", *small.names[1:])), folder / "a.bvh")
    assert os.listdir(folder) == ["a.bvh"]
    assert (folder / "a.bvh").read_bytes() == before


# --- frame rates --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame_time", "rate"),
    [
        ("0.0333333", 30.0),
        ("0.033333", 30.0),
        ("0.03333", 30.0),
        ("0.033", 30.0),
        ("0.0333333333333333", 30.0),
        (".0083333", 120.0),
        ("0.00833333", 120.0),
        ("0.008333", 120.0),
        ("0.016667", 60.0),
        ("0.0167", 60.0),
        ("0.041667", 24.0),
        ("0.042", 24.0),
        ("0.04", 25.0),
        ("0.025", 40.0),
        ("0.01", 100.0),
        ("0.25", 4.0),
        ("1.00", 1.0),
        ("1", 1.0),
        ("2", 0.5),
        ("4e-2", 25.0),
    ],
)
def test_a_rounded_frame_time_means_a_whole_rate(small, frame_time, rate):
    assert replace(small, frame_time=frame_time).rate == rate


@pytest.mark.parametrize(
    ("frame_time", "rate"), [("0.0417083750417", 23.976), ("0.0333667", 29.97), ("0.0166833", 59.94)]
)
def test_a_rate_that_is_not_whole_stays_what_it_is(small, frame_time, rate):
    assert replace(small, frame_time=frame_time).rate == pytest.approx(rate, abs=5e-4)


@pytest.mark.parametrize("rate", [120.0, 60.0, 30.0, 29.97, 25.0, 24.0, 23.976, 24000 / 1001, 1.0, 0.5, 1000.0, 7.3])
def test_a_rate_survives_a_file(rate, tmp_path):
    clip = material.walk(0.2, 30.0)
    path = material.write(replace(clip, rate=rate), tmp_path / "rate.bvh")
    assert bvh.to_clip(bvh.read(path))[0].rate == pytest.approx(rate, rel=1e-9)
    if rate == round(rate):
        assert bvh.to_clip(bvh.read(path))[0].rate == rate


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "rate"),
    [
        ("cmu_mb_07_01", 120.0),
        ("GenoView__Geno_bind", 60.0),
        ("Auto_Conditioned_RNN_motion__standard", 30.0),
        ("BVH-Motion-Creator__pose", 120.0),
        ("usdBVHAnim__test_bvh", 24.0),
        ("pybvh__bvh_test2", 120.0),
        ("ofxBvh__perfume", 40.0),
    ],
)
def test_rates_of_files_from_the_wild(name, rate):
    assert bvh.read(material.captured_file(name)).rate == rate
