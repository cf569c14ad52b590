"""Imports between rooms go one way; the test reads the syntax trees, so it imports nothing."""

import ast
import re
import sys
from functools import cache

import pytest
from action_loom.core.verbs import VERBS
from oracles import imports, processes

CORE = imports.ROOT / "core"
MODULES = imports.modules_of("core", "action_loom")

# The rooms that each room may import, in functions and for type checkers, too; each module directly in core is a room.
ROOMS = {
    "additions": {"errors"},
    "errors": set(),
    "cache": set(),
    "entry_points": set(),
    "options": {"errors"},
    "progress": {"errors"},
    "version": set(),
    "files": {"errors"},
    "jit": {"compiling", "errors", "progress"},
    "compiling": set(),
    "interruption": set(),
    "processes": {"errors", "interruption"},
    "cluster": {"errors", "jit", "processes"},
    "recipes": {"additions", "errors", "options"},
    "motion": {"errors", "jit"},
    "formats": {"additions", "entry_points", "errors", "files", "jit", "motion"},
    "demo_character": {"errors", "motion"},
    "skin": {"errors", "jit", "motion"},
    "contacts": {"edit", "motion"},
    "bodies": {"contacts", "edit", "errors", "motion"},
    "quality": {"errors", "motion"},
    "edit": {"quality", "errors", "jit", "motion"},
    "weight": {"edit", "errors", "motion", "quality"},
    "inbetween": {"cache", "edit", "errors", "motion"},
    "sync": {"quality", "entry_points", "errors", "jit", "motion", "progress", "recipes"},
    "weave": {"bodies", "quality", "edit", "errors", "motion", "progress", "recipes", "sync"},
    "graph": {
        *("bodies", "quality", "errors", "files", "jit", "motion", "options", "progress", "recipes", "sync", "weave")
    },
    "drive": {"quality", "edit", "errors", "graph", "motion", "progress", "recipes", "style", "variation", "weave"},
    "variation": {"edit", "errors", "graph", "motion", "sync", "weight"},
    "style": {*("bodies", "quality", "edit", "errors", "files", "motion", "progress", "recipes", "sync", "weave")},
    "library": {
        "bodies",
        "errors",
        "demo_character",
        "files",
        "formats",
        "interruption",
        "jit",
        "motion",
        "processes",
        "progress",
    },
    "plots": {"motion"},
    "points": {
        "additions",
        "entry_points",
        "errors",
        "files",
        "formats",
        "motion",
        "progress",
        "recipes",
        "weave",
        "weight",
    },
    "verbs": {
        *(
            "additions",
            "bodies",
            "cache",
            "contacts",
            "drive",
            "edit",
            "entry_points",
            "errors",
            "graph",
            "inbetween",
            "jit",
            "library",
        ),
        "quality",
        *("motion", "options", "plots", "progress", "recipes", "style", "sync", "variation", "weave"),
        "weight",
    },
    "extend": {"entry_points", "errors", "formats", "options", "points", "recipes", "verbs"},
    "cli": {
        *("quality", "cluster", "errors", "files", "formats", "graph", "interruption", "jit", "library", "motion"),
        *(
            "extend",
            "options",
            "plots",
            "points",
            "processes",
            "progress",
            "recipes",
            "skin",
            "style",
            "sync",
            "verbs",
            "version",
            "weave",
            "weight",
        ),
    },
}

# Registries name functions and classes as text: each registry, its reader, and the rooms that a reader may load.
REGISTRIES = {
    "action_loom.core.verbs": "action_loom.core.verbs",
    "action_loom.core.recipes.metrics": "action_loom.core.sync.metrics",
    "action_loom.core.formats.registry": "action_loom.core.formats.motion_file",
    "action_loom.core.points.registry": "action_loom.core.points.read",
}
ROOMS_BY_TEXT = {
    "verbs": {"weave", "graph", "style", "plots", "verbs"},
    "sync": {"sync"},
    "formats": {"formats"},
    "points": {"points"},
}

