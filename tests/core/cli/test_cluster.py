"""action-loom run --scheduler: a cluster's workers write the same files, even if one of them is killed."""

import os
import platform
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest
from oracles import clusters, console, material, processes

ROOT = Path(__file__).resolve().parents[3]
TAKES = 10


@pytest.fixture(scope="module")
def farm(tmp_path_factory):
    """A cluster of two workers."""
    with clusters.Farm(tmp_path_factory.mktemp("farm")) as farm:
        farm.add_worker()
        farm.add_worker()
        yield farm


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    """A job file of many jobs, with files of every kind, and one that fails."""
    folder = tmp_path_factory.mktemp("jobs")
    (folder / "takes").mkdir()
    material.write(material.walk(2.0, name="walk"), folder / "walk.bvh")
    (folder / "small.bvh").write_text(material.SMALL_BVH)
    for k in range(TAKES):
        material.write(material.walk(3.0, stride=0.7, turn=0.2), folder / "takes" / f"take{k:02d}.bvh")
    path = folder / "jobs.toml"
    path.write_text(
        'folder = "out"\n[[job]]\nverb = "blend"\nclips = ["walk.bvh"]\neach = "takes/*.bvh"\nreport = "out/"\n'
        '[[job]]\nverb = "sync"\nclips = ["walk.bvh", "takes/take01.bvh"]\ntimewarp = "out/"\n'
        '[[job]]\nverb = "graph"\nclips = ["walk.bvh", "takes/take01.bvh"]\n'
        '[[job]]\nname = "odd"\nverb = "blend"\nclips = ["walk.bvh", "small.bvh"]\n'
    )
    return path


@pytest.fixture(scope="module")
def alone(jobs):
    """The results and the messages of the jobs on this machine."""
    done = console.command("run", jobs, "--report", jobs.with_name("r.json"))
    assert done.returncode == 1
    return (
        console.contents(jobs.with_name("out")),
        console.read_json(jobs.with_name("r.json"))["jobs"],
        done.stdout.splitlines(),
    )


@pytest.fixture
def out(jobs):
    """The folder of the results, which does not exist yet."""
    shutil.rmtree(jobs.with_name("out"), ignore_errors=True)
    return jobs.with_name("out")


def one_line(done, code=1):
    assert (done.returncode, done.stdout) == (code, "")
    console.assert_one_line(done.stderr)
    return done.stderr


def test_a_cluster_makes_the_same_files(farm, jobs, alone, out):
    made, report, (*done, odd) = alone
    shared = console.command("run", jobs, "--scheduler", farm.address, "--report", jobs.with_name("s.json"))
    assert shared.returncode == 1
    assert console.contents(out) == made
    # The output names the failed job and its machine.
    assert shared.stdout.splitlines() == [*done, f"{odd} (on {platform.node()})"]
    assert odd.startswith("job 4 (odd): failed, ")
    told_there = console.read_json(jobs.with_name("s.json"))["jobs"]
    assert console.without_times(told_there[:-1]) == console.without_times(report[:-1])
    # Any machine that resumes the run skips the finished jobs.
    resumed = console.command("run", jobs, "--resume")
    assert resumed.stdout.splitlines()[0] == f"{TAKES + 2} of {TAKES + 3} jobs were done already"


def test_a_job_file_may_be_named_from_its_folder(farm, jobs, out):
    before = os.getcwd()
    os.chdir(jobs.parent)
    try:
        done = console.command("run", jobs.name, "--part", "1/5", "--scheduler", farm.address, "--quiet")
    finally:
        os.chdir(before)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(os.listdir(out)) == 6


@pytest.mark.skipif(sys.platform == "win32", reason="signals are a thing of Unix")
def test_what_is_interrupted_lets_go_of_the_cluster(farm, jobs, out):
    process = processes.started("run", jobs, "--scheduler", farm.address)
    processes.until(lambda: out.exists() and len(os.listdir(out)) > 1)
    process.send_signal(signal.SIGINT)
    printed, err = process.communicate(timeout=30)
    assert (process.returncode, printed, err) == (130, b"", b"action-loom: interrupted\n")
    import distributed

    with distributed.Client(farm.address, set_as_default=False) as client:
        processes.until(lambda: not client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks)))


