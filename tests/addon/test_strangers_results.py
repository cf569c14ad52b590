"""Damaged files: any value of our custom properties gives one sentence or no message, quickly."""

import json
import math

import bpy
import material
import pytest
from drawing import draw_all
from strangers import CONTROL, KEY, LONG, NESTED, message, survives_saving

pytestmark = pytest.mark.core_result  # our own texts in a custom property
CHANGED = "How Mixed was made can't be read: its custom property 'action_loom' was changed by something else"


def whole(value):
    """Return a damage that replaces the custom property."""

    def spoil(action):
        action[KEY] = value

    return spoil


def held(**values):
    """Return a damage that changes values of the group."""

    def spoil(action):
        for name, value in values.items():
            action[KEY][name] = value

    return spoil


def of_source(**values):
    """Return a damage that changes values of the first source."""

    def spoil(action):
        for name, value in values.items():
            action[KEY]["sources"][0][name] = value

    return spoil


def in_json(name, **values):
    """Return a damage that changes values of the recipe or the request, which are JSON texts."""

    def spoil(action):
        action[KEY][name] = json.dumps(json.loads(action[KEY][name]) | values)

    return spoil


def recipe(**values):
    return in_json("recipe", **values)


def follow(*stretches):
    return held(recipe=json.dumps({"verb": "follow", "path": [[0, 0], [0, 4]], "stretches": stretches}))


def requested(**values):
    return in_json("request", **values)


def source_requested(**values):
    def spoil(action):
        asked = json.loads(action[KEY]["request"])
        asked["sources"][0] |= values
        action[KEY]["request"] = json.dumps(asked)

    return spoil


def one_source(action):
    action[KEY]["sources"] = [action[KEY]["sources"][0].to_dict()]


NO_RECIPE = "can't be read: This is not a recipe (a JSON object"
NO_REQUEST = "can't be read: This is not what is asked of a result: "
NO_STRETCH = "stretches takes rows of start, end (start < end <= 1), clip (1-2)"
# Each damage, and the expected message.
RESULTS = {
    "an int": (whole(5), CHANGED),
    "bytes": (whole(b"\xff\x01"), CHANGED),
    "an empty group": (whole({}), CHANGED),
    "a list of groups": (whole([{}, {}]), CHANGED),
    "version 2.5": (held(version=2.5), CHANGED),
    "version 99": (held(version=99), "a newer Action Loom has made it, so update the extension"),
    "version -1": (held(version=-1), "it is of version -1, which there never was"),
    "version 1 without pointers": (held(version=1, armature="Biped"), CHANGED),
    "sources: int": (held(sources=7), CHANGED),
    "sources: group": (held(sources={"a": 1}), CHANGED),
    "sources: none": (held(sources=[]), "can't be read: "),
    "sources: one too few": (one_source, "can't be read: 2 sources were asked for, and 1 are kept"),
    "name: group": (of_source(name={}), CHANGED),
    "name: 10 KB": (of_source(name="n" * 10_240), ""),  # its content finds the source
    "context: nested": (of_source(context=NESTED), CHANGED),
    "context: a long number": (of_source(context=f'{{"frames": [1, {LONG}]}}'), CHANGED),
    "name: control characters": (of_source(name=CONTROL), ""),
    "gone, 10 KB name": (of_source(name="n" * 10_240, uid="0", hash=""), "nnn … nnn"),
    "gone, control characters": (of_source(name=CONTROL, uid="0", hash=""), r"a\n\x1b[31m\u202e was deleted, or is"),
    "library: lines": (of_source(library="//\n" * 4000), ""),
    "id: ²": (of_source(uid="²"), CHANGED),
    "id: 5001 digits": (of_source(uid=LONG), CHANGED),
    "id: negative": (of_source(uid="-1"), ""),
    "hash: int": (of_source(hash=3), CHANGED),
    "handle: numbers": (of_source(slot_handle=[1]), CHANGED),
    "slot: group": (of_source(slot_identifier={}), CHANGED),
    "armature: int": (held(armature=3), CHANGED),
    "result's hash: bytes": (held(result_hash=b"\xff"), CHANGED),
    "recipe: begun": (held(recipe="{"), NO_RECIPE),
    "recipe: list": (held(recipe="[]"), NO_RECIPE),
    "recipe: nested": (held(recipe=NESTED), NO_RECIPE),
    "verb: 10 KB": (held(recipe=json.dumps({"verb": "v" * 10_240})), "vvvv' is no verb; the verbs are sync,"),
    "verb: graph": (held(recipe='{"verb": "graph"}'), "can't be read: the verb 'graph' makes no action"),
    "unknown option": (recipe(colour="red"), "can't be read: The recipe 'blend' has no option colour"),
    "window: NaN": (recipe(window=math.nan), "window is nan, but must lie between 0 and 1 s"),
    "slope: 31 digits": (recipe(slope=10**30), "slope is 1000000000000000000000000000000, but must lie"),
    "weights: text": (recipe(weights="100:0"), "weights is '100:0', but must be tuple"),
    "weights: three": (recipe(weights=[1.0] * 3), "weights has 3 values"),
    "weights: zero": (recipe(weights=[0.0, 0.0]), "All weights are zero"),
    "weight keys: NaN": (recipe(weight_keys="nan nan nan"), "weight_keys is nan, but must lie between"),
    "reference: 99": (recipe(reference="99"), "reference is '99', but must be medoid"),
    "reference: int": (recipe(reference=1), "reference is 1, but must be str"),
    "joints: half a letter": (recipe(joints="\ud800"), r"joints is '\ud800', but must be text"),
    "joints: 10 KB": (recipe(joints="x" * 10_240), "joints names 'xxx"),
    "ends: list": (recipe(ends=["pinned"]), "ends is ['pinned'], but must be one of auto, pinned"),
    "stretch 99": (follow([0.2, 0.8, 99]), NO_STRETCH),
    "path: a single number": (held(recipe='{"verb": "follow", "path": [[0]]}'), "path takes rows of x, y"),
    "frame: ²": (held(recipe='{"verb": "shortest", "leave": "slow:²", "reach": ":::"}'), "²"),
    "request: list": (held(request="[]"), NO_REQUEST),
    "request: nested sources": (held(request=f'{{"sources": {NESTED}}}'), NO_REQUEST),
    "request: sources int": (requested(sources=5), NO_REQUEST),
    "request: no sources": (requested(sources=[]), "can't be read: 0 sources were asked for, and 2 are kept"),
    "request: place": (requested(place=["cursor"]), "place is ['cursor'], but must be one of reference, cursor"),
    "request: name": (requested(result_name="\0"), r"result_name is '\x00', but must be text"),
    "request: source's name": (source_requested(name=4), NO_REQUEST),
    "request: source's rate": (source_requested(rate=math.nan), "rate is nan, but must lie between 0 and 1000"),
    "request: frames of 31 digits": (source_requested(first=0, last=10**30), "last is 1000000000"),
    "request: frames to the end": (source_requested(first=0, last=2**31 - 1), "its frames 0 to 2,147,483,647 are more"),
    "request: frames backwards": (source_requested(first=100, last=3), "has no frames 100 to 3"),
}


