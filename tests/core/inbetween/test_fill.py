"""Filling between keyed poses: keys stay, hidden motion returns, and a message names motion without a source."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.edit import filtering
from action_loom.core.errors import ClipError, OptionError
from action_loom.core.inbetween import candidates, choice, completing, fill, filling, rows, trust
from action_loom.core.motion import kinematics, mirror, quat, resample, root_motion
from action_loom.core.verbs.fill import locks
from action_loom.core.weave import root_trajectory
from oracles import material

KEYS = np.array([0, 20, 48, 80])


def away(one, other):
    """The farthest distance (m) of any point."""
    return float(np.linalg.norm(kinematics.points(one) - kinematics.points(other), axis=2).max())


def filled(clip, sources, keys=KEYS, **options):
    recipe = verbs.Fill(key_frames=(tuple(keys),), **options)
    return verbs.apply(recipe, [clip, *sources])


def hidden(clip, keys=KEYS):
    """A clip of which only the keyed poses are known."""
    poses = [filling.interpolate_poses(clip.cut(a, a + 1), clip.cut(b, b + 1), b - a + 1) for a, b in pairwise(keys)]
    turns = np.concatenate([poses[0].rotations[:1], *(pose.rotations[1:] for pose in poses)])
    places = np.concatenate([poses[0].translations[:1], *(pose.translations[1:] for pose in poses)])
    return replace(clip.cut(0, keys[-1] + 1), rotations=turns, translations=places, name="blocking")


def test_hidden_motion_comes_back_from_a_clip_that_has_it():
    walk = actions.walk()
    block = hidden(walk)
    assert away(block, walk.cut(0, 81)) > 0.1
    made = filled(block, [actions.sneak(), walk], plant_feet=False)
    assert away(made.clip, walk.cut(0, 81)) < 0.035  # feet that strike at a key strike more softly
    assert {gap["candidates"][gap["candidate"]]["stretches"][0]["clip"] for gap in made.report["fill"]["gaps"]} == {
        "walk"
    }


@pytest.mark.parametrize("turn", [1.0, 3.0])
def test_it_does_not_matter_where_a_character_stands_and_faces(turn):
    walk = actions.walk()
    here, there = (
        filled(hidden(walk), [walk]),
        filled(root_motion.place_clip(hidden(walk), turn, np.array([3.0, -2.0])), [walk]),
    )
    assert away(root_motion.place_clip(here.clip, turn, np.array([3.0, -2.0])), there.clip) < 1e-4


def test_it_does_not_matter_how_large_a_character_is():
    def scaled(clip, size):
        body = replace(clip.skeleton, offsets=size * clip.skeleton.offsets, tips=size * clip.skeleton.tips)
        return replace(clip, skeleton=body, translations=size * clip.translations)

    walk = actions.walk()
    made = [filled(scaled(hidden(walk), size), [scaled(walk, size)], plant_feet=False) for size in (1.0, 2.0)]
    assert away(scaled(made[0].clip, 2.0), made[1].clip) < 1e-4


def test_a_mirrored_blocking_is_filled_by_the_mirror_image():
    walk = actions.walk()
    block = hidden(mirror.mirror_clip(walk))
    turned = filled(block, [actions.turn_left()], keys=KEYS)
    own = filled(block, [walk], keys=KEYS, plant_feet=False)
    assert turned.clip.skeleton is own.clip.skeleton
    assert away(own.clip, mirror.mirror_clip(walk).cut(0, 81)) < 0.035  # feet that strike at a key strike more softly


@pytest.mark.parametrize("sources", [[actions.wave()], [actions.sneak(), actions.turn_left()]])
def test_keyed_frames_and_all_frames_outside_stay(sources):
    clip, keys = actions.walk(), (10, 30, 34, 60)
    made = filled(clip, sources, keys=keys).clip
    same = [*range(11), *range(30, 35), *range(60, len(clip))]
    turned = quat.same_side(made.rotations, clip.rotations) - clip.rotations
    assert np.abs(turned[same]).max() < 1e-12
    assert np.abs(made.translations - clip.translations)[same].max() == 0.0


def test_speeds_do_not_jump_at_keys():
    walk = actions.walk()
    made = filled(hidden(walk), [actions.sneak()], share=1.0, plant_feet=False).clip
    turns = quat.log(quat.mul(quat.inv(made.rotations[:-1]), made.rotations[1:])) * made.rate
    jumps = np.linalg.norm(np.diff(turns, axis=0), axis=2)
    own = quat.log(quat.mul(quat.inv(walk.rotations[:-1]), walk.rotations[1:])) * walk.rate
    assert jumps[KEYS[1:-1] - 1].max() < 1.3 * np.percentile(np.linalg.norm(np.diff(own, axis=0), axis=2), 99) + 0.5


def test_a_cycle_is_repeated_for_a_gap_longer_than_itself():
    walk, cycle = actions.walk(), actions.walk(cycles=1)
    made = filled(hidden(walk, (0, 80)), [cycle], keys=(0, 80), plant_feet=False)
    assert away(made.clip, walk.cut(0, 81)) < 0.03


def test_what_is_not_there_is_interpolated_and_said():
    wave = actions.wave()
    keys = (0, 30, 60, 90)
    made = filled(hidden(wave, keys), [actions.turn_left()], keys=keys, plant_feet=False)
    gaps = made.report["fill"]["gaps"]
    assert all(gap["alike"] < trust.NOTHING_LIKE and gap["text"].startswith("nothing like it") for gap in gaps)
    assert any("nothing was found like frames 0 to 30 of the result" in note for note in made.report["notes"])
    assert away(made.clip, hidden(wave, keys)) < 0.15  # but for speeds over keys
    set_ = filled(hidden(wave, keys), [actions.turn_left()], keys=keys, gaps=((0, -1, 1),), plant_feet=False)
    assert any("like frames 30 to 60 of the result, frames 60 to 90" in note for note in set_.report["notes"])
    assert not any("frames 0 to 30" in note for note in set_.report["notes"])  # it is not interpolated


def test_an_exact_match_is_trusted_beside_others_that_begin_and_end_much_alike_and_go_elsewhere():
    wave, keys = actions.wave(), (20, 50)
    plain = hidden(wave, (0, *keys))
    departs = quat.log(quat.mul(quat.inv(plain.rotations), wave.rotations[: len(plain)]))
    at = [wave.skeleton.roles[role] for role in ("upper_arm.L", "upper_arm.R", "thigh.L", "thigh.R")]
    others = []
    for degrees in (-7.0, -6.0, 6.0, 7.0):
        turns = quat.mul(plain.rotations, quat.exp(-departs))
        turns[:, at] = quat.mul(turns[:, at], quat.exp(np.radians([degrees, 0.0, 0.0])))
        others.append(replace(plain, rotations=turns))
    for sources, low, high in (([wave, *others], trust.ROUGHLY, 1.01), (others, -0.01, trust.LITTLE)):
        gap = filled(wave, sources, keys=keys, plant_feet=False).report["fill"]["gaps"][0]
        assert low < gap["alike"] < high


def test_another_posture_is_no_other_motion():
    """A bent back and raised arms, all along: the walk's legs and swing fill it, and it stays bent."""
    walk = actions.walk()
    roles = walk.skeleton.roles
    turns = walk.rotations.copy()
    for role, degrees in (("spine", 20.0), ("upper_arm.L", -45.0), ("upper_arm.R", -45.0)):
        turns[:, roles[role]] = quat.mul(turns[:, roles[role]], quat.exp(np.radians([degrees, 0.0, 0.0])))
    bent = replace(walk, rotations=turns)
    made = filled(hidden(bent), [walk], plant_feet=False)
    assert min(gap["alike"] for gap in made.report["fill"]["gaps"]) > trust.ROUGHLY
    assert away(made.clip, bent.cut(0, 81)) < 0.5 * away(hidden(bent), bent.cut(0, 81))