@pytest.mark.skipif(sys.platform == "win32", reason="signals are a thing of Unix")
def test_a_worker_that_is_killed_loses_nothing(farm, jobs, alone, out):
    process = processes.started("run", jobs, "--scheduler", farm.address)
    processes.until(lambda: out.exists() and len(os.listdir(out)) > 3)
    farm.workers[0].kill()
    process.communicate(timeout=60)
    assert process.returncode == 1
    assert console.contents(out) == alone[0]
    assert farm.workers[0].wait() == -signal.SIGKILL


def test_without_workers_or_with_others_programs_it_is_said(tmp_path, jobs, out):
    other = tmp_path / "other" / "action_loom"
    other.mkdir(parents=True)
    shutil.copytree(ROOT / "core", other / "core", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (other / "__init__.py", other / "core" / "errors.py"):
        path.write_text(f"{path.read_text() if path.exists() else ''}\n# changed\n", encoding="utf-8")
    with clusters.Farm(tmp_path) as farm:
        none = console.command("run", jobs, "--scheduler", farm.address, "--wait", 1)
        assert "there has been no worker for 1 s" in one_line(none)
        worker = farm.add_worker(PYTHONPATH=other.parent)
        processes.until(lambda: b"Starting Worker plugin" in (tmp_path / "worker.log").read_bytes())
        refused = one_line(console.command("run", jobs, "--scheduler", farm.address, "--wait", 10))
        assert "worker tcp://127.0.0.1:" in refused
        assert "they must be the same" in refused
        assert worker.poll() is None
    assert not out.exists()


def test_a_scheduler_that_ends_ends_the_run(tmp_path, jobs, out):
    with clusters.Farm(tmp_path) as farm:
        process = processes.started("run", jobs, "--scheduler", farm.address, "--wait", "30", text=True)
        processes.until(lambda: b"Receive client connection" in (tmp_path / "scheduler.log").read_bytes())
        farm.scheduler.kill()
        printed, err = process.communicate(timeout=60)
    assert (process.returncode, printed) == (1, "")
    console.assert_one_line(err)
    assert farm.address in err


def test_no_scheduler_is_one_line(jobs, out):
    began = time.monotonic()
    message = one_line(console.command("run", jobs, "--scheduler", "tcp://127.0.0.1:9", "--wait", 1))
    assert message.startswith("action-loom: tcp://127.0.0.1:9: no Dask scheduler has answered within 1 s (")
    assert time.monotonic() - began < 30.0
    assert not out.exists()


@pytest.mark.parametrize(
    "address", ["", "farm", "farm:8786", "http://farm:8786", "tcp://farm", "tcp://farm:x", "tcp://:1"]
)
def test_what_is_no_address_is_one_line(run, jobs, out, address):
    code, printed, err = run("run", jobs, "--scheduler", address)
    assert (code, printed) == (2, "")
    console.assert_one_line(err)
    assert f"scheduler is {address!r}, but must be an address such as tcp://farm:8786" in err


def test_without_dask_it_is_said_how_to_get_it(jobs, out):
    code = f"import sys\nsys.modules['distributed'] = None\nfrom {console.MODULE} import main\nsys.exit(main())"
    done = processes.python("-P", "-c", code, "run", jobs, "--scheduler", "tcp://farm:8786")
    assert one_line(done) == 'action-loom: Dask is not installed here: pip install "action-loom[cluster]"\n'


def test_a_cluster_is_not_this_machines_processes(run, jobs, out):
    code, _, err = run("run", jobs, "--scheduler", "tcp://farm:8786", "--jobs", "2")
    assert code == 2
    assert "--jobs is of this machine" in err
