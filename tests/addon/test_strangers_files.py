"""Files of strangers: whatever our custom properties and settings hold is a sentence or nothing, at once."""

import json
import math
import time
from contextlib import suppress

import bpy
import material
import pytest
from drawing import draw_all

KEY = "action_loom"
MOST_SECONDS = 5.0
NESTED = "[" * 10_000 + "]" * 10_000
LONG = "9" * 5001
CONTROL = "a\n\x1b[31m\u202e"
BOTH = [{"name": "slow", "weight": 1.0}, {"name": "quick", "weight": 1.0}]
CHANGED = "How Mixed was made can't be read: its custom property 'action_loom' was changed by something else"


@pytest.fixture(scope="module")
def good(extension, tmp_path_factory):
    """A file with an armature, two listed walks, and a result of them, all as it should be."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    rig = material.biped()
    material.key_walk(rig, "slow", frames=36)
    material.key_walk(rig, "quick", frames=24, leads="R")
    bpy.ops.action_loom.add_sources()
    bpy.ops.action_loom.blend(sources=BOTH, result_name="Mixed")
    path = tmp_path_factory.mktemp("strangers") / "good.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


@pytest.fixture
def opened(good):
    bpy.ops.wm.open_mainfile(filepath=str(good))
    return bpy.data.objects["Biped"]


def said(operator, **options):
    """What an operator says that refuses, "" for one that is done; never a traceback, and never after long."""
    began = time.perf_counter()
    try:
        getattr(bpy.ops.action_loom, operator)(**options)
        message = ""
    except RuntimeError as error:
        message = str(error)
    assert time.perf_counter() - began < MOST_SECONDS, operator
    assert "Traceback" not in message, message
    sentences = [line for line in message.splitlines() if not line.startswith("Location: ")]
    assert len(sentences) <= 1, message
    assert len(message) < 1500
    return sentences[0].removeprefix("Error: ") if sentences else ""


def survives_saving(tmp_path, capfd):
    """Whether a file is drawn, saved and opened without a word of Python's."""
    began = time.perf_counter()
    draw_all()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "strange.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "strange.blend"))
    draw_all()
    out, err = capfd.readouterr()
    return "Traceback" not in out + err and time.perf_counter() - began < MOST_SECONDS


# --- results --------------------------------------------------------------------------------------------------------


def whole(value):
    """The custom property is something else."""

    def spoil(action):
        action[KEY] = value

    return spoil


def held(**values):
    """The group holds other values."""

    def spoil(action):
        for name, value in values.items():
            action[KEY][name] = value

    return spoil


def of_source(**values):
    """The first source holds other values."""

    def spoil(action):
        for name, value in values.items():
            action[KEY]["sources"][0][name] = value

    return spoil


def in_json(name, **values):
    """The recipe or the request, which are JSON, have other values."""

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


