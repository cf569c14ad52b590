"""Job files: their allowed content, the jobs that they describe, and refusals before any job runs."""

import os
from importlib import import_module
from pathlib import Path

import pytest
from action_loom.core.options import declared_options
from action_loom.core.verbs import VERBS
from oracles import console

BLEND = '[[job]]\nverb = "blend"\n'
PAIR = 'clips = ["walk.bvh", "slow.bvh"]\n'
GOOD = f'{BLEND}{PAIR}output = "out/new.bvh"\n'


@pytest.fixture
def written(walk, slow, out, tmp_path):
    """Write a job file beside the clips and the folder `out`, and return its path."""

    def write(text):
        path = tmp_path / "jobs.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def jobs_of(written, run):
    """Return the reports of the jobs of a file, which must all succeed, and the files in `out`."""

    def done(text, *flags):
        path = written(text)
        code, _, err = run("run", path, "--report", path.with_name("r.json"), *flags, "--force")
        assert (code, err) == (0, "")
        report = console.read_json(path.with_name("r.json"))
        return [one["report"] for one in report["jobs"]], sorted(os.listdir(path.parent / "out"))

    return done


def test_paths_are_beside_the_job_file_whatever_the_current_folder(jobs_of, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path / "out")
    (report,), files = jobs_of(GOOD)
    assert files == ["new.bvh"]
    assert report["output"] == str(tmp_path / "out" / "new.bvh")
    assert report["inputs"] == [str(tmp_path / "walk.bvh"), str(tmp_path / "slow.bvh")]


