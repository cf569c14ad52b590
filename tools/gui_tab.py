"""The tab on strangers' characters, in a window: *Weave* stays where it is; pictures are for a person to inspect.

Driven by `tools/gui.py`. Thirty steps each on the characters of ../shared/data, or on those given as arguments:
intents, modes, ticks, weaving with the mouse, messages, Edit Mode, a deleted source, an export, a long name. After
each step *Weave* is where it was, figures of one quantity agree, and every grey operator gives its reason.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from gui_shared import action, empty_scene, figure, idle, lines, loom, over_view, settings

# Files with Blender's default options; several captures stand beside each other, and the first is active.
CHARACTERS = (
    *("characters/RobotExpressive.glb", "characters/godot_player.glb", "characters/boxman.glb"),
    *("characters/mannequiny.glb", "characters/Fox.glb", "rigs/tps_red_robot.blend"),
    *("cmu/cmu_mb_02_01.bvh", "cmu/cmu_daz_09_01.bvh", "odd/BVH-Examples__pirouette.bvh", "odd/ofxBvh__perfume.bvh"),
)
LEAST, MOST = 0.15, 0.61  # of the view's free part, covered by the mesh after Weave
STEPS = 30
MARGINS, DIFFERS = (12.0, 22.0), 12  # pixels from the tab's left: the panel and the button; sum of three channels
NO_REASON = "context is incorrect"  # Blender's words if an operator does not tell why it is grey
SECOND_BAR = 1012, 705  # pixels: the share of the second line, at the default width in a window of 1380 x 860
SLIDE = re.compile(r"([\d.]+) cm/s")


def steps(gui: Any) -> Iterator[Any]:
    for path in gui.args or CHARACTERS:
        yield from opened(gui, Path(gui.data, path))
        name = Path(path).stem
        yield from gui.shot(f"{name}_00", box=gui.region("UI"))
        first = settings().rigs[0].ticked_at_first.splitlines()
        assert not find_notes(), f"{name}: the first ticks {first} draw notes: {find_notes()}"
        x, y = yield from gui.find_button("ops.action_loom.blend(")
        yield from over_view(gui)
        yield from gui.redraw()
        edges, clicks = edges_of(gui, y), 0
        for number, (what, do) in enumerate(DONE, start=1):
            if do is CLICK:
                clicks += yield from click_weave(gui, x, y)
            elif do is TYPE:
                yield from type_share(gui)
            else:
                yield from done(gui, do)
            picture = f"{name}_{number:02}_{what.replace(' ', '_')}" if number % 3 == 2 else "column"
            now = edges_of(gui, y, picture)
            assert now == edges, f"{name}, {what}: Weave moved from {edges} to {now}"
            assert len(read_slides()) < 2, f"{name}, {what}: {read_slides()}"
            mute = find_mute()
            assert not mute, f"{name}, {what}: grey without a reason: {mute}"
        assert len(DONE) >= STEPS
        gui.log(f"{name}: Weave stayed at {edges} in {len(DONE)} steps, {clicks} clicks; ticked at first: {first}")


def opened(gui: Any, path: Path) -> Iterator[Any]:
    """Import a character with the default options, select it, and open the tab."""
    yield from empty_scene(gui)
    with gui.override():
        if path.suffix == ".glb":
            bpy.ops.import_scene.gltf(filepath=str(path))
        elif path.suffix == ".bvh":
            bpy.ops.import_anim.bvh(filepath=str(path))
        else:
            with bpy.data.libraries.load(str(path)) as (there, here):
                here.objects, here.actions = there.objects, there.actions
            for one in here.objects:
                bpy.context.scene.collection.objects.link(one)
        for one in bpy.context.view_layer.objects:
            one.select_set(one == figure())
        bpy.context.view_layer.objects.active = figure()
        bpy.ops.view3d.view_all()
    yield from gui.sidebar("Action Loom")
    yield from gui.wait_until(lambda: bool(settings().rigs), 60, "listed")
    settings().mode = "blend"  # a capture begins with Loop
    yield from done(gui, press("blend", preview=True))  # if two actions are ticked


def click_weave(gui: Any, x: float, y: float) -> Iterator[Any]:
    """Click where *Weave* was at first; return whether that began a job. If *Weave* is grey, nothing may happen."""
    verb, before = settings().mode, set(bpy.data.actions.keys())
    settings().rigs[0].last = settings().rigs[0].last_of = ""
    with loom("addon.model.target_armature").as_from_panel(bpy.context, figure()):
        ready = getattr(bpy.ops.action_loom, verb).poll()
    yield from gui.click(x, y)
    yield from settle(gui)
    made = set(bpy.data.actions.keys()) - before
    trouble = loom("addon.ground.troubles").of(figure().session_uid, verb)
    answered = bool(made or trouble or "nothing was changed" in settings().rigs[0].last)
    assert answered == ready, f"{verb}: {made}, {trouble}"
    return bool(made)


def type_share(gui: Any) -> Iterator[Any]:
    """Type a share if two are ticked: Blender crashes if an operator begins while it sets a typed value."""
    lines = [line for line in settings().rigs[0].sources if line.use]
    if len(lines) < 2:
        return
    yield from gui.move(*SECOND_BAR)
    gui._x("click", "--repeat", 2, "--delay", 80, 1)
    yield 1.0
    for key in ("ctrl+a", "3", "0", "Return"):
        gui._x("key", key)
        yield 0.2
    yield from settle(gui)
    shares = {round(line.share) for line in lines}
    assert 30 in shares, shares


def find_notes() -> list[str]:
    messages = loom("addon.services.results.messages")
    found = messages.of_tab(bpy.context.scene, figure(), settings().rigs[0], settings().mode)
    return [one.shown for one in found]


def read_slides() -> set[str]:
    """Return the different speeds of sliding feet that the line and the notes show."""
    rig, mode = settings().rigs[0], settings().mode
    notes, messages = loom("addon.interface.notes"), loom("addon.services.results.messages")
    trouble = loom("addon.ground.troubles").of(figure().session_uid, mode)
    line = notes._line_of(figure(), rig, mode, trouble, "")
    text = messages.figure_of(line.text) if line.is_summary else messages.shortened(line.text)
    return set(SLIDE.findall("\n".join([text, *find_notes()])))


def find_mute() -> list[str]:
    """Return the operators of the tab that can't be pressed and give no reason."""
    found = []
    with loom("addon.model.target_armature").as_from_panel(bpy.context, figure()):
        for name in dir(bpy.ops.action_loom):
            operator = getattr(bpy.ops.action_loom, name)
            if not operator.poll():
                try:
                    operator()
                except RuntimeError as error:
                    found += [name] if NO_REASON in str(error) else []
    return found


