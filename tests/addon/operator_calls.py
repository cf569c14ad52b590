"""Call each operator for the battery, and list the parts that it may change."""

import json

import bpy
import material
import trials
from file_state import KINDS
from hand_rigs import drive

SLOW, QUICK = ({"name": name, "weight": 1.0} for name in ("slow", "quick"))
BOTH = [SLOW, QUICK]
LONG = [
    {"name": name, "rate": 0.0, "slot": "", "first": 1, "last": 1 + 5 * frames}
    for name, frames in (("slow", 36), ("quick", 24))
]
TWO_CYCLES = [{"name": "slow", "rate": 0.0, "slot": "", "first": 1, "last": 73}]


# --- how operators are called ---------------------------------------------------------------------------------------


class Row:
    """How an operator is called, and which parts it may change.

    changes : parts of `state`; makes : whether it creates a new action; before : a step that runs before the call
    """

    def __init__(self, *changes, makes=False, before=None, needs_armature=True, **options):
        self.changes, self.makes, self.before, self.options = set(changes), makes, before, options
        self.needs_armature = needs_armature


def result(**options):
    """Return the row of an operator that makes an action and assigns it to the armature."""
    return Row("new actions", "animation", "pose", "settings", "users", makes=True, **options)


def analysed(_tmp_path):
    bpy.ops.action_loom.analyse(sources=BOTH)


def cycles_found(_tmp_path):
    settings = bpy.context.scene.action_loom
    settings.mode = "loop"
    first, second, *_ = settings.rigs[0].sources
    first.use_range, first.first, first.last, second.use = True, 1, 73, False
    bpy.ops.action_loom.find_cycles()


def another_rate(_tmp_path):
    action = bpy.data.actions["slow"]
    action["action_loom_rate"] = 60.0
    bpy.context.object.animation_data.action = action


def graph_built(_tmp_path):
    bpy.context.scene.action_loom.mode = "follow"
    bpy.ops.action_loom.build_graph()


def with_a_stretch(_tmp_path):
    bpy.ops.action_loom.add_stretch()


def without_contacts(_tmp_path):
    bpy.context.scene.action_loom.contacts.clear()


def contacts_found(_tmp_path):
    bpy.ops.action_loom.find_contacts()


def contacts_marked(_tmp_path):
    bpy.ops.action_loom.find_contacts()
    bpy.ops.action_loom.contacts_to_markers()
    bpy.context.scene.action_loom.contacts.clear()


def another_body(_tmp_path):
    """Add and select a second character with a walk of its own."""
    rig = bpy.context.object
    other = material.biped(name="Other", units=2.0)
    material.key_walk(other, "theirs", frames=30)
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig


def legs_for_ik(_tmp_path):
    """Add two controls that can move the character's feet but are switched off."""
    rig = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    for side in "LR":
        foot, goal = bones[f"foot.{side}"], bones.new(f"goal.{side}")
        goal.head, goal.tail, goal.roll, goal.use_deform = foot.head, foot.tail, foot.roll, False
    bpy.ops.object.mode_set(mode="OBJECT")
    for side in "LR":
        reaching, turning = (
            rig.pose.bones[f"{bone}.{side}"].constraints.new(kind)
            for bone, kind in (("shin", "IK"), ("foot", "COPY_ROTATION"))
        )
        reaching.target, reaching.subtarget, reaching.chain_count = rig, f"goal.{side}", 2
        turning.target, turning.subtarget = rig, f"goal.{side}"
        rig.pose.bones[f"goal.{side}"]["ik"] = 0.0
        for one in (reaching, turning):
            drive(one, "influence", rig, f'pose.bones["goal.{side}"]["ik"]')
    bpy.ops.action_loom.rebuild(action="Mixed")  # with these controls


def with_edited_sources(_tmp_path):
    for name in ("slow", "quick"):
        for curve in material.fcurves(bpy.data.actions[name]):
            if '"thigh.' in curve.data_path:
                for point in curve.keyframe_points:
                    point.co.y *= 0.5
                curve.update()


def a_pose_picked(_tmp_path):
    bpy.context.object.animation_data.action = bpy.context.scene.action_loom.rigs[0].sources[0].action
    bpy.ops.action_loom.pick_pose()


