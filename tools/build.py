"""Builds the extension's zip: stages a clean tree, packs it with Blender's own tool, checks its content.

One zip fits every platform and Blender. The speed pack, for one platform each, holds numba's wheels besides.
Prints the path of each zip on standard output and nothing else there, so that other programs can read it.
"""

import argparse
import platform as machine
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile

import environments
import fetch_wheels
import manual_pages

ROOT = environments.ROOT
BUILD = ROOT / "build"
TOP_FILES = ("blender_manifest.toml", "__init__.py", "LICENSE", "README.md")
DATA = (
    "core/library/basis.npz",
    "core/style/walks.npz",
    "core/style/walks.md",
    "addon/ground/translations/ja_JP.po",
    "addon/ground/translations/zh_HANS.po",
)
FOLDERS = ("addon", "core")
SYSTEMS = {"linux": "linux", "darwin": "macos", "windows": "windows"}
MOST_BYTES = 3_000_000  # of the zip for everybody
MACHINES = {"x86_64": "x64", "amd64": "x64", "arm64": "arm64", "aarch64": "arm64"}


class BuildError(Exception):
    """The zip cannot be built or must not be shipped; the message says why."""


def this_platform():
    """Blender's name of the platform this runs on."""
    system, processor = machine.system().lower(), machine.machine().lower()
    return f"{SYSTEMS.get(system, system)}-{MACHINES.get(processor, processor)}"


def version(manifest=ROOT / "blender_manifest.toml"):
    """The version that a manifest declares."""
    return tomllib.loads(manifest.read_text(encoding="utf-8"))["version"]


def zip_path(platform, pythons=fetch_wheels.PYTHONS):
    """Where the speed pack for a platform goes; None means the zip for everybody."""
    only = f"-blender-{blenders(pythons)[0]}" if pythons != fetch_wheels.PYTHONS else ""
    return BUILD / f"action_loom-{version()}{f'-fast-{platform}' if platform else ''}{only}.zip"


def blenders(pythons):
    """The Blenders, such as 5.1, that have one of these versions of Python; the oldest first."""
    return [name for name, (_, python, _) in environments.BLENDERS.items() if python in pythons]


def build(platform, pythons=fetch_wheels.PYTHONS):
    """Build and check one zip, for the Blenders of some versions of Python; return its path."""
    wheels = fetch_wheels.fetch(platform, pythons) if platform else []
    target = zip_path(platform, pythons)
    stage = BUILD / "stage" / target.stem
    stage_tree(stage, platform, wheels, pythons)
    target.unlink(missing_ok=True)
    tool, tags = blender_tool()
    run_tool(tool, "build", "--valid-tags", tags, "--source-dir", stage, "--output-filepath", target)
    repack(target)
    run_tool(tool, "validate", "--valid-tags", tags, target)
    wrong = problems(zip_names(target), source_names(), platform, pythons)
    if not platform and target.stat().st_size > MOST_BYTES:
        wrong.append(f"it has {target.stat().st_size / 1e6:.1f} MB, and {MOST_BYTES / 1e6:.0f} at most are wanted")
    if wrong:
        # A zip that must not be shipped must not lie where the next step looks for one.
        target.unlink()
        raise BuildError("\n  ".join([f"{target.name} was refused:", *wrong]))
    return target


def repack(path):
    """Write a zip again so that its bytes depend on its files alone: in the order of names, without times."""
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in sorted(archive.namelist()) if not name.endswith("/")}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            member = zipfile.ZipInfo(name)  # of 1980
            member.create_system, member.external_attr = 3, 0o644 << 16
            archive.writestr(member, content, zipfile.ZIP_DEFLATED, 9)


def stage_tree(stage, platform, wheels, pythons):
    """Copy only the files that belong in the zip to an emptied folder."""
    shutil.rmtree(stage, ignore_errors=True)
    (stage / "wheels").mkdir(parents=True)
    for name in TOP_FILES:
        if not (ROOT / name).is_file():
            raise BuildError(f"{name} is missing in {ROOT}")
        shutil.copy(ROOT / name, stage / name)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, stage / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (stage / "addon").rglob("*.po"):  # the places of texts are for translators
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if not line.startswith("#:")), encoding="utf-8")
    manual_pages.write(stage / "manual")
    for path in wheels:
        shutil.copy(path, stage / "wheels" / path.name)
    manifest = stage / "blender_manifest.toml"
    text = manifest_text(manifest.read_text(encoding="utf-8"), platform, [path.name for path in wheels], pythons)
    manifest.write_text(text, encoding="utf-8")


