"""The manifest, pyproject, the folders and the zip agree."""

import ast
import re
import tomllib
import zipfile
from importlib import import_module
from pathlib import Path

import pytest
from action_loom.core.version import VERSION

ROOT = Path(__file__).resolve().parents[2]
WHEEL = "wheels/{}-{}-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl"


@pytest.fixture
def manifest():
    return tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))


@pytest.fixture
def pyproject():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture
def tool(monkeypatch):
    """Import a module of tools/ by name, as the tools import each other."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    return import_module


@pytest.fixture
def linux_wheels(tool):
    projects = tool("fetch_wheels").PROJECTS
    return [
        WHEEL.format(f"{project}-{version}", f"{tag}-{tag}")
        for project, version in projects.items()
        for tag in ("cp311", "cp313")
    ]


def test_the_version_is_in_the_manifest_alone(manifest, pyproject):
    assert manifest["version"] == VERSION
    assert pyproject["project"]["dynamic"] == ["version"]
    assert pyproject["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "action_loom.core.version.VERSION"}


def test_the_changelog_has_the_version_first_with_its_date():
    heading = re.search(r"(?m)^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert re.fullmatch(rf"{re.escape(VERSION)} \(\d{{4}}-\d\d-\d\d\)", heading[1])


def test_the_command_line_says_the_version(run):
    assert run("--version")[:2] == (0, f"action-loom {VERSION}\n")


def test_pyproject_lists_every_folder_of_core_that_holds_modules(pyproject):
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "core").rglob("*.py")}
    expected = {"action_loom", *(".".join(["action_loom", *folder.parts]) for folder in folders)}
    assert set(pyproject["tool"]["setuptools"]["packages"]) == expected


def test_the_lowest_blender_is_the_lowest_that_is_tested(manifest, tool):
    assert manifest["blender_version_min"] == tool("environments").BLENDERS["4.2"][0]


def test_the_manifest_keeps_to_the_extension_rules(manifest):
    for text in (manifest["tagline"], *manifest["permissions"].values()):
        assert len(text) <= 64
        assert text[-1].isalnum()


def test_the_code_keeps_to_the_rules_of_the_extension_platform(manifest):
    """It goes online nowhere, changes no module of others, and writes no file beside itself (docs: Publishing)."""
    assert "network" not in manifest["permissions"]
    online = {"socket", "ssl", "http", "ftplib", "smtplib", "requests", "urllib.request", "webbrowser", "xmlrpc"}
    changed, found = re.compile(r"sys\.path\.(append|insert|extend)|sys\.path *=|sys\.modules\[.*\] *="), []
    writes = re.compile(r"__file__.*\.(write|open|mkdir|touch|unlink)")
    for path in [*(ROOT / "addon").rglob("*.py"), *(ROOT / "core").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            found += [(path.name, name) for name in names if name in online or name.partition(".")[0] in online]
        found += [(path.name, one.group()) for rule in (changed, writes) for one in rule.finditer(text)]
    assert found == []


def test_the_committed_manifest_is_valid_without_wheels(manifest):
    assert not {"platforms", "wheels"} & set(manifest)


def test_the_zips_manifest_names_its_platform_and_wheels_and_keeps_the_rest(manifest, tool):
    text = (ROOT / "blender_manifest.toml").read_text(encoding="utf-8")
    written = tomllib.loads(tool("build").manifest_text(text, "linux-x64", ["a.whl", "b.whl"]))
    added = {"platforms": ["linux-x64"], "wheels": ["./wheels/a.whl", "./wheels/b.whl"]}
    assert written == manifest | added


@pytest.mark.parametrize(
    ("python", "name", "versions"),
    [
        ("3.11", "fast-linux-x64-blender-4.2.zip", {"blender_version_min": "4.2.13", "blender_version_max": "5.1.0"}),
        ("3.13", "fast-linux-x64-blender-5.1.zip", {"blender_version_min": "5.1.0"}),
    ],
)
def test_a_zip_for_one_python_fits_its_blenders_alone(manifest, tool, linux_wheels, python, name, versions):
    build = tool("build")
    text = (ROOT / "blender_manifest.toml").read_text(encoding="utf-8")
    written = tomllib.loads(build.manifest_text(text, "linux-x64", ["a.whl"], (python,)))
    assert written == manifest | {"platforms": ["linux-x64"], "wheels": ["./wheels/a.whl"]} | versions
    assert build.zip_path("linux-x64", (python,)).name.endswith(name)
    sources, tag = build.source_names(), f"-cp{python.replace('.', '')}-"
    wheels = [wheel for wheel in linux_wheels if tag in wheel]
    assert len(wheels) == 2
    assert build.problems([*sources, *wheels], sources, "linux-x64", (python,)) == []
    assert len(build.problems([*sources, *linux_wheels], sources, "linux-x64", (python,))) == 2


def test_a_zip_with_everything_and_nothing_else_is_accepted(tool, linux_wheels):
    build = tool("build")
    sources = build.source_names()
    assert build.problems([*sources, *linux_wheels], sources, "linux-x64") == []
    assert build.problems(sources, sources, None) == []


@pytest.mark.parametrize(
    "stranger",
    [
        "tests/core/test_packaging.py",
        "tools/build.py",
        "core/__pycache__/errors.cpython-311.pyc",
        "core/motion/walk.bvh",
        "wheels/numpy-2.3.4-cp313-cp313-manylinux_2_27_x86_64.whl",
        "wheels/numba-0.1.0-cp313-cp313-manylinux_2_27_x86_64.whl",
        "wheels/numba-0.68.1-cp313-cp313-win_amd64.whl",
        "core/wheels/numba.whl",
    ],
)
def test_a_stranger_in_the_zip_is_named(tool, linux_wheels, stranger):
    build = tool("build")
    sources = build.source_names()
    found = build.problems([*sources, *linux_wheels, stranger], sources, "linux-x64")
    assert found == [f"{stranger} does not belong in it"]


def test_a_missing_module_or_wheel_is_named(tool, linux_wheels):
    build = tool("build")
    sources = build.source_names()
    present = [name for name in sources if name != "core/__init__.py"]
    module, wheel = build.problems([*present, *linux_wheels[1:]], sources, "linux-x64")
    assert module == "core/__init__.py is missing"
    assert re.match(r"one wheel named like .*numba.*cp311.* is wanted, and there are 0", wheel)


def test_a_zip_without_wheels_may_hold_none(tool, linux_wheels):
    build = tool("build")
    sources = build.source_names()
    assert len(build.problems([*sources, *linux_wheels], sources, None)) == len(linux_wheels)


def test_a_zip_depends_on_its_files_alone(tool, tmp_path):
    packed = []
    for year, names in ((2024, ("b.py", "a.py")), (2026, ("a.py", "b.py"))):
        path = tmp_path / f"{year}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=year % 9) as archive:
            for name in names:
                archive.writestr(zipfile.ZipInfo(name, (year, 1, 1, 0, 0, 0)), name * 1000)
        tool("build").repack(path)
        packed.append(path.read_bytes())
    assert packed[0] == packed[1]
    with zipfile.ZipFile(path) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            "a.py": b"a.py" * 1000,
            "b.py": b"b.py" * 1000,
        }
