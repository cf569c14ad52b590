"""Search for similar stretches: against the definition, re-timed, in a mirror, and by parts."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from action_loom.core.bodies import carry
from action_loom.core.errors import LibraryError
from action_loom.core.formats import motion_file
from action_loom.core.library import asking, basis, feature, index, search, storage, warping
from action_loom.core.library.search import Searched
from action_loom.core.library.storage import Entry, Library
from action_loom.core.motion import mirror
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material
from oracles.kept_aside import is_kept_aside
from oracles.material import SHARED

WHOLE = basis.of_part("whole")


def by_definition(costs):
    """The least totals of ways through costs (M, N) that end in each column, and their starts, cell by cell.

    Of equal ways the first one: one row and column on, then two columns, then two rows.
    """
    count, width = costs.shape
    total = np.full((count, width), np.inf)
    start = np.zeros((count, width), dtype=int)

    def before(i, j):
        if i == -1:
            return 0.0, j + 1
        return (total[i, j], start[i, j]) if i >= 0 and j >= 0 else (np.inf, 0)

    for i in range(count):
        for j in range(1, width):
            here = costs[i, j]
            ways = [(before(i - 1, j - 1), here)]
            if j >= 2:
                ways.append((before(i - 1, j - 2), 0.5 * (costs[i, j - 1] + here)))
            if i >= 1:
                ways.append((before(i - 2, j - 1), costs[i - 1, j] + here))
            sums = [(base + cost, origin) for (base, origin), cost in ways]
            total[i, j], start[i, j] = min(sums, key=lambda way: way[0])
    return total[-1], start[-1]


def smooth(rng, count):
    return np.cumsum(rng.normal(size=(count, basis.SIZE)), axis=0).astype(np.float32) / 10.0


def library_of(*clips):
    """A library in memory of clips' rows."""
    firsts = np.cumsum([0, *map(len, clips)])
    entries = tuple(
        Entry(f"/clips/{k}.bvh", rate=30.0, frames=len(rows), first=int(first), rows=len(rows))
        for k, (rows, first) in enumerate(zip(clips, firsts, strict=False))
    )
    return Library("", entries, np.concatenate(clips).astype(np.float16))


def searched(*clips):
    library = library_of(*clips)
    return Searched(library, library.entries)


@pytest.mark.parametrize("count", [4, 9, 30])
def test_the_warp_is_what_it_is_defined_as(rng, count):
    rows, query = smooth(rng, 200), smooth(rng, count)
    costs = np.linalg.norm(query[:, None] - rows[None], axis=2)
    expected, origins = by_definition(costs)
    found = search.warp_paths(query, rows, WHOLE)
    reached = np.flatnonzero(np.isfinite(expected))
    assert len(reached) > 100
    assert_allclose(found.totals[reached], expected[reached], rtol=1e-3)
    assert (found.begins(reached) == origins[reached]).mean() > 0.99  # where two ways cost the same, either


@pytest.mark.parametrize("width", [1, 2, 3, 50, 300])
@pytest.mark.parametrize("count", [1, 2, 5, 36])
def test_paths_are_followed_back_to_where_they_begin(rng, count, width):
    """Costs are sixteenths, so sums are exact, and many paths cost the same."""
    costs = rng.integers(0, 48, (count, width)).astype(np.float32) / 16.0
    expected, origins = by_definition(costs)
    found = warping.paths(costs)
    assert_array_equal(found.totals, expected)
    ends = np.flatnonzero(np.isfinite(expected))
    assert_array_equal(found.begins(ends), origins[ends])


def test_blocks_do_not_show(rng, monkeypatch):
    rows, query = smooth(rng, 900), smooth(rng, 12)
    whole = search.warp_paths(query, rows, WHOLE)
    monkeypatch.setattr(search, "BLOCK", 104)
    in_blocks = search.warp_paths(query, rows, WHOLE)
    assert_allclose(in_blocks.totals[30:], whole.totals[30:], rtol=1e-4)
    ends = np.arange(30, 900)
    assert (in_blocks.begins(ends) == whole.begins(ends)).mean() > 0.99


def test_a_stretch_finds_itself_first_and_stretches_stay_apart(rng):
    clips = [smooth(rng, 300) for _ in range(5)]
    found = search.search(searched(*clips), clips[3][100:140])
    best = found[0]
    assert (best.entry.path, best.first) == ("/clips/3.bvh", 100)
    assert 138 <= best.last <= 139
    assert best.distance < 0.01
    assert all(0 <= one.first < one.last < one.entry.rows for one in found)
    assert [one.distance for one in found] == sorted(one.distance for one in found)
    for k, one in enumerate(found):
        for other in found[:k]:
            common = min(one.last, other.last) - max(one.first, other.first) + 1
            shorter = min(one.last - one.first, other.last - other.first) + 1
            assert one.entry != other.entry or common <= search.OVERLAP * shorter


