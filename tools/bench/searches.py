"""Benchmarks of motion graph paths and nearest neighbours, compared with graph and neighbour libraries."""

from collections.abc import Callable
from typing import Any

import numpy as np
from action_loom.core import verbs
from action_loom.core.drive.search import Index
from action_loom.core.formats import motion_file
from action_loom.core.graph import components
from action_loom.core.graph.motion_graph import MotionGraph
from action_loom.core.library import similar
from action_loom.core.motion.quat import Array
from action_loom.core.verbs.walk import work as walks
from line import Case, Line, Rival, Target, later
from material import CAPTURED, Material

CLIPS, WALKS = 40, 20  # captured clips in the graph; shortest-path queries
QUERIES, FEATURES = 16, 27
ROUNDED = 1e-3  # relative error of a squared distance in single precision
MISSED = 0.5  # share of nearest rows that an approximate index may miss
LINKS, BUILD, SEARCH = 16, 100, 50  # of HNSW: links per row (M), efConstruction, efSearch
WINDOWS = 10_000


def lines() -> list[Line]:
    return [
        Line("graph-shortest", f"{WALKS} quickest walks through a motion graph of {CLIPS} clips", Target(), _shortest),
        Line("graph-components", "its strongly connected components", Target(), _components),
        Line("rows-50k", f"the nearest of 50,000 rows of {FEATURES}, {QUERIES} queries", Target(), _rows(50_000)),
        Line("rows-1m", "the same of 1,000,000 rows", Target(3.0 * QUERIES), _rows(1_000_000)),
        Line("windows", f"the ten nearest of each of {WINDOWS:,} windows of a library", Target(), _windows),
    ]


# --- graphs ---------------------------------------------------------------------------------------------------------


def _graph(material: Material) -> MotionGraph:
    """Build a motion graph; captured clips give about 20,000 frames."""
    clips = list(material.clips)
    if material.captured:
        clips = [motion_file.read(path).clip for path in sorted(CAPTURED[0].parent.glob("cmu_mb_*.bvh"))[:CLIPS]]
    return verbs.apply(verbs.BuildGraph(), clips)


def _shortest(material: Material) -> Case:
    """All libraries get the same edge arrays and build their own graph once for all queries."""
    graph = _graph(material)
    nodes = np.flatnonzero(graph.component == graph.largest())
    pairs = np.random.default_rng(0).choice(nodes, (WALKS, 2)).tolist()
    edges = np.column_stack([graph.start, graph.end, graph.lengths])

    def ours() -> list[int]:
        found = [walks.least_time(graph, start, end) for start, end in pairs]
        return [int(graph.lengths[some].sum()) for some in found if some is not None]

    return Case(
        ours,
        {
            "networkx": later(_networkx, edges, pairs),
            "rustworkx": later(_rustworkx, len(graph.clip), edges, pairs),
            "scipy": later(_scipy, len(graph.clip), edges, pairs),
        },
    )


def _networkx(edges: Array, pairs: list[list[int]]) -> Rival:
    import networkx

    def work() -> list[int]:
        graph = networkx.DiGraph()
        for start, end, length in edges.tolist():
            if length < graph.get_edge_data(start, end, {"weight": np.inf})["weight"]:
                graph.add_edge(start, end, weight=length)
        return [networkx.bidirectional_dijkstra(graph, *pair)[0] for pair in pairs]

    return Rival(work, _unlike)


def _rustworkx(count: int, edges: Array, pairs: list[list[int]]) -> Rival:
    import rustworkx

    def work() -> list[int]:
        graph = rustworkx.PyDiGraph()
        graph.add_nodes_from(range(count))
        graph.add_edges_from(list(map(tuple, edges.tolist())))
        each = (rustworkx.dijkstra_shortest_path_lengths(graph, a, float, b) for a, b in pairs)
        return [int(one[b]) if a != b else 0 for one, (a, b) in zip(each, pairs, strict=True)]

    return Rival(work, _unlike)


def _scipy(count: int, edges: Array, pairs: list[list[int]]) -> Rival:
    from scipy.sparse import csgraph, csr_matrix

    def work() -> list[int]:
        order = np.lexsort((edges[:, 2], edges[:, 1], edges[:, 0]))
        first = order[np.unique(edges[order, 0] * count + edges[order, 1], return_index=True)[1]]
        start, end, length = edges[first].T
        graph = csr_matrix((length.astype(float), (start, end)), shape=(count, count))
        starts, ends = zip(*pairs, strict=True)
        return list(csgraph.dijkstra(graph, indices=starts)[range(len(pairs)), ends].astype(int))

    return Rival(work, _unlike)


def _unlike(ours: list[int], theirs: list[int]) -> float:
    """Return the largest difference of path lengths in frames."""
    return float(np.abs(np.subtract(ours, theirs)).max())


def _components(material: Material) -> Case:
    graph = _graph(material)
    count, edges = len(graph.clip), np.column_stack([graph.start, graph.end])
    return Case(
        lambda: components.strong(count, graph.start, graph.end),
        {
            "networkx": later(_components_of_networkx, count, edges),
            "rustworkx": later(_components_of_rustworkx, count, edges),
            "scipy": later(_components_of_scipy, count, edges),
        },
        moved=float(edges.nbytes),
    )


def _components_of_networkx(count: int, edges: Array) -> Rival:
    import networkx

    def work() -> list[Any]:
        graph = networkx.DiGraph(edges.tolist())
        graph.add_nodes_from(range(count))
        return list(networkx.strongly_connected_components(graph))

    return Rival(work, _otherwise_parted)