def test_what_one_gap_lacks_at_both_ends_is_a_posture_only_if_the_others_lack_it_too():
    walk = actions.walk()
    library, keys = rows.of_clips([walk]), rows.of_poses(walk.take_frames(np.array([0, 20, 40, 60])))
    gaps = [candidates.gap_of(keys, k, 20.0) for k in range(3)]
    moved = np.full_like(gaps[0].first, 0.05)

    def ratios(lacking):
        asked = [
            replace(gap, first=gap.first + moved, last=gap.last + moved) if k in lacking else gap
            for k, gap in enumerate(gaps)
        ]
        found = [candidates.find_candidates(library, gap) for gap in gaps]
        told = trust.postures(library, asked, found, [0, 0, 0])
        return [trust.ratio(library, asked[k], found[k], 0, told[k]) for k in range(3)]

    alone, all_along, none = ratios({1}), ratios({0, 1, 2}), ratios(set())
    assert alone[1] > 4.0 * all_along[1]
    np.testing.assert_allclose(alone[::2], none[::2], rtol=0.05)  # the other gaps keep their ratios


def test_a_share_and_a_candidate_can_be_set_for_a_gap():
    walk = actions.walk()
    free = filled(hidden(walk), [walk, actions.sneak()], plant_feet=False)
    made = filled(hidden(walk), [walk, actions.sneak()], gaps=((20, 3, 1), (48, -1, 0)), plant_feet=False)
    _, second, third = made.report["fill"]["gaps"]
    assert (second["candidate"], second["share"], third["share"]) == (3, 1.0, 0.0)
    assert away(made.clip.cut(0, 13), free.clip.cut(0, 13)) < 1e-9  # a changed speed fades in the 8 frames before a key


