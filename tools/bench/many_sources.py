"""Time listing, drawing and weaving 500 actions; prints JSON.

Runs inside Blender. Arguments: the extension's zip, the number of runs; `profile` also prints a profile.

Blender as a module lacks windows, so the panels draw on a stand-in layout. Like Blender, it polls the operator of each
button, and a list draws only its visible rows.
"""

import cProfile
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import in_blender
import press
import timing
from line import Figures
from telling import tell

MANY, FEW = 500, 20
BONES = 40
SHORTEST, LONGEST = 30, 60  # frames
PANELS = ("sources", "source", "roles", "library", "weave", "repair", "feet", "synchronise", "check")


def main(zip_path: str, runs: int) -> None:
    with in_blender.extension(zip_path) as loom:
        import bpy

        figures = {}
        for key, count in (("many-panel-few", FEW), ("many-panel", MANY)):
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            game_set(loom, count)
            settings = bpy.context.scene.action_loom
            added = timing.milliseconds(listed, min(runs, 3))
            for line in settings.rigs[0].sources:
                line.use = True
            figures[key] = Figures(timing.milliseconds(draw, runs))
        figures["many-add"] = Figures(added)
        weave()  # the first run loads modules and compiles
        figures["many-weave"] = Figures(timing.milliseconds(lambda: anew(loom), min(runs, 3)))
        if "profile" in sys.argv:
            watch = cProfile.Profile()
            watch.runcall(anew, loom)
            watch.runcall(draw)
            watch.print_stats("cumtime")
        tell(figures, blender=bpy.app.version_string)


def game_set(loom: Callable[[str], Any], count: int) -> None:
    """Make a figure with `count` short baked actions, like those for a game: three kinds of gait, all different."""
    import bpy

    armature = press.figure_with_more_bones(BONES)
    rigs, clips, curves = (loom(f"addon.bridge.{name}") for name in ("rig", "clip", "curves"))
    motion, quat, resample = (loom(f"core.motion.{name}") for name in ("clip", "quat", "resample"))
    body = rigs.read(armature)
    kinds = [clips.read(armature, bpy.data.actions[name], body, 60.0).clip for name in ("Walk", "Sneak", "Run")]
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    every = frozenset(curves.Target(name, "rotation_quaternion") for name in body.skeleton.names)
    random = np.random.default_rng(0)
    for k in range(count):
        length = SHORTEST + k % (LONGEST - SHORTEST + 1)
        kind = kinds[k % len(kinds)]
        clip = resample.sample(kind, np.linspace(0.0, min(len(kind), length) - 1.0, length))
        bearing = quat.about_axis("X", 0.05 * random.normal(size=(1, len(body.skeleton))))
        made = motion.Clip(f"Set {k:03}", body.skeleton, 60.0, quat.mul(clip.rotations, bearing), clip.translations)
        clips.write(armature, made, body, first_frame=1.0, targets=every)
    armature.animation_data.action = bpy.data.actions[0]


def listed() -> None:
    """Clear the armature's source list and add all actions."""
    import bpy

    bpy.context.scene.action_loom.rigs.clear()
    bpy.ops.action_loom.add_sources()


def weave() -> None:
    """Run the operator behind Weave and remove the new action."""
    import bpy

    with bpy.context.temp_override(action_loom_armature=bpy.context.object):
        bpy.ops.action_loom.blend("INVOKE_DEFAULT", result_name="New")
    bpy.data.actions.remove(bpy.data.actions["New"])


def anew(loom: Callable[[str], Any]) -> None:
    """Clear the caches, then weave."""
    loom("addon.ground.memory").forget()
    weave()


# --- drawing without a window ---------------------------------------------------------------------------------------


class Layout:
    """Stand-in for UILayout: ignores drawing calls, polls operators, and draws the visible rows of lists."""

    def __init__(self, context: Any) -> None:
        object.__setattr__(self, "context", context)

    def __setattr__(self, name: str, value: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return {
            "operator": self._button,
            "template_list": self._list,
            "panel": self._panel,
            "panel_prop": self._panel,
        }.get(name, self._anything)

    def _anything(self, *_: Any, **__: Any) -> "Layout":
        return self

    def _panel(self, *_: Any, **__: Any) -> "tuple[Layout, Layout]":
        return self, self

    def _button(self, idname: str, **_: Any) -> "Layout":
        import bpy

        kind = getattr(bpy.types, f"ACTION_LOOM_OT_{idname.partition('.')[2]}", None)
        if kind is not None and hasattr(kind, "poll"):
            kind.poll(self.context)
        return self

    def _list(self, kind: str, _: str, data: Any, lines: str, holder: Any, active: str, *, rows: int = 5) -> None:
        import bpy

        drawn = Drawn(getattr(bpy.types, kind), self)
        drawn.filter_items(self.context, data, lines)
        for place, line in enumerate(getattr(data, lines)[:rows]):
            drawn.draw_item(self.context, self, data, line, 0, holder, active, place)


class Drawn:
    """Stand-in for a panel or list instance, which Blender does not create without a window."""

    filter_name, only_loops, order, bitflag_filter_item = "", False, "LIST", 1

    def __init__(self, kind: Any, layout: Layout) -> None:
        self.kind, self.layout = kind, layout

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kind, name).__get__(self)


def draw() -> None:
    """Draw the tab with all panels open."""
    import bpy

    context = SimpleNamespace(
        scene=bpy.context.scene,
        object=bpy.context.object,
        selected_objects=bpy.context.selected_objects,
        preferences=bpy.context.preferences,
        region=SimpleNamespace(width=280),
        action_loom_armature=bpy.context.object,
    )
    for name in PANELS:
        panel = getattr(bpy.types, f"ACTION_LOOM_PT_{name}")
        if hasattr(panel, "poll") and not panel.poll(context):
            continue
        drawn = Drawn(panel, Layout(context))
        for function in ("draw_header_preset", "draw"):
            if function in vars(panel):
                getattr(drawn, function)(context)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
    sys.stdout.flush()
    os._exit(0)  # Blender takes long to free hundreds of actions
