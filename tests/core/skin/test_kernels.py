"""The compiled skinning against its numpy twin."""

from importlib import import_module, util

import numpy as np
import pytest
from action_loom.core.skin import skinning
from oracles.surfaces import matrices, random_skin

pytestmark = pytest.mark.skipif(util.find_spec("numba") is None, reason="numba is not installed")
PACKAGE = "action_loom.core.skin"


@pytest.mark.parametrize("seed", range(4))
def test_the_compiled_kernels_do_what_their_twins_do(seed):
    surface = random_skin(seed=seed)
    rest, posed = matrices(12, seed), matrices(12, seed + 50, (0.6, 1.5))
    compiled, plain = (import_module(f"{PACKAGE}.{name}") for name in ("_numba", "_numpy"))
    arrays = skinning._arrays(surface)
    rows = np.ascontiguousarray(skinning.moves(rest, posed)[:, :3], np.float32)
    for one, other in zip(compiled.linear(*arrays, rows), plain.linear(*arrays, rows), strict=True):
        assert np.abs(one - other).max() < 3e-6
    split = skinning._split(rest, posed)
    for one, other in zip(compiled.dual(*arrays, *split), plain.dual(*arrays, *split), strict=True):
        assert one.dtype == other.dtype == np.float32
        assert np.abs(one - other).max() < 1e-4  # where signs are chosen by next to nothing, nothing is sure
