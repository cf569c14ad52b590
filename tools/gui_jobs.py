"""Jobs of an artist, done in Blender's window with mouse and keyboard; driven by `tools/gui.py`.

Each job begins with a typical file of an artist at that moment. Clicks are mouse presses, drags, dropped files and
keys. The seconds end when the window responds to the last input, without the driver's search for buttons.
docs/first_hour.md has the table that it writes to build/gui/*/jobs/jobs.json.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import bpy
from gui_shared import empty_scene, figure, generate_rigify, idle, lines, settings

WALK, RUN, TAKE = "cmu_mb_02_01.bvh", "cmu_mb_16_15.bvh", "09_12.amc"
INTENTS = ("Mix", "Chain", "Loop", "Path", "Vary", "Take")
MANY = 500
HEADER = 55  # pixels from the modes of Mix to the header of Feet


class Hand:
    """An artist's hand: it presses buttons and keys, and counts."""

    def __init__(self, gui: Any) -> None:
        self.gui = gui
        self.begin()

    def begin(self) -> None:
        """Count from here on."""
        self.clicks, self.answered, self._since = 0, 0.0, perf_counter()

    def press(self, what: str) -> Iterator[Any]:
        x, y = yield from self.gui.find_button(what)
        yield from self.at(x, y)

    def at(self, x: float, y: float, *, double: bool = False) -> Iterator[Any]:
        self.clicks += 1
        self._since = perf_counter()
        yield from self.gui.click(x, y, double=double)

    def key(self, *names: str) -> Iterator[Any]:
        self.clicks += len(names)
        self._since = perf_counter()
        yield from self.gui.key(*names)

    def drag(self, places: list[tuple[float, float]]) -> Iterator[Any]:
        self.clicks += 1
        yield from self.gui.move(*places[0], 0.3)
        self.gui._x("mousedown", 1)
        yield 0.2
        for place in places[1:]:
            yield from self.gui.move(*place, 0.06)
        self.gui._x("mouseup", 1)
        yield 0.3

    def intent(self, name: str) -> Iterator[Any]:
        """Click one of the five intents: they are one property, so it is found by its place."""
        _, y = yield from self.gui.find_button("action_loom.intent")
        region, scale = self.gui.region("UI"), bpy.context.preferences.system.ui_scale
        wide = region.width - 36.0 * scale
        yield from self.at(region.x + 8.0 * scale + (INTENTS.index(name) + 0.5) * wide / len(INTENTS), y)
        assert settings().intent == name, settings().intent

    def drop(self, *names: str) -> Iterator[Any]:
        """Drop files into the view, and press Return in the dialog."""
        self.clicks += 1
        with self.gui.override():
            files = [{"name": name} for name in names]
            bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=f"{self.gui.data}/", files=files)
        yield 0.5
        yield from self.key("Return")

    def until(self, done: Callable[[], bool], what: str) -> Iterator[Any]:
        yield from self.gui.wait_until(lambda: idle() and done(), 120, what)
        self.answered += perf_counter() - self._since

    def weave(self, mode: str) -> Iterator[Any]:
        before = set(bpy.data.actions.keys())
        yield from self.press(f"ops.action_loom.{mode}(")
        yield from self.until(lambda: bool(set(bpy.data.actions.keys()) - before), mode)
        return (set(bpy.data.actions.keys()) - before).pop()


def steps(gui: Any) -> Iterator[Any]:
    wanted = gui.args or [job.__name__ for job in JOBS]
    done = []
    for job in JOBS:
        if job.__name__ not in wanted:
            continue
        yield from empty_scene(gui)
        hand = Hand(gui)
        result = yield from job(gui, hand)
        yield from gui.shot(job.__name__)
        about = (job.__doc__ or "").partition("\n")[0].rstrip(".")
        done.append({"job": about, "clicks": hand.clicks, "seconds": round(hand.answered, 1), "result": result})
        gui.log(f"{about}: {hand.clicks} clicks, {hand.answered:.1f} s: {result}")
    Path(gui.out, "jobs.json").write_text(json.dumps(done, indent=1))


