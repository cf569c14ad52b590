"""What operators share: when they can run, and what makes an action of several."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import bpy

from ....core import verbs
from ....core.errors import LoomError
from ....core.options import Declared, declared
from ....core.recipes.base import Recipe
from ....core.recipes.reading import ReadingOptions, Request, Source, SourceOptions
from ....core.recipes.result import ResultOptions
from ....core.verbs import Blend
from ...ground import option_properties
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import contact_rows, lists, properties, readiness, target_armature
from ...services.preview import panel_state, previews
from ...services.results import playback
from ...services.sources import source_list, source_warnings
from ...services.weights import weights_over_time
from .. import redo_panel
from .background import BackgroundOperator

if TYPE_CHECKING:
    from ....core.weave.results import Result
    from ...services.weaving import reading, writing


# --- when operators can run -----------------------------------------------------------------------------------------


def poll_armature(cls: type[bpy.types.Operator], context: bpy.types.Context, *, changes: bool = True) -> bool:
    """Say whether an armature is active and can be worked on (or read, if nothing `changes`), and else why not."""
    why = readiness.why_not(target_armature.armature(context), changes=changes)
    if why:
        cls.poll_message_set(why)
    return not why


def poll_sources(
    cls: type[bpy.types.Operator], context: bpy.types.Context, least: int, most: int | None = None
) -> bool:
    """Say whether an armature is there and, for a button, as many of its sources are ticked as it takes."""
    if not target_armature.by_button(context):
        return poll_armature(cls, context)
    return poll_ticked(cls, context, least, most)


def poll_ticked(cls: type[bpy.types.Operator], context: bpy.types.Context, least: int, most: int | None = None) -> bool:
    """Say whether an armature is there with so many of its sources ticked, and else why not."""
    if not poll_armature(cls, context):
        return False
    rig = properties.rig_of(scene_of(context), target_armature.armature(context))
    ticked = len(lists.ticked(rig)) if target_armature.action(context) is None else 1
    if ticked < least or (most is not None and ticked > most):
        needed = f"{least} source{'s' if least > 1 else ''}{' or more' if most is None else ''}"
        cls.poll_message_set(f"Tick {needed}; {ticked} {'is' if ticked == 1 else 'are'}")
        return False
    return True


def poll_others(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Say whether an armature is active and others, whose actions are meant, are selected, and else why not."""
    if not poll_armature(cls, context):
        return False
    if not source_list.selected_others(context, target_armature.armature(context)):
        cls.poll_message_set("Select the armature whose actions are meant, then this one, so that it is active")
        return False
    return True


