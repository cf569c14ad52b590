"""action-loom run: jobs that succeed and jobs that fail, in this process and in others, and their messages."""

import os
import re
import select
import shutil
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh
from oracles import console, material, processes

ROOT = Path(__file__).resolve().parents[3]
TAKES = 400  # enough that some are left when the run is stopped, even on a busy processor
MANY = 'verb = "blend"\nclips = ["walk.bvh"]\neach = "takes/*.bvh"\n'


@pytest.fixture
def jobs(tmp_path, walk, slow, out):
    """A job file with a good job on each side of one that fails."""
    (tmp_path / "small.bvh").write_text(material.SMALL_BVH)
    path = tmp_path / "jobs.toml"
    path.write_text(
        'folder = "out"\n'
        '[[job]]\nverb = "blend"\nclips = ["walk.bvh", "slow.bvh"]\nreport = "out/"\n'
        '[[job]]\nname = "odd"\nverb = "blend"\nclips = ["walk.bvh", "small.bvh"]\n'
        '[[job]]\nverb = "sync"\nclips = ["walk.bvh", "slow.bvh"]\npicture = "out/"\n'
    )
    return path


@pytest.fixture
def many(tmp_path, walk, slow, out):
    """A job file with more jobs than are done within a moment."""
    (tmp_path / "takes").mkdir()
    for k in range(TAKES):
        shutil.copy(slow, tmp_path / "takes" / f"{k}.bvh")
    path = tmp_path / "jobs.toml"
    path.write_text(f'folder = "out"\n[[job]]\n{MANY}')
    return path


def test_a_job_that_fails_does_not_stop_the_others(jobs, out):
    arguments = ("run", jobs, "--jobs", 2, "--report", jobs.with_name("r.json"))
    done = processes.python("-P", "-m", console.MODULE, *arguments)
    titles = {"slow in time with walk": (".bvh", ".png"), "walk + slow 50-50": (".bvh", ".json")}
    made = [f"{title}{ending}" for title, endings in titles.items() for ending in endings]
    assert sorted(os.listdir(out)) == made
    assert done.returncode == 1
    first, second, third = done.stdout.splitlines()
    assert first == f"job 1: done, {out / made[2]}"
    assert second.startswith("job 2 (odd): failed, ")
    assert "small" in second
    assert third == f"job 3: done, {out / made[0]}"
    problem = second.removeprefix("job 2 (odd): failed, ")
    assert done.stderr == f"action-loom: job 2 (odd): {problem}\naction-loom: 1 of 3 jobs failed\n"
    report = console.read_json(jobs.with_name("r.json"))
    assert set(report) == {"verb", "jobs", "seconds_taken"}
    assert report["verb"] == "run"
    assert report["seconds_taken"] > 0.0
    assert [(one["job"], one["name"], one["status"]) for one in report["jobs"]] == [
        (1, "", "done"),
        (2, "odd", "failed"),
        (3, "", "done"),
    ]
    assert report["jobs"][1] == {"job": 2, "name": "odd", "status": "failed", "message": problem}
    assert report["jobs"][0]["report"] == console.read_json(out / made[3])
    assert console.picture_size(out / made[1])


@pytest.mark.parametrize(
    ("verb", "flags", "keys"),
    [
        ("blend", ["--weights", "1", "3", "--no-trim"], "weights = [1, 3]\ntrim = false"),
        ("sync", ["--units", "0.02", "--ends", "open"], 'units = 0.02\nends = "open"'),
    ],
)
def test_a_file_with_one_job_gives_the_same_bytes_as_the_command(run, walk, slow, tmp_path, out, verb, flags, keys):
    (out / "command").mkdir()
    (out / "job").mkdir()
    path = tmp_path / "jobs.toml"
    places = 'output = "out/job/"\nreport = "out/job/"\npicture = "out/job/"'
    path.write_text(f'[[job]]\nverb = "{verb}"\nclips = ["walk.bvh", "slow.bvh"]\n{keys}\n{places}\n')
    assert run("run", path)[0] == 0
    folder = f"{out}/command"
    assert run(verb, walk, slow, *flags, "-o", folder, "--report", folder, "--picture", folder)[0] == 0
    names = sorted(os.listdir(out / "job"))
    assert sorted(os.listdir(folder)) == names
    for name in names:
        one, other = out / "job" / name, out / "command" / name
        if name.endswith(".json"):
            first, second = (console.without_times(console.read_json(path)) for path in (one, other))
            assert first | {"output": ""} == second | {"output": ""}
        else:
            assert one.read_bytes() == other.read_bytes()


def test_nothing_is_overwritten_and_nothing_runs_unless_it_is_forced(run, jobs, out):
    there = out / "slow in time with walk.png"
    there.write_text("precious")
    code, printed, err = run("run", jobs)
    assert (code, printed) == (1, "")
    assert err == f"action-loom: {jobs}, job 3: picture: {there} exists already; --force overwrites it\n"
    assert os.listdir(out) == [there.name]
    assert there.read_text() == "precious"
    assert run("run", jobs, "--force")[1].count("done") == 2
    assert there.read_bytes() != b"precious"


def test_the_report_of_all_jobs_is_not_overwritten_either(run, jobs, out):
    report = jobs.with_name("r.json")
    report.write_text("precious")
    code, _, err = run("run", jobs, "--report", report)
    assert code == 1
    assert f"{report} exists already" in err
    assert os.listdir(out) == []
    assert report.read_text() == "precious"


def test_quiet_says_what_failed_only(run, jobs):
    code, printed, err = run("run", jobs, "--quiet")
    assert (code, printed) == (1, "")
    assert err.count("\n") == 2


