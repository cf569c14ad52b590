"""Numbers of a file, read by compiled code if it is loaded already: they equal numpy's bit for bit."""

import numpy as np
import pytest
from action_loom.core.formats import _numpy as numbers
from action_loom.core.formats import bvh_text
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from oracles import engines

PACKAGE = "action_loom.core.formats"


def assert_same_bits(one, other):
    assert_array_equal(one.view(np.int64), other.view(np.int64))


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
    one, other = engines.by_both(PACKAGE, lambda: bvh_text.rows(table(words), 2, 3))
    assert_same_bits(one, other)
    assert_same_bits(one.ravel(), np.array([float(word) for word in words]))


@given(st.lists(ODD, min_size=6, max_size=6))
def test_odd_numbers_are_read_alike_or_left_to_the_slow_way(words):
    one, other = engines.by_both(PACKAGE, lambda: bvh_text.rows(table(words), 2, 3))
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
    assert engines.by_both(PACKAGE, lambda: bvh_text.rows(text.encode(), 2, 3)) == [None, None]


def test_a_chain_of_thousands_is_no_file_of_tabs(tmp_path):
    count = 3000
    values, tips = np.zeros((1, 3 * count)), np.full((count, 3), np.nan)
    names, turns = tuple(f"j{k}" for k in range(count)), (("Zrotation", "Xrotation", "Yrotation"),) * count
    chain = bvh_text.BvhMotion("c", names, np.arange(count) - 1, np.zeros((count, 3)), tips, turns, "0.01", values)
    text = bvh_text.compose(chain)
    assert len(text) < 600 * count
    (tmp_path / "c.bvh").write_text(text)
    assert_array_equal(bvh_text.parse(tmp_path / "c.bvh").parents, chain.parents)


@pytest.mark.parametrize("bytes_at_a_time", [1, 7, 12, 100])
def test_a_table_is_the_same_in_pieces_of_any_size(monkeypatch, bytes_at_a_time):
    monkeypatch.setattr(bvh_text, "_PIECE", bytes_at_a_time)
    for text in (b"1 2 3\n\n4.5 5 6\n7 8 9", b"1 2 3 \r\n 4.5 5 6\n7 8 9\n\n"):
        for found in engines.by_both(PACKAGE, lambda text=text: bvh_text.rows(text, 3, 3)):
            assert_array_equal(found, [[1, 2, 3], [4.5, 5, 6], [7, 8, 9]])
    for text in (b"1 2 3\n4 5\n7 8 9", b"1 2 3\n4 5 6\n7 8 9\n1 2 3", b"1 2 3\n4 5 6", b"1 2 3\n4 5 6 7 8 9"):
        assert engines.by_both(PACKAGE, lambda text=text: bvh_text.rows(text, 3, 3)) == [None, None]


@pytest.mark.parametrize("together", [1, 40, 10**6])
def test_numbers_of_all_lengths_are_those_that_python_reads_in_parts_of_any_size(monkeypatch, rng, together):
    monkeypatch.setattr(numbers, "TOGETHER", together)
    plain = [
        f"{value:.{digits}f}" for digits in range(9) for value in 10.0 ** rng.uniform(-3, 6, 40) * (-1, 1)[digits % 2]
    ]
    odd = [
        ".5",
        "-.5",
        "5.",
        "+3",
        "-0",
        "0",
        "-0.0000",
        "12345678.12345678",
        "1e-5",
        "0.1234567890123456",
        "123456789.5",
    ]
    for words in (plain, odd, [*plain[:8], *odd, *plain]):
        words = words[: len(words) // 3 * 3]
        text = "\r\n\n".join(" \t".join(words[k : k + 3]) for k in range(0, len(words), 3)) + "\n"
        found = np.empty((len(words) // 3, 3))
        assert numbers.rows(np.frombuffer(text.encode(), dtype=np.uint8), found) == len(found)
        assert found.ravel().tobytes() == np.array([float(word) for word in words]).tobytes()


@pytest.mark.parametrize(
    "word", ["1..2", "1.2.3", "--1", "1-2", "-", ".", "+", "-.", "1,5", "nan", "0x1", "1e", "\x80"]
)
def test_words_that_are_no_numbers_are_left_to_the_slow_reader(word):
    text = f"1 {word} 3\n".encode("latin-1")
    assert numbers.rows(np.frombuffer(text, dtype=np.uint8), np.empty((1, 3))) == -1