def test_a_stretch_that_is_set_stays_whatever_else_is_there():
    walk, block = actions.walk(), hidden(actions.walk())
    first = filled(block, [walk, actions.sneak()])
    stretches = first.report["fill"]["gaps"][1]["candidates"][3]["stretches"]
    locked = locks.as_text({20: locks.of_report(stretches)})
    for sources in ([walk], [actions.wave(), actions.sneak(), walk], [walk, *[actions.turn_left()] * 2]):
        row = filled(block, sources, locked=locked).report["fill"]["gaps"][1]
        kept = row["candidates"][row["candidate"]]["stretches"]
        assert locks.of_report(kept) == locks.of_report(stretches)
    alone = filled(block, [walk], locked="20 walk 3 29 0 1")  # the search did not find this stretch
    row = alone.report["fill"]["gaps"][1]
    assert (row["candidates"][row["candidate"]]["stretches"][0]["first"], row["candidate"]) == (3.0, 8)
    gone = filled(block, [actions.sneak()], locked=locked)
    assert any("of the result is gone: walk, frames" in words for words in gone.report["warnings"])


def test_two_stretches_that_are_set_stay():
    left = actions.turn_left()
    keys = (0, len(left) - 1)
    halves = [left.cut(0, len(left) // 2 + 8), left.cut(len(left) // 2 - 8, len(left))]
    halves = [replace(one, name=f"half {k}") for k, one in enumerate(halves)]
    made = filled(left, halves, keys=keys).report["fill"]["gaps"][0]
    text = locks.as_text({0: locks.of_report(made["candidates"][made["candidate"]]["stretches"])})
    again = filled(left, [actions.wave(), *halves], keys=keys, locked=text).report["fill"]["gaps"][0]
    assert again["text"] == made["text"]
    assert len(again["candidates"]) <= 8


@pytest.mark.parametrize("text", ["20", "20 walk", "20 walk a 3 0 1", "x walk 0 3 0 1", "20 'walk 0 3 0 1"])
def test_locks_that_are_none(text):
    with pytest.raises(OptionError, match="locked takes rows of keyed_frame, clip"):
        filled(actions.walk(), [actions.walk()], locked=text)


def test_after_an_edit_only_what_it_touches_is_looked_for_again_and_the_answer_is_the_same():
    walk, keys = actions.walk(), (0, 16, 32, 48, 64, 80)
    block, sources = hidden(walk, np.array(keys)), [actions.sneak(), walk]
    recipe = verbs.Fill(key_frames=(keys,))
    prepared = verbs.prepare(recipe, [block, *sources])
    verbs.apply(recipe, [block, *sources], prepared=prepared)
    library = prepared.on_body_of(block, 0.5, goes=True).library
    before = len(library._found), len(library._made)
    edited = material.turn_joint(block, 3, quat.exp(np.array([0.2, 0.0, 0.0])), frames=32)
    again = verbs.apply(recipe, [edited, *sources], prepared=prepared)
    assert (len(library._found), len(library._made)) == (before[0] + 2, before[1] + 2)
    assert away(again.clip, filled(edited, sources, keys=keys).clip) == 0.0


def test_feet_that_stand_do_not_slide_and_keys_stay():
    walk = actions.walk()
    sources = [actions.sneak()]
    free, made = (filled(hidden(walk), sources, share=1.0, plant_feet=plant) for plant in (False, True))
    assert made.report["plant"]["spans"]
    before, after = made.report["plant"]["middle_slide_cm_s"]
    assert after < 0.3 * before
    assert away(made.clip.take_frames(KEYS), walk.take_frames(KEYS)) < 1e-9
    assert away(free.clip, made.clip) > 0.0


def test_a_walk_whose_hips_were_forgotten_is_noticed():
    block = hidden(actions.walk(), (0, 12, 24, 36))
    places = block.translations.copy()
    places[:, 0, :2] = places[0, 0, :2]
    made = filled(replace(block, translations=places), [actions.walk()], keys=(0, 12, 24, 36))
    assert any("hips stand still in frames" in warning for warning in made.report["warnings"])
    assert not any(
        "hips" in warning for warning in filled(block, [actions.walk()], keys=(0, 12, 24, 36)).report["warnings"]
    )


def test_hips_hands_and_feet_are_enough_and_are_met():
    """A key's other joints do not count: a head on the chest, and toes in the air."""
    walk = actions.walk()
    block, roles = hidden(walk), walk.skeleton.roles
    turns = block.rotations.copy()
    turns[:, [roles[name] for name in ("neck", "head", "toe.L", "toe.R")]] = quat.exp(np.array([0.8, 0.0, 0.3]))
    made, plain = (
        filled(replace(block, rotations=turns), [actions.sneak(), walk], complete_poses=found, plant_feet=False).clip
        for found in (True, False)
    )
    points = [roles[role] for role in rows.SPARSE]
    met = kinematics.points(made)[KEYS][:, points] - kinematics.points(walk)[KEYS][:, points]
    assert np.abs(met).max() < 1e-3
    assert away(made, walk.cut(0, 81)) < 0.05 < 0.5 * away(plain, walk.cut(0, 81))


def test_a_single_pose_is_completed_too():
    walk = actions.walk()
    roles = walk.skeleton.roles
    turns = walk.rotations.copy()
    turns[:, [roles["neck"], roles["head"]]] = quat.exp(np.array([0.8, 0.0, 0.3]))
    made, short = completing.complete_keys(replace(walk, rotations=turns), np.array([20]), [walk])
    assert away(made.cut(20, 21), walk.cut(20, 21)) < 1e-3
    assert short.max() < 1e-4


def test_a_hand_keyed_out_of_reach_is_said():
    walk = actions.walk()
    places = walk.translations.copy()
    places[20, walk.skeleton.roles["hand.L"], 0] += 1.5
    made = filled(replace(walk, translations=places), [walk], keys=(0, 20), complete_poses=True, plant_feet=False)
    assert any(
        "a hand or foot misses its key by" in warning and "at frame 20 of the result" in warning
        for warning in made.report["warnings"]
    )


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ((), "it has 0"),
        ((5,), "it has 1"),
        ((5, 5), "key_frames has frame 5 twice"),
        ((0, 97), "has no frame 97"),
        ((0, 2.5), "has no frame 2.5"),
    ],
)
def test_impossible_keys(keys, words):
    with pytest.raises(OptionError, match=words):
        filled(actions.walk(), [actions.walk()], keys=keys)


