"""Fetches the wheels of numba and llvmlite that travel inside the extension.

They come unmodified from wherever pip is set up to look, into `build/wheels/`, and stay there for the next
build. numpy is never among them: Blender has its own, and a second one would break other add-ons.
"""

import argparse
import re
import subprocess
import sys
from itertools import product

import environments

WHEELS = environments.ROOT / "build" / "wheels"
PROJECTS = {"numba": environments.NUMBA, "llvmlite": environments.LLVMLITE}
# Blender 4.2 to 5.0 has Python 3.11, 5.1 and 5.2 have 3.13; one zip serves them all.
PYTHONS = tuple(sorted({python for _, python, _ in environments.BLENDERS.values()}))

# Platform tags that pip may use for each Blender platform. pip ignores wheels for an older glibc than the requested
# one, so each tag is listed, up to 2.28, which Blender itself needs.
PLATFORMS = {
    "linux-x64": [
        "manylinux_2_28_x86_64",
        "manylinux_2_27_x86_64",
        "manylinux_2_17_x86_64",
        "manylinux2014_x86_64",
    ],
    "windows-x64": ["win_amd64"],
    "macos-arm64": ["macosx_12_0_arm64"],
}
WHEEL_TAGS = {
    "linux-x64": r"manylinux\w+_x86_64",
    "windows-x64": "win_amd64",
    "macos-arm64": r"macosx_\w+_arm64",
}


class WheelsError(Exception):
    """A wheel could not be downloaded; the message names it."""


def wheel_pattern(project, platform, python):
    """The regular expression that the file name of this wheel matches in full."""
    tag = "cp" + python.replace(".", "")
    version = re.escape(PROJECTS[project])
    system = WHEEL_TAGS[platform]
    return rf"{project}-{version}-{tag}-{tag}-{system}(\.{system})*\.whl"


def wheel_patterns(platform, pythons=PYTHONS):
    """One pattern for each wheel that a zip for this platform and these versions of Python must hold."""
    return [wheel_pattern(project, platform, python) for project, python in product(PROJECTS, pythons)]


def find(pattern):
    """Return the fetched wheel with such a name, or None."""
    matching = (path for path in sorted(WHEELS.glob("*.whl")) if re.fullmatch(pattern, path.name))
    return next(matching, None)


def fetch(platform, pythons=PYTHONS):
    """Return the paths of all wheels for a platform, after downloading the missing ones."""
    WHEELS.mkdir(parents=True, exist_ok=True)
    paths = []
    for project, python in product(PROJECTS, pythons):
        pattern = wheel_pattern(project, platform, python)
        if not find(pattern):
            _download(project, platform, python)
        path = find(pattern)
        if path is None:
            raise WheelsError(f"pip fetched no wheel of {project} whose name matches {pattern}")
        paths.append(path)
    return paths


def _download(project, platform, python):
    requirement = f"{project}=={PROJECTS[project]}"
    print(f"fetching {requirement} for {platform}, Python {python}", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--python-version", python, "--dest", str(WHEELS)]
    for name in PLATFORMS[platform]:
        command += ["--platform", name]
    # pip's own messages must not mix with output that a caller prints for other programs.
    if subprocess.run([*command, requirement], check=False, stdout=sys.stderr).returncode != 0:
        raise WheelsError(f"pip could not fetch {requirement} for {platform}, Python {python}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("platforms", nargs="*", help=f"of {', '.join(PLATFORMS)} (default: all)")
    platforms = parser.parse_args().platforms or list(PLATFORMS)
    unknown = sorted(set(platforms) - set(PLATFORMS))
    if unknown:
        parser.error(f"unknown platform {unknown[0]}: choose from {', '.join(PLATFORMS)}")
    try:
        for platform in platforms:
            for path in fetch(platform):
                print(path.relative_to(environments.ROOT))
    except WheelsError as error:
        sys.exit(f"fetch_wheels: {error}")


if __name__ == "__main__":
    main()
