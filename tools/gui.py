"""make gui: presses the panel's buttons in Blender's real windows and takes pictures; results in build/gui/.

Then it tries the command line in the same Blenders, without a window: results and exit statuses.

Needs ../shared/gui/blender-gui (or BLENDER_GUI=/path/to/it), which makes a small Debian tree with a Blender, a
virtual screen and software OpenGL the first time. Two Blenders: 4.3, and the newest that Debian has.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "gui"
SHARED = ROOT.parent / "shared" / "data"
START = ROOT / "docs" / "manual" / "start.md"  # what gui_start.py does
SUITES = ("trixie", "sid")
# The scripts to run in the window, the folder of their pictures, and the window's size.
SCRIPTS = (
    ("gui_start.py", "start", "1000x1000"),
    ("gui_pages.py", "pages", "1000x800"),
    ("gui_jobs.py", "jobs", "1280x1000"),
    ("gui_experts.py", "experts", "1280x1800"),
    ("gui_ghost.py", "ghost", "1280x720"),
    ("gui_follow.py", "follow", "1280x1400"),
    ("gui_feet.py", "feet", "1280x1400"),
    ("gui_strip.py", "strip", "1280x1000"),
    ("gui_drive.py", "drive", "1280x1000"),
    ("gui_library.py", "library", "1280x1400"),
    ("gui_results.py", "results", "1280x1400"),
    ("gui_found.py", "found", "1280x1000"),
    ("gui_rigs.py", "rigs", "1280x1000"),
    ("gui_tab.py", "tab", "1380x860"),
    ("gui_scales.py", "scales", "1000x700"),
    ("gui_panels.py", "panels", "1280x2400"),
)
ADD_DEMO = (
    "import bpy; bpy.ops.wm.read_homefile(use_empty=True); bpy.ops.action_loom.add_demo();"
    " bpy.ops.wm.save_as_mainfile(filepath='scene.blend')"
)
OPEN = ("--background", "scene.blend")
LOOM = (*OPEN, "--command", "action_loom")
# Files that gui_jobs.py drops into the window, in one folder.
DROPPED = (
    SHARED / "cmu" / "cmu_mb_02_01.bvh",
    SHARED / "cmu" / "cmu_mb_16_15.bvh",
    SHARED / "amc" / "09.asf",
    SHARED / "amc" / "09_12.amc",
    SHARED / "characters" / "mannequiny.glb",
    ROOT / "tests" / "data" / "version_0_1.blend",
)
# Arguments for Blender, its exit status, and a part of its output.
COMMANDS = (
    (("--background", "--python-exit-code", "7", "--python-expr", ADD_DEMO), 0, ""),
    ((*LOOM, "blend", "Walk", "Sneak", "--save"), 0, "Walk + Sneak 50:50: "),
    ((*LOOM, "info", "Walk + Sneak 50:50"), 0, "on Loom Figure, from frame 1"),
    ((*LOOM, "rebuild", "Walk + Sneak 50:50", "-o", "new.bvh"), 0, "50:50: "),
    ((*LOOM, "blend", "Walk", "Gone", "--save"), 1, "action_loom: there is no action 'Gone'; the actions are"),
    ((*LOOM, "blend", "Walk", "Sneak"), 2, "action_loom: nothing would come of it"),
    ((*LOOM, "blend", "--juggle"), 2, "usage: blender"),
    ((*OPEN, "--python-exit-code", "7", "--python", "example_script.py", "--", "Walk", "Run", "0.3"), 0, "Run 70:30"),
    ((*LOOM, "info"), 0, "Walk + Run 70:30\n"),
)


def main() -> None:
    wrapper = Path(os.environ.get("BLENDER_GUI", ROOT.parent / "shared" / "gui" / "blender-gui"))
    if not wrapper.exists():
        sys.exit(f"gui: {wrapper} is missing; name it with BLENDER_GUI=")
    path = built()
    failed = [suite for suite in SUITES if not try_in(wrapper, suite, path)]
    failed += [f"{suite} (commands)" for suite in SUITES if not try_commands(wrapper, suite, path)]
    print(f"pictures: {OUT.relative_to(ROOT)}/*/*.png")
    if failed:
        sys.exit(f"gui: failed in {', '.join(failed)}: see build/gui/*/blender.log and the lines above")


def built() -> str:
    """Build the zip and return its path."""
    command = [str(ROOT / ".venv-blender" / "5.2" / "bin" / "python"), str(ROOT / "tools" / "build.py")]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return answer.stdout.splitlines()[-1]


def try_in(wrapper: Path, suite: str, zip_path: str) -> bool:
    subprocess.run([sys.executable, str(wrapper), "setup", "--suite", suite], check=True)
    fine = True
    for script, folder, size in SCRIPTS:
        command = [sys.executable, str(wrapper), "run", "--suite", suite, "--extension", zip_path, "--size", size]
        command += ["--script", str(ROOT / "tools" / script), "--out", str(OUT / suite / folder), "--timeout", "900"]
        command += ["--data", str(dropped() if script == "gui_jobs.py" else SHARED)]
        command += ["--", *steps_of(START)] if script == "gui_start.py" else []
        done = subprocess.run(command, check=False).returncode
        print(f"{suite}, {script}: {'fine' if done == 0 else f'exit status {done}'}")
        fine &= done == 0
    return fine


def steps_of(page: Path) -> list[str]:
    """Return the numbered steps of a manual page, each up to its first full stop."""
    text = re.sub(r"\n {3}", " ", page.read_text(encoding="utf-8"))
    return re.findall(r"^\d+\. (.+?)\.(?: |$)", text, re.MULTILINE)


def dropped() -> Path:
    """Return a folder with the files to drop into the window."""
    folder = OUT / "dropped"
    folder.mkdir(parents=True, exist_ok=True)
    for path in DROPPED:
        shutil.copy(path, folder)
    return folder


def try_commands(wrapper: Path, suite: str, zip_path: str) -> bool:
    """Run the command line and the example script in a suite's Blender, in a folder of their own."""
    folder = OUT / suite / "commands"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "example_script.py", folder)
    for arguments, status, words in COMMANDS:
        command = [sys.executable, str(wrapper), "blender", "--suite", suite, "--extension", zip_path, "--", *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        message = done.stdout + done.stderr
        if done.returncode != status or words not in message or "Traceback" in message:
            wanted = f"{status} and {words!r} were wanted, it ended with {done.returncode} and"
            print(f"{suite}: {' '.join(arguments)}: {wanted}\n{message}")
            return False
    print(f"{suite}: commands fine")
    return True


if __name__ == "__main__":
    main()
