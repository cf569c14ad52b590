"""Other packages add verbs, metrics and formats: by entry points on the command line, by functions elsewhere."""

import json
import os
import shutil
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from action_loom.core import extend, verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import OptionError
from action_loom.core.formats import motion_file, registry
from action_loom.core.options import declared_options
from action_loom.core.recipes.matching import Matching
from action_loom.core.sync import metrics
from numpy.testing import assert_allclose
from oracles import console, material, processes

DATA = Path(__file__).resolve().parents[1] / "data"
PLACES = np.array(
    [[[0.0, 0.0, 1.0], [0.2, 0.1, 0.0]], [[0.0, 0.5, 1.1], [0.2, 0.6, 0.0]], [[0.0, 1.0, 1.0], [0.2, 1, 0]]]
)
ENTRY_POINTS = """
[action_loom.verbs]
hold_end = loom_markers:HOLD_END
[action_loom.metrics]
heights = loom_markers:HEIGHTS
[action_loom.formats]
trc = loom_markers:TRC
"""
BROKEN = "[action_loom.verbs]\nleap = loom_broken:LEAP\nagain = loom_markers:HOLD_END\nno = loom_markers:TRC\n"


@pytest.fixture
def package(monkeypatch):
    """The example, registered as by an add-on."""
    monkeypatch.syspath_prepend(DATA)
    module = import_module("loom_markers")
    module.register()
    yield module
    module.unregister()


def install(site, name, entry_points):
    """Write what an installer writes about a package, beside its modules."""
    folder = site / f"{name}-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(entry_points)


@pytest.fixture
def site(tmp_path):
    """A folder of installed packages with the example."""
    shutil.copytree(DATA / "loom_markers", tmp_path / "site" / "loom_markers")
    install(tmp_path / "site", "loom_markers", ENTRY_POINTS)
    return tmp_path / "site"


def command(site, *arguments):
    """Run the command line in a process of its own, where the packages of a folder are installed."""
    folders = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    return processes.python("-P", "-m", console.MODULE, *arguments, PYTHONPATH=folders)


@pytest.fixture
def trc(tmp_path):
    """Two markers over three frames, in millimetres with Y up."""
    y_up = PLACES[..., [0, 2, 1]] * (1000.0, 1000.0, -1000.0)
    rows = ["\t".join([str(k + 1), f"{k / 10:g}", *(f"{v:g}" for v in row.ravel())]) for k, row in enumerate(y_up)]
    about = "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n10\t10\t3\t2\tmm"
    head = f"PathFileType\t4\t(X/Y/Z)\tm.trc\n{about}\nFrame#\tTime\thips\t\t\ttoe\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
    (tmp_path / "m.trc").write_text(head + "\n" + "\n".join(rows) + "\n")
    return tmp_path / "m.trc"


