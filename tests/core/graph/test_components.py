"""Strongly connected components against scipy's, on any graph."""

import numpy as np
import pytest
from action_loom.core.graph import components
from hypothesis import given
from hypothesis import strategies as st


def of_scipy(count, start, end):
    csgraph, sparse = (pytest.importorskip(f"scipy.{name}") for name in ("sparse.csgraph", "sparse"))
    matrix = sparse.coo_matrix((np.ones(len(start)), (start, end)), shape=(count, count))
    return csgraph.connected_components(matrix, directed=True, connection="strong")[1]


def assert_same_parts(one, other):
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    assert len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.tuples(*2 * [st.integers(0, n - 1)])))))
def test_any_small_graph(made):
    count, edges = made
    start, end = (np.array([edge[k] for edge in edges], dtype=np.int64) for k in (0, 1))
    assert_same_parts(components.strong(count, start, end), of_scipy(count, start, end))


@pytest.mark.parametrize("density", [0.5, 1.0, 1.5, 3.0])
def test_large_graphs(rng, density):
    start, end = rng.integers(0, 5000, (2, int(5000 * density)))
    assert_same_parts(components.strong(5000, start, end), of_scipy(5000, start, end))


def test_a_long_chain_and_a_long_ring_do_not_need_a_deep_stack():
    chain = np.arange(50_000)
    assert len(set(components.strong(50_001, chain, chain + 1))) == 50_001
    assert len(set(components.strong(50_000, chain, (chain + 1) % 50_000))) == 1
