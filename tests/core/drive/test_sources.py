"""Sources of a driven body: sets whose actions end in loops, libraries, unchanged legs, and lines to settle along."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.drive import bends, controller, database, route, springs, wishes
from action_loom.core.drive.controller import Manner, Wish
from action_loom.core.errors import ClipError, LibraryError, OptionError
from action_loom.core.formats import bvh
from action_loom.core.library import index
from action_loom.core.verbs.drive import library
from action_loom.core.verbs.take import meeting

AHEAD = ((0.0, 0.0, 1.3), (3.0, 0.0, 0.0))


def kept_library(folder, *clips):
    files, path = folder / "clips", str(folder / "all.loomlib")
    files.mkdir(exist_ok=True)
    for clip in clips:
        Path(files, f"{clip.name}.bvh").write_bytes(bvh.compose(clip))
    index.update(path, [str(files)])
    return path


def test_an_action_that_ends_as_a_loop_goes_on_in_it():
    walk = actions.walk(cycles=3)
    loop = replace(actions.walk(cycles=1), cyclic=True, name="loop")
    data = database.build([loop, replace(walk.cut(0, 50), name="start"), actions.wave()], mirror=False)
    last = int(np.flatnonzero(data.clip == 1)[-1])
    after = int(data.onward[last])
    assert data.clip[after] == 0
    assert last in data.open  # a clip that leads nowhere is not entered so late
    assert abs(data.raw[last] - data.raw[data.before(after)]).max() < 0.1
    moved = np.abs(data.rotations[after] - data.rotations[last]).max()
    assert moved < 2.0 * np.abs(np.diff(data.rotations[data.clip == 0], axis=0)).max()
    assert data.onward[int(np.flatnonzero(data.clip == 2)[-1])] == -1


def test_a_stop_of_a_set_is_played_to_its_end_and_leads_into_standing():
    breathes = actions.wave().cut(0, 40)
    stand = replace(breathes, rotations=breathes.rotations[:1].repeat(40, axis=0), cyclic=True, name="idle")
    stand = replace(stand, translations=breathes.translations[:1].repeat(40, axis=0))
    stop = replace(meeting.meet_poses(actions.walk().cut(0, 60), None, stand.cut(0, 1)), name="stop")
    data = database.build([actions.walk(), stop, stand], mirror=False)
    rows = np.flatnonzero(data.clip == 1)
    assert data.onward[rows[-1]] == rows[-1] + 2  # the idle's first pose is the stop's last
    ends = data.clip[data.onward < 0]
    assert set(ends) == {0, *range(3, data.given)}  # the walk alone leads nowhere, and as it is bent
    assert data.settling[rows[-20:]].all()
    assert not data.settling[rows[:20]].any()
    state = replace(controller.begin_state(data), row=int(rows[-15]), still=False)
    for _ in range(16):
        state = controller.step(data, Manner(), state, Wish())
    assert data.clip[state.row] == 2
    assert not state.jumped


def test_a_library_is_driven_with(tmp_path):
    path = kept_library(tmp_path, actions.run(), actions.walk())
    clips = [actions.walk(), actions.wave()]
    recipe = verbs.Drive(wishes=((0, 0, 3.0), (3, 0, 0)), library=path, mirror=False)
    data = verbs.prepare(recipe, clips)
    assert [clip.name for clip in data.sources] == ["walk", "wave", "run"]  # the walk is there already
    result = verbs.apply(recipe, clips, prepared=data)
    assert result.data is data
    assert result.report["drive"]["played"]["run"] > 0.3


def test_a_library_that_has_changed_is_read_again(tmp_path):
    path = kept_library(tmp_path, actions.run())
    recipe = verbs.Drive(wishes=AHEAD, library=path, mirror=False)
    clips = [actions.walk(), actions.wave()]
    data = verbs.prepare(recipe, clips)
    kept_library(tmp_path, actions.sneak())
    assert len(verbs.apply(recipe, clips, prepared=data).data.sources) == 4


def test_a_library_that_is_none_or_too_long_is_refused(tmp_path, monkeypatch):
    with pytest.raises(LibraryError, match="no library"):
        verbs.apply(verbs.Drive(wishes=AHEAD, library=str(tmp_path)), [actions.walk(), actions.wave()])
    path = kept_library(tmp_path, actions.run())
    monkeypatch.setattr(library, "MOST", 1.0)
    with pytest.raises(LibraryError, match="can be driven with"):
        verbs.apply(verbs.Drive(wishes=AHEAD, library=path), [actions.walk(), actions.wave()])


def test_the_upper_body_alone_is_driven_over_legs_that_stay():
    legs, clips = actions.sneak(), [actions.walk(), actions.wave()]
    result = verbs.apply(verbs.Drive(wishes=((0, 0, 1.3), (2, 0, 0)), upper_body_only=True), [legs, *clips])
    skeleton, clip = legs.skeleton, result.clip
    arms = skeleton.with_below([skeleton.roles["spine"]])
    assert len(clip) == len(legs)
    assert (clip.rotations[:, ~arms] == legs.rotations[:, ~arms]).all()
    assert (clip.translations[:, ~arms] == legs.translations[:, ~arms]).all()
    seconds = np.arange(len(clip)) / clip.rate
    apart = np.abs(clip.rotations - legs.rotations)[:, arms].max(axis=(1, 2))
    assert apart[seconds < 1.5].min() > 0.02
    assert apart[seconds > 2.05].max() == 0.0
    assert result.clip.name == "walk + wave driven on sneak"
    with pytest.raises(OptionError, match="no ground and no crowd"):
        verbs.apply(verbs.Drive(wishes=AHEAD, upper_body_only=True, crowd=((1, 0, 0),)), [legs, *clips])
    with pytest.raises(ClipError, match="whose legs stay"):
        verbs.apply(verbs.Drive(wishes=AHEAD, upper_body_only=True), [legs])


def test_a_drive_settles_along_its_line():
    clips = [actions.walk(), actions.wave()]
    recipe = verbs.Drive(wishes=((0, 0, 1.3), (4, 0, 0), (5, 0, 0)), along_line=True, mirror=False)
    result = verbs.apply(recipe, clips)
    line = result.report["drive"]["along"]
    assert line["rms"] < 0.03
    assert line["length"] == pytest.approx(result.report["drive"]["length"], abs=0.4)
    assert any("settled along its line" in note for note in result.report["notes"])


@pytest.mark.parametrize(
    ("wishes", "why"),
    [(((0, 0, 1.3), (3, 1.3, 0), (6, 0, 0)), "could not be settled"), (((0, 0, 0), (2, 0, 0)), "too short a line")],
)
def test_a_drive_that_cannot_settle_says_why_and_is_as_it_was_driven(wishes, why):
    clips = [actions.walk(), actions.wave()]
    plain, tried = (
        verbs.apply(verbs.Drive(wishes=wishes, along_line=along, mirror=False), clips) for along in (False, True)
    )
    assert any(why in note for note in tried.report["notes"])
    assert (plain.clip.rotations == tried.clip.rotations).all()


def test_a_drive_that_is_nearer_to_its_line_is_kept():
    clips = [actions.walk(), actions.turn_left(), actions.turn_right(), actions.wave()]
    wishes = ((0, 0, 1.2), (4, 0.6, 1.0), (8, 0, 0))
    plain, tried = (verbs.apply(verbs.Drive(wishes=wishes, along_line=along), clips) for along in (False, True))
    own = f"driven it is {100.0 * plain.report['drive']['rms']:.1f} cm: it is as it was driven"
    assert any(own in note for note in tried.report["notes"])
    assert "along" not in tried.report["drive"]
    assert (plain.clip.rotations == tried.clip.rotations).all()


def test_a_stop_that_is_almost_over_is_left_alone():
    data = database.build([actions.walk(), actions.wave()], mirror=False)
    states = route.drive_route(data, [*[Wish(1.3j)] * 90, *[Wish()] * 90], Manner())
    assert abs(states[-1].velocity) < 0.1


def test_walks_are_bent_into_turns_where_no_action_turns():
    walk, stand = actions.walk(), actions.wave()
    bent, turned = database.build([walk, stand]), database.build([walk, stand, actions.turn_left()])
    assert (bent.bends, turned.bends) == (len(bends.RATES), 0)
    assert bent.given == 2 + bent.bends
    assert any("walks that are bent" in text for text in bent.lacks)
    rows, first = np.flatnonzero(bent.clip == 2), np.flatnonzero(bent.clip == 0)
    assert (bent.rotations[rows] == bent.rotations[first]).all()
    rates = np.degrees((bent.turn[rows] - bent.turn[first]) * database.RATE)
    assert rates == pytest.approx(bends.RATES[0])
    image = np.flatnonzero(bent.clip == bent.given + 2)
    assert np.degrees(np.median(bent.turn[image]) * database.RATE) == pytest.approx(-bends.RATES[0], abs=1.0)
    # The predicted path of a bent row leads where the rows after it lead.
    row, place, facing = int(rows[5]), 0j, 0.0
    for _ in range(20):
        place += complex(bent.step[row]) * np.exp(1j * facing)
        facing, row = facing + float(bent.turn[row]), int(bent.onward[row])
    assert bent.raw[rows[5], 15:17] == pytest.approx([place.real, place.imag], abs=1e-3)
    assert bent.raw[rows[5], 21] == pytest.approx(-np.sin(facing), abs=1e-3)


def test_without_images_walks_are_bent_to_both_sides():
    data = database.build([actions.walk(), actions.wave()], mirror=False)
    assert data.bends == 2 * len(bends.RATES)
    assert data.given == len(data.clips)


def test_a_character_without_turns_faces_its_way():
    data = database.build([actions.walk(), actions.run(), actions.wave()])
    way = [*[Wish(1.2j)] * 90, *[Wish(1.2)] * 90, *[Wish(-1.2j)] * 90]
    states = route.drive_route(data, way, Manner())
    apart = [abs(springs.wrap_angle(state.facing - state.ahead.facing)) for state in states]
    assert np.degrees(np.percentile(apart, 95.0)) < 4.0
    made = verbs.apply(verbs.Drive(wishes=wishes.as_rows(way)), [actions.walk(), actions.run(), actions.wave()])
    assert sum(made.report["drive"]["played"].values()) == pytest.approx(1.0, abs=0.01)
    assert set(made.report["drive"]["played"]) <= {"walk", "run", "wave"}
