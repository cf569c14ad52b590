"""Every button of the tab in every state that an artist can be in: which is grey, and why.

`WRITE=1 make test BLENDER=5.2` writes tests/data/buttons.md, with which the reasons are compared.
"""

import os
import tempfile
from pathlib import Path

import bpy
import material
import pytest
import trials
from conftest import PACKAGE

pytestmark = pytest.mark.core_result  # polls ask our own settings
PAGE = Path(__file__).resolve().parents[1] / "data" / "buttons.md"
HEAD = """# What is grey, and why

For anyone who finds a button of the tab Action Loom grey: why, as below its tooltip, in each state that an artist gets
into. `WRITE=1 make test BLENDER=5.2` writes this page; `tests/addon/test_buttons.py` presses the buttons that are not
grey, too: none raises anything but a sentence. The same in Blender 4.2.
"""
# Operators of menus and rows, and an earlier name of an operator.
NO_BUTTON = {"export_motion", "path", "set_role", "remove_stretch", "drag_strip", "bake_to_bones", "bake_to_controls"}
# The calls of all verbs from the table of trials, then the other buttons in the order of the tab.
BUTTONS = {name: {} for name in trials.calls() if name not in NO_BUTTON} | {
    "import_motion": {},
    "import_points": {},
    "add_demo": {},
    "manual": {},
    "report_problem": {},
    "clear_cache": {"what": "ANALYSED"},
    "pin_armature": {},
    "read_message": {"text": "a sentence"},
    "add_sources": {},
    "add_active_source": {},
    "add_source": {"action": "Walk"},
    "add_selected_sources": {},
    "add_asset_sources": {},
    "remove_source": {},
    "move_source": {},
    "set_reference": {},
    "play_action": {"action": "Walk"},
    "match_rate": {},
    "open_tool": {"tool": "mirror"},
    "find_roles": {},
    "find_controls": {},
    "accept_roles": {},
    "new_library": {},
    "read_library": {},
    "add_to_library": {},
    "find_like": {},
    "find_doing": {},
    "show_found": {"index": 0},
    "import_found": {},
    "clear_preview": {},
    "key_weights": {},
    "clear_weight_keys": {},
    "find_transitions": {},
    "find_cycles": {},
    "choose_candidate": {},
    "show_scores": {},
    "steer": {"keys": "W 0.5; NONE 0.2"},
    "draw_path": {"points": "0 0 0; 0 -4 0"},
    "new_curve": {},
    "add_stretch": {},
    "build_graph": {},
    "show_graph": {},
    "learn_style": {},
    "keep_style": {},
    "load_style": {},
    "save_style": {},
    "variations": {},
    "walks": {},
    "cut_take": {},
    "split_take_row": {},
    "join_take_rows": {},
    "fill_hole": {},
    "push_down_set": {},
    "export_set": {},
    "pick_pose": {},
    "clear_poses": {},
    "next_stretch": {"gap": 0},
    "lock_stretch": {"gap": 0},
    "whole_stretch": {"gap": 0},
    "clear_gaps": {},
    "move_poses": {},
    "tween": {},
    "go_to_frame": {},
    "remove_pose": {"frame": 9},
    "add_event": {},
    "remove_event": {},
    "event_to_here": {},
    "place_from_cursor": {},
    "clean_up": {},
    "find_contacts": {},
    "add_contact": {},
    "remove_contact": {},
    "contacts_to_markers": {},
    "contacts_from_markers": {},
    "pick_frame": {"group": "connect", "option": "from_frame"},
    "pick_joints": {"group": "matching", "option": "joints", "what": "lower"},
    "edit_recipe": {},
    "rebuild": {},
    "push_down": {},
    "mark_asset": {},
    "analyse": {},
    "show_registration": {},
    "move_playhead": {},
    "check": {},
    "select_bone": {"bone": "head"},
    "cancel": {},
}
NOT_PRESSED = {
    "export_set",
    "import_motion",
    "load_style",
    "save_style",
    "new_library",
    "add_to_library",
}  # it asks for a file


def nothing():
    """No armature."""


def without_actions():
    """An armature without actions."""
    material.biped()


def without_list():
    """Its actions are not listed yet."""
    rig = material.biped()
    for k, frames in enumerate((24, 30, 36)):
        material.key_walk(rig, f"walk {frames}", frames=frames, leads="LR"[k % 2])


def none_ticked():
    """No source is ticked."""
    without_list()
    bpy.ops.action_loom.add_sources()
    tick(0)


def one_ticked():
    """One source is ticked."""
    none_ticked()
    tick(1)


def two_ticked():
    """Two sources are ticked."""
    none_ticked()
    tick(2)