# Imports that must not run when a module is loaded: functions run them later, or only type checkers read them.
LATER = {
    ("action_loom.core.jit", "numba"),
    ("action_loom.core.jit", "action_loom.core.progress"),
    ("action_loom.core.jit", "action_loom.core.compiling"),
    ("action_loom.core.verbs", "action_loom.core.motion.clip"),
    ("action_loom.core.verbs.ask", "action_loom.core.style.measures"),
    ("action_loom.core.verbs.restyle", "action_loom.core.style.measures"),
    *(  # a result has loaded what made it
        ("action_loom.core.verbs.source_frames", f"action_loom.core.{name}")
        for name in (
            *("graph.inputs", "graph.walk_result", "drive", "drive.database", "drive.keep"),
            *("verbs.ask.work", "verbs.drive.work", "verbs.follow.result", "verbs.restyle.work"),
        )
    ),
    ("action_loom.core.cli.common", "tqdm"),
    ("action_loom.core.cli.library_commands", "action_loom.core.plots"),
    ("action_loom.core.cli.library_commands", "action_loom.core.plots.finds"),
    ("action_loom.core.cli.library_commands", "action_loom.core.plots.png"),
    ("action_loom.core.cluster", "distributed"),
    ("action_loom.core.cli.process", "action_loom.core.cli.main"),
    # A command loads only the modules that it uses.
    *(
        (f"action_loom.core.cli.{module}", f"action_loom.core.{name}")
        for module, names in {
            "artefacts": ("graph", "graph.storage", "style", "style.storage"),
            "host": ("motion.clip", "weave.results"),
            "main": (
                "cli",
                *(f"cli.{one}_commands" for one in ("graph", "library", "style", "verb")),
                *(f"cli.{one}" for one in ("info", "motion_files", "run")),
            ),
            "cuts": ("motion.clip",),
            "file_sources": ("weave.results",),
            "motion_files": (
                *(f"cli.{one}" for one in ("file_sources", "points_command", "reading", "skin", "take_command")),
                *("formats", "formats.motion_file"),
            ),
            "summary": (
                *("graph.motion_graph", "style.groups", "style.style"),
                *("sync", "sync.register_pair", "weave", "weave.planting"),
            ),
        }.items()
        for name in names
    ),
}


def tree_of(module):
    return imports.tree_of(MODULES[module])


@cache
def imported(module, *, only_when_loaded=False):
    return imports.imported(module, MODULES[module], only_when_loaded=only_when_loaded)


def offenders(found_in, modules=MODULES):
    return imports.find_offenders(found_in, modules)


def top(names):
    return {name.partition(".")[0] for name in names}


def room_of(module):
    parts = module.split(".")
    return parts[2] if len(parts) > 2 else ""


def rooms_of(names):
    return {room_of(name) for name in names if name.startswith("action_loom.core.")}


def test_core_knows_neither_blender_nor_the_add_on():
    blender = {"bpy", "mathutils", "bmesh", "gpu", "bpy_extras", "addon_utils", "idprop", "blf"}

    def found(module):
        names = imported(module)
        own = {name for name in names if name == "action_loom" or name.startswith("action_loom.addon")}
        return own | (top(names) & blender)

    assert offenders(found) == {}


def test_core_imports_its_own_modules_relatively():
    def found(module):
        names = set()
        for node in ast.walk(tree_of(module)):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module or "")
        return {name for name in names if top([name]) == {"action_loom"}}

    assert offenders(found) == {}


def test_only_jit_names_numba():
    assert set(offenders(lambda module: top(imported(module)) & {"numba", "llvmlite"})) == {"action_loom.core.jit"}


def loaded_with(module):
    """Return all modules of core loaded with one module, and all other modules that they import."""
    inside, outside, waiting = set(), set(), [module]
    while waiting:
        module = waiting.pop()
        inside.add(module)
        names = imported(module, only_when_loaded=True)
        waiting += (names & set(MODULES)) - inside - set(waiting)
        outside |= {name for name in names if not name.startswith("action_loom.")}
    return inside, outside