def manifest_text(text, platform, wheels, pythons=fetch_wheels.PYTHONS):
    """The manifest with its platform and wheels, which the committed one leaves out, and the Blenders that they fit."""
    if not platform:
        return text
    every, served = list(environments.BLENDERS), blenders(pythons)
    if served[0] != every[0]:
        text = re.sub(r"(?m)^blender_version_min = .*$", f'blender_version_min = "{served[0]}.0"', text)
    if served[-1] != every[-1]:
        after = every[every.index(served[-1]) + 1]
        text = re.sub(r"(?m)^(blender_version_min = .*)$", rf'\1\nblender_version_max = "{after}.0"', text)
    listed = "".join(f'    "./wheels/{name}",\n' for name in wheels)
    # Keys after the first table's heading would belong to that table.
    head, heading, tables = text.partition("\n[")
    return f'{head}\nplatforms = ["{platform}"]\nwheels = [\n{listed}]\n{heading}{tables}'


def blender_tool():
    """Return the paths of Blender's packing tool, which runs as plain Python, and of its list of allowed tags."""
    site = environments.blender("5.2").parent.parent
    scripts = next(site.glob("**/bpy/*/scripts/addons_core/bl_pkg"), None)
    if scripts is None:
        raise BuildError(f"no blender_ext.py in {site.relative_to(ROOT)}: remove that folder and try again")
    tags = scripts.parent.parent / "modules" / "_bpy_internal" / "extensions" / "tags.py"
    return scripts / "cli" / "blender_ext.py", tags


def run_tool(tool, *arguments):
    command = [sys.executable, str(tool), *map(str, arguments)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise BuildError(f"Blender's tool refused to {arguments[0]}:\n{answer.stdout}{answer.stderr}")


def zip_names(path):
    """The files in a zip, as paths with forward slashes."""
    with zipfile.ZipFile(path) as archive:
        return [name for name in archive.namelist() if not name.endswith("/")]


def source_names():
    """Return the names of the files in the zip, without the wheels."""
    modules = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    pages = (f"manual/{name}" for name in manual_pages.names())
    return [*TOP_FILES, *DATA, *(path.relative_to(ROOT).as_posix() for path in modules), *pages]


def problems(names, sources, platform, pythons=fetch_wheels.PYTHONS):
    """Return one sentence for each unexpected or missing file in a zip."""
    wheels = [rf"wheels/{pattern}" for pattern in fetch_wheels.wheel_patterns(platform, pythons)] if platform else []
    allowed = [
        *map(re.escape, (*TOP_FILES, *DATA)),
        r"(addon|core)/(\w+/)*\w+\.py",
        r"manual/\w+\.html",
        r"manual/images/\w+\.(?:png|webp)",
        *wheels,
    ]
    found = [f"{name} does not belong in it" for name in names if not _matches_any(name, allowed)]
    found += [f"{name} is missing" for name in sorted(set(sources) - set(names))]
    for pattern in wheels:
        count = sum(_matches_any(name, [pattern]) for name in names)
        if count != 1:
            found.append(f"one wheel named like {pattern} is wanted, and there are {count}")
    return found


def _matches_any(name, patterns):
    return any(re.fullmatch(pattern, name) for pattern in patterns)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fast", action="store_true", help="the speed pack: with numba, for this platform")
    parser.add_argument("--all", action="store_true", help="the speed pack for every platform")
    parser.add_argument(
        "--python",
        choices=fetch_wheels.PYTHONS,
        help="the speed pack for the Blenders with this version of Python alone: half as large",
    )
    options = parser.parse_args()
    if options.python and not options.fast:
        parser.error("--python is for --fast: the zip for everybody holds nothing for one version of Python")
    pythons = (options.python,) if options.python else fetch_wheels.PYTHONS
    platforms = list(fetch_wheels.PLATFORMS) if options.all else [this_platform()]
    try:
        for platform in platforms if options.fast else [None]:
            if platform and platform not in fetch_wheels.PLATFORMS:
                raise BuildError(f"there are no wheels for {platform}: build without --fast")
            print(build(platform, pythons), flush=True)
    except (BuildError, fetch_wheels.WheelsError, environments.SetupError) as error:
        sys.exit(f"build: {error}")


if __name__ == "__main__":
    main()
