"""The command line as people and scripts use it: what it prints and writes, how it refuses, and its exit codes."""

import json
import os
import select
import shutil
import struct
import subprocess
import sys
import zlib
from importlib import import_module

import numpy as np
import pytest
from action_loom.core import jit
from action_loom.core.motion import bvh, kinematics
from oracles import material, processes

MODULE = "action_loom.core.cli.main"
WEAVING = ("verb", "inputs", "output", "frames", "rate", "seconds_taken", "quality", "dropped", "registration")
REGISTRATION = ("clip", "reference_frame", "frame", "metric", "ends", "kept", "cost")
SLOPES = ("slope_min", "slope_max", "at_limit")


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command in this process: its exit code, what it printed, and what it said on stderr."""
    monkeypatch.setattr(jit, "_wanted", jit._wanted)
    main = import_module(MODULE).main

    def command(*arguments):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stopped:
            code = stopped.code
        out, err = capsys.readouterr()
        return code, out, err

    return command


@pytest.fixture
def walk(tmp_path):
    return material.write(material.walk(2.0, name="walk"), tmp_path / "walk.bvh")


@pytest.fixture
def slow(tmp_path):
    return material.write(material.walk(3.0, stride=0.7, turn=0.2), tmp_path / "slow.bvh")


@pytest.fixture
def out(tmp_path):
    """An empty folder for what is written."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def cut_from(name, folder, first, last):
    """Some frames of a captured file as a file of their own."""
    motion = bvh.read(material.captured_file(name))
    path = folder / f"{name}.bvh"
    bvh.write(bvh.Motion(**vars(motion) | {"values": motion.values[first:last]}), path)
    return path


def read_json(path):
    """Parse strictly: JSON knows neither NaN nor Infinity."""

    def refuse(word):
        raise ValueError(f"{word} is no JSON")

    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


