"""Imports within the add-on go one way, too; the syntax trees include imports in functions and for types."""

import ast
from functools import cache

from oracles import imports

ADDON = imports.ROOT / "addon"
MODULES = imports.modules_of("addon")
# From the ground up: a module imports only from its own room and from rooms below it.
FLOORS = (
    "ground",
    "bridge",
    "bitmaps",
    "model",
    "services.contacts",
    "services.weaving",
    "services.sources",
    "services.paths",
    "services.driving",
    "services.weights",
    "services.matching",
    "services.preview",
    "services.styles",
    "services.poses",
    "services.results",
    "services.files",
    "services.library",
    "services.assets",
    "services.takes",
    "interface",
    "host",
)
SERVICES = {floor for floor in FLOORS if floor.startswith("services.")}
# Above these the interface has rooms of its own, whose modules don't know each other.
SHARED_BY_OPERATORS = {
    f"addon.interface.operators.{shared}"
    for shared in ("background", "library_operator", "polls", "reports", "result_hooks", "take_hooks", "verb_operator")
}


def tree_of(module):
    return imports.tree_of(MODULES[module])


@cache
def imported(module):
    """Return the full names of the modules of the add-on that a module imports, wherever in it."""
    names = imports.imported(f"action_loom.{module}", MODULES[module])
    return {name.removeprefix("action_loom.") for name in names} & set(MODULES) - {module}


def offenders(found_in, modules=MODULES):
    return imports.find_offenders(found_in, modules)


def floor_of(module):
    """The floor that a module is on; the house's door, `addon/__init__.py`, is on none."""
    within = module.removeprefix("addon").removeprefix(".")
    return next((floor for floor in FLOORS if f"{within}.".startswith(f"{floor}.")), "")


def is_code(module):
    return MODULES[module].name != "__init__.py" or len(MODULES[module].read_text(encoding="utf-8").splitlines()) > 3


def test_every_module_is_on_a_floor_and_nobody_lives_on_none():
    assert {module for module in MODULES if not floor_of(module)} == {"addon", "addon.services"}
    assert {floor_of(module) for module in MODULES} - {""} == set(FLOORS)


def test_every_module_imports_nothing_from_above():
    def found(module):
        height = FLOORS.index(floor_of(module))
        return {name for name in imported(module) if is_code(name) and FLOORS.index(floor_of(name)) > height}

    assert offenders(found, [module for module in MODULES if floor_of(module)]) == {}


def test_the_door_is_the_only_module_at_the_root():
    assert [path.name for path in ADDON.glob("*.py")] == ["__init__.py"]


def test_no_module_imports_itself_in_a_circle():
    arrows = {m: {n for n in imported(m) if MODULES[n].name != "__init__.py"} for m in MODULES}
    imports.assert_no_circle(arrows)


OPERATORS = [m for m in MODULES if m.startswith("addon.interface.operators.")]
PANELS = [m for m in MODULES if m.startswith("addon.interface.panels.")]


def test_operators_and_panels_import_services_and_never_each_other():
    def found(module):
        allowed = SHARED_BY_OPERATORS if module in OPERATORS else set()
        return (imported(module) & {*OPERATORS, *PANELS}) - allowed

    assert offenders(found, OPERATORS + PANELS) == {}


def test_only_the_bridge_touches_curves():
    def found(module):
        names = {node.attr for node in ast.walk(tree_of(module)) if isinstance(node, ast.Attribute)}
        return names & {"fcurves", "keyframe_points", "channelbag", "edit_bones"}

    assert offenders(found, [module for module in MODULES if floor_of(module) != "bridge"]) == {}


def test_only_the_registrar_registers_classes_and_tools():
    def found(module):
        names = {node.attr for node in ast.walk(tree_of(module)) if isinstance(node, ast.Attribute)}
        return {
            name for name in names if name.endswith(("register_class", "register_classes_factory", "register_tool"))
        }

    assert offenders(found, [module for module in MODULES if module != "addon.ground.registrar"]) == {}
    defined = {module for module in MODULES if "def unregister" in MODULES[module].read_text(encoding="utf-8")}
    assert defined == {"addon"}


def test_what_is_remembered_is_remembered_in_one_way():
    """Module-level dictionaries that grow are memories nobody empties: they belong in ground.memory.cache."""

    def found(module):
        return [
            f"line {node.lineno}"
            for node in tree_of(module).body
            if isinstance(node, ast.AnnAssign | ast.Assign) and isinstance(node.value, ast.Dict) and not node.value.keys
        ]

    assert offenders(found) == {}


def test_every_module_says_what_it_is():
    assert [module for module in MODULES if not ast.get_docstring(tree_of(module))] == []
