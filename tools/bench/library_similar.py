"""All similar stretches of a library and their clusters, measured: right, and how long.

Writes docs/measured/library.md.

    python tools/bench/library_similar.py

Farthest distance, neighbours and what joins clusters were chosen on the clips that are not kept aside.
"""

import os
import resource
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import page_sections
from action_loom.core import jit
from action_loom.core.library import similar, storage
from action_loom.core.library.storage import Library
from libraries import FULL, PAGE, SIZES, built, descriptions, label_of, recording_of
from oracles.kept_aside import is_kept_aside

TITLE = "What is alike"
ABOUT = (
    "All pairs of similar stretches, and their clusters. Windows of a second; neighbours: share of the ten nearest of"
    " each window that have its label, of other recordings too; pairs: of the mutual ones that are kept, of other"
    " recordings. Coverage: windows that are in a cluster of at least 10 (65 % asked); purity: share of these that have"
    " the commonest label of their cluster (85 % asked), and by chance, all windows being one cluster. Labels are those"
    " of whole clips, as above. Each row is a library of its own."
)
FOLLOW = (
    "Clusters of windows that go on as one another in half of their stretches are one, which gives whole stretches"
    " instead of pieces of a second. Without it: tuned on {}; kept aside {}."
)
TIMES = (
    "Time, the clips' rows repeated: each copy louder or weaker (10 %), shifted by 15 % of the spread and with slow"
    " waves of 20 %, so that few windows have neighbours that are easily told. Asked: 5 s for 463,000 frames, a minute"
    " and 1.5 GB for 4.26 million. Memory is the highest of the whole process, the library's rows among it. Load of the"
    " machine when this began: {:.1f} of 2 cores."
)


def main() -> None:
    if len(sys.argv) > 1:
        print(timed(sys.argv[1], int(sys.argv[2])))
        return
    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/all.loomlib"
        library, _ = built(place)
        texts = descriptions()
        labels = {clip.path: label_of(texts[clip.path]) for clip in library.clips}
        table, follow = rightness(library, labels)
        lines = [*wrapped(ABOUT), "", *table, "", *wrapped(follow), ""]
        lines += [*wrapped(TIMES.format(os.getloadavg()[0])), ""]
        lines += ["| frames | rows | windows | engine | s, wall | s of processor | memory, MB | pairs | clusters |"]
        lines += ["|---|---|---|---|---|---|---|---|---|"]
        for frames in SIZES:
            for engine in ("numba", "numpy"):
                command = [sys.executable, __file__, place, str(frames)]
                with_engine = os.environ | {"ACTION_LOOM_ENGINE": engine}
                done = subprocess.run(command, env=with_engine, capture_output=True, text=True, check=True)
                lines.append(done.stdout.strip())
                print(lines[-1], flush=True)
    page_sections.put(PAGE, TITLE, lines)


def wrapped(words: str) -> list[str]:
    return textwrap.wrap(words, 118)


# --- is it right ----------------------------------------------------------------------------------------------------


def rightness(library, labels):
    """A table of shares of the same label, then a sentence of what joining clusters does."""
    lines = [
        "| clips | windows | neighbours | of others | pairs, of others | clusters | coverage | purity | by chance |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    without = []
    for name, wanted in (("tuned on", {False}), ("kept aside", {True}), ("all", {False, True})):
        entries = tuple(clip for clip in library.clips if is_kept_aside(Path(clip.path)) in wanted)
        figures, plain = shares(library, entries, labels)
        lines.append(f"| {name}: {len(entries)} | " + " | ".join(figures) + " |")
        without.append(plain)
        print(lines[-1], plain, flush=True)
    return lines, FOLLOW.format(*without[:2])


def shares(library, entries, labels):
    """Figures of one row of the table, and what there would be without joining."""
    windows = similar.windows_of(library, entries)
    reported = np.array([labels[entry.path] for entry in entries])[windows.clips]
    takes = np.array([recording_of(entry) for entry in entries])[windows.clips]
    near = similar.nearest(windows)
    own = np.repeat(np.arange(len(near)), near.shape[1])[near.ravel() >= 0]
    near = near.ravel()[near.ravel() >= 0]
    others = takes[own] != takes[near]
    pairs = similar.mutual(similar.nearest(windows))
    distances, _ = similar.warped(library, entries, windows, pairs)
    pairs = pairs[distances <= similar.FARTHEST]
    apart = pairs[takes[pairs[:, 0]] != takes[pairs[:, 1]]]
    found = similar.labelled(len(reported), pairs)
    clusters, coverage, purity = of_clusters(similar.follow_on(windows, found), reported)
    plain = "{} clusters, {:.1f} % covered, {:.1f} % pure".format(*of_clusters(found, reported))
    values = (
        (reported[own] == reported[near]).mean(),
        (reported[own] == reported[near])[others].mean(),
        (reported[apart[:, 0]] == reported[apart[:, 1]]).mean(),
    )
    cells = [str(len(reported)), *(f"{100 * value:.1f} %" for value in values), str(clusters)]
    chance = max(Counter(reported.tolist()).values()) / len(reported)
    return [*cells, f"{coverage:.1f} %", f"{purity:.1f} %", f"{100 * chance:.1f} %"], plain


def of_clusters(found, reported):
    """How many clusters there are, their coverage and their purity, %."""
    sizes = Counter(found.tolist())
    large = [label for label, count in sizes.items() if count >= similar.LEAST]
    covered = sum(sizes[label] for label in large)
    pure = sum(max(Counter(reported[found == label].tolist()).values()) for label in large)
    return len(large), 100 * covered / len(reported), 100 * pure / max(covered, 1)


# --- how long -------------------------------------------------------------------------------------------------------


def timed(place, frames):
    """A row of the table of times, of one engine, in a process that does nothing else."""
    kernels = jit.kernels("action_loom.core.library")
    engine = "compiled" if kernels.__name__.endswith("_numba") else "numpy"
    library = perturbed(storage.read(place), frames)
    began, wall = time.process_time(), time.perf_counter()
    found = similar.similar(library)
    wall, cpu = time.perf_counter() - wall, time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    cells = (f"{frames:,}", f"{len(library.rows):,}", f"{found.windows:,}", engine, f"{wall:.1f}", f"{cpu:.1f}")
    return f"| {' | '.join(cells)} | {memory:.0f} | {len(found.pairs):,} | {len(found.clusters):,} |"


def perturbed(library, frames):
    """The clips again and again, each time otherwise, as a library of so many frames of 120 a second."""
    rng, wanted = np.random.default_rng(1), frames * 1_065_000 // FULL
    spread = np.asarray(library.rows, dtype=np.float32).std(axis=0)
    blocks, entries, first, k = [], [], 0, 0
    while first < wanted:
        for clip in library.clips:
            rows = library.rows_of(clip)[: wanted - first]
            if k > 0:
                loud, shift, waves = 1.0 + 0.1 * rng.normal(), *0.15 * rng.normal(size=(2, len(spread)))
                phases = np.arange(len(rows))[:, None] / rng.uniform(5.0, 20.0) + rng.uniform(0.0, 6.3, len(spread))
                rows = loud * rows + spread * (shift + 4.0 / 3.0 * waves * np.sin(phases))
            blocks.append(rows.astype(np.float16))
            entries.append(replace(clip, path=f"{clip.path}#{k}", first=first, rows=len(rows)))
            first += len(rows)
        k += 1
    return Library("", tuple(entry for entry in entries if entry.rows), np.concatenate(blocks))


if __name__ == "__main__":
    main()
