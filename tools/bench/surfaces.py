"""Benchmarks of skinning: vertices and normals of one frame."""

import numpy as np
from action_loom.core import jit
from action_loom.core.motion import quat
from action_loom.core.motion.quat import Array
from action_loom.core.skin import skinning
from action_loom.core.skin.skin import Skin, skin
from line import Case, Line, Rival, Target, later

BONES, INFLUENCES = 60, 4
NEAR = 2e-5  # single precision, for positions some units from the origin


def lines() -> list[Line]:
    return [
        Line("skin-20k", "skin of 20,000 vertices, 60 bones", Target(0.6), lambda _: _linear(20_000)),
        Line("skin-100k", "skin of 100,000 vertices, 60 bones", Target(3.0), lambda _: _linear(100_000)),
        Line("skin-dual-20k", "the same by dual quaternions, 20,000", Target(1.2), lambda _: _dual(20_000)),
        Line("skin-dual-100k", "the same by dual quaternions, 100,000", Target(5.0), lambda _: _dual(100_000)),
    ]


def _linear(vertices: int) -> Case:
    surface, rest, posed = _body(vertices)
    moved = skinning.moves(rest, posed)
    return Case(
        lambda: skinning.linear(surface, moved),
        {"numpy": later(_numpy, surface, moved), "scipy, sparse": later(_scipy, surface, moved)},
        moved=4.0 * vertices * (4 * 3 + 2 * INFLUENCES),
    )


def _dual(vertices: int) -> Case:
    surface, rest, posed = _body(vertices)

    def twin() -> Rival:
        arrays, split = skinning._arrays(surface), skinning._split(rest, posed)
        plain = _twin()
        return Rival(lambda: plain.dual(*arrays, *split), _apart, NEAR)

    return Case(lambda: skinning.dual_quaternions(surface, rest, posed), {"numpy": twin})


def _numpy(surface: Skin, moved: Array) -> Rival:
    rows = np.ascontiguousarray(moved[:, :3], np.float32)
    plain = _twin()
    return Rival(lambda: plain.linear(*skinning._arrays(surface), rows), _apart, NEAR)


def _twin():  # type: ignore[no-untyped-def]
    """Return the numpy kernels, regardless of the selected engine."""
    from importlib import import_module

    return import_module("._numpy", "action_loom.core.skin")


def _scipy(surface: Skin, moved: Array) -> Rival:
    """Blend the bone matrices with one sparse product, then transform each vertex with its blended matrix."""
    from scipy.sparse import csr_matrix

    weights = csr_matrix((surface.weights, surface.bones, surface.first), shape=(len(surface), len(moved)))
    rows = np.ascontiguousarray(moved[:, :3].reshape(-1, 12), np.float32)

    def work() -> tuple[Array, Array]:
        blended = (weights @ rows).reshape(-1, 3, 4)
        places = np.einsum("vij,vj->vi", blended[:, :, :3], surface.vertices) + blended[:, :, 3]
        normals = np.einsum("vij,vj->vi", blended[:, :, :3], surface.normals)
        return places, normals / np.linalg.norm(normals, axis=1, keepdims=True)

    return Rival(work, _apart, NEAR)


def _apart(ours: tuple[Array, Array], theirs: tuple[Array, Array]) -> float:
    return float(max(np.abs(one - other).max() for one, other in zip(ours, theirs, strict=True)))


def _body(vertices: int) -> tuple[Skin, Array, Array]:
    """Return a skin around a chain of bones (four influences per vertex), and its rest and posed matrices (B, 4, 4)."""
    jit.kernels("action_loom.core.skin")
    rng = np.random.default_rng(0)
    rest, posed = np.tile(np.eye(4), (BONES, 1, 1)), np.tile(np.eye(4), (BONES, 1, 1))
    rest[:, 2, 3] = posed[:, 2, 3] = 0.03 * np.arange(BONES)
    axes = rng.normal(size=(BONES, 3))
    turns = quat.exp(
        np.radians(20.0) * rng.uniform(size=(BONES, 1)) * axes / np.linalg.norm(axes, axis=1, keepdims=True)
    )
    posed[:, :3, :3] = quat.to_matrix(turns)
    near = rng.integers(0, BONES - INFLUENCES, vertices)
    places = rng.normal(scale=0.1, size=(vertices, 3)) + np.stack([0 * near, 0 * near, 0.03 * near], axis=1)
    bones = near[:, None] + np.arange(INFLUENCES)
    weights = rng.uniform(0.1, 1.0, (vertices, INFLUENCES))
    normals = rng.normal(size=(vertices, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    first = np.arange(0, INFLUENCES * vertices + 1, INFLUENCES)
    return skin(places, (first, bones.ravel(), weights.ravel()), [], normals), rest, posed
