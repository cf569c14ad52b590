"""Collects every English text of the interface from the source, for translators.

A text with fields is a template: `{name} has no action`. A field that is one of a few words is written with them,
`{is|are}`; a translation may leave it out. Standard library and the declarations of recipes only: no Blender.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Modules whose texts only users of the command line read, or that Blender does not show.
ELSEWHERE = (
    "addon/host/",
    "addon/interface/problem_report.py",
    "addon/ground/translations/",
    "addon/services/results/message_kinds.py",  # templates of other modules' texts
    "core/cli/",
    "core/additions.py",
    "core/cluster.py",
    "core/demo_character/gait.py",
    "core/edit/banded.py",
    "core/extend.py",
    "core/graph/integrity.py",
    "core/graph/storage.py",
    "core/library/similar.py",
    "core/plots/",
    "core/skin/",
    "core/style/groups.py",
)
# Modules whose texts, except errors, belong to declared options.
DECLARATIONS = re.compile(r"core/recipes/|core/verbs/\w+/__init__\.py")
# Arguments of calls that Blender or we show, single words included.
SHOWN = {"name", "description", "text", "title", "label", "nothing", "left"}
LABELS = {"bl_label", "bl_description", "label", "tooltip", "mode", "left", "nothing"}
# Functions whose arguments nobody reads in another language: lines of files, in the files' own syntax, columns of
# tables, damage of our own files, and errors of programmers; names as `field_name` returns them.
NOT_SHOWN = {
    "print",
    "describe_mismatch",
    "wrong_rows",
    "damage_error",
    "typeerror",
    "valueerror",
    "frozeninstanceerror",
}
# Fields for singular or plural forms, for which other languages lack words.
OPTIONAL = {"{do}"}
# No words of the interface: names, code, lines of files.
NOT_TEXT = re.compile(
    r"\| None|^(tuple|list|dict|Cache)\[|\n|^(SELECT|INSERT|UPDATE|DELETE|CREATE|BEGIN) |^struct |^CC-BY|^blender --"
    r"|%[s.]|--|library index|^\[\"|NOT NULL|^[A-Z_ |]+$|^End Site$|^Frame Time: |^\{indent\}|_PT_|_MT_"
    r"|^(front|middle|second) [LR]$"
)
NOT_TRANSLATED = {
    "Action Loom",
    "Base Color",
    "base layer",
    "3D View",  # a keymap of Blender
    "take 001",
    "Object Transforms",
    "Frame Time",
    "Loom Figure",
    "OFFSET",
    "VERSION 1",
    "numba {version}",
}
LIMBS = ("Clavicle", "Upper arm", "Forearm", "Hand", "Thigh", "Shin", "Foot", "Toe")  # roles, as their panel has them
# Texts too short for the detector, or assembled before Blender looks them up: a test in Blender finds them.
ALSO = (
    "All",
    "Clean",
    "Edit",
    "Ticked",
    "Analyses",
    "glTF",
    "FBX",
    "BVH",
    "Motion files for Action Loom ({endings})",
    "Motion files from Action Loom ({endings})",
    "move",
    "hold",
    "anticipate",
    "Ball",
    "Heel",
    "ball",
    "heel",
    "Of {name}:",
    "Spine",
    "Chest",
    "Neck",
    *LIMBS,
    "{last} frames made in {seconds} s{figures}",
    "slide {slide} → {slide2} cm/s",
    ", pelvis {pelvis_cm} cm",
    ", keys {before} → {after}",
)
_SENTENCE = re.compile(r"[^\W\d_]{2,}[:,;.)]* | [(\"]*[^\W\d_]{2,}")
FIELD = re.compile(r"\{[^{}]*\}")


def collect() -> dict[str, list[str]]:
    """Return the source files of each text, sorted by file and then in reading order."""
    found: dict[str, list[str]] = {}
    for path in source_files():
        where = path.relative_to(ROOT).as_posix()
        for text in texts_of(path, only_raised=DECLARATIONS.match(where) is not None):  # the rest is declared
            if is_text(text) and where not in found.setdefault(text, []):
                found[text].append(where)
    for text in (*declared_texts(), *ALSO):
        if is_text(text) or text in ALSO:
            found.setdefault(text, ["core/recipes"])
    return _one_of_each_shape(found)


def _one_of_each_shape(found: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return texts, only the first of any that differ in nothing but the names of fields."""
    first: dict[str, str] = {}
    for text in found:
        known = first.setdefault(re.sub(r"\{\w+\}", "{}", text), text)
        found[known] += [where for where in found[text] if where not in found[known]]
    return {text: found[text] for text in first.values()}