NO_RECIPE = "can't be read: This is not a recipe of sync, blend"
NO_REQUEST = "can't be read: This is not what is asked of a result: "
NO_STRETCH = "a stretch is start and end between 0 and 1 and the number of a clip from 1 to 2"
# What is wrong, and what is said of it.
RESULTS = {
    "an int": (whole(5), CHANGED),
    "a float": (whole(0.5), CHANGED),
    "a text": (whole("my own notes"), CHANGED),
    "numbers": (whole([1, 2]), CHANGED),
    "bytes": (whole(b"\xff\x01"), CHANGED),
    "a truth": (whole(True), CHANGED),
    "an empty group": (whole({}), CHANGED),
    "a list of groups": (whole([{}, {}]), CHANGED),
    "groups in groups": (whole({"a": {"b": {"c": {}}}}), CHANGED),
    "version 2.5": (held(version=2.5), CHANGED),
    "version as text": (held(version="2"), CHANGED),
    "version as numbers": (held(version=[2]), CHANGED),
    "version 99": (held(version=99), "a newer Action Loom has made it, so update the extension"),
    "version -1": (held(version=-1), "it is of version -1, which there never was"),
    "version 1 without pointers": (held(version=1, armature="Biped"), CHANGED),
    "sources: int": (held(sources=7), CHANGED),
    "sources: text": (held(sources="ab"), CHANGED),
    "sources: numbers": (held(sources=[1.0, 2.0]), CHANGED),
    "sources: group": (held(sources={"a": 1}), CHANGED),
    "sources: none": (held(sources=[]), "can't be read: "),
    "sources: one too few": (one_source, "can't be read: 2 sources were asked for, and 1 are kept"),
    "name: int": (of_source(name=3), CHANGED),
    "name: bytes": (of_source(name=b"\xff"), CHANGED),
    "name: group": (of_source(name={}), CHANGED),
    "name: 10 KB": (of_source(name="n" * 10_240), ""),  # it is found by its content
    "name: control characters": (of_source(name=CONTROL), ""),
    "gone, 10 KB name": (of_source(name="n" * 10_240, uid="0", hash=""), "nnn … nnn"),
    "gone, control characters": (of_source(name=CONTROL, uid="0", hash=""), r"a\n\x1b[31m\u202e was deleted, or is"),
    "library: lines": (of_source(library="//\n" * 4000), ""),
    "id: a word": (of_source(uid="first"), CHANGED),
    "id: ²": (of_source(uid="²"), CHANGED),
    "id: 5001 digits": (of_source(uid=LONG), CHANGED),
    "id: negative": (of_source(uid="-1"), ""),
    "id: int": (of_source(uid=3), CHANGED),
    "hash: int": (of_source(hash=3), CHANGED),
    "handle: numbers": (of_source(slot_handle=[1]), CHANGED),
    "slot: group": (of_source(slot_identifier={}), CHANGED),
    "armature: int": (held(armature=3), CHANGED),
    "armature: text": (held(armature="Biped"), CHANGED),
    "armature: empty": (held(armature={}), CHANGED),
    "armature: texts": (held(armature=["Biped"]), CHANGED),
    "result's hash: bytes": (held(result_hash=b"\xff"), CHANGED),
    "recipe: int": (held(recipe=3), CHANGED),
    "recipe: nothing": (held(recipe=""), NO_RECIPE),
    "recipe: begun": (held(recipe="{"), NO_RECIPE),
    "recipe: list": (held(recipe="[]"), NO_RECIPE),
    "recipe: null": (held(recipe="null"), NO_RECIPE),
    "recipe: nested": (held(recipe=NESTED), NO_RECIPE),
    "weights: nested": (held(recipe=f'{{"verb": "blend", "weights": {NESTED}}}'), NO_RECIPE),
    "verb: int": (recipe(verb=5), NO_RECIPE),
    "verb: list": (recipe(verb=[]), NO_RECIPE),
    "verb: 10 KB": (held(recipe=json.dumps({"verb": "v" * 10_240})), NO_RECIPE),
    "verb: graph": (held(recipe='{"verb": "graph"}'), "can't be read: the verb 'graph' makes no action"),
    "unknown option": (recipe(colour="red"), "can't be read: The recipe 'blend' has no option colour"),
    "window: NaN": (recipe(window=math.nan), "window is nan, but must lie between 0 and 1 s"),
    "window: inf": (recipe(window=math.inf), "window is inf, but must lie between 0 and 1 s"),
    "window: 1e308": (recipe(window=1e308), "window is 1e+308, but must lie between 0 and 1 s"),
    "slope: 5001 digits": (held(recipe=f'{{"verb": "blend", "slope": {LONG}}}'), NO_RECIPE),
    "slope: 31 digits": (recipe(slope=10**30), "slope is 1000000000000000000000000000000, but must lie"),
    "start: 31 digits": (held(recipe='{"verb": "loop", "start": 1%s}' % ("0" * 30)), "start is 1000000"),
    "weights: text": (recipe(weights="100:0"), "weights is '100:0', but must be tuple"),
    "weights: NaN": (recipe(weights=[math.nan, 1.0]), "weights is nan, but must lie between 0 and 1e+06"),
    "weights: 1e308": (recipe(weights=[1e308, 1e308]), "weights is 1e+308, but must lie between 0 and 1e+06"),
    "weights: one": (recipe(weights=[1.0]), "1 weights were given"),
    "weights: three": (recipe(weights=[1.0] * 3), "3 weights were given"),
    "weights: lists": (recipe(weights=[[1], [2]]), "weights is [1], but must be a number"),
    "weights: zero": (recipe(weights=[0.0, 0.0]), "All weights are zero"),
    "weight keys: NaN": (recipe(weight_keys="nan nan nan"), "weight_keys is nan, but must lie between"),
    "weight keys: empty row": (recipe(weight_keys=[[]]), "Weight keys begin with their place"),
    "reference: ²": (recipe(reference="²"), "reference is '²', but must be medoid, longest or a clip from 1 to 2"),
    "reference: 0": (recipe(reference="0"), "reference is '0', but must be medoid"),
    "reference: -1": (recipe(reference="-1"), "reference is '-1', but must be medoid"),
    "reference: 99": (recipe(reference="99"), "reference is '99', but must be medoid"),
    "reference: 5001 digits": (recipe(reference=LONG), "reference is '9999"),
    "reference: int": (recipe(reference=1), "reference is 1, but must be str"),
    "joints: half a letter": (recipe(joints="\ud800"), r"joints is '\ud800', but must be text"),
    "joints: 10 KB": (recipe(joints="x" * 10_240), "joints names 'xxx"),
    "ends: list": (recipe(ends=["pinned"]), "ends is ['pinned'], but must be one of auto, pinned"),
    "stretch 99": (follow([0.2, 0.8, 99]), NO_STRETCH),
    "stretch 0": (follow([0.2, 0.8, 0]), NO_STRETCH),
    "stretch of a half clip": (follow([0.2, 0.8, 1.5]), NO_STRETCH),
    "stretch of one number": (follow([0]), NO_STRETCH),
    "stretch of five": (follow([0.2, 0.8, 1, 1, 1]), NO_STRETCH),
    "path: a single number": (held(recipe='{"verb": "follow", "path": [[0]]}'), "a path is made of rows of x and y"),
    "frame: ²": (held(recipe='{"verb": "shortest", "leave": "slow:²", "reach": ":::"}'), "²"),
    "request: int": (held(request=3), CHANGED),
    "request: begun": (held(request="{"), NO_REQUEST),
    "request: list": (held(request="[]"), NO_REQUEST),
    "request: null": (held(request="null"), NO_REQUEST),
    "request: nested": (held(request=NESTED), NO_REQUEST),
    "request: nested sources": (held(request=f'{{"sources": {NESTED}}}'), NO_REQUEST),
    "request: sources int": (requested(sources=5), NO_REQUEST),
    "request: sources text": (requested(sources="ab"), NO_REQUEST),
    "request: sources null": (requested(sources=[None, None]), NO_REQUEST),
    "request: no sources": (requested(sources=[]), "can't be read: 0 sources were asked for, and 2 are kept"),
    "request: three sources": (requested(sources=[{"name": "a"}] * 3), "3 sources were asked for, and 2 are kept"),
    "request: unknown": (requested(colour=1), NO_REQUEST),
    "request: place": (requested(place=["cursor"]), "place is ['cursor'], but must be one of reference, cursor"),
    "request: visual": (requested(visual="yes"), "visual is 'yes', but must be bool"),
    "request: curve": (requested(curve=[1]), NO_REQUEST),
    "request: name": (requested(result_name="\0"), r"result_name is '\x00', but must be text"),
    "request: source's name": (source_requested(name=4), NO_REQUEST),
    "request: source's rate": (source_requested(rate=math.nan), "rate is nan, but must lie between 0 and 1000"),
    "request: source's slot": (source_requested(slot=4), "slot is 4, but must be str"),
    "request: frames of 31 digits": (source_requested(first=0, last=10**30), "last is 1000000000"),
    "request: frames to the end": (source_requested(first=0, last=2**31 - 1), "its frames 0 to 2,147,483,647 are more"),
    "request: frames backwards": (source_requested(first=100, last=3), "the frames 100 to 3 are none"),
}