def done(gui: Any, do: Callable[[Any], Any]) -> Iterator[Any]:
    with gui.override():
        do(gui)
    yield from settle(gui)


def settle(gui: Any) -> Iterator[Any]:
    """Wait until nothing runs any more, and draw the tab without tooltips and errors over it."""
    yield 0.1
    yield from gui.wait_until(idle, 240, "idle")
    yield from over_view(gui)
    yield from gui.key("Escape")  # Blender's own box of an error would cover the tab
    yield from gui.redraw()


def edges_of(gui: Any, y: float, name: str = "column") -> tuple[int, int]:
    """Return the first and the last row of pixels, in a picture of the tab, of the button at a height of the window.

    The column of pixels just inside of the button differs from the panel's own beside it.
    """
    region, scale = gui.region("UI"), bpy.context.preferences.system.ui_scale
    picture = gui.pixels(gui.shot_now(name, box=region)).astype(int)
    beside, inside = (picture[:, int(left * scale)] for left in MARGINS)
    differs = np.abs(inside - beside).sum(axis=1) > DIFFERS
    first = last = region.height - int(y - region.y)
    assert differs[first], "no button there"
    while differs[first - 1]:
        first -= 1
    while differs[last + 1]:
        last += 1
    return first, last


# --- the steps -------------------------------------------------------------------------------------------------------


def mode(verb: str) -> Callable[[Any], None]:
    def choose(_gui: Any) -> None:
        settings().mode = verb

    return choose