def _components_of_rustworkx(count: int, edges: Array) -> Rival:
    import rustworkx

    def work() -> Any:
        graph = rustworkx.PyDiGraph()
        graph.add_nodes_from(range(count))
        graph.add_edges_from_no_data(list(map(tuple, edges.tolist())))
        return rustworkx.strongly_connected_components(graph)

    return Rival(work, _otherwise_parted)


def _components_of_scipy(count: int, edges: Array) -> Rival:
    from scipy.sparse import csgraph, csr_matrix

    def work() -> list[Array]:
        graph = csr_matrix((np.ones(len(edges)), tuple(edges.T)), shape=(count, count))
        number = csgraph.connected_components(graph, connection="strong")[1]
        order = np.argsort(number)
        return np.split(order, np.flatnonzero(np.diff(number[order])) + 1)

    return Rival(work, _otherwise_parted)


def _otherwise_parted(ours: Array, theirs: Any) -> float:
    """Return the number of components that only one of the two results has."""
    own = {frozenset(np.flatnonzero(ours == k).tolist()) for k in range(ours.max() + 1)}
    return float(len(own ^ {frozenset(map(int, some)) for some in theirs}))


# --- rows -----------------------------------------------------------------------------------------------------------


def _rows(count: int) -> Callable[[Material], Case]:
    """Make rows that vary smoothly, like the features of clips that *Drive* searches in each step."""

    def case(_: Material) -> Case:
        random = np.random.default_rng(1)
        rows = np.sin(0.05 * np.cumsum(random.normal(size=(count, FEATURES)), axis=0)).astype(np.float32)
        queries = rows[random.integers(count, size=QUERIES)] + 0.15 * random.normal(size=(QUERIES, FEATURES))
        queries = queries.astype(np.float32)
        index = Index(rows, np.arange(count))

        def away(found: Any) -> Array:
            return np.asarray(((rows[np.asarray(found, dtype=int)] - queries) ** 2).sum(axis=1))

        def exact(ours: list[int], theirs: Any) -> float:
            return float((np.abs(away(theirs) - away(ours)) / away(ours)).max())

        def missed(ours: list[int], theirs: Any) -> float:
            return float((away(theirs) > (1.0 + ROUNDED) * away(ours)).mean())

        return Case(
            lambda: [index.nearest(query)[0] for query in queries],
            {
                "FAISS, exact": lambda: Rival(_faiss(rows, queries, 0), exact, ROUNDED),
                "FAISS, HNSW": lambda: Rival(_faiss(rows, queries, LINKS), missed, MISSED),
                "hnswlib": lambda: Rival(_hnswlib(rows, queries), missed, MISSED),
            },
        )

    return case


def _faiss(rows: Array, queries: Array, links: int) -> Callable[[], Any]:
    """Search one query at a time, like *Drive* does."""
    import faiss

    faiss.omp_set_num_threads(1)
    index: Any = faiss.IndexFlatL2(FEATURES)
    if links:
        index = faiss.IndexHNSWFlat(FEATURES, links)
        index.hnsw.efConstruction, index.hnsw.efSearch = BUILD, SEARCH
    index.add(rows)
    return lambda: [index.search(query[None], 1)[1][0, 0] for query in queries]


def _hnswlib(rows: Array, queries: Array) -> Callable[[], Any]:
    import hnswlib

    index = hnswlib.Index("l2", FEATURES)
    index.init_index(len(rows), M=LINKS, ef_construction=BUILD)
    index.set_num_threads(1)
    index.add_items(rows)
    index.set_ef(SEARCH)
    return lambda: [index.knn_query(query)[0][0, 0] for query in queries]


def _windows(_: Material) -> Case:
    """Make windows of smooth clips, like `similar` compares them to find similar motion in a library."""
    random, width = np.random.default_rng(2), sum(similar.WAVES)
    walk = np.cumsum(random.normal(size=(WINDOWS, width)), axis=0)
    numbers = np.sin(0.1 * walk).astype(np.float32)
    firsts = np.arange(WINDOWS, dtype=np.int32) % 500 * similar.STEP
    windows = similar.Windows(np.arange(WINDOWS, dtype=np.int32) // 500, firsts, numbers)

    def away(found: Array) -> Array:
        return np.asarray(((numbers[found] - numbers[:, None]) ** 2).sum(axis=2))

    def exact(ours: Array, theirs: Array) -> float:
        return float((np.abs(away(theirs) - away(ours)) / away(ours).max()).max())

    def missed(ours: Array, theirs: Array) -> float:
        return float((away(theirs) > away(ours) * (1.0 + ROUNDED)).mean())

    def others(found: Array) -> Array:
        """Return the nearest rows of each window, overlapping windows last."""
        near = np.abs(firsts[found] - firsts[:, None]) < similar.LENGTH
        near &= windows.clips[found] == windows.clips[:, None]
        order = np.argsort(near, axis=1, kind="stable")
        return np.take_along_axis(found, order[:, : similar.NEIGHBOURS], axis=1)

    count = similar.NEIGHBOURS + 2 * (similar.LENGTH // similar.STEP) + 1

    def faiss_exact() -> Rival:
        import faiss

        faiss.omp_set_num_threads(1)

        def work() -> Array:
            index = faiss.IndexFlatL2(width)
            index.add(numbers)
            return others(index.search(numbers, count)[1])

        return Rival(work, exact, ROUNDED)

    def approximate() -> Rival:
        import hnswlib

        def work() -> Array:
            index = hnswlib.Index("l2", width)
            index.init_index(WINDOWS, M=LINKS, ef_construction=BUILD)
            index.set_num_threads(1)
            index.add_items(numbers)
            index.set_ef(SEARCH)
            return others(index.knn_query(numbers, count)[0].astype(np.int64))

        return Rival(work, missed, MISSED)

    return Case(lambda: similar.nearest(windows), {"FAISS, exact": faiss_exact, "hnswlib": approximate})