def poll_action(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Say whether an armature is active that can be worked on and has an action, and else why not."""
    if not poll_armature(cls, context):
        return False
    armature = present(target_armature.armature(context))
    if armature.animation_data is None or armature.animation_data.action is None:
        cls.poll_message_set(f"{armature.name} has no action")
        return False
    return True


def poll_parts(cls: type[bpy.types.Operator], context: bpy.types.Context, recipe: type[Recipe]) -> bool:
    """Say whether the listed body roles of the armature tell of all that a recipe needs; what is not listed yet may."""
    rig = properties.rig_of(scene_of(context), target_armature.armature(context))
    if rig is None or not len(rig.roles):
        return True
    lacking = verbs.lacking({role.name for role in rig.roles if role.bone})
    missing = [part for part in verbs.VERBS[recipe.verb].needs if part in lacking]
    if missing:
        cls.poll_message_set(f"{recipe.label} needs {' and '.join(missing)}: name them in Body Roles")
    return not missing


# --- operators on sources -------------------------------------------------------------------------------------------


class ACTION_LOOM_PG_weighted(bpy.types.PropertyGroup):
    """A source as an operator takes it; operators can't hold pointers to actions."""

    weight: bpy.props.FloatProperty(name="Weight", default=1.0, min=0.0, soft_max=1.0)


@option_properties.with_options(SourceOptions)
class ACTION_LOOM_PG_reading(bpy.types.PropertyGroup):
    """How a source is read where it is not as usual; apart, since scripts must give all of a collection's members."""


class ACTION_LOOM_PG_player(bpy.types.PropertyGroup):
    """Whose action a source is, where that is another armature's; named by the source."""

    armature: bpy.props.StringProperty(name="Armature")


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
    players: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_player, options={"HIDDEN"})

    @classmethod
    def least(cls) -> int:
        """How many sources it takes."""
        return cls.recipe.least

    @classmethod
    def most(cls) -> int | None:
        """How many it takes at the most, None for any number."""
        return cls.recipe.most

    def draw(self, context: bpy.types.Context) -> None:
        redo_panel.draw(present(self.layout), self, self.recipe, self.asks)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return poll_sources(cls, context, cls.least(), cls.most())

    def from_panel(self, context: bpy.types.Context) -> None:
        scene = scene_of(context)
        armature = target_armature.called(context, self.armature)
        settings, rig = properties.settings_of(scene), properties.rig_of(scene, armature)
        if target_armature.by_button(context) and armature is not None:
            self.armature = armature.name  # when it is done again nothing says that a button asked
        every = declared(self.recipe)
        given = {name for name, about in every.items() if option_properties.is_set(self, about)}
        for group in properties.groups(settings, self.recipe):
            for declaration in (self.recipe, *self.asks):
                for name, about in option_properties.options_of(declaration).items():
                    if name in group.bl_rna.properties and not option_properties.is_set(self, about):
                        setattr(self, name, getattr(group, name))
        self.sources.clear()
        self.readings.clear()
        self.players.clear()
        action = target_armature.action(context)
        ticked = lists.in_order(rig, self.recipe) if action is None else lists.own_lines(rig, action)
        for line in ticked:
            self.add_line(line)
        if action is not None and not ticked:
            self.add_source(action.name_full)
        summaries = _options_from_list(scene, rig, ticked)
        for name in set(summaries) & set(every) - given:
            setattr(self, name, summaries[name])
        if "reference" in every:
            self.reference = str(lists.reference_among(rig, ticked) + 1) if ticked else "1"

    def about(self, context: bpy.types.Context) -> bpy.types.Object | None:
        return target_armature.called(context, self.armature)

    def add_source(self, name: str, weight: float = 1.0, armature: str = "") -> None:
        """Add an action to the sources; armature : whose it is, if another's."""
        item = self.sources.add()
        item.name, item.weight = name, weight
        player = self.players.add()
        player.name, player.armature = name, armature

    def add_line(self, line: Any) -> None:
        """Add the action of a line of the list to the sources, to be read as that says."""
        self.add_source(line.action.name_full, line.weight, line.armature)
        reading = self.readings.add()
        reading.name, reading.rate, reading.slot = line.action.name_full, line.rate, line.slot
        if line.use_range:
            reading.first, reading.last = line.first, line.last

    def ask(self, context: bpy.types.Context) -> "tuple[Any, reading.Read, Any]":
        from ...services.weaving import reading

        if not len(self.sources):  # a script that names none means those of the list
            self.from_panel(context)
        request, recipe = self._request(), self._recipe()
        armature = target_armature.called(context, self.armature)
        if armature is None:
            raise LoomError(f"There is no armature named {self.armature!r}")
        read = reading.read(context, armature, request, recipe)
        source_warnings.note(context, armature, request, read)
        return request, read, recipe

    def _request(self) -> Request:
        readings: dict[str, list[dict[str, Any]]] = {}
        for one in self.readings:
            readings.setdefault(one.name, []).append(option_properties.values_of(one, SourceOptions))
        players: dict[str, list[str]] = {}
        for player in self.players:
            players.setdefault(player.name, []).append(player.armature)
        sources = []
        for source in self.sources:  # an action that is given twice can be read in two ways, in this order
            ways = readings.get(source.name, [{}])
            whose = players.get(source.name, [""])
            armature = whose.pop(0) if len(whose) > 1 else whose[0]
            sources.append(Source(name=source.name, armature=armature, **(ways.pop(0) if len(ways) > 1 else ways[0])))
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


def _options_from_list(scene: bpy.types.Scene, rig: Any, ticked: list[Any]) -> dict[str, str]:
    """Options that the lines of a list say, where they do: weights that are keyed, and labels."""
    summaries = {}
    rows = weights_over_time.rows(scene, rig)
    if rows:
        summaries["weight_keys"] = declared(Blend)["weight_keys"].as_text(rows)
    if any(line.label for line in ticked):
        summaries["labels"] = " ".join("_".join(line.label.split()) or "-" for line in ticked)
    return summaries


class NotQuickError(LoomError):
    """What was to be made only if it is quick is not."""


