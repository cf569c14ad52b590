"""What is woven from the ticked actions: the mode's settings, the result, and what came of it."""

from typing import Any

import bpy

from .. import candidates, graphs, jobs, properties
from ..operators import results
from . import SidebarPanel, armature_of, draw_job, options_in, picture_scale, wrapped

# What each mode shows of its settings; rare ones are in the panel below.
_SHOWN = {
    "blend": (("matching", "ends"), ("blend", "timing")),
    "connect": (("connect", "method"), ("connect", "anywhere")),
    "loop": (("loop", "method"), ("loop", "in_place"), ("loop", "straighten"), ("loop", "repeat")),
    "splice": (("splice", "method"), ("splice", "posture"), ("splice", "timing"), ("splice", "strength")),
    "follow": (("follow", "fidelity"), ("follow", "bend"), ("follow", "spread")),
}
_FINDERS = {"connect": "action_loom.find_transitions", "loop": "action_loom.find_cycles"}
# What shows for one of the methods only.
_ONLY = {("splice", "posture"): "gaussian", ("splice", "smoothing"): "gaussian"}
_RARE = {
    "blend": (("blend", "weight_keys"),),
    "connect": (
        ("connect", "length"),
        ("connect", "candidate"),
        ("connect", "from_frame"),
        ("connect", "to_frame"),
        ("connect", "by_correlation"),
        ("connect", "trim"),
    ),
    "loop": (("loop", "finder"), ("loop", "start"), ("loop", "length"), ("loop", "phase"), ("loop", "trim")),
    "splice": (
        ("splice", "smoothing"),
        ("splice", "start"),
        ("splice", "short"),
        ("splice", "upper"),
        ("splice", "trim"),
    ),
    "follow": (("follow", "speed"), ("follow", "horizon"), ("follow", "among")),
}


