"""How time and memory grow with the size of the work: exponents over sizes that double three times."""

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.drive.search import Index
from action_loom.core.verbs import Blend, BuildGraph, Connect, Filter, Follow, Loop, Mirror, Plant, Recipe, Walk
from material import Material
from searches import load_graph_clips

DOUBLED = (1, 2, 4, 8)
STRIDES, SECONDS, METRES, ROWS = 8, 15.0, 6.0, 250_000  # smallest sizes; a stride takes about a second
Work = Callable[[], Any]


def of_frames(recipe: Recipe, count: int = 1) -> Callable[[int, Material], Work]:
    """Return a maker of work on `count` clips that get longer."""

    def make(size: int, _: Material) -> Work:
        clips = [actions.walk(cycles=STRIDES * size), actions.run(cycles=STRIDES * size)][:count]
        return lambda: verbs.apply(recipe, clips)

    return make


def connect(size: int, _: Material) -> Work:
    clips = [(actions.walk, actions.run)[k % 2](cycles=STRIDES) for k in range(size + 1)]
    return lambda: verbs.apply(Connect(), clips)


def build_graph(size: int, material: Material) -> Work:
    clips = load_graph_clips(material, 4 * size)
    return lambda: verbs.apply(BuildGraph(), clips)


def endless(size: int, _: Material) -> Work:
    clips = [actions.walk(cycles=STRIDES), actions.run(cycles=STRIDES)]
    return lambda: verbs.apply(Walk(seconds=SECONDS * size), clips)


def follow(size: int, material: Material) -> Work:
    clips = load_graph_clips(material, 4)
    graph = verbs.apply(BuildGraph(), clips)
    ends = [(0.5 * (k % 2), METRES * k) for k in range(size + 1)]
    return lambda: verbs.apply(Follow(path=tuple(ends)), clips, prepared=graph)


def search(size: int, _: Material) -> Work:
    rng = np.random.default_rng(0)
    rows = np.cumsum(rng.normal(size=(ROWS * size, 27)), axis=0, dtype=np.float32)
    index, queries = Index(rows, np.arange(len(rows))), rows[:: len(rows) // 16] + np.float32(0.1)
    return lambda: [index.nearest(query) for query in queries]


# By description; the last text is the reason of an exponent over 1.1.
CASES: dict[str, tuple[Callable[[int, Material], Work], str]] = {
    "mirror, by frames": (of_frames(Mirror()), ""),
    "filter, by frames": (of_frames(Filter()), ""),
    "plant feet, by frames": (of_frames(Plant()), ""),
    "find and close a loop, by frames": (of_frames(Loop()), "each frame is compared with each other one"),
    "blend of two, by frames": (of_frames(Blend(), 2), "each frame of one is compared with each of the other"),
    "connect, by seams": (connect, ""),
    "motion graph, by clips": (build_graph, ""),
    "path through a graph, by metres": (follow, ""),
    "endless variation, by seconds": (endless, ""),
    "nearest of rows, 16 queries, by rows": (search, ""),
}


def measure_growth(material: Material) -> list[tuple[str, ...]]:
    """Return a row for each case: its times in seconds, the exponents of time and memory, and the reason."""
    rows = []
    for about, (make, reason) in CASES.items():
        print(about, flush=True)
        figures = [measure_one(make(size, material)) for size in DOUBLED]
        times, memory = zip(*figures, strict=True)
        shown = ", ".join(f"{seconds:.2g}" for seconds in times)
        rows.append((about, shown, f"{exponent(times):.2f}", f"{exponent(memory):.2f}", reason))
    return rows


def measure_one(work: Work) -> tuple[float, float]:
    """Return the least processor time of three runs, and the most memory that a run takes."""
    times = []
    for _ in range(3):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return min(times), float(peak)


def exponent(values: tuple[float, ...]) -> float:
    """Return the slope of values over sizes, both as logarithms."""
    return float(np.polyfit(np.log(DOUBLED), np.log(values), 1)[0])
