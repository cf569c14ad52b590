"""Measure the size, the vocabulary and the prose of the project, for the ratchet of `test_ratchet`.

`python tests/oracles/house.py` records today's figures in tests/data/ratchet.json.
"""

import ast
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

from action_loom.core.options import declared_options
from action_loom.core.verbs import VERBS

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests" / "data" / "ratchet.json"
PROSE_LINT = ROOT.parent / "shared" / "tools" / "prose_lint.py"
AREAS = ("core", "addon", "tests", "tools")
ENDINGS = re.compile(r"[a-z]{2,}ed|[a-z]{3,}wn|[a-z]{3,}ly")
_NO_PARTICIPLES = """
    seed speed need feed bed apply reply multiply only family supply assembly down own
"""
# Participles and adverbs without such an ending.
_OTHERS = """
    apart along ahead alike above below behind beside aside away anew begun bent bound broken brought built chosen done
    drawn driven else fallen felt forgotten found given gone held here hidden hung kept known laid led left likewise
    lost made meant met near now often once out said seen sent shown spent stood swept taken then there thought thus
    told together torn twice worn woven written
"""
NO_PARTICIPLES, OTHERS = frozenset(_NO_PARTICIPLES.split()), frozenset(_OTHERS.split())


def python_files(area):
    """Return the tracked Python files of an area."""
    listing = subprocess.run(["git", "ls-files", "--", f"{area}/*.py"], capture_output=True, text=True, cwd=ROOT)
    return [ROOT / name for name in listing.stdout.splitlines()]


def definitions(text):
    """Return the module, classes and functions of a file as syntax nodes."""
    found, waiting = [], [ast.parse(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.append(node)
        for block in ("body", "orelse", "handlers", "finalbody", "cases"):
            inner = getattr(node, block, None)
            waiting += inner if isinstance(inner, list) else []
    return found


def lines_of_code(text):
    """Return the number of lines that are neither blank, nor a comment, nor a part of a docstring."""
    lines = enumerate(map(str.strip, text.splitlines()), start=1)
    coded = {number for number, line in lines if line and not line.startswith("#")}
    for node in definitions(text):
        if ast.get_docstring(node, clean=False):
            coded -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(coded)


def is_bare_participle(name):
    """Return whether a function name is one word, a participle or an adverb, such as `kept` or `apart`."""
    word = name.strip("_")
    return word in OTHERS or (ENDINGS.fullmatch(word) is not None and word not in NO_PARTICIPLES)


def function_names(text):
    """Return the names of all functions and methods in a file."""
    return [one.name for one in definitions(text) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]


def measure():
    """Return today's figures by name."""
    figures = {}
    names = []
    for area in AREAS:
        texts = [path.read_text(encoding="utf-8") for path in python_files(area)]
        figures[f"lines of code, {area}"] = sum(map(lines_of_code, texts))
        if area in ("core", "addon"):
            names += [name for text in texts for name in function_names(text)]
    figures["bare participles, percent of function names"] = percent(sum(map(is_bare_participle, names)), len(names))
    figures["interface texts"] = len(load_tool("interface_texts").collect())
    figures["option slots"] = sum(len(declared_options(row.recipe)) for row in VERBS.values())
    return figures | measure_prose()


def measure_prose():
    """Return the percent of sentences with a suspicious pattern in each area; {} without the counting script."""
    if not PROSE_LINT.exists():
        return {}
    printed = subprocess.run([sys.executable, PROSE_LINT], capture_output=True, text=True, cwd=ROOT, check=True).stdout
    rows = re.findall(r"^(\S+)\s+(\d+) of\s+(\d+) sentences", printed, re.MULTILINE)
    return {f"prose, percent of sentences, {area}": percent(int(bad), int(total)) for area, bad, total in rows}


def percent(part, whole):
    return round(100.0 * part / max(whole, 1), 2)


def load_tool(name):
    """Load a module of tools/ by its path."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    RECORD.write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