# --- starting points of an artist -------------------------------------------------------------------------------------


def tab(gui: Any) -> Iterator[Any]:
    yield from gui.sidebar("Action Loom")
    yield 0.5
    yield from gui.redraw()


def demo(gui: Any) -> Iterator[Any]:
    with gui.override():
        bpy.ops.action_loom.add_demo("EXEC_DEFAULT", True)
        bpy.ops.view3d.view_selected()
    yield from tab(gui)


def character(gui: Any, name: str = "mannequiny") -> Iterator[Any]:
    """A game character, selected, in a scene of 24 frames per second."""
    with gui.override():
        bpy.ops.import_scene.gltf(filepath=f"{gui.data}/{name}.glb")
    rig = figure()
    for one in bpy.context.view_layer.objects:
        one.select_set(one == rig)
    bpy.context.view_layer.objects.active = rig
    yield from tab(gui)
    with gui.override():
        bpy.ops.view3d.view_selected()


def action() -> Any:
    return figure().animation_data.action


def curves_of(made: Any) -> Any:
    return made.layers[0].strips[0].channelbags[0].fcurves if hasattr(made, "layers") else made.fcurves


# --- the jobs --------------------------------------------------------------------------------------------------------


def find_the_tab(gui: Any, hand: Hand) -> Iterator[Any]:
    """Find the tab: N and its name."""
    region = gui.region("WINDOW")
    yield from gui.move(region.x + region.width // 2, region.y + region.height // 2)
    yield from hand.key("n")
    hand.clicks += 1  # the click on the tab's name
    yield from gui.sidebar("Action Loom")
    return "the tab says what to do first"


def two_files(gui: Any, hand: Hand) -> Iterator[Any]:
    """Blend two captured files."""
    yield from tab(gui)
    yield from hand.drop(WALK, RUN)
    yield from hand.until(lambda: len(bpy.data.actions) == 2, "imported")
    name = yield from hand.weave("blend")
    assert action().name == name
    return name


def loop(gui: Any, hand: Hand) -> Iterator[Any]:
    """Make a cycle of a captured walk."""
    yield from tab(gui)
    yield from hand.drop(WALK)
    yield from hand.until(lambda: len(bpy.data.actions) == 1, "imported")
    yield from hand.intent("Loop")
    return (yield from hand.weave("loop"))


def path(gui: Any, hand: Hand) -> Iterator[Any]:
    """Walk along a line that is drawn."""
    yield from demo(gui)
    first = yield from gui.buttons(gui.region("UI"), columns=(0.1,), until="sources[3].use")
    x, y = first[0][:2]
    yield from hand.drag([(x, y), (x, y - 6), (x, y - 20)])  # both turns in one stroke over their ticks
    assert {line.action.name for line in lines() if line.use} >= {"Turn Left", "Turn Right"}
    yield from hand.intent("Path")
    view = gui.region("WINDOW")  # with Path, and no curve yet, a drag there draws one
    stroke = [(view.x + view.width * (0.5 - 0.012 * k), view.y + view.height * (0.45 - 0.006 * k)) for k in range(25)]
    yield from hand.drag(stroke)
    yield 1.0
    return (yield from hand.weave("follow"))


def onto_a_character(gui: Any, hand: Hand) -> Iterator[Any]:
    """Let a game character play a capture."""
    yield from character(gui)
    before = set(bpy.data.actions)
    yield from hand.drop(WALK)
    yield from hand.until(lambda: bool(set(bpy.data.actions) - before), "imported")
    assert action() not in before, action().name
    assert bpy.context.screen.is_animation_playing
    yield from gui.key("space")
    return f"{action().name} plays"


def feet(gui: Any, hand: Hand) -> Iterator[Any]:
    """Plant the feet of a capture."""
    yield from tab(gui)
    yield from hand.drop(WALK)
    yield from hand.until(lambda: len(bpy.data.actions) == 1, "imported")
    yield from gui.key("space")
    hand.begin()
    _, y = yield from gui.find_button("action_loom.mode")
    yield from hand.at(gui.region("UI").x + 60, y - HEADER)  # two rows below the header, after More
    return (yield from hand.weave("plant"))


def crowd(gui: Any, hand: Hand) -> Iterator[Any]:
    """Vary a walk for a crowd."""
    yield from demo(gui)
    yield from hand.intent("Vary")
    before = len(bpy.data.actions)
    yield from hand.press("ops.action_loom.variations(")
    yield from hand.until(lambda: len(bpy.data.actions) > before, "variations")
    return f"{len(bpy.data.actions) - before} actions"


def export(gui: Any, hand: Hand) -> Iterator[Any]:
    """Export a capture of 120 frames per second from a scene of 24 as glTF."""
    yield from character(gui)
    yield from hand.drop(WALK)
    yield from hand.until(lambda: action().name.startswith("cmu"), "imported")
    yield from gui.key("space")
    hand.begin()
    shutil.rmtree("/tmp/exported", ignore_errors=True)
    Path("/tmp/exported").mkdir()
    found = yield from gui.buttons(gui.region("UI"), columns=(0.92, 0.89), until="ops.action_loom.export_motion(")
    yield from hand.at(*found[0][:2])
    yield 1.0
    where = Path("/tmp/exported/walk.glb")
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "FILE_BROWSER":
                area.spaces.active.params.directory = b"/tmp/exported/"
                area.spaces.active.params.filename = where.name
                area.spaces.active.active_operator.kind = ".glb"
    yield from hand.key("Return")
    yield from hand.until(where.is_file, "exported")
    return f"{where.stat().st_size // 1000} kB"


def take(gui: Any, hand: Hand) -> Iterator[Any]:
    """Make a set of a recording that plays."""
    yield from tab(gui)
    yield from hand.drop(TAKE)
    yield from hand.until(lambda: bool(figure()), "imported")
    yield from gui.key("space")
    hand.begin()
    yield from hand.intent("Take")
    yield from hand.press("ops.action_loom.cut_take(")
    yield from hand.until(lambda: len(set_rows()) > 0, "cut")
    before = len(bpy.data.actions)
    yield from hand.press("ops.action_loom.cut_out(")
    yield from hand.until(lambda: len(bpy.data.actions) > before, "woven")
    return f"{len(bpy.data.actions) - before} actions"


def exported_set(gui: Any, hand: Hand) -> Iterator[Any]:
    """Export such a set for an engine."""
    yield from take(gui, hand)
    hand.begin()
    folder = Path("/tmp/exported")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    yield from hand.press("ops.action_loom.export_set(")
    yield 1.0
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "FILE_BROWSER":
                area.spaces.active.params.directory = f"{folder}/".encode()
    yield 0.5
    yield from hand.key("Return")
    yield from hand.until((folder / "set.json").is_file, "exported")
    return ", ".join(sorted(path.name for path in folder.iterdir()))


def set_rows() -> Any:
    return settings().rigs[0].take_rows


def rigify(gui: Any, hand: Hand) -> Iterator[Any]:
    """Let a Rigify character play a capture."""
    yield from generate_rigify(gui)
    yield from tab(gui)
    yield from hand.drop(WALK)
    yield from hand.until(lambda: bool(len(bpy.data.actions)), "imported")
    assert action() is not None
    return f"{action().name} on {figure().name}"


def many(gui: Any, hand: Hand) -> Iterator[Any]:
    """Find one of 500 actions by its name, and blend it with two others."""
    yield from demo(gui)
    rig = figure()
    for k in range(MANY - len(bpy.data.actions)):
        bpy.data.actions["Walk" if k % 2 else "Run"].copy().name = f"Take {k:03}"
    settings().rigs.clear()
    hand.begin()
    yield from gui.redraw()
    yield from hand.until(lambda: len(settings().rigs) and len(lines()) == MANY, "listed")
    assert rig.name == figure().name
    found = yield from gui.buttons(gui.region("UI"), columns=(0.1,), until=".use")
    x, y = found[0][:2]
    yield from gui.move(x + 80, y - 30, 0.3)
    yield from hand.key("ctrl+f")
    yield from gui.type("Take 333")
    yield from hand.key("Return")
    yield from hand.at(x, y)
    assert "Take 333" in [line.action.name for line in lines() if line.use]
    return (yield from hand.weave("blend"))


def three(gui: Any, hand: Hand) -> Iterator[Any]:
    """Give a crowd of three a variation each."""
    yield from demo(gui)
    first = figure()
    for k in (1, 2):
        other = first.copy()
        other.data = first.data
        other.location.x = 1.5 * k
        bpy.context.collection.objects.link(other)
        other.select_set(True)
    bpy.context.view_layer.objects.active = first
    hand.begin()
    yield from hand.intent("Vary")
    rigs = [one for one in bpy.data.objects if one.type == "ARMATURE"]
    found = yield from gui.buttons(gui.region("UI"), columns=(0.92, 0.89), until="to_selected=True")
    yield from hand.at(*found[0][:2])

    def played() -> set[str]:
        return {one.animation_data.action.name for one in rigs}

    yield from hand.until(lambda: len(played()) == len(rigs), "variations")
    return ", ".join(sorted(played()))


def undone(gui: Any, hand: Hand) -> Iterator[Any]:
    """Take a result back."""
    yield from demo(gui)
    before = action().name
    name = yield from hand.weave("blend")
    hand.begin()
    view = gui.region("WINDOW")
    yield from gui.move(view.x + view.width // 3, view.y + view.height // 2)
    yield from hand.key("ctrl+z")
    assert name not in bpy.data.actions
    assert action().name == before
    return f"{before} plays again"


def edited(gui: Any, hand: Hand) -> Iterator[Any]:
    """Weave again after editing a result by hand: the edit is kept."""
    yield from demo(gui)
    first = yield from hand.weave("blend")
    curve = curves_of(action())[3]
    curve.keyframe_points[2].co.y += 0.3
    kept = curve.keyframe_points[2].co.y
    hand.begin()
    found = yield from gui.buttons(gui.region("UI"), columns=(0.1,), until="sources[2].use")
    yield from hand.at(*found[0][:2])
    second = yield from hand.weave("blend")
    assert curves_of(bpy.data.actions[first])[3].keyframe_points[2].co.y == kept
    assert "Sneak" in second
    return f"{second}; {first} as it was edited"


def rebuilt(gui: Any, hand: Hand) -> Iterator[Any]:
    """Rebuild a result after a change of its source."""
    yield from demo(gui)
    yield from hand.weave("blend")
    curve = curves_of(bpy.data.actions["Walk"])[6]
    for point in curve.keyframe_points:
        point.co.y += 0.3
    before = [point.co.y for one in curves_of(action()) for point in one.keyframe_points]
    hand.begin()
    found = yield from gui.buttons(gui.region("UI"), columns=(0.86, 0.83, 0.8), until="ops.action_loom.rebuild(")
    yield from hand.at(*found[0][:2])

    def is_another() -> bool:
        return before != [point.co.y for one in curves_of(action()) for point in one.keyframe_points]

    yield from hand.until(is_another, "rebuilt")
    return action().name


def earlier_file(gui: Any, hand: Hand) -> Iterator[Any]:
    """Open a file of version 0.1, and weave."""
    bpy.ops.wm.open_mainfile(filepath=f"{gui.data}/version_0_1.blend")
    yield 1.0
    rig = figure()
    bpy.context.view_layer.objects.active = rig
    yield from tab(gui)
    return (yield from hand.weave("blend"))


JOBS = (
    find_the_tab,
    two_files,
    loop,
    path,
    onto_a_character,
    feet,
    crowd,
    export,
    take,
    exported_set,
    rigify,
    many,
    three,
    undone,
    edited,
    rebuilt,
    earlier_file,
)
