"""Graphs in files: a graph reads back unchanged, and other files are refused by name."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import LoomError
from action_loom.core.graph import storage
from action_loom.core.motion.clip import Channel
from action_loom.core.verbs import BuildGraph, Walk
from numpy.testing import assert_allclose, assert_array_equal

pytestmark = pytest.mark.both_engines
ARRAYS = ("clip", "frame", "start", "end", "distance", "turn", "shift", "component")


def test_a_graph_is_read_as_it_was_written(gaits, tmp_path):
    storage.save(gaits, tmp_path / "g.npz")
    again = storage.load(tmp_path / "g.npz")
    for name in ARRAYS:
        assert_array_equal(getattr(again, name), getattr(gaits, name))
    assert (again.name, again.half, again.report) == (gaits.name, gaits.half, gaits.report)
    for one, other in zip(again.clips, gaits.clips, strict=True):
        assert one.name == other.name
        assert_allclose(one.rotations, other.rotations, atol=1e-12)
        assert_allclose(one.translations, other.translations, atol=1e-12)
    for key in ("frame_maps", "labels", "given", "left_out"):
        assert getattr(again.inputs, key) == getattr(gaits.inputs, key)
    walks = [verbs.apply(Walk(seconds=5.0), [], prepared=graph) for graph in (gaits, again)]
    assert_allclose(walks[0].clip.rotations, walks[1].clip.rotations, atol=1e-12)


def test_scales_and_channels_are_kept(tmp_path):
    walk = actions.walk(30.0, 4)
    rng = np.random.default_rng(1)
    walk = replace(
        walk,
        scales=1.0 + 0.01 * rng.random(walk.translations.shape),
        channels={"smile": Channel(rng.random(len(walk))), "prop": Channel(np.ones(len(walk)), discrete=True)},
    )
    graph = verbs.apply(BuildGraph(), [walk])
    storage.save(graph, tmp_path / "g.npz")
    again = storage.load(tmp_path / "g.npz").clips[0]
    assert_array_equal(again.scales, graph.clips[0].scales)
    assert_array_equal(again.channels["smile"].values, graph.clips[0].channels["smile"].values)
    assert again.channels["prop"].discrete
    made = verbs.apply(Walk(seconds=4.0), [], prepared=graph)
    assert set(np.unique(made.clip.channels["prop"].values)) == {1.0}
    assert made.clip.scales is not None


def test_what_is_no_graph_is_refused_with_its_name(gaits, tmp_path):
    with pytest.raises(LoomError, match=r"absent.npz: can't be read"):
        storage.load(tmp_path / "absent.npz")
    content = storage.compose(gaits)
    other = io.BytesIO()
    np.savez(other, about=np.frombuffer(json.dumps({"version": 99}).encode(), dtype=np.uint8))
    cases = [b"", b"walk", content[: len(content) // 2], content[1000:]]
    for number, broken in enumerate(cases):
        path = tmp_path / f"{number}.npz"
        path.write_bytes(broken)
        with pytest.raises(LoomError, match=f"{number}.npz: this is not a motion graph that Action Loom has made"):
            storage.load(path)
    (tmp_path / "new.npz").write_bytes(other.getvalue())
    with pytest.raises(LoomError, match="made by another version of Action Loom; build it again"):
        storage.load(tmp_path / "new.npz")


@pytest.mark.parametrize(
    ("name", "damage"),
    [("parents", lambda values: values[::-1].copy()), ("rotations", lambda values: values + 1j)],
    ids=["no body", "complex numbers"],
)
@pytest.mark.filterwarnings("default")
def test_a_file_with_other_values_is_refused_by_name(gaits, tmp_path, name, damage):
    with np.load(io.BytesIO(storage.compose(gaits))) as arrays:
        kept = dict(arrays)
    np.savez(tmp_path / "twisted.npz", **(kept | {name: damage(kept[name])}))
    with pytest.raises(LoomError, match=r"twisted.npz: this is not a motion graph that Action Loom has made"):
        storage.load(tmp_path / "twisted.npz")
