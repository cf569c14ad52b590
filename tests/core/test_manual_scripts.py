"""The manual's scripts: each runs on a generated clip as its page shows, and makes the promised result."""

import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.edit import chain_ik
from action_loom.core.formats import bvh
from action_loom.core.motion import kinematics, quat, resample
from action_loom.core.skin import playing, skinning
from action_loom.core.skin.skin import skin
from numpy.testing import assert_allclose
from oracles import manual_scripts
from oracles.manual_scripts import FOLDER, TYPED
from scipy.spatial.transform import Rotation, Slerp

SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "files")  # files.py writes their inputs


def opened(path):
    """Open a picture; the import is here, since environments without PIL read this module, too."""
    from PIL import Image

    return Image.open(path)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with motion files, a mesh and its weights."""
    folder = tmp_path_factory.mktemp("scripts")
    manual_scripts.write_files(folder)
    return folder


@pytest.fixture
def run(files, tmp_path, monkeypatch, capsys):
    """Run a script in a folder of its own; return its names and its output."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)

    def run(name, typed=None):
        made = manual_scripts.run(name, tmp_path, typed)
        return made, capsys.readouterr().out

    return run


def send_key(canvas, key):
    """Press a key as a window does."""
    from matplotlib.backend_bases import KeyEvent

    canvas.callbacks.process("key_press_event", KeyEvent("key_press_event", canvas, key))


def read(path):
    return bvh.to_clip(bvh.read(path))[0]


def test_every_script_is_on_the_page_with_what_is_typed():
    page = (FOLDER.parent / "scripts.md").read_text(encoding="utf-8")
    assert set(TYPED) == set(SCRIPTS)
    for name in SCRIPTS:
        assert f"](scripts/{name}.py)" in page
        assert f"python {name}.py {TYPED[name]}\n" in page or f"python {name}.py {TYPED[name]} " in page, name


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_are_short_and_draw_a_picture(run, name):
    assert len((FOLDER / f"{name}.py").read_text(encoding="utf-8").splitlines()) <= 80
    _, printed = run(name)
    assert printed.strip()
    with opened(f"{name}.png") as picture:
        pixels = np.asarray(picture.convert("L"))
    assert min(pixels.shape) > 150
    assert 0.005 < (pixels < 200).mean() < 0.6  # something is drawn, and not all over it