@pytest.mark.parametrize("what", RESULTS)
def test_a_damaged_result_is_a_sentence(opened, what, tmp_path, capfd, loom):
    spoil, expected = RESULTS[what]
    spoil(bpy.data.actions["Mixed"])
    keys, actions = material.fingerprint(bpy.data.actions["Mixed"]), set(bpy.data.actions.keys())
    assert survives_saving(tmp_path, capfd)
    lines = [line.use for line in bpy.context.scene.action_loom.rigs[0].sources]
    rebuilt, edited = said("rebuild", overwrite_edits=True), said("edit_recipe")
    assert expected.replace("nnn … nnn", "n … n") in rebuilt, rebuilt
    assert bool(expected) == bool(rebuilt)
    assert edited in ("", rebuilt) or expected in edited, edited
    if edited:  # the panel is as it was
        assert [line.use for line in bpy.context.scene.action_loom.rigs[0].sources] == lines
    assert set(bpy.data.actions.keys()) == actions
    if rebuilt:
        assert material.fingerprint(bpy.data.actions["Mixed"]) == keys
    draw_all()
    capfd.readouterr()
    code = loom("addon.host.commands").run(["rebuild", "Mixed", "-o", str(tmp_path / "new.blend"), "--overwrite-edits"])
    out, err = capfd.readouterr()
    assert "Traceback" not in out + err
    if expected:
        assert (code in (1, 2), err.count("\n")) == (True, 1), err
    said("blend", sources=BOTH, result_name="Fresh")
    assert "Fresh" in bpy.data.actions  # what is damaged about one result hinders no other


