"""The examples in docstrings run, and every function of core used by another folder has an example."""

import ast
import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXTS = {path: path.read_text(encoding="utf-8") for room in ("core", "addon") for path in (ROOT / room).rglob("*.py")}
# Kernels are reached through their package; the command line is tried by commands.
MODULES = [
    path
    for path in sorted(TEXTS)
    if path.is_relative_to(ROOT / "core") and not path.name.startswith("_n") and path.parent.name != "cli"
]
NAMES = [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in MODULES]


@pytest.mark.parametrize("name", [name for name, path in zip(NAMES, MODULES, strict=True) if ">>>" in TEXTS[path]])
def test_the_examples_of_a_module_run(name):
    found = doctest.testmod(importlib.import_module(f"action_loom.{name}"))
    assert found.attempted > 0
    assert found.failed == 0


def uses(text):
    """Return a file's uses of other modules: each "module.function" in its text, and each imported name."""
    dotted = set(re.findall(r"\b\w+\.\w+", text))
    imports = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom))
    return dotted | {f"{(node.module or '').rpartition('.')[2]}.{one.name}" for node in imports for one in node.names}


def test_what_other_folders_use_has_an_example():
    used = {}
    for path, text in TEXTS.items():
        used.setdefault(path.parent, set()).update(uses(text))
    lacking = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in MODULES
        for node in ast.parse(TEXTS[path]).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if ">>>" not in (ast.get_docstring(node) or "")
        and any(
            f"{path.parent.name if path.name == '__init__.py' else path.stem}.{node.name}" in in_folder
            for folder, in_folder in used.items()
            if folder != path.parent
        )
    ]
    assert lacking == []
