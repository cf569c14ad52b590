"""Blending actions of one armature into a new one."""

from typing import TYPE_CHECKING, Any

import bpy

from ...core.errors import LoomError
from ...core.options import declared
from ...core.progress import Progress
from ...core.recipes import Blend
from .. import properties, storage
from . import common

if TYPE_CHECKING:
    from ...core.motion.clip import Clip
    from ...core.weave.woven import Woven


class ACTION_LOOM_PG_blend_source(bpy.types.PropertyGroup):
    """A source as an operator takes it; operators can't hold pointers to actions."""

    weight: bpy.props.FloatProperty(name="Weight", default=1.0, min=0.0)


class ACTION_LOOM_PG_source_reading(bpy.types.PropertyGroup):
    """How a source is read where it is not as usual; apart, since scripts must give all of a collection's members."""

    rate: bpy.props.FloatProperty(
        name="Rate", description="Frames per second the action was made at; 0 is the scene's", default=0.0, min=0.0
    )
    slot: bpy.props.StringProperty(name="Slot", description="Identifier of the slot; the fitting one if empty")


@properties.with_options(Blend)
class ACTION_LOOM_OT_blend(bpy.types.Operator):
    bl_idname = "action_loom.blend"
    bl_label = "Weave"
    bl_description = "Make a new action that lies between the ticked ones"
    bl_options = {"REGISTER", "UNDO"}

    sources: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_blend_source, options={"HIDDEN"})
    readings: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_source_reading, options={"HIDDEN"})
    reference: bpy.props.StringProperty(
        name="Reference", description=declared(Blend)["reference"].description, default="1"
    )
    result_name: bpy.props.StringProperty(
        name="Result", description="Name of the new action; made from the sources' names if empty"
    )
    assign: bpy.props.BoolProperty(name="Assign", description="Make the new action the armature's", default=True)
    interpolation: bpy.props.EnumProperty(
        name="Interpolation",
        description="Of the new keys; there is one on every frame",
        items=[("LINEAR", "Linear", ""), ("BEZIER", "Bézier", ""), ("CONSTANT", "Constant", "")],
    )
    mark_contacts: bpy.props.BoolProperty(
        name="Mark Contacts", description="Put a pose marker where a foot begins and ends to stand", default=False
    )
    as_seen: bpy.props.BoolProperty(
        name="As Seen", description="Read poses with constraints and drivers, not only what is keyed", default=False
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_armature(cls, context)

    def invoke(self, context: Any, event: Any) -> set[str]:
        panel = context.scene.action_loom.blend
        for name in properties.annotations(Blend):
            setattr(self, name, getattr(panel, name))
        self.sources.clear()
        for source in common.ticked_sources(context):
            item = self.sources.add()
            item.name, item.weight = source.action.name, source.weight
        return self.execute(context)

    def execute(self, context: Any) -> set[str]:
        try:
            woven, action, notes = weave(
                context,
                self._recipe(),
                [source.name for source in self.sources],
                readings={reading.name: (reading.rate, reading.slot) for reading in self.readings},
                result_name=self.result_name,
                assign=self.assign,
                as_seen=self.as_seen,
                interpolation=self.interpolation,
                mark_contacts=self.mark_contacts,
            )
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for note in notes:
            self.report({"WARNING"}, note)
        self.report({"INFO"}, _summary(action, woven))
        return {"FINISHED"}

    def _recipe(self) -> Blend:
        # Blender keeps numbers in single precision: 0.042 would be told as 0.0419999994.
        values = {name: properties.rounded(getattr(self, name)) for name in properties.annotations(Blend)}
        weights = tuple(properties.rounded(source.weight) for source in self.sources)
        return Blend(**values, weights=weights, reference=self.reference)


def weave(
    context: Any,
    recipe: Blend,
    names: list[str],
    *,
    readings: dict[str, tuple[float, str]],
    result_name: str,
    assign: bool,
    as_seen: bool,
    interpolation: str,
    mark_contacts: bool,
) -> "tuple[Woven, Any, list[str]]":
    """Read the named actions of the active armature, blend them, write the result.

    `readings` has rate (0 is the scene's) and slot (empty is the fitting one) of actions that have their own.
    Returns what was woven, the new action, and notes for the user; raises LoomError kinds.
    """
    from ..bridge import clip as clips  # numpy is loaded at first use, not when Blender starts
    from ..bridge import curves, rig, seen

    armature, scene = context.object, context.scene
    how = [readings.get(name, (0.0, "")) for name in names]
    actions = [_action(name) for name in names]
    made_of = [(a, curves.slot_called(a, slot, armature)) for a, (_, slot) in zip(actions, how, strict=True)]
    context.view_layer.update()  # a script may have moved the armature just now
    body = rig.read(armature, moving_object=any(clips.moves_object(*source) for source in made_of))
    scene_rate = scene.render.fps / scene.render.fps_base
    read = []
    for (action, slot), (rate, _) in zip(made_of, how, strict=True):
        if as_seen:
            read.append(seen.read(scene, armature, action, body, rate or scene_rate, slot))
        else:
            read.append(clips.read(armature, action, body, rate or scene_rate, slot))
    woven = recipe.apply([source.clip for source in read], _progress(context.window_manager))
    reference = read[woven.registration.reference]
    action = clips.write(
        armature,
        woven.clip,
        body,
        first_frame=reference.first_frame,
        targets=frozenset().union(*(source.targets for source in read)),
        start=reference.start,
        interpolation=interpolation,
    )
    if mark_contacts:
        clips.mark(action, _contacts(woven.clip, reference.first_frame))
    if result_name:
        action.name = result_name
    slot = curves.choose_slot(action, armature)
    storage.store(action, slot, recipe, made_of, armature=armature)
    if assign:
        curves.assign(armature, action, slot)
    return woven, action, sorted({note for source in read for note in source.notes})


def _action(name: str) -> Any:
    action = bpy.data.actions.get(name)
    if action is None:
        raise LoomError(f"There is no action named {name!r}: choose the sources again")
    return action


def _contacts(clip: "Clip", first_frame: float) -> dict[str, float]:
    """Return what markers say of the feet, and at which scene frame."""
    from ...core.check import contacts

    notes = {}
    for side, flags in contacts.detect(clip).items():
        for number, (start, end) in enumerate(contacts.runs(flags), start=1):
            notes[f"{side} down {number}"] = first_frame + start
            notes[f"{side} up {number}"] = first_frame + end - 1
    return notes


def _progress(window_manager: Any) -> Progress:
    window_manager.progress_begin(0, 100)

    def show(fraction: float, _doing: str) -> bool:
        window_manager.progress_update(100 * fraction)
        return True

    return Progress(show)


def _summary(action: Any, woven: "Woven") -> str:
    after = woven.report["quality"]["after"]["slide_cm_s"]
    slide = "" if after is None else f", feet slide {after:.1f} cm/s"
    return f"{action.name}: {woven.report['frames']} frames in {woven.report['seconds_taken']:.2f} s{slide}"


register, unregister = bpy.utils.register_classes_factory(
    (ACTION_LOOM_PG_blend_source, ACTION_LOOM_PG_source_reading, ACTION_LOOM_OT_blend)
)
