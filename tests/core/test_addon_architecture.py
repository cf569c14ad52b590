"""The add-on's arrows go one way, too; read from the syntax trees, imports inside functions and for types included."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ADDON = ROOT / "addon"
MODULES = {
    ".".join(("addon", *path.relative_to(ADDON).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(ADDON.rglob("*.py"))
}
# What each room may import of the others; the services between them are rooms of one module.
SERVICES = {
    "asset_catalogs",
    "asset_finds",
    "asset_marks",
    "blender_types",
    "body_roles",
    "colors",
    "contact_markers",
    "contact_rows",
    "curve_cleaning",
    "demo",
    "few_keys",
    "formats",
    "imported_motion",
    "kept_styles",
    "kept_way",
    "library_finds",
    "lists",
    "manual",
    "meant",
    "nla_strips",
    "still_bones",
    "style_labels",
    "style_sliders",
    "menus",
    "option_properties",
    "other_bodies",
    "path_stretches",
    "playback",
    "preferences",
    "problem_report",
    "places",
    "pose_markers",
    "properties",
    "rates",
    "readiness",
    "redo_panel",
    "replacing",
    "rig_check",
    "source_list",
    "source_warnings",
    "spread_poses",
    "spreading",
    "storage",
    "weaving",
    "weight_pad",
    "weights_over_time",
}
ROOMS = {"bridge", "host", "io", "operators", "panels", "pictures", "session", "translations"}


def imported(module):
    """Full names of the modules of the add-on that a module imports, wherever in it."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            parts = package.split(".")
            above = parts[: len(parts) - node.level + 1]
            base = ".".join([*above, *filter(None, [node.module])])
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)} & set(MODULES)
    return found - {module}


def room_of(module):
    return module.split(".")[1] if module.count(".") else ""


def test_every_module_is_in_a_room_or_is_a_service():
    assert {room_of(module) for module in MODULES} - {""} <= ROOMS | SERVICES


def test_no_module_imports_itself_in_a_circle():
    arrows = {m: {n for n in imported(m) if MODULES[n].name != "__init__.py"} for m in MODULES}
    known = set()
    while left := set(MODULES) - known:
        free = {m for m in left if arrows[m] <= known}
        assert free, f"a circle among {sorted(left)}"
        known |= free


@pytest.mark.parametrize("module", [m for m in MODULES if room_of(m) in ("operators", "panels") and m.count(".") == 2])
def test_operators_and_panels_import_services_and_never_each_other(module):
    others = {n for n in imported(module) if room_of(n) in ("operators", "panels") and MODULES[n].name != "__init__.py"}
    assert others <= {
        f"addon.operators.{shared}" for shared in ("base", "background", "one_by_one", "edit_base", "style_base")
    }
    assert not (room_of(module) == "panels" and others)


@pytest.mark.parametrize("module", [m for m in MODULES if room_of(m) in ("bridge", "session", "pictures")])
def test_what_is_below_knows_nothing_of_what_is_above(module):
    above = {"host", "operators", "panels"} | ({"session", "pictures", "io"} if room_of(module) == "bridge" else set())
    assert not {room_of(name) for name in imported(module)} & above


@pytest.mark.parametrize("module", [m for m in MODULES if room_of(m) != "bridge"])
def test_only_the_bridge_touches_curves(module):
    names = {
        node.attr
        for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    }
    assert not names & {"fcurves", "keyframe_points", "channelbag", "edit_bones"}


@pytest.mark.parametrize("module", MODULES)
def test_what_is_remembered_is_remembered_in_one_way(module):
    """Module-level dictionaries that grow are memories nobody empties."""
    for node in ast.parse(MODULES[module].read_text(encoding="utf-8")).body:
        if isinstance(node, ast.AnnAssign | ast.Assign) and isinstance(node.value, ast.Dict) and not node.value.keys:
            pytest.fail(f"{module} line {node.lineno}: keep it in session.memory.cache")


@pytest.mark.parametrize("module", MODULES)
def test_every_module_says_what_it_is(module):
    assert ast.get_docstring(ast.parse(MODULES[module].read_text(encoding="utf-8")))
