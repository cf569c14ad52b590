"""Benchmarks inside Blender of the tab: enabling, Weave, Live, a long take and five hundred actions."""

import contextlib
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import in_blender
import numpy as np
from table import ROOT, WHOLE, Figures, time_alone

Loom = Callable[[str], Any]
BUNDLED = ("io_scene_gltf2", "rigify")  # with Blender, for comparison
BONES, FRAMES = 60, 600
NAMES = ("Walk", "Sneak", "Run")
TAKE, TAKE_FRAMES = ROOT.parent / "shared" / "data" / "cmu" / "cmu_mb_02_01.bvh", 36_000
STATUS = Path("/proc/self/status")
MANY, FEW, MANY_BONES = 500, 20, 40
SHORTEST, LONGEST = 30, 60  # frames
# Functions that read the context of the sources, by module; none calls another.
CONTEXT = (
    ("addon.services.weaving.reading", "_contexts"),
    ("addon.bridge.carriers", "stand_at"),
    ("addon.bridge.unkeyed_pose", "with_posed"),
    ("addon.bridge.unkeyed_pose", "still_bones"),
    ("addon.bridge.left_properties", "note"),
)
PANELS = ("sources", "source", "roles", "library", "weave", "repair", "feet", "synchronise", "check")


# --- enabling -------------------------------------------------------------------------------------------------------


def time_register(_: Loom, runs: int) -> dict[str, Figures]:
    """Time registering the extension in a running Blender, and check that numba stays unloaded."""
    addon_utils = import_module("addon_utils")
    for name in BUNDLED:
        if not addon_utils.check(name)[1]:
            addon_utils.enable(name, default_set=True)

    def register_again(package: str) -> float:
        """Unload an add-on; return the seconds to import it again from its .pyc files and register it."""
        sys.modules[package].unregister()
        for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
            del sys.modules[name]
        began = time.thread_time()
        import_module(package).register()
        return time.thread_time() - began

    # Alternate, so that a busy moment affects all add-ons.
    times: dict[str, list[float]] = {name: [] for name in (in_blender.PACKAGE, *BUNDLED)}
    for _ in range(runs + 1):
        for name, found in times.items():
            found.append(register_again(name))
    for name in times:
        sys.modules[name].unregister()
    loaded = {"numba", "llvmlite"} & set(sys.modules)
    if loaded:
        raise SystemExit(f"registering loaded {', '.join(sorted(loaded))}")
    medians = {name: 1000.0 * statistics.median(found[1:]) for name, found in times.items()}
    return {"register": Figures(medians.pop(in_blender.PACKAGE), medians)}


# --- Weave and Live -------------------------------------------------------------------------------------------------


def time_press(loom: Loom, runs: int) -> dict[str, Figures]:
    """Time from pressing Weave to the new action: 3 sources × 600 frames × 60 bones."""
    import bpy

    armature = make_long_actions(loom, FRAMES)
    weights, playing = iter(np.linspace(0.1, 5.0, 1000)), bpy.data.actions[f"{NAMES[0]} long"]
    armature.animation_data.action = playing

    def press() -> None:
        sources = [{"name": f"{name} long", "weight": float(next(weights))} for name in NAMES]
        bpy.ops.action_loom.blend(sources=sources, ends="pinned", result_name="New")
        armature.animation_data.action = playing  # without an action, its last pose would count as posed by hand
        bpy.data.actions.remove(bpy.data.actions["New"])

    def press_without_caches() -> None:
        loom("addon.ground.memory").forget()
        press()

    began = time.thread_time()
    press()
    first = Figures(1000.0 * (time.thread_time() - began))
    works = {"press": press_without_caches, "press-again": press}
    figures = {"press-first": first} | {key: Figures(time_alone(work, runs)) for key, work in works.items()}
    figures["press-context"] = time_context(loom, press_without_caches, runs)
    carry(armature)
    return figures | {"press-context-carried": time_context(loom, press_without_caches, runs)}


