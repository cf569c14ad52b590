"""What compiled code does only where it is loaded already: to the last bit what numpy does, so that nobody can tell."""

import numpy as np
import pytest
from action_loom.core import jit
from action_loom.core.motion import bvh_text, kinematics
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from oracles import material

PACKAGE = "action_loom.core.motion"


@pytest.fixture(autouse=True)
def loaded(monkeypatch):
    """Kernels are loaded, and whatever engine a test chooses, the next one has the one from before."""
    monkeypatch.setattr(jit, "_wanted", "auto")
    jit.kernels(PACKAGE)


def by_both(work):
    found = []
    for engine in ("auto", "numpy"):
        jit.use(engine)
        assert jit.at_hand(PACKAGE).__name__.endswith("_kernels" if engine == "auto" else "_twins")
        found.append(work())
    jit.use("auto")
    return found


def assert_same_bits(one, other):
    assert_array_equal(one.view(np.int64), other.view(np.int64))


@pytest.mark.parametrize("joints", [1, 2, 9, 40])
def test_joints_are_placed_alike(rng, joints):
    clip = material.random_clip(rng, material.random_skeleton(rng, joints), 15)
    some = rng.choice(joints, size=min(joints, 3), replace=False).tolist()
    found = by_both(lambda: [*kinematics.world(clip), *kinematics.world_of(clip, some), kinematics.points(clip)])
    for one, other in zip(*found, strict=True):
        assert_same_bits(one, other)


ORDINARY = st.one_of(
    st.floats(-1e6, 1e6).map("{:.6f}".format),
    st.floats(1e-9, 400.0).map("{:g}".format),
    st.integers(-(10**9), 10**9).map(str),
    st.sampled_from(["0", "-0", "-0.000", "+1.5", "1.", ".5", "1e3", "1E-5", "-2.5e+02"]),
)
ODD = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(["9007199254740993", "1e-310", "0." + 30 * "3"]),
)


def table(words):
    return f"{words[0]} {words[1]}\t{words[2]}\r\n\n {words[3]}  {words[4]} {words[5]} ".encode()


@given(st.lists(ORDINARY, min_size=6, max_size=6))
def test_numbers_are_read_alike(words):
    one, other = by_both(lambda: bvh_text.rows(table(words), 2, 3))
    assert_same_bits(one, other)
    assert_same_bits(one.ravel(), np.array([float(word) for word in words]))


@given(st.lists(ODD, min_size=6, max_size=6))
def test_odd_numbers_are_read_alike_or_left_to_the_slow_way(words):
    one, other = by_both(lambda: bvh_text.rows(table(words), 2, 3))
    expected = np.array([float(word) for word in words])
    assert_same_bits(other.ravel(), expected)
    if one is not None:
        assert_same_bits(one.ravel(), expected)


@pytest.mark.parametrize(
    "text", ["1 2\n3 4 5", "1 2 3\n4 5", "1 2 3", "1 2 3\n4 5 6\n7", "1 2 x\n4 5 6", "1 2 3\n4 5 -", "1 2 3e\n4 5 6",
             "1 2 nan\n4 5 6", "1 2 1e999\n4 5 6", "1 2 0x1\n4 5 6", "1 2 3,4 5 6", "1 2 1_0\n4 5 6", "",
             "1 2 --3\n4 5 6"],
)  # fmt: skip
def test_what_is_no_table_of_numbers_is_refused_alike(text):
    assert by_both(lambda: bvh_text.rows(text.encode(), 2, 3)) == [None, None]