# --- armatures ------------------------------------------------------------------------------------------------------

NO_ROLES = "The body roles of Biped can't be read: its custom property 'action_loom_roles' was changed by something"
# What the roles of the armature are, and what is said of it.
ROLES = {
    "int": (5, NO_ROLES),
    "float": (0.5, NO_ROLES),
    "text": ("hips", NO_ROLES),
    "numbers": ([1, 2], NO_ROLES),
    "bytes": (b"\xff\x01", NO_ROLES),
    "groups": ([{}, {}], NO_ROLES),
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
        ("blend", {"sources": BOTH}),
        ("analyse", {"sources": BOTH}),
        ("rebuild", {"overwrite_edits": True}),
        ("export_motion", {"filepath": str(tmp_path / "walk.bvh")}),
    ):
        message = said(operator, **options)
        assert expected in message
        assert bool(message) == bool(expected) or not expected, message
    said("set_role", role="hips", bone="hips")
    said("add_sources")
    draw_all()
    assert said("find_roles") == ""
    assert said("blend", sources=BOTH, result_name="Fresh") == ""


# --- actions --------------------------------------------------------------------------------------------------------


def rate(value):
    def spoil(action):
        action["action_loom_rate"] = value

    return spoil


def manual_range(first, last):
    def spoil(action):
        action.use_frame_range = True
        action.frame_start, action.frame_end = first, last

    return spoil


def last_keys_at(frame):
    def spoil(action):
        for curve in material.fcurves(action):
            curve.keyframe_points[-1].co.x = frame
            curve.update()

    return spoil


TOO_MANY = "more than the 588,235 that can be read at once of 17 joints; correct its frame range, or take a part of it"
ACTIONS = {
    "rate: text": (rate("fast"), ""),
    "rate: numbers": (rate([1.0, 2.0]), ""),
    "rate: group": (rate({}), ""),
    "rate: NaN": (rate(math.nan), ""),
    "rate: inf": (rate(math.inf), ""),
    "rate: 1e30": (rate(1e30), ""),
    "rate: 0": (rate(0), ""),
    "rate: negative": (rate(-5.0), ""),
    "rate: 99999": (rate(99999.0), ""),
    "rate: 1e-30": (rate(1e-30), "quick has a single frame"),
    "rate: 1e-4": (rate(1e-4), "quick has a single frame"),
    "range: 10⁶ frames": (manual_range(0, 1_000_000), TOO_MANY),
    "range: NaN": (
        manual_range(math.nan, math.nan),
        "slow: its frames nan to nan are none; mend its keys",
    ),
    "range: infinite": (manual_range(-math.inf, math.inf), "slow: its frames -inf to inf are none"),
    "range: backwards": (manual_range(50, 3), "slow has a single frame"),  # Blender moves the end
    "keys: at 10⁶": (last_keys_at(1e6), TOO_MANY),
    "keys: at 10³⁰": (last_keys_at(1e30), None),
    "keys: nowhere": (last_keys_at(math.nan), None),
    "keys: at the end": (last_keys_at(math.inf), None),
    "keys: before the beginning": (last_keys_at(-math.inf), None),
}


