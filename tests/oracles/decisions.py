"""Answers that choose one of several: frames, lengths, walks, matches; a process of its own prints them as JSON.

Run `python -P -m oracles.decisions` with environment variables that change the last bits of a matrix product.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh
from action_loom.core.graph import build
from action_loom.core.library import asking, index, search, storage
from action_loom.core.motion import kinematics
from action_loom.core.recipes.graph import GraphOptions
from action_loom.core.verbs import Blend, Connect, Follow, InPlace, Loop, Splice, Walk
from oracles import material, paths

CAPTURES = ("cmu_asf_16_15", "cmu_asf_16_11", "cmu_asf_16_19", "cmu_asf_16_41")  # straight, left, right, a run
CORNER = ((0.0, 0.0), (0.0, 2.0), (1.0, 4.0))


def woven(made):
    """Return a verb's report without its times and engine, and the places of some points of the clip."""
    report = {name: value for name, value in made.report.items() if "seconds" not in name and name != "engine"}
    return {"report": report, "points": kinematics.points(made.clip)[::7, ::5].ravel().tolist()}


def graphs(clips, shape):
    graph = build.build(clips, GraphOptions())
    ends = np.stack([graph.clip[graph.start], graph.frame[graph.start], graph.clip[graph.end], graph.frame[graph.end]])
    yield "transitions", ends.ravel().tolist()
    yield "path", woven(verbs.apply(Follow(path=shape.tolist()), [], prepared=graph))
    yield "random walk", woven(verbs.apply(Walk(seconds=10.0), [], prepared=graph))


def weaves(clips):
    yield "blend", woven(verbs.apply(Blend(), clips[:2]))
    yield "loop", woven(verbs.apply(Loop(), clips[:1]))
    yield "loop by autocorrelation", woven(verbs.apply(Loop(finder="autocorrelation"), clips[:1]))
    yield "connect", woven(verbs.apply(Connect(), clips[:2]))
    yield "connect anywhere", woven(verbs.apply(Connect(anywhere=True), clips[:2]))


def searches(clips):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for clip in clips:
            Path(folder, f"{clip.name}.bvh").write_bytes(bvh.compose(clip))
        index.update(str(Path(folder, "all.loomlib")), [folder])
        library = storage.read(Path(folder, "all.loomlib"))
        found = search.like(search.Searched(library, library.clips), asking.rows(clips[0], 20, 79), mirror=True)
    yield "search", [[each.entry.name, each.first, each.last, each.mirrored, each.distance] for each in found]


def answers():
    captures = [material.captured(name) for name in CAPTURES] if material.SHARED.is_dir() else []
    walk, turn, sneak = actions.walk(cycles=4), actions.turn_left(), actions.sneak()
    for kind, clips in (("figure", [walk, turn, sneak]), ("captures", captures)):
        for answer in (*graphs(clips, paths.SHAPES["S"]), *weaves(clips), *searches(clips)) if clips else ():
            yield f"{answer[0]}, {kind}", answer[1]
    on_the_spot = verbs.apply(InPlace(), [walk]).clip
    yield "path on the spot", woven(verbs.apply(Follow(path=CORNER), [on_the_spot]))
    yield "connect captures far apart", woven(verbs.apply(Connect(), captures[1::2])) if captures else None
    yield "splice", woven(verbs.apply(Splice(), [walk, actions.wave(), actions.wave()]))


if __name__ == "__main__":
    json.dump(dict(answers()), sys.stdout)
