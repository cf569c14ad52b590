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
    from ...core.weave.woven import Woven


class ACTION_LOOM_PG_blend_source(bpy.types.PropertyGroup):
    """A source as an operator takes it; operators can't hold pointers to actions."""

    weight: bpy.props.FloatProperty(name="Weight", default=1.0, min=0.0)


@properties.with_options(Blend)
class ACTION_LOOM_OT_blend(bpy.types.Operator):
    bl_idname = "action_loom.blend"
    bl_label = "Weave"
    bl_description = "Make a new action that lies between the ticked ones"
    bl_options = {"REGISTER", "UNDO"}

    sources: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_blend_source, options={"HIDDEN"})
    reference: bpy.props.StringProperty(
        name="Reference", description=declared(Blend)["reference"].description, default="1"
    )
    result_name: bpy.props.StringProperty(
        name="Result", description="Name of the new action; made from the sources' names if empty"
    )
    assign: bpy.props.BoolProperty(name="Assign", description="Make the new action the armature's", default=True)

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
            names = [source.name for source in self.sources]
            woven, action = weave(context, self._recipe(), names, self.result_name, assign=self.assign)
        except LoomError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, _summary(action, woven))
        return {"FINISHED"}

    def _recipe(self) -> Blend:
        values = {name: getattr(self, name) for name in properties.annotations(Blend)}
        return Blend(**values, weights=tuple(s.weight for s in self.sources), reference=self.reference)


def weave(
    context: Any, recipe: Blend, names: list[str], result_name: str, *, assign: bool
) -> "tuple[Woven, Any]":
    """Read the named actions of the active armature, blend them, write the result; raises LoomError kinds."""
    from ..bridge import clip as clips  # numpy is loaded at first use, not when Blender starts
    from ..bridge import curves, rig

    armature, scene = context.object, context.scene
    actions = [_action(name) for name in names]
    context.view_layer.update()  # a script may have moved the armature just now
    body = rig.read(armature, moving_object=any(clips.moves_object(armature, action) for action in actions))
    rate = scene.render.fps / scene.render.fps_base
    sources = [clips.read(armature, action, body, rate) for action in actions]
    woven = recipe.apply([s.clip for s in sources], _progress(context.window_manager))
    reference = woven.registration.reference
    action = clips.write(
        armature,
        woven.clip,
        body,
        first_frame=sources[reference].first_frame,
        targets=frozenset().union(*(s.targets for s in sources)),
    )
    if result_name:
        action.name = result_name
    slot = curves.choose_slot(action, armature)
    made_of = [(source, curves.choose_slot(source, armature)) for source in actions]
    storage.store(action, slot, recipe, made_of, armature=armature)
    if assign:
        curves.assign(armature, action, slot)
    return woven, action


def _action(name: str) -> Any:
    action = bpy.data.actions.get(name)
    if action is None:
        raise LoomError(f"There is no action named {name!r}: choose the sources again")
    return action


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


register, unregister = bpy.utils.register_classes_factory((ACTION_LOOM_PG_blend_source, ACTION_LOOM_OT_blend))
