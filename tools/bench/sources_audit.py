"""The audit of docs/measured/sources.md: elements, the command that shows each, and what it printed."""

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

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from action_loom.core.cli.main import main as command_line
from oracles import manual_scripts
from page_sections import put
from quality_tables import grid

TABLE = Path(__file__).with_suffix(".txt")
BLENDER = ROOT / ".venv-blender" / "5.2" / "bin" / "python"
DATA = ROOT.parent / "shared" / "data" / "cmu"
MANNERS = ("slow", "brisk", "exaggerated")  # words of that page; a walk without one is plain
TITLE = "The audit"
HEADS = ("element", "command", "it printed", "done")
ABOUT = """
Commands are those of the list, in a folder with the clips of `../shared/data/cmu`; with a colon: a test, the add-on's
in Blender 5.2; `.py`: a script of the manual; *page*: a figure, table or picture of its section above. *Done*: what the
document does runs here, or what it claims is measured here; what is otherwise follows. What can't be done has a
sentence in place of it. `manners.csv`: clip and manner, from the words of the clips' INDEX.csv, made by the script.
""".strip()


@dataclass(frozen=True)
class Row:
    """An element: the name of its command, what of that's output is shown, and what is to be said."""

    element: str
    command: str
    shown: str
    verdict: str


def read() -> tuple[dict[str, str], dict[str, list[Row]]]:
    """The commands by name, and the rows of each document."""
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


class Printed:
    """What commands and tests print; each runs once."""

    def __init__(self, commands: dict[str, str], folder: Path, tests: set[str]) -> None:
        self._commands, self._folder = commands, folder
        self._passed = passed(tests)
        self.output = cache(self._output)

    def of(self, row: Row) -> str:
        """What the command of a row printed that shows its element; ends where it printed no such thing."""
        if row.command in ("page", "none"):
            return row.shown
        if "::" in row.command:
            return self._passed.get(row.command) or sys.exit(f"{row.command} did not pass")
        if row.command == "script":
            return self.output(row.shown).splitlines()[-1]
        found = re.search(row.shown, self.output(row.command))
        if found is None:
            sys.exit(f"{row.element}: {row.command} printed no {row.shown!r}:\n{self.output(row.command)}")
        return found[found.lastindex or 0].strip()

    def _output(self, name: str) -> str:
        text = io.StringIO()
        with contextlib.redirect_stdout(text), contextlib.chdir(self._folder):
            script, _, typed = name.partition(".py ")
            if typed:
                manual_scripts.run(script, self._folder, typed)
            elif command_line(shlex.split(self._commands[name])[1:]):
                sys.exit(f"{name} failed: {self._commands[name]}")
        return text.getvalue()


def passed(tests: set[str]) -> dict[str, str]:
    """How many cases of each test (`folder/module::test`) passed; those that failed have none."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "r.xml"
        names = [f"tests/{test.replace('::', '.py::')}" for test in sorted(tests)]
        pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
        cases = []
        for where, python, more in ((ROOT / "tests" / "core", sys.executable, {}), in_blender()):
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


def in_blender() -> tuple[Path, str, dict[str, str]]:
    """The folder of the add-on's tests, Blender's Python, and what they need besides: the zip, built now."""
    built = subprocess.run([BLENDER, ROOT / "tools" / "build.py"], check=True, capture_output=True, text=True)
    return ROOT / "tests" / "addon", str(BLENDER), {"ACTION_LOOM_ZIP": built.stdout.splitlines()[-1], "PYTHONPATH": ""}


def lines(commands: dict[str, str], rows: dict[str, list[Row]], printed: Printed) -> list[str]:
    flat = [row for of_document in rows.values() for row in of_document]
    done = sum(row.verdict.startswith("done") for row in flat)
    made = [
        *ABOUT.splitlines(),
        "",
        f"{len(flat)} elements, {done} done; of the others a sentence says why not.",
        "",
    ]
    made += [*(f"    {name}: {command}" for name, command in commands.items()), ""]
    for title, of_document in rows.items():
        cells = [(row.element, called(row), printed.of(row), row.verdict) for row in of_document]
        made += [f"### {title}", "", *grid(HEADS, cells), ""]
    return made


def called(row: Row) -> str:
    module, _, test = row.command.rpartition("::")
    if module:
        return f"{module.rpartition('/')[2]}: {test.removeprefix('test_')}"
    return {"none": "–", "script": row.shown}.get(row.command, row.command)


def manners() -> str:
    """How each walk is done, in the words of the clips' index page, as a file of labels."""
    with (DATA / "INDEX.csv").open(encoding="utf-8", newline="") as file:
        walks = {row["file"]: row["description"] for row in csv.DictReader(file) if "walk" in row["description"]}
    found = {
        Path(file).stem: next((word for word in MANNERS if word in about), "plain") for file, about in walks.items()
    }
    return "".join(["clip,manner\n", *(f"{clip},{manner}\n" for clip, manner in found.items())])


def main() -> None:
    commands, rows = read()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for clip in DATA.glob("*.bvh"):
            (folder / clip.name).symlink_to(clip)
        (folder / "manners.csv").write_text(manners(), encoding="utf-8")
        tests = {row.command for of_document in rows.values() for row in of_document if "::" in row.command}
        put("sources.md", TITLE, lines(commands, rows, Printed(commands, folder, tests)))


if __name__ == "__main__":
    main()
