"""What operators share: when they can run, work beside the interface, and what makes an action of several."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import bpy

from ...core import jit
from ...core.errors import LoomError
from ...core.options import HIDDEN, MODE, PANEL, Declared, Option, declared
from ...core.progress import Progress
from ...core.recipes.base import Recipe
from ...core.recipes.reading import ReadingOptions, Request, Source, SourceOptions
from ...core.recipes.result import ResultOptions
from .. import meant, option_properties, playback, properties, readiness, source_warnings, weights_over_time
from ..blender_types import OperatorMixin, OperatorReturn, present, scene_of
from ..session import jobs, previews, troubles

if TYPE_CHECKING:
    from ...core.weave.results import Result
    from .. import weaving

TICK = 0.05  # s between two looks at a job
NAVIGATION = {"MIDDLEMOUSE", "MOUSEMOVE", "INBETWEEN_MOUSEMOVE", "TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE"}


# --- when operators can run -----------------------------------------------------------------------------------------


def poll_armature(cls: type[bpy.types.Operator], context: bpy.types.Context, *, changes: bool = True) -> bool:
    """Say whether an armature is active and can be worked on (or read, if nothing `changes`), and else why not."""
    why = readiness.why_not(meant.armature(context), changes=changes)
    if why:
        cls.poll_message_set(why)
    return not why


def poll_sources(
    cls: type[bpy.types.Operator], context: bpy.types.Context, least: int, most: int | None = None
) -> bool:
    """Say whether an armature is there and, for a button, as many of its sources are ticked as it takes."""
    if not meant.by_button(context):
        return poll_armature(cls, context)
    return poll_ticked(cls, context, least, most)


def poll_ticked(cls: type[bpy.types.Operator], context: bpy.types.Context, least: int, most: int | None = None) -> bool:
    """Say whether an armature is there with so many of its sources ticked, and else why not."""
    if not poll_armature(cls, context):
        return False
    ticked = len(properties.ticked(properties.rig_of(scene_of(context), meant.armature(context))))
    if ticked < least or (most is not None and ticked > most):
        needed = f"{least} source{'s' if least > 1 else ''}{' or more' if most is None else ''}"
        cls.poll_message_set(f"Tick {needed}; {ticked} {'is' if ticked == 1 else 'are'}")
        return False
    return True


# --- work beside the interface --------------------------------------------------------------------------------------


class BackgroundOperator(OperatorMixin):
    """An operator that reads actions, weaves, and writes one: beside the interface from a panel, at once from a script.

    `ask` reads, `finish` writes, both on the main thread; `compute`, in between, touches nothing of Blender's.
    """

    # Until its own work begins: Blender also ends an operator that has only asked whether to.
    _job: jobs.BackgroundJob | None = None
    _timer: bpy.types.Timer | None = None
    # What is troubled where it fails: the armature's session id (it may be gone by then), and metres of a scene's unit.
    _troubled, _metres = 0, 1.0

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        self.from_panel(context)
        if bpy.app.background or context.window is None:
            return self.execute(context)
        return self._begin(context)

    def from_panel(self, context: bpy.types.Context) -> None:
        """Take over what the panel shows and the caller has not set; reading uses the operator's own values only."""
        raise NotImplementedError

    def ask(self, context: bpy.types.Context) -> "tuple[Request, weaving.Read, Recipe]":
        """Return the request, what was read, and the recipe; raises LoomError."""
        raise NotImplementedError

    @staticmethod
    def compute(read: "weaving.Read", recipe: Any, progress: Progress) -> Any:
        """Return what is made of what was read; raises LoomError kinds."""
        from .. import weaving  # numpy is loaded at first use, not when Blender starts

        return weaving.weave(read, recipe, progress)

    def finish(
        self, context: bpy.types.Context, request: Request, read: "weaving.Read", recipe: Any, made: Any
    ) -> OperatorReturn:
        """Write the result and say what the user has to know; raises LoomError if that can't be."""
        raise NotImplementedError

    def about(self, context: bpy.types.Context) -> bpy.types.Object | None:
        """Return the armature that it works on."""
        return meant.armature(context)

    def failed(self, context: bpy.types.Context, error: LoomError) -> OperatorReturn:
        """Say what went wrong: now, and in the panel until something is tried again."""
        if self._troubled:
            mode = properties.settings_of(scene_of(context)).mode
            troubles.keep(self._troubled, mode, error, self._metres)
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}

    def _asked_anew(self, context: bpy.types.Context) -> "tuple[Request, weaving.Read, Recipe]":
        armature = self.about(context)
        if armature is not None:
            self._troubled = armature.session_uid
            troubles.clear(self._troubled)
        asked = self.ask(context)
        self._metres = asked[1].body.world_metres
        return asked

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        try:
            request, read, recipe = self._asked_anew(context)
            return self.finish(context, request, read, recipe, self.compute(read, recipe, _shown(context)))
        except LoomError as error:
            return self.failed(context, error)
        finally:
            present(context.window_manager).progress_end()

    def _begin(self, context: bpy.types.Context) -> OperatorReturn:
        compute = self.compute  # it is not the operator's: Blender may free that before the work ends
        try:
            request, read, recipe = self._asked_anew(context)
            self._job = jobs.begin(self.bl_label, lambda progress: _computed(compute, read, recipe, progress))
        except LoomError as error:
            return self.failed(context, error)
        self._asked = request, read, recipe
        manager = present(context.window_manager)
        self._timer = manager.event_timer_add(TICK, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        job = present(self._job)
        if event.type == "ESC" and event.value == "PRESS":
            job.cancel()
        if event.type != "TIMER":
            return {"PASS_THROUGH"} if navigates(context, event) else {"RUNNING_MODAL"}
        _redraw(context)
        if job.state == "running":
            return {"RUNNING_MODAL"}
        self._leave(context)
        if job.state == "done":
            try:
                return self.finish(context, *self._asked, job.result)
            except LoomError as error:
                return self.failed(context, error)
        elif job.state == "cancelled":
            self.report({"INFO"}, f"{self.bl_label} was cancelled; nothing was changed")
        elif isinstance(job.error, LoomError):
            return self.failed(context, job.error)
        else:
            raise present(job.error)
        return {"CANCELLED"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator by itself, when another file is opened, it quits, or Esc answers its question."""
        if self._job is not None and self._job is jobs.running():
            jobs.stop("Blender ended it")
        self._leave(context)

    def _leave(self, context: bpy.types.Context) -> None:
        if self._job is not None:
            jobs.forget(self._job)
        if self._timer is not None:
            present(context.window_manager).event_timer_remove(self._timer)
            self._timer = None


def _computed(compute: Callable[..., Any], read: "weaving.Read", recipe: Recipe, progress: Progress) -> Any:
    """What is computed, once the engine is there: the first time it takes seconds, which the panel then says."""
    jit.prepare(progress)
    return compute(read, recipe, progress)


def navigates(context: bpy.types.Context, event: bpy.types.Event) -> bool:
    """Say whether an event only moves the view, or is for our own panel, where the cancel button is."""
    if event.type in NAVIGATION or event.type.startswith(("WHEEL", "NDOF", "NUMPAD", "TIMER")):
        return True
    area = context.area
    sidebar = next((r for r in area.regions if r.type == "UI"), None) if area is not None else None
    if event.type != "LEFTMOUSE" or sidebar is None:
        return False
    across, up = event.mouse_x - sidebar.x, event.mouse_y - sidebar.y
    return bool(0 <= across < sidebar.width and 0 <= up < sidebar.height)


def _redraw(context: bpy.types.Context) -> None:
    """Show how far the work is, in the sidebars and in the status bar."""
    job = jobs.running()
    busy = job is not None and job.state == "running"
    text = f"{job.label}: {job.doing} {job.fraction:.0%}  (Esc cancels)" if job is not None and busy else None
    if context.workspace is not None:
        context.workspace.status_text_set(text)
    for window in present(context.window_manager).windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()


def _shown(context: bpy.types.Context) -> Progress:
    """Return a progress that Blender shows at the mouse pointer; in background it shows nothing."""
    manager = present(context.window_manager)
    manager.progress_begin(0, 100)

    def show(fraction: float, _doing: str) -> bool:
        manager.progress_update(100 * fraction)
        return True

    return Progress(show)


# --- operators on sources -------------------------------------------------------------------------------------------


class ACTION_LOOM_PG_weighted(bpy.types.PropertyGroup):
    """A source as an operator takes it; operators can't hold pointers to actions."""

    weight: bpy.props.FloatProperty(name="Weight", default=1.0, min=0.0, soft_max=1.0)


@option_properties.with_options(SourceOptions)
class ACTION_LOOM_PG_reading(bpy.types.PropertyGroup):
    """How a source is read where it is not as usual; apart, since scripts must give all of a collection's members."""


_LISTED = frozenset(("weight_keys", "labels"))  # options that the list may say, in keys and fields of its lines


class SourcesOperator(BackgroundOperator):
    """An operator that makes something of the sources it is given, as its recipe says.

    recipe : its class; asks : what else it asks for, of reading and of results
    """

    recipe: ClassVar[type[Recipe]]
    asks: ClassVar[tuple[type[Declared], ...]] = (ReadingOptions,)

    armature: bpy.props.StringProperty(
        name="Armature", description="Name of the armature; the active one if empty", options={"HIDDEN", "SKIP_SAVE"}
    )
    sources: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_weighted, options={"HIDDEN"})
    readings: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_reading, options={"HIDDEN"})

    @classmethod
    def least(cls) -> int:
        """How many sources it takes."""
        return cls.recipe.least

    def draw(self, context: bpy.types.Context) -> None:
        """Lay out what can be changed once it is done: weights, what counts most, and the rest folded up."""
        layout = present(self.layout)
        layout.use_property_split = True
        layout.use_property_decorate = False
        about = declared(self.recipe)
        if "weights" in about and not option_properties.value_of(self, about["weight_keys"]):
            for source in self.sources:
                layout.prop(source, "weight", text=source.name, slider=True)
        first, groups = redo_options(self.recipe, self.asks)
        for option in first:
            if properties.applies(self, option):
                layout.prop(self, option.name)
        for title, options in groups.items():
            header, body = layout.panel(f"action_loom_redo_{title.lower().replace(' ', '_')}", default_closed=True)
            header.label(text=title)
            for option in options:
                if body is not None and properties.applies(self, option):
                    body.prop(self, option.name)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return poll_sources(cls, context, cls.least(), cls.recipe.most)

    def from_panel(self, context: bpy.types.Context) -> None:
        scene = scene_of(context)
        armature = meant.called(context, self.armature)
        settings, rig = properties.settings_of(scene), properties.rig_of(scene, armature)
        if meant.by_button(context) and armature is not None:
            self.armature = armature.name  # when it is done again nothing says that a button asked
        every = declared(self.recipe)
        listed = {name for name in _LISTED & set(every) if not option_properties.is_set(self, every[name])}
        for group in properties.groups(settings, self.recipe):
            for declaration in (self.recipe, *self.asks):
                for name, about in option_properties.options_of(declaration).items():
                    if name in group.bl_rna.properties and not option_properties.is_set(self, about):
                        setattr(self, name, getattr(group, name))
        self.sources.clear()
        self.readings.clear()
        ticked = properties.ticked(rig)
        if self.recipe.reference_first and ticked:
            ticked.insert(0, ticked.pop(properties.reference_among(rig, ticked)))
        for line in ticked:
            self.add_source(line.action.name_full, line.weight)
            reading = self.readings.add()
            reading.name, reading.rate, reading.slot = line.action.name_full, line.rate, line.slot
            if line.use_range:
                reading.first, reading.last = line.first, line.last
        self._from_lists(scene, rig, ticked, listed)
        if "reference" in declared(self.recipe):
            self.reference = str(properties.reference_among(rig, ticked) + 1) if ticked else "1"

    def _from_lists(self, scene: bpy.types.Scene, rig: Any, ticked: list[Any], wanted: set[str]) -> None:
        """Take over those wanted of what the list says in its own way: weights that are keyed, and labels."""
        if "weight_keys" in wanted:
            rows = weights_over_time.rows(scene, rig)
            if rows:
                self.weight_keys = declared(self.recipe)["weight_keys"].as_text(rows)
        if "labels" in wanted and any(line.label for line in ticked):
            self.labels = " ".join("_".join(line.label.split()) or "-" for line in ticked)

    def about(self, context: bpy.types.Context) -> bpy.types.Object | None:
        return meant.called(context, self.armature)

    def add_source(self, name: str, weight: float = 1.0) -> None:
        """Add an action to the sources."""
        item = self.sources.add()
        item.name, item.weight = name, weight

    def ask(self, context: bpy.types.Context) -> "tuple[Request, weaving.Read, Recipe]":
        from .. import weaving

        if not len(self.sources):  # a script that names none means those of the list
            self.from_panel(context)
        request, recipe = self._request(), self._recipe()
        armature = meant.called(context, self.armature)
        if armature is None:
            raise LoomError(f"There is no armature named {self.armature!r}")
        read = weaving.read(context, armature, request)
        source_warnings.note(context, armature, request, read)
        return request, read, recipe

    def _request(self) -> Request:
        readings: dict[str, list[dict[str, Any]]] = {}
        for one in self.readings:
            readings.setdefault(one.name, []).append(option_properties.values_of(one, SourceOptions))
        sources = []
        for source in self.sources:  # an action that is given twice can be read in two ways, in this order
            ways = readings.get(source.name, [{}])
            sources.append(Source(name=source.name, **(ways.pop(0) if len(ways) > 1 else ways[0])))
        reading = ReadingOptions(**option_properties.values_of(self, ReadingOptions))
        if ResultOptions not in self.asks:
            return Request(sources=tuple(sources), reading=reading)
        result = ResultOptions(**option_properties.values_of(self, ResultOptions))
        return Request(sources=tuple(sources), reading=reading, result=result)

    def _recipe(self) -> Recipe:
        values = option_properties.values_of(self, self.recipe)
        if "weights" in declared(self.recipe):
            values["weights"] = tuple(option_properties.rounded(source.weight) for source in self.sources)
        return self.recipe(**values)


