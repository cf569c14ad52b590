"""Shared parts of the Library panel's tests: its modules, its messages, and its operators as plain objects."""

from types import SimpleNamespace

import bpy
import drawing
import material
import pytest

RATE = 30


class Here:
    """Modules of the panel, its preferences, and its displayed state."""

    def __init__(self, loom):
        self.finds, self.libraries = (
            loom("addon.services.library.library_finds"),
            loom("addon.services.library.libraries"),
        )
        self.previews, self.jobs, self.troubles = (
            loom(f"addon.{name}") for name in ("services.preview.previews", "ground.jobs", "ground.troubles")
        )
        self.storage, self.index, self.motion_file = (
            loom(f"core.{name}") for name in ("library.storage", "library.index", "formats.motion_file")
        )
        self.mirror, self.kinematics = loom("core.motion.mirror"), loom("core.motion.kinematics")
        self.preferences = loom("addon.model.preferences").read_preferences(bpy.context)

    def finder(self):
        return self.finds.finder()

    def found(self):
        return [(row.name, row.first, row.last, row.mirrored) for row in self.finder().found]

    def message(self):
        wrong = self.troubles.of(*self.libraries.TROUBLES)
        return "" if wrong is None else wrong.text


def figure():
    """Add the demo figure, which plays its walk."""
    bpy.context.scene.render.fps = RATE
    bpy.ops.action_loom.add_demo()
    rig = bpy.context.object
    play(rig, "Walk")
    return rig


def play(rig, name):
    material.show(rig, bpy.data.actions[name])
    bpy.context.view_layer.update()


def refused(call):
    with pytest.raises(RuntimeError) as reported:
        call()
    assert "Traceback" not in str(reported.value)
    return str(reported.value).removeprefix("Error: ").strip()


def labels(panel="library"):
    return " ".join(options["text"] for name, _, options in drawing.draw_all()[panel] if name == "label")


def row_of(finder, name):
    return next(k for k, row in enumerate(finder.found) if row.name == name)


def driven(loom, name, **values):
    """Return an operator of the panel as a plain object, with a context whose timers and handlers do nothing."""
    found = name in ("show_found", "import_found")
    module = loom(f"addon.interface.operators.library{'_found' * found}")
    kind = getattr(module, f"ACTION_LOOM_OT_{name}")
    plain = {key: value for key, value in vars(kind).items() if not key.startswith(("__", "bl_rna"))}
    bases = tuple(base for base in kind.__bases__ if base is not bpy.types.Operator)
    operator = type("Driven", bases, plain | {"library": ""} | values)()
    operator.properties = SimpleNamespace(is_property_set=lambda _name: True)
    reported = []
    operator.report = lambda kind, text: reported.append((min(kind), text))
    timers = SimpleNamespace(event_timer_add=lambda *_, **__: None, modal_handler_add=lambda *_: None, windows=[])
    context = SimpleNamespace(
        object=bpy.context.object,
        scene=bpy.context.scene,
        view_layer=bpy.context.view_layer,
        preferences=bpy.context.preferences,
        window=None,
        window_manager=timers,
        workspace=None,
        area=None,
        evaluated_depsgraph_get=bpy.context.evaluated_depsgraph_get,
    )
    return operator, context, reported


def ended(operator, context, *events):
    for kind in events:
        operator.modal(context, SimpleNamespace(type=kind, value="PRESS", mouse_x=0, mouse_y=0))
    operator._job.wait()
    return operator.modal(context, SimpleNamespace(type="TIMER", value="NOTHING", mouse_x=0, mouse_y=0))
