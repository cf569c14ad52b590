"""action-loom plant: input files, output files, spans by hand, and messages."""

import json

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.motion import root_motion
from oracles import material


@pytest.fixture
def sliding(tmp_path):
    """A walk whose feet slide to the side."""
    walk = actions.walk(30.0, 3)
    time = np.arange(len(walk)) / 30.0
    slide = np.stack([0.15 * time, 0.0 * time], axis=1)
    return material.write(root_motion.place_clip(walk, 0.0 * time, slide), tmp_path / "sliding.bvh")


def test_feet_are_planted_and_the_reports_spans_plant_them_again(run, sliding, out):
    code, printed, err = run("plant", sliding, "-o", out / "a.bvh", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert "spans planted, 0 refused" in printed
    reported = json.loads((out / "r.json").read_text(encoding="utf-8"))["plant"]
    assert reported["slide_cm_s"][1] < 0.3 * reported["slide_cm_s"][0]
    rows = "; ".join(" ".join(map(str, row)) for row in reported["spans"])
    assert run("plant", sliding, "-o", out / "b.bvh", "--spans", rows)[0] == 0
    assert (out / "a.bvh").read_bytes() == (out / "b.bvh").read_bytes()
    assert "nothing was changed" in "".join(run("plant", out / "a.bvh", "-o", out / "c.bvh")[1:])
