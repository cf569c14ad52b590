"""Define the operator of every verb: it fills its properties from the panel, reads, computes and finishes.

A small hooks object has the parts of a verb beyond its recipe. A click on Weave calls `invoke`, `from_panel`, `inputs`,
`compute` in a thread, and `finish`; each of them calls the hooks.
"""

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import bpy

from ....core.errors import LoomError
from ....core.options import Declared, declared_options
from ....core.progress import Progress
from ....core.recipes.base import Recipe
from ....core.recipes.reading import ReadingOptions, Request, Source, SourceOptions
from ....core.recipes.result import ResultOptions
from ....core.verbs import VERBS, Blend
from ...ground import option_properties, registrar, steps
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import intents, lists, properties, target_armature
from . import polls
from .background import BackgroundOperator

if TYPE_CHECKING:
    from ...services.weaving.reading import Inputs


class ACTION_LOOM_PG_weighted(bpy.types.PropertyGroup):
    """A source in the operator's properties, by name; operators can't hold pointers to actions."""

    weight: bpy.props.FloatProperty(name="Share", default=1.0, min=0.0, soft_max=1.0)


@option_properties.with_options(SourceOptions)
class ACTION_LOOM_PG_reading(bpy.types.PropertyGroup):
    """Reading options of a source other than the defaults; a separate item, since scripts must give every member."""


del ACTION_LOOM_PG_reading.__annotations__["partner"]  # scripts of earlier versions do not give it


class ACTION_LOOM_PG_player(bpy.types.PropertyGroup):
    """The armature of a source's action, if it is another one; named after the source."""

    armature: bpy.props.StringProperty(name="Armature")


class ACTION_LOOM_PG_beside(bpy.types.PropertyGroup):
    """The partner's action for a source, if it is not the one of the same name; named after the source."""

    action: bpy.props.StringProperty()


