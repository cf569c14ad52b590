"""Units and axes of BVH files: given by the user, or guessed with a message."""

from dataclasses import replace

import pytest
from action_loom.core.errors import OptionError
from action_loom.core.formats import bvh, units
from action_loom.core.motion import kinematics
from numpy.testing import assert_allclose
from oracles import material

pytestmark = pytest.mark.both_engines


@pytest.mark.parametrize(
    ("unit", "metres"),
    [("m", 1.0), ("dm", 0.1), ("cm", 0.01), ("mm", 0.001), ("inch", 0.0254), ("cmu", 0.0254 / 0.45), ("5e-3", 0.005)],
)
def test_the_unit_asked_for_scales_the_body(small, unit, metres):
    clip, convention = bvh.to_clip(small, unit=unit, up="y")
    assert (convention.unit, convention.guessed) == (unit, False)
    assert convention.metres == pytest.approx(metres, rel=1e-5)
    assert_allclose(clip.skeleton.offsets[1], [0.0, 0.0, 50.0 * convention.metres], atol=1e-12)
    assert_allclose(clip.skeleton.tips[2], [0.0, 0.0, 20.0 * convention.metres], atol=1e-12)


@pytest.mark.parametrize("unit", ["parsec", "", "0", "-1", "nan", "inf", "1e9", "1,5"])
def test_a_unit_that_is_none_is_refused(small, unit):
    with pytest.raises(OptionError, match="units is .*, but must be .*mm, inch, cmu or a number of metres"):
        bvh.to_clip(small, unit=unit)


@pytest.mark.parametrize("up", ["w", "", "Y", "+z"])
def test_an_axis_that_is_none_is_refused(small, up):
    with pytest.raises(OptionError, match="but must be one of auto, y, z, x, -y, -z, -x"):
        bvh.to_clip(small, up=up)


@pytest.mark.parametrize("unit", ["m", "dm", "cm", "mm", "inch", "cmu"])
@pytest.mark.parametrize("height", [1.45, 1.7, 2.0])
def test_a_persons_height_tells_the_unit(unit, height):
    figure = material.figure(scale=height / material.figure().height)
    clip = material.walk(0.2, skeleton=figure)
    motion = bvh.from_clip(clip, None, bvh.Convention(unit, units.UNITS[unit], "y", False))
    _, convention = bvh.to_clip(motion)
    assert convention.guessed
    # A foot and a half can be a metre and a half: several units may fit, and one of them is chosen.
    found = height / units.UNITS[unit] * convention.metres
    assert 1.2 <= found <= 2.3
    if unit in ("m", "cm"):
        assert convention.unit == unit


def test_a_body_that_no_unit_makes_a_persons_size_is_taken_as_one(small):
    figure = material.figure()
    clip = material.walk(0.2, skeleton=figure)
    giant = bvh.from_clip(clip, None, bvh.Convention("m", figure.height / 44.0, "y", False))
    read, convention = bvh.to_clip(giant)
    assert (convention.unit, convention.guessed) == ("unknown", True)
    assert read.skeleton.height == pytest.approx(1.7)
    doubt = "in no unit is this body as tall as a person, so it is taken as 1.7 m tall"
    assert units.doubt(read.skeleton, convention.unit, convention.metres) == doubt
    again = bvh.from_clip(read, giant, convention)
    assert_allclose(again.values, giant.values, atol=1e-4)
    # A body without legs is not a person.
    chain = replace(small, offsets=small.offsets * 30.0, tips=small.tips * 30.0)
    legless, found = bvh.to_clip(chain)
    assert found.metres == 0.01
    assert "centimetres were taken" in units.doubt(legless.skeleton, found.unit, found.metres)


@pytest.mark.parametrize(("unit", "height"), [("m", 0.9), ("m", 3.2), ("cm", 1.1), ("cm", 2.6)])
def test_small_and_tall_figures_are_what_they_are(unit, height):
    figure = material.figure(scale=height / material.figure().height)
    written = bvh.Convention(unit, units.UNITS[unit], "y", False)
    clip, convention = bvh.to_clip(bvh.from_clip(material.walk(0.2, skeleton=figure), None, written))
    assert convention.unit == unit
    assert clip.skeleton.height == pytest.approx(height)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "unit", "up"),
    [
        ("cmu_mb_07_01", "cmu", "y"),
        ("cmu_asf_16_15", "cmu", "y"),
        ("cmu_daz_02_01", "cm", "y"),
        ("bvh-python__test_freebvh", "cm", "y"),
        ("fairmotion__pfnn_hierarchy", "m", "y"),
        ("bvh-parser__example", "inch", "y"),
        ("pybvh__bvh_example", "inch", "z"),
        ("GenoView__Geno_bind", "cm", "y"),
    ],
)
def test_conventions_of_files_from_the_wild(name, unit, up):
    clip, convention = bvh.to_clip(bvh.read(material.captured_file(name)))
    assert (convention.unit, convention.up, convention.guessed) == (unit, up, True)
    assert 1.2 < clip.skeleton.height < 2.3


@pytest.mark.parametrize("up", ["y", "z"])
def test_a_standing_body_tells_what_is_up(up):
    clip = material.walk(0.2)
    motion = bvh.from_clip(clip, None, bvh.Convention("cm", 0.01, up, False))
    again, convention = bvh.to_clip(motion)
    assert (convention.up, convention.guessed) == (up, True)
    assert_allclose(kinematics.points(again), kinematics.points(clip), rtol=0.0, atol=1e-6)


def test_a_guess_is_one_if_either_was_not_asked_for(small):
    assert bvh.to_clip(small, unit="cm")[1].guessed
    assert bvh.to_clip(small, up="y")[1].guessed
    assert not bvh.to_clip(small, unit="cm", up="y")[1].guessed


@pytest.mark.one_engine
@pytest.mark.parametrize(("height", "unit"), [(75.0, "cm"), (0.4, "m"), (1600.0, "mm"), (2.2, "m"), (1e5, "")])
def test_animals_are_of_any_size_but_never_in_inches(height, unit):
    assert units.guess(height, four_footed=True) == unit
    assert units.guess(75.0) == "inch"