def source_files() -> list[Path]:
    """Return the files whose texts are read in Blender."""
    files = sorted([*(ROOT / "addon").rglob("*.py"), *(ROOT / "core").rglob("*.py")])
    files = [path for path in files if path.name != "picture.py"]
    return [path for path in files if not path.relative_to(ROOT).as_posix().startswith(ELSEWHERE)]


def is_text(text: str) -> bool:
    """Say whether a text has words of the interface outside its fields."""
    words = re.findall(r"[^\W\d_]{2,}", FIELD.sub(" ", text))
    if text in NOT_TRANSLATED or NOT_TEXT.search(text):
        return False
    if not FIELD.search(text):
        return bool(words)
    # A template must have at least two words, or a long word, so that it can be recognised in a sentence.
    return sum(map(len, words)) >= 5 or len(words) > 1 or ("|" in text and bool(words))


def texts_of(path: Path, *, only_raised: bool = False) -> Iterator[str]:
    """Yield the texts of a file: sentences wherever they stand, single words where they are shown."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = _silent(tree)
    if only_raised:
        raised = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.Raise) for inner in ast.walk(node)}
        silent |= {id(node) for node in ast.walk(tree)} - raised
    shown = _shown(tree)
    for node in ast.walk(tree):
        if id(node) in silent:
            continue
        if isinstance(node, ast.ClassDef) and _tooltip(node):
            yield _tooltip(node)
        if isinstance(
            node, ast.FormattedValue
        ):  # only choices of several words mean something to translators of other languages
            yield from (word for word in _choices(node.value) or () if " " in word)
        if isinstance(node, ast.Constant | ast.JoinedStr):
            text = template(node)
            if text and (id(node) in shown or _SENTENCE.search(FIELD.sub("{}", text))):
                yield text


def _tooltip(node: ast.ClassDef) -> str:
    """Return the docstring of an operator without a description, since Blender shows it instead, or ""."""
    given = {t.id for s in node.body if isinstance(s, ast.Assign) for t in s.targets if isinstance(t, ast.Name)}
    return (ast.get_docstring(node) or "") if "_OT_" in node.name and "bl_description" not in given else ""


def _silent(tree: ast.AST) -> set[int]:
    """Return the ids of nodes without visible text: docstrings, annotations, template parts, printed text, queries."""
    roots: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and isinstance(node.body[0], ast.Expr):
            roots.append(node.body[0])
        if isinstance(node, ast.FunctionDef):
            arguments = (*node.args.args, *node.args.kwonlyargs, *node.args.posonlyargs)
            roots += [a.annotation for a in arguments if a.annotation] + ([node.returns] if node.returns else [])
        if isinstance(node, ast.AnnAssign) and not isinstance(node.annotation, ast.Call):
            roots.append(node.annotation)
        if isinstance(node, ast.JoinedStr):
            for value in node.values:
                if isinstance(value, ast.Constant):
                    roots.append(value)
                elif isinstance(value, ast.FormattedValue):
                    roots += [value.format_spec] if value.format_spec else []
                    roots += [value.value] if _choices(value.value) is not None else []
        if isinstance(node, ast.Call) and field_name(node.func) in NOT_SHOWN:
            roots.append(node)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("compile", "execute"):
            roots.append(node)
    return {id(inner) for root in roots for inner in ast.walk(root)}


def _shown(tree: ast.AST) -> set[int]:
    """The nodes that are shown whatever they say: labels, descriptions, items of choices, words of reports."""
    found: set[int] = set()
    for node in ast.walk(tree):
        values: list[ast.AST] = []
        if isinstance(node, ast.Call):
            values += [one.value for one in node.keywords if one.arg in SHOWN]
            if isinstance(node.func, ast.Attribute) and node.func.attr == "report":
                values += node.args[1:]
            for one in node.keywords:
                if one.arg == "items":
                    rows = [row for row in ast.walk(one.value) if isinstance(row, ast.Tuple)]
                    values += [part for row in rows for part in row.elts[1:3]]
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id in LABELS for t in node.targets):
            values.append(node.value)
        for value in values:
            ends = (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
            found |= {id(end) for end in ends}
    return found


def template(node: ast.Constant | ast.JoinedStr) -> str:
    """Return a text unchanged, or an f-string with its fields named after their expressions."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    text, used = "", set()
    for value in node.values:
        if isinstance(value, ast.Constant):
            text += str(value.value)
            continue
        assert isinstance(value, ast.FormattedValue)
        choices = _choices(value.value)
        name = "|".join(choices) if choices is not None else field_name(value.value)
        number = 2
        while choices is None and name in used:
            name, number = f"{name.rstrip('0123456789')}{number}", number + 1
        used.add(name)
        text += f"{{{name}}}"
    return text