def time_context(loom: Loom, press: Callable[[], None], runs: int) -> Figures:
    """Time reading the context of the sources within a press, beside the whole press."""
    spent = 0.0

    def timed(work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **options: Any) -> Any:
            nonlocal spent
            began = time.thread_time()
            try:
                return work(*given, **options)
            finally:
                spent += time.thread_time() - began

        return run

    originals = [(loom(module), name, getattr(loom(module), name)) for module, name in CONTEXT]
    rows = []
    try:
        for module, name, work in originals:
            setattr(module, name, timed(work))
        for _ in range(runs + 1):  # the first one warms up
            spent, began = 0.0, time.thread_time()
            press()
            rows.append((1000.0 * spent, 1000.0 * (time.thread_time() - began)))
    finally:
        for module, name, work in originals:
            setattr(module, name, work)
    own, whole = np.median(rows[1:], axis=0).tolist()
    return Figures(own, {WHOLE: whole})


def carry(armature: Any) -> None:
    """Let a keyed parent move the armature, pose a bone that no action keys, and mark the actions."""
    import bpy

    cart = bpy.data.objects.new("Cart", None)
    bpy.context.scene.collection.objects.link(cart)
    armature.parent = cart
    for frame, x in ((1, 0.0), (FRAMES, 9.0)):
        cart.location.x = x
        cart.keyframe_insert("location", frame=frame)
    armature.pose.bones[-1].scale = (1.1, 1.1, 1.1)
    for name in NAMES:
        for frame in range(1, FRAMES, 20):
            bpy.data.actions[f"{name} long"].pose_markers.new(f"step {frame}").frame = frame


def time_live(loom: Loom, runs: int) -> dict[str, Figures]:
    """Time dragging a weight with *Live* on, for sources of 600 and of 300 frames."""
    return time_drag(loom, 600, runs) | time_drag(loom, 300, runs)