class Hooks:
    """The parts of a verb's operator beyond its recipe; `op` is the operator. Hooks keep no state.

    Blender calls `poll` and `draw` at any time, and they may not change anything. The others run in this order:
    `fill_sources` and `fill` take the panel's values; `inputs` may no longer read the panel; `compute` runs in a thread
    and may not touch Blender data; only `finish` writes. Properties declared as annotations in a hooks class become the
    operator's.

    asks : declarations of options in addition to the recipe's
    from_settings : whether the panel has the recipe's options
    """

    asks: ClassVar[tuple[type[Declared], ...]] = (ReadingOptions,)
    from_settings = True

    def poll(self, cls: type["VerbOperator"], context: bpy.types.Context) -> bool:
        """Return whether the operator can run now, and set the reason if not."""
        return polls.poll_sources(cls, context, cls.recipe.least, cls.recipe.most)

    def draw(self, op: Any, layout: bpy.types.UILayout) -> None:
        """Draw the layout above the options in the redo panel."""

    def has_edits(self, op: Any) -> bool:
        """Return whether the result to write over was edited by hand; raises LoomError."""
        return False

    def is_unfilled(self, op: Any) -> bool:
        """Return whether to take the sources from the panel, for example if a script names none."""
        return not len(op.sources)

    def fill_sources(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        """Take the sources from the panel, and the options in their lines."""
        op.take_ticked(context, given)

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        """Take the panel's other values; given : properties that the caller has set."""

    def inputs(
        self, op: Any, context: bpy.types.Context, armature: bpy.types.Object
    ) -> "steps.Steps[tuple[Inputs, ...]]":
        """Return the inputs of each result, in steps; raises LoomError kinds."""
        return ((yield from op.read(context, armature, op.request(), op.recipe_now())),)

    def compute(self, inputs: tuple["Inputs", ...], progress: Progress) -> list[Any]:
        """Return the result of each of the inputs; runs in a thread, and touches no Blender data."""
        from ...services.weaving import computing

        return [computing.compute(inputs[0], progress)]

    def ready(
        self, op: Any, context: bpy.types.Context, inputs: tuple["Inputs", ...], made: list[Any]
    ) -> "steps.Steps[None]":
        """Prepare the writing of `finish` in steps, without writing."""
        yield from ()

    def finish(
        self, op: Any, context: bpy.types.Context, inputs: tuple["Inputs", ...], made: list[Any]
    ) -> OperatorReturn:
        """Write, keep and report the results; raises LoomError."""
        raise NotImplementedError


class VerbOperator(BackgroundOperator):
    """The operator of a recipe, with its hooks; `operator` makes a subclass for each verb."""

    recipe: ClassVar[type[Recipe]]
    hooks: ClassVar[Hooks]
    refused: list[str]

    # name of the armature; the active one if empty
    armature: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    sources: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_weighted, options={"HIDDEN"})
    readings: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_reading, options={"HIDDEN"})
    players: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_player, options={"HIDDEN"})
    partners: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_beside, options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return cls.hooks.poll(cls, context)

    @classmethod
    def description(cls, context: bpy.types.Context, asked: Any) -> str:
        return (
            translate_text("Write the shown sources and options into this action") if getattr(asked, "into", "") else ""
        )

    def has_edits(self, context: bpy.types.Context) -> bool:
        return self.hooks.has_edits(self)

    def draw(self, context: bpy.types.Context) -> None:
        from .. import redo_panel

        self.hooks.draw(self, present(self.layout))
        redo_panel.draw(present(self.layout), self, self.recipe, self.hooks.asks)

    # --- from the panel to the operator's properties, once

    def from_panel(self, context: bpy.types.Context) -> None:
        armature = self.about(context)
        if target_armature.invoked_from_panel(context) and armature is not None:
            self.armature = armature.name  # a redo does not know that a button was pressed
        given = frozenset(
            one.identifier
            for one in self.properties.bl_rna.properties
            if self.properties.is_property_set(one.identifier)
        )
        if self.hooks.from_settings:
            self._take_settings(properties.settings_of(scene_of(context)))
        for rows in (self.sources, self.readings, self.players, self.partners):
            rows.clear()
        self.hooks.fill_sources(self, context, given)
        self.hooks.fill(self, context, given)

    def _take_settings(self, settings: Any) -> None:
        for group in properties.groups(settings, self.recipe):
            for declaration in (self.recipe, *self.hooks.asks):
                for name, about in option_properties.options_of(declaration).items():
                    known = name in group.bl_rna.properties and not option_properties.is_set(self, about)
                    if name == "partner" and not self.recipe.takes_partners:
                        continue
                    if known and properties.applies(group, about):
                        setattr(self, name, getattr(group, name))

    def take_ticked(self, context: bpy.types.Context, given: frozenset[str]) -> None:
        """Take the list's ticked sources in the recipe's order, with their lines' options."""
        scene, action = scene_of(context), target_armature.action(context)
        rig, every = properties.rig_of(scene, self.about(context)), declared_options(self.recipe)
        ticked = lists.in_order(rig, self.recipe) if action is None else lists.own_lines(rig, action)
        for line in ticked:
            self.add_line(line)
        if action is not None and not ticked:
            self.add_source(action.name_full)
        of_lines = _options_from_list(scene, rig, ticked)
        for name in set(of_lines) & set(every) - given:
            setattr(self, name, of_lines[name])
        if "reference" in every:
            self.reference = str(lists.reference_among(rig, ticked) + 1) if ticked else "1"

    def add_line(self, line: Any) -> None:
        """Add the action of a list's line to the sources, with the line's reading options."""
        reading = {"rate": line.rate, "slot": line.slot, "partner": line.partner}
        if line.use_range:
            reading |= {"first": line.first, "last": line.last}
        self.add_source(line.action.name_full, line.weight, line.armature, reading)

    def add_source(
        self, name: str, weight: float = 1.0, armature: str = "", reading: dict[str, Any] | None = None
    ) -> None:
        """Add an action to the sources.

        armature : the action's armature, if it is another one
        reading : reading options other than the defaults, and the partner's action
        """
        reading = dict(reading or {})
        if partner := reading.pop("partner", ""):
            beside = self.partners.add()
            beside.name, beside.action = name, partner
        item = self.sources.add()
        item.name, item.weight = name, weight
        player = self.players.add()
        player.name, player.armature = name, armature
        if reading:
            row = self.readings.add()
            row.name = name
            for option, value in reading.items():
                setattr(row, option, value)

    # --- from the operator's properties to the inputs, once

    def about(self, context: bpy.types.Context) -> bpy.types.Object | None:
        return target_armature.by_name(context, self.armature)

    def inputs(self, context: bpy.types.Context) -> "steps.Steps[tuple[Inputs, ...]]":
        self.refused = []
        if self.hooks.is_unfilled(self):
            self.from_panel(context)
        armature = self.about(context)
        if armature is None:
            raise LoomError(f"There is no object named {self.armature!r}")
        made = yield from self.hooks.inputs(self, context, armature)
        self._metres = made[0].read.body.world_metres
        return made

    def read(
        self,
        context: bpy.types.Context,
        armature: bpy.types.Object,
        request: Request,
        recipe: Recipe,
        *,
        warn: bool = True,
    ) -> "steps.Steps[Inputs]":
        """Read the sources of a request in steps, and put warnings on the list; raises LoomError kinds."""
        from ...services.sources import source_warnings
        from ...services.weaving import reading, standing

        read = yield from reading.read_in_steps(context, armature, request, recipe)
        inputs = yield from standing.found_in_steps(scene_of(context), armature, reading.Inputs(request, read, recipe))
        if warn:
            source_warnings.note(context, armature, request, inputs.read)
        return inputs

    def request(self) -> Request:
        """Return the request in the operator's properties."""
        readings: dict[str, list[dict[str, Any]]] = {}
        partners = {one.name: one.action for one in self.partners}
        known = {
            name: about for name, about in option_properties.options_of(SourceOptions).items() if name != "partner"
        }
        for one in self.readings:
            values = {name: option_properties.value_of(one, about) for name, about in known.items()}
            readings.setdefault(one.name, []).append(values)
        players: dict[str, list[str]] = {}
        for player in self.players:
            players.setdefault(player.name, []).append(player.armature)
        sources = []
        for source in self.sources:  # an action given twice can have two sets of reading options, in this order
            ways, owners = readings.get(source.name, [{}]), players.get(source.name, [""])
            owner = owners.pop(0) if len(owners) > 1 else owners[0]
            way = ways.pop(0) if len(ways) > 1 else ways[0]
            partner = partners.get(source.name, "")
            sources.append(Source(name=source.name, armature=owner, partner=partner, **way))
        reading = ReadingOptions(**option_properties.values_of(self, ReadingOptions))
        if ResultOptions not in self.hooks.asks:
            return Request(sources=tuple(sources), reading=reading)
        result = ResultOptions(**option_properties.values_of(self, ResultOptions))
        if getattr(self, "preview", False):  # a ghost shows the figure alone
            result = dataclasses.replace(result, partner="")
        return Request(sources=tuple(sources), reading=reading, result=result)

    def recipe_now(self) -> Recipe:
        """Return the recipe in the operator's properties."""
        values = option_properties.values_of(self, self.recipe)
        if "weights" in declared_options(self.recipe):
            values["weights"] = tuple(option_properties.round_floats(source.weight) for source in self.sources)
        return self.recipe(**values)

    def ready(self, context: bpy.types.Context, inputs: tuple["Inputs", ...], made: list[Any]) -> "steps.Steps[None]":
        yield from self.hooks.ready(self, context, inputs, made)

    def finish(self, context: bpy.types.Context, inputs: tuple["Inputs", ...], made: list[Any]) -> OperatorReturn:
        return self.hooks.finish(self, context, inputs, made)


