"""Making an action of several: from the panel beside the interface, from scripts at once."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import bpy

from ...core import jit
from ...core.errors import LoomError
from ...core.options import declared
from ...core.progress import Progress
from ...core.recipes import Recipe
from .. import doubts, jobs, properties
from . import common

if TYPE_CHECKING:
    from ...core.weave.woven import Woven
    from .. import weaving

TICK = 0.05  # s between two looks at a job
NAVIGATION = {"MIDDLEMOUSE", "MOUSEMOVE", "INBETWEEN_MOUSEMOVE", "TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE"}


class ACTION_LOOM_PG_weighted(bpy.types.PropertyGroup):
    """A source as an operator takes it; operators can't hold pointers to actions."""

    weight: bpy.props.FloatProperty(name="Weight", default=1.0, min=0.0)


class ACTION_LOOM_PG_reading(bpy.types.PropertyGroup):
    """How a source is read where it is not as usual; apart, since scripts must give all of a collection's members."""

    rate: bpy.props.FloatProperty(
        name="Rate", description="Frames per second the action was made at; 0 is its own or the scene's", min=0.0
    )
    slot: bpy.props.StringProperty(name="Slot", description="Identifier of the slot; the fitting one if empty")
    first: bpy.props.IntProperty(name="First", description="First frame that is read; all if it is the last one too")
    last: bpy.props.IntProperty(name="Last", description="Last frame that is read")


