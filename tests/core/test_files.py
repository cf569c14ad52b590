"""What files are called that are named after a result: names that every file system takes."""

import pytest
from action_loom.core import files
from hypothesis import given
from hypothesis import strategies as st

pytestmark = pytest.mark.both_engines


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("cmu_mb_07_01 + cmu_mb_16_15 50:50", "cmu_mb_07_01 + cmu_mb_16_15 50-50.bvh"),
        ("a/b\\c", "a-b-c.bvh"),
        ('<>:"|?*', "-------.bvh"),
        ("tab\tline\nend\0", "tab-line-end-.bvh"),
        ("half of a letter \udcff", "half of a letter -.bvh"),
        ("歩く + été", "歩く + été.bvh"),
        (" spaces. . ", "spaces.bvh"),
        ("walk.v2", "walk.v2.bvh"),
        ("", "unnamed.bvh"),
        ("..", "unnamed.bvh"),
        ("con", "-con.bvh"),
        ("LPT1.walk", "-LPT1.walk.bvh"),
        ("console", "console.bvh"),
    ],
)
def test_letters_that_file_systems_refuse_are_replaced(title, name):
    assert files.file_name(title, ".bvh") == name


@pytest.mark.parametrize("letter", ["a", "é", "歩", "🐈"])
def test_a_long_name_ends_between_two_letters(letter):
    name = files.file_name(300 * letter, ".bvh")
    assert name == (196 // len(letter.encode())) * letter + ".bvh"


@given(title=st.text(max_size=300))
def test_any_title_makes_a_name(title):
    name = files.file_name(title, ".json")
    assert name.endswith(".json")
    assert 6 <= len(name.encode("utf-8")) <= 200
    assert not set(name) & {*'<>:"/\\|?*', *map(chr, range(32))}
    stem = name.removesuffix(".json")
    assert stem == stem.strip(" ").rstrip(".")
