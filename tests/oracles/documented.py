"""The commands that README, CONTRIBUTING and the pages of docs/ name: indented lines, and code within a sentence."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
_SET = r"(?:[A-Z]+=\S+ )*"
_COMMAND = re.compile(rf"{_SET}(?:\.venv/bin/)?(?:make|action-loom|python|blender|pip) .+")


def commands(program: str) -> dict[str, list[str]]:
    """Return the commands of a program, such as "make", on each page that has any, in their order, each once."""
    found = {}
    for page in PAGES:
        lines = [
            command for text in _code(page) if (command := _cleaned(text)).split()[:1] and _is_of(command, program)
        ]
        if lines:
            found[page.relative_to(ROOT).as_posix()] = list(dict.fromkeys(lines))
    return found


def _code(page: Path) -> list[str]:
    """Return the commands on a page: indented lines, joined after a backslash, and text in backticks."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"\\\n +", "", text)
    indented = re.findall(r"(?m)^ {4,}(\S[^\n]*)$", text)
    return [line for line in [*indented, *re.findall(r"`([^`\n]+)`", text)] if _COMMAND.fullmatch(line)]


def _cleaned(line: str) -> str:
    """Return a command without its remark and the folder of the program."""
    return re.sub(r"\s+# .*$", "", line).strip().replace(".venv/bin/", "")


def _is_of(command: str, program: str) -> bool:
    return re.match(rf"{_SET}{re.escape(program)}( |$)", command) is not None