def assert_one_line(err):
    assert err.startswith("action-loom: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1


def picture_size(path):
    """Width and height of a PNG whose every chunk is whole."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    place, chunks = 8, []
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        body = data[place + 8 : place + 8 + length]
        assert struct.unpack(">I", data[place + 8 + length : place + 12 + length])[0] == zlib.crc32(kind + body)
        chunks.append((kind, body))
        place += 12 + length
    assert chunks[-1][0] == b"IEND"
    assert zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    return struct.unpack(">II", chunks[0][1][:8])


# --- info ---------------------------------------------------------------------------------------------------------


def test_info_says_what_is_in_a_file(run, walk):
    code, out, err = run("info", walk)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == str(walk)
    for fact in ("61 frames at 30 a second, 2.00 s", "21 joints", "1.67 m tall", "units: cm, y up (guessed)"):
        assert fact in out
    assert "hips = Hips, " in out


def test_info_takes_many_files_and_reports_each(run, walk, slow, out):
    code, _, _ = run("info", walk, slow, "--report", out / "r.json")
    assert code == 0
    report = read_json(out / "r.json")
    assert report["verb"] == "info"
    assert [one["clip"] for one in report["clips"]] == [str(walk), str(slow)]
    first = report["clips"][0]
    assert (first["frames"], first["rate"], first["joints"], first["seconds"]) == (61, 30.0, 21, 2.0)
    assert (first["unit"], first["metres_per_unit"], first["up"], first["guessed"]) == ("cm", 0.01, "y", True)
    assert first["roles"]["thigh.L"] == "LeftUpLeg"
    assert first["height_m"] == pytest.approx(1.673, abs=1e-3)
    assert first["dropped"] == {"first": 0, "last": 0}
    assert set(first["contacts"]) == {"L", "R"}
    assert first["quality"]["seconds"] == 2.0


def test_units_and_the_upward_axis_can_be_given(run, walk, out):
    run("info", walk, "--units", "m", "--up", "z", "--report", out / "r.json")
    (one,) = read_json(out / "r.json")["clips"]
    assert (one["unit"], one["metres_per_unit"], one["up"], one["guessed"]) == ("m", 1.0, "z", False)
    assert one["height_m"] == pytest.approx(167.347, abs=1e-3)
    code, printed, _ = run("info", walk, "--units", "0.005", "--up", "y")
    assert code == 0
    assert "(as asked)" in printed


@pytest.mark.shared
@pytest.mark.parametrize("folder", ["odd", "cmu"])
def test_info_understands_every_captured_file(run, out, folder):
    files = material.captured_files(folder)
    files = files if folder == "odd" else files[::12]
    code, printed, err = run("info", *files, "--report", out / "r.json")
    assert (code, err) == (0, "")
    described = read_json(out / "r.json")["clips"]
    assert [one["clip"] for one in described] == [str(path) for path in files]
    for one in described:
        assert one["clip"] in printed
        for side in one["contacts"].values():
            assert all(0 <= a <= b < one["frames"] for a, b in side)


@pytest.mark.shared
def test_info_says_which_frames_are_no_motion(run):
    _, printed, _ = run("info", material.captured_file("cmu_mb_08_07"))
    assert "calibration pose or jump: first 7, last 0 frames" in printed


# --- sync and blend -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["sync", "blend"])
def test_a_result_and_its_report_are_written(run, walk, slow, out, verb):
    code, printed, err = run(verb, walk, slow, "-o", out / "new.bvh", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert sorted(os.listdir(out)) == ["new.bvh", "r.json"]
    report = read_json(out / "r.json")
    assert set(WEAVING) <= set(report)
    assert (report["verb"], report["inputs"]) == (verb, [str(walk), str(slow)])
    assert report["output"] == str(out / "new.bvh")
    new, old = bvh.read(out / "new.bvh"), bvh.read(walk)
    assert (len(new.values), new.rate) == (report["frames"], report["rate"])
    assert (new.names, new.channels) == (old.names, old.channels)
    assert str(report["frames"]) in printed
    assert len(report["quality"]["before"]) == 2
    assert report["quality"]["after"]["seconds"] == pytest.approx((report["frames"] - 1) / 30.0, abs=1e-3)
    assert report["seconds_taken"] > 0.0
    (one,) = report["registration"]
    assert {*REGISTRATION, *SLOPES} <= set(one)
    assert one["clip"] == "slow"
    reference, frames = np.array(one["reference_frame"]), np.array(one["frame"])
    assert len(reference) == len(frames) > 10
    assert (np.diff(reference) > 0.0).all()
    assert (np.diff(frames) > 0.0).all()
    assert 0 <= reference[0] < reference[-1] <= 60
    assert 0 <= frames[0] < frames[-1] <= 90
    assert one["slope_min"] <= np.median(np.diff(frames)) <= one["slope_max"]


def test_the_result_is_in_the_units_and_axes_of_the_reference(run, tmp_path, walk, out):
    clip = material.walk(3.0, stride=0.7)
    inches = tmp_path / "inches.bvh"
    bvh.write(bvh.from_clip(clip, None, bvh.Convention("inch", 0.0254, "z", False)), inches)
    for reference, unit, up in ((1, "cm", "y"), (2, "inch", "z")):
        path = out / f"{reference}.bvh"
        code, _, _ = run("blend", walk, inches, "--reference", reference, "-o", path)
        assert code == 0
        woven, _ = bvh.to_clip(bvh.read(path), unit=unit, up=up)
        assert woven.skeleton.height == pytest.approx(clip.skeleton.height, rel=1e-6)
        _, places = kinematics.forward(woven.skeleton, woven.rotations, woven.translations)
        assert 0.8 < places[:, 0, 2].min() < places[:, 0, 2].max() < 1.0


def test_all_weight_on_the_reference_gives_it_back(run, walk, slow, out):
    code, _, _ = run("blend", walk, slow, "--weights", 1, 0, "--ends", "pinned", "-o", out / "new.bvh")
    assert code == 0
    old, _ = bvh.to_clip(bvh.read(walk), unit="cm", up="y")
    new, _ = bvh.to_clip(bvh.read(out / "new.bvh"), unit="cm", up="y")
    assert np.abs(kinematics.points(new) - kinematics.points(old)).max() < 1e-6


def test_three_clips_can_be_blended(run, walk, slow, tmp_path, out):
    fast = material.write(material.walk(1.5, stride=1.4), tmp_path / "fast.bvh")
    arguments = ("--weights", 2, 1, 1, "-o", out / "new.bvh", "--report", out / "r.json")
    code, _, _ = run("blend", walk, slow, fast, *arguments)
    assert code == 0
    report = read_json(out / "r.json")
    assert report["weights"] == [0.5, 0.25, 0.25]
    assert [one["clip"] for one in report["registration"]] == ["slow", "fast"]


@pytest.mark.shared
def test_captured_clips_are_blended_and_what_was_left_out_is_said(run, tmp_path, out):
    a = cut_from("cmu_mb_07_01", tmp_path, 0, 220)
    b = cut_from("cmu_mb_08_01", tmp_path, 0, 220)
    outputs = ("-o", out / "new.bvh", "--report", out / "r.json", "--picture", out / "p.png")
    code, printed, err = run("blend", a, b, *outputs)
    assert (code, err) == (0, "")
    report = read_json(out / "r.json")
    assert {one["clip"]: one["first"] for one in report["dropped"]} == {a.stem: 1, b.stem: 1}
    assert "left out first 1, last 0 frames" in printed
    assert [unit["unit"] for unit in report["units"]] == ["cmu", "cmu"]
    assert bvh.read(out / "new.bvh").rate == 120.0


def test_sync_needs_no_output(run, walk, slow, out):
    code, printed, _ = run("sync", walk, slow, "--report", out / "r.json")
    assert code == 0
    assert read_json(out / "r.json")["output"] is None
    assert "slow in time with walk" in printed


@pytest.mark.parametrize("verb", ["info", "sync", "blend"])
def test_quiet_prints_nothing(run, walk, slow, out, verb):
    output = [] if verb == "info" else ["-o", out / "new.bvh"]
    assert run(verb, walk, slow, "--quiet", *output) == (0, "", "")


@pytest.mark.parametrize("clips", [2, 3])
def test_a_picture_is_drawn(run, walk, slow, tmp_path, out, clips):
    files = [walk, slow, material.write(material.walk(1.5, stride=1.4), tmp_path / "fast.bvh")][:clips]
    code, _, err = run("blend", *files, "-o", out / "new.bvh", "--picture", out / "p.png")
    assert (code, err) == (0, "")
    width, height = picture_size(out / "p.png")
    assert 400 <= width / (clips - 1) <= 1200
    assert 400 <= height <= 1200


@pytest.mark.parametrize("name", ["$\\frac$", "歩く", "_50% {x}"])
def test_a_picture_is_drawn_whatever_the_clips_are_called(run, walk, slow, tmp_path, out, name):
    renamed = shutil.copy(slow, tmp_path / f"{name}.bvh")
    code, _, err = run("sync", walk, renamed, "--picture", out / "p.png")
    assert (code, err) == (0, "")
    picture_size(out / "p.png")


def test_the_picture_needs_no_ending(run, walk, slow, out):
    code, _, _ = run("sync", walk, slow, "--picture", out / "picture")
    assert code == 0
    picture_size(out / "picture")


def test_each_engine_gives_the_same_result(run, walk, slow, out):
    pytest.importorskip("numba")
    assert run("blend", walk, slow, "-o", out / "a.bvh", "--engine", "numpy")[0] == 0
    assert run("blend", walk, slow, "-o", out / "b.bvh", "--engine", "numba")[0] == 0
    assert np.abs(bvh.read(out / "a.bvh").values - bvh.read(out / "b.bvh").values).max() < 1e-5


# --- refusals -----------------------------------------------------------------------------------------------------


def test_a_file_that_is_not_there_is_refused(run, walk, tmp_path):
    absent = tmp_path / "absent.bvh"
    code, out, err = run("info", walk, absent)
    assert (code, out) == (1, "")
    assert err == f"action-loom: {absent}: can't be read (No such file or directory)\n"


def test_a_broken_file_is_refused_with_its_line(run, walk, tmp_path):
    broken = tmp_path / "broken.bvh"
    broken.write_text(material.SMALL_BVH.replace("91", "nan"))
    code, out, err = run("sync", walk, broken)
    assert (code, out) == (1, "")
    assert err == f"action-loom: {broken}, line 34: value 2 of frame 1 is 'nan', not a number\n"


def test_clips_of_different_bodies_are_refused(run, walk, tmp_path, out):
    small = tmp_path / "small.bvh"
    small.write_text(material.SMALL_BVH)
    code, _, err = run("blend", walk, small, "-o", out / "new.bvh")
    assert code == 1
    assert_one_line(err)
    assert "small" in err
    assert os.listdir(out) == []


@pytest.mark.parametrize("count", [1, 3])
def test_sync_takes_two_clips(run, walk, count):
    code, _, err = run("sync", *[walk] * count)
    assert code == 1
    assert_one_line(err)


def test_a_single_clip_can_not_be_blended(run, walk, out):
    code, _, err = run("blend", walk, "-o", out / "new.bvh")
    assert code == 1
    assert_one_line(err)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["juggle"],
        ["info"],
        ["blend", "WALK", "SLOW"],
        ["sync", "WALK", "SLOW", "--metric", "taste"],
        ["sync", "WALK", "SLOW", "--slope", "steep"],
        ["sync", "WALK", "SLOW", "--sharpness", "2"],
        ["info", "WALK", "--up", "x"],
        ["info", "WALK", "--engine", "steam"],
        ["blend", "WALK", "SLOW", "-o"],
        ["blend", "WALK", "SLOW", "-o", "OUT", "--weights", "much"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_told_from_material_that_can_not_be_worked_with(run, walk, slow, out, arguments):
    files = {"WALK": walk, "SLOW": slow, "OUT": out / "new.bvh"}
    code, printed, err = run(*[files.get(argument, argument) for argument in arguments])
    assert (code, printed) == (2, "")
    assert err.startswith("usage: action-loom")
    assert os.listdir(out) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--slope", "99"], "slope is 99, but must lie between 0 and 32"),
        (["--window", "7"], "window is 7.0, but must lie between 0 and 1 s"),
        (["--window", "nan"], "window is nan, but must lie between 0 and 1 s"),
        (["--weights", "-1", "2"], "weights is -1.0, but must lie between 0 and inf"),
        (["--weights", "inf", "1"], "weights is inf, but must"),
        (["--weights", "1", "2", "3"], "3 weights were given for 2 clips"),
        (["--weights", "0", "0"], "All weights are zero"),
        (["--reference", "3"], "reference is '3', but must be medoid, longest or a clip from 1 to 2"),
        (["--reference", "²"], "reference is '²', but must be"),
        (["--units", "parsec"], "units is 'parsec', but must be"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_value_out_of_range_is_wrong_usage_said_in_one_line(run, walk, slow, out, arguments, message):
    code, printed, err = run("blend", walk, slow, "-o", out / "new.bvh", *arguments)
    assert message in err
    assert_one_line(err)
    assert (code, printed) == (2, "")
    assert os.listdir(out) == []


# --- files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flag", ["--output", "--report", "--picture"])
def test_nothing_is_overwritten_unless_it_is_forced(run, walk, slow, out, flag):
    there = out / "there"
    there.write_text("precious")
    output = {"--output": out / "new.bvh", flag: there}
    arguments = [part for pair in output.items() for part in pair]
    code, printed, err = run("blend", walk, slow, *arguments)
    assert (code, printed) == (1, "")
    assert err == f"action-loom: {there} exists already; --force overwrites it\n"
    assert there.read_text() == "precious"
    assert os.listdir(out) == ["there"]
    assert run("blend", walk, slow, *arguments, "--force")[0] == 0
    assert there.read_bytes() != b"precious"


@pytest.mark.parametrize("flag", ["--output", "--report", "--picture"])
def test_a_folder_that_is_not_there_is_said_before_any_work(run, walk, slow, out, flag):
    output = {"--output": out / "new.bvh", flag: out / "absent" / "file"}
    code, _, err = run("blend", walk, slow, *[part for pair in output.items() for part in pair])
    assert code == 1
    assert err == f"action-loom: {out / 'absent' / 'file'}: there is no folder {out / 'absent'}\n"
    assert os.listdir(out) == []


@pytest.mark.parametrize("flag", ["--output", "--report", "--picture"])
def test_a_folder_in_the_place_of_a_file_is_refused(run, walk, slow, out, flag):
    (out / "folder").mkdir()
    output = {"--output": out / "new.bvh", flag: out / "folder"}
    code, _, err = run("blend", walk, slow, *[part for pair in output.items() for part in pair], "--force")
    assert code == 1
    assert_one_line(err)
    assert str(out / "folder") in err
    assert (out / "folder").is_dir()
    assert not [name for name in os.listdir(out) if name.startswith(".")]


def test_two_outputs_in_one_file_are_refused(run, walk, slow, out):
    code, _, err = run("blend", walk, slow, "-o", out / "new", "--report", out / "new")
    assert code in (1, 2)
    assert_one_line(err)
    assert os.listdir(out) == []


def test_an_input_is_not_overwritten_unless_it_is_forced(run, walk, slow):
    before = walk.read_bytes()
    assert run("blend", walk, slow, "-o", walk)[0] == 1
    assert walk.read_bytes() == before


def test_relative_paths_are_taken_from_the_current_folder(run, walk, slow, out, monkeypatch):
    monkeypatch.chdir(out)
    code, _, _ = run("blend", os.path.relpath(walk), slow, "-o", "new.bvh", "--report", "r.json")
    assert code == 0
    assert sorted(os.listdir(out)) == ["new.bvh", "r.json"]
    assert read_json(out / "r.json")["output"] == "new.bvh"


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are a thing of Unix")
@pytest.mark.parametrize("flags", [["-o", "new.bvh"], ["-o", "new.bvh", "--report", "r.json", "--picture", "p.png"]])
def test_a_disk_that_fills_up_leaves_no_part_of_a_file(walk, slow, out, flags):
    code = (
        "import resource, sys, matplotlib.font_manager\n"
        "from action_loom.core.cli.main import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    flags = [out / flag if "." in flag else flag for flag in flags]
    done = processes.python("-c", code, "blend", walk, slow, "--engine", "numpy", *flags)
    assert done.returncode == 1
    assert_one_line(done.stderr)
    assert os.listdir(out) == []


# --- as a process -------------------------------------------------------------------------------------------------


def test_it_runs_as_a_process(walk, slow, out):
    done = processes.python("-m", MODULE, "blend", walk, slow, "-o", out / "new.bvh")
    assert (done.returncode, done.stderr) == (0, "")
    assert "walk + slow 50:50" in done.stdout
    assert os.listdir(out) == ["new.bvh"]


def test_the_exit_code_reaches_the_shell(walk, tmp_path):
    assert processes.python("-m", MODULE, "info", tmp_path / "absent.bvh").returncode == 1
    assert processes.python("-m", MODULE, "info").returncode == 2


def test_the_environment_chooses_the_engine_unless_a_flag_does(walk, slow):
    code = "import sys\nfrom action_loom.core.cli.main import main\nmain(sys.argv[1:])\nprint('numba' in sys.modules)"
    arguments = ["-c", code, "sync", walk, slow, "--quiet"]
    assert processes.python(*arguments, ACTION_LOOM_ENGINE="numpy").stdout == "False\n"
    assert processes.python(*arguments, "--engine", "numpy", ACTION_LOOM_ENGINE="auto").stdout == "False\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes close otherwise there")
@pytest.mark.parametrize("many", [1, 40])
def test_a_reader_that_goes_away_is_no_error_to_complain_about(walk, many):
    command = [sys.executable, "-m", MODULE, "info", *[str(walk)] * many]
    environment = processes.clean_environment()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        process.stdout.close()
        err = process.stderr.read()
    assert err == b""
    assert process.returncode in (0, 1)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_that_lacks_letters_is_no_reason_to_fail(walk, slow, tmp_path, encoding):
    renamed = shutil.copy(slow, tmp_path / "歩く.bvh")
    for arguments, code in ((["sync", walk, renamed, "--engine", "numpy"], 0), (["info", tmp_path / "歩.bvh"], 1)):
        done = processes.python("-m", MODULE, *arguments, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
        assert "Traceback" not in done.stderr
        assert done.returncode == code


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals are a thing of Unix")
def test_a_terminal_sees_a_bar_that_is_gone_in_the_end(walk, slow, out):
    termios = import_module("termios")
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, 80))  # a terminal without a size has no room for a bar
    termios.tcsetwinsize(ours, (24, 80))
    command = [sys.executable, "-m", MODULE, "blend", walk, slow, "-o", out / "new.bvh", "--engine", "numpy"]
    environment = processes.clean_environment()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, env=environment, timeout=120, check=True)
    assert select.select([ours], [], [], 5.0)[0]
    seen = os.read(ours, 100_000).decode()
    os.close(theirs)
    os.close(ours)
    assert "Synchronising" in seen
    assert "walk + slow 50:50" in done.stdout.decode()
    # The last thing that is drawn is nothing.
    assert seen.endswith("\r")
    assert seen.split("\r")[-2].strip() == ""


@pytest.mark.parametrize("verb", [[], ["info"], ["sync"], ["blend"]])
def test_help_is_given_and_names_the_defaults(run, verb):
    code, out, err = run(*verb, "--help")
    assert (code, err) == (0, "")
    assert out.startswith("usage: action-loom")
    if verb and verb[0] != "info":
        assert "--no-trim" in out
        assert "(default: 0.042 s)" in out
