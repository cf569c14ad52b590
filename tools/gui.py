"""make gui: presses the panel's buttons in Blender's real windows and takes pictures; results in build/gui/.

Needs ../shared/gui/blender-gui (or BLENDER_GUI=/path/to/it), which makes a small Debian tree with a Blender, a
virtual screen and software OpenGL the first time. Two Blenders: 4.3 with the bundled wheels, and the newest that
Debian has, whose Python the wheels do not fit, so that it tries the numpy engine.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "gui"
SUITES = {"trixie": "bundled", "sid": "none"}


def main() -> None:
    wrapper = Path(os.environ.get("BLENDER_GUI", ROOT.parent / "shared" / "gui" / "blender-gui"))
    if not wrapper.exists():
        sys.exit(f"gui: {wrapper} is missing; name it with BLENDER_GUI=")
    failed = [suite for suite, wheels in SUITES.items() if not try_in(wrapper, suite, built(wheels))]
    print(f"pictures: {OUT.relative_to(ROOT)}/*/*.png")
    if failed:
        sys.exit(f"gui: failed in {', '.join(failed)}: see build/gui/*/blender.log")


def built(wheels: str) -> str:
    """Build a zip and return its path."""
    python = ROOT / ".venv-blender" / "5.2" / "bin" / "python"
    command = [python, ROOT / "tools" / "build.py", "--wheels", wheels]
    answer = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True)
    return answer.stdout.splitlines()[-1]


def try_in(wrapper: Path, suite: str, zip_path: str) -> bool:
    subprocess.run([sys.executable, str(wrapper), "setup", "--suite", suite], check=True)
    out = OUT / suite
    command = [sys.executable, str(wrapper), "run", "--suite", suite, "--extension", zip_path]
    command += ["--script", str(ROOT / "tools" / "gui_weave.py"), "--out", str(out)]
    done = subprocess.run(command, check=False).returncode
    print(f"{suite}: {'fine' if done == 0 else f'exit status {done}'}")
    return done == 0


if __name__ == "__main__":
    main()