def _options_from_list(scene: bpy.types.Scene, rig: Any, ticked: list[Any]) -> dict[str, str]:
    """Return options stored in the lines of a list: keyed weights and labels."""
    from ...services.weights import weights_over_time

    options = {}
    rows = weights_over_time.rows(scene, rig)
    if rows:
        options["weight_keys"] = declared_options(Blend)["weight_keys"].as_text(rows)
    if any(line.label for line in ticked):
        options["labels"] = " ".join("_".join(line.label.split()) or "-" for line in ticked)
    return options


def operator(
    recipe: type[Recipe], hooks: Hooks, *, idname: str = "", label: str = "", tooltip: str = "", undo: bool = True
) -> type:
    """Return an operator class of a recipe, with a property for every option of the recipe and its hooks."""
    idname = idname or recipe.verb
    hidden = ("INTERNAL",) if idname in recipe.earlier_verbs else ()  # search shows only the current name
    own: dict[str, Any] = {}
    for base in reversed(type(hooks).__mro__[:-2]):  # all but Hooks and object
        own |= inspect.get_annotations(base)
    return type(
        f"ACTION_LOOM_OT_{idname}",
        (VerbOperator, bpy.types.Operator),
        {
            "__module__": type(hooks).__module__,
            "__doc__": tooltip or recipe.tooltip,
            "__annotations__": own | option_properties.annotations(recipe, *hooks.asks),
            "recipe": recipe,
            "hooks": hooks,
            "compute": staticmethod(hooks.compute),  # static: Blender may free the operator before the work ends
            "bl_idname": f"action_loom.{idname}",
            "bl_label": label or recipe.label,
            "bl_description": tooltip or recipe.tooltip,
            "bl_options": {"REGISTER", *(("UNDO",) if undo else ()), *hidden},
        },
    )


class AddedOperators:
    """The operators of verbs that other add-ons add, before or after this extension is enabled.

    of_action : whether they are tools for one action
    """

    def __init__(self, hooks: Hooks, *, of_action: bool) -> None:
        self._hooks, self._of_action = hooks, of_action
        self._registered: dict[str, type] = {}

    def register(self) -> None:
        registrar.at_end(self._registered.clear)
        for verb in intents.added_verbs(of_action=self._of_action):
            self._update(verb)
        registrar.append(VERBS.listeners, self._update)

    def _update(self, verb: str) -> None:
        """Register or unregister an operator after its verb was added or removed."""
        if verb in self._registered:
            registrar.remove_class(self._registered.pop(verb))
        elif verb in intents.added_verbs(of_action=self._of_action):
            self._registered[verb] = operator(VERBS[verb].recipe, self._hooks)
            registrar.add_classes((self._registered[verb],))


register = registrar.registration(
    (ACTION_LOOM_PG_weighted, ACTION_LOOM_PG_reading, ACTION_LOOM_PG_player, ACTION_LOOM_PG_beside)
)


def registration(classes: Sequence[type], added: AddedOperators) -> Callable[[], None]:
    """Return the function of a module that registers its classes and the operators of added verbs."""

    def register() -> None:
        registrar.add_classes(classes)
        added.register()

    return register
