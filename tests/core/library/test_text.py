"""Words choose clips by their names, folders and labels."""

import pytest
from action_loom.core.errors import LibraryError
from action_loom.core.library import text
from action_loom.core.library.storage import Entry

CLIPS = [
    Entry("/data/loco/walk_01.bvh", label="slow walk, veer left"),
    Entry("/data/loco/sneak.bvh", label="sneaking walk"),
    Entry("/data/sport/Sidewalk.bvh", label="golf"),
    Entry("/data/sport/jump.bvh", label="walking, then a jump"),
]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("walk", [0, 1, 3]),
        ("WALK -sneak", [0, 3]),
        ("-walk", [2]),
        ("sport jump", [3]),
        ('"slow walk"', [0]),
        ('walk -"veer left"', [1, 3]),
        ("loco", [0, 1]),
        ("sidew", [2]),
        ("01", [0]),
        ("nothing", []),
    ],
)
def test_words(words, expected):
    fits = text.matching_words(words)
    assert [k for k, clip in enumerate(CLIPS) if fits(clip)] == expected


@pytest.mark.parametrize("words", ["", "  ", "-", '""'])
def test_no_word_is_refused(words):
    with pytest.raises(LibraryError, match="There is no word"):
        text.matching_words(words)
