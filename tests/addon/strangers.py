"""Damage a good file, read the operators' messages about it, and check that it can be drawn, saved and opened."""

import time

import bpy
import material
from drawing import draw_all

KEY = "action_loom"
MOST_SECONDS = 5.0
NESTED = "[" * 10_000 + "]" * 10_000
LONG = "9" * 5001
CONTROL = "a\n\x1b[31m\u202e"


def good_file(folder):
    """Save an undamaged file with an armature, two listed walks, and a result of them; return its path."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    material.two_walks()
    bpy.ops.action_loom.add_sources()
    bpy.ops.action_loom.blend(sources=material.TWO_WALKS, result_name="Mixed")
    path = folder / "good.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def message(operator, **options):
    """Return an operator's error message, "" on success; it may contain no traceback and must arrive quickly."""
    began = time.perf_counter()
    try:
        getattr(bpy.ops.action_loom, operator)(**options)
        message = ""
    except RuntimeError as error:
        message = str(error)
    assert time.perf_counter() - began < MOST_SECONDS, operator
    assert "Traceback" not in message, message
    sentences = [line for line in message.splitlines() if not line.startswith("Location: ")]
    assert len(sentences) <= 1, message
    assert len(message) < 1500
    return sentences[0].removeprefix("Error: ") if sentences else ""


def survives_saving(tmp_path, capfd):
    """Return whether a file is drawn, saved and opened without a traceback, and in time."""
    began = time.perf_counter()
    draw_all()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "strange.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "strange.blend"))
    draw_all()
    out, err = capfd.readouterr()
    return "Traceback" not in out + err and time.perf_counter() - began < MOST_SECONDS
