"""The search: one step of it finds the result of following edges one by one, on both engines."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from action_loom.core import jit
from action_loom.core.graph import beam, edge_table, ground_path
from numpy.testing import assert_allclose
from oracles import paths

pytestmark = pytest.mark.both_engines

BENDS = np.radians([0.0, -10.0, 10.0])


@pytest.fixture(scope="module")
def steps(gaits):
    """Return the edges of a graph whose clips climb by made-up heights."""
    table = edge_table.tabulate(gaits, 0, BENDS)
    return replace(table, climbed=0.1 * np.random.default_rng(4).normal(size=len(table.climbed)))


@pytest.fixture(scope="module")
def drawn():
    way = paths.s_curve(2.0)
    rows = np.column_stack([way, 0.3 * np.sin(np.arange(len(way)))])
    return ground_path.through(rows, closed=False, climbing=True)


def begun(steps, drawn, rng, count=40):
    start = beam.anywhere(steps, drawn)
    chosen = rng.choice(len(start.node), count, replace=False)
    rows = start.rows[chosen]
    rows[:, :2] += 0.3 * rng.normal(size=(count, 2))
    rows[:, 2] += 0.2 * rng.normal(size=count)
    rows[:, 3] = rng.uniform(0.0, drawn.length, count)
    place = drawn.at(rows[:, 3])
    rows[:, 0] += place.real
    rows[:, 1] += place.imag
    rows[:, 2] += drawn.facing_at(rows[:, 3])
    return rows, start.node[chosen]


def test_states_lead_where_edges_lead(steps, drawn, rng):
    rows, node = begun(steps, drawn, rng)
    price = 0.3 * steps.distance + 0.05 * steps.length * (steps.bends != 0.0)[:, None]
    bin_end = 3.0
    reported, reached = beam.expand_states(steps, drawn, rows, node, price, bin_end)
    assert len(reported) > 50
    for which in rng.choice(len(reported), 25, replace=False):
        state, bend, onwards, edge, end = reported[which]
        here, at = rows[state].copy(), node[state]
        edges = []
        for _ in range(onwards):
            edges.append(steps.onward[at])
            at = steps.end[edges[-1]]
        edges += [edge] if edge >= 0 else []
        for one in edges:
            here = gone_along(steps, drawn, here, one, bend, price)
        assert_allclose(reached[which], here, atol=1e-9)
        assert end == (steps.end[edge] if edge >= 0 else at)
        if edge < 0:
            assert here[3] >= bin_end or onwards == beam.ONWARDS


def gone_along(steps, drawn, here, edge, bend, price):
    """Return the state after one edge, computed sample by sample by a second implementation."""
    x, y, facing, gone, cost, height = here
    cost += price[bend, edge]
    before, place, faced = 0.0, x + 1j * y, facing
    for k in range(steps.first_sample[edge], steps.first_sample[edge + 1]):
        place = x + 1j * y + np.exp(1j * facing) * (steps.right[bend, k] + 1j * steps.ahead[bend, k])
        faced, way = facing + steps.turned[bend, k], steps.gone[bend, k]
        if gone + way <= drawn.length:
            off = place - drawn.at(np.array([gone + way]))[0]
            turn = faced - drawn.facing_at(np.array([gone + way]))[0]
            turn = (turn + np.pi) % (2.0 * np.pi) - np.pi
            higher = height + steps.climbed[k] - drawn.height_at(np.array([gone + way]))[0]
            cost += (abs(off) ** 2 + higher**2 + 0.05 * turn**2) * (way - before)
        before = way
    return np.array([place.real, place.imag, faced, gone + before, cost, height + steps.climbed[k]])


@pytest.mark.one_engine
def test_both_engines_find_the_same_states_in_the_same_order(steps, drawn, rng, monkeypatch):
    rows, node = begun(steps, drawn, rng, 60)
    price = 0.3 * steps.distance + np.zeros((3, 1))
    ours = beam.expand_states(steps, drawn, rows, node, price, 2.0)
    twins = import_module("action_loom.core.graph._numpy")
    monkeypatch.setattr(jit, "kernels", lambda _: twins)
    theirs = beam.expand_states(steps, drawn, rows, node, price, 2.0)
    assert (ours[0] == theirs[0]).all()
    assert_allclose(ours[1], theirs[1], atol=1e-9)


def test_when_there_is_no_room_for_what_is_found_more_is_made(steps, drawn, rng):
    rows, node = begun(steps, drawn, rng)
    price = np.zeros((3, len(steps.end)))
    few = beam.expand_states(steps, drawn, rows, node, price, rows[:, 3].min() + 0.1)
    many = beam.expand_states(steps, drawn, rows, node, price, 100.0)
    assert len(many[0]) > 64 * len(rows) * 3 > len(few[0])


def test_of_each_kind_the_best_is_kept(rng):
    rank, kind = rng.random(5000), rng.integers(0, 700, 5000)
    for width in (20, 400, 5000):
        chosen = beam._best(rank, kind, width)
        best = sorted(rank[kind == one].min() for one in set(kind.tolist()))[:width]
        assert_allclose(rank[chosen], best)
        assert len(set(kind[chosen].tolist())) == len(chosen)


def test_what_is_too_dear_to_be_followed_is_in_no_walk(steps, drawn, monkeypatch):
    search = {"fidelity": 0.3, "width": 50}
    spared = beam.search(steps, drawn, **search)
    expanded = beam.expand_states
    monkeypatch.setattr(beam, "expand_states", lambda *given: expanded(*given[:7]))
    every = beam.search(steps, drawn, **search)
    assert spared.searched < 0.8 * every.searched
    assert (spared.edges == every.edges).all()
    assert (spared.bends == every.bends).all()