class ResultOperator(SourcesOperator):
    """An operator that makes a new action of the sources it is given."""

    asks = (ReadingOptions, ResultOptions)

    preview: bpy.props.BoolProperty(
        name="Preview",
        description="Show in the 3D view what would be woven, and write nothing",
        default=False,
        options={"HIDDEN", "SKIP_SAVE"},
    )

    def finish(
        self, context: bpy.types.Context, request: Request, read: "weaving.Read", recipe: Any, made: "Result"
    ) -> OperatorReturn:
        from .. import weaving
        from ..session import analysis, live

        if self.preview:
            return self._previewed(context, request, read, recipe, made)
        previews.keep(read.armature, None)  # it is an action now
        written = weaving.write(context, request, read, recipe, made)
        self.written(context, request, read, recipe, made, written.action)
        live.remember(request, read, recipe, written.action)
        analysis.keep_woven(context, request, read, recipe, made)
        report_result(self, context, read, written, made)
        if properties.settings_of(scene_of(context)).play:
            playback.show(context, written.action)
        return {"FINISHED"}

    def _previewed(
        self, context: bpy.types.Context, request: Request, read: "weaving.Read", recipe: Any, made: "Result"
    ) -> OperatorReturn:
        from ..pictures import ghost_overlay
        from ..session import ghosts

        ghost = ghosts.keep(context, properties.settings_of(scene_of(context)).mode, request, read, recipe, made)
        ghost_overlay.show()
        for note in (*read.notes, *made.report["warnings"]):
            self.report({"WARNING"}, note)
        self.report({"INFO"}, ghost.said)
        return {"FINISHED"}

    def written(
        self,
        context: bpy.types.Context,
        request: Request,
        read: "weaving.Read",
        recipe: Any,
        made: "Result",
        action: bpy.types.Action,
    ) -> None:
        """Keep what is to be seen of a result beside its action."""


