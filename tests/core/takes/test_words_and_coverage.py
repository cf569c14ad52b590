"""Searches for stretches by words for their actions, and reports of the actions missing in sets."""

import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import LibraryError
from action_loom.core.verbs.take import coverage, cutting, take_set, words
from oracles import takes


def found(query, name, text=""):
    return [hit.name for hit in words.find(words.parse_query(query), cutting.cut(takes.capture(name)), text)]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("query", "name", "hit"),
    [
        ("walk turning left", "16_17", "Walk Left"),
        ("walking right", "16_19", "Walk Right"),
        ("start running", "127_03", "Run"),
        ("walk backwards", "09_12", "Walk Back"),
        ("jump", "cmu_daz_13_11", "Jump"),
        ("sprint", "09_01", "Run"),
    ],
)
def test_what_is_done_is_found_by_words(query, name, hit):
    assert hit in found(query, name)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("query", "name"), [("run", "16_15"), ("walk turning right", "16_17"), ("jump", "16_15"), ("strafe", "16_15")]
)
def test_what_is_not_done_is_not_found(query, name):
    assert found(query, name) == []


def test_other_words_are_of_names_and_labels():
    walk = cutting.cut(actions.walk())
    assert words.find(words.parse_query("zombie walk"), walk, "captures zombie_02.bvh")
    assert not words.find(words.parse_query("zombie walk"), walk, "captures person_02.bvh")


@pytest.mark.shared
def test_of_a_stop_the_end_is_shown():
    known = takes.joined("16 a")
    cut = cutting.cut(known.clip)
    (hit,) = words.find(words.parse_query("walk stop"), cut)
    assert abs(hit.last / known.clip.rate - 14.1) < 0.5
    assert (hit.last - hit.first) / known.clip.rate <= words.AROUND + 0.01


def test_no_word_is_refused():
    with pytest.raises(LibraryError, match="There is no word"):
        words.parse_query("the , and")


@pytest.mark.shared
def test_holes_of_a_take_of_walks_both_ways():
    made = take_set.make(takes.joined("16 a").clip)
    lacks = " ".join(hole.words for hole in coverage.holes(made.items))
    assert "idle" not in lacks
    assert "stop of Walk" not in lacks
    assert "turn" not in lacks


@pytest.mark.shared
def test_a_side_that_lacks_can_be_filled_by_a_mirror():
    lacks = coverage.holes(take_set.make(takes.capture("09_12")).items)
    right = next(hole for hole in lacks if "right from Walk" in hole.words)
    assert right.fill == coverage.MIRROR
    assert "Walk Left" in right.of
    mirrored = coverage.holes(take_set.make(takes.capture("09_12"), mirror=True).items)
    assert not [hole for hole in mirrored if "right from Walk" in hole.words]


@pytest.mark.shared
def test_a_gap_between_speeds_is_told():
    made = take_set.make(takes.joined("35 a").clip)
    gap = next(hole for hole in coverage.holes(made.items) if "nothing between" in hole.words)
    assert gap.fill == coverage.BLEND
    assert gap.of[0].startswith("Walk")
    assert gap.of[1].startswith("Run")


def test_what_a_take_can_not_fill_is_sought_in_a_library_by_words_that_tracks_tell():
    lacks = coverage.holes(take_set.make(actions.walk(cycles=6)).items)
    assert [hole.seek for hole in lacks] == ["idle", "walk turning left", "walk turning right"]
    assert all(words.parse_query(hole.seek).meanings and not words.parse_query(hole.seek).others for hole in lacks)
