"""Jobs disturbed at random moments in Blender's window, each from one row of a table.

    blender-gui run --extension ZIP --script tools/gui_trials.py --out OUT --timeout 1700 -- esc seed=20261130

Arguments after -- are names of rows, `seed=N`, and `rounds=N` for the number of disturbances of each row. The file
OUT/trials.json has the counts for docs/reliability.md. A disturbed job has made its whole result or nothing; the file's
own actions are as before; the next job works.
"""

import ctypes
import json
import os
import random
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import bpy
from gui_jobs import curves_of
from gui_shared import begin_with_demo, figure, idle, loom, over_view, settings, tick

ONE, TWO, THREE = ("Walk",), ("Walk", "Sneak"), ("Walk", "Sneak", "Run")
# What is ticked for each verb that is disturbed, in turn.
JOBS = {"blend": THREE, "loop": ONE, "splice": TWO, "connect": TWO, "mirror": ONE}
WITHIN = 2.0  # s in which a job must end after Esc
MANY = 10_000


def steps(gui: Any) -> Iterator[Any]:
    given = dict(one.split("=") for one in gui.args if "=" in one)
    names = [one for one in gui.args if "=" not in one] or [one for one in ROWS if ROWS[one][1]]
    rng, record = random.Random(int(given.get("seed", 1))), {}
    for name in names:
        row, rounds = ROWS[name]
        yield from begin_with_demo(gui)
        yield from gui.sidebar("Action Loom")
        counts: Counter[str] = Counter()
        for number in range(int(given.get("rounds", rounds))):
            counts[(yield from row(gui, rng, number))] += 1
            if idle() and name in DISTURBANCES and number % 20 == 19:
                yield from begin_with_demo(gui)  # results and undo steps do not pile up
        record[name] = dict(counts)
        gui.log(f"{name}: {record[name]}")
        Path(gui.out, "trials.json").write_text(json.dumps(record, indent=1))


# --- jobs that are disturbed --------------------------------------------------------------------------------------


def begin(gui: Any, verb: str) -> None:
    """Start a job as its button does; it then runs in the background."""
    with gui.override(), loom("addon.model.target_armature").as_from_panel(bpy.context, figure()):
        tick(*JOBS[verb])
        getattr(bpy.ops.action_loom, verb)("INVOKE_DEFAULT", True)


def contents() -> dict[str, list[tuple[float, ...]]]:
    """Return the keys of all actions by name."""
    return {
        action.name: [(*point.co,) for curve in curves_of(action) for point in curve.keyframe_points[:9]]
        for action in bpy.data.actions
    }