def three_ticked():
    """Three sources are ticked."""
    none_ticked()
    tick(3)


def stretch_without_action():
    """Path, with a curve and a stretch that has no action."""
    two_ticked()
    settings = bpy.context.scene.action_loom
    settings.mode = "follow"
    settings.curve = bpy.data.objects.new("Way", bpy.data.curves.new("Way", "CURVE"))
    settings.stretches.add()


def edit_mode():
    """The armature is in Edit Mode."""
    two_ticked()
    bpy.ops.object.mode_set(mode="EDIT")


def a_result():
    """The armature shows a result."""
    two_ticked()
    bpy.ops.action_loom.blend()


def another_selected():
    """Another armature is selected beside it."""
    two_ticked()
    rig = bpy.context.object
    other = material.biped(name="Other")
    material.key_walk(other, "theirs", frames=30)
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig


def stretches_found():
    """A library is chosen, and stretches of it are found."""
    without_list()
    folder = Path(tempfile.mkdtemp())
    (folder / "files").mkdir()
    bpy.ops.action_loom.export_motion(filepath=str(folder / "files" / "walk.bvh"))
    bpy.ops.action_loom.new_library(filepath=str(folder / "motion"))
    bpy.ops.action_loom.add_to_library(directory=str(folder / "files"))
    bpy.ops.action_loom.find_like()
    bpy.context.window_manager.action_loom_library.found[0].use = True


STATES = [
    nothing,
    without_actions,
    without_list,
    none_ticked,
    one_ticked,
    two_ticked,
    three_ticked,
    stretch_without_action,
    edit_mode,
    a_result,
    another_selected,
    stretches_found,
]


def tick(count):
    lines = bpy.context.scene.action_loom.rigs[0].sources
    for place, line in enumerate(lines):
        line.use = place < count


# A button is pressed in these states only if it was grey in all earlier ones; the battery calls each operator, too.
ONLY_ASKED = {three_ticked, a_result, another_selected, stretches_found}
# A saved file loses a part of these states: its missing name, an unlinked curve, Edit Mode, analyses, search results.
MADE_ANEW = {nothing, stretch_without_action, edit_mode, *ONLY_ASKED}


def press(name, *, only_ask):
    """Press a button of the tab; return "", or the reason why it is grey.

    only_ask : whether to leave a button alone that is not grey
    """
    armature = next((one for one in bpy.data.objects if one.type == "ARMATURE"), None)
    given = {} if armature is None else {"action_loom_armature": armature}
    operator = getattr(bpy.ops.action_loom, name)
    with bpy.context.temp_override(**given):
        possible = operator.poll()
        if possible and only_ask:
            return ""
        try:
            operator("INVOKE_DEFAULT", **BUTTONS[name])
        except RuntimeError as reported:
            text = str(reported)
            assert "Traceback" not in text, text
            return "" if possible else text.partition("poll() ")[2].strip()
    assert possible
    return ""


def anew(once, state):
    bpy.context.preferences.addons[PACKAGE].preferences.library = ""
    if state not in MADE_ANEW:
        once(state)
        return
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    state()


@pytest.fixture(scope="module")
def table(once):
    """Why every button is grey in every state; "" where it is not."""
    message, pressed = {}, set(NOT_PRESSED)
    for state in STATES:
        untouched = False
        for name in BUTTONS:
            if not untouched:
                anew(once, state)
            only_ask = name in (pressed if state in ONLY_ASKED else NOT_PRESSED)
            why = message[name, state.__name__] = press(name, only_ask=only_ask)
            untouched = why != "" or only_ask  # a grey button does nothing
            pressed |= set() if untouched else {name}
    return message


def test_every_button_says_in_every_state_why_it_cannot_be_pressed(table):
    assert all(why == "" or len(why) > 10 for why in table.values())
    page = HEAD
    for state in STATES:
        page += f"\n## {state.__doc__.rstrip('.')}\n\n| why grey | buttons |\n|---|---|\n"
        reasons = {}
        for name in BUTTONS:
            label = getattr(bpy.types, f"ACTION_LOOM_OT_{name}").bl_label
            label += f" ({name})" if name.startswith("show_") else ""
            reasons.setdefault(table[name, state.__name__], []).append(label)
        for why, names in sorted(reasons.items(), key=lambda one: one[0] != ""):
            page += f"| {why or '*not grey*'} | {', '.join(names)} |\n"
    if os.environ.get("WRITE"):
        PAGE.write_text(page, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page


def test_no_button_of_the_tab_is_left_out(extension):
    assert set(dir(bpy.ops.action_loom)) - NO_BUTTON == set(BUTTONS)
