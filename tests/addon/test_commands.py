"""The command line inside Blender: what `--command action_loom` is given, as an argument list, on an opened file.

That Blender hands the arguments over and gives the exit code back is tried in its real program, by `make gui`.
"""

import json
import os
import sys
from pathlib import Path

import bpy
import material
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
BLEND = '[[job]]\nverb = "blend"\n'


@pytest.fixture
def command(loom, capsys):
    """Run a command as Blender does: its exit code, what it printed, and what it said on stderr."""
    run, jit = loom("addon.commands").run, loom("core.jit")
    wanted = jit._wanted

    def give(*arguments):
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        # Some Blenders tell of saving where Python prints, too.
        own = [line for line in out.splitlines(True) if not line.startswith(("Info: Saved", "Error: Cannot open"))]
        return code, "".join(own), err

    yield give
    jit.use(wanted)


@pytest.fixture
def figure(tmp_path):
    """The demo figure in a file of its own, which is open."""
    bpy.ops.action_loom.add_demo()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    return bpy.context.object


@pytest.fixture
def scene(figure, tmp_path):
    """The opened file."""
    return tmp_path / "scene.blend"


@pytest.fixture
def out(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.fixture
def refused(command, scene, out):
    """Run a command that is refused in one line, before anything is made; returns its exit code and the line."""

    def give(*arguments):
        before, actions = scene.read_bytes(), set(bpy.data.actions.keys())
        code, printed, err = command(*arguments)
        assert printed == ""
        assert err.startswith("action_loom: ")
        assert err.count("\n") == 1
        assert err.endswith("\n")
        assert scene.read_bytes() == before
        assert set(bpy.data.actions.keys()) == actions
        assert os.listdir(out) == []
        return code, err.removeprefix("action_loom: ").rstrip("\n")

    return give


def opened(path):
    """Open a file and return its actions by name."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.data.actions


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def curves_of(action):
    return {(c.data_path, c.array_index): [tuple(k.co) for k in c.keyframe_points] for c in material.fcurves(action)}


def figure_in(actions):
    return next(item for item in bpy.context.scene.objects if item.type == "ARMATURE")


def test_a_blend_is_saved_in_the_opened_file_as_the_operator_makes_it(command, loom, scene):
    code, printed, err = command("blend", "Walk", "Sneak", "--weights", 1, 3, "--ends", "open", "--save")
    assert (code, err) == (0, "")
    assert printed.startswith("Walk + Sneak 25:75: ")
    result = opened(scene)["Walk + Sneak 25:75"]
    assert figure_in(bpy.data).animation_data.action == result
    assert loom("addon.storage").recipe_of(result) == loom("core.recipes").Blend(weights=(1.0, 3.0), ends="open")
    sources = [{"name": "Walk", "weight": 1.0}, {"name": "Sneak", "weight": 3.0}]
    bpy.context.view_layer.objects.active = figure_in(bpy.data)
    bpy.ops.action_loom.blend(sources=sources, ends="open", result_name="By the operator")
    assert curves_of(result) == curves_of(bpy.data.actions["By the operator"])


def test_a_copy_gets_the_result_and_the_opened_file_stays(command, scene, out):
    before = scene.read_bytes()
    code, _, err = command("sync", "Walk", "Sneak", "-o", out / "copy.blend", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert scene.read_bytes() == before
    assert bpy.data.filepath == str(scene)
    report = read_json(out / "r.json")
    assert (report["output"], report["action"]) == (str(out / "copy.blend"), "Sneak in time with Walk")
    assert sorted(os.listdir(out)) == ["copy.blend", "r.json"]
    assert "Sneak in time with Walk" in opened(out / "copy.blend")
    assert "Sneak in time with Walk" not in opened(scene)


def test_nothing_else_of_the_scene_changes(command, figure):
    other = bpy.data.objects.new("Other", None)
    scene = bpy.context.scene
    scene.collection.objects.link(other)
    figure.select_set(False)
    bpy.context.view_layer.objects.active = other
    scene.frame_set(11, subframe=0.5)

    def state():
        return (
            (scene.frame_current, scene.frame_subframe, scene.frame_start, scene.frame_end, scene.render.fps),
            (bpy.context.view_layer.objects.active, {item.name for item in bpy.context.selected_objects}),
            (figure.animation_data.action.name, len(figure.animation_data.nla_tracks)),
            {name: material.fingerprint(bpy.data.actions[name]) for name in ("Walk", "Sneak", "Turn Left")},
        )

    before = state()
    assert command("blend", "Sneak", "Turn Left", "--no-assign", "--as-seen", "--save")[0] == 0
    assert state() == before
    assert "Sneak + Turn Left 50:50" in bpy.data.actions


@pytest.mark.parametrize("verb", ["blend", "sync"])
def test_an_exported_result_is_what_action_loom_makes_of_the_exported_sources(command, loom, scene, out, verb):
    bvh, points = loom("core.motion.bvh"), loom("core.motion.kinematics").points
    rigs, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    armature = figure_in(bpy.data)
    armature.location, armature.rotation_euler = (1.0, -2.0, 0.1), (0.0, 0.0, 0.7)
    bpy.context.view_layer.update()
    body = rigs.read(armature)
    files = []
    for name in ("Sneak", "Carry"):
        files.append(out / f"{name}.bvh")
        bvh.write(bvh.from_clip(clips.read(armature, bpy.data.actions[name], body, 24.0).clip), files[-1])
    options = ["--metric", "points", "--reference", "2"]
    actions = set(bpy.data.actions.keys())
    code, _, err = command(verb, "Sneak", "Carry", *options, "-o", f"{out}/inside/", "--report", out / "in.json")
    assert (code, err) == (0, "")
    # It was only exported: the file has no new action.
    assert set(bpy.data.actions.keys()) == actions
    beside = ["-o", f"{out}/outside/", "--report", str(out / "beside.json")]
    assert loom("core.cli.main").main([verb, *map(str, files), *options, *beside]) == 0
    (name,) = os.listdir(out / "inside")
    assert os.listdir(out / "outside") == [name]
    inside, outside = (bvh.to_clip(bvh.read(out / place / name))[0] for place in ("inside", "outside"))
    assert len(inside) > 20
    assert inside.rate == pytest.approx(24.0)
    assert np.abs(points(inside) - points(outside)).max() < 1e-4 * body.skeleton.height
    ours, theirs = read_json(out / "in.json"), read_json(out / "beside.json")
    assert set(ours) == set(theirs) - {"units"} | {"armature"}
    assert (ours["inputs"], ours["armature"]) == (["Sneak", "Carry"], "Loom Figure")
    assert (ours["output"], ours["verb"]) == (str(out / "inside" / name), verb)
    assert ours["frames"] == theirs["frames"]
    assert ours["quality"]["after"]["path_m"] == pytest.approx(theirs["quality"]["after"]["path_m"], abs=1e-3)


def test_units_and_axis_of_exported_files_can_be_chosen(command, loom, scene, out):
    bvh = loom("core.motion.bvh")
    arguments = ("blend", "Sneak", "Carry", "-o", out / "new.bvh", "--units", "m", "--up", "z")
    assert command(*arguments)[0] == 0
    _, convention = bvh.to_clip(bvh.read(out / "new.bvh"))
    assert (convention.unit, convention.up) == ("m", "z")


def test_figures_alone_leave_the_file_as_it_is(command, scene, out):
    before, actions = scene.read_bytes(), set(bpy.data.actions.keys())
    assert command("sync", "Walk", "Sneak", "--report", out / "r.json", "--quiet") == (0, "", "")
    report = read_json(out / "r.json")
    assert report["output"] is None
    assert report["registration"][0]["clip"] == "Sneak"
    assert "action" not in report
    assert scene.read_bytes() == before
    assert set(bpy.data.actions.keys()) == actions


def test_info_lists_the_armatures_actions(command, scene, out):
    stranger = material.armature(name="Stranger")
    material.key_by_hand(stranger, "stranger", seed=1)
    code, printed, err = command("info", "--armature", "Loom Figure", "--report", out / "r.json")
    assert (code, err) == (0, "")
    listed = {one["clip"]: one for one in read_json(out / "r.json")["clips"]}
    assert list(listed) == ["Carry", "Run", "Sneak", "Turn Left", "Turn Right", "Walk", "Wave"]
    walk = listed["Walk"]
    assert (walk["frames"], walk["rate"], walk["cyclic"], walk["first_frame"]) == (26, 24.0, True, 1.0)
    assert walk["roles"]["thigh.L"] == "thigh.L"
    assert walk["contacts"]["L"]
    assert walk["quality"]["path_m"] == pytest.approx(1.36, abs=0.02)
    assert not listed["Sneak"]["cyclic"]
    assert "Walk\n  26 frames at 24 a second, 1.04 s, cyclic\n" in printed
    assert "stranger" not in printed
    assert command("info", "Wave", "--armature", "Loom Figure")[1].startswith("Wave\n")


def test_an_action_that_cant_be_read_does_not_keep_the_others_from_being_listed(command):
    rig = material.armature()
    material.key_by_hand(rig, "one", seed=1)
    material.key_by_hand(rig, "two", seed=2)
    for frame in (1, 9):
        rig.scale = (frame, frame, frame)
        rig.keyframe_insert("scale", frame=frame)
    rig.animation_data.action = bpy.data.actions["one"]
    rig.scale = (1.0, 1.0, 1.0)
    code, printed, err = command("info")
    assert (code, err) == (0, "")
    assert printed.startswith("one\n  33 frames")
    sentence = "Action 'two' scales the object Rig: scale a root bone instead"
    assert printed.endswith(f"two\n  can't be read: {sentence}\n")
    assert command("info", "one", "two") == (1, "", f"action_loom: {sentence}\n")


def test_info_names_the_roles_that_the_artist_chose(command, scene, loom):
    loom("addon.bridge.rig").set_roles(figure_in(bpy.data), {"head": "neck", "neck": ""})
    printed = command("info", "Wave")[1]
    assert "head = neck" in printed
    assert "neck = " not in printed.replace("head = neck", "")


def test_rates_and_ranges_are_of_single_actions(command, scene, out):
    flags = ("--rate", "Sneak=48", "--range", "Sneak=11:90", "--range", "Wave=1:20", "--report", out / "r.json")
    assert command("info", "Sneak", "Wave", "Walk", *flags)[0] == 0
    keys = ("clip", "frames", "rate", "first_frame")
    facts = [tuple(one[key] for key in keys) for one in read_json(out / "r.json")["clips"]]
    assert facts == [("Sneak", 80, 48.0, 11.0), ("Wave", 20, 24.0, 1.0), ("Walk", 26, 24.0, 1.0)]


def test_what_is_asked_of_a_result_is_what_the_panel_asks(command, scene, loom):
    bpy.context.scene.cursor.location = (3.0, 4.0, 0.0)
    flags = ["--result-name", "Prowl", "--no-assign", "--place", "cursor", "--interpolation", "constant"]
    flags += ["--mark-contacts", "--as-seen", "--range", "Carry=1:60"]
    assert command("blend", "Sneak", "Carry", "--ends", "pinned", *flags, "--save")[0] == 0
    action = opened(scene)["Prowl"]
    armature = figure_in(bpy.data)
    assert armature.animation_data.action.name == "Walk"
    assert {k.interpolation for curve in material.fcurves(action) for k in curve.keyframe_points} == {"CONSTANT"}
    assert "L down 1" in action.pose_markers
    weaving, storage = loom("addon.weaving"), loom("addon.storage")
    request = weaving.request_from_json(storage.stored(action).request)
    assert request == weaving.Request(
        (weaving.SourceRequest("Sneak"), weaving.SourceRequest("Carry", 0.0, "", 1, 60)),
        result_name="Prowl",
        assign=False,
        place="CURSOR",
        as_seen=True,
        interpolation="CONSTANT",
        mark_contacts=True,
    )
    curves = loom("addon.bridge.curves")
    curves.assign(armature, action, curves.choose_slot(action, armature))
    place = material.pose_positions(armature, ["hips"], action.frame_range[0])[0]
    assert np.abs(place[:2] - (3.0, 4.0)).max() < 0.05


def test_every_option_of_results_and_of_recipes_is_a_flag(command, loom):
    code, printed, _ = command("blend", "--help")
    assert code == 0
    names = {*loom("addon.properties").RESULT_OPTIONS, *loom("core.options").declared(loom("core.recipes").Blend)}
    for name in names:
        assert f"--{name.replace('_', '-')}" in printed


def test_keys_of_job_files_and_options_have_different_names(loom):
    jobfile = loom("core.cli.jobfile")
    reserved = {"job", "verb", "clips", *jobfile.FOR_ALL, *jobfile.FOR_ONE, *jobfile.FOR_THE_RUN}
    settings = set(loom("addon.opened").Opened().settings)
    assert not settings & reserved
    for recipe in loom("core.recipes").RECIPES.values():
        assert not (settings | reserved) & set(loom("core.options").declared(recipe))


def test_every_key_of_job_files_is_documented(loom):
    text = (ROOT / "docs" / "jobs.md").read_text(encoding="utf-8").partition("## Inside Blender")[2]
    for name in loom("addon.opened").Opened().settings:
        assert f"`{name}`" in text


@pytest.fixture
def prowl(command, scene):
    """A result in the opened file, whose first source is changed afterwards."""
    assert command("blend", "Sneak", "Carry", "--result-name", "Prowl", "--save")[0] == 0
    bpy.data.actions["Sneak"].name = "Creep"
    for curve in material.fcurves(bpy.data.actions["Creep"]):
        if curve.data_path == 'pose.bones["head"].rotation_quaternion':
            for point in curve.keyframe_points:
                point.co.y += 0.1
    return bpy.data.actions["Prowl"]


def test_results_are_made_anew_by_their_recipe(command, scene, prowl, out):
    before, users = curves_of(prowl), prowl.users
    code, printed, err = command("rebuild", "Prowl", "--save", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert printed.startswith("Prowl: ")
    after = curves_of(prowl)
    assert after != before
    assert prowl.users == users
    report = read_json(out / "r.json")
    assert report["verb"] == "rebuild"
    (made,) = report["results"]
    assert (made["verb"], made["inputs"], made["action"]) == ("blend", ["Creep", "Carry"], "Prowl")
    assert curves_of(opened(scene)["Prowl"]) == after
    # The same as if it were blended now.
    assert command("blend", "Creep", "Carry", "--result-name", "Again", "--save")[0] == 0
    assert curves_of(bpy.data.actions["Again"]) == after


def test_a_result_that_is_made_anew_can_be_exported_and_stays_then(command, prowl, out):
    before = curves_of(prowl)
    assert command("rebuild", "Prowl", "-o", f"{out}/")[0] == 0
    assert os.listdir(out) == ["Prowl.bvh"]
    assert curves_of(prowl) == before


def test_a_result_that_was_edited_by_hand_is_not_overwritten_unasked(command, refused, prowl, scene):
    material.fcurves(prowl)[0].keyframe_points[3].co.y += 0.5
    edited = curves_of(prowl)
    sentence = "Prowl was edited by hand: allow overwriting edits, or rename it and weave again"
    assert refused("rebuild", "Prowl", "--save") == (1, sentence)
    assert curves_of(prowl) == edited
    assert command("rebuild", "Prowl", "--save", "--overwrite-edits")[0] == 0
    assert curves_of(prowl) != edited


def test_what_is_no_result_is_not_made_anew(refused, prowl):
    assert refused("rebuild", "Prowl", "Wave", "--save") == (1, "Wave was not made by Action Loom")
    bpy.data.actions.remove(bpy.data.actions["Creep"])
    assert refused("rebuild", "Prowl", "--save") == (1, "Sneak was deleted: choose another")


@pytest.fixture
def jobs(tmp_path):
    """Write a job file and return its path."""

    def write(text):
        path = tmp_path / "jobs.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


JOBS = (
    'ends = "pinned"\nfolder = "out"\n[range]\nCarry = [1, 60]\n'
    f'{BLEND}clips = ["Turn*"]\nmark_contacts = true\nreport = "out/"\n'
    '[[job]]\nverb = "sync"\nclips = ["Sneak"]\neach = "C*"\nresult_name = "Steps"\n'
)


def test_jobs_are_done_on_actions_by_name_and_pattern(command, loom, scene, jobs, out):
    code, printed, err = command("run", jobs(JOBS), "--save", "--no-assign", "--report", out / "r.json")
    assert (code, err) == (0, "")
    turns = "Turn Left + Turn Right 50"
    names = [f"{turns}-50.bvh", f"{turns}-50.json", "Steps.bvh", "r.json"]
    assert sorted(os.listdir(out)) == sorted(names)
    assert printed == f"job 1: done, {out / names[0]}\njob 2 (Carry): done, {out / names[2]}\n"
    first, second = (one["report"] for one in read_json(out / "r.json")["jobs"])
    assert first == read_json(out / names[1])
    assert (first["inputs"], first["action"]) == (["Turn Left", "Turn Right"], f"{turns}:50")
    assert (second["inputs"], second["action"]) == (["Sneak", "Carry"], "Steps")
    actions = opened(scene)
    assert {f"{turns}:50", "Steps"} <= set(actions.keys())
    assert len(actions[f"{turns}:50"].pose_markers) > 4
    assert len(actions["Steps"].pose_markers) == 0
    assert figure_in(actions).animation_data.action.name == "Walk"
    weaving, stored = loom("addon.weaving"), loom("addon.storage").stored
    assert weaving.request_from_json(stored(actions["Steps"]).request).sources[1].span == (1, 60)


def test_a_job_that_fails_does_not_stop_the_others(command, scene, jobs, out):
    material.key_by_hand(material.armature(name="Stranger"), "stranger", seed=1)
    good = f'{BLEND}clips = ["Sneak", "Carry"]\n'
    path = jobs(f'armature = "Loom Figure"\n{good}{BLEND}name = "odd"\nclips = ["Sneak", "stranger"]\n')
    code, printed, err = command("run", path, "-o", out / "copy.blend")
    problem = "Action 'stranger' moves no bone of Loom Figure"
    assert code == 1
    assert printed == f"job 1: done, Sneak + Carry 50:50\njob 2 (odd): failed, {problem}\n"
    assert err == f"action_loom: job 2 (odd): {problem}\naction_loom: 1 of 2 jobs failed\n"
    assert "Sneak + Carry 50:50" in opened(out / "copy.blend")


PAIR = 'clips = ["Walk", "Sneak"]\n'
PAIRED = f"{BLEND}{PAIR}output = 'out/x.bvh'\n"
REFUSED_JOBS = {
    "": "there are no jobs; each begins with [[job]]",
    "= 3": "line 1: ",
    f"{BLEND}{PAIR}": "job 1: output is missing, and there is no folder for it either",
    f"{PAIRED}bones = 1": "job 1: there is no key 'bones' for blend",
    f"{PAIRED}picture = 'out/x.png'": "job 1: pictures are not drawn inside Blender",
    f"{PAIRED}place = 'moon'": "job 1: place is 'moon', but must be one of reference, cursor",
    f"{PAIRED}rate = 120": "job 1: rate is 120, but must be a table of names",
    f"{PAIRED}rate = {{Walk = 0}}": "job 1: rate of Walk is 0, but must lie between",
    f"{PAIRED}range = {{Walk = [9, 1]}}": "job 1: range of Walk is [9, 1], but must end after",
    f"{PAIRED}rate = {{Gone = 9}}": "job 1: rate: there is no action 'Gone'; the actions are",
    f"{BLEND}clips = ['Gone']\noutput = 'out/'": "job 1: clips: there is no action 'Gone'; the actions are Carry, ",
    f"{BLEND}clips = ['X*']\noutput = 'out/'": "job 1: clips: no action matches 'X*'",
    f"result_name = 'Same'\n{BLEND}{PAIR}output = 'out/'": "there is no key 'result_name'",
    f"armature = 'Nobody'\n{BLEND}clips = ['T*']\noutput = 'out/'": "job 1: there is no armature 'Nobody'",
}


@pytest.mark.parametrize(("text", "message"), REFUSED_JOBS.items(), ids=range(len(REFUSED_JOBS)))
def test_job_files_are_checked_before_anything_runs(refused, jobs, text, message):
    path = jobs(text)
    code, said = refused("run", path)
    assert code == 1
    assert said.startswith(f"{path}")
    assert message in said


def test_a_job_file_that_can_not_be_read_is_said(refused, tmp_path):
    absent = tmp_path / "absent.toml"
    assert refused("run", absent, "--save") == (1, f"{absent}: can't be read (No such file or directory)")


@pytest.mark.parametrize("number", [0, 2])
def test_jobs_are_not_done_at_the_same_time_inside_blender(refused, jobs, number):
    code, said = refused("run", jobs(f"{BLEND}{PAIR}"), "--save", "--jobs", number)
    assert code == 2
    assert said == f"--jobs is {number}, but inside Blender jobs are done one after the other"


def test_a_run_saves_a_copy_and_nothing_else(refused, jobs, out):
    code, said = refused("run", jobs(f"{BLEND}{PAIR}"), "-o", out / "x.bvh")
    assert code == 2
    assert said.endswith("but must be a .blend; where motion files go is said in the job file")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["blend", "Walk", "Sneak"], 2, "nothing would come of it: --save saves the opened file, -o makes"),
        (["sync", "Walk", "Sneak"], 2, "nothing would come of it"),
        (["rebuild", "Walk", "--report", "OUT/r.json"], 2, "nothing would come of it"),
        (["blend", "Walk", "Gone", "--save"], 1, "there is no action 'Gone'; the actions are Carry, Run, Sneak, "),
        (["blend", "Walk", "--save"], 1, "Weaving takes two clips or more; 1 given"),
        (["info", "Gone"], 1, "there is no action 'Gone'"),
        (["rebuild", "Gone", "--save"], 1, "there is no action 'Gone'"),
        (["blend", "Walk", "Sneak", "--save", "--picture", "OUT/p.png"], 2, "pictures are not drawn inside Blender"),
        (["blend", "Walk", "Sneak", "--save", "--slope", "99"], 2, "slope is 99, but must lie between -1 and 32"),
        (["blend", "Walk", "Sneak", "--save", "--weights", "1", "2", "3"], 2, "3 weights were given for 2 clips"),
        (["blend", "Walk", "Sneak", "-o", "OUT/x.bvh", "--units", "parsec"], 2, "units is 'parsec', but must be"),
        (["blend", "Walk", "Sneak", "--save", "--rate", "48"], 2, "rate is '48', but must be a clip's name, =,"),
        (["blend", "Walk", "Sneak", "--save", "--rate", "Walk=-1"], 2, "rate of Walk is -1, but must lie between"),
        (["blend", "Walk", "Sneak", "--save", "--rate", "Walk=fast"], 2, "rate of Walk is 'fast', but must be a nu"),
        (["blend", "Walk", "Sneak", "--save", "--rate", "Gone=48"], 1, "rate: there is no action 'Gone'"),
        (["info", "Walk", "--range", "Walk=5"], 2, "range of Walk is '5', but must be two frames, such as 1:200"),
        (["info", "Walk", "--range", "Walk=9:9"], 2, "range of Walk is '9:9', but must end after it begins"),
        (["info", "--armature", "Nobody"], 1, "no armature 'Nobody' in the scene 'Scene'; the armatures are Lo"),
        (["blend", "Walk", "Sneak", "-o", "OUT/absent/x.blend"], 1, "x.blend: there is no folder OUT/absent"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_is_said_in_one_line(refused, out, arguments, code, message):
    told, said = refused(*[argument.replace("OUT", str(out)) for argument in arguments])
    assert message.replace("OUT", str(out)) in said
    assert told == code


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["juggle"],
        ["blend"],
        ["blend", "Walk", "Sneak", "--save", "--slope", "steep"],
        ["blend", "Walk", "Sneak", "--save", "--place", "moon"],
        ["info", "--save"],
        ["run", "jobs.toml", "--result-name", "Same"],
    ],
    ids=" ".join,
)
def test_wrong_usage_shows_the_usage_and_ends_with_2(command, scene, arguments):
    before = scene.read_bytes()
    code, printed, err = command(*arguments)
    assert (code, printed) == (2, "")
    assert err.startswith("usage: blender --background FILE.blend --command action_loom")
    assert scene.read_bytes() == before


def test_of_several_armatures_the_active_one_is_meant_or_one_is_named(command, refused, figure):
    material.biped(name="Biped")
    # Only one of them has actions.
    assert command("info")[0] == 0
    material.key_walk(bpy.context.object, "Stroll", frames=24)
    code, printed, _ = command("info")
    assert code == 0
    assert "on Biped" in printed
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(empty)
    bpy.context.view_layer.objects.active = empty
    names = "Biped, Loom Figure"
    assert refused("info") == (1, f"which armature is meant? --armature names one of {names}")
    assert "on Loom Figure" in command("info", "Walk", "--armature", "Loom Figure")[1]


def test_a_scene_without_armatures_is_said(command):
    assert command("info") == (1, "", "action_loom: there is no armature in the scene 'Scene'\n")


def test_an_armature_that_operators_refuse_is_refused(refused, figure):
    bpy.context.view_layer.objects.active = figure
    bpy.ops.object.mode_set(mode="EDIT")
    sentence = "Leave edit mode first: bones are as they were when it began"
    assert refused("blend", "Walk", "Sneak", "--save") == (1, sentence)
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_file_without_a_name_is_not_saved(command):
    bpy.ops.action_loom.add_demo()
    code, _, err = command("blend", "Walk", "Sneak", "--save")
    assert code == 1
    assert err == "action_loom: the opened file has no name to be saved under: give it one with -o FILE.blend\n"
    assert "Walk + Sneak 50:50" not in bpy.data.actions


@pytest.mark.parametrize("name", ["there.blend", "there.bvh"])
def test_nothing_is_overwritten_unless_it_is_forced(command, scene, out, name):
    there = out / name
    there.write_text("precious")
    actions = set(bpy.data.actions.keys())
    code, printed, err = command("blend", "Sneak", "Carry", "-o", there)
    assert (code, printed) == (1, "")
    assert err == f"action_loom: {there} exists already; --force overwrites it\n"
    assert there.read_text() == "precious"
    assert set(bpy.data.actions.keys()) == actions
    assert command("blend", "Sneak", "Carry", "-o", there, "--force")[0] == 0
    assert there.read_bytes()[:8] != b"precious"


def test_a_report_that_exists_is_not_overwritten_and_nothing_is_saved(command, scene, out):
    before = scene.read_bytes()
    (out / "r.json").write_text("precious")
    for arguments in (["blend", "Sneak", "Carry", "--save"], ["info"]):
        assert command(*arguments, "--report", out / "r.json")[0] == 1
    assert (out / "r.json").read_text() == "precious"
    assert scene.read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="there, folders don't forbid it")
def test_a_file_that_can_not_be_saved_is_said(command, scene, out):
    target = out / ("x" * 249 + ".blend")
    code, printed, err = command("blend", "Sneak", "Carry", "-o", target, "--report", out / "r.json")
    assert (code, printed) == (1, "")
    assert err.startswith(f"action_loom: {target}")
    assert err.count("\n") == 1
    assert os.listdir(out) == []


def test_the_engine_can_be_chosen(command, scene, loom, out):
    assert command("blend", "Sneak", "Carry", "-o", out / "x.bvh", "--engine", "numpy")[0] == 0
    assert loom("core.jit").kernels(f"{loom('core.sync').__name__}").__name__.endswith("_twins")


def test_the_example_script_blends_and_saves(scene, monkeypatch):
    path = ROOT / "tools" / "example_script.py"
    arguments = ["blender", "--background", str(scene), "--python", str(path), "--", "Walk", "Sneak", "0.3"]
    monkeypatch.setattr(sys, "argv", arguments)
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {"__name__": "__main__"})
    assert "Walk + Sneak 70:30" in opened(scene)
