"""The arrows between the rooms go one way; read from the syntax trees, so that nothing has to be imported."""

import ast
import sys
from pathlib import Path

import pytest
from oracles import processes

pytestmark = pytest.mark.both_engines

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "core"
MODULES = {
    ".".join(("action_loom", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(CORE.rglob("*.py"))
}

# What each room may import of the others when it is loaded; core's own modules are rooms of one module.
ROOMS = {
    "errors": set(),
    "progress": {"errors"},
    "options": {"errors"},
    "jit": {"errors"},
    "files": {"errors"},
    "motion": {"errors", "files", "jit"},
    "check": {"errors", "jit", "motion"},
    "sync": {"errors", "jit", "motion", "options", "progress"},
    "recipes": {"errors", "options", "progress", "sync"},
    "weave": {"check", "errors", "jit", "motion", "options", "progress", "recipes", "sync"},
    "library": {"check", "errors", "jit", "motion", "options", "progress", "recipes", "sync", "weave"},
    "graph": {"check", "errors", "files", "jit", "motion", "options", "progress", "recipes", "sync", "weave"},
    "cli": {
        *("check", "errors", "files", "graph", "jit", "library", "motion", "options", "progress", "recipes", "sync"),
        "weave",
    },
}


def tree_of(module):
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def imported(module, *, only_when_loaded=False):
    """Full names of the modules that a module imports, and of what it takes out of them."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    tree = tree_of(module)
    nodes = loaded_nodes(tree) if only_when_loaded else ast.walk(tree)
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                above = parts[: len(parts) - node.level + 1]
                assert above, f"{module} imports from above the package"
                base = ".".join([*above, *filter(None, [base])])
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return found


def loaded_nodes(tree):
    """The nodes that run when a module is loaded: no bodies of functions, nothing for type checkers only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from loaded_nodes(node)


def top(names):
    return {name.partition(".")[0] for name in names}


def room_of(module):
    parts = module.split(".")
    return parts[2] if len(parts) > 2 else ""


def rooms_of(names):
    return {room_of(name) for name in names if name.startswith("action_loom.core.")}


def test_there_are_modules_to_look_at():
    assert {"action_loom.core.jit", "action_loom.core.motion.quat", "action_loom.core.cli.main"} <= set(MODULES)


@pytest.mark.parametrize("module", MODULES)
def test_core_knows_neither_blender_nor_the_add_on(module):
    names = imported(module)
    assert not top(names) & {"bpy", "mathutils", "bmesh", "gpu", "bpy_extras", "addon_utils", "idprop", "blf"}
    assert not {name for name in names if name == "action_loom" or name.startswith("action_loom.addon")}


@pytest.mark.parametrize("module", MODULES)
def test_core_imports_its_own_modules_relatively(module):
    absolute = {
        alias
        for node in ast.walk(tree_of(module))
        for alias in (
            [a.name for a in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        )
    }
    assert "action_loom" not in top(absolute)


@pytest.mark.parametrize("module", MODULES)
def test_only_jit_names_numba(module):
    names_numba = bool(top(imported(module)) & {"numba", "llvmlite"})
    assert names_numba == (module == "action_loom.core.jit")


def loaded_with(module):
    """All modules of core that are loaded with one, and everything else that they import."""
    inside, outside, waiting = set(), set(), [module]
    while waiting:
        module = waiting.pop()
        inside.add(module)
        names = imported(module, only_when_loaded=True)
        waiting += (names & set(MODULES)) - inside - set(waiting)
        outside |= {name for name in names if not name.startswith("action_loom.")}
    return inside, outside


@pytest.mark.parametrize("name", ["errors", "progress", "options", "recipes", "jit"])
def test_what_declares_options_loads_the_standard_library_only(name):
    _, outside = loaded_with(f"action_loom.core.{name}")
    assert top(outside) <= sys.stdlib_module_names


@pytest.mark.parametrize("module", [m for m in MODULES if room_of(m)])
def test_arrows_between_rooms_go_one_way(module):
    room = room_of(module)
    assert room in ROOMS, f"{room} is a new room: say here what it may import"
    assert rooms_of(imported(module, only_when_loaded=True)) - {room} <= ROOMS[room]


def test_the_allowed_arrows_have_no_circle():
    known = set()
    while left := {room for room, below in ROOMS.items() if room not in known}:
        free = {room for room in left if ROOMS[room] <= known}
        assert free, f"a circle among {sorted(left)}"
        known |= free


def test_no_module_imports_itself_in_a_circle_when_it_is_loaded():
    arrows = {m: {n for n in imported(m, only_when_loaded=True) if n in MODULES and n != m} for m in MODULES}
    # A package is loaded before its modules, and is empty but for its docstring.
    packages = {m for m, path in MODULES.items() if path.name == "__init__.py"}
    known = set(packages)
    while left := set(MODULES) - known:
        free = {m for m in left if arrows[m] <= known}
        assert free, f"a circle among {sorted(left)}"
        known |= free


def test_packages_hold_nothing_but_their_description():
    for module, path in MODULES.items():
        if path.name == "__init__.py":
            assert [type(node) for node in tree_of(module).body] == [ast.Expr], module
            assert ast.get_docstring(tree_of(module)), module


@pytest.mark.parametrize("module", MODULES)
def test_every_module_says_what_it_is(module):
    assert ast.get_docstring(tree_of(module))


def kernel_packages():
    return sorted({path.parent for name in ("_kernels.py", "_twins.py") for path in CORE.rglob(name)})


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
    kernels, twins = functions(package / "_kernels.py"), functions(package / "_twins.py")
    assert kernels
    assert kernels == twins


@pytest.mark.parametrize("package", kernel_packages(), ids=lambda path: path.name)
def test_every_kernel_is_compiled_for_fixed_types(package):
    for node in ast.parse((package / "_kernels.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            assert [ast.unparse(d).partition("(")[0] for d in node.decorator_list] == ["kernel"], node.name


@pytest.mark.parametrize("module", MODULES)
def test_kernels_and_twins_are_reached_through_jit_only(module):
    private = {name for name in imported(module) if {"_kernels", "_twins"} & set(name.split("."))}
    assert not private
    if module != "action_loom.core.jit":
        text = MODULES[module].read_text(encoding="utf-8")
        assert "import_module" not in text


def test_the_motion_room_can_be_loaded_without_anything_but_numpy():
    names = sorted(name for name in MODULES if room_of(name) == "motion" and not name.endswith("._kernels"))
    code = f"import sys, importlib\nfor name in {names!r}: importlib.import_module(name)\n"
    code += "print(sorted({'numba', 'scipy', 'matplotlib', 'tqdm', 'bpy'} & set(sys.modules)))"
    done = processes.python("-c", code)
    assert (done.stdout, done.stderr) == ("[]\n", "")
