"""Makes the Python environments that the other tools and the tests run in.

Needs nothing but a Python of any version from 3.8 on. Blender's module wants exactly Python 3.11 (Blender 4.2
to 5.0) or 3.13 (5.1 and 5.2); both are looked for by running candidates, since a launcher that exists may
still refuse to start.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# bpy version, Python and numpy of each Blender we support; numpy as the real application bundles it.
BLENDERS = {
    "4.2": ("4.2.13", "3.11", "1.24.3"),
    "4.5": ("4.5.15", "3.11", "1.26.4"),
    "5.0": ("5.0.1", "3.11", "1.26.4"),
    "5.1": ("5.1.2", "3.13", "2.3.4"),
    "5.2": ("5.2.3", "3.13", "2.3.4"),
}
NUMBA, LLVMLITE = "0.68.1", "0.50.0"
BENCH_NUMPY = "2.4.6"
# Size of each environment on the disk, with all its packages (Linux, November 2026).
MEGABYTES = {
    ".venv": 730, ".venv-oldest": 250, ".venv-bench": 1200, ".venv-docs": 250,
    "4.2": 1600, "4.5": 970, "5.0": 990, "5.1": 1000, "5.2": 1030,
}  # fmt: skip
TEST_PACKAGES = ["pytest>=8.2", "pytest-xdist>=3.6", "hypothesis>=6.100"]
# Packages for building the zip, by the Blender whose environment builds it.
BUILD_PACKAGES = {"5.2": ["markdown>=3.6"]}

# Packages that `make bench` compares with ours; the newest versions for Python 3.11.
CONTENDERS = {
    "scipy": "1.17.1",
    "librosa": "0.11.0",
    "tslearn": "0.10.0",
    "dtw-python": "1.9.0",
    "dtaidistance": "2.5.1",
    "networkx": "3.6.1",
    "rustworkx": "0.18.1",
    "faiss-cpu": "1.15.1",
    "hnswlib": "0.8.0",
    "upc-pymotion": "0.3.4",
    "pybvh": "0.9.0",
    "deprecated": "1.3.1",
    "pandas": "3.0.6",
}
AEON = "1.6.0"  # it asks for an older numba, and works with ours: deprecated and pandas are for it

# Shared libraries that Blender links to, and the Debian or Ubuntu package that holds each.
SYSTEM_LIBRARIES = {
    "libX11.so.6": "libx11-6",
    "libXrender.so.1": "libxrender1",
    "libXxf86vm.so.1": "libxxf86vm1",
    "libXfixes.so.3": "libxfixes3",
    "libXi.so.6": "libxi6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libSM.so.6": "libsm6",
    "libICE.so.6": "libice6",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libgomp.so.1": "libgomp1",
}


class SetupError(Exception):
    """This machine lacks a requirement; the message names it and the way to get it."""


def find_python(version):
    """Return the path of a working interpreter of that version, e.g. "3.11"."""
    for candidate in _python_candidates(version):
        probe = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
        try:
            answer = subprocess.run(
                [str(candidate), "-c", probe], capture_output=True, text=True, timeout=30, check=False
            )
        except OSError:
            continue
        if answer.returncode == 0 and answer.stdout.strip() == version:
            return str(candidate)
    variable = "PYTHON" + version.replace(".", "")
    raise SetupError(
        f"No Python {version} (with venv and pip) was found: install it, or name it with {variable}=/path/to/python"
    )


def _python_candidates(version):
    variable = "PYTHON" + version.replace(".", "")
    if os.environ.get(variable):
        yield os.environ[variable]
        return
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        found = shutil.which("python" + version, path=folder)
        if found:
            yield found
    home = Path.home()
    for pattern in (
        f".pyenv/versions/{version}.*/bin/python",
        f".local/share/uv/python/cpython-{version}*/bin/python3",
        f".asdf/installs/python/{version}.*/bin/python",
        f".local/share/mise/installs/python/{version}*/bin/python",
        f"miniconda3/envs/*{version}*/bin/python",
    ):
        yield from sorted(home.glob(pattern), reverse=True)
    yield from (f"/usr/bin/python{version}", f"/usr/local/bin/python{version}", sys.executable)


def python_of(folder):
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def make(folder, version, requirements, *, extras="", optional=()):
    """Make (or bring up to date) one environment and return its interpreter.

    extras: extras of our own package, also installed, as editable.
    optional: requirements skipped with a message if they cannot be installed.
    """
    source = "\n".join([version, *requirements, *optional, f"{ROOT}[{extras}]" if extras else ""])
    if extras:
        source += (ROOT / "pyproject.toml").read_text()
    stamp, wanted = folder / "stamp", hashlib.sha256(source.encode()).hexdigest()
    python = python_of(folder)
    if stamp.exists() and stamp.read_text() == wanted and python.exists():
        return python
    fetched, size = (
        ", ".join([*requirements, *([f"those of [{extras}]"] if extras else []), *optional]),
        MEGABYTES[folder.name],
    )
    said = f"making {folder.relative_to(ROOT)} (Python {version}): pip fetches {fetched}"
    sys.stdout.write(f"{said}; {size} MB on the disk; a minute or more\n")  # whole, of two threads
    sys.stdout.flush()
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([find_python(version), "-m", "venv", str(folder)], check=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if requirements:
        _run(install + list(requirements), folder)
    if extras:
        _run([*install, "--editable", f"{ROOT}[{extras}]"], folder)
    if optional:
        _install_what_can_be([*install, *requirements], optional)
    stamp.write_text(wanted)
    return python


def _install_what_can_be(install, requirements):
    """Install all requirements in one call, which is faster, or one by one if that fails."""
    if subprocess.run([*install, *requirements], cwd=ROOT, check=False).returncode == 0:
        return
    for each in requirements:
        if subprocess.run([*install, each], cwd=ROOT, check=False).returncode != 0:
            print(f"{each} can't be installed here: it is left out", flush=True)


def _run(command, folder):
    if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
        raise SetupError(f"Installing into {folder.relative_to(ROOT)} failed: see the lines above")


def package():
    """The package with its command line, its tests and checkers; no Blender."""
    return make(ROOT / ".venv", "3.11", [f"numba=={NUMBA}", f"llvmlite=={LLVMLITE}"], extras="fast,dev")


def bench():
    """Make the environment with our package and the packages that the benchmarks compare with it."""
    contenders = [f"{name}=={version}" for name, version in CONTENDERS.items()]
    base = [f"numba=={NUMBA}", f"llvmlite=={LLVMLITE}", f"numpy=={BENCH_NUMPY}"]
    python = make(ROOT / ".venv-bench", "3.11", base, extras="fast", optional=contenders)
    _install_what_can_be([str(python), "-m", "pip", "install", "--quiet", "--no-deps"], [f"aeon=={AEON}"])
    return python


def docs():
    """Make the environment of the generator of the static site."""
    return make(ROOT / ".venv-docs", "3.11", [], extras="docs")


def oldest():
    """The oldest numpy that a supported Blender bundles, without numba, and a scipy for comparisons."""
    return make(ROOT / ".venv-oldest", "3.11", ["numpy==1.24.3", "scipy==1.10.1", *TEST_PACKAGES])


def blender(name):
    """Blender itself as a module, with the numpy it bundles, and pytest; without our package."""
    if name not in BLENDERS:
        raise SetupError(f"Blender {name} is not one of {', '.join(BLENDERS)}")
    bpy, python, numpy = BLENDERS[name]
    folder = ROOT / ".venv-blender" / name
    interpreter = make(
        folder, python, [f"bpy=={bpy}", f"numpy=={numpy}", *TEST_PACKAGES, *BUILD_PACKAGES.get(name, ())]
    )
    check_system_libraries(interpreter)
    return interpreter


def check_system_libraries(interpreter):
    probe = (
        "import ctypes, sys\nfor name in sys.argv[1:]:\n    try: ctypes.CDLL(name)\n    except OSError: print(name)\n"
    )
    missing = subprocess.run(
        [str(interpreter), "-c", probe, *SYSTEM_LIBRARIES], capture_output=True, text=True, check=True
    ).stdout.split()
    if missing:
        packages = " ".join(SYSTEM_LIBRARIES[name] for name in missing)
        raise SetupError(f"Blender needs {', '.join(missing)}: apt-get install {packages}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names",
        nargs="*",
        default=["package", "oldest", *BLENDERS],
        help="package, oldest, bench, docs, or a Blender version",
    )
    names = parser.parse_args().names
    try:
        for version in {"3.11", *(BLENDERS[n][1] for n in names if n in BLENDERS)}:
            find_python(version)  # fail early, before minutes of installing
        by_name = {"package": package, "oldest": oldest, "bench": bench, "docs": docs}
        with ThreadPoolExecutor(2) as pool:  # one downloads while another unpacks
            made = [pool.submit(by_name.get(name) or partial(blender, name)) for name in dict.fromkeys(names)]
            for each in made:
                each.result()
    except SetupError as error:
        sys.exit(f"setup: {error}")


if __name__ == "__main__":
    main()