def test_a_gap_of_an_hour_and_nothing_to_fill_from():
    long = actions.walk().take_frames(np.zeros(1900, dtype=np.int64))
    with pytest.raises(OptionError, match="from frame 0 to 1850 of walk are 62 s"):
        filled(long, [actions.walk()], keys=(0, 1850, 1890))
    with pytest.raises(ClipError, match="Fill takes 2 or more clips; 1 given"):
        filled(actions.walk(), [])


@pytest.mark.parametrize("complete", [False, True])
def test_one_key_is_no_gap_whatever_is_completed(complete):
    with pytest.raises(OptionError, match="key two poses or more, 6 frames apart or farther .key_frames.: it has 1"):
        filled(actions.walk(), [actions.walk()], keys=(5,), complete_poses=complete)


def test_a_source_in_rest_alone_leaves_interpolation_and_that_is_said():
    walk = actions.walk()
    rest = replace(walk, rotations=quat.exp(np.zeros((*walk.rotations.shape[:2], 3))), name="rest")
    made = filled(hidden(walk), [rest], plant_feet=False)
    assert "frames 0 to 20 of the result" in " ".join(made.report["notes"])
    beside = filled(hidden(walk), [rest, walk], plant_feet=False)
    assert {row["text"].partition(",")[0] for row in beside.report["fill"]["gaps"]} == {"walk"}