class Making:
    """An operator that reads actions, weaves, and writes one: beside the interface from a panel, at once from a script.

    `ask` reads, `finish` writes, both on the main thread; `compute`, in between, touches nothing of Blender's.
    """

    if TYPE_CHECKING:
        bl_label: str
        report: Any
        properties: Any

    def invoke(self, context: Any, event: Any) -> set[str]:
        self.from_panel(context)
        if bpy.app.background or context.window is None:
            return self.execute(context)
        return self._begin(context)

    def from_panel(self, context: Any) -> None:
        """Take over what the panel shows and the caller has not set; reading uses the operator's own values only."""
        raise NotImplementedError

    def ask(self, context: Any) -> "tuple[weaving.Request, weaving.Read, Recipe]":
        """Return what is wanted, what was read, and what is to be done with it; raises LoomError."""
        raise NotImplementedError

    @staticmethod
    def compute(read: "weaving.Read", recipe: Recipe, progress: Progress) -> Any:
        """Return what is made of what was read; raises LoomError kinds."""
        from .. import weaving  # numpy is loaded at first use, not when Blender starts

        return weaving.weave(read, recipe, progress)

    def finish(
        self, context: Any, request: "weaving.Request", read: "weaving.Read", recipe: Recipe, woven: Any
    ) -> set[str]:
        """Write the result and say what the user has to know; raises LoomError if that can't be."""
        raise NotImplementedError

    def execute(self, context: Any) -> set[str]:
        try:
            request, read, recipe = self.ask(context)
            return self.finish(context, request, read, recipe, self.compute(read, recipe, _shown(context)))
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            context.window_manager.progress_end()

    def _begin(self, context: Any) -> set[str]:
        compute = self.compute  # it is not the operator's: Blender may free that before the work ends
        try:
            request, read, recipe = self.ask(context)
            self._job = jobs.begin(self.bl_label, lambda progress: _prepared(compute, read, recipe, progress))
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._asked = request, read, recipe
        self._timer = context.window_manager.event_timer_add(TICK, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        if event.type == "ESC" and event.value == "PRESS":
            self._job.cancel()
        if event.type != "TIMER":
            return {"PASS_THROUGH"} if navigates(context, event) else {"RUNNING_MODAL"}
        _redraw(context)
        if self._job.state == "running":
            return {"RUNNING_MODAL"}
        self._leave(context)
        if self._job.state == "done":
            try:
                return self.finish(context, *self._asked, self._job.result)
            except LoomError as error:
                self.report({"ERROR"}, str(error))
        elif self._job.state == "cancelled":
            self.report({"INFO"}, f"{self.bl_label} was cancelled; nothing was changed")
        elif isinstance(self._job.error, LoomError):
            self.report({"ERROR"}, str(self._job.error))
        else:
            assert self._job.error is not None
            raise self._job.error
        return {"CANCELLED"}

    def cancel(self, context: Any) -> None:
        """Blender ends the operator by itself, when another file is opened or it quits."""
        jobs.stop("Blender ended it")
        self._leave(context)

    def _leave(self, context: Any) -> None:
        jobs.forget(self._job)
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None


class OfSources(Making):
    """An operator that makes something of the sources it is given.

    least, most : how many; wanted : the ResultOptions that it has; reference_first : the panel's reference comes first,
    whatever the order of its list
    """

    recipe: ClassVar[Any]  # a recipe, or what else has a verb and options
    least: ClassVar[int] = 2
    most: ClassVar[int | None] = None
    reference_first: ClassVar[bool] = False
    wanted: ClassVar[tuple[str, ...]] = ()

    sources: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_weighted, options={"HIDDEN"})
    readings: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_reading, options={"HIDDEN"})
    reference: bpy.props.StringProperty(
        name="Reference",
        description="The source whose time, body and place the result takes: its number, medoid or longest",
        default="1",
        options={"HIDDEN"},
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_sources(cls, context, cls.least, cls.most)

    def from_panel(self, context: Any) -> None:
        settings, rig = context.scene.action_loom, properties.rig_of(context.scene, context.object)
        for group in properties.groups(settings, self.recipe):
            for name in {*properties.annotations(self.recipe), *self.wanted}:
                if name in group.bl_rna.properties and not self.properties.is_property_set(name):
                    setattr(self, name, getattr(group, name))
        self.sources.clear()
        self.readings.clear()
        ticked = properties.ticked(rig)
        if self.reference_first and ticked:
            ticked.insert(0, ticked.pop(properties.reference_among(rig, ticked)))
        for source in ticked:
            item = self.sources.add()
            item.name, item.weight = source.action.name_full, source.weight
            reading = self.readings.add()
            reading.name, reading.rate, reading.slot = item.name, source.rate, source.slot
            if source.use_range:
                reading.first, reading.last = source.first, source.last
        self.reference = str(properties.reference_among(rig, ticked) + 1) if ticked else "1"

    def ask(self, context: Any) -> "tuple[weaving.Request, weaving.Read, Recipe]":
        from .. import weaving

        if not len(self.sources):  # a script that names none means those of the list
            self.from_panel(context)
        request, recipe = self._request(), self._recipe()
        read = weaving.read(context, context.object, request)
        doubts.note(context, context.object, request, read)
        return request, read, recipe

    def _request(self) -> "weaving.Request":
        from .. import weaving

        readings: dict[str, list[tuple[Any, ...]]] = {}
        for one in self.readings:
            readings.setdefault(one.name, []).append((one.rate, one.slot, one.first, one.last))
        sources = []
        for source in self.sources:  # an action that is given twice can be read in two ways, in this order
            ways = readings.get(source.name, [()])
            sources.append(weaving.SourceRequest(source.name, *(ways.pop(0) if len(ways) > 1 else ways[0])))
        return weaving.Request(tuple(sources), **{name: getattr(self, name) for name in self.wanted})

    def _recipe(self) -> Recipe:
        # Blender keeps numbers in single precision: 0.042 would be told as 0.0419999994.
        values = {name: properties.rounded(getattr(self, name)) for name in properties.annotations(self.recipe)}
        if "weights" in declared(self.recipe):
            values["weights"] = tuple(properties.rounded(source.weight) for source in self.sources)
        if "reference" in declared(self.recipe):
            values["reference"] = self.reference
        return self.recipe(**values)


class Weaving(OfSources, properties.ResultOptions):
    """An operator that makes a new action of the sources it is given."""

    wanted = properties.RESULT_OPTIONS

    def finish(
        self, context: Any, request: "weaving.Request", read: "weaving.Read", recipe: Recipe, woven: "Woven"
    ) -> set[str]:
        from .. import analysis, live, weaving

        written = weaving.write(context, request, read, recipe, woven)
        live.remember(request, read, recipe, written.action)
        analysis.keep_woven(context, request, read, recipe, woven)
        common.tell(self, context, read, written, woven)
        return {"FINISHED"}


def _prepared(compute: Callable[..., Any], read: "weaving.Read", recipe: Recipe, progress: Progress) -> Any:
    """What is computed, once the engine is there: the first time it takes seconds, which the panel then says."""
    jit.prepare(progress)
    return compute(read, recipe, progress)


def navigates(context: Any, event: Any) -> bool:
    """Say whether an event only moves the view, or is for our own panel, where the cancel button is."""
    if event.type in NAVIGATION or event.type.startswith(("WHEEL", "NDOF", "NUMPAD", "TIMER")):
        return True
    area = context.area
    sidebar = next((r for r in area.regions if r.type == "UI"), None) if area is not None else None
    if event.type != "LEFTMOUSE" or sidebar is None:
        return False
    across, up = event.mouse_x - sidebar.x, event.mouse_y - sidebar.y
    return bool(0 <= across < sidebar.width and 0 <= up < sidebar.height)


def _redraw(context: Any) -> None:
    """Show how far the work is, in the sidebars and in the status bar."""
    job = jobs.running()
    busy = job is not None and job.state == "running"
    text = f"{job.label}: {job.doing} {job.fraction:.0%}  (Esc cancels)" if job is not None and busy else None
    if context.workspace is not None:
        context.workspace.status_text_set(text)
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()


def _shown(context: Any) -> Progress:
    """Return a progress that Blender shows at the mouse pointer; in background it shows nothing."""
    manager = context.window_manager
    manager.progress_begin(0, 100)

    def show(fraction: float, _doing: str) -> bool:
        manager.progress_update(100 * fraction)
        return True

    return Progress(show)


register, unregister = bpy.utils.register_classes_factory((ACTION_LOOM_PG_weighted, ACTION_LOOM_PG_reading))
