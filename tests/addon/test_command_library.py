"""Libraries of clips by the command line inside Blender: an action's stretch is searched for in motion files."""

import bpy
import material
import numpy as np
import pytest

pytestmark = pytest.mark.core_result


def test_a_stretch_of_an_action_is_found_in_files(command, loom, scene, out):
    bvh = loom("core.formats.bvh")
    actions = loom("core.demo_character.actions")  # these make the figure's actions in Blender
    for name, make in (("Walk", actions.walk), ("Sneak", actions.sneak), ("Carry", actions.carry)):
        bvh.write(bvh.from_clip(make()), out / f"{name}.bvh")
    library, before = out / "all.loomlib", scene.read_bytes()
    code, printed, err = command("library", "index", out, "-o", library)
    assert (code, err) == (0, "")
    assert printed.startswith(f"{library}: 3 added")
    first = round(bpy.data.actions["Sneak"].frame_range[0])
    stretch = f"Sneak[{first + 10}:{first + 45}]"
    code, printed, err = command("library", "search", library, stretch, "--report", out / "r.json")
    assert (code, err) == (0, "")
    best = material.read_json(out / "r.json")["found"][0]
    assert best["clip"] == str(out / "Sneak.bvh")
    in_file = np.array([10, 45]) * 30.0 / bpy.context.scene.render.fps
    assert np.abs(np.array([best["first"], best["last"]]) - in_file).max() <= 1
    assert best["distance"] < 0.005
    assert scene.read_bytes() == before
    code, printed, err = command("library", "search", library, "Sneak[-5:20]")
    assert (code, printed) == (1, "")
    code, printed, err = command("library", "search", library, stretch, "--picture", out / "p.png")
    assert (code, printed) == (2, "")
    assert "not drawn inside Blender" in err
