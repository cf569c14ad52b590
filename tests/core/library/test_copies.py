"""Several files of one take: conversions and copies give one result, two takes give two."""

import pytest
from action_loom.core.demo_character import actions
from action_loom.core.library import asking, copies, index, search, storage
from oracles.material import as_captured

from .conftest import write


def named(library, name):
    return next(entry for entry in library.clips if entry.path.endswith(name))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("cmu_mb_02_01.bvh", "cmu_daz_02_01.bvh", True),
        ("cmu_mb_16_15.bvh", "/16_15.amc", True),
        ("/16_11.amc", "cmu_asf_16_11.bvh", True),
        ("cmu_daz_09_12.bvh", "/09_12.amc", True),
        ("cmu_mb_35_11.bvh", "cmu_mb_35_12.bvh", False),
        ("cmu_mb_35_17.bvh", "cmu_mb_35_19.bvh", False),
        ("/16_21.amc", "/16_22.amc", False),
    ],
)
def test_conversions_are_one_take_and_takes_of_one_person_are_not(captures, one, other, same):
    assert copies.same_take(captures, named(captures, one), named(captures, other)) is same


@pytest.mark.shared
def test_no_two_takes_are_taken_for_one(captures):
    """Captured files are named after subject and take."""
    kept = copies.drop_copies(captures, captures.clips)
    takes = [tuple(entry.name.split("_")[-2:]) for entry in captures.clips]
    assert len(kept) == len(set(takes)) < len(takes)


@pytest.mark.shared
def test_a_search_counts_conversions(captures):
    entry = named(captures, "cmu_mb_02_01.bvh")
    query = asking.rows(as_captured("cmu_mb_02_01"), 60, 180)
    found = search.like(search.Searched(captures, captures.clips), query, most=10)
    assert found[0].entry == entry
    assert [one.name for one in found[0].copies] == ["cmu_daz_02_01"]
    assert len(found) == 10
    takes = [tuple(one.entry.name.split("_")[-2:]) + one.frames for one in found]
    assert len(set(takes)) == len(takes)


def test_a_copied_file_is_one_result(folder, place):
    write(folder / "a copy.bvh", actions.wave(24.0))
    index.update(place, [str(folder)])
    library = storage.read(place)
    found = search.like(search.Searched(library, library.clips), asking.rows(actions.wave(24.0), 10, 60), most=3)
    assert [len(one.copies) for one in found] == [1, 0, 0]
    assert {found[0].entry.name, found[0].copies[0].name} == {"wave", "a copy"}
