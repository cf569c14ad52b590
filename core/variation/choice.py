"""Choose the rows of a variation: the cheapest sequence of source rows that follows the guide (methods: Variations).

The cost of a row is its distance from the guide; the cost of a jump grows with the distance of its poses. The choice is
repeated in rounds, in which the most used rows and jumps become more expensive. The best round is returned.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array
from .jumps import Jumps
from .source import DIGITS, Indices, Source

MOST = 50.0  # upper limit of the cost of a row's distance from the guide
JUMP, SMOOTH = 6.0, 0.03  # cost of a jump between equal poses, and the distance in m that doubles it
ROUNDS = 4
DEARER = 1.0  # cost added to a row with twice the use of its share
BLOCK, OVERLAP = 900, 120  # rows chosen at a time, and further rows that the choice considers
NEVER = 1e7  # cost of excluded rows
SEAM = 0.01  # reduction of a sequence's score for each jump a second between equal poses
NEAR_COST = 100.0  # mean cost of a row that reduces the score of a loop by 1
START = 300.0  # cost of a first row at a distance of the source's length from the requested one
STARTS = 6  # rows to try as the first one of a loop
AROUND = 4  # rows on each side over which the use of a row is averaged
OTHER_SHARE = 6.0  # cost added to the rows of a clip with twice the time of its share


@dataclass(frozen=True, eq=False)
class Limits:
    """Conditions on the rows of a result.

    forced (T,) : the source row that each row must be, −1 for any
    times (K,), prices (K, N) : rows of the result with other costs of the source rows, and these costs
    stay : least number of rows between two jumps
    spare : rows by which a loop may be shorter or longer; its time is then stretched
    first : the source row near which the result begins, −1 for any; pull : factor on the cost of other first rows
    loop : whether the result must continue with its first row
    """

    forced: Indices
    times: Indices
    prices: Array
    stay: int
    loop: bool = False
    spare: int = 0
    first: float = -1.0
    pull: float = 1.0


@dataclass(frozen=True, eq=False)
class Chosen:
    """The played rows (T,) of the source, the jump (T,) before each (−1: none), and the cost."""

    rows: Indices
    jumps: Indices
    cost: float


@dataclass(frozen=True, eq=False)
class _Entries:
    """Rows (M,) to play after jumps, the jumps (K, M) to each (−1: none), and the rows (K, M) they leave."""

    targets: Indices
    jumps: Indices
    starts: Indices


def choose(
    source: Source,
    found: Jumps,
    guide: Array,
    limits: Limits,
    shares: Array,
    rng: np.random.Generator,
    chance: float,
    progress: Callable[[float], None],
) -> Chosen | None:
    """Return the rows of a variation, None if no sequence of rows reaches its end.

    guide (T, D) : features; shares (K,) : wanted share of each of the source's clips; chance : from 0 to 1

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs
        >>> from action_loom.core.variation import source
        >>> rows = source.gather(inputs.gather([actions.wave()], images=False))
        >>> from action_loom.core import verbs
        >>> made = verbs.apply(verbs.Walk(seconds=9.0), [actions.wave()], prepared=rows)
        >>> made.report["walk"]["used"] > 0.5
        True
    """
    entries = _entries(source, found, limits.stay)
    base = np.where(found.cycles, 0.0, JUMP * (1.0 + (found.distance / SMOOTH) ** 2))
    # Random costs decide between sequences that follow the guide equally well, above all in short clips.
    tolls = np.where(found.cycles, 0.0, JUMP * chance * rng.uniform(size=len(found)))
    dearer = np.zeros(len(source))
    start = _best_start(source, found, guide, limits, entries, base, shares) if limits.loop else -1
    if limits.loop and start < 0:
        return None
    best: tuple[float, Chosen] | None = None
    rounds = ROUNDS if len(shares) == 1 else 2 * ROUNDS
    for number in range(rounds):
        progress(number / rounds)
        made = _way(source, guide, limits, entries, found, (base + tolls, dearer), start)
        if made is None:
            break
        score = _score(source, found, made, shares)
        if best is None or score > best[0]:
            best = score, made
        dearer = dearer + _excess(source, made.rows, shares) + _price(source, made.rows, shares) / (1.0 + number)
        tolls = tolls + JUMP * _excess_of_jumps(source, found, made)
    return None if best is None else best[1]


def _entries(source: Source, found: Jumps, stay: int) -> _Entries:
    """Return the jumps after which enough rows follow, grouped by the next played row."""
    after = found.end + 1
    beyond = source.firsts[source.clip[found.end] + 1]
    some = np.flatnonzero(after + stay - 1 < beyond)
    order = some[np.lexsort((found.distance[some], after[some]))]
    targets, first, counts = np.unique(after[order], return_index=True, return_counts=True)
    jumps = np.full((int(counts.max(initial=0)), len(targets)), -1)
    for k in range(len(jumps)):
        columns = np.flatnonzero(counts > k)
        jumps[k, columns] = order[first[columns] + k]
    return _Entries(targets, jumps, np.where(jumps >= 0, found.start[jumps], 0) if len(found) else jumps)


def _way(
    source: Source,
    guide: Array,
    limits: Limits,
    entries: _Entries,
    found: Jumps,
    prices: tuple[Array, Array],
    start: int,
) -> Chosen | None:
    """Return the cheapest sequence, chosen in blocks; prices : costs of jumps (J,), and costs added to rows (N,)."""
    count = len(guide) + (1 + limits.spare if limits.loop else 0)
    rows, jumps = np.full(count, -1), np.full(count, -1)
    done, cost = 0, 0.0
    price: Array = entries.jumps.astype(np.float64)
    if len(found):
        price = np.where(entries.jumps >= 0, prices[0][entries.jumps], np.inf)
    state = (start, 0) if start >= 0 else None  # the row played last, and the number of rows since the last jump
    if state is not None:
        rows[0], done = start, 1
    while done < count:
        end = count if count - done <= BLOCK + OVERLAP else done + BLOCK + OVERLAP
        costs = _costs(source, guide, limits, prices[1], done - (state is not None), end)
        goal = (start, 2 * limits.spare) if limits.loop and end == count else None
        part = _cheapest(source, costs, entries, price, found, state, limits.stay, goal)
        if part is None:
            return None
        lead = 0 if state is None else 1
        if end == count:  # a loop may be shorter
            count = end = done + len(part.rows) - lead
            rows, jumps = rows[:count], jumps[:count]
        kept = end if end == count else done + BLOCK
        rows[done:kept], jumps[done:kept] = part.rows[lead:][: kept - done], part.jumps[lead:][: kept - done]
        cost += part.cost
        jumped = np.flatnonzero(jumps[:kept] >= 0)
        state = int(rows[kept - 1]), kept - int(jumped[-1]) if len(jumped) else kept
        done = kept
    return Chosen(rows, jumps, cost)


def _costs(source: Source, guide: Array, limits: Limits, dearer: Array, first: int, end: int) -> Array:
    """Return the cost (T, N) of each row of the source at rows first … end − 1 of the result."""
    at = np.arange(first, end) % len(guide)
    wanted = guide[at]
    costs = np.asarray(-2.0 * wanted @ source.features.T)
    costs += (source.features**2).sum(axis=1)
    costs += (wanted**2).sum(axis=1)[:, None]
    costs /= source.scale
    np.clip(costs, 0.0, MOST, out=costs)
    np.round(costs, DIGITS, out=costs)  # so that equal rows tie on every processor
    costs += dearer
    if first == 0 and limits.first >= 0.0:
        price = START / len(source) * limits.pull
        costs[0] += np.round(price * np.abs(np.arange(len(source)) - limits.first), DIGITS)
    for k, time in enumerate(limits.times.tolist()):
        costs[at == time] = limits.prices[k]
    forced = limits.forced[at]
    for k in np.flatnonzero(forced >= 0).tolist():
        costs[k] = NEVER
        costs[k, forced[k]] = 0.0
    return costs


def _cheapest(
    source: Source,
    costs: Array,
    entries: _Entries,
    price: Array,
    found: Jumps,
    state: tuple[int, int] | None,
    stay: int,
    goal: tuple[int, int] | None = None,
) -> Chosen | None:
    """Return the cheapest sequence of rows by costs (T, N), with enough rows between jumps; None if there is none.

    goal : the row that must be played last, and by how many times the sequence may end earlier for it
    state : the row played at the first time, and the number of rows since the last jump; None for any
    A jump and the rows that must follow it are one move. `free` is the least cost of playing a row after which a jump
    is allowed. `along` has cumulative sums of costs along diagonals, whose differences are the costs of these rows.
    """
    count, every = costs.shape
    along = costs.copy()
    for t in range(1, count):
        along[t, 1:] += along[t - 1, :-1]
    free = np.full((count, every), np.inf)
    came = np.full((count, every), -1, dtype=np.int32)
    if state is None:
        begin = min(stay, count) - 1
        first = source.firsts[source.clip]
        free[begin] = np.where(np.arange(every) - begin >= first, along[begin], np.inf)
    else:
        begin = max(stay - state[1], 0)
        row = state[0] + begin
        if row >= source.firsts[source.clip[state[0]] + 1]:
            return None
        begin = min(begin, count - 1)
        free[begin, state[0] + begin] = along[begin, state[0] + begin] - along[0, state[0]]
    targets = entries.targets
    landing, columns = targets + stay - 1, np.arange(len(targets))
    inner, before = targets > 0, np.maximum(targets - 1, 0)
    ends = source.firsts[1:-1] - 1  # no row continues into the next clip
    for t in range(begin, count - 1):
        now, ahead = free[t], free[t + 1]
        onward = now[:-1] + costs[t + 1, 1:]
        onward[ends] = np.inf
        better = onward < ahead[1:]
        ahead[1:][better] = onward[better]
        came[t + 1, 1:][better] = -1
        if len(targets) and t + stay < count:
            reached = now[entries.starts] + price
            which = np.argmin(reached, axis=0)
            least = reached[which, columns] + along[t + stay, landing] - np.where(inner, along[t, before], 0.0)
            there = free[t + stay]
            better = least < there[landing]
            there[landing[better]] = least[better]
            came[t + stay, landing[better]] = entries.jumps[which[better], columns[better]]
    last, row = count - 1, int(np.argmin(free[-1]))
    if goal is not None:
        row, least = goal[0], max(begin + 1, count - 1 - goal[1])
        last = least + int(np.argmin(free[least:, row])) if least < count else last
    return _trace(float(free[last, row]), row, came[: last + 1], found, begin, stay)


def _trace(cost: float, row: int, came: NDArray[np.int32], found: Jumps, begin: int, stay: int) -> Chosen | None:
    """Return the sequence that ends at a row, traced back to time 0; None if it has excluded rows.

    begin : the first time at which a jump is allowed; earlier rows are consecutive
    """
    if not cost < NEVER:
        return None
    t = len(came) - 1
    rows, jumps = np.empty(len(came), dtype=np.int64), np.full(len(came), -1)
    while t > begin:
        jump = int(came[t, row])
        if jump < 0:
            rows[t] = row
            t, row = t - 1, row - 1
            continue
        first = t - stay + 1
        rows[first : t + 1] = row - np.arange(stay)[::-1]
        jumps[first] = jump
        t, row = first - 1, int(found.start[jump])
    rows[: begin + 1] = row - np.arange(begin + 1)[::-1]
    return Chosen(rows, jumps, cost)


def _best_start(
    source: Source, found: Jumps, guide: Array, limits: Limits, entries: _Entries, base: Array, shares: Array
) -> int:
    """Return the row with which a loop begins: the best of a few rows that jumps can reach; −1 if none gives a loop."""
    forced = int(limits.forced[0])
    reached = np.unique((entries.targets[:, None] + np.arange(limits.stay, 3 * limits.stay)).ravel())
    after = np.minimum(reached + limits.stay, len(source) - 1)
    same = source.clip[after] == source.clip[np.minimum(reached, len(source) - 1)]
    reached = reached[(reached < len(source)) & same]
    if forced >= 0:
        reached = np.array([forced])
    elif len(reached) > STARTS:
        apart = ((source.features[reached] - guide[0]) ** 2).sum(axis=1)
        parts = np.array_split(np.arange(len(reached)), STARTS)
        reached = reached[[int(part[np.argmin(apart[part])]) for part in parts]]
    best, highest = -1, -np.inf
    for row in reached.tolist():
        made = _way(source, guide, limits, entries, found, (base, np.zeros(len(source))), row)
        # The cost alone would prefer a loop of few poses.
        score = -np.inf if made is None else _score(source, found, made, shares) - made.cost / (NEAR_COST * len(guide))
        if score > highest:
            best, highest = row, score
    return best


def _excess(source: Source, rows: Indices, shares: Array) -> Array:
    """Return the cost (N,) to add to each row with more use than its share."""
    count = len(rows)
    played = np.bincount(source.same[rows], minlength=len(source)).astype(float)
    once = np.bincount(source.same, minlength=len(source)) > 0
    lengths = np.bincount(source.clip, weights=once, minlength=len(shares))
    wanted = np.maximum(shares * count / np.maximum(lengths, 1.0), 1e-3)
    used = np.empty(len(source))
    for k in range(len(shares)):
        own = source.rows_of(k)
        every = np.convolve(played[own], np.full(2 * AROUND + 1, 1.0 / (2 * AROUND + 1)))
        used[own] = every[AROUND : len(every) - AROUND]
    excess = DEARER * np.maximum(used / wanted[source.clip] - 1.0, 0.0)
    return np.asarray(excess[source.same])


def _price(source: Source, rows: Indices, shares: Array) -> Array:
    """Return the cost to add to the rows (N,) of clips with more or less time than their shares."""
    gone = np.bincount(source.clip[rows], minlength=len(shares)) / len(rows)
    return np.asarray(np.clip(OTHER_SHARE * (gone / np.maximum(shares, 0.02) - 1.0), -6.0, 12.0)[source.clip])


def _excess_of_jumps(source: Source, found: Jumps, made: Chosen) -> Array:
    """Return by how many times its share each jump (J,) was taken too often; repeating a cycle is never too often."""
    taken = np.bincount(made.jumps[made.jumps >= 0], minlength=len(found)).astype(float)
    share = max(1.0, len(made.rows) / len(np.unique(source.same)))
    return np.where(found.cycles, 0.0, np.maximum(taken / share - 1.0, 0.0))


def _score(source: Source, found: Jumps, made: Chosen, shares: Array) -> float:
    """Return the score of a sequence: the used share of the source, less its jumps and its errors in clips' shares."""
    once = np.unique(source.same)
    used = len(np.unique(source.same[made.rows])) / min(len(once), len(made.rows))
    jumps = made.jumps[(made.jumps >= 0)]
    jumps = jumps[~found.cycles[jumps]]
    seconds = len(made.rows) / source.rate
    gone = np.bincount(source.clip[made.rows], minlength=len(shares)) / len(made.rows)
    rough = float((1.0 + (found.distance[jumps] / SMOOTH) ** 2).sum()) / seconds
    return float(used - SEAM * rough - np.abs(gone - shares).sum())
