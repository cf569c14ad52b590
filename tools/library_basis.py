"""Fits the directions of core/library/basis.npz on the captured clips of ../shared, without the held-out clips.

    python tools/library_basis.py

Needed only after a change of the features in a row: another basis requires every library to be rebuilt.
"""

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from action_loom.core.formats import motion_file
from action_loom.core.library import basis, feature
from oracles.kept_aside import is_kept_aside

DATA = ROOT.parent / "shared" / "data"


def main():
    paths = [path for folder in ("cmu", "strides", "amc") for path in sorted((DATA / folder).glob("*.[ba][vm][hc]"))]
    read = [(path, feature.rows(motion_file.read(path).clip)) for path in paths]
    tuned, aside = ([rows for path, rows in read if is_kept_aside(path) is kept] for kept in (False, True))
    mean, directions = basis.fit(tuned)
    with basis.FILE.open("wb") as file:
        np.savez(file, mean=mean, directions=directions)
    for name, rows in (("tuned on", tuned), ("kept aside", aside)):
        share = basis.kept_variance(np.concatenate(rows))
        print(f"{name}: {len(rows)} clips, {sum(map(len, rows))} rows, {share:.3f} kept")


if __name__ == "__main__":
    main()
