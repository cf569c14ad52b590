"""Measure how many small faults in core the quick tests find: seeded mutants, each run against tests of its module.

A mutant has one other operator (comparison, arithmetic, boolean), or one numeric constant of a module times 1.4. The
tests are the examples in the module's docstrings, and up to six files: tests that import the module, or else tests
named after it or its folder, or else tests that import something of its package. Mutants run in a temporary copy of the
tree, one at a time unless --jobs is 2. Kernels for numba and pictures are left out: these tests use the numpy twins and
draw nothing.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parents[1]
FACTOR = 1.4  # of constants
MOST_FILES = 6  # of tests for a mutant
EXAMPLES = "tests/core/test_examples.py::test_the_examples_of_a_module_run"
SWAPS = {
    "comparison": {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="},
    "arithmetic": {"+": "-", "-": "+", "*": "/", "/": "*"},
    "boolean": {"and": "or", "or": "and"},
}
KINDS = (*SWAPS, "constant")
KILLED, TIMED_OUT, SURVIVED, UNTESTED = "killed", "timed out", "survived", "without tests"
_TIMES = count(1)  # a different time for each change of a file, so that Python compiles it again


@dataclass(frozen=True)
class Mutant:
    """A change of a file below core: the text from `start` to `end` becomes `new`."""

    path: Path
    line: int
    start: int
    end: int
    old: str
    new: str
    kind: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.old} → {self.new}"

    @property
    def package(self):
        return self.path.parts[1].removesuffix(".py")


# --- candidates -------------------------------------------------------------------------------------------------------


def mutants_of(path):
    """Return all mutants of a file."""
    text = (ROOT / path).read_text(encoding="utf-8")
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    encoded, tree, found = text.encode(), ast.parse(text), []

    def add(first, last, kind, old, new):
        found.append(Mutant(path, encoded[:first].count(b"\n") + 1, first, last, old, new, kind))

    def end_of(node):
        return starts[node.end_lineno - 1] + node.end_col_offset

    def start_of(node):
        return starts[node.lineno - 1] + node.col_offset

    def swap(left, right, kind):
        between = encoded[end_of(left) : start_of(right)].decode()
        old = between.strip(" ()\n\\")
        if old in SWAPS[kind]:
            first = end_of(left) + between.index(old)
            add(first, first + len(old), kind, old, SWAPS[kind][old])

    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
                swap(left, right, "comparison")
        elif isinstance(node, ast.BoolOp):
            swap(node.values[0], node.values[1], "boolean")
        elif isinstance(node, ast.BinOp) and not any(map(is_text, (node.left, node.right))):
            swap(node.left, node.right, "arithmetic")
    for node in tree.body:
        value = getattr(node, "value", None)
        is_number = isinstance(value, ast.Constant) and type(value.value) in (int, float) and value.value
        if is_number and isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "").isupper():
            number = value.value
            larger = FACTOR * number if isinstance(number, float) else max(number + 1, round(FACTOR * number))
            add(start_of(value), end_of(value), "constant", f"{node.targets[0].id} = {number}", f"{larger:.6g}")
    return found


def is_text(node):
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def sample(how_many, seed):
    """Return as many mutants of each kind, the same for the same tree and seed."""
    rng, left_out = random.Random(seed), ("_numba.py", "picture.py", "trial.py")
    paths = [path.relative_to(ROOT) for path in sorted((ROOT / "core").rglob("*.py")) if "plots" not in path.parts]
    every = [one for path in paths if not path.name.endswith(left_out) for one in mutants_of(path)]
    each = {
        kind: rng.sample(of_kind, len(of_kind)) for kind in KINDS for of_kind in [[m for m in every if m.kind == kind]]
    }
    return [each[KINDS[k % len(KINDS)]][k // len(KINDS)] for k in range(how_many)]


# --- their tests ------------------------------------------------------------------------------------------------------


def imports_by_test():
    """Return the modules of core, and the names out of them, that each file of tests imports."""
    found = {}
    for path in sorted((ROOT / "tests" / "core").rglob("test_*.py")):
        nodes = [
            node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)
        ]
        names = {f"{node.module}.{alias.name}" for node in nodes for alias in node.names} | {n.module for n in nodes}
        found[path.relative_to(ROOT)] = {name for name in names if name and name.startswith("action_loom.core")}
    return found


def tests_of(mutant, imports):
    """Return the tests for a mutant: its module's examples, and files of tests, the nearest first."""
    module = ".".join(("action_loom", *mutant.path.with_suffix("").parts)).removesuffix(".__init__")
    package = module.rpartition(".")[0]
    has_examples = ">>>" in (ROOT / mutant.path).read_text(encoding="utf-8")
    examples = [f"{EXAMPLES}[{module.removeprefix('action_loom.')}]"] if has_examples else []
    words = {mutant.path.stem, mutant.path.parent.name} - {"work", "verbs", "core"}

    def distance(path, names):
        if module in names:
            return 0
        if any(path.stem == f"test_{word}" for word in words):
            return 1
        return 2 if any(name.startswith(f"{package}.") for name in names) and package.count(".") > 1 else 3

    ranked = sorted((distance(path, names), path) for path, names in imports.items())
    return examples + [path for far, path in ranked if far == ranked[0][0] < 3][:MOST_FILES]