def a_fill_previewed(_tmp_path):
    bpy.context.scene.action_loom.mode = "fill"
    bpy.ops.action_loom.fill(sources=BOTH, key_frames="0 12 24", preview=True)
    bpy.context.scene.action_loom.fill.gaps = "12 1 -1"


def a_timing_previewed(_tmp_path):
    settings = bpy.context.scene.action_loom
    settings.mode, settings.fill.suggest_timing = "fill", True
    bpy.context.object.animation_data.action = bpy.data.actions["slow"]
    bpy.ops.action_loom.fill(sources=BOTH, key_frames="0 9 27", preview=True, suggest_timing=True)


def an_event(_tmp_path):
    bpy.ops.action_loom.add_event()
    bpy.context.scene.action_loom.events[0].to += 3


def let_float(action, rise=0.12):
    """Let an action of 36 frames rise in its middle for half a second, by less than a fall in that time needs."""
    hips = bpy.context.object.pose.bones["hips"].bone.head_local.z
    for curve in material.fcurves(action):
        if (curve.data_path, curve.array_index) == ('pose.bones["hips"].location', 1):
            while len(curve.keyframe_points):
                curve.keyframe_points.remove(curve.keyframe_points[0])
            for frame, share in ((1, 0.0), (12, 0.0), (15, 0.75), (18, 1.0), (21, 0.75), (24, 0.0), (37, 0.0)):
                curve.keyframe_points.insert(frame, rise * share * hips)


def a_floating_jump(_tmp_path):
    let_float(bpy.data.actions["slow"])
    bpy.ops.action_loom.rebuild(action="Mixed")  # from the changed walk


def two_poses(_tmp_path):
    bpy.ops.action_loom.warp(sources=[SLOW], corrections="8 2 0 30 0 0 0 0; 20 2 0 30 0 0 0 0")


def weights_keyed(_tmp_path):
    bpy.ops.action_loom.key_weights()


def a_preview(_tmp_path):
    bpy.ops.action_loom.blend(sources=BOTH, preview=True)


def showing_a_source(_tmp_path):
    bpy.context.scene.action_loom.mode = "connect"
    bpy.context.object.animation_data.action = bpy.context.scene.action_loom.rigs[0].sources[0].action


def style_kept(_tmp_path):
    bpy.ops.action_loom.keep_style(sources=BOTH, readings=LONG, name="both")


def style_saved(tmp_path):
    style_kept(tmp_path)
    bpy.ops.action_loom.save_style(filepath=str(tmp_path / "style.npz"))


def without_lists(_tmp_path):
    bpy.context.scene.action_loom.rigs.clear()


def library_chosen(tmp_path):
    """Choose a library of the character's own actions, exported as files."""
    (tmp_path / "files").mkdir()
    bpy.ops.action_loom.export_motion(
        filepath=str(tmp_path / "files" / "a.bvh"), actions=[{"name": name} for name in ("slow", "quick")]
    )
    bpy.ops.action_loom.new_library(filepath=str(tmp_path / "motion"))
    bpy.ops.action_loom.add_to_library(directory=str(tmp_path / "files"))


def found_in_library(tmp_path):
    library_chosen(tmp_path)
    bpy.ops.action_loom.find_like()
    bpy.context.window_manager.action_loom_library.found[0].use = True


def an_asset_library(tmp_path):
    """Let the preferences have a single asset library, with one action of the character."""
    (tmp_path / "assets").mkdir()
    copy = bpy.data.actions["slow"].copy()
    copy.name = "Stroll"
    copy.asset_mark()
    bpy.data.libraries.write(str(tmp_path / "assets" / "walks.blend"), {copy})
    bpy.data.actions.remove(copy)
    libraries = bpy.context.preferences.filepaths.asset_libraries
    for one in list(libraries):
        libraries.remove(one)
    libraries.new(name="Walks", directory=str(tmp_path / "assets"))


def motion_file(tmp_path):
    (tmp_path / "small.bvh").write_text(material.SMALL_BVH)