def test_no_stretch_goes_from_one_clip_into_the_next(rng):
    """A motion cut in two by the end of a clip is not found as one stretch."""
    rows = smooth(rng, 200)
    whole = search.search(searched(rows), rows[80:120])[0]
    parted = search.search(searched(rows[:100], rows[100:]), rows[80:120])
    assert whole.distance < 0.01
    assert all(one.distance > 10 * whole.distance for one in parted)
    assert all(one.distance < 10.0 for one in parted)


def swaying(rng, count, of):
    """Rows (count, SIZE) whose numbers `of` sway at random around 0."""
    rows = np.zeros((count, basis.SIZE))
    rows[:, of] = rng.normal(size=(count + 8, len(of)))[np.arange(count)[:, None] + np.arange(9)].mean(axis=1)
    return rows.astype(np.float32)


def test_movements_of_one_kind_are_found_whatever_the_order_of_their_poses(rng):
    kinds = [range(6), range(12, 18)]
    clips = [swaying(rng, length, list(kinds[k % 2])) for k, length in enumerate((300, 260, 90, 330, 120, 400))]
    found = search.search_kind(searched(*clips), swaying(rng, 120, list(kinds[0])), most=9)
    assert [int(Path(one.entry.path).stem) % 2 for one in found[:4]] == [0] * 4
    assert [one.kind for one in found] == sorted(one.kind for one in found)
    for one in found:
        assert 0 <= one.first < one.last < one.entry.rows
        assert one.seconds >= search.SHORTER * 3.0


