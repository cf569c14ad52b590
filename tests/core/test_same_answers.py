"""The same answer on every processor: no choice depends on the last bits of a sum.

A linear algebra library adds in another order on another processor and with another number of threads. Each setting
runs in a process of its own, since a library reads it when it is loaded.
"""

import json
import math
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from oracles import processes

TESTS = Path(__file__).resolve().parents[1]
SETTINGS = {
    "the oldest processors": {"OPENBLAS_CORETYPE": "Nehalem"},
    "numpy, one thread": {
        "ACTION_LOOM_ENGINE": "numpy",
        "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX",
        "OPENBLAS_NUM_THREADS": "1",
    },
}


@cache
def answers(**setting):
    """Return the output of `oracles.decisions` in a process with these variables."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "oracles.decisions"],
        env=processes.clean_environment(**setting, PYTHONPATH=os.pathsep.join([*map(str, sys.path), str(TESTS)])),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def differences(one, other, at=""):
    """Return the places where two answers differ; fractional numbers are compared to the digits of reports."""
    if isinstance(one, float) and isinstance(other, float):
        return [] if math.isclose(one, other, rel_tol=1e-4, abs_tol=2e-4) else [f"{at}: {one} or {other}"]
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [line for name in one for line in differences(one[name], other[name], f"{at}.{name}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [
            line for k, pair in enumerate(zip(one, other, strict=True)) for line in differences(*pair, f"{at}[{k}]")
        ]
    return [] if one == other else [f"{at}: {str(one)[:80]} or {str(other)[:80]}"]


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
def test_every_choice_is_the_same(setting):
    assert differences(answers(), answers(**setting)) == []