class ACTION_LOOM_PT_weave(SidebarPanel, bpy.types.Panel):
    bl_label = "Weave"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return armature_of(context) is not None

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.action_loom
        layout.row().prop(settings, "mode", expand=True)
        if settings.mode == "splice":
            self._draw_parts(context)
        if settings.mode == "follow":
            self._draw_path(context)
        options = options_in(layout)
        for group, name in _SHOWN[settings.mode]:
            if (group, name) not in _ONLY or settings.splice.method == _ONLY[group, name]:
                options.prop(getattr(settings, group), name)
        if settings.mode in _FINDERS:
            self._draw_candidates(context)
        options = options_in(layout)
        if settings.mode != "follow":  # there the curve says where it begins
            options.prop(settings.result, "place")
        options.prop(settings.result, "result_name")
        if draw_job(layout):
            return
        row = layout.row(align=True)
        row.scale_y = 1.4
        row.operator(f"action_loom.{settings.mode}", text="Weave", icon="ANIM")
        if settings.mode == "blend":
            live = row.row()
            live.ui_units_x = 3.0
            live.prop(settings, "live", toggle=True)
        self._draw_last(context)

    def _draw_parts(self, context: Any) -> None:
        """Say which action's legs and which one's arms are taken: the mark of the reference decides."""
        rig = properties.rig_of(context.scene, armature_of(context))
        ticked = properties.ticked(rig)
        if len(ticked) != 2:
            return
        legs = properties.reference_among(rig, ticked)
        column = self.layout.column(align=True)
        for label, source in (("Legs and way", ticked[legs]), ("Upper body", ticked[1 - legs])):
            row = column.split(factor=0.4)
            row.alignment = "RIGHT"
            row.label(text=label)
            row.label(text=source.action.name)

    def _draw_path(self, context: Any) -> None:
        """The curve to walk along, and what is done on the way."""
        settings = context.scene.action_loom
        layout = options_in(self.layout)
        layout.prop(settings, "curve")
        if settings.curve is None and settings.follow.path:
            layout.label(text="Along the path of the recipe", icon="INFO")
        for index, stretch in enumerate(settings.stretches):
            box = layout.box().column(align=True)
            row = box.row(align=True)
            row.prop(stretch, "action", text="")
            row.operator("action_loom.remove_stretch", text="", icon="X").index = index
            row = box.row(align=True)
            row.prop(stretch, "start", text="")
            row.prop(stretch, "end", text="")
        layout.operator("action_loom.add_stretch", icon="ADD")

    def _draw_candidates(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.action_loom
        if not jobs.running():
            layout.operator(_FINDERS[settings.mode], icon="VIEWZOOM")
        group, found = getattr(settings, settings.mode), candidates.of(context.scene, armature_of(context))
        by_hand = any(getattr(group, name) != value for name, value in candidates.AUTOMATIC[settings.mode])
        if by_hand and (found is None or not any(candidates.is_chosen(settings, one) for one in found.candidates)):
            options = options_in(layout, align=True)  # else nobody would know, now that other actions are ticked
            for name, _ in candidates.AUTOMATIC[settings.mode]:
                options.prop(group, name)
        if found is None:
            return
        column = layout.column(align=True)
        for index, candidate in enumerate(found.candidates):
            row = column.operator(
                "action_loom.choose_candidate",
                text=candidate.text,
                depress=candidates.is_chosen(settings, candidate),
            )
            row.index = index
        if found.curves is not None:
            layout.template_icon(found.icon, scale=0.6 * picture_scale(context))
            layout.operator("action_loom.show_scores", icon="IMAGE_DATA")

    def _draw_last(self, context: Any) -> None:
        armature = armature_of(context)
        rig = properties.rig_of(context.scene, armature)
        if rig is not None and rig.last:
            for line in wrapped(rig.last, context):
                self.layout.label(text=line)
        data = armature.animation_data
        if data is not None and results.is_result(data.action):
            row = self.layout.row(align=True)
            row.operator("action_loom.edit_recipe", icon="GREASEPENCIL")
            row.operator("action_loom.rebuild", icon="FILE_REFRESH")


class ACTION_LOOM_PT_graph(SidebarPanel, bpy.types.Panel):
    bl_label = "Motion Graph"
    bl_parent_id = "ACTION_LOOM_PT_weave"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.scene.action_loom.mode == "follow"

    def draw_header_preset(self, context: Any) -> None:
        known = graphs.of(context.scene, armature_of(context))
        self.layout.label(text="not built" if known is None else known.short)

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.scene.action_loom
        options = options_in(layout)
        for name in ("threshold", "relative", "mirror", "transition", "labels"):
            options.prop(settings.graph, name)
        if not jobs.running():
            layout.operator("action_loom.build_graph", icon="VIEWZOOM")
        known = graphs.of(context.scene, armature_of(context))
        if known is None:
            return
        column = layout.column(align=True)
        for line in known.said:
            for part in wrapped(line, context):
                column.label(text=part)
        layout.template_icon(known.icon, scale=picture_scale(context))
        layout.operator("action_loom.show_graph", icon="IMAGE_DATA")


class ACTION_LOOM_PT_wander(SidebarPanel, bpy.types.Panel):
    bl_label = "Other Walks"
    bl_parent_id = "ACTION_LOOM_PT_weave"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.scene.action_loom.mode == "follow"

    def draw(self, context: Any) -> None:
        layout, settings = options_in(self.layout), context.scene.action_loom
        layout.prop(settings.result, "place")
        for verb, names in (("walk", ("seconds", "seed", "hold")), ("path", ("leave", "reach"))):
            column = layout.column()
            for name in names:
                column.prop(getattr(settings, verb), name)
            if not jobs.running():
                column.operator(f"action_loom.{verb}")


class ACTION_LOOM_PT_weave_more(SidebarPanel, bpy.types.Panel):
    bl_label = "Result Options"
    bl_parent_id = "ACTION_LOOM_PT_weave"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout, settings = options_in(self.layout), context.scene.action_loom
        for group, name in _RARE[settings.mode]:
            if (group, name) not in _ONLY or settings.splice.method == _ONLY[group, name]:
                layout.prop(getattr(settings, group), name)
        for name in ("assign", "travel", "interpolation", "mark_contacts", "as_seen"):
            layout.prop(settings.result, name)
        if settings.mode == "follow":
            layout.prop(settings, "show_way")


register, unregister = bpy.utils.register_classes_factory(
    (ACTION_LOOM_PT_weave, ACTION_LOOM_PT_graph, ACTION_LOOM_PT_wander, ACTION_LOOM_PT_weave_more)
)
