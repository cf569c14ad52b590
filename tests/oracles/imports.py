"""Readers of imports from syntax trees: those in functions and for type checkers count, and no module is loaded."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def modules_of(folder: str, above: str = "") -> dict[str, Path]:
    """Return the modules of a folder of the repository by their names, which begin with the package above it."""
    return {
        ".".join((*filter(None, [above]), *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(
            ".__init__"
        ): path
        for path in sorted((ROOT / folder).rglob("*.py"))
    }


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(module: str, path: Path, *, only_when_loaded: bool = False) -> set[str]:
    """Return the full names of the modules that a module imports, and of the names imported from them."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    tree = tree_of(path)
    found = set()
    for node in _loaded_nodes(tree) if only_when_loaded else ast.walk(tree):
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


def _loaded_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when a module is loaded: no bodies of functions, nothing for type checkers only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from _loaded_nodes(node)


def assert_no_circle(below: Mapping[str, Iterable[str]], known: Iterable[str] = ()) -> None:
    """Fail if the arrows from names to the names below them form a circle; known : names without arrows."""
    row = set(known)
    while left := set(below) - row:
        free = {name for name in left if set(below[name]) <= row}
        assert free, f"a circle among {sorted(left)}"
        row |= free


def find_offenders(found_in: Any, modules: Iterable[str]) -> dict[str, Any]:
    """Return each module in which a rule finds something forbidden, with the findings."""
    return {module: found for module in modules if (found := found_in(module))}
