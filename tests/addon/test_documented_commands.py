"""Every command inside Blender in README and docs runs unchanged on the demo's actions."""

import re
import shlex

import bpy
import documented
import pytest

pytestmark = pytest.mark.core_result

PAGES = documented.commands("blender")
COMMAND = " --command action_loom "


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run_one_after_the_other(page, figure, scene, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (documented.ROOT / "README.md").read_text(encoding="utf-8")
    jobs = re.search(r"```toml\n(.*?)```", text, re.DOTALL)[1]
    jobs = jobs.replace("walk.bvh", "Walk").replace("sneak.bvh", "Sneak").replace("takes/*.bvh", "S*")
    for name in ("jobs.toml", "JOBS.toml"):
        (tmp_path / name).write_text(jobs)
    for line in PAGES[page]:
        if COMMAND not in line:
            continue  # the example's script: test_commands
        bpy.ops.wm.open_mainfile(filepath=str(scene))
        words = shlex.split(line.partition(COMMAND)[2])
        saves = [] if {"--save", "-o", "info", "check"} & set(words) else ["--save"]  # as the page says before it
        code, _, err = command(*words, *saves)
        assert (code, err) == (0, ""), line