def press(operator: str, **given: Any) -> Callable[[Any], None]:
    """Press a button of the tab, and log its error if there is one; errors must not move Weave either."""

    def pressed(_gui: Any) -> None:
        with loom("addon.model.target_armature").as_from_panel(bpy.context, figure()):
            if getattr(bpy.ops.action_loom, operator).poll():
                try:
                    getattr(bpy.ops.action_loom, operator)("INVOKE_DEFAULT", True, **given)
                except RuntimeError as error:
                    _gui.log(f"{operator}: {str(error).splitlines()[0]}")

    return pressed


def tick(count: int) -> Callable[[Any], None]:
    def ticked(_gui: Any) -> None:
        for place, line in enumerate(lines()):
            line.use = place < count

    return ticked


def CLICK(_gui: Any) -> None:  # noqa: N802  (a mark: `click_weave` does it)
    """Click *Weave* with the mouse."""


def TYPE(_gui: Any) -> None:  # noqa: N802  (a mark: `type_share` does it)
    """Type a share with the keyboard."""


def switch(name: str, *, on: bool) -> Callable[[Any], None]:
    def switched(_gui: Any) -> None:
        setattr(settings(), name, on)

    return switched


def edit(_gui: Any) -> None:
    bpy.ops.object.mode_set(mode="EDIT" if figure().mode == "OBJECT" else "OBJECT")


def lengthen(_gui: Any) -> None:
    action().name = "a very long name of an action that no row of any list can show"


def delete_source(_gui: Any) -> None:
    line = next((line for line in lines() if line.use and line.action != action()), None)
    if line is not None:  # a capture has one action
        bpy.data.actions.remove(line.action)


def rate(_gui: Any) -> None:
    bpy.context.scene.render.fps = 48 if bpy.context.scene.render.fps != 48 else 24


def look_away(gui: Any) -> None:
    """Turn the view away from the figure, so that the next result has to be framed."""
    gui.area("VIEW_3D").spaces.active.region_3d.view_location.x += 1000.0


def framed(gui: Any) -> None:
    """The mesh fills a good part of the view."""
    framing, rig = loom("addon.services.results.framing"), figure()
    view, window = gui.area("VIEW_3D").spaces.active.region_3d, gui.region("WINDOW")
    free = 1.0 - gui.region("UI").width / window.width
    moments = framing.places(bpy.context, rig, action())
    share = max(framing._share(points, free, view) for points in moments)
    gui.log(f"the mesh fills {share:.0%} of the view, distance {view.view_distance:.1f}")
    assert action().name not in settings().rigs[0].last_of or LEAST <= share <= MOST, share  # only a result is framed


DONE: tuple[tuple[str, Callable[[Any], None]], ...] = (
    ("tick one", tick(1)),
    ("tick two", tick(2)),
    ("look away", look_away),
    ("weave", CLICK),
    ("framed", framed),
    ("type a share", TYPE),
    ("notes", switch("every_warning", on=True)),
    ("folded", switch("every_warning", on=False)),
    ("ghost", press("blend", preview=True)),
    ("live", switch("live", on=True)),
    ("tick three", tick(3)),
    ("not live", switch("live", on=False)),
    ("splice", mode("splice")),
    ("weave splice", CLICK),
    ("parametric", mode("ask")),
    ("chain", mode("connect")),
    ("weave chain", CLICK),
    ("find", press("find_transitions")),
    ("poses", mode("key_poses")),
    ("fill", mode("fill")),
    ("loop", mode("loop")),
    ("look away again", look_away),
    ("weave loop", CLICK),
    ("loop framed", framed),
    ("path", mode("follow")),
    ("weave path without curve", CLICK),
    ("drive", mode("drive")),
    ("vary", mode("restyle")),
    ("weave vary", CLICK),
    ("take", mode("cut_out")),
    ("mix", mode("blend")),
    ("edit mode", edit),
    ("object mode", edit),
    ("tick all", tick(99)),
    ("weave all", CLICK),
    ("long name", lengthen),
    ("another rate", rate),
    ("deleted source", delete_source),
    ("rebuild", press("rebuild")),
    ("tick none", tick(0)),
)
