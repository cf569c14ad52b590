"""make release: build the published files into build/release/, and try each piece where nothing else is installed.

The pieces are zips, sdist and wheel. Each Python of this machine installs the package with pip. Each Blender installs
the zip from an extension repository's index over file://, as an update of the previous version, and removes it again.
The exit status is 0 if all trials pass; the output names pieces that could not be tried.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import build
import environments

ROOT, OUT = environments.ROOT, environments.ROOT / "build" / "release"
PYTHONS = ("3.11", "3.12", "3.13")
OLD_FILE = ROOT / "tests" / "data" / "version_0_1.blend"
TAIL_LINES = 15


class ReleaseError(Exception):
    """A check of the release failed; the message describes it."""


def run(*command, **options):
    """Run a program and return its output; raises ReleaseError with the end of the output if the program fails."""
    done = subprocess.run(
        [*map(str, command)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False, **options,
    )  # fmt: skip
    if done.returncode:
        tail = "\n".join(done.stdout.splitlines()[-TAIL_LINES:])
        raise ReleaseError(f"{' '.join(map(str, command))[:200]} ended with status {done.returncode}:\n{tail}")
    return done.stdout


def said(what):
    print(what, flush=True)


def check_changelog():
    heading = re.search(r"(?m)^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))[1]
    if not re.fullmatch(rf"{re.escape(build.version())} \(\d{{4}}-\d\d-\d\d\)", heading):
        raise ReleaseError(f"CHANGELOG.md begins with {heading!r}, not with version {build.version()} and its date")


def build_zips():
    """Build the zip for everybody and the speed packs that can be had; return the first."""
    python = environments.blender("5.2")
    zip_path = Path(run(python, ROOT / "tools" / "build.py").splitlines()[-1])
    said(f"zip      {described(zip_path)}")
    try:
        for line in run(python, ROOT / "tools" / "build.py", "--fast", "--all").splitlines():
            if line.endswith(".zip"):
                said(f"zip      {described(Path(line))}")
    except ReleaseError as error:
        said(f"NOT built: the speed packs ({str(error).splitlines()[-1]})")
    for each in (ROOT / "build").glob(f"action_loom-{build.version()}*.zip"):
        shutil.copy(each, OUT)
    return zip_path


def described(path):
    return f"{path.name}, {path.stat().st_size / 1e6:.1f} MB"


def build_packages():
    """Build sdist and wheel from the files that git knows, so that nothing else slips in; return their paths."""
    tree = OUT / "tree"
    copy_of_head(tree, "HEAD")
    if build.version(tree / "blender_manifest.toml") != build.version():
        raise ReleaseError(f"version {build.version()} is not committed: sdist and wheel are built of what is")
    python = fresh(OUT / "builder", "3.11")
    run(python, "-m", "pip", "install", "--quiet", "build")
    # The time of the commit in the wheel makes its bytes depend on the files alone.
    dated = os.environ | {"SOURCE_DATE_EPOCH": run("git", "-C", ROOT, "show", "-s", "--format=%ct", "HEAD").strip()}
    run(python, "-m", "build", "--outdir", OUT, tree, env=dated)
    run(python, "-m", "build", "--wheel", "--outdir", OUT / "again", tree, env=dated)
    made = [next(OUT.glob("*.tar.gz")), next(OUT.glob("*.whl"))]
    if made[1].read_bytes() != (OUT / "again" / made[1].name).read_bytes():
        raise ReleaseError(f"{made[1].name} differs between two builds")
    for path in made:
        said(f"package  {described(path)}")
    return made


def copy_of_head(folder, commit):
    folder.mkdir(parents=True)
    archive = subprocess.run(
        ["git", "-c", "tar.umask=0022", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE, check=True
    ).stdout
    subprocess.run(["tar", "x", "-C", folder], input=archive, check=True)


def fresh(folder, version):
    """Make an environment with nothing in it; return its interpreter."""
    run(environments.find_python(version), "-m", "venv", folder)
    return environments.python_of(folder)


def try_package(made, version):
    """Install sdist and wheel with pip in a fresh environment, and blend two files with each."""
    for path in made:
        folder = OUT / f"python-{version}-{path.suffix[1:]}"
        python = fresh(folder, version)
        run(python, "-m", "pip", "install", "--quiet", path)
        command = python.parent / "action-loom"
        if build.version() not in run(command, "--version", cwd=folder):
            raise ReleaseError(f"{path.name} says another version than {build.version()}")
        code = (
            "from action_loom.core.demo_character import actions\nfrom action_loom.core.formats import bvh\n"
            "for clip in (actions.walk(), actions.sneak()): bvh.write(bvh.from_clip(clip), f'{clip.name}.bvh')\n"
        )
        run(python, "-c", code, cwd=folder)
        run(command, "blend", "walk.bvh", "sneak.bvh", "-o", "blend.bvh", "--picture", "blend.png", cwd=folder)
    said(f"tried    sdist and wheel with pip, Python {version}")


def repository(folder, zip_path):
    """Make a folder an extension repository: a zip and the index that Blender's own tool writes."""
    folder.mkdir(parents=True)
    shutil.copy(zip_path, folder)
    run(environments.blender("5.2"), build.blender_tool()[0], "server-generate", "--repo-dir", folder)
    return folder