def report_result(
    operator: bpy.types.Operator,
    context: bpy.types.Context,
    read: "weaving.Read",
    written: "weaving.Written",
    made: "Result",
) -> None:
    """Report a result: warnings first, then its figures, which the panel shows as well."""
    for note in (*read.notes, *written.notes, *made.report["warnings"]):
        operator.report({"WARNING"}, note)
    from .. import weaving

    line = weaving.summary(written.action, made)
    armature = properties.of_session(bpy.data.objects, read.armature)
    rig = properties.rig_of(scene_of(context), armature)
    if rig is not None:
        rig.last, rig.last_of = line, written.action.name
    operator.report({"INFO"}, line)


ROWS_OPEN = 5  # of the redo panel, weights apart


def redo_options(
    recipe: type[Recipe], asks: tuple[type[Declared], ...]
) -> tuple[list[Option], dict[str, list[Option]]]:
    """Return the options that stand open in the redo panel, and the others by the title under which they fold."""
    shared = {name for one in properties.SHARED.values() if issubclass(recipe, one) for name in declared(one)}
    every = option_properties.options_of(recipe)
    own = [about for name, about in every.items() if name not in shared and about.shown in (MODE, PANEL)]
    usual = [about for name, about in every.items() if name in shared and about.shown == MODE]
    first = (own + usual)[:ROWS_OPEN]
    shown = {about.name for about in first}
    groups = {}
    for title, one in (("Synchronise", "matching"), ("Motion Graph", "graph")):
        if issubclass(recipe, properties.SHARED[one]):
            groups[title] = list(option_properties.options_of(properties.SHARED[one]).values())
    groups["More"] = [about for name, about in every.items() if name not in shared]
    groups["Result"] = [about for one in asks for about in option_properties.options_of(one).values()]
    left = {
        title: [about for about in options if about.name not in shown and about.shown != HIDDEN]
        for title, options in groups.items()
    }
    return first, {title: options for title, options in left.items() if options}