def time_drag(loom: Loom, frames: int, runs: int) -> dict[str, Figures]:
    """Time from a weight change to the draft shown first, and to the complete preview."""
    import bpy

    names = [f"{name} long" for name in NAMES]
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    armature = make_long_actions(loom, frames)
    for action in [action for action in bpy.data.actions if action.name not in names]:
        bpy.data.actions.remove(action)
    list_all_actions()
    for each in bpy.context.scene.action_loom.rigs[0].sources:
        each.use = True
    line = bpy.context.scene.action_loom.rigs[0].sources[0]
    bpy.ops.action_loom.blend(sources=[{"name": one, "weight": 1.0} for one in names], preview=True)
    bpy.context.scene.frame_set(frames // 2)
    ghosts, previews = (loom(f"addon.services.preview.{name}") for name in ("ghosts", "previews"))
    weights, settings = iter(np.linspace(0.1, 0.9, 1000)), bpy.context.scene.action_loom

    def preview() -> None:
        before = previews.of(armature.session_uid)
        line.weight = float(next(weights))
        if previews.of(armature.session_uid) in (None, before):
            raise SystemExit("the preview did not follow")

    def draft() -> None:
        settings.mode = "loop"  # so that the weight change itself does not update the preview
        line.weight = float(next(weights))
        settings.mode = "blend"
        if not ghosts.draft(bpy.context, bpy.context.scene, armature):
            raise SystemExit("nothing was shown")

    works = {f"live-first-{frames}": draft, f"live-{frames}": preview}
    return {key: Figures(time_alone(work, runs)) for key, work in works.items()}


def make_figure(count: int) -> Any:
    """Add the demo figure, then extend the ends of its limbs until it has `count` bones."""
    import bpy

    bpy.ops.action_loom.add_demo()
    armature = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    ends = [bone for bone in bones if not bone.children]
    for k in range(count - len(bones)):
        bone, above = bones.new(f"more{k}"), ends[k % len(ends)]
        bone.head, bone.tail, bone.parent = above.tail, above.tail + above.vector * 0.2, above
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in armature.pose.bones:
        bone.rotation_mode = "QUATERNION"
    return armature


def make_long_actions(loom: Loom, length: int) -> Any:
    """Make a figure, slow its demo actions down to `length` frames, and key all bones on every frame."""
    armature = make_figure(BONES)
    for name, clip in read_demo(loom, armature, NAMES).items():
        slow = loom("core.motion.resample").sample(clip, np.linspace(0.0, len(clip) - 1.0, length))
        wiggle = 0.1 * np.sin(np.linspace(0.0, 20.0, length))[:, None] * np.arange(1, BONES + 1) / BONES
        more = [k for k, bone in enumerate(clip.skeleton.names) if bone.startswith("more")]
        rotations = slow.rotations.copy()
        rotations[:, more] = loom("core.motion.quat").about_axis("X", wiggle[:, more])
        write_every_key(loom, armature, f"{name} long", rotations, slow)
    return armature


def read_demo(loom: Loom, armature: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Return demo actions as clips."""
    import bpy

    body, clips = loom("addon.bridge.rig").read(armature), loom("addon.bridge.clip")
    return {name: clips.read(armature, bpy.data.actions[name], body, 60.0).clip for name in names}


def write_every_key(loom: Loom, armature: Any, name: str, rotations: np.ndarray, like: Any) -> None:
    """Write rotations as an action that keys every bone on every frame."""
    body, curves = loom("addon.bridge.rig").read(armature), loom("addon.bridge.curves")
    clip = loom("core.motion.clip").Clip(name, body.skeleton, 60.0, rotations, like.translations)
    every = frozenset(curves.Target(bone, "rotation_quaternion") for bone in body.skeleton.names)
    loom("addon.bridge.clip").write(armature, clip, body, first_frame=1.0, targets=every)


def list_all_actions() -> None:
    """Clear the armature's source list and add all actions."""
    import bpy

    bpy.context.scene.action_loom.rigs.clear()
    bpy.ops.action_loom.add_sources()


# --- a long take ----------------------------------------------------------------------------------------------------


def time_long_take(loom: Loom, runs: int) -> dict[str, Figures]:
    """Measure time and memory (MB) to import a take of 36,000 frames, mirror it and plant its feet."""
    import bpy

    ours: Any = bpy.ops.action_loom
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "take.bvh"
        path.write_bytes(make_long_file(TAKE.read_bytes(), TAKE_FRAMES))
        works: dict[str, Callable[[], Any]] = {
            "long-import": lambda: ours.import_motion(files=[{"name": str(path)}]),
            "long-mirror": lambda: ours.mirror(sources=[{"name": "take", "weight": 1.0}]),
            "long-plant": lambda: ours.plant(sources=[{"name": "take", "weight": 1.0}]),
        }
        least, most = dict.fromkeys(works, np.inf), dict.fromkeys(works, np.inf)
        for _ in range(runs):
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            for key, work in works.items():
                for action in [action for action in bpy.data.actions if action.name != "take"]:
                    bpy.data.actions.remove(action)
                loom("addon.ground.memory").forget()  # so that no step reuses cached results
                with contextlib.suppress(OSError):  # resets the peak of memory; not on systems without /proc
                    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
                began = time.process_time()
                work()
                least[key] = min(least[key], time.process_time() - began)
                most[key] = min(most[key], read_peak())
    figures = {key: Figures(1000.0 * found) for key, found in least.items()}
    return figures | {f"{key}-memory": Figures(found) for key, found in most.items()}


def read_peak() -> float:
    """Return the peak memory (MB) since it was reset; on systems without /proc since the start of the process."""
    if not STATUS.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    line = next(line for line in STATUS.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
    return float(line.split()[1]) / 1024.0


def make_long_file(file: bytes, frames: int) -> bytes:
    """Return a BVH file that plays forwards and backwards until it has `frames` frames."""
    head, _, rows = file.partition(b"MOTION")
    _, rate, *lines = [line for line in rows.splitlines() if line.strip()]
    last = len(lines) - 1
    there_and_back = last - np.abs(np.arange(frames) % (2 * last) - last)
    longer = [b"Frames: %d" % frames, rate, *(lines[k] for k in there_and_back.tolist())]
    return head + b"MOTION\n" + b"\n".join(longer) + b"\n"


# --- five hundred actions -------------------------------------------------------------------------------------------


def time_many_sources(loom: Loom, runs: int) -> dict[str, Figures]:
    """Time listing, drawing and weaving 500 actions."""
    import bpy

    figures = {}
    for key, count in (("many-panel-few", FEW), ("many-panel", MANY)):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        make_game_set(loom, count)
        figures["many-add"] = Figures(time_alone(list_all_actions, min(runs, 3)))
        for line in bpy.context.scene.action_loom.rigs[0].sources:
            line.use = True
        figures[key] = Figures(time_alone(draw_tab, runs))

    def weave_without_caches() -> None:
        loom("addon.ground.memory").forget()
        with bpy.context.temp_override(action_loom_armature=bpy.context.object):
            bpy.ops.action_loom.blend("INVOKE_DEFAULT", result_name="New")
        bpy.data.actions.remove(bpy.data.actions["New"])

    return figures | {"many-weave": Figures(time_alone(weave_without_caches, min(runs, 3)))}


def make_game_set(loom: Loom, count: int) -> None:
    """Make a figure with `count` short baked actions, like those for a game: three kinds of gait, all different."""
    import bpy

    armature = make_figure(MANY_BONES)
    quat, resample = (loom(f"core.motion.{name}") for name in ("quat", "resample"))
    kinds = list(read_demo(loom, armature, NAMES).values())
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    random = np.random.default_rng(0)
    for k in range(count):
        length, kind = SHORTEST + k % (LONGEST - SHORTEST + 1), kinds[k % len(kinds)]
        clip = resample.sample(kind, np.linspace(0.0, min(len(kind), length) - 1.0, length))
        bearing = quat.about_axis("X", 0.05 * random.normal(size=(1, len(kind.skeleton))))
        write_every_key(loom, armature, f"Set {k:03}", quat.mul(clip.rotations, bearing), clip)
    armature.animation_data.action = bpy.data.actions[0]


class Layout:
    """Stand-in for UILayout, because Blender as a module lacks windows.

    It ignores drawing calls, polls operators as Blender does, and draws the visible rows of lists.
    """

    def __init__(self, context: Any) -> None:
        object.__setattr__(self, "context", context)

    def __setattr__(self, name: str, value: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name in ("panel", "panel_prop"):
            return lambda *_, **__: (self, self)
        return {"operator": self._poll, "template_list": self._draw_list}.get(name, lambda *_, **__: self)

    def _poll(self, idname: str, **_: Any) -> "Layout":
        import bpy

        kind = getattr(bpy.types, f"ACTION_LOOM_OT_{idname.partition('.')[2]}", None)
        if kind is not None and hasattr(kind, "poll"):
            kind.poll(self.context)
        return self

    def _draw_list(self, *given: Any, rows: int = 5, **_: Any) -> None:
        import bpy

        kind, _name, data, lines, holder, active = given
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


def draw_tab() -> None:
    """Draw the tab with all panels open."""
    import bpy

    names = ("scene", "object", "selected_objects", "preferences")
    context = SimpleNamespace(
        **{name: getattr(bpy.context, name) for name in names},
        region=SimpleNamespace(width=280),
        action_loom_armature=bpy.context.object,
    )
    for name in PANELS:
        panel = getattr(bpy.types, f"ACTION_LOOM_PT_{name}")
        if not hasattr(panel, "poll") or panel.poll(context):
            for function in [one for one in ("draw_header_preset", "draw") if one in vars(panel)]:
                getattr(Drawn(panel, Layout(context)), function)(context)