def version_before():
    """Build the zip of the previous version from git's history; None if the history lacks it."""
    path = "blender_manifest.toml"
    answer = subprocess.run(["git", "log", "--format=%H", "--", path], cwd=ROOT, capture_output=True, text=True)
    for commit in ["HEAD", *(f"{one}~1" for one in answer.stdout.split())]:
        text = subprocess.run(["git", "show", f"{commit}:{path}"], cwd=ROOT, capture_output=True, text=True).stdout
        found = re.search(r'(?m)^version = "([^"]+)"', text)
        if found and found[1] != build.version():
            tree, zip_path = OUT / "before", OUT / f"before-{found[1]}.zip"
            copy_of_head(tree, commit)
            tool = build.blender_tool()[0]
            run(environments.blender("5.2"), tool, "build", "--source-dir", tree, "--output-filepath", zip_path)
            return zip_path
    return None


def try_in_blenders(zip_path):
    now, older = repository(OUT / "repository", zip_path), version_before()
    before = "" if older is None else repository(OUT / "repository-before", older)
    if older is None:
        said("NOT tried: an update of the version before, which git's history has not got here")
    for name in environments.BLENDERS:
        tool, tags = build.blender_tool()
        run(environments.blender("5.2"), tool, "validate", "--valid-tags", tags, zip_path)
        script = ROOT / "tools" / "release_in_blender.py"
        out = run(environments.blender(name), script, before, now, OLD_FILE)
        steps = [line for line in out.splitlines() if line.startswith(("installed", "updated", "removed"))]
        said(f"tried    Blender {name}: {'; '.join(steps)}")


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    try:
        check_changelog()
        if changed := run("git", "status", "--porcelain", cwd=ROOT).splitlines():
            said(f"{len(changed)} files are not committed: the zip has them, sdist and wheel do not")
        zip_path, made = build_zips(), build_packages()
        for version in PYTHONS:
            try:
                environments.find_python(version)
            except environments.SetupError as error:
                said(f"NOT tried: {error}")
            else:
                try_package(made, version)
        try_in_blenders(zip_path)
    except (ReleaseError, build.BuildError, environments.SetupError) as error:
        sys.exit(f"release: {error}")
    for each in OUT.iterdir():
        if each.is_dir() and each.name != "repository":
            shutil.rmtree(each)
    said(f"all of it is in {OUT.relative_to(ROOT)}/, and an index to publish in repository/")


if __name__ == "__main__":
    main()