def show_image(operator: bpy.types.Operator, context: bpy.types.Context, image: bpy.types.Image) -> OperatorReturn:
    """Show an image in an Image Editor, where there is a window to have one, and say what it is."""
    from ..pictures import images

    if not bpy.app.background:
        images.show(context, image)
    operator.report({"INFO"}, images.summary(image))
    return {"FINISHED"}


def operator(
    base: type[SourcesOperator],
    *,
    idname: str = "",
    label: str = "",
    tooltip: str = "",
    undo: bool = True,
) -> type:
    """Return an operator class of a base that has a recipe, with a property for every option that it asks for."""
    recipe = base.recipe
    declarations = (recipe, *base.asks)
    idname = idname or recipe.verb
    return type(
        f"ACTION_LOOM_OT_{idname}",
        (base, bpy.types.Operator),
        {
            "__module__": base.__module__,
            "__doc__": tooltip or recipe.tooltip,
            "__annotations__": option_properties.annotations(*declarations),
            "bl_idname": f"action_loom.{idname}",
            "bl_label": label or recipe.label,
            "bl_description": tooltip or recipe.tooltip,
            "bl_options": {"REGISTER", "UNDO"} if undo else {"REGISTER"},
        },
    )


register, unregister = bpy.utils.register_classes_factory((ACTION_LOOM_PG_weighted, ACTION_LOOM_PG_reading))
