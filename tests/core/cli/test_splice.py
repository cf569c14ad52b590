"""action-loom splice: input files, output files, and messages."""

import pytest
from action_loom.core.demo_character import actions
from oracles import material


@pytest.fixture
def files(tmp_path):
    clips = actions.walk(60.0, 3), actions.wave(60.0), actions.carry(60.0, 2)
    return [material.write(clip, tmp_path / f"{clip.name}.bvh") for clip in clips]


def test_what_version_0_1_called_an_option_is_still_a_flag_and_a_key(run, files, tmp_path, out):
    walk, wave = material.write(actions.walk(60.0, 8), tmp_path / "long walk.bvh"), files[1]
    assert run("splice", walk, wave, "--if-shorter", "hold", "-o", out / "a.bvh")[0] == 0
    assert run("splice", walk, wave, "--short", "hold", "-o", out / "b.bvh")[0] == 0
    job = f'[[job]]\nverb = "splice"\nclips = ["{walk.name}", "{wave.name}"]\noutput = "out/c.bvh"\nshort = "hold"\n'
    (tmp_path / "jobs.toml").write_text(job, encoding="utf-8")
    assert run("run", tmp_path / "jobs.toml")[0] == 0
    assert run("splice", walk, wave, "-o", out / "d.bvh")[0] == 0
    held, *others = ((out / f"{name}.bvh").read_bytes() for name in "abcd")
    assert [one == held for one in others] == [True, True, False]
