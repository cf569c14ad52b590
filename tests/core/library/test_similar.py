"""Similar windows of a library: against brute force, with planted copies, in any order, and by both engines."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import processes
from action_loom.core.errors import Cancelled, LibraryError
from action_loom.core.library import basis, feature, similar
from action_loom.core.library.storage import Entry, Library
from action_loom.core.motion import resample, root_motion
from action_loom.core.progress import Progress
from numpy.testing import assert_allclose, assert_array_equal
from oracles.material import captured


def library_of(clips, labels=None):
    """A library in memory of the rows of named clips."""
    firsts = np.cumsum([0, *(len(rows) for rows in clips.values())])
    entries = tuple(
        Entry(f"/clips/{name}.bvh", rate=30.0, frames=len(rows), first=int(first), rows=len(rows))
        for (name, rows), first in zip(clips.items(), firsts, strict=False)
    )
    entries = tuple(replace(entry, label=(labels or {}).get(entry.name, "")) for entry in entries)
    return Library("", entries, np.concatenate([np.asarray(rows, np.float16) for rows in clips.values()]))


def wandering(rng, count):
    return 0.1 * np.cumsum(rng.normal(size=(count, basis.SIZE)), axis=0)


@pytest.fixture
def made_up(rng):
    """Return clips of any length, some too short, and enough for windows with neighbours in other clips only."""
    return library_of(
        {f"clip {k}": wandering(rng, count) for k, count in enumerate((29, 30, 400, 37, 38, 170, 5, 901))}
    )


def windows_of(library):
    return similar.windows_of(library, library.clips)


def by_brute_force(windows):
    """The ten nearest of each window: all sums of squares, sorted."""
    away = windows.numbers[:, None].astype(np.float64) - windows.numbers
    squares = (away**2).sum(axis=2)
    own = windows.clips[:, None] == windows.clips
    squares[own & (np.abs(windows.firsts[:, None] - windows.firsts) < 30)] = np.inf
    order = np.argsort(squares, axis=1, kind="stable")[:, : similar.NEIGHBOURS]
    return np.where(np.isfinite(np.take_along_axis(squares, order, axis=1)), order, -1)


def test_a_clip_has_a_window_every_eight_rows_that_fits_into_it(made_up):
    windows = windows_of(made_up)
    counts = np.bincount(windows.clips, minlength=8)
    assert counts.tolist() == [0, 1, 47, 1, 2, 18, 0, 109]
    assert windows.firsts[windows.clips == 4].tolist() == [0, 8]
    assert windows.numbers.shape == (len(windows.firsts), 32)


def test_waves_that_are_all_told_of_keep_the_distance_of_the_samples(rng):
    """Rows that differ by few waves in the first number keep the distance of their samples."""
    times = (np.arange(similar.SAMPLES) + 0.5) * np.pi / similar.SAMPLES
    samples = np.zeros((2, similar.SAMPLES, basis.SIZE), np.float32)
    samples[1, :, 0] = 0.7 + 0.3 * np.cos(times) - 0.2 * np.cos(4 * times)
    one, other = similar._waves(samples)
    assert_allclose(((one - other) ** 2).sum(), (samples[1, :, 0] ** 2).mean(), rtol=1e-5)


def test_waves_never_tell_of_more_than_the_samples_do(rng):
    samples = rng.normal(size=(50, similar.SAMPLES, basis.SIZE)).astype(np.float32)
    reported = (similar._waves(samples) ** 2).sum(axis=1)
    assert (reported <= (samples**2).mean(axis=1).sum(axis=1)).all()
    assert (reported > 0.0).all()


def test_the_nearest_are_those_of_brute_force(made_up):
    windows = windows_of(made_up)
    assert_array_equal(similar.nearest(windows), by_brute_force(windows))


def test_who_has_fewer_than_ten_neighbours_has_all_there_are(rng):
    windows = windows_of(library_of({"one": wandering(rng, 40), "other": wandering(rng, 31)}))
    near = similar.nearest(windows)
    assert near.shape == (3, similar.NEIGHBOURS)
    assert [sorted(row[row >= 0].tolist()) for row in near] == [[2], [2], [0, 1]]
    assert_array_equal(near[:, 2:], -1)


def test_no_neighbour_overlaps_in_the_same_clip(rng):
    """All windows of a still clip are equal; windows less than a second from each other are not neighbours."""
    windows = windows_of(library_of({"still": np.zeros((400, basis.SIZE))}))
    near = similar.nearest(windows)
    assert (near >= 0).all()
    assert (np.abs(windows.firsts[near] - windows.firsts[:, None]) >= similar.LENGTH).all()
    first = [np.flatnonzero(np.abs(windows.firsts - row) >= similar.LENGTH)[:10] for row in windows.firsts]
    assert_array_equal(near, first)


@pytest.mark.parametrize("order", [[3, 0, 2, 1], [2, 3, 1, 0]])
def test_tasks_in_any_order_and_of_any_size_give_the_same(made_up, monkeypatch, order):
    windows = windows_of(made_up)
    whole = similar.nearest(windows)

    def shuffled(function, tasks):
        assert len(tasks) == 4
        for place in order:
            yield place, processes.attempt(function, tasks[place])

    monkeypatch.setattr(similar, "ROWS_OF_A_TASK", 50)
    assert_array_equal(similar.nearest(windows, attempts=shuffled), whole)


def test_processes_give_the_same(made_up, monkeypatch):
    windows = windows_of(made_up)
    whole = similar.nearest(windows)
    monkeypatch.setattr(similar, "ROWS_OF_A_TASK", 100)
    by_two = similar.nearest(windows, attempts=lambda function, tasks: processes.attempts(function, tasks, 2))
    assert_array_equal(by_two, whole)


def test_a_task_that_fails_is_told_of(made_up):
    def failing(function, tasks):
        yield 0, processes.Attempt(None, "the machine is gone")

    with pytest.raises(LibraryError, match="could not be compared: the machine is gone"):
        similar.nearest(windows_of(made_up), attempts=failing)


def test_the_order_of_clips_changes_no_pair(made_up, rng):
    def reported(entries):
        windows = similar.windows_of(made_up, entries)
        pairs = similar.mutual(similar.nearest(windows))
        names = [(entries[clip].name, int(first)) for clip, first in zip(windows.clips, windows.firsts, strict=True)]
        return {frozenset((names[one], names[other])) for one, other in pairs}

    pairs = reported(made_up.clips)
    assert len(pairs) > 100
    assert reported([made_up.clips[k] for k in rng.permutation(8)]) == pairs


def test_pairs_are_among_the_nearest_of_each_other():
    near = np.array([[1, 2, -1], [0, 3, -1], [3, -1, -1], [2, 1, 0]], dtype=np.int32)
    assert similar.mutual(near).tolist() == [[0, 1], [1, 3], [2, 3]]


def test_a_pair_is_warped_onto_what_it_was_re_timed_from(rng):
    """A window against one that goes 1.25 times as fast: a smaller distance, and the rows that it is made of."""
    slow = wandering(rng, 90)
    times = np.arange(0.0, 89.0, 1.25)
    fast = np.stack([np.interp(times, np.arange(90), column) for column in slow.T], axis=1)
    library = library_of({"fast": fast, "slow": slow})
    windows = windows_of(library)
    one = int(np.flatnonzero((windows.clips == 0) & (windows.firsts == 24))[0])
    other = int(np.flatnonzero((windows.clips == 1) & (windows.firsts == 32))[0])
    distances, stretches = similar.warp_pairs(library, library.clips, windows, np.array([[one, other]]))
    straight = np.linalg.norm(fast[24:54] - slow[32:62], axis=1).mean()
    assert distances[0] < 0.3 * straight
    assert_allclose(stretches[0], [1.25 * 24, 1.25 * 53], atol=1.5)


def test_neighbours_agree_on_labels():
    """Two groups of four, with all pairs inside and one pair between, stay two; a lone window stays alone."""
    pairs = np.array(
        [[0, 1], [0, 2], [0, 5], [1, 2], [1, 5], [2, 5], [3, 4], [3, 6], [3, 7], [4, 6], [4, 7], [6, 7], [5, 6]]
    )
    assert similar.propagate_labels(9, pairs).tolist() == [1, 1, 1, 4, 4, 1, 4, 4, 8]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_labels_that_go_on_as_one_another_are_one(count):
    """Labels that follow each other in two or three of three clips are joined; once may be chance."""
    clips = np.repeat(np.arange(3, dtype=np.int32), 4)
    labels = np.array([0, 0, 1, 1] * count + [0, 0, 5, 5] * (3 - count), dtype=np.int32)
    labels[labels == 5] = np.arange(5, 5 + (labels == 5).sum())
    windows = similar.Windows(clips, np.tile(np.arange(4, dtype=np.int32) * 8, 3), np.zeros((12, 32), np.float32))
    joined = similar.follow_on(windows, labels)
    assert (joined == np.where(labels == 1, 0, labels)).all() == (count > 1)
    assert (joined == labels).all() == (count == 1)


def turned(clip):
    return root_motion.place_clip(clip, 2.1, np.array([5.0, -3.0]))


def re_timed(clip, speed):
    return resample.sample(clip, np.arange(0.0, len(clip) - 1, speed))


def rows_of(clip):
    return basis.shorten_rows(feature.rows(clip))


@pytest.mark.shared
@pytest.mark.parametrize("name", ["daz_13_18", "mb_02_06", "mb_05_11", "daz_14_27", "daz_salsa_10"])
def test_copies_of_a_clip_are_one_cluster(name):
    """Turned, moved and at other speeds, among clips that are something else: whole, and in no other cluster."""
    clip = captured(f"cmu_{name}").cut(100, 700)
    copies = {"as it is": clip, "turned": turned(clip), "slower": re_timed(clip, 0.9)}
    copies["faster"] = re_timed(turned(clip), 1.1)
    unlike = {name: captured(f"cmu_{name}") for name in ("mb_05_01", "mb_35_17", "mb_06_10")}
    labels = dict.fromkeys(copies, "planted") | dict.fromkeys(unlike, "something")
    library = library_of({name: rows_of(clip) for name, clip in (copies | unlike).items()}, labels)
    found = similar.similar(library)
    (cluster,) = [c for c in found.clusters if any(stretch.entry.name in copies for stretch in c.stretches)]
    seconds = dict.fromkeys(copies, 0.0)
    for stretch in cluster.stretches:
        if stretch.entry.name in copies:
            seconds[stretch.entry.name] += stretch.seconds
    for entry in library.clips:
        assert entry.name in unlike or seconds[entry.name] > 0.9 * entry.rows / feature.RATE
    assert cluster.words == ("planted",)
    assert cluster.typical.entry.name in copies
    best = next(pair for pair in found.pairs if {pair.one.entry.name, pair.other.entry.name} == {"as it is", "turned"})
    assert best.distance < 1e-3
    assert best.one.frames == best.other.frames
    assert best.one.seconds > 0.9 * clip.seconds


def test_words_are_those_that_others_lack(rng):
    walk = wandering(rng, 300)
    other = {f"other {k}": 5.0 + k + wandering(rng, 100) for k in range(4)}
    clips = {f"take {k}": walk + 0.001 * rng.normal(size=walk.shape) for k in range(4)} | other
    labels = {name: f"cmu {'walk slowly' if name.startswith('take') else 'sit'}" for name in clips}
    found = similar.similar(library_of(clips, labels))
    assert found.clusters[0].words == ("slowly", "walk", "cmu")
    assert len(found.clusters[0].stretches) == 4
    assert found.clusters[0].windows >= similar.LEAST


def test_what_is_found_fits_into_its_clips(library):
    found = similar.similar(library, farthest=9.0, least=2)
    assert found.pairs
    assert found.clusters
    stretches = [stretch for pair in found.pairs for stretch in (pair.one, pair.other)]
    stretches += [stretch for cluster in found.clusters for stretch in (*cluster.stretches, cluster.typical)]
    for stretch in stretches:
        assert 0 <= stretch.first < stretch.last < stretch.entry.rows
    for pair in found.pairs:
        assert pair.one.entry != pair.other.entry or pair.one.last < pair.other.first
    assert [pair.distance for pair in found.pairs] == sorted(pair.distance for pair in found.pairs)
    sizes = [cluster.windows for cluster in found.clusters]
    assert sizes == sorted(sizes, reverse=True)
    assert found.coverage == sum(sizes) / found.windows


def test_only_pairs_that_are_near_enough_and_of_chosen_clips(library):
    walks = similar.similar(library, others=lambda entry: "walk" in entry.name, farthest=0.05)
    assert {pair.one.entry.name for pair in walks.pairs} <= {"walk", "slow walk"}
    assert all(pair.distance <= 0.05 for pair in walks.pairs)
    with pytest.raises(LibraryError, match=f"None of the library's {len(library.clips)} clips is asked for"):
        similar.similar(library, others=lambda _: False)


def test_clips_shorter_than_a_second_are_not_compared(library):
    short = replace(library, entries=tuple(replace(entry, rows=10) for entry in library.entries))
    with pytest.raises(LibraryError, match="No clip that is asked for takes a second"):
        similar.similar(short)


def test_the_work_says_how_far_it_is_and_can_be_stopped(library):
    reported = []

    def listener(stop_at):
        def listen(fraction, _):
            reported.append(fraction)
            return len(reported) <= stop_at

        return listen

    similar.similar(library, progress=Progress(listener(1000)))
    assert reported == sorted(reported)
    assert reported[0] >= 0.0
    assert reported[-1] <= 1.0
    for stop_at in range(len(reported)):
        reported.clear()
        with pytest.raises(Cancelled):
            similar.similar(library, progress=Progress(listener(stop_at)))
