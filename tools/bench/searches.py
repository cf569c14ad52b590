"""Benchmarks of searches: components of graphs, quickest walks, and nearest rows."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from action_loom.core import verbs
from action_loom.core.drive.search import Index
from action_loom.core.formats import motion_file
from action_loom.core.graph import components, quickest
from action_loom.core.graph.motion_graph import MotionGraph
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.quat import Array
from action_loom.core.verbs import BuildGraph, Follow
from material import CAPTURED, Material, load
from table import Case, Rival, Target

GRAPH_CLIPS, WALKS = 40, 20  # captured clips in the graph; shortest-path queries
AHEAD = Target(0.0, {"networkx": 1.0, "rustworkx": 1.0})
QUERIES, FEATURES = 16, 27
PATH = ((0.0, 0.0), (0.0, 4.0), (2.0, 6.0))  # metres
ROUNDED = 1e-3  # relative error of a squared distance in single precision
MISSED = 0.5  # share of nearest rows that an approximate index may miss


def load_graph_clips(material: Material, count: int = GRAPH_CLIPS) -> list[Clip]:
    """Return captured clips, 40 of about 20,000 frames; without these the two clips of the material."""
    if not material.captured:
        return list(material.clips)
    return [motion_file.read(path).clip for path in sorted(CAPTURED[0].parent.glob("cmu_mb_*.bvh"))[:count]]


def make_graph(material: Material) -> MotionGraph:
    """Return a motion graph, of all clips of `load_graph_clips`."""
    made: MotionGraph = verbs.apply(BuildGraph(), load_graph_clips(material))
    return made


def find_parts(material: Material) -> Case:
    """Each library builds its own graph of the same edges."""
    graph = make_graph(material)
    count, edges = len(graph.clip), list(zip(graph.start.tolist(), graph.end.tolist(), strict=True))

    def make_scipy() -> Rival:
        load("scipy")
        from scipy import sparse
        from scipy.sparse import csgraph

        def work() -> int:
            matrix = sparse.coo_matrix((np.ones(len(edges)), (graph.start, graph.end)), shape=(count, count))
            return int(csgraph.connected_components(matrix, directed=True, connection="strong")[0])

        return Rival(work, lambda ours, theirs: float(abs(ours - theirs)))

    def make_networkx() -> Rival:
        package = load("networkx")

        def work() -> int:
            made = package.DiGraph(edges)
            made.add_nodes_from(range(count))
            return int(package.number_strongly_connected_components(made))

        return Rival(work, lambda ours, theirs: float(abs(ours - theirs)))

    return Case(
        lambda: int(components.strong(count, graph.start, graph.end).max()) + 1,
        {"scipy": make_scipy, "networkx": make_networkx},
    )


def find_walks(material: Material) -> Case:
    """All libraries get the same edge arrays and build their own graph once for all queries."""
    graph = make_graph(material)
    nodes = np.flatnonzero(graph.component == graph.largest())
    pairs = np.random.default_rng(0).choice(nodes, (WALKS, 2)).tolist()
    edges = np.column_stack([graph.start, graph.end, graph.lengths])

    def ours() -> list[int]:
        found = [quickest.find_quickest(graph, start, end) for start, end in pairs]
        return [int(graph.lengths[some].sum()) for some in found if some is not None]

    def make_networkx() -> Rival:
        package = load("networkx")

        def work() -> list[int]:
            made = package.DiGraph()
            for start, end, length in edges.tolist():
                if length < made.get_edge_data(start, end, {"weight": np.inf})["weight"]:
                    made.add_edge(start, end, weight=length)
            return [package.bidirectional_dijkstra(made, *pair)[0] for pair in pairs]

        return Rival(work, lambda ours, theirs: float(np.abs(np.subtract(ours, theirs)).max()))

    def make_rustworkx() -> Rival:
        package = load("rustworkx")

        def work() -> list[int]:
            made = package.PyDiGraph()
            made.add_nodes_from(range(len(graph.clip)))
            made.add_edges_from(list(map(tuple, edges.tolist())))
            each = (package.dijkstra_shortest_path_lengths(made, a, float, b) for a, b in pairs)
            return [int(one[b]) if a != b else 0 for one, (a, b) in zip(each, pairs, strict=True)]

        return Rival(work, lambda ours, theirs: float(np.abs(np.subtract(ours, theirs)).max()))

    return Case(ours, {"networkx": make_networkx, "rustworkx": make_rustworkx})


def follow_path(material: Material) -> Case:
    graph = make_graph(material)
    return Case(lambda: verbs.apply(Follow(path=PATH), load_graph_clips(material), prepared=graph))


def find_rows(_: Material, count: int) -> Case:
    """Make rows that vary smoothly, like the features of clips; search one query at a time, as *Drive* does."""
    random = np.random.default_rng(1)
    rows = np.sin(0.05 * np.cumsum(random.normal(size=(count, FEATURES)), axis=0)).astype(np.float32)
    queries = rows[random.integers(count, size=QUERIES)] + 0.15 * random.normal(size=(QUERIES, FEATURES))
    queries = queries.astype(np.float32)
    index = Index(rows, np.arange(count))

    def away(found: Any) -> Array:
        return np.asarray(((rows[np.asarray(found, dtype=int)] - queries) ** 2).sum(axis=1))

    def missed(ours: list[int], theirs: Any) -> float:
        return float((away(theirs) > (1.0 + ROUNDED) * away(ours)).mean())

    def make_faiss() -> Rival:
        package = load("faiss")
        package.omp_set_num_threads(1)
        flat = package.IndexFlatL2(FEATURES)
        flat.add(rows)
        return Rival(lambda: [flat.search(query[None], 1)[1][0, 0] for query in queries], missed, 0.0)

    def make_hnswlib() -> Rival:
        near = load("hnswlib").Index("l2", FEATURES)
        near.init_index(len(rows), M=16, ef_construction=100)
        near.set_num_threads(1)
        near.add_items(rows)
        near.set_ef(50)
        return Rival(lambda: [near.knn_query(query)[0][0, 0] for query in queries], missed, MISSED)

    ours = partial(lambda: [index.nearest(query)[0] for query in queries])
    return Case(ours, {"FAISS, exact": make_faiss, "hnswlib, approximate": make_hnswlib})


LINES: dict[str, tuple[str, Target, Callable[[Material], Case]]] = {
    "parts": ("strongly connected components of the same graph", Target(0.0, {"scipy": 1.0}), find_parts),
    "walks": (f"{WALKS} quickest walks through a motion graph of {GRAPH_CLIPS} clips", AHEAD, find_walks),
    "path": ("a path of 7 m through that graph, by *Path*", Target(700.0), follow_path),
} | {
    f"rows-{count}": (
        f"the nearest of {count:,} rows of {FEATURES}, {QUERIES} queries",
        Target(most * QUERIES, {"FAISS, exact": 1.0}),
        partial(find_rows, count=count),
    )
    for count, most in ((50_000, 0.1), (1_000_000, 2.0))
}
