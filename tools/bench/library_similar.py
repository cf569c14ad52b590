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
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import page_sections
from action_loom.core.library import similar, storage
from action_loom.core.library.storage import Library
from libraries import FULL, PAGE, SIZES, built, descriptions, label_of, recording_of, wrapped
from oracles.kept_aside import is_kept_aside
from quality_tables import grid

TITLE = "What is alike"
COMMAND = "    python tools/bench/library_similar.py"
ABOUT = (
    "All pairs of similar stretches, windows of a second, and their clusters; each row is a library of its own, labels"
    " as above."
)
COLUMNS = (
    ("neighbours; of others", "share of a window's ten nearest that have its label; of other recordings", ""),
    ("pairs, of others", "the same of mutual pairs that are kept, of other recordings", ""),
    ("coverage", "windows in a cluster of at least 10", "65 %"),
    ("purity; by chance", "share of these with their cluster's commonest label; all windows being one cluster", "85 %"),
    (
        "not joined",
        "clusters, coverage, purity if windows that continue each other in half of their stretches stay apart",
        "",
    ),
)
TIMES = (
    "Time on the clips' rows repeated, each copy scaled by 10 %, shifted by 15 % of the spread, with slow waves of"
    " 20 %. Wanted: 5 s for 463,000 frames, 60 s and 1.5 GB (of the whole process) for 4.26 million. Load before:"
    " {:.1f} of 2 cores."
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
        columns = grid(("column", "what it is", "wanted"), COLUMNS)
        lines = [*wrapped(ABOUT), "", COMMAND, "", *columns, "", *rightness(library, labels), ""]
        lines += [*wrapped(TIMES.format(os.getloadavg()[0])), ""]
        lines += ["| frames | rows | windows | s, wall | s of processor | memory, MB | pairs | clusters |"]
        lines += ["|---|---|---|---|---|---|---|---|"]
        for frames in SIZES:
            command = [sys.executable, __file__, place, str(frames)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            lines.append(done.stdout.strip())
            print(lines[-1], flush=True)
    page_sections.put(PAGE, TITLE, lines)


# --- is it right ----------------------------------------------------------------------------------------------------


def rightness(library, labels):
    """A table of shares of the same label, with and without joining clusters."""
    heads = ("clips", "windows", "neighbours", "of others", "pairs, of others", "clusters", "coverage", "purity")
    rows = []
    for name, wanted in (("tuned on", {False}), ("kept aside", {True}), ("all", {False, True})):
        entries = tuple(clip for clip in library.clips if is_kept_aside(Path(clip.path)) in wanted)
        figures, plain = shares(library, entries, labels)
        rows.append((f"{name}: {len(entries)}", *figures, plain))
        print(rows[-1], flush=True)
    return grid((*heads, "by chance", "not joined"), rows)


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
    plain = "{}, {:.1f} %, {:.1f} %".format(*of_clusters(found, reported))
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
    """A row of the table of times, in a process that does nothing else."""
    library = perturbed(storage.read(place), frames)
    began, wall = time.process_time(), time.perf_counter()
    found = similar.similar(library)
    wall, cpu = time.perf_counter() - wall, time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    cells = (f"{frames:,}", f"{len(library.rows):,}", f"{found.windows:,}", f"{wall:.1f}", f"{cpu:.1f}")
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