def test_keyed_scale_stays_at_keys_and_goes_evenly_between():
    walk = actions.walk()
    scales = np.ones((len(walk), len(walk.skeleton.names), 3))
    scales[:, 2] = np.linspace(1.0, 1.5, len(walk))[:, None] ** 2
    made = filled(replace(walk, scales=scales), [walk], keys=(0, 20, 40), plant_feet=False).clip.scales
    np.testing.assert_allclose(made[[0, 20, 40]], scales[[0, 20, 40]])
    np.testing.assert_allclose(made[10], 0.5 * (scales[0] + scales[20]))


def test_a_gap_longer_than_all_sources():
    wave = actions.wave()
    made = filled(wave, [actions.turn_left().cut(0, 12)], keys=(0, 100))
    assert made.report["fill"]["gaps"][0]["text"] == "no clip is so long: interpolated"


def test_rows_of_no_gap():
    with pytest.raises(OptionError, match="locked: walk has no gap after frame 3"):
        filled(actions.walk(), [actions.walk()], locked="3 walk 0 10 0 1")
    with pytest.raises(OptionError, match="gaps takes rows of keyed_frame, stretch"):
        filled(actions.walk(), [actions.walk()], gaps=((3, 0, 1),))


def test_viterbi_takes_the_cheapest_way(rng):
    library = rows.of_clips([actions.walk(), actions.sneak()])
    some = [
        [
            candidates.Candidate((candidates.Piece(int(k), int(k) + 10),), float(rng.random() * 1e-3))
            for k in rng.integers(0, 80, 4)
        ]
        for _ in range(4)
    ]
    paces = [[(1.0, 1.0)] * 4] * 4

    def cost(way):
        total = sum(gap[k].cost for gap, k in zip(some, way, strict=True))
        for (one, a), (other, b) in pairwise(zip(some, way, strict=True)):
            apart = library.speeds[one[a].end] - library.speeds[other[b].start]
            total += choice.SMOOTH**2 * float((apart**2).sum(axis=-1).mean())
        return total

    best = min(np.ndindex(4, 4, 4, 4), key=cost)
    assert cost(choice.choose_together(library, some, paces)) == pytest.approx(cost(best), rel=1e-5)


def test_singles_are_the_best_of_all(rng):
    """Against a search one by one."""
    walk = actions.walk()
    library = rows.of_clips([walk, actions.sneak()])
    gap = candidates.gap_of(rows.of_poses(walk.take_frames(np.array([10, 31]))), 0, 21.0)
    costs = []
    for length in {max(1, round(stretch * 21.0)) for stretch in candidates.STRETCHES}:
        for start in np.flatnonzero(library.left >= length):
            one = candidates.Candidate((candidates.Piece(int(start), int(start) + length),), 0.0)
            way, turn = candidates.measure_errors(library, gap, one)
            ends = [library.places[start] - gap.first, library.places[start + length] - gap.last]
            cost = sum(float((apart.astype(float) ** 2).sum(axis=-1).mean()) for apart in ends)
            cost += candidates.TRAVEL * float((way**2).sum()) + (candidates.TURN * turn) ** 2
            costs.append(cost + (candidates.PACE * np.log(length / 21.0)) ** 2)
    assert candidates.find_candidates(library, gap)[0].cost == pytest.approx(min(costs), abs=1e-6)


@pytest.mark.parametrize("count", [2, 3])
def test_several_stretches_fill_what_fewer_do_not_hold(count):
    """A walk that turns: each clip has a part of it."""
    left = actions.turn_left()
    keys, ends = (0, len(left) - 1), np.linspace(0, len(left), count + 1).astype(int)
    parts = [left.cut(max(a - 8, 0), min(b + 8, len(left))) for a, b in pairwise(ends.tolist())]
    made = filled(left, parts, keys=keys, share=1.0, plant_feet=False)
    gap = made.report["fill"]["gaps"][0]
    assert len(gap["candidates"][gap["candidate"]]["stretches"]) == count
    assert gap["text"].count(", then ") == count - 1
    plain = away(hidden(left, keys), left)
    assert away(made.clip, left) < 0.5 * plain


def test_interpolation_meets_both_ends(rng):
    clip = material.random_clip(rng, material.figure(), frames=2)
    plain = filling.interpolate_poses(clip.cut(0, 1), clip.cut(1, 2), 9)
    assert away(plain.take_frames(np.array([0, 8])), clip) < 1e-9
    steps = filtering.turned_by(plain.cut(0, 8), plain.cut(1, 9))
    assert np.ptp(steps, axis=0).max() < 1e-6  # an even speed


