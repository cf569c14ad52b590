"""action-loom run --part: parts do each job once, side by side, and make the files of an undivided run."""

import os

import pytest
from action_loom.core.cli import parts
from action_loom.core.errors import OptionError
from oracles import console, processes

TAKES = 6
ALL = TAKES + 1


@pytest.fixture
def jobs(tmp_path, walk, slow, out):
    return console.many_jobs(tmp_path, slow, TAKES, 'timewarp = "out/"\n')


def undivided(run, jobs, out):
    """Return the files and the report of one run of all jobs; the folder is empty again afterwards."""
    assert run("run", jobs)[0] == 0
    made, report = console.contents(out), console.content(jobs.with_name("r.json"))["jobs"]
    for path in [*out.iterdir(), jobs.with_name("r.json"), jobs.with_name("jobs.toml.journal")]:
        path.unlink()
    return made, report


@pytest.mark.parametrize("of", [1, 2, 3, 7, 16])
def test_each_job_is_in_one_part_and_parts_are_alike(of):
    every = [parts.read(f"{k}/{of}") for k in range(1, of + 1)]
    for places in (range(ALL), range(1000)):
        counts = [sum(part.has(place) for place in places) for part in every]
        assert max(counts) - min(counts) <= 1
        assert [sum(part.has(place) for part in every) for place in places] == [1] * len(places)
    assert sorted(part.tag for part in every) == [part.tag for part in every]


def test_parts_side_by_side_make_what_one_run_makes(run, jobs, out):
    made, report = undivided(run, jobs, out)
    started = [processes.started("run", jobs, "--part", f"{k}/3") for k in (1, 2, 3)]
    ended = [process.communicate(timeout=60) for process in started]
    assert [process.returncode for process in started] == [0, 0, 0]
    assert [err for _, err in ended] == [b"", b"", b""]
    assert [printed.decode().splitlines()[0] for printed, _ in ended] == [
        f"part 1/3: 3 of {ALL} jobs",
        f"part 2/3: 2 of {ALL} jobs",
        f"part 3/3: 2 of {ALL} jobs",
    ]
    assert console.contents(out) == made
    reports = [console.content(jobs.with_name(f"r.{k}-of-3.json")) for k in (1, 2, 3)]
    assert [one["part"] for one in reports] == ["1/3", "2/3", "3/3"]
    taken = [reports[place % 3]["jobs"][place // 3] for place in range(ALL)]
    assert taken == report
    assert not jobs.with_name("r.json").exists()
    assert not jobs.with_name("jobs.toml.journal").exists()
    assert len(list(jobs.parent.glob("jobs.toml.?-of-3.journal"))) == 3


def test_a_part_without_jobs_does_nothing(run, jobs, out):
    code, printed, err = run("run", jobs, "--part", "16/16")
    assert (code, printed, err) == (0, f"part 16/16: 0 of {ALL} jobs\n", "")
    assert os.listdir(out) == []
    assert console.read_json(jobs.with_name("r.16-of-16.json"))["jobs"] == []


@pytest.mark.parametrize(
    "text", ["0/4", "5/4", "x", "", "1", "/", "1/", "-1/4", "1/0", "1.0/2", "1/2/3", "²/3", "1/2\n"]
)
def test_what_is_no_part_is_said_in_one_line(run, jobs, out, text):
    code, printed, err = run("run", jobs, f"--part={text}")
    assert (code, printed) == (2, "")
    console.assert_one_line(err)
    assert f"--part is {text!r}, but must be K/N" in err.replace("\\\\n", "\\n")
    assert os.listdir(out) == []


def test_a_part_has_a_size_that_can_be_counted():
    with pytest.raises(OptionError, match="must be K/N"):
        parts.read(f"1/{'9' * 5000}")


def test_files_of_other_parts_may_be_there_and_those_of_this_one_may_not(run, jobs, out):
    (out / "walk + take01 50-50.bvh").write_text("precious")
    code, _, err = run("run", jobs, "--part", "2/3")
    assert code == 1
    console.assert_one_line(err)
    assert "walk + take01 50-50.bvh exists already; --force overwrites it" in err
    assert run("run", jobs, "--part", "1/3")[0] == 0
    assert (out / "walk + take01 50-50.bvh").read_text() == "precious"


def test_jobs_of_different_parts_may_not_write_the_same_file(run, jobs, out):
    jobs.write_text(jobs.read_text() + '[[job]]\nverb = "sync"\nclips = ["walk.bvh", "slow.bvh"]\n')
    code, _, err = run("run", jobs, "--part", "1/3")
    assert code == 1
    assert "slow in time with walk.bvh is already written by job 2, output" in err
    assert os.listdir(out) == []


def test_a_part_goes_on_where_it_was(run, jobs, out):
    assert run("run", jobs, "--part", "2/3")[0] == 0
    before = console.contents(out)
    (out / "walk + take04 50-50.bvh").unlink()
    code, printed, err = run("run", jobs, "--part", "2/3", "--resume")
    assert (code, err) == (0, "")
    assert printed.splitlines()[:2] == [f"part 2/3: 2 of {ALL} jobs", "1 of 2 jobs were done already"]
    assert console.contents(out) == before
    assert len(console.content(jobs.with_name("r.2-of-3.json"))["jobs"]) == 2


def test_a_run_of_all_goes_on_with_what_parts_have_made_and_tells_of_all(run, jobs, out):
    made, report = undivided(run, jobs, out)
    for k in (1, 3):
        assert run("run", jobs, "--part", f"{k}/3")[0] == 0
    code, printed, err = run("run", jobs, "--resume")
    assert (code, err) == (0, "")
    assert printed.splitlines()[0] == f"5 of {ALL} jobs were done already"
    assert console.contents(out) == made
    assert console.content(jobs.with_name("r.json"))["jobs"] == report
    # So do other parts.
    assert run("run", jobs, "--part", "2/2", "--resume")[1].splitlines()[1] == "3 of 3 jobs were done already"


def test_what_is_no_file_keeps_its_name(run, jobs, tmp_path):
    assert run("run", jobs, "--part", "1/7", "--force", "--report", os.devnull)[0] == 0
    assert not list(tmp_path.glob("*of-7.json"))