class ResultOperator(SourcesOperator):
    """An operator that makes a new action of the sources it is given."""

    asks = (ReadingOptions, ResultOptions)

    preview: bpy.props.BoolProperty(
        name="Preview",
        description="Show in the 3D view what would be woven, and write nothing",
        default=False,
        options={"HIDDEN", "SKIP_SAVE"},
    )
    quick: bpy.props.BoolProperty(
        name="Only If Quick",
        description="Leave it where clips would have to be matched first, or a graph to be built",
        default=False,
        options={"HIDDEN", "SKIP_SAVE"},
    )

    def ask(self, context: bpy.types.Context) -> "tuple[Any, reading.Read, Any]":
        asked = super().ask(context)
        if self.preview:
            scene = scene_of(context)
            rig, mode = properties.rig_of(scene, self.about(context)), properties.settings_of(scene).mode
            self._panel_state = mode, panel_state.asked(scene, rig, mode)  # while it is woven the panel may change
        if self.quick and not self.is_quick(asked[1], asked[2]):
            raise NotQuickError(f"{self.bl_label} takes time: press its button")
        return asked

    def is_quick(self, read: "reading.Read", recipe: Any) -> bool:
        """Say whether all is known that would take time."""
        from ...services.weaving import prepared

        return prepared.is_known(recipe, read.clips)

    def failed(self, context: bpy.types.Context, error: LoomError) -> OperatorReturn:
        return {"CANCELLED"} if isinstance(error, NotQuickError) else super().failed(context, error)

    def finish(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: "Result"
    ) -> OperatorReturn:
        if self.preview:
            return self._previewed(context, request, read, recipe, made)
        previews.keep(read.armature, None)  # it is an action now
        written = self.write_one(context, request, read, recipe, made)
        self.remember(context, request, read, recipe, made, written.action)
        report_result(self, context, read, recipe, written, made)
        return {"FINISHED"}

    def write_one(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: Any
    ) -> "writing.Written":
        """Write what was made; raises LoomError if that can't be."""
        from ...services.weaving import writing

        return writing.write(context, request, read, recipe, made)

    def remember(
        self,
        context: bpy.types.Context,
        request: Request,
        read: "reading.Read",
        recipe: Any,
        made: "Result",
        action: bpy.types.Action,
    ) -> None:
        """Keep what the panel and Live need of a result that was written, and play it where that is wanted."""
        from ...services.matching import analysis
        from ...services.preview import ghost_follow, live

        live.remember(context, request, read, recipe, made, action)
        if properties.settings_of(scene_of(context)).live:
            ghost_follow.start()
        analysis.keep_woven(context, request, read, recipe, made)
        self.woven(context, request, read, recipe, made)
        if properties.settings_of(scene_of(context)).play:
            playback.show(context, action)

    def _previewed(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: "Result"
    ) -> OperatorReturn:
        from ...services.preview import ghosts

        mode, summaries = self._panel_state
        ghost = ghosts.keep(context, mode, request, read, recipe, made, summaries)
        report(self, (*read.notes, *made.report["warnings"]), *read.retarget_notes, f"Preview: {ghost.summary}")
        return {"FINISHED"}

    def woven(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: "Result"
    ) -> None:
        """Keep what else is to be seen of a result."""


def report_result(
    operator: bpy.types.Operator,
    context: bpy.types.Context,
    read: "reading.Read",
    recipe: Any,
    written: "writing.Written",
    made: "Result",
) -> None:
    """Report a result: warnings first, then its figures and contacts, which panels show as well, and its way."""
    from ....core.verbs.follow.result import FollowResult
    from ...services.weaving import reporting

    if isinstance(made, FollowResult):
        from ...services.preview import walk_tracks

        walk_tracks.keep(read.armature, written.action, made, read.body.world_metres)
    contact_rows.keep_planted(scene_of(context), written.action, recipe, made.report)
    line = reporting.summary(written, made)
    rig = properties.rig_of(scene_of(context), properties.of_session(bpy.data.objects, read.armature))
    if rig is not None:
        rig.last, rig.last_of = line, written.action.name
    warnings = contact_rows.warnings_of(scene_of(context), written.action, made.report["warnings"])
    report(operator, (*read.notes, *written.notes, *warnings), *read.retarget_notes, line)


def report(operator: bpy.types.Operator, warnings: Iterable[str], *summaries: str) -> None:
    """Report warnings first, then what was done; what is said last is what Blender shows."""
    for note in warnings:
        operator.report({"WARNING"}, note)
    for sentence in summaries:
        operator.report({"INFO"}, sentence)


def show_image(operator: bpy.types.Operator, context: bpy.types.Context, image: bpy.types.Image) -> OperatorReturn:
    """Show an image in an Image Editor, where there is a window to have one, and say what it is."""
    from ...bitmaps import images
    from ..pictures import image_overlay

    if not bpy.app.background:
        image_overlay.show()
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
    hidden = ("INTERNAL",) if idname in recipe.earlier_verbs else ()  # search has it by today's name
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
            "bl_options": {"REGISTER", *(("UNDO",) if undo else ()), *hidden},
        },
    )


register, unregister = bpy.utils.register_classes_factory(
    (ACTION_LOOM_PG_weighted, ACTION_LOOM_PG_reading, ACTION_LOOM_PG_player)
)