@pytest.mark.shared
def test_captured_walks_come_back_better_than_by_interpolation():
    """No constant was tuned on this walker."""
    clips = material.strides("02", "03", "05", "06")
    keys = np.arange(0, len(clips[0]), 15)
    done = fill.fill(clips[0], keys, fill.library(clips[1:], 0.5), plant=False)
    plain = hidden(clips[0], keys)
    inside = np.setdiff1d(np.arange(keys[-1]), keys)
    errors = [
        float(np.linalg.norm(kinematics.points(one)[inside] - kinematics.points(clips[0])[inside], axis=2).mean())
        for one in (done.clip, plain)
    ]
    assert errors[0] < 0.55 * errors[1]


def test_a_stretch_begins_as_fast_as_what_goes_before():
    """The filled walk begins at the mean of its own pace and the pace before the gap, 0.9 of the walk's."""
    walk = actions.walk()
    slow = resample.sample(walk, np.arange(0.0, 80.0, 0.9))
    keys = np.array([*range(11), 41])
    (asked,) = [gap for gap in fill.asked_of(slow, keys) if gap is not None]
    known = fill.library([walk], 1.0)
    one = known.found(asked)[0]
    pace = (one.end - one.start) / asked.frames
    begins, _ = filling.measure_leads(known.rows, asked, one)
    assert begins == pytest.approx(0.5 + 0.5 * 0.9 / pace, abs=0.03)
    made = known.filled(asked, one, slow.cut(10, 11), slow.cut(41, 42), 32).own
    assert away(made.take_frames(np.array([0, 31])), slow.take_frames(np.array([10, 41]))) < 1e-9


def test_a_walk_on_the_spot_fills_a_block_out_that_travels_and_it_is_said():
    walk, keys = actions.walk(), (0, 16, 32, 48)
    still = root_trajectory.without_stored(root_trajectory.remove_trajectory(walk)[0])
    made = filled(walk, [still], keys=keys, plant_feet=False)
    assert min(gap["alike"] for gap in made.report["fill"]["gaps"]) > 0.9
    assert made.report["notes"] == ["walk was given 1.30 m/s by its feet, as it walks on the spot (ahead)"]
    on_the_spot = filled(still, [still], keys=keys, plant_feet=False)
    assert not on_the_spot.report["notes"]
    assert min(gap["alike"] for gap in on_the_spot.report["fill"]["gaps"]) > 0.9


def test_what_is_hardly_like_is_said():
    made = filled(actions.walk(), [actions.sneak()], keys=(0, 20, 40), plant_feet=False)
    assert all(trust.NOTHING_LIKE < gap["alike"] < trust.LITTLE for gap in made.report["fill"]["gaps"])
    both = "frames 0 to 20 of the result, frames 20 to 40 of the result"
    assert made.report["notes"] == [f"walk: little was found like {both}: they are mostly interpolated"]


def test_what_nothing_is_like_stays_as_it_was_keyed_but_held_poses_are_interpolated():
    """Curves between an artist's keys hold feet, for example; a stepped block-out lacks such curves."""
    wave, keys, sources = actions.wave(), (0, 30, 60), [actions.walk()]
    plain = hidden(wave, keys)
    inside = np.array([*range(1, 30), *range(31, 60)])
    rotations = plain.rotations.copy()
    rotations[10:20] = wave.rotations[10:20]
    curves = replace(plain, rotations=rotations)
    assert away(filled(curves, sources, keys=keys).clip.take_frames(inside), curves.take_frames(inside)) == 0.0
    stepped = wave.take_frames(np.array([*[0] * 30, *[30] * 30, 60]))
    made = filled(stepped, sources, keys=keys, plant_feet=False)
    assert all("nothing like it" in gap["text"] for gap in made.report["fill"]["gaps"])
    # Speeds over keys are smoothed there, as anywhere.
    assert away(made.clip.take_frames(inside), plain.take_frames(inside)) < 0.2 * away(
        stepped.take_frames(inside), plain.take_frames(inside)
    )


def test_a_cycle_without_its_last_key_goes_over_its_seam():
    walk = actions.walk(cycles=2)
    open_cycle = actions.walk(cycles=1).cut(0, 32)
    made = filled(walk, [open_cycle], keys=(24, 40), plant_feet=False)  # from the end of a cycle into the next
    assert made.report["fill"]["gaps"][0]["alike"] > 0.9
    assert "the last key of its cycle, its first pose again, was missing and is added" in made.report["notes"][0]