def test_a_script_runs_by_itself(files, tmp_path):
    """The script runs as typed, in a process of its own, from any folder."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(FOLDER / "postures.py"), str(files / "walk.bvh"), "0", "10"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "postures.png").exists()


def test_the_files_of_the_page_are_written_but_not_over_the_readers_own(run, tmp_path):
    (tmp_path / "walk.bvh").write_text("mine")
    (tmp_path / "run.bvh").unlink()
    _, printed = run("files", "")
    page = (FOLDER.parent / "scripts.md").read_text(encoding="utf-8")
    assert "python files.py\n" in page
    assert set(re.findall(r"\w+\.(?:bvh|obj|txt)", page)) <= set(printed.split())
    assert (tmp_path / "walk.bvh").read_text() == "mine"
    assert len(read(tmp_path / "run.bvh")) == len(actions.run())


def test_the_viewer_shows_any_frame_and_a_film(run):
    walk = actions.walk()
    _, printed = run("viewer")
    assert f"{len(walk)} frames, 30 a second, 21 joints" in printed
    assert "frame 0, 14, 27" in printed
    run("viewer", "walk.bvh --frame 12.5 -o one.png")
    run("viewer", "walk.bvh -o walk.gif --speed 2")
    with opened("walk.gif") as film:
        assert film.n_frames == int(np.ceil(len(walk) / 3))  # twice as fast, 20 a second: every third of 30
        assert film.info["duration"] == 50
    with pytest.raises(SystemExit):
        run("viewer", f"walk.bvh --frame {len(walk)}")


def test_the_player_stops_steps_changes_its_speed_and_the_mouse_turns_its_view(run):
    """Events as a window sends them: keys and the mouse's button, through the canvas's own events."""
    from matplotlib.backend_bases import MouseEvent

    made, printed = run("player")
    player = made["player"]
    assert "frame 0.0, 1 times its speed" in printed
    canvas = player.axis.figure.canvas

    def press(key):
        send_key(canvas, key)
        player.shown(0.1)
        return player.time

    player.shown(0.5)
    assert player.time == pytest.approx(15.0)
    ends = [line.get_data_3d() for line in player.lines]
    places = kinematics.points(player.clip)[15]
    assert_allclose([np.stack(end)[:, 0] for end in ends], places[[one for one, _ in player.bones]], atol=1e-4)
    assert [press(key) for key in "snnp"] == pytest.approx([15.0, 16.0, 17.0, 16.0])
    assert [press(key) for key in "sw"] == pytest.approx([19.0, 25.0])
    turned = player.axis.azim
    for kind, x in (("button_press_event", 200), ("motion_notify_event", 260)):
        canvas.callbacks.process(kind, MouseEvent(kind, canvas, x, 200, button=1))
    assert abs(player.axis.azim - turned) > 10.0


def test_the_player_opens_another_file_and_goes_on_with_this_one_if_none_is_chosen(run, monkeypatch):
    player = run("player")[0]["player"]
    dialog = pytest.importorskip("tkinter.filedialog")
    for chosen, clip in (("", actions.walk()), ("run.bvh", actions.run())):
        monkeypatch.setattr(dialog, "askopenfilename", lambda chosen=chosen: chosen)
        send_key(player.figure.canvas, "l")
        player.shown(0.1)
        assert (len(player.clip), player.time) == (len(clip), pytest.approx(3.0))
        (x, *_), *_ = player.lines[0].get_data_3d()
        assert x == pytest.approx(kinematics.points(clip)[3, player.bones[0][0], 0], abs=1e-4)


def test_a_key_goes_through_eight_applications_of_one_interface(run):
    made, printed = run("applications")
    window, names = made["window"], printed.partition(": ")[2].strip().split(", ")
    poses = np.stack([resample.sample(clip, np.array([15.0])).rotations[0] for clip in window.clips.values()])
    unlike = np.abs(poses - poses[0]).max(axis=(1, 2)) > 1e-3
    assert (len(names), np.flatnonzero(unlike).tolist()) == (8, [3, 4, 6, 7])  # 15 is a key, before the transition
    for name in [*names[1:], names[0]]:
        send_key(made["figure"].canvas, "m")
        window.draw(0.1)
        assert window.axis.get_title() == name
    send_key(made["figure"].canvas, "s")
    window.draw(0.5)
    assert window.seconds == pytest.approx(0.5 + 8 * 0.1)


def test_moments_of_two_motions_are_laid_onto_each_other(run):
    made, printed = run("aligned")
    one, moved, other = (kinematics.points(made[name])[..., :2] for name in ("one", "moved", "other"))
    assert f"{len(one)} frames correspond" in printed
    off = [np.square(two - one).sum(axis=2).mean(axis=1) for two in (other, moved)]
    assert (off[1] <= off[0] + 1e-12).all()
    for turn in (-0.02, 0.02):  # no other turn about its own middle leaves less
        middle = moved.mean(axis=1, keepdims=True)
        by = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        assert (np.square((moved - middle) @ by + middle - one).sum(axis=2).mean(axis=1) > off[1]).all()


def test_forward_kinematics_step_by_step_is_the_cores(run):
    made, printed = run("forward_kinematics")
    turned, places = kinematics.world(made["posture"])
    assert_allclose(made["found"][:, :3, 3], places[0], atol=1e-12)
    assert_allclose(made["found"][:, :3, :3], quat.to_matrix(turned[0]), atol=1e-12)
    assert len(printed.splitlines()) == len(places[0]) + 1


def test_postures_are_those_of_the_file_at_both_ends_and_turn_evenly_between(run):
    made, _ = run("postures")
    clip, postures = made["clip"], made["postures"]
    assert len(postures) == 5
    for frame, k in ((0, 0), (10, -1)):
        assert_allclose(np.abs((clip.rotations[frame] * postures.rotations[k]).sum(axis=1)), 1.0, atol=1e-12)
        assert_allclose(clip.translations[frame], postures.translations[k], atol=1e-12)
    for joint in range(len(clip.skeleton)):
        ends = Rotation.from_quat(np.roll(clip.rotations[[0, 10], joint], -1, axis=1))
        expected = Slerp([0.0, 1.0], ends)([0.0, 0.25, 0.5, 0.75, 1.0])
        ours = Rotation.from_quat(np.roll(postures.rotations[:, joint], -1, axis=1))
        assert_allclose((ours * expected.inv()).magnitude(), 0.0, atol=1e-7)


def test_inverse_kinematics_comes_nearer_in_every_round_and_arrives(run):
    made, printed = run("inverse_kinematics")
    away = [float(line.split()[3]) for line in printed.splitlines()]
    assert all(np.diff(away) < 0.0)
    assert away[-1] < 0.1
    last, end = made["steps"][-1], made["end"]
    assert_allclose(kinematics.world(last)[1][0, end], made["goal"], atol=1e-4)
    fixed = np.setdiff1d(np.arange(21), made["chain"])
    assert_allclose(last.rotations[:, fixed], made["steps"][0].rotations[:, fixed], atol=0.0)
    assert chain_ik.NEAR < 1e-4  # the core's own solver stops later


def test_skinning_by_the_formula_is_the_cores(run):
    made, _ = run("skinning")
    clip, mesh, given, joints = (made[name] for name in ("clip", "mesh", "given", "joints"))
    surface = skin(mesh.vertices, (given.first, given.joints, given.weights), (mesh.corners, mesh.begins))
    moved = skinning.moves(playing.at_rest(clip.skeleton, joints), playing.in_frame(clip, 4, joints))
    expected, _ = skinning.linear(surface, moved)
    assert_allclose(made["vertices"], expected, atol=2e-4)  # cm, the core's are single precision
    assert np.abs(made["vertices"] - mesh.vertices).max() > 10.0