# --- running them -----------------------------------------------------------------------------------------------------


def copy_tree(folder):
    """Copy the files that the tests need into a folder, and return its root."""
    root = Path(folder, "main")
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0"):
        if (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
    (root / "build" / "types").mkdir(parents=True)
    (root / "build" / "types" / "action_loom").symlink_to(root, target_is_directory=True)
    Path(folder, "shared").symlink_to(ROOT.parent / "shared", target_is_directory=True)
    return root


def change(path, content):
    path.write_bytes(content)
    os.utime(path, (next(_TIMES),) * 2)


def run_tests(root, tests, seconds):
    """Return whether tests pass, None if they take too long, and the first failed test."""
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-x", "--short", "-p", "no:cacheprovider", *tests]
    own = {"PYTHONPATH": str(root / "build" / "types"), "OPENBLAS_NUM_THREADS": "1", "ACTION_LOOM_ENGINE": "numpy"}
    try:
        done = subprocess.run(
            list(map(str, command)),
            cwd=root,
            env=os.environ | own,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, ""
    # Names of cases may have spaces.
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return done.returncode in (0, 5), lines[0].partition(" ")[2].partition(" - ")[0] if lines else ""  # 5: only slow


def outcome_of(mutant, root, tests, seconds):
    """Return the fate of a mutant; a test that also fails without it stops everything."""
    if not tests:
        return UNTESTED
    path = root / mutant.path
    content = path.read_bytes()
    change(path, content[: mutant.start] + mutant.new.encode() + content[mutant.end :])
    passes, failed = run_tests(root, tests, seconds)
    change(path, content)
    if passes is False and not run_tests(root, [failed] if "::" in failed else tests, 10 * seconds)[0]:
        sys.exit(f"{failed or tests}: fails without any change, too")
    return {True: SURVIVED, False: KILLED, None: TIMED_OUT}[passes]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120.0, help="after which the tests of a mutant are stopped")
    parser.add_argument("--jobs", type=int, default=1, choices=(1, 2))
    options = parser.parse_args()
    mutants, imports, outcomes = sample(options.count, options.seed), imports_by_test(), {}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        free = SimpleQueue()
        for k in range(options.jobs):
            (Path(folder) / str(k)).mkdir()
            free.put(copy_tree(Path(folder) / str(k)))

        def run(mutant):
            root = free.get()
            try:
                return outcome_of(mutant, root, tests_of(mutant, imports), options.seconds)
            finally:
                free.put(root)

        for mutant, outcome in zip(mutants, pool.map(run, mutants), strict=True):
            outcomes[mutant] = outcome
            print(f"{outcome:14}{mutant}", flush=True)
    words = (KILLED, TIMED_OUT, SURVIVED, UNTESTED)
    print(f"\n{'package':14}" + "".join(f"{word:>14}" for word in words))
    for package in [*sorted({mutant.package for mutant in mutants}), ""]:
        counts = Counter(outcome for mutant, outcome in outcomes.items() if package in ("", mutant.package))
        print(f"{package or 'all':14}" + "".join(f"{counts[word]:14}" for word in words))
    print("\nsurvivors:", *(mutant for mutant, outcome in outcomes.items() if outcome == SURVIVED), sep="\n")


if __name__ == "__main__":
    main()
