"""The size, the vocabulary and the prose of the project may get better but not worse.

A commit that has to raise a figure records it with `python tests/oracles/house.py`, and its message gives the
reason.
"""

import json

import pytest
from oracles import house


@pytest.mark.shared
def test_no_figure_is_above_its_record():
    recorded, measured = json.loads(house.RECORD.read_text(encoding="utf-8")), house.measure()
    assert set(measured) == set(recorded)
    worse = {name: (recorded[name], value) for name, value in measured.items() if value > recorded[name]}
    listed = "; ".join(f"{name}: {known} → {value}" for name, (known, value) in worse.items())
    remedy = "make these smaller, or run `python tests/oracles/house.py` and give the reason in the commit"
    assert not worse, f"{remedy}: {listed}"


def test_lines_of_code_leave_out_comments_docstrings_and_blank_lines():
    documented = '"""A docstring\n\nof three lines."""\n\n# a comment\n'
    text = documented + 'x = (\n    1,  # another\n)\n\n\ndef f():\n    """Text."""\n    return x\n'
    assert house.lines_of_code(text) == 5


def test_bare_participles_are_recognised():
    participles = ["kept", "asked", "_moved", "_apart", "shown"]
    nouns_and_verbs = ["read", "speed", "find_roles", "kept_frames", "apply", "seed", "own"]
    assert [house.is_bare_participle(name) for name in participles + nouns_and_verbs] == [True] * 5 + [False] * 7