def disturbed(disturb: Callable[[Any], Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    """Return a row that disturbs a job at a random moment of its usual duration."""
    lasting: dict[str, float] = {}

    def run(gui: Any, rng: random.Random, number: int) -> Iterator[Any]:
        verb = [*JOBS][number % len(JOBS)]
        for _ in range(2 if verb not in lasting else 0):  # the first time it loads modules
            began = perf_counter()
            begin(gui, verb)
            while not idle():
                yield 0.01
            lasting[verb] = perf_counter() - began
        yield from over_view(gui)
        before = contents()
        begin(gui, verb)
        yield 0.8 * rng.random() * lasting[verb]  # the driver itself is late by some of it
        ran, began = not idle(), perf_counter()
        yield from disturb(gui)
        yield from gui.wait_until(idle, 60, f"{verb} ends")
        took, after = perf_counter() - began, contents()
        new = after.keys() - before.keys()
        undone = disturb is undo and before.keys() - after.keys()
        assert undone or all(after[name] == keys for name, keys in before.items()), f"{verb}: an action was changed"
        assert len(new) <= 1, f"{verb}: {new} were made"
        assert all(after[name] for name in new), f"{verb}: {new} is empty"
        assert figure().animation_data.action is not None
        late = f" after more than {WITHIN:g} s ({took:.1f})" if disturb is escape and took > WITHIN else ""
        return f"{'while it ran' if ran else 'it had ended'}: {'its result' if new else 'no result'}{late}"

    return run


def escape(gui: Any) -> Iterator[Any]:
    gui._x("key", "Escape")  # without the pictures that `gui.key` waits for
    yield 0.02


def undo(gui: Any) -> Iterator[Any]:
    gui._x("key", "ctrl+z")
    yield 0.1


def render(gui: Any) -> Iterator[Any]:
    scene = bpy.context.scene
    bpy.context.preferences.view.render_display_type = "NONE"  # otherwise the picture opens over the view
    scene.render.engine, scene.render.resolution_x, scene.render.resolution_y = "BLENDER_WORKBENCH", 160, 120
    if scene.camera is None:
        scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
        scene.collection.objects.link(scene.camera)
    scene.frame_start, scene.frame_end, scene.render.filepath = 1, 30, "/tmp/rendered/"
    with gui.override():
        bpy.ops.render.render("INVOKE_DEFAULT", animation=True)
    yield from gui.wait_until(lambda: not bpy.app.is_job_running("RENDER"), 120, "rendered")


def append(_gui: Any) -> Iterator[Any]:
    """Append an action, link a figure from a file of its own, and override it."""
    path = Path("/tmp/linked.blend")
    if not path.exists():
        bpy.data.libraries.write(str(path), {figure(), bpy.data.actions["Walk"]})
    for link in (False, True):
        with bpy.data.libraries.load(str(path), link=link) as (there, here):
            here.objects = there.objects[:1] if link else []
            here.actions = [] if link else ["Walk"]
    for one in [one for one in bpy.data.objects if one.library]:
        one.override_create(remap_local_usages=False)
    yield 0.1
    for one in [one for one in bpy.data.objects if one.library or one.override_library]:
        bpy.data.objects.remove(one)
    for action in [one for one in bpy.data.actions if one.library or one.name.startswith("Walk.")]:
        bpy.data.actions.remove(action)


def change_scene(gui: Any) -> Iterator[Any]:
    """Open a second window on a second scene, and close it."""
    scene, window = bpy.data.scenes.new("Second"), open_window(gui)
    window.scene = scene
    yield 0.3
    with bpy.context.temp_override(window=window):
        bpy.ops.wm.window_close()
    bpy.data.scenes.remove(scene)


def open_window(gui: Any) -> Any:
    """Return the window beside the driver's own, which may be the new one."""
    with gui.override():
        bpy.ops.wm.window_new()
    return next(one for one in bpy.context.window_manager.windows if one != gui.window)


# Runs beside Blender, given its number and a folder: writes the time until it ended, and keeps the file that it saved.
_WATCH = """
import os, shutil, sys, time
began = time.monotonic()
while os.path.exists(f"/proc/{sys.argv[1]}/exe"):
    time.sleep(0.01)
open(sys.argv[2] + "/quit.seconds", "w").write(f"{time.monotonic() - began:.2f}")
shutil.copy("/tmp/quit.blend", sys.argv[2])
"""


def quit_blender(gui: Any, rng: random.Random, _number: int) -> Iterator[Any]:
    """Quit during a job: the wrapper fails unless Blender ends by itself, without a traceback.

    The next run with the same OUT checks the file that Blender saved at its end, and adds it to OUT/quit.json. Every
    third seed begins no job, to measure the end of Blender itself.
    """
    told, saved = Path(gui.out, "quit.json"), Path(gui.out, "quit.blend")
    record = json.loads(told.read_text()) if told.exists() else {"counts": {}, "seconds": {}}
    if saved.exists():
        counts, last, seconds = record["counts"], record["last"], float(Path(gui.out, "quit.seconds").read_text())
        with gui.override():
            bpy.ops.wm.open_mainfile(filepath=str(saved), load_ui=False)
        yield from gui.redraw()
        after = json.loads(json.dumps(contents()))
        assert all(after[name] == keys for name, keys in last["before"].items()), "an action was changed"
        new = after.keys() - last["before"].keys()
        assert len(new) <= 1, f"{new} were made"
        assert all(after[name] for name in new), f"{new} is empty"
        how = f"{last['how']}: {'its result' if new else 'no result'}"
        counts[how] = counts.get(how, 0) + 1
        record["seconds"].setdefault(last["how"], []).append(seconds)
        saved.unlink()
        told.write_text(json.dumps(record))
        yield from begin_with_demo(gui)
    before = contents()
    without = int(dict(one.split("=") for one in gui.args if "=" in one)["seed"]) % 3 == 0
    if not without:
        begin(gui, rng.choice([*JOBS]))
        yield rng.random()
    how = "no job" if without else "it had ended" if idle() else "while it ran"
    record["last"] = {"how": how, "before": before}
    told.write_text(json.dumps(record))
    subprocess.Popen(["python3", "-c", _WATCH, str(os.getpid()), str(gui.out)])
    with gui.override():
        bpy.ops.wm.quit_blender()
    yield 60
    raise AssertionError("Blender did not quit")


# --- files and folders --------------------------------------------------------------------------------------------


def _weave(gui: Any) -> Iterator[Any]:
    begin(gui, "blend")
    yield from gui.wait_until(idle, 120, "blend")
    return figure().animation_data.action.name


def read_only(gui: Any, _rng: random.Random, _number: int) -> Iterator[Any]:
    """The folder of the preferences can't be written to: work goes on, and a change of preferences is not kept."""
    folder = bpy.utils.resource_path("USER").encode()
    mount, bind, remount, only_read = ctypes.CDLL(None, use_errno=True).mount, 4096, 32, 1
    assert mount(folder, folder, None, bind, None) == 0
    assert mount(None, folder, None, bind | remount | only_read, None) == 0
    try:
        Path(folder.decode(), "new").touch()
    except OSError:
        pass
    else:
        raise AssertionError("the folder can still be written to")
    with gui.override():
        for call in (bpy.ops.wm.save_userpref, bpy.ops.action_loom.report_problem):
            try:
                call()
            except RuntimeError as error:
                gui.log(f"read-only: {error}")
    assert "Sneak" in (yield from _weave(gui))
    return "woven"


def many_actions(gui: Any, _rng: random.Random, _number: int) -> Iterator[Any]:
    """A file of 10,000 actions: the list is complete, and a press of *Weave* waits for no other action."""
    for number in range(MANY - len(bpy.data.actions)):
        bpy.data.actions["Walk" if number % 2 else "Run"].copy().name = f"Take {number:05}"
    seconds: dict[str, float] = {}

    def measure(name: str, work: Iterator[Any]) -> Iterator[Any]:
        began = process_time()  # of the processor: another program may keep it busy, too
        found = yield from work
        seconds[name] = round(process_time() - began, 2)
        return found

    settings().rigs.clear()
    yield from measure("a draw without a list", gui.redraw(turns=1))
    complete = gui.wait_until(lambda: len(settings().rigs) and len(settings().rigs[0].sources) == MANY, 300, "listed")
    yield from measure("listing", complete)
    yield from measure("a draw", gui.redraw(turns=1))
    settings().rigs[0].sources[MANY - 1].use = True
    yield from measure("a draw after a tick", gui.redraw(turns=1))
    assert "Sneak" in (yield from measure("Weave", _weave(gui)))
    assert "Sneak" in (yield from measure("Weave again", _weave(gui)))
    yield from measure("a draw after it", gui.redraw(turns=1))
    return f"{MANY} actions: {seconds}"


DISTURBANCES = {
    "esc": (escape, 200),
    "undo": (undo, 60),
    "render": (render, 24),
    "append": (append, 60),
    "scenes": (change_scene, 40),
}
# The trial of each name, and its rounds; quit ends Blender, so it is only tried by its name.
ROWS: dict[str, tuple[Callable[..., Iterator[Any]], int]] = {
    **{name: (disturbed(how), rounds) for name, (how, rounds) in DISTURBANCES.items()},
    "read_only": (read_only, 1),
    "actions": (many_actions, 1),
    "quit": (quit_blender, 0),
}
