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
PARTS = 12  # of the pairs of variations


def cells(name, tmp_path, combinations):
    """Return the cells of a clip by its variations; cells that the tool could not write are left out."""
    original, target = tmp_path / f"{name}.bvh", tmp_path / "varied" / f"{name}.bvh"
    target.parent.mkdir(exist_ok=True)
    varied.write(varied.clips()[name], original, ())  # only some frames, from here on the clip itself
    true, true_shape, found = motion_file.read(original), varied.shape_of(original), {}
    for variations in combinations:
        varied.write(original, target, variations)
        if varied.has_shape(target, true_shape):
            found[variations] = varied.judge(true, varied.read_all(target), variations)
    return found


def silent(found):
    """Return the unreported differences that the motion could have shown."""
    unseen = {variations: {"rate"} if UNSEEN & set(variations) else set() for variations in found}
    return {one: cell.silent - unseen[one] for one, cell in found.items() if cell.silent - unseen[one]}


@pytest.mark.parametrize(("number", "name"), list(enumerate(NAMES)))
def test_a_clip_is_read_in_any_convention(number, name, tmp_path, record_property):
    """Clips kept out of tuning have all variations, other clips a third."""
    kept_aside = varied.is_kept_aside(name)
    variations = list(varied.VARIATIONS)[0 if kept_aside else number % 3 :: 1 if kept_aside else 3]
    found = cells(name, tmp_path, [(one,) for one in variations])
    record_property("kept_aside", kept_aside)
    record_property("silent", {one: cell.silent for one, cell in found.items() if cell.silent})
    assert len(found) > 0.7 * len(variations)
    assert silent(found) == {}
    assert {one: cell.needless for one, cell in found.items() if cell.needless} == {}


@pytest.mark.parametrize(("number", "name"), list(enumerate(NAMES)))
def test_a_clip_is_read_in_any_two_conventions(number, name, tmp_path):
    """Each clip has a twelfth of the pairs, each pair four or five clips."""
    pairs = varied.PAIRS[number % PARTS :: PARTS]
    found = cells(name, tmp_path, pairs)
    assert len(found) > 0.7 * len(pairs)
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