STANDARD = {"errors", "cache", "entry_points", "options", "progress", "files", "jit", "recipes", "verbs"}
DECLARING = sorted(
    {m for m in MODULES if room_of(m) in STANDARD and (room_of(m) != "verbs" or MODULES[m].name == "__init__.py")}
    | {"action_loom.core.additions", "action_loom.core.formats.registry", "action_loom.core.points.registry"}
)


def test_what_declares_options_loads_the_standard_library_only():
    def found(module):
        inside, outside = loaded_with(module)
        return (top(outside) - sys.stdlib_module_names) | (inside - set(DECLARING))

    assert offenders(found, DECLARING) == {}


def test_registering_loads_the_standard_library_only():
    unwanted = {"numpy", "numba", "scipy", "matplotlib", "tqdm", "bpy"}
    code = f"import sys, importlib\nfor name in {DECLARING!r}: importlib.import_module(name)\n"
    done = processes.python("-c", code + f"print(sorted({unwanted!r} & set(sys.modules)))")
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_the_rooms_are_those_whose_arrows_are_allowed_here():
    """Every room has an entry in the table of allowed imports."""
    assert set(ROOMS) == {room_of(module) for module in MODULES if room_of(module)}


def test_arrows_between_rooms_go_one_way():
    def found(module):
        room = room_of(module)
        return rooms_of(imported(module)) - {room} - ROOMS.get(room, set())

    assert offenders(found, [module for module in MODULES if room_of(module)]) == {}


def test_the_allowed_arrows_have_no_circle():
    """The allowed imports form no cycle, even together with the names in registries."""
    below = {room: allowed | (ROOMS_BY_TEXT.get(room, set()) - {room}) for room, allowed in ROOMS.items()}
    imports.assert_no_circle(below)


def test_no_module_imports_itself_in_a_circle():
    """The rule includes imports in functions and for type checkers, without exceptions."""
    arrows = {m: {n for n in imported(m) if n in MODULES and n != m} for m in MODULES}
    # A package is loaded before its modules, and is empty but for its docstring.
    packages = {m for m, path in MODULES.items() if path.name == "__init__.py"}
    imports.assert_no_circle(arrows, packages)


def test_nearly_everything_is_imported_when_a_module_is_loaded():
    known = set(MODULES)
    later = {
        (module, name if name in known else name.partition(".")[0])
        for module in MODULES
        for name in imported(module) - imported(module, only_when_loaded=True)
        if name in known or not name.startswith("action_loom.")
    }
    assert {(module, name) for module, name in later if name not in sys.stdlib_module_names} == LATER


def test_only_the_cluster_names_dask():
    needing = {module for module in MODULES if top(imported(module)) & {"dask", "distributed"}}
    assert needing == {"action_loom.core.cluster"}


