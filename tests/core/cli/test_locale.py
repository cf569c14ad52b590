"""Numbers in files do not follow the locale, such as one with decimal commas."""

import shutil
import subprocess

import pytest
from oracles import processes

PROGRAM = """
import locale, sys
from action_loom.core.cli.main import main
if sys.argv[1] != "C":
    locale.setlocale(locale.LC_ALL, sys.argv[1])
    assert locale.format_string("%.1f", 1.5) == "1,5"
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.skipif(shutil.which("localedef") is None, reason="no locale can be made here")
def test_a_locale_with_decimal_commas_changes_no_byte(walk, slow, tmp_path, monkeypatch):
    german = tmp_path / "locales" / "de_DE.UTF-8"
    german.parent.mkdir()
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", german], capture_output=True, check=False)
    if not german.is_dir():
        pytest.skip("the data of the locale is missing")
    monkeypatch.setenv("LOCPATH", str(german.parent))
    made = []
    for name in ("C", german.name):
        out = tmp_path / f"{name}.bvh"
        done = processes.python("-c", PROGRAM, name, "blend", walk, slow, "-o", out)
        assert (done.returncode, done.stderr) == (0, "")
        made.append(out.read_bytes())
    assert made[0] == made[1]
