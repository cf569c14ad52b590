"""Captured clips in other programs' conventions are read like the originals, or a sentence reports the difference.

The originals are the ground truth. A cell is one clip in one convention, or in two.
"""

import pytest
from action_loom.core.formats import motion_file
from oracles import material, varied

# The tool leaves the files that it reads to the garbage collector.
pytestmark = [pytest.mark.shared, pytest.mark.filterwarnings("ignore::ResourceWarning")]
NAMES = sorted(varied.clips()) if material.SHARED.is_dir() else []
# A wrong rate can't be seen in clips of 3 s without steps, falls and strokes of the hands.
UNSEEN = {"declare 24"}
NEEDLESS_SHARE = 0.02


def cells(name, tmp_path, combinations):
    """Return the cells of a clip by its variations; cells that the tool could not write are left out."""
    source, original = varied.clips()[name], tmp_path / f"{name}.bvh"
    varied.write(source, original, ())
    true, found = motion_file.read(original), {}
    for variations in combinations:
        target = tmp_path / "varied" / f"{name}.bvh"
        target.parent.mkdir(exist_ok=True)
        varied.write(source, target, variations)
        if varied.is_faithful(original, target):
            found[variations] = varied.judge(true, varied.read_all(target), variations)
    return found


def silent(found):
    """Return the unreported differences that the motion could have shown."""
    unseen = {variations: {"rate"} if UNSEEN & set(variations) else set() for variations in found}
    return {one: cell.silent - unseen[one] for one, cell in found.items() if cell.silent - unseen[one]}


@pytest.mark.parametrize("name", NAMES)
def test_a_clip_is_read_in_any_convention(name, tmp_path, record_property):
    found = cells(name, tmp_path, [(one,) for one in varied.VARIATIONS])
    record_property("kept_aside", varied.is_kept_aside(name))
    record_property("silent", {one: cell.silent for one, cell in found.items() if cell.silent})
    assert len(found) > 0.8 * len(varied.VARIATIONS)
    assert silent(found) == {}
    assert {one: cell.needless for one, cell in found.items() if cell.needless} == {}


@pytest.mark.parametrize(("number", "name"), list(enumerate(NAMES)))
def test_a_clip_is_read_in_any_two_conventions(number, name, tmp_path):
    """Each clip has a third of the pairs, each pair a third of the clips."""
    pairs = varied.PAIRS[number % 3 :: 3]
    found = cells(name, tmp_path, pairs)
    assert len(found) > 0.8 * len(pairs)
    assert silent(found) == {}
    assert sum(bool(cell.needless) for cell in found.values()) <= NEEDLESS_SHARE * len(found)


def test_wrong_rates_are_mostly_noticed(tmp_path):
    """The share holds both for clips used for tuning and for all other clips."""
    noticed = {aside: [] for aside in (False, True)}
    for name in NAMES:
        (cell,) = cells(name, tmp_path, [("declare 24",)]).values()
        noticed[varied.is_kept_aside(name)].append("rate" in cell.doubts)
    shares = {aside: sum(flags) / len(flags) for aside, flags in noticed.items()}
    assert min(shares.values()) > 0.8, shares