def points_file(tmp_path):
    """Write a body that stands with its arms down, in frames that differ a little."""
    heights = {"hip": 0.9, "knee": 0.5, "ankle": 0.1, "foot_index": 0.05, "shoulder": 1.4, "elbow": 1.1, "wrist": 0.85}
    places = {
        f"{side}_{name}": [sign * 0.1, -0.2 * (name == "foot_index"), z]
        for name, z in heights.items()
        for side, sign in (("left", 1.0), ("right", -1.0))
    }
    frames = [{name: [x + 0.001 * k, y, z] for name, (x, y, z) in places.items()} for k in range(12)]
    (tmp_path / "one.json").write_text(json.dumps(frames))


def a_long_take(_tmp_path):
    """Tick one line: five cycles of the slow walk."""
    lines = bpy.context.scene.action_loom.rigs[0].sources
    for line in lines:
        line.use = line.action.name == "slow"
        line.use_range, line.first, line.last = True, 1, 1 + 5 * 36


def take_cut(tmp_path):
    a_long_take(tmp_path)
    bpy.ops.action_loom.cut_take()
    rig = bpy.context.scene.action_loom.rigs[0]
    rig.take_holes.clear()
    hole = rig.take_holes.add()
    hole.name, hole.fill, hole.of = "There is no turn to the right from Walk.", "mirror", rig.take_rows[0].name
    bpy.context.scene.action_loom.take_mirror = False
    bpy.context.scene.frame_set(90)


def take_split(tmp_path):
    take_cut(tmp_path)
    bpy.ops.action_loom.split_take_row()


def set_woven(tmp_path):
    take_cut(tmp_path)
    bpy.context.scene.action_loom.mode = "cut_out"
    bpy.ops.action_loom.cut_out()


