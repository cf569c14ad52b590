"""make sources: run the command, test or measure that shows each element of the source documents.

The elements are the rows of sources.txt. Writes the section of docs/measured.md.
"""

import contextlib
import csv
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests")]

import page_sections
import sources_measures
from action_loom.core.cli.main import main as command_line
from oracles import manual_scripts

TABLE = Path(__file__).with_suffix(".txt")
BLENDER = ROOT / ".venv-blender" / "5.2" / "bin" / "python"
DATA = ROOT.parent / "shared" / "data" / "cmu"
MANNERS = ("slow", "brisk", "exaggerated")  # words of that index; a walk without one is plain
TITLE = "The source documents, element by element"
HEADS = ("element", "shown by", "result", "remark")
ABOUT = """
`make sources` writes this section. Each element of the five documents ([methods.md](development/methods.md) lists
them) has a command of the list below, run in a folder with the clips of `../shared/data/cmu`, a test, a script of the
manual (`.py`), or a function of `tools/sources_measures.py`. An element without a command is not done; of all others
the method of the document runs here, or its claim is measured here. `manners.csv` has the manner of each walk, from
the clips' INDEX.csv.
""".strip()


@dataclass(frozen=True)
class Row:
    """One element; `shown` is the pattern in the output of its command, or the arguments of a script."""

    element: str
    command: str
    shown: str
    verdict: str


def read() -> tuple[dict[str, str], dict[str, list[Row]]]:
    """Return the commands by name, and the rows by document."""
    commands: dict[str, str] = {}
    rows: dict[str, list[Row]] = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            rows[title := line[3:]] = []
        elif not rows and line:
            name, _, command = line.partition(" = ")
            commands[name] = command
        elif line:
            element, command, shown, verdict = (*(cell.strip() for cell in line.split("|")), "", "")[:4]
            rows[title].append(Row(element, command, shown, verdict or "done"))
    return commands, rows


class Results:
    """The output of commands, tests and measures; each runs once."""

    def __init__(self, commands: dict[str, str], folder: Path, tests: set[str]) -> None:
        self._commands, self._folder = commands, folder
        self.missing: list[str] = []
        self._passed = count_passed(tests)
        self.output = cache(self._output)

    def of(self, row: Row) -> str:
        """Return the result of a row; one that its command did not print is added to `missing`."""
        if row.command == "none":
            return row.shown
        if "::" in row.command:
            return self._passed.get(row.command) or self._note(f"{row.command} did not pass")
        if row.command == "script":
            return self.output(row.shown).splitlines()[-1]
        if row.command not in self._commands:
            return str(getattr(sources_measures, row.command)())
        found = re.search(row.shown, self.output(row.command))
        if found is None:
            output = self.output(row.command)
            return self._note(f"{row.element}: {row.command} printed no {row.shown!r}:\n{output}")
        return found[found.lastindex or 0].strip()

    def _note(self, text: str) -> str:
        self.missing.append(text)
        return ""

    def _output(self, name: str) -> str:
        text = io.StringIO()
        with contextlib.redirect_stdout(text), contextlib.chdir(self._folder):
            script, _, typed = name.partition(".py ")
            if typed:
                manual_scripts.run(script, self._folder, typed)
            elif command_line(shlex.split(self._commands[name])[1:]):
                sys.exit(f"{name} failed: {self._commands[name]}")
        return text.getvalue()


def count_passed(tests: set[str]) -> dict[str, str]:
    """Run tests (`folder/module::test`) and return the number of passed cases of those without a failure."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "r.xml"
        names = [f"tests/{test.replace('::', '.py::')}" for test in sorted(tests)]
        pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
        cases = []
        for where, python, more in ((ROOT / "tests" / "core", sys.executable, {}), prepare_blender()):
            own = [str(ROOT / name) for name in names if (ROOT / name).is_relative_to(where)]
            environment = {**os.environ, **more}
            subprocess.run([python, *pytest, *own], cwd=where, env=environment, check=False, stdout=subprocess.DEVNULL)
            cases += [(where, case) for case in ElementTree.parse(report).iter("testcase")]
    found: dict[str, list[bool]] = {}
    for where, case in cases:
        module = case.get("classname", "").removeprefix("tests.").removeprefix(f"{where.name}.").replace(".", "/")
        name = f"{where.name}/{module}::{case.get('name', '').partition('[')[0]}"
        found.setdefault(name, []).append(not len(case) or case[0].tag not in ("failure", "error", "skipped"))
    return {name: f"{len(good)} passed" for name, good in found.items() if all(good)}


def prepare_blender() -> tuple[Path, str, dict[str, str]]:
    """Build the zip; returns the folder of the add-on's tests, Blender's Python and its environment."""
    built = subprocess.run([BLENDER, ROOT / "tools" / "build.py"], check=True, capture_output=True, text=True)
    return ROOT / "tests" / "addon", str(BLENDER), {"ACTION_LOOM_ZIP": built.stdout.splitlines()[-1], "PYTHONPATH": ""}


def compose(commands: dict[str, str], rows: dict[str, list[Row]], results: Results) -> list[str]:
    """Return the lines of the section."""
    flat = [row for of_document in rows.values() for row in of_document]
    done = sum(row.verdict.startswith("done") for row in flat)
    lines = [*ABOUT.splitlines(), "", f"{len(flat)} elements, {done} done.", ""]
    lines += [*(f"    {name}: {command}" for name, command in commands.items()), ""]
    for title, of_document in rows.items():
        cells = [
            (row.element, name_of(row), results.of(row), re.sub("^done[;,]? ?", "", row.verdict)) for row in of_document
        ]
        lines += [f"### {title}", "", *page_sections.table(HEADS, cells), ""]
    return lines


def name_of(row: Row) -> str:
    module, _, test = row.command.rpartition("::")
    if module:
        return f"{module.rpartition('/')[2]}: {test.removeprefix('test_')}"
    return {"none": "–", "script": row.shown}.get(row.command, row.command)


def manners() -> str:
    """Return the manner of each walk, by the words of the clips' index, as a file of labels."""
    with (DATA / "INDEX.csv").open(encoding="utf-8", newline="") as file:
        walks = {row["file"]: row["description"] for row in csv.DictReader(file) if "walk" in row["description"]}
    found = {
        Path(file).stem: next((word for word in MANNERS if word in about), "plain") for file, about in walks.items()
    }
    return "".join(["clip,manner\n", *(f"{clip},{manner}\n" for clip, manner in found.items())])


def main() -> None:
    if not DATA.is_dir():
        sys.exit("sources: the captured clips of ../shared/data are needed")
    commands, rows = read()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for clip in DATA.glob("*.bvh"):
            (folder / clip.name).symlink_to(clip)
        (folder / "manners.csv").write_text(manners(), encoding="utf-8")
        tests = {row.command for of_document in rows.values() for row in of_document if "::" in row.command}
        results = Results(commands, folder, tests)
        lines = compose(commands, rows, results)
    if results.missing:
        sys.exit("\n".join(results.missing))
    page_sections.put(TITLE, lines)


if __name__ == "__main__":
    main()