def test_a_folder_that_is_missing_is_made_when_there_is_something_to_put_there(run, jobs, out):
    out.rmdir()
    jobs.write_text(jobs.read_text().replace('"sync"', '"juggle"'))
    assert run("run", jobs)[0] == 1
    assert not out.exists()
    jobs.write_text(jobs.read_text().replace('"juggle"', '"sync"'))
    run("run", jobs)
    assert len(os.listdir(out)) == 4


def test_a_result_that_can_not_be_written_is_a_failure_of_its_job(run, jobs, out, tmp_path):
    text = jobs.read_text().replace('folder = "out"', 'folder = "out"\nreport = "r.json"', 1)
    jobs.write_text(text.replace('picture = "out/"', f'picture = "{260 * "x"}.png"'))
    code, printed, _ = run("run", jobs)
    assert code == 1
    assert printed.splitlines()[0].startswith("job 1: done")
    assert "File name too long" in printed.splitlines()[2]
    assert [one["status"] for one in console.read_json(tmp_path / "r.json")["jobs"]] == ["done", "failed", "failed"]


@pytest.mark.parametrize("number", ["-1", "two", "1.5", ""])
def test_how_many_at_a_time_is_a_whole_number(run, jobs, out, number):
    code, _, err = run("run", jobs, f"--jobs={number}")
    assert code == 2
    assert f"argument --jobs: {number!r} is not a number of jobs" in err
    assert os.listdir(out) == []


@pytest.mark.parametrize("flag", [["--units", "parsec"], ["--up", "w"], ["--engine", "steam"]])
def test_wrong_flags_are_wrong_usage(run, jobs, out, flag):
    code, _, err = run("run", jobs, *flag)
    assert code == 2
    assert flag[1] in err
    assert os.listdir(out) == []


def test_the_engine_is_chosen_by_the_flag_or_else_by_the_file(jobs):
    code = "import sys\nfrom action_loom.core.cli.main import main\nmain(sys.argv[1:])\nprint('numba' in sys.modules)"
    text = jobs.read_text()
    for engine, flag in (("numpy", []), ("auto", ["--engine", "numpy"])):
        jobs.write_text(f'engine = "{engine}"\n{text}')
        done = processes.python("-P", "-c", code, "run", jobs, "--quiet", "--force", *flag, ACTION_LOOM_ENGINE="auto")
        assert done.stdout == "False\n"


def test_other_processes_use_the_engine_that_was_asked_for(jobs, out):
    pytest.importorskip("numba")
    arguments = ("run", jobs, "--jobs", 2, "--force", "--quiet")
    results = []
    for engine in ("numpy", "numba"):
        # The environment selects another engine than the option, so an ignored option would show.
        other = {"numpy": "auto", "numba": "numpy"}[engine]
        done = processes.python(
            "-P", "-v", "-m", console.MODULE, *arguments, "--engine", engine, ACTION_LOOM_ENGINE=other
        )
        results.append("_numba" in done.stderr)
    assert results == [False, True]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are a thing of Unix")
@pytest.mark.parametrize(("sent", "code"), [("SIGINT", 130), ("SIGKILL", -9)])
def test_what_is_stopped_leaves_no_process_and_no_part_of_a_file(many, out, sent, code):
    # A shell may start this test in the background with Ctrl-C ignored.
    text = (
        "import signal, sys\nfrom action_loom.core.cli.process import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\nsys.exit(main())\n"
    )
    command = [sys.executable, "-P", "-c", text, "run", str(many), "--jobs", "2", "--engine", "numpy"]
    environment = processes.clean_environment()
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, start_new_session=True, **pipes) as process:
        processes.until(lambda: len([name for name in os.listdir(out) if name.endswith(".bvh")]) > 1)
        process.send_signal(getattr(signal, sent))
        # Our ends of the pipes close when neither the process nor its workers can write to them.
        printed, err = process.communicate(timeout=30)
    assert process.returncode == code
    assert printed == b""
    if sent != "SIGKILL":
        assert err == b"action-loom: interrupted\n"
    files = os.listdir(out)
    assert 1 < len(files) < TAKES
    for name in files:
        if sent != "SIGKILL" or not name.endswith(".part"):
            assert len(bvh.read(out / name).values) > 10


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals are a thing of Unix")
def test_a_terminal_sees_how_many_jobs_are_done(jobs):
    termios = import_module("termios")
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    command = [sys.executable, "-P", "-m", console.MODULE, "run", str(jobs), "--engine", "numpy"]
    environment = processes.clean_environment()
    subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, env=environment, timeout=120, check=False)
    assert select.select([ours], [], [], 5.0)[0]
    seen = os.read(ours, 100_000).decode()
    os.close(theirs)
    os.close(ours)
    assert "0/3" in seen


def test_the_examples_of_the_readme_and_of_the_page_on_job_files_run(run, tmp_path):
    for page in ("README.md", "docs/jobs.md"):
        (text,) = re.findall(r"```toml\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
        folder = tmp_path / Path(page).stem
        (folder / "takes").mkdir(parents=True)
        for clip in (actions.walk(), actions.sneak()):
            material.write(clip, folder / f"{clip.name}.bvh")
            material.write(clip, folder / "takes" / f"take of {clip.name}.bvh")
        path = folder / "jobs.toml"
        path.write_text(text, encoding="utf-8")
        code, printed, err = run("run", path)
        assert (code, err) == (0, "")
        assert printed.count("done") >= 3
        assert (folder / "woven" / "walk + sneak 25-75.bvh").exists()