def _choices(node: ast.AST) -> tuple[str, ...] | None:
    """The few words that a field can be, as in 'is' if one else 'are'; None where it is anything."""
    if isinstance(node, ast.IfExp):
        ends = [one.value for one in (node.body, node.orelse) if isinstance(one, ast.Constant)]
        if len(ends) == 2 and all(isinstance(one, str) and "{" not in one for one in ends):
            return tuple(map(str, ends))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.Constant):
        return (str(node.left.value), "") if isinstance(node.left.value, str) else None
    return None


def field_name(node: ast.AST) -> str:
    """Return a name for a field: the last name in its expression."""
    if isinstance(node, ast.Name):
        return node.id.strip("_").lower()
    if isinstance(node, ast.Attribute):
        return node.attr.strip("_").lower()
    if isinstance(node, ast.Call):
        called = field_name(node.func)
        if called in ("len", "sum"):
            return "count"
        if called in ("join", "some"):
            return "list"
        if called in ("round", "abs", "max", "min", "float", "int", "str", "getattr", "translate_text") and node.args:
            return field_name(node.args[0])
        return called
    if isinstance(node, ast.Subscript):
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            return node.slice.value
        return field_name(node.value)
    if isinstance(node, ast.BoolOp):
        return field_name(node.values[0])
    if isinstance(node, ast.BinOp):
        names = [field_name(one) for one in (node.left, node.right) if not isinstance(one, ast.Constant)]
        return names[0] if names else "number"
    if isinstance(node, ast.UnaryOp):
        return field_name(node.operand)
    if isinstance(node, ast.IfExp):
        return field_name(node.body)
    return "value"


def declared_texts() -> Iterator[str]:
    """Yield the texts of declared options and recipes; titles of options and choices derive from their names."""
    from action_loom.core.options import HIDDEN, Declared, declared_options
    from action_loom.core.recipes import points, reading, result
    from action_loom.core.verbs import VERBS

    def of(declaration: type[Declared]) -> Iterator[str]:
        for about in declared_options(declaration).values():
            if about.shown != HIDDEN:  # hidden options lack a field
                yield from (about.title, about.description, about.zero, about.below)
            for choice in about.choices:
                yield from (choice.title, choice.description)

    for declaration in (reading.ReadingOptions, reading.SourceOptions, result.ResultOptions):
        yield from of(declaration)
    for recipe in (points.FromPoints, *(row.recipe for row in VERBS.values())):
        yield from (recipe.label, recipe.tooltip, recipe.mode)
        yield from of(recipe)
    for row in VERBS.values():
        yield from row.needs