def test_the_kind_of_a_window_is_what_it_is_defined_as(rng):
    rows = smooth(rng, 60)
    firsts, ends = np.array([0, 10, 35]), np.array([20, 30, 60])
    for first, end, numbers in zip(firsts, ends, search._describe_kinds(rows, firsts, ends), strict=True):
        of = rows[first:end].astype(np.float64)
        changes = search.CHANGES * np.diff(of, axis=0)
        expected = [of.mean(axis=0), np.sqrt(of.std(axis=0)), np.sqrt(changes.std(axis=0))]
        assert_allclose(numbers, np.concatenate(expected), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("slope", [0.55, 0.8, 1.25, 1.8])
def test_any_tempo_is_found(rng, slope):
    clips = [smooth(rng, 400) for _ in range(4)]
    source = clips[2][150:220]
    at = np.linspace(0.0, 69.0, round(70 / slope))
    query = np.stack([np.interp(at, np.arange(70), column) for column in source.T], axis=1).astype(np.float32)
    best = search.search(searched(*clips), query)[0]
    assert best.entry.path == "/clips/2.bvh"
    assert abs(best.first - 150) <= 3
    assert abs(best.last - 219) <= 3


def test_a_jump_finds_what_leaves_the_floor(rng, monkeypatch):
    lift = np.linalg.pinv(basis._load_basis()[1][feature.BALLS].astype(np.float64)) @ np.ones(2) * feature.BALL_SCALE
    aside = rng.normal(size=basis.SIZE)
    aside -= lift * (aside @ lift) / (lift @ lift)
    stands = np.zeros((36, basis.SIZE))
    jumps = stands.copy()
    jumps[16:20] += 0.3 * lift
    other = jumps + aside * 2.0 * np.linalg.norm(jumps - stands, axis=1).mean() / np.linalg.norm(aside)
    assert_allclose(basis.lower_foot(jumps).max() - basis.lower_foot(stands).max(), 0.3, atol=0.02)
    low, high = (np.tile(rows[:1], (60, 1)) for rows in (stands, other))
    high[12:48] = other
    clips = searched(low.astype(np.float32), high.astype(np.float32))
    best = search.search(clips, jumps.astype(np.float32))[0]
    assert best.entry.path == "/clips/1.bvh"
    assert best.distance > 0.0
    monkeypatch.setattr(search, "FLIGHT", 0.0)
    assert search.search(clips, jumps.astype(np.float32))[0].entry.path == "/clips/0.bvh"


def test_longer_and_shorter_queries_are_refused(rng):
    clips = searched(smooth(rng, 100))
    for count in (3, 901):
        with pytest.raises(LibraryError, match=r"search for one of 0\.14 to 30 s"):
            search.search(clips, smooth(rng, count))
    assert search.search(Searched(clips.library, ()), smooth(rng, 30)) == []


def test_clips_that_are_shorter_than_the_query_are_no_trouble(rng):
    clips = [smooth(rng, 2), smooth(rng, 1), smooth(rng, 300)]
    found = search.search(searched(*clips), clips[2][50:110])
    assert found[0].entry.path == "/clips/2.bvh"


def test_a_cut_of_the_library_is_searched_as_if_it_were_one(library):
    query = library.rows_of(library.clips[0])[10:46]
    only = tuple(clip for clip in library.clips if "walk" in clip.name)
    some = search.search(Searched(library, only), query)
    by_filter = search.search(Searched(library, library.clips), query, others=lambda clip: "walk" in clip.name)
    assert some == by_filter
    assert {one.entry.name for one in some} == {"walk", "slow walk"}


def test_in_a_mirror(folder, place):
    """The turn to the right finds the turn to the left in a mirror, and hardly without one."""
    index.update(place, [str(folder)])
    library = storage.read(place)
    clips = Searched(library, library.clips)
    clip = motion_file.read(folder / "turn.bvh").clip
    numbers = feature.rows(mirror.mirror_clip(clip))
    back = search.search(clips, basis.shorten_rows(feature.mirror_rows(numbers)))[0]
    assert back.entry.name == "turn"
    assert back.distance < 0.01
    assert search.search(clips, basis.shorten_rows(numbers))[0].distance > 5 * back.distance


def test_parts_leave_the_others_out(library, folder):
    """A walk with still arms is found in the library by its legs."""
    walk = motion_file.read(folder / "walk.bvh").clip
    still = walk.rotations.copy()
    for role, joint in walk.skeleton.roles.items():
        if role.partition(".")[0] in ("upper_arm", "forearm", "hand"):
            still[:, joint] = still[:1, joint]
    query = basis.shorten_rows(feature.rows(replace(walk, rotations=still)))[10:60]
    clips = Searched(library, library.clips)
    whole, legs = (search.search(clips, query, part=part)[0] for part in ("whole", "legs"))
    assert legs.entry.name == "walk"
    assert legs.distance < 0.3 * whole.distance
    assert search.search(clips, query, part="arms")[0].distance > 3 * legs.distance


@pytest.fixture
def captured(captures):
    """The takes of data/amc and people of data/strides as a library; no recording is in both."""
    return replace(captures, entries=tuple(one for one in captures.entries if "/cmu/" not in one.path))


def warped_to(rows, rng, low, high):
    """Return rows at another tempo, which changes smoothly between two slopes."""
    slopes = np.exp(np.interp(np.arange(200), np.linspace(0, 199, 6), rng.uniform(np.log(low), np.log(high), 6)))
    at = np.concatenate([[0.0], np.cumsum(slopes)])
    at = at[at <= len(rows) - 1]
    return np.stack([np.interp(at, np.arange(len(rows)), column) for column in rows.T], axis=1).astype(np.float32)


@pytest.mark.shared
def test_retimed_stretches_of_captures_are_found_first(captured, rng):
    """Slopes of a half to two, on takes and people kept out of tuning."""
    clips = Searched(captured, captured.clips)
    tried, right, late = 0, 0, []
    for clip in captured.clips:
        if not is_kept_aside(Path(clip.path)) or clip.rows < 50:
            continue
        first = int(rng.integers(0, clip.rows - 44))
        query = warped_to(captured.rows_of(clip)[first : first + 45], rng, 0.55, 1.8)
        best = search.search(clips, query)[0]
        tried += 1
        if best.entry == clip and abs(best.first - first) <= 12:
            right += 1
            late.append(abs(best.first - first))
    assert tried >= 12
    assert right == tried
    assert np.percentile(late, 90) <= 3


@pytest.mark.shared
def test_going_through_every_third_row_first_loses_little(captured, rng):
    clips = Searched(captured, captured.clips)
    shares = []
    for clip in captured.clips[::4]:
        if clip.rows < 60:
            continue
        first = int(rng.integers(0, clip.rows - 45))
        query = captured.rows_of(clip)[first : first + 36]
        quick = search.search(clips, query, most=10)
        exact = search.search(clips, query, most=10, exact=True)
        shares.append(len({(f.entry.path, f.last // 3) for f in quick} & {(f.entry.path, f.last // 3) for f in exact}))
    assert len(shares) >= 10
    assert np.mean(shares) >= 9.5


def test_a_clip_that_is_too_short_is_not_found_with_the_row_beside_it():
    """Clips of a row too few for half the query's length; over a long query one far row is not much."""
    rng = np.random.default_rng(8)
    there = searched(*(smooth(rng, count) for count in (20, 20, 60)))
    for count in (41, 42):
        for exact in (True, False):
            found = search.search(there, smooth(rng, count), most=50, exact=exact)
            assert {one.entry.path for one in found} == {"/clips/2.bvh"}
            assert all(0 <= one.first <= one.last < one.entry.rows for one in found)


@pytest.mark.shared
def test_characters_find_what_they_were_given(captured):
    """Captures on bodies that artists made, with heads and shoulders of their own."""
    clips = Searched(captured, captured.clips)
    takes = [SHARED / "amc" / f"{take}.amc" for take in ("16_14", "16_22", "16_35", "127_05", "127_14", "09_04")]
    right = []
    for name in ("RobotExpressive", "godot_player", "mannequiny"):
        for take in takes:
            clip, _ = carry.onto_body(motion_file.read(take).clip, material.character(name))
            first, last = len(clip) // 5, 4 * len(clip) // 5
            best = search.like(clips, asking.rows(clip, first, last), most=1)[0]
            right.append(best.entry.path == str(take) and abs(best.frames[0] - first) <= 24)
    assert np.mean(right) >= 0.9