@pytest.mark.parametrize("what", ACTIONS)
def test_a_damaged_action_is_a_sentence(opened, what, tmp_path, capfd):
    spoil, expected = ACTIONS[what]
    spoil(bpy.data.actions["slow"])
    assert survives_saving(tmp_path, capfd)
    bpy.context.scene.action_loom.rigs.clear()
    assert said("add_sources") == ""
    draw_all()
    export = said("export_motion", filepath=str(tmp_path / "slow.bvh"), actions=[{"name": "slow"}])
    message = said("blend", sources=BOTH, ends="pinned")
    assert expected is None or (expected in message and bool(expected) == bool(message)), message
    assert expected != TOO_MANY or TOO_MANY in export
    for operator in ("analyse", "build_graph", "find_transitions", "connect"):
        said(operator, sources=BOTH)
    said("find_cycles", sources=BOTH[:1])
    said("rebuild", overwrite_edits=True)
    said("blend", sources=BOTH, visual=True)
    draw_all()


@pytest.mark.parametrize(("fps", "base"), [(1, 1e6), (32767, 1e-5), (1, 1e-5), (1, math.nan)])
def test_a_scene_s_rate_that_is_none_is_a_sentence(opened, fps, base, tmp_path, capfd):
    render = bpy.context.scene.render
    render.fps, render.fps_base = fps, base
    assert survives_saving(tmp_path, capfd)
    for operator, options in (
        ("blend", {"sources": BOTH}),
        ("analyse", {"sources": BOTH}),
        ("find_cycles", {"sources": BOTH[:1]}),
        ("build_graph", {"sources": BOTH}),
        ("rebuild", {"overwrite_edits": True}),
        ("add_sources", {}),
        ("add_demo", {}),
        ("export_motion", {"filepath": str(tmp_path / "walk.bvh")}),
    ):
        said(operator, **options)
    assert "12 to 1000 frames a second" in said("add_demo")


# --- the panel's settings -------------------------------------------------------------------------------------------


def stored(*path):
    """A group of the settings as it is stored, without what Blender checks when it is set."""
    scene = bpy.context.scene
    group = scene.bl_system_properties_get(do_create=True) if hasattr(scene, "bl_system_properties_get") else scene
    for name in (KEY, *path):
        if isinstance(name, str) and name not in group.keys():  # noqa: SIM118  (going through it gives values)
            group[name] = {}
        group = group[name]
    return group


def setting(*path, value):
    def spoil():
        *above, last = path
        stored(*above)[last] = value

    return spoil


