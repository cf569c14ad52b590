"""The manual that lies in the extension: where its pages are, and which page tells of what."""

from pathlib import Path

import bpy

from ..core.errors import LoomError
from . import properties

FOLDER = Path(__file__).resolve().parent.parent / "manual"

LIBRARY = "library"  # where clips are found
REPAIR = "repair"  # where the tools for one action are

# Pages that are not called as the verb or the group of settings is that they tell of.
_PAGES = {
    "follow": "path",
    "graph": "path",
    "in_place": "travel",
    "ask": "parametric",
    "key_poses": "poses",
    "matching": "sources",
    "plant": "feet",
    "restyle": "style",
    "result": "blend",
    "shortest": "path",
    "sync": "sources",
    "walk": "path",
}
# Operators that no verb is called as, by how their names begin; Blender compares in lower case.
_OPERATORS = {
    "build_graph": "path",
    "new_curve": "path",
    "show_graph": "path",
    "add_stretch": "path",
    "remove_stretch": "path",
    "drag_stretches": "path",
    "find_cycles": "loop",
    "show_scores": "loop",
    "find_transitions": "connect",
    "import_motion": "start",
    "add_selected_sources": "bodies",
    "retarget": "bodies",
    "add_demo": "start",
    "add_contact": "feet",
    "contacts_": "feet",
    "find_contacts": "feet",
    "pick_pose": "poses",
    "clear_poses": "poses",
    "tween": REPAIR,
    "go_to_pose": REPAIR,
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
    "show_found": LIBRARY,
    "import_found": LIBRARY,
    "retime": "sources",
    "analyse": "sources",
    "show_registration": "sources",
    "move_playhead": "preview",
}


def page_of(verb: str) -> str:
    """Return the page that tells of a verb or of a group of settings."""
    usual = REPAIR if verb in {recipe.verb for recipe in properties.EDITS} else verb
    return _PAGES.get(verb, usual)


def address(page: str) -> str:
    """Return the address of a page in the extension; raises LoomError where there is none."""
    path = FOLDER / f"{page}.html"
    if not path.is_file():
        raise LoomError(f"There is no page {page!r} of the manual here: build the extension's zip with tools/build.py")
    return path.as_uri()


def pages() -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return where *Online Manual* finds our properties and operators, as Blender asks for it."""
    told = {group: page_of(group) for group in properties.GROUPS}
    rows = [(f"bpy.types.action_loom_pg_{group}.*", f"{page}.html") for group, page in told.items()]
    verbs = {recipe.verb: page_of(recipe.verb) for recipe in properties.RECIPES}
    rows += [(f"bpy.ops.action_loom.{verb}*", f"{page}.html") for verb, page in (_OPERATORS | verbs).items()]
    rows += [("bpy.ops.action_loom.*", "sources.html"), ("bpy.types.action_loom_*", "sources.html")]
    return f"{FOLDER.as_uri()}/", tuple(rows)


def register() -> None:
    bpy.utils.register_manual_map(pages)


def unregister() -> None:
    bpy.utils.unregister_manual_map(pages)