def test_a_command_has_the_verbs_formats_and_metrics_of_installed_packages(site, trc, tmp_path):
    done = command(
        site, "hold_end", trc, "-o", tmp_path / "held.bvh", "--report", tmp_path / "r.json", "--seconds", 0.4
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "the last pose is held for 4 frames" in done.stdout
    assert json.loads((tmp_path / "r.json").read_bytes())["hold_end"] == {"frames": 4}
    held = motion_file.read(tmp_path / "held.bvh", "mm", "y").clip
    assert_allclose(held.translations + held.skeleton.offsets, PLACES[[0, 1, 2, 2, 2, 2, 2]], atol=1e-6)
    shown = command(site, "--help")
    assert "hold the last pose of a clip" in shown.stdout
    shown = command(site, "hold_end", "--help")
    assert "How long the pose is held (default: 0.5 s)" in " ".join(shown.stdout.split())


def test_jobs_in_other_processes_have_them_too(site, tmp_path):
    for name in ("one", "two"):
        material.write(replace(actions.walk(cycles=1), name=name), tmp_path / f"{name}.bvh")
    (tmp_path / "jobs.toml").write_text(
        'folder = "out"\n[[job]]\nverb = "hold_end"\nseconds = 1.0\nclips = ["one.bvh"]\n'
        '[[job]]\nverb = "sync"\nmetric = "heights"\nclips = ["one.bvh", "two.bvh"]\n'
    )
    done = command(site, "run", tmp_path / "jobs.toml", "--jobs", 2, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    frames = [len(motion_file.read(path).clip) for path in sorted((tmp_path / "out").glob("*.bvh"))]
    walk = len(actions.walk(cycles=1))
    assert sorted(frames) == [walk, walk + 30]


def test_a_package_that_fails_is_named_in_one_line_and_leaves_the_rest(site, trc, tmp_path):
    (site / "loom_broken.py").write_text("import nothing_of_this_name\n")
    install(site, "loom_broken", BROKEN)
    done = command(site, "hold_end", trc, "-o", tmp_path / "held.bvh", "--quiet")
    assert done.returncode == 0
    lines = sorted(done.stderr.splitlines())
    assert len(lines) == 3
    assert all(line.startswith("action-loom: The package loom_") for line in lines)
    text = "The package loom_broken can't add 'leap' to the verbs (ModuleNotFoundError: No module named 'nothing_of"
    assert any(text in line for line in lines)
    assert any("'hold_end' exists already" in line for line in lines)
    assert any("is not a Verb" in line for line in lines)


def test_a_verb_draws_no_picture_unless_its_package_has_one(site, trc, tmp_path):
    done = command(site, "hold_end", trc, "-o", tmp_path / "held.bvh", "--picture", tmp_path / "p.png")
    assert (done.returncode, done.stderr) == (2, "action-loom: hold_end draws no picture\n")
    assert not (tmp_path / "held.bvh").exists()


def test_an_added_verb_is_applied_and_read_from_json(package):
    made = verbs.apply(package.HoldEnd(seconds=1.0), [actions.walk(cycles=1)])
    assert len(made.clip) == len(actions.walk(cycles=1)) + 30
    assert verbs.from_json(package.HoldEnd(seconds=2.0).to_json()) == package.HoldEnd(seconds=2.0)
    assert "hold_end" not in verbs.OF_ONE_BODY


def test_an_added_metric_compares_poses(package):
    walk = actions.walk(cycles=1)
    away = replace(
        walk, translations=walk.translations + np.where(walk.skeleton.parents < 0, 1.0, 0.0)[:, None] * (5, 0, 0)
    )
    one, other = (metrics.prepare(clip, Matching(metric="heights")) for clip in (walk, away))
    assert_allclose(np.diag(one.matrix(other, 1)), 0.0, atol=1e-6)
    assert one.matrix(other, 1).max() > 0.01


def test_an_added_format_is_read(package, trc):
    found = motion_file.read(trc)
    assert found.clip.skeleton.names == ("hips", "toe")
    assert_allclose(found.clip.translations + found.clip.skeleton.offsets, PLACES, atol=1e-9)
    assert ".trc" in registry.readable()
    assert ".trc" not in registry.writable()


def test_what_is_removed_is_gone(package):
    package.unregister()
    try:
        with pytest.raises(OptionError, match="'hold_end' is no verb"):
            verbs.verb_of("hold_end")
        with pytest.raises(OptionError, match="metric is 'heights', but must be one of auto, "):
            Matching(metric="heights")
        assert "heights" not in declared_options(Matching)["metric"].names
        assert ".trc" not in registry.readable()
    finally:
        package.register()


@pytest.mark.parametrize("name", ["blend", "nothing"])
def test_only_added_rows_are_removed(name):
    with pytest.raises(OptionError, match=f"{name!r} is not among the verbs that other packages have added"):
        extend.remove_verb(name)


def test_names_are_added_once_and_rows_of_their_kind(package):
    with pytest.raises(OptionError, match="'heights' exists already among the metrics"):
        extend.add_metric(package.HEIGHTS)
    with pytest.raises(OptionError, match=r"'\.bvh' exists already among the formats"):
        extend.add_format(registry.FORMATS[".bvh"])
    with pytest.raises(OptionError, match="is not a MetricRow"):
        extend.add_metric(package.TRC)


def test_looking_for_packages_loads_nothing_where_there_are_none():
    code = "import sys; from action_loom.core import extend; extend.load_installed()"
    code += "; print('importlib.metadata' in sys.modules)"
    done = processes.python("-P", "-c", code, PYTHONPATH=os.environ.get("PYTHONPATH", ""))
    assert done.stdout == "False\n", done.stderr