MADE = ("new actions", *KINDS, "selection", "animation", "pose", "users")
TABLE = {
    "add_asset_sources": Row("new actions", "settings", "users", before=an_asset_library, action="Stroll"),
    "add_contact": Row("settings"),
    "add_event": Row("settings"),
    "add_active_source": Row("settings", "users"),
    "add_demo": Row(*MADE, "settings", needs_armature=False),
    "add_source": Row("settings", "users", before=without_lists, action="slow"),
    "add_selected_sources": Row("settings", "users", before=another_body),
    "add_to_library": Row(before=library_chosen, needs_armature=False, directory="FOLDER/files"),
    "add_sources": Row("settings", "users", before=without_lists),
    "add_stretch": Row("settings", needs_armature=False),
    "steer": Row("new actions", "animation", "pose", "settings", "users", keys="W 0.5; NONE 0.2"),
    "draw_path": Row("objects", "curves", "settings", points="0 0 0; 0 -2 0; 0.5 -4 0"),
    "analyse": Row("settings", sources=BOTH),
    "bake_to_bones": result(sources=[SLOW]),
    "bake_to_controls": result(sources=[SLOW], before=legs_for_ik),
    "build_graph": Row("settings", sources=BOTH),
    "clear_cache": Row(needs_armature=False, what="ANALYSED"),
    "report_problem": Row("texts", needs_armature=False),
    "cancel": Row(needs_armature=False),
    "check": Row(),
    "choose_candidate": Row("settings", "frame", "pose", before=cycles_found, index=0),
    "clean_up": Row("sources", "new actions", before=showing_a_source),
    "clear_poses": Row("settings", before=a_pose_picked),
    "clear_preview": Row(before=a_preview),
    "clear_weight_keys": Row("settings", "new actions", "users", before=weights_keyed),
    "contacts_from_markers": Row("settings", before=contacts_marked),
    "contacts_to_markers": Row("result", before=contacts_found),
    "drag_strip": Row("settings", before=contacts_found, kind="contact", number=0, part=0, frame=3.0),
    "cut_take": Row("settings", "users", before=a_long_take),
    "edit_recipe": Row("settings", "users"),
    "event_to_here": Row("settings", before=an_event),
    "export_motion": Row(filepath="FOLDER/out.bvh"),
    "export_set": Row(before=set_woven, directory="FOLDER/set"),
    "fill_hole": Row("settings", before=take_cut, index=0),
    "find_like": Row(before=library_chosen),
    "find_doing": Row(before=library_chosen, needs_armature=False, doing="walk"),
    "find_contacts": Row("settings", before=without_contacts),
    "find_cycles": Row("settings", sources=[SLOW], readings=TWO_CYCLES),
    "find_controls": Row("settings", before=legs_for_ik),
    "find_roles": Row("settings", "roles"),
    "accept_roles": Row("settings", "roles"),
    "find_transitions": Row("settings", sources=BOTH),
    "go_to_frame": Row("frame", "pose", frame=9),
    "import_found": Row("new actions", "settings", "roles", before=found_in_library),
    "import_motion": Row(
        *MADE,
        "settings",
        before=motion_file,
        needs_armature=False,
        files=[{"name": "FOLDER/small.bvh"}],
        new_armature=True,
    ),
    "import_points": Row(
        *MADE, "settings", before=points_file, needs_armature=False, files=[{"name": "FOLDER/one.json"}], onto="NEW"
    ),
    "join_take_rows": Row("settings", before=take_split),
    "key_weights": Row("settings", "new actions", "users"),
    "keep_style": Row("settings", "texts", "users", sources=BOTH, readings=LONG),
    "learn_style": Row("settings", sources=BOTH, readings=LONG),
    "load_style": Row("settings", "texts", before=style_saved, filepath="FOLDER/style.npz", needs_armature=False),
    "manual": Row(needs_armature=False),
    "mark_asset": Row("assets"),
    "move_playhead": Row("frame", "pose", before=analysed, frame=5.0),
    "move_source": Row("settings"),  # moves up: the newest result is the active line and the last
    "match_rate": Row("sources", "settings", "pose", before=another_rate, how="ACTION"),
    "open_tool": Row("settings", "animation", "pose", "users", tool="mirror", action="quick"),
    "play_action": Row("animation", "pose", "users", "frame", action="slow"),
    "new_curve": Row(*KINDS, "selection", "settings", "users"),
    "new_library": Row(needs_armature=False, filepath="FOLDER/other"),
    "pick_frame": Row("settings", before=showing_a_source, group="connect", option="from_frame"),
    "next_stretch": Row("settings", before=a_fill_previewed, gap=0),
    "lock_stretch": Row("settings", before=a_fill_previewed, gap=0),
    "whole_stretch": Row("settings", before=a_fill_previewed, gap=0),
    "clear_gaps": Row("settings", before=a_fill_previewed),
    "move_poses": Row("sources", "pose", "settings", before=a_timing_previewed),
    "pick_pose": Row("settings", before=showing_a_source),
    "pick_joints": Row("settings", group="matching", option="joints", what="lower"),
    "pin_armature": Row("settings", needs_armature=False, armature="Biped"),
    "place_from_cursor": Row("settings"),
    "push_down": Row("animation", "users"),
    "push_down_set": Row("animation", "pose", "users", before=set_woven),
    "read_message": Row(needs_armature=False, text="a sentence"),
    "rebuild": Row("result", "pose", "settings", before=with_edited_sources),
    "read_library": Row(before=library_chosen, needs_armature=False),
    "remove_contact": Row("settings", before=contacts_found),
    "remove_event": Row("settings", before=an_event),
    "remove_pose": Row("new actions", "pose", "settings", before=two_poses, frame=9),
    "remove_source": Row("settings", "users"),
    "remove_stretch": Row("settings", before=with_a_stretch, needs_armature=False, index=0),
    "save_style": Row(before=style_kept, filepath="FOLDER/out.npz", needs_armature=False),
    "select_bone": Row("bones", bone="head"),
    "set_reference": Row("settings", index=1),
    "set_role": Row("settings", "roles", role="neck", bone="head"),
    "show_found": Row(before=found_in_library, index=0),
    "show_graph": Row("images", before=graph_built),
    "show_registration": Row("images", before=analysed),
    "show_scores": Row("images", before=cycles_found),
    "split_take_row": Row("settings", before=take_cut),
    "tween": Row("pose", first=3, second=20),
    "variations": result(sources=BOTH, readings=LONG, count=1),
    "walks": result(sources=BOTH, readings=LONG, count=1, seconds=2.0),
}
BEFORE = {"retarget": another_body, "weight": a_floating_jump}
TABLE |= {name: result(before=BEFORE.get(name), **call) for name, call in trials.calls().items()}
MAKERS = [name for name, row in TABLE.items() if row.makes]
EVERY = sorted(TABLE)