def test_every_test_can_be_collected_where_numpy_and_scipy_are_all_there_is():
    """The environment with the oldest numpy lacks matplotlib, PIL, tqdm and Dask: tests import them when they run."""
    allowed = {*sys.stdlib_module_names, "action_loom", "hypothesis", "numpy", "oracles", "pytest", "scipy"}
    for path in sorted((imports.ROOT / "tests").glob("core/**/*.py")) + sorted(
        (imports.ROOT / "tests").glob("oracles/*.py")
    ):
        named = set()
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Import):
                named |= {name.name for name in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                named |= {f"{node.module}.{name.name}" for name in node.names}
        assert {name.partition(".")[0] for name in named} <= allowed, path
        assert not any(name.startswith("action_loom.core.plots.") or name.endswith(".picture") for name in named), path


def test_only_pictures_need_matplotlib():
    needing = {module for module in MODULES if "matplotlib" in top(imported(module))}
    pictures = {module for module in MODULES if room_of(module) == "plots"} - {"action_loom.core.plots"}
    pictures |= {module for module in MODULES if module.endswith(".picture")}
    assert needing == pictures


def texts(module):
    """Return the texts of a module that may name something in another module."""
    constants = (node.value for node in ast.walk(tree_of(module)) if isinstance(node, ast.Constant))
    return {text for text in constants if isinstance(text, str) and re.fullmatch(r"[a-z_.]+:\w+", text)}


def test_only_registries_name_functions_as_text_and_only_what_reads_them_loads_those():
    naming = {module for module in MODULES if texts(module)}
    assert naming == set(REGISTRIES)
    users = {module for module in MODULES if "action_loom.core.entry_points" in imported(module)}
    assert users == {*REGISTRIES.values(), "action_loom.core.extend"}  # which offers it to other packages


def test_registries_name_what_their_readers_may_load():
    rows = {text for row in VERBS.values() for text in (row.function, row.picture, row.prepare, row.partner) if text}
    assert all(isinstance(text, str) for text in rows)  # so that the registry loads nothing else
    for registry, reader in REGISTRIES.items():
        for text in rows if registry == "action_loom.core.verbs" else texts(registry):
            module, _, name = text.partition(":")
            assert f"action_loom.core.{module}" in MODULES, text
            assert module.partition(".")[0] in ROOMS_BY_TEXT[room_of(reader)], text
            body = tree_of(f"action_loom.core.{module}").body
            assert name in {getattr(node, "name", "") for node in body}, text


def test_packages_hold_nothing_but_their_description():
    """Every package except those for verbs holds a docstring alone; packages of verbs begin with their declarations."""
    for module, path in MODULES.items():
        if path.name == "__init__.py" and room_of(module) != "verbs":
            assert [type(node) for node in tree_of(module).body] == [ast.Expr], module
            assert ast.get_docstring(tree_of(module)), module


def test_every_module_says_what_it_is():
    assert [module for module in MODULES if not ast.get_docstring(tree_of(module))] == []


def kernel_packages():
    return sorted({path.parent for name in ("_numba.py", "_numpy.py") for path in CORE.rglob(name)})


def functions(path):
    """Names and parameter names of the public functions of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.name: [argument.arg for argument in node.args.args]
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }


@pytest.mark.parametrize("package", kernel_packages(), ids=lambda path: path.name)
def test_every_kernel_has_a_twin_with_the_same_parameters(package):
    kernels, twins = functions(package / "_numba.py"), functions(package / "_numpy.py")
    assert kernels
    assert kernels == twins


@pytest.mark.parametrize("package", kernel_packages(), ids=lambda path: path.name)
def test_every_kernel_is_compiled_for_fixed_types(package):
    for node in ast.parse((package / "_numba.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            assert [ast.unparse(d).partition("(")[0] for d in node.decorator_list] == ["kernel"], node.name


def test_kernels_and_twins_are_reached_through_jit_only():
    def found(module):
        return {name for name in imported(module) if {"_numba", "_numpy"} & set(name.split("."))}

    assert offenders(found) == {}


def test_only_jit_and_registries_import_by_name():
    def found(module):
        text = MODULES[module].read_text(encoding="utf-8")
        return "import_module" in text or "__import__" in text or "importlib" in top(imported(module))

    assert set(offenders(found)) == {
        f"action_loom.core.{name}" for name in ("additions", "compiling", "jit", "entry_points")
    }


def test_rooms_can_be_loaded_without_anything_but_numpy():
    rooms = {"motion", "formats", "demo_character", "bodies", "quality", "sync", "edit", "skin", "weave", "graph"}
    names = sorted(name for name in MODULES if room_of(name) in rooms and not name.endswith("._numba"))
    code = f"import sys, importlib\nfor name in {names!r}: importlib.import_module(name)\n"
    code += "print(sorted({'numba', 'scipy', 'matplotlib', 'tqdm', 'bpy'} & set(sys.modules)))"
    done = processes.python("-c", code)
    assert (done.stdout, done.stderr) == ("[]\n", "")
