"""Find pages of the bundled manual, and the page for each verb, operator and property."""

from pathlib import Path

import bpy

from ...core.errors import LoomError
from ..ground import registrar
from ..model import intents, properties

FOLDER = Path(__file__).resolve().parents[2] / "manual"

LIBRARY = "library"  # finding clips
REPAIR = "repair"  # tools for one action
RESULTS = "results"  # using finished actions

# Pages whose name differs from the verb or settings group that they describe.
_PAGES = {
    "follow": "path",
    "graph": "path",
    "in_place": "travel",
    "ask": "parametric",
    "cut_out": "take",
    "key_poses": "poses",
    "matching": "sources",
    "plant": "feet",
    "restyle": "style",
    "result": "blend",
    "shortest": "path",
    "sync": "sources",
    "travel": "travel",
    "walk": "endless",
}
# Operators not named after a verb, by name prefix; Blender compares in lower case.
_OPERATORS = {
    "build_graph": "path",
    "new_curve": "path",
    "draw_path": "path",
    "steer": "drive",
    "show_graph": "path",
    "add_stretch": "path",
    "remove_stretch": "path",
    "drag_strip": RESULTS,
    "cut_take": "take",
    "split_take_row": "take",
    "join_take_rows": "take",
    "fill_hole": "take",
    "push_down_set": "take",
    "export_set": "take",
    "find_cycles": "loop",
    "show_scores": "loop",
    "find_transitions": "connect",
    "find_controls": "control_rigs",
    "import_motion": "start",
    "import_points": "points",
    "add_source": "sources",
    "add_selected_sources": "bodies",
    "retarget": "bodies",
    "add_demo": "start",
    "clear_cache": "install",
    "cancel": "preview",
    "choose_candidate": "connect",
    "export_motion": RESULTS,
    "manual": "index",
    "report_problem": "index",
    "key_weights": "blend",
    "clear_weight_keys": "blend",
    "pin_armature": "sources",
    "read_message": RESULTS,
    "learn_style": "style",
    "keep_style": "style",
    "load_style": "style",
    "save_style": "style",
    "variations": "style",
    "walks": "endless",
    "add_contact": "feet",
    "contacts_": "feet",
    "find_contacts": "feet",
    "pick_pose": "poses",
    "next_stretch": "fill",
    "lock_stretch": "fill",
    "whole_stretch": "fill",
    "clear_gaps": "fill",
    "clear_poses": "poses",
    "tween": REPAIR,
    "go_to_frame": REPAIR,
    "remove_pose": REPAIR,
    "add_event": REPAIR,
    "remove_event": REPAIR,
    "event_to_here": REPAIR,
    "place_from_cursor": REPAIR,
    "remove_contact": "feet",
    "check": "check",
    "clean_up": REPAIR,
    "clear_preview": "preview",
    "select_bone": "check",
    "new_library": LIBRARY,
    "read_library": LIBRARY,
    "add_to_library": LIBRARY,
    "find_like": LIBRARY,
    "find_doing": LIBRARY,
    "show_found": LIBRARY,
    "import_found": LIBRARY,
    "retime": "sources",
    "analyse": "sources",
    "show_registration": "sources",
    "move_playhead": "preview",
    "edit_recipe": RESULTS,
    "rebuild": RESULTS,
    "push_down": RESULTS,
    "mark_asset": RESULTS,
    "add_asset_sources": RESULTS,
}
# Properties in no group of options, by prefix of type and property name.
_PROPERTIES = {
    "ap_preferences": "install",
    "pg_colors": "preview",
    "pg_contact": "feet",
    "pg_event": REPAIR,
    "pg_found": LIBRARY,
    "pg_library": LIBRARY,
    "pg_settings.ask": "parametric",
    "pg_settings.curve": "path",
    "pg_settings.ground": "drive",
    "pg_settings.with_library": "drive",
    "pg_settings.edit": REPAIR,
    "pg_settings.event": REPAIR,
    "pg_settings.active_event": REPAIR,
    "pg_settings.ghost": "preview",
    "pg_settings.solo": "preview",
    "pg_settings.kept_style": "style",
    "pg_settings.labels": "style",
    "pg_settings.live": "blend",
    "pg_settings.pad": "blend",
    "pg_settings.place": REPAIR,
    "pg_settings.reach": REPAIR,
    "pg_settings.show_feet": "feet",
    "pg_settings.show_roles": "sources",
    "pg_settings.contacts": "feet",
    "pg_settings.show_way": "path",
    "pg_settings.stretches": "path",
    "pg_stretch.": "path",
    "pg_settings.take": "take",
    "pg_take_row": "take",
    "pg_cut_row": "take",
}


def page_of(verb: str) -> str:
    """Return the page about a verb or a group of settings."""
    usual = REPAIR if verb in {recipe.verb for recipe in intents.EDITS} else verb
    return _PAGES.get(verb, usual)


def address(page: str) -> str:
    """Return the address of a page in the extension; raises LoomError if it is missing."""
    path = FOLDER / f"{page}.html"
    if not path.is_file():
        raise LoomError(f"There is no page {page!r} of the manual here: build the extension's zip with tools/build.py")
    return path.as_uri()


def pages() -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the manual's base address, and rows that map our properties and operators to pages, first match first."""
    verbs = {recipe.verb: page_of(recipe.verb) for recipe in intents.RECIPES}
    groups = {f"pg_{group}.": page_of(group) for group in properties.GROUPS}
    rows = [(f"bpy.types.action_loom_{kind}*", page) for kind, page in (_PROPERTIES | groups).items()]
    rows += [(f"bpy.ops.action_loom.{name}", page) for name, page in verbs.items()]  # before prefix rows
    rows += [(f"bpy.ops.action_loom.{name}*", page) for name, page in _OPERATORS.items()]
    rows += [("bpy.ops.action_loom.*", "sources"), ("bpy.types.action_loom_*", "sources")]
    return f"{FOLDER.as_uri()}/", tuple((pattern, f"{page}.html") for pattern, page in rows)


def register() -> None:
    bpy.utils.register_manual_map(pages)
    registrar.at_end(bpy.utils.unregister_manual_map, pages)