LINE = ("rigs", 0, "sources", 0)
SETTINGS = {
    "mode: 99": setting("mode", value=99),
    "mode: -1": setting("mode", value=-1),
    "mode: text": setting("mode", value="blend"),
    "metric: 99": setting("matching", "metric", value=99),
    "slope: 99": setting("matching", "slope", value=99),
    "slope: text": setting("matching", "slope", value="steep"),
    "slope: half": setting("matching", "slope", value=0.5),
    "window: NaN": setting("matching", "window", value=math.nan),
    "window: 1e300": setting("matching", "window", value=1e300),
    "earlier name": setting("matching", "keep", value=math.nan),
    "earlier name: text": setting("matching", "keep", value="all"),
    "earlier group: int": setting("path", value=5),
    "earlier group's int": setting("path", "leave", value=5),
    "place: 99": setting("result", "place", value=99),
    "result's name: 10 KB": setting("result", "result_name", value="n\n" * 5120),
    "stretches: int": setting("stretches", value=4),
    "path: NaN": setting("follow", "path", value="nan; nan ²"),
    "stretch 99": setting("follow", "stretches", value="0 1 99"),
    "lists: int": setting("rigs", value=4),
    "lists: text": setting("rigs", value="abc"),
    "lists: empty group": setting("rigs", value={}),
    "sources: int": setting(*LINE[:3], value=5),
    "weight: NaN": setting(*LINE, "weight", value=math.nan),
    "weight: inf": setting(*LINE, "weight", value=math.inf),
    "weight: negative": setting(*LINE, "weight", value=-1.0),
    "weight: text": setting(*LINE, "weight", value="heavy"),
    "line's rate: NaN": setting(*LINE, "rate", value=math.nan),
    "line's rate: negative": setting(*LINE, "rate", value=-5.0),
    "line's rate: inf": setting(*LINE, "rate", value=math.inf),
    "line's slot: 12 KB": setting(*LINE, "slot", value="OB\n" * 4096),
    "line's frame: text": setting(*LINE, "first", value="first"),
    "reference: 99": setting("rigs", 0, "reference", value=99),
    "reference: -5": setting("rigs", 0, "reference", value=-5),
    "active line: -5": setting("rigs", 0, "active", value=-5),
    "active line: 99": setting("rigs", 0, "active", value=99),
    "picture: smallest": setting("picture", value=-(2**31)),
    "what was said last: 10 KB": setting("rigs", 0, "last", value=CONTROL * 2000),
    "roles: numbers": setting("rigs", 0, "roles", value=[1, 2]),
}


@pytest.mark.parametrize("what", SETTINGS)
def test_damaged_settings_are_a_sentence_or_nothing(opened, what, tmp_path, capfd):
    with suppress(TypeError):  # some Blenders let nobody store that
        SETTINGS[what]()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "strange.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "strange.blend"))
    draw_all()
    settings = bpy.context.scene.action_loom
    for operator in ("blend", "analyse", "connect", "find_transitions", "build_graph", "loop", "find_cycles", "follow"):
        said(operator)
    said("blend", sources=BOTH)
    settings.live = True
    for rig in settings.rigs:
        for line in rig.sources:
            line.weight = 0.5
    settings.live = False
    said("set_reference", index=0)
    said("move_source", down=True)
    said("set_role", role="hips", bone="hips")
    said("edit_recipe")
    draw_all()
    out, err = capfd.readouterr()
    assert "Traceback" not in out + err


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_live_weight_that_is_none_weaves_nothing(opened, value, capfd):
    settings = bpy.context.scene.action_loom
    settings.mode = "blend"
    said("blend", ends="pinned", result_name="Live")
    before = material.fingerprint(bpy.data.actions["Live"])
    settings.live = True
    settings.rigs[0].sources[0].weight = value
    out, err = capfd.readouterr()
    assert "Traceback" not in out + err
    assert material.fingerprint(bpy.data.actions["Live"]) == before or math.isinf(value)


def test_a_range_far_beyond_blenders_frames_is_a_sentence(opened):
    line = bpy.context.scene.action_loom.rigs[0].sources[0]
    line.use_range, line.first, line.last = True, -(2**31), 2**31 - 1
    draw_all()
    assert "more than the 588,235 that can be read at once" in said("blend")
    line.first, line.last = 50, 2
    draw_all()
    assert "the frames 50 to 2 are none" in said("blend")


@pytest.mark.parametrize("value", [5, "ours", [1, 2], {"across": 4, "up": {}}, [{}, {}]], ids=repr)
def test_a_picture_that_was_changed_is_none_of_ours(opened, value, tmp_path, capfd):
    assert said("analyse", sources=BOTH) == ""
    assert said("show_registration") == ""
    bpy.data.images[0][KEY] = value
    for operator, options in (("analyse", {"sources": BOTH}), ("show_registration", {}), ("blend", {"sources": BOTH})):
        assert said(operator, **options) == ""
    assert len(bpy.data.images) == 2
    assert survives_saving(tmp_path, capfd)
