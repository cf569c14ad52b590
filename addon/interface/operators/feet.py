"""Find, add and remove foot contacts, and convert them to and from pose markers."""

import dataclasses
from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import RigError
from ....core.options import declared_options
from ....core.progress import Progress
from ....core.recipes.reading import Request, Source
from ....core.verbs import Plant
from ...bridge import result_mark
from ...ground import registrar, steps
from ...ground.blender_types import OperatorMixin, OperatorReturn, by_full_name, present, scene_of
from ...model import contact_rows, hand_rows, properties, readiness, target_armature
from ...model.contact_rows import Contact
from . import polls, reports
from .background import BackgroundOperator

if TYPE_CHECKING:
    from ....core.weave.results import Result
    from ...services.weaving.reading import Inputs

NEW = 0.3  # s, duration of a new contact


class ACTION_LOOM_OT_find_contacts(BackgroundOperator, bpy.types.Operator):
    """Plant without edited rows, but list the contacts only and write nothing."""

    bl_idname = "action_loom.find_contacts"
    bl_label = "Find Contacts"
    bl_description = (
        "List when the feet of this action stand, and what its hands touch; edited rows are replaced, the action stays"
        " as it is"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return polls.poll_action(cls, context) and polls.poll_parts(cls, context, Plant)

    def inputs(self, context: bpy.types.Context) -> "steps.Steps[Inputs]":
        from ...services.results import rebuilding
        from ...services.weaving import reading

        armature = present(target_armature.armature(context))
        action = present(contact_rows.action_of(armature))
        self._action = action.session_uid
        if not contact_rows.is_rewoven(action):
            request = Request(sources=(Source(name=action.name_full),))
            read = yield from reading.read_in_steps(context, armature, request)
            return reading.Inputs(request, read, Plant())
        again = rebuilding.inputs_of(action, overwrite_edits=True)  # edits are safe: nothing is written
        own = again.armature or armature
        why = readiness.why_not(own)
        if why:
            raise RigError(why)
        inputs = yield from rebuilding.read_again_in_steps(scene_of(context), own, again)
        return dataclasses.replace(inputs, recipe=without_rows(again.recipe))

    @staticmethod
    def compute(inputs: "Inputs", progress: Progress) -> Any:
        """Return the result, the foot contacts of a clip whose own feet are planted, and the hand contacts.

        Frames count from 0.
        """
        from ....core.edit.feet import planting
        from ...services.contacts import hand_contacts
        from ...services.weaving import computing

        made: Result = computing.compute(inputs, progress)
        if not isinstance(inputs.recipe, Plant):
            return made, [], hand_contacts.find_contacts(made.clip)
        (clip,) = inputs.read.clips
        standing = [Contact(s.foot, s.part, s.first, s.end - 1) for s in planting.contact_spans(clip)]
        return made, standing, hand_contacts.find_contacts(clip)

    def finish(self, context: bpy.types.Context, inputs: "Inputs", made: Any) -> OperatorReturn:
        from ...services.weaving import writing

        woven, standing, hands = made
        action = writing.find_data(bpy.data.actions, self._action, "The action")
        start = contact_rows.frames_of(action)[0]
        contacts = contact_rows.of_report(woven.report, start)
        if standing:  # feet that already stand still were not planted, so the report lacks them
            moved = [one._replace(first=one.first + start, last=one.last + start) for one in standing]
            contacts = contact_rows.with_known_reasons(moved, contacts)
        contact_rows.put(scene_of(context), action, contacts, edited=False)
        from ...services.contacts import hand_contacts

        rows = hand_contacts.list_rows(hands, action, start)
        hand_rows.put(contact_rows.of(scene_of(context), action), rows, start)
        text = f"{len(contacts)} contacts found in {action.name}"
        if hands:
            text = f"{text}; {len(hands)} of hands"
        refused = sum(bool(one.why) for one in contacts)
        self.report({"INFO"}, f"{text}; {refused} can't be planted" if refused else text)
        return {"FINISHED"}


def without_rows(recipe: Any) -> Any:
    """Return a recipe that plants feet where contacts are detected."""
    plants = {"plant_feet": True} if "plant_feet" in declared_options(type(recipe)) else {}
    return dataclasses.replace(recipe, spans=(), **plants)


class OnAction(OperatorMixin):
    """An operator on the rows of the armature's action."""

    bl_options = {"REGISTER", "UNDO"}
    needs_rows = True

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not polls.poll_action(cls, context):
            return False
        held = contact_rows.of(scene_of(context), contact_rows.action_of(target_armature.armature(context)))
        return polls.poll_unless(
            cls, cls.needs_rows and (held is None or not len(held.rows)), "No contact is listed: find some, or add one"
        )


def _find_key(context: bpy.types.Context) -> tuple[str, str, str] | None:
    """Return the key of the contact between the bones that are selected in Pose Mode, also of a second armature."""
    armature = target_armature.armature(context)
    rig = properties.rig_of(scene_of(context), armature)
    bones = (context.selected_pose_bones or ()) if context.mode == "POSE" else ()
    roles = {} if rig is None else {line.bone: line.name for line in rig.roles}
    partner = next((bone.id_data for bone in bones if bone.id_data != armature), None)
    theirs = dict[str, str]()
    if partner is not None:
        from ...bridge import control_body

        body = control_body.body_or_bones(present(by_full_name(bpy.data.objects, partner.name_full))).skeleton
        theirs = {body.names[joint]: role for role, joint in body.roles.items()}
    own, others = ([bone.name for bone in bones if bone.id_data == one] for one in (armature, partner))
    return hand_rows.find_key(roles, own, theirs, others)


class ACTION_LOOM_OT_add_contact(OnAction, bpy.types.Operator):
    bl_idname = "action_loom.add_contact"
    bl_label = "Add Contact"
    bl_description = (
        "Add a contact at the current frame; choose its foot and frames in the row. In Pose Mode select a hand, and"
        " what it touches, also of a partner, to add theirs; or a knee that is on the ground"
    )
    needs_rows = False

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        scene, action = scene_of(context), present(contact_rows.action_of(target_armature.armature(context)))
        held = contact_rows.of(scene, action)
        before = [] if held is None else contact_rows.contacts_of(held)
        start, last = contact_rows.frames_of(action)
        here = min(max(scene.frame_current, start), last)
        lasts = round(NEW * scene.render.fps / scene.render.fps_base)
        key = _find_key(context)
        if key is not None:
            return self._add_of_hand(scene, action, key, here, min(here + lasts, last) + 1)
        new = Contact("L", "ball", here, min(here + lasts, last))
        contact_rows.put(scene, action, [*before, new], edited=True, summary="" if held is None else held.said)
        held = contact_rows.of(scene, action)
        held.active = contact_rows.contacts_of(held).index(new)
        return {"FINISHED"}

    @staticmethod
    def _add_of_hand(
        scene: bpy.types.Scene, action: bpy.types.Action, key: tuple[str, str, str], first: int, end: int
    ) -> OperatorReturn:
        from ....core.contacts import find, keep
        from ....core.motion.clip import FreeHand

        result_mark.check_writable(action)
        if contact_rows.of(scene, action) is None:
            contact_rows.put(scene, action, (), edited=False)
        label = keep.describe(find.Contact(*key, first, end))
        hand_rows.add(contact_rows.of(scene, action), FreeHand(*key, first, end, True), label)
        return {"FINISHED"}


class ACTION_LOOM_OT_remove_contact(OnAction, bpy.types.Operator):
    bl_idname = "action_loom.remove_contact"
    bl_label = "Remove"
    bl_description = "Remove the active row"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        held = contact_rows.of(scene_of(context), contact_rows.action_of(target_armature.armature(context)))
        held.rows.remove(min(max(held.active, 0), len(held.rows) - 1))
        held.active = min(held.active, max(len(held.rows) - 1, 0))
        held.edited = True
        return {"FINISHED"}


class ACTION_LOOM_OT_contacts_to_markers(OnAction, bpy.types.Operator):
    bl_idname = "action_loom.contacts_to_markers"
    bl_label = "To Markers"
    bl_description = (
        "Mark where each contact begins (down) and ends (up) with pose markers to drag in the Action Editor;"
        " earlier ones are replaced"
    )

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...services.contacts import contact_markers

        action = present(contact_rows.action_of(target_armature.armature(context)))
        contacts = contact_rows.contacts_of(contact_rows.of(scene_of(context), action))
        result_mark.check_writable(action)
        contact_rows.check(contacts)
        contact_markers.write(action, contacts)
        self.report({"INFO"}, f"{2 * len(contacts)} markers are on {action.name}; Show Pose Markers shows them")
        return {"FINISHED"}


class ACTION_LOOM_OT_contacts_from_markers(OnAction, bpy.types.Operator):
    bl_idname = "action_loom.contacts_from_markers"
    bl_label = "From Markers"
    bl_description = "Take the contacts from the action's pose markers"
    needs_rows = False

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...services.contacts import contact_markers

        scene, action = scene_of(context), present(contact_rows.action_of(target_armature.armature(context)))
        held = contact_rows.of(scene, action)
        before = [] if held is None else contact_rows.contacts_of(held)
        contacts = contact_markers.read(action)
        contacts = contact_rows.with_known_reasons(contacts, before)
        same = held is not None and set(contacts) == set(before)
        edited = held.edited if same else True
        contact_rows.put(scene, action, contacts, edited=edited, summary="" if held is None else held.said)
        self.report({"INFO"}, f"{len(contacts)} contacts read from the markers of {action.name}")
        return {"FINISHED"}


register = registrar.registration(
    (
        ACTION_LOOM_OT_find_contacts,
        ACTION_LOOM_OT_add_contact,
        ACTION_LOOM_OT_remove_contact,
        ACTION_LOOM_OT_contacts_to_markers,
        ACTION_LOOM_OT_contacts_from_markers,
    )
)
