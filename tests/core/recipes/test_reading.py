"""The parts of a request beside the recipe: to JSON and back, and in the form of version 0.1."""

import json

import pytest
from action_loom.core.errors import OptionError
from action_loom.core.recipes.reading import ReadingOptions, Request, Source, request_from_json
from action_loom.core.recipes.result import ResultOptions

# As version 0.1 wrote it, word for word.
OF_0_1 = (
    '{"as_seen": true, "assign": false, "curve": "Path", "interpolation": "BEZIER", "mark_contacts": true,'
    ' "place": "CURSOR", "result_name": "New", "sources": [{"first": 1, "last": 60, "name": "Walk", "rate": 30.0,'
    ' "slot": "OBRig"}, {"first": 0, "last": 0, "name": "Run", "rate": 0.0, "slot": ""}], "travel": "ROOT"}'
)
ASKED = Request(
    sources=(Source(name="Walk", rate=30.0, slot="OBRig", first=1, last=60), Source(name="Run")),
    reading=ReadingOptions(visual=True),
    result=ResultOptions(
        place="cursor", result_name="New", assign=False, travel="root", interpolation="bezier", mark_contacts=True
    ),
    curve="Path",
)


def test_a_request_survives_json():
    other = Request(sources=(Source(name="歩く", armature="Actor"), Source(name="歩く")))
    for request in (ASKED, Request(sources=()), other):
        assert request_from_json(request.to_json()) == request


def test_a_request_of_version_0_1_is_read_as_todays():
    assert request_from_json(OF_0_1) == ASKED
    assert "as_seen" not in json.loads(ASKED.to_json())


def test_what_is_left_out_is_as_usual():
    assert request_from_json('{"sources": [{"name": "Walk"}]}') == Request(sources=(Source(name="Walk"),))


def test_all_frames_are_read_unless_two_are_named():
    assert Source(name="Walk").span is None
    assert Source(name="Walk", first=7, last=7).span is None
    assert Source(name="Walk", first=3, last=20).span == (3, 20)


def test_whose_an_action_is_is_text():
    with pytest.raises(OptionError, match="not what is asked"):
        request_from_json('{"sources": [{"name": "Walk", "armature": 3}]}')


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"place": "MOON"}, "place is 'moon', but must be one of reference, cursor"),
        ({"interpolation": 3}, "interpolation is 3, but must be one of"),
        ({"as_seen": "yes"}, "visual is 'yes', but must be bool"),
        ({"sources": [{"name": "Walk", "rate": -1}]}, "rate is -1, but must lie between 0 and 1000"),
    ],
)
def test_values_that_options_refuse_are_refused(changed, message):
    with pytest.raises(OptionError, match=message):
        request_from_json(json.dumps(json.loads(OF_0_1) | changed))


@pytest.mark.parametrize(
    "text",
    [
        "", "walk", "[]", "{}", "null", "[" * 10_000, '{"sources": 3}', '{"sources": [3]}', '{"sources": [], "x": 1}',
        '{"sources": [{"name": 3}]}', '{"sources": [{"name": "Walk", "colour": 3}]}', '{"sources": [], "curve": []}',
        '{"sources": [{"first": ' + "9" * 5001 + "}]}",
    ],
    ids=lambda text: text[:40],
)  # fmt: skip
def test_what_is_no_request_is_refused(text):
    with pytest.raises(OptionError, match="This is not what is asked of a result: "):
        request_from_json(text)
