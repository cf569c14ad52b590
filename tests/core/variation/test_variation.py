"""Endless variations: played frames, limits read back from written files, and known answers."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import GraphError, OptionError
from action_loom.core.formats import motion_file
from action_loom.core.graph import inputs
from action_loom.core.motion import kinematics, quat, root_motion
from action_loom.core.variation import choice, guide, jumps, source
from action_loom.core.verbs import Walk
from numpy.testing import assert_allclose
from oracles import bodies, material

pytestmark = pytest.mark.both_engines


@pytest.fixture(scope="module")
def gestures():
    return material.captured("cmu_daz_13_26")


@pytest.fixture(scope="module")
def rows(gestures):
    return verbs.prepare(Walk(), [gestures])


def standing_alike(one, other):
    """Return two clips placed so that their first frames stand at the origin and face alike."""
    placed = []
    for clip in (one, other):
        ground, facing = root_motion.ground_frames(clip.cut(0, 1))
        turned = root_motion.place_clip(clip, -float(facing[0]), np.zeros(2))
        placed.append(root_motion.place_clip(turned, 0.0, -root_motion.ground_frames(turned)[0][0]))
        assert len(ground) == 1
    return placed


def angles(one, other):
    """Return the angles (F, J) between the rotations of two clips, radians; exact for small ones."""
    same = np.sign((one.rotations * other.rotations).sum(axis=-1, keepdims=True))
    return 2.0 * np.arcsin(np.minimum(0.5 * np.linalg.norm(one.rotations - same * other.rotations, axis=-1), 1.0))


def written(made, tmp_path):
    """Return a result as a reader of its file sees it."""
    path = tmp_path / "made.bvh"
    path.write_bytes(motion_file.compose(made.clip, path))
    return motion_file.read(path).clip


@pytest.mark.shared
def test_frames_are_the_sources_own_away_from_seams(gestures, rows):
    made = verbs.apply(Walk(seconds=12.0, plant_feet=False), [gestures], prepared=rows)
    alone = np.flatnonzero(made.origin.other < 0)
    given = gestures.take_frames(rows.inputs.frame_maps[0].first + made.origin.frame[alone])
    roots = made.clip.skeleton.parents < 0
    assert_allclose(made.clip.rotations[alone][:, ~roots], given.rotations[:, ~roots], atol=1e-12)
    assert len(alone) > 0.6 * len(made.clip)


@pytest.mark.shared
def test_keyed_poses_are_hit_in_the_written_file(gestures, rows, tmp_path):
    keys = ((0.0, 1, 300), (5.0, 1, 1500), (12.0, 1, 900))
    made = verbs.apply(Walk(seconds=12.0, poses=keys), [gestures], prepared=rows)
    read = written(made, tmp_path)
    for seconds, _, frame in keys:
        at = round(seconds * gestures.rate)
        key, pose = standing_alike(gestures.cut(frame, frame + 1), read.cut(at, at + 1))
        assert angles(key, pose).max() < 1e-3
    assert [key["frame"] for key in made.report["walk"]["keys"]] == [0, 600, 1440]


@pytest.mark.shared
def test_a_key_far_from_everything_is_named(gestures, rows):
    odd = replace(gestures, name="odd", rotations=np.roll(gestures.rotations, 7, axis=1)).cut(0, 200)
    made = verbs.apply(Walk(seconds=10.0, shares=((1.0, 0.0),), poses=((4.2, 2, 50),)), [gestures, odd])
    assert any(sentence.startswith("the key at 4.2 s is ") for sentence in made.report["warnings"])
    assert set(made.origin.clip.tolist()) == {0}


@pytest.mark.shared
def test_a_stretch_stays_as_it_is_in_the_written_file(gestures, rows, tmp_path):
    made = verbs.apply(Walk(seconds=12.0, verbatim=((4.0, 1, 701, 1000),)), [gestures], prepared=rows)
    clip = made.clip.cut(480, 480 + 300)
    own, kept = standing_alike(gestures.cut(701, 1001), clip)
    assert angles(own, kept).max() < 1e-6
    assert_allclose(kept.translations, own.translations, atol=1e-6)
    _, again = standing_alike(gestures.cut(701, 1001), written(made, tmp_path).cut(480, 780))
    assert angles(own, again).max() < 1e-5  # the file has six digits of a degree


@pytest.mark.shared
@pytest.mark.parametrize("end", [(0.5, 3.0, 30.0), (-1.0, 2.0, -90.0)])
def test_it_ends_where_it_is_sent(end, tmp_path):
    clip = material.captured("cmu_mb_26_01")
    read = written(verbs.apply(Walk(seconds=15.0, way=(end,)), [clip]), tmp_path)
    ground, facing = root_motion.ground_frames(read)
    gone = complex(*(ground[-1] - ground[0])) * np.exp(-1j * facing[0])
    assert abs(gone - complex(*end[:2])) < 0.01
    turned = np.degrees(facing[-1] - facing[0]) - end[2]
    assert abs((turned + 180.0) % 360.0 - 180.0) < 1.0


@pytest.mark.shared
def test_a_loop_ends_with_its_first_pose(gestures, rows):
    clip = verbs.apply(Walk(seconds=10.0, loop=True), [gestures], prepared=rows).clip
    assert clip.cyclic
    first, last = standing_alike(clip.cut(0, 1), clip.cut(len(clip) - 1, len(clip)))
    assert angles(first, last).max() < 1e-6


@pytest.mark.shared
def test_without_variation_it_is_the_source_in_its_order(gestures, rows):
    made = verbs.apply(Walk(seconds=20.0, variation=0.0), [gestures], prepared=rows)
    assert made.report["walk"]["transitions"] == 0


@pytest.mark.shared
def test_a_long_result_uses_nearly_all_of_its_source(gestures, rows):
    own = verbs.apply(Walk(seconds=60.0), [gestures], prepared=rows).report["walk"]
    assert own["used"] > 0.85


def test_each_source_gets_about_its_share():
    clips = [actions.walk(30.0, 6), actions.sneak(30.0, 4)]
    made = verbs.apply(Walk(seconds=40.0, shares=((1.0, 1.0),)), clips)
    assert abs(made.report["walk"]["shares"]["walk"] - 0.5) < 0.2


def test_a_single_cycle_goes_on_without_a_seam():
    cycle = actions.walk(cycles=1)
    made = verbs.apply(Walk(seconds=10.0), [cycle])
    assert made.report["walk"]["transitions"] == 0
    speeds = np.linalg.norm(np.diff(kinematics.points(made.clip), axis=0), axis=2).max(axis=1)
    assert speeds.max() < 1.01 * np.linalg.norm(np.diff(kinematics.points(cycle), axis=0), axis=2).max()


def test_seeds_differ_and_a_seed_is_the_same_again():
    clip = actions.wave()
    one, same, other = (verbs.apply(Walk(seconds=9.0, seed=seed), [clip]).clip for seed in (5, 5, 6))
    assert (one.rotations == same.rotations).all()
    assert one.rotations.shape == other.rotations.shape


def test_it_needs_more_than_a_pose():
    with pytest.raises(GraphError, match="has one pose only"):
        verbs.apply(Walk(seconds=1.0), [actions.wave().cut(0, 1)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"poses": ((9.0, 1, 3),)}, "9 s lies outside the result, which takes 5 s"),
        ({"poses": ((1.0, 2, 3),)}, "there is no clip 2: clips are 1 to 1"),
        ({"poses": ((1.0, 1, 3000),)}, "has no frame 3000"),
        ({"poses": ((1.0, 1, 3), (1.0, 1, 9))}, "poses has frame 30 twice"),
        ({"poses": ((1.0, 1),)}, "poses takes rows of seconds, clip, frame"),
        ({"verbatim": ((1.0, 1, 3, 20), (1.2, 1, 3, 20))}, "verbatim has 1.2 s twice"),
        ({"verbatim": ((1.0, 1, 3, 20),), "poses": ((1.2, 1, 3),)}, "lies in a stretch that is kept"),
        ({"way": ((1.0, 1.0),)}, "way takes rows of x, y, degrees"),
        ({"way": ((0, 0), (0, 4)), "verbatim": ((1.0, 1, 3, 20),)}, "verbatim and path were both given"),
        ({"shares": ((1.0, 1.0),)}, "shares has 2 values, but takes 1"),
        ({"label_filter": "run"}, "no walk is among clips of the label 'run'"),
    ],
)
def test_what_does_not_fit_is_refused(options, message):
    with pytest.raises(OptionError, match=message):
        verbs.apply(Walk(seconds=5.0, **options), [actions.walk()])


def test_the_cheapest_way_is_that_of_trying_every_one(rng):
    """Compare the search with all ways through a few rows of made-up costs."""
    rows = source.gather(inputs.gather([actions.wave().cut(0, 24)], images=False))
    count, stay = 8, 2
    costs = rng.uniform(0.0, 5.0, (count, len(rows)))
    start, end = np.array([6, 10, 14, 4]), np.array([12, 2, 7, 17])
    found = jumps.Jumps(start, end, np.zeros(4), np.zeros(4, dtype=bool))
    entries = choice._entries(rows, found, stay)
    price = np.where(entries.jumps >= 0, 1.0, np.inf)
    made = choice._cheapest(rows, costs, entries, price, found, None, stay)

    def best(t, row, since):
        if t == count - 1:
            return 0.0 if since >= stay else np.inf
        ways = [np.inf]
        if row + 1 < len(rows):
            ways.append(costs[t + 1, row + 1] + best(t + 1, row + 1, since + 1))
        if since >= stay:
            ways += [
                1.0 + costs[t + 1, to + 1] + best(t + 1, to + 1, 1)
                for of, to in zip(start, end, strict=True)
                if of == row and to + stay < len(rows)
            ]
        return min(ways)

    least = min(costs[0, row] + best(0, row, 1) for row in range(len(rows)))
    assert made.cost == pytest.approx(least)
    assert made.cost == pytest.approx(costs[np.arange(count), made.rows].sum() + (made.jumps >= 0).sum())


def test_blocks_join_into_one_way(monkeypatch):
    clip = actions.walk(30.0, 4)
    monkeypatch.setattr(choice, "BLOCK", 60)
    monkeypatch.setattr(choice, "OVERLAP", 30)
    made = verbs.apply(Walk(seconds=12.0), [clip, actions.wave()])
    assert len(made.clip) == 361
    runs = np.flatnonzero(np.diff(made.origin.piece))
    assert (np.diff(made.origin.frame)[np.setdiff1d(np.arange(360), runs)] == 1).all()


def test_a_guide_shows_the_sources_poses(rng):
    rows = source.gather(inputs.gather([actions.wave(), actions.walk()], images=False))
    none = guide.Pinned(np.zeros(0, dtype=int), np.zeros((0, rows.features.shape[1])))
    shares = np.array([0.5, 0.5])
    made = np.concatenate([guide.make(rows, 200, 1.0, seed, none, shares, loop=False) for seed in range(1, 6)])
    apart = np.sqrt(((made[:, None] - rows.features) ** 2).sum(axis=2)).min(axis=1)
    noise = rng.normal(size=made.shape) * rows.features.std(axis=0)
    far = np.sqrt(((noise[:, None] - rows.features) ** 2).sum(axis=2)).min(axis=1)
    assert np.median(apart) < 0.3 * np.median(far)


@pytest.mark.shared
def test_it_is_led_along_a_curve_in_the_written_file(tmp_path):
    clip, corner = material.captured("cmu_mb_26_01"), ((0.0, 0.0), (0.0, 3.0), (3.0, 5.0))
    made = verbs.apply(Walk(seconds=8.0, way=corner), [clip])
    read = written(made, tmp_path)
    way = root_motion.smooth(root_motion.ground_frames(read)[0], 0.8 * read.rate) @ np.array([1.0, 1j])
    path = np.concatenate([np.linspace(0.0, 3j, 200), np.linspace(3j, 3.0 + 5j, 200)])
    # planted feet move the hips; a corner is cut
    assert np.abs(way[:, None] - path).min(axis=1).max() < 0.25
    assert abs(way[0]) < 0.1
    gone = np.abs(np.diff(way)).sum()
    told = [sentence for sentence in made.report["warnings"] if "the path is" in sentence]
    assert bool(told) == (abs(gone - 3.0 - np.hypot(3.0, 2.0)) > 0.5)


@pytest.mark.shared
def test_no_jump_joins_parts_of_different_flights():
    rows = verbs.prepare(Walk(), [material.captured("cmu_mb_02_04")])
    air = np.abs(rows.air).max(axis=1) > 0.0
    assert 5 < air.sum() < 0.5 * len(rows)
    found = jumps.find(rows, 0.3)
    begins, ends = np.abs(rows.air[found.start] - rows.air[found.end]).T
    assert (begins + ends).max() <= 0.3
    assert len(jumps.find(replace(rows, air=np.zeros_like(rows.air)), 0.3)) > len(found)


@pytest.mark.shared
def test_a_body_without_known_legs_a_prop_and_fingers_go_on_with_their_frames(gestures):
    """Joints without weight play with the body, and a body with unknown legs continues like any other."""
    clip = gestures.cut(200, 1700)
    body = bodies.with_joints(clip.skeleton, {}, ("rHand", "lHand"))
    count = len(body) - len(clip.skeleton)
    turns = quat.about_axis("X", np.linspace(0.0, 9.0, len(clip)))[:, None].repeat(count, axis=1)
    rotations = np.concatenate([clip.rotations, turns], axis=1)
    translations = np.concatenate([clip.translations, np.zeros((len(clip), count, 3))], axis=1)
    roles = {
        role: joint for role, joint in clip.skeleton.roles.items() if role.split(".")[0] in ("hips", "spine", "head")
    }
    for one in (body, replace(body, roles=roles)):
        held = replace(clip, skeleton=one, rotations=rotations, translations=translations)
        made = verbs.apply(Walk(seconds=12.0), [held])
        alone = np.flatnonzero(made.origin.other < 0)
        own = turns[made.origin.frame[alone]]
        assert_allclose(np.abs((made.clip.rotations[alone, -count:] * own).sum(axis=-1)), 1.0, atol=1e-9)
        assert made.report["walk"]["used"] > 0.7
    assert made.report["plant"] is None


@pytest.mark.shared
def test_captured_sources_get_their_stated_shares():
    clips = [material.captured(name) for name in ("cmu_mb_02_01", "cmu_mb_07_01", "cmu_mb_35_01")]
    made = verbs.apply(Walk(seconds=40.0, shares=((2.0, 1.0, 1.0),)), clips)
    got = list(made.report["walk"]["shares"].values())
    told = [sentence for sentence in made.report["warnings"] if "of the result, not" in sentence]
    assert np.abs(np.array(got) - (0.5, 0.25, 0.25)).max() < 0.12 or told


@pytest.mark.shared
def test_a_captured_cycle_repeats_without_a_jump():
    cycle = verbs.apply(verbs.Loop(), [material.captured("cmu_mb_02_01")]).clip
    made = verbs.apply(Walk(seconds=10.0), [cycle])
    assert made.report["walk"]["transitions"] == 0
    assert any("only repeats: Restyle" in sentence for sentence in made.report["warnings"])


def test_a_clip_of_a_few_frames_is_played_or_refused():
    few = actions.walk().cut(0, 9)
    assert len(verbs.apply(Walk(seconds=0.2), [few]).clip) == 7
    with pytest.raises(GraphError, match="no way leads on"):
        verbs.apply(Walk(seconds=3.0), [few])


def test_a_stretch_keeps_its_frames_beside_a_key_that_needs_other_times():
    turn = actions.turn_left(30.0)
    made = verbs.apply(Walk(seconds=1.0, poses=((0.07, 1, 65),), verbatim=((0.465, 1, 41, 55),)), [turn])
    assert angles(turn.cut(41, 55), made.clip.cut(14, 28))[:, 1:].max() < 1e-6
    assert angles(turn.cut(65, 66), made.clip.cut(2, 3))[:, 1:].max() < 1e-3


@pytest.mark.shared
def test_kept_hands_and_planted_feet_leave_poses_stretches_and_loops_as_they_are(tmp_path):
    clip = material.captured("cmu_mb_02_06")
    rows = verbs.prepare(Walk(), [clip])
    limits = {"poses": ((6.0, 1, 700),), "verbatim": ((2.0, 1, 300, 420),)}
    made = verbs.apply(Walk(seconds=8.0, **limits), [clip], prepared=rows)
    assert made.report["hands"]
    read = written(made, tmp_path)
    for given, shown in ((clip.cut(700, 701), read.cut(720, 721)), (clip.cut(300, 420), read.cut(240, 360))):
        assert angles(*standing_alike(given, shown)).max() < 1e-5
    looped = verbs.apply(Walk(seconds=8.0, loop=True), [clip], prepared=rows).clip
    assert angles(*standing_alike(looped.cut(0, 1), looped.cut(len(looped) - 1, len(looped)))).max() < 1e-9


def test_a_variation_that_stays_in_a_cycle_says_that_it_only_repeats():
    walk = replace(actions.walk(cycles=1), cyclic=True)
    made = verbs.apply(Walk(seconds=6.0, shares=((1.0, 0.0),)), [walk, actions.wave()])
    assert set(made.origin.clip.tolist()) == {0}
    assert made.report["walk"]["transitions"] == 0
    assert any("only repeats: Restyle" in sentence for sentence in made.report["warnings"])


@pytest.mark.shared
@pytest.mark.parametrize("seconds", [2.0, 8.0])
def test_no_two_of_a_crowd_of_a_cycle_or_a_short_clip_move_alike(seconds):
    cycle = verbs.apply(verbs.Loop(), [material.captured("cmu_mb_02_01")]).clip
    for clip in (cycle, material.captured("cmu_mb_26_01").cut(120, 540)):
        rows = verbs.prepare(Walk(), [clip])
        made = [
            verbs.apply(Walk(seconds=seconds, seed=k, plant_feet=False), [clip], prepared=rows) for k in range(1, 7)
        ]
        shown = [rows.poses_of([one.clip]) for one in made]
        alike = [(np.linalg.norm(one - other, axis=1) < 0.03).mean() for one, other in itertools.combinations(shown, 2)]
        assert max(alike) < 0.9


@pytest.mark.shared
@pytest.mark.parametrize("seconds", [3.0, 4.0, 6.0])
def test_a_loop_of_strides_takes_a_whole_number_of_them_and_says_so(seconds):
    clip = motion_file.read(material.SHARED / "strides" / "cmu_mb_35_02.bvh").clip
    made = verbs.apply(Walk(seconds=seconds, loop=True), [clip])
    assert made.clip.cyclic
    assert 0.65 * seconds < made.clip.seconds < 1.35 * seconds
    told = any("no loop takes" in sentence for sentence in made.report["warnings"])
    assert told == (abs(made.clip.seconds - seconds) > 0.05 * seconds)
