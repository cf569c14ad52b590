"""Map weights to a place on a pad whose corners are sources, and back (mean value coordinates, Floater 2003)."""

import math
from collections.abc import Sequence

Place = tuple[float, float]

_NEAR = 1e-6  # share of the pad's radius within which a place is on a corner or an edge


def corners(count: int) -> list[Place]:
    """Return the corners of a pad for `count` sources, on a circle of radius 1: the first on top, then clockwise."""
    turns = (2.0 * math.pi * k / count for k in range(count))
    return [(math.sin(turn), math.cos(turn)) for turn in turns]


def place_of(weights: Sequence[float]) -> Place:
    """Return the place of weights on their pad: the mean of the corners, weighted by their shares."""
    total = sum(weights)
    shares = [weight / total for weight in weights] if total > 0.0 else [1.0 / len(weights)] * len(weights)
    at = corners(len(weights))
    return (
        sum(share * x for share, (x, _) in zip(shares, at, strict=True)),
        sum(share * y for share, (_, y) in zip(shares, at, strict=True)),
    )


def weights_at(place: Place, count: int) -> list[float]:
    """Return the shares of three or more sources at a place; a place outside counts as the nearest inside.

    `place_of` of these shares is the place again. A corner is its source alone, an edge its two sources; in between
    they vary smoothly.
    """
    at = corners(count)
    x, y = _inside(place, at)
    spokes = [(cx - x, cy - y) for cx, cy in at]
    lengths = [math.hypot(*spoke) for spoke in spokes]
    for k, length in enumerate(lengths):
        if length < _NEAR:
            return [float(k == other) for other in range(count)]
    halves = []
    for k in range(count):
        after = (k + 1) % count
        (ax, ay), (bx, by) = spokes[k], spokes[after]
        cross, dot = abs(ax * by - ay * bx), ax * bx + ay * by
        if cross < _NEAR and dot < 0.0:  # on the edge between these two
            share = lengths[k] / (lengths[k] + lengths[after])
            return [1.0 - share if other == k else share if other == after else 0.0 for other in range(count)]
        halves.append(cross / (lengths[k] * lengths[after] + dot))  # tan(a/2) = sin a / (1 + cos a)
    pulls = [(halves[k - 1] + halves[k]) / lengths[k] for k in range(count)]
    return [pull / sum(pulls) for pull in pulls]


def _inside(place: Place, at: Sequence[Place]) -> Place:
    """Return the place, or the nearest place on the pad's edges if it is outside."""
    edges = [(at[k], at[(k + 1) % len(at)]) for k in range(len(at))]
    if all(_right_of(place, *edge) for edge in edges):
        return place
    nearest = [_on(place, *edge) for edge in edges]
    return min(nearest, key=lambda edge_place: math.dist(edge_place, place))


def _right_of(place: Place, start: Place, end: Place) -> bool:
    return (end[0] - start[0]) * (place[1] - start[1]) - (end[1] - start[1]) * (place[0] - start[0]) <= 0.0


def _on(place: Place, start: Place, end: Place) -> Place:
    along = (end[0] - start[0], end[1] - start[1])
    share = (place[0] - start[0]) * along[0] + (place[1] - start[1]) * along[1]
    share = min(max(share / (along[0] ** 2 + along[1] ** 2), 0.0), 1.0)
    return start[0] + share * along[0], start[1] + share * along[1]