def test_a_tilde_is_the_users_folder(jobs_of, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    _, files = jobs_of(f'{BLEND}clips = ["~/walk.bvh", "~/s*.bvh"]\noutput = "~/out/new.bvh"\n')
    assert files == ["new.bvh"]


def test_options_are_named_as_in_the_recipe(jobs_of):
    keys = [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
    text = f"{GOOD}weight_keys = [[0, 1, 0], [1, 0, 1]]\nends = 'pinned'\nreference = 2\ntrim = false\nwindow = 0\n"
    (report,), _ = jobs_of(text)
    assert report["weight_keys"] == keys
    assert report["reference"] == "slow"
    assert report["registration"][0]["ends"] == "pinned"


def test_the_top_of_the_file_holds_for_all_jobs_but_their_own_words_count(jobs_of):
    text = 'metric = "points"\nweights = [1, 3]\nfolder = "out"\n'
    text += f'{BLEND}{PAIR}{BLEND}{PAIR}metric = "motion"\nweights = [3, 1]\n[[job]]\nverb = "sync"\n{PAIR}'
    reports, files = jobs_of(text)
    assert files == ["slow in time with walk.bvh", "walk + slow 25-75.bvh", "walk + slow 75-25.bvh"]
    assert [one["registration"][0]["metric"] for one in reports] == ["points", "motion", "points"]
    assert [one.get("weights") for one in reports] == [[0.25, 0.75], [0.75, 0.25], None]


def test_patterns_stand_for_files_in_alphabetical_order(jobs_of, walk, tmp_path):
    for name in ("b", "a", "c"):
        (tmp_path / "more").mkdir(exist_ok=True)
        (tmp_path / "more" / f"{name}.bvh").write_bytes(walk.read_bytes())
    (report,), _ = jobs_of(f'{BLEND}clips = ["walk.bvh", "more/[ab].bvh"]\noutput = "out/"\n')
    assert report["names"] == ["walk", "a", "b"]


def test_a_file_that_is_called_like_a_pattern_is_meant_itself(jobs_of, walk, tmp_path):
    (tmp_path / "walk[1].bvh").write_bytes(walk.read_bytes())
    (report,), _ = jobs_of(f'{BLEND}clips = ["walk[1].bvh", "walk.bvh"]\noutput = "out/new.bvh"\n')
    assert report["names"] == ["walk[1]", "walk"]


def test_the_folder_of_a_job_file_is_no_pattern(run, walk, tmp_path):
    folder = tmp_path / "takes [a]"
    folder.mkdir()
    for name in ("1", "2"):
        (folder / f"{name}.bvh").write_bytes(walk.read_bytes())
    (folder / "jobs.toml").write_text(f'{BLEND}clips = ["?.bvh"]\noutput = "new.bvh"\n')
    code, _, err = run("run", folder / "jobs.toml")
    assert (code, err) == (0, "")


def test_each_makes_a_job_of_every_file(jobs_of, walk, tmp_path):
    for name in ("b", "a"):
        (tmp_path / f"take {name}.bvh").write_bytes(walk.read_bytes())
    text = f'{BLEND}name = "half"\nclips = ["slow.bvh"]\neach = "take*.bvh"\noutput = "out/"\nreport = "out/"\n'
    reports, files = jobs_of(text)
    assert [one["names"] for one in reports] == [["slow", "take a"], ["slow", "take b"]]
    titles = ["slow + take a 50-50", "slow + take b 50-50"]
    assert files == [f"{title}{ending}" for title in titles for ending in (".bvh", ".json")]
    names = [(one["job"], one["name"]) for one in console.read_json(tmp_path / "r.json")["jobs"]]
    assert names == [(1, "half take a"), (1, "half take b")]


def test_flags_take_the_place_of_what_the_file_says(jobs_of):
    text = f'units = "m"\nup = "z"\n{GOOD}units = 0.005\n'
    (report,), _ = jobs_of(text)
    assert [(one["unit"], one["metres"], one["up"]) for one in report["units"]] == [("0.005", 0.005, "z")] * 2
    (report,), _ = jobs_of(text, "--units", "cm", "--up", "y", "--engine", "numpy")
    assert [(one["unit"], one["up"]) for one in report["units"]] == [("cm", "y")] * 2


def test_a_file_from_windows_is_read(jobs_of, written):
    (report,), _ = jobs_of("\ufeff" + GOOD.replace("\n", "\r\n"))
    assert report["names"] == ["walk", "slow"]


REFUSED = {
    "": "jobs.toml: there are no jobs; each begins with [[job]]",
    '[job]\nverb = "blend"': "jobs.toml: there are no jobs; each begins with [[job]]",
    "job = [1]": "jobs.toml: there are no jobs; each begins with [[job]]",
    f"{GOOD}keep =\n": "jobs.toml, line 5: ",
    f"\n\n= 3\n{GOOD}": "jobs.toml, line 3: ",
    f"{GOOD}x = [1,\n": "jobs.toml, line 5: ",
    f"{GOOD}{GOOD}output = 'a'\n": "jobs.toml, line 9: ",
    f"wieght = 1\n{GOOD}": "jobs.toml: there is no key 'wieght'",
    f"output = 'x.bvh'\n{GOOD}": "jobs.toml: there is no key 'output'",
    f"slope = true\n{GOOD}": "jobs.toml: slope is True, but must be a number",
    f"slope = 99\n{GOOD}": "jobs.toml: slope is 99, but must lie between -1 and 32",
    f"engine = 'steam'\n{GOOD}": "jobs.toml: engine is 'steam', but must be one of auto, numba, numpy",
    f"units = 'parsec'\n{GOOD}": "jobs.toml: units is 'parsec', but must be m, dm,",
    f"quiet = 1\n{GOOD}": "jobs.toml: quiet is 1, but must be true or false",
    f"folder = ['a']\n{GOOD}": "jobs.toml: folder is ['a'], but must be a text",
    f"report = 'absent/r.json'\n{GOOD}": "there is no folder ",
    f"[[job]]\n{PAIR}": "jobs.toml, job 1: verb is missing, but must be one of sync, blend",
    f"{GOOD}[[job]]\nverb = 'juggle'": "jobs.toml, job 2: verb is 'juggle', but must be one of sync, blend",
    f"{GOOD}name = 'half'\nverve = 1": "jobs.toml, job 1 (half): there is no key 'verve' for blend",
    f"[[job]]\nverb = 'sync'\n{PAIR}output = 'out/'\nweights = [1, 2]": "job 1: there is no key 'weights' for sync",
    f"{GOOD}name = 3\nforce = 'yes'": "jobs.toml, job 1: force is 'yes', but must be true or false",
    f"{GOOD}window = '0.1'": "jobs.toml, job 1: window is '0.1', but must be a number",
    f"{GOOD}window = 7": "jobs.toml, job 1: window is 7, but must lie between 0 and 1 s",
    f"{GOOD}weights = 1": "jobs.toml, job 1: weights is 1, but must be numbers in brackets",
    f"{GOOD}weights = ['1', '2']": "jobs.toml, job 1: weights is ['1', '2'], but must be numbers in brackets",
    f"{GOOD}weights = [1, 2, 3]": "jobs.toml, job 1: weights has 3 values, but takes 2",
    f"{GOOD}weight_keys = [0, 1]": "jobs.toml, job 1: weight_keys is [0, 1], but must be rows of numbers",
    f"{GOOD}weight_keys = '0 1 0; 1 0 1'": "job 1: weight_keys is '0 1 0; 1 0 1', but must be rows of numbers",
    f"{GOOD}ends = ['open']": "jobs.toml, job 1: ends is ['open'], but must be a text",
    f"{GOOD}trim = 0": "jobs.toml, job 1: trim is 0, but must be true or false",
    f"{GOOD}reference = true": "jobs.toml, job 1: reference is True, but must be a text",
    f"{GOOD}picture = 2026-01-01": "jobs.toml, job 1: picture is datetime.date(2026, 1, 1), but must be a text",
    f'{GOOD}report = "a\\u0000b"': r"jobs.toml, job 1: report is 'a\x00b', but must be a text",
    f"{BLEND}clips = 'walk.bvh'\noutput = 'out/'": "jobs.toml, job 1: clips is 'walk.bvh', but must be names of files",
    f"{BLEND}clips = ['walk.bvh', 1]\noutput = 'out/'": "job 1: clips is ['walk.bvh', 1], but must be names of files",
    f"{BLEND}clips = []\noutput = 'out/'": "jobs.toml, job 1: clips is missing: no file is named",
    f"{BLEND}clips = ['absent.bvh']\noutput = 'out/'": "jobs.toml, job 1: clips: there is no file ",
    f"{BLEND}clips = ['out']\noutput = 'out/'": "jobs.toml, job 1: clips: there is no file ",
    f"{BLEND}clips = ['x*.bvh']\noutput = 'out/'": "jobs.toml, job 1: clips: no file matches ",
    f"{BLEND}each = 'x*.bvh'\noutput = 'out/'": "jobs.toml, job 1: each: no file matches ",
    f"{BLEND}{PAIR}": "jobs.toml, job 1: output is missing, and there is no folder for it either",
    f"{GOOD}report = 'absent/r.json'": "jobs.toml, job 1: report: ",
    f"{GOOD}report = 'out/new.bvh'": "out/new.bvh is already written by job 1, output",
    f"{GOOD}picture = 'out/p.jpg'": "out/p.jpg is to be a picture, and must end in .png",
    f"{GOOD}slope = {'9' * 5001}": "a whole number in it has thousands of digits",
    f"{GOOD}weights = [1, 0x{'f' * 5001}]": "weights is too much to write down, but must lie between",
    f"{GOOD}{GOOD}name = 'again'": "jobs.toml, job 2 (again): output: ",
    f"report = 'out/new.bvh'\n{GOOD}": "out/new.bvh is already written by the report of all jobs",
    f"{BLEND}clips = ['slow.bvh']\neach = 'w*.bvh'\noutput = 'out/../out/new.bvh'\n{GOOD}": "by job 1 (walk), output",
    f"folder = 'out'\n{BLEND}{PAIR}{BLEND}{PAIR}weights = [2, 2]": "walk + slow 50-50.bvh is already written by job 1",
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=range(len(REFUSED)))
def test_what_is_wrong_is_said_in_one_line_before_anything_runs(run, written, out, text, message):
    code, printed, err = run("run", written(text))
    assert (code, printed) == (1, "")
    console.assert_one_line(err)
    assert message in err
    assert "jobs.toml" in err
    assert os.listdir(out) == []


def test_what_is_no_text_or_no_file_is_refused(run, tmp_path, written):
    path = written("")
    path.write_bytes(b'a = 1\nb = "\xff"\n')
    assert run("run", path)[2] == f"action-loom: {path}, line 2: this is not UTF-8 text\n"
    path.write_text("a = " + 5000 * "[")
    console.assert_one_line(run("run", path)[2])
    absent = tmp_path / "absent.toml"
    assert run("run", absent)[2] == f"action-loom: {absent}: can't be read (No such file or directory)\n"
    assert run("run", tmp_path)[0] == 1


def test_a_clip_that_another_job_writes_is_refused(run, written, walk, out, tmp_path):
    (out / "new.bvh").write_bytes(walk.read_bytes())
    path = written(f'force = true\n{GOOD}{BLEND}clips = ["walk.bvh", "out/new.bvh"]\noutput = "out/newer.bvh"\n')
    code, _, err = run("run", path)
    assert code == 1
    assert err.endswith(f"job 2: clips: {tmp_path}/out/new.bvh is written by job 1, output\n")
    assert (out / "new.bvh").read_bytes() == walk.read_bytes()


def test_keys_of_job_files_and_options_of_verbs_have_different_names():
    jobfile = import_module("action_loom.core.cli.jobfile")
    settings = import_module("action_loom.core.cli.motion_files").MotionFiles().settings
    keys = [*jobfile.FOR_ALL, *jobfile.FOR_ONE, *jobfile.FOR_THE_RUN]
    assert not set(settings) & set(keys)
    reserved = {"job", "verb", "clips", *settings, *keys}
    for recipe in [row.recipe for row in VERBS.values()]:
        assert not reserved & set(declared_options(recipe))


def test_every_key_is_documented():
    jobfile = import_module("action_loom.core.cli.jobfile")
    text = (Path(__file__).resolve().parents[3] / "docs" / "jobs.md").read_text(encoding="utf-8")
    settings = import_module("action_loom.core.cli.motion_files").MotionFiles().settings
    for key in ("verb", "clips", *settings, *jobfile.FOR_ALL, *jobfile.FOR_ONE, *jobfile.FOR_THE_RUN):
        assert f"| `{key}` |" in text
