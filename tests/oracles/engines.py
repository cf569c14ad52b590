"""The same work by compiled code and by numpy, where the compiler is loaded already."""

from action_loom.core import jit


def by_both(package, work):
    """Return the results of a package's work by each engine; the previous engine is active again afterwards."""
    before, found = jit._wanted, []
    try:
        jit.use("numba")
        jit.kernels(package)
        for engine in ("numba", "numpy"):
            jit.use(engine)
            assert jit.at_hand(package).__name__.endswith("_numba" if engine == "numba" else "_numpy")
            found.append(work())
    finally:
        jit._wanted = before
    return found