@pytest.mark.parametrize("what", RESULTS)
def test_a_damaged_result_is_a_sentence(opened, what, tmp_path, capfd, loom):
    spoil, expected = RESULTS[what]
    spoil(bpy.data.actions["Mixed"])
    keys, actions = material.fingerprint(bpy.data.actions["Mixed"]), set(bpy.data.actions.keys())
    assert survives_saving(tmp_path, capfd)
    lines = [line.use for line in bpy.context.scene.action_loom.rigs[0].sources]
    rebuilt, edited = message("rebuild", overwrite_edits=True), message("edit_recipe")
    assert expected.replace("nnn … nnn", "n … n") in rebuilt, rebuilt
    assert bool(expected) == bool(rebuilt)
    assert edited in ("", rebuilt) or expected in edited, edited
    if edited:  # a refusal leaves the panel unchanged
        assert [line.use for line in bpy.context.scene.action_loom.rigs[0].sources] == lines
    assert set(bpy.data.actions.keys()) == actions
    if rebuilt:
        assert material.fingerprint(bpy.data.actions["Mixed"]) == keys


@pytest.mark.parametrize("what", ["an int", "gone, control characters", "recipe: begun", "joints: 10 KB"])
def test_a_damaged_result_is_one_line_of_the_command_and_stops_no_other(opened, what, tmp_path, capfd, loom):
    RESULTS[what][0](bpy.data.actions["Mixed"])
    code = loom("addon.host.commands").run(["rebuild", "Mixed", "-o", str(tmp_path / "new.blend"), "--overwrite-edits"])
    out, err = capfd.readouterr()
    assert "Traceback" not in out + err
    assert (code in (1, 2), err.count("\n")) == (True, 1), err
    assert message("blend", sources=material.TWO_WALKS, result_name="Fresh") == ""
    assert "Fresh" in bpy.data.actions


NO_ROLES = "The body roles of Biped can't be read: its custom property 'action_loom_roles' was changed by something"
# Each value of the stored roles, and the expected message.
ROLES = {
    "int": (5, NO_ROLES),
    "numbers": ([1, 2], NO_ROLES),
    "nested": ({"hips": {"bone": "hips"}}, NO_ROLES),
    "a number as bone": ({"hips": 3}, NO_ROLES),
    "a bone that is gone": ({"hips": "tail"}, "Biped: the bone 'tail', chosen as hips, is gone: choose another"),
    "a role that there is not": ({"tail": "hips"}, "Biped: there is no role 'tail' to be played; find the roles anew"),
    "control characters": ({CONTROL: "hips"}, r"there is no role 'a\n\x1b[31m\u202e' to be played"),
    "10 KB": ({"hips": "b" * 10_240}, "Biped: the bone 'bbb"),
    "one bone for all": (
        dict.fromkeys(("hips", "spine", "head", "thigh.L", "thigh.R"), "hips"),
        "",
    ),
    "upside down": ({"hips": "foot.L", "foot.L": "hips", "thigh.L": "head"}, ""),
    "none": (dict.fromkeys(("hips", "spine", "chest", "head", "thigh.L", "thigh.R"), ""), ""),
}


@pytest.mark.parametrize("what", ROLES)
def test_damaged_body_roles_are_a_sentence_until_they_are_found_anew(opened, what, tmp_path, capfd):
    value, expected = ROLES[what]
    opened["action_loom_roles"] = value
    assert survives_saving(tmp_path, capfd)
    for operator, options in (
        ("blend", {"sources": material.TWO_WALKS}),
        ("analyse", {"sources": material.TWO_WALKS}),
        ("rebuild", {"overwrite_edits": True}),
        ("export_motion", {"filepath": str(tmp_path / "walk.bvh")}),
    ):
        text = message(operator, **options)
        assert expected in text
        assert bool(text) == bool(expected) or not expected, text
    message("set_role", role="hips", bone="hips")
    message("add_sources")
    draw_all()
    assert message("find_roles") == ""
    assert message("blend", sources=material.TWO_WALKS, result_name="Fresh") == ""
