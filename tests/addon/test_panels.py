"""The sidebar's panels draw in every state and show the options that apply."""

import re
import time
from types import SimpleNamespace

import bpy
import material
import pytest
from drawing import draw_all


def shown(drawn, what):
    return [given for name, given, _ in drawn["synchronise"] + drawn["synchronise_more"] if name == what]


def test_panels_draw_whatever_there_is():
    assert not draw_all()["synchronise"]
    rig = material.armature()
    assert not shown(draw_all(), "template_icon")
    bpy.data.objects.remove(rig)
    material.two_actions()
    material.key_by_hand(bpy.context.object, "three", seed=3)
    bpy.ops.action_loom.add_sources()
    bpy.context.scene.action_loom.matching.ends = "pinned"
    for line in bpy.context.scene.action_loom.rigs[0].sources:
        line.use = line.action.name != "three"
    assert not shown(draw_all(), "template_icon")
    material.analyse()
    assert len(shown(draw_all(), "template_icon")) == 1
    bpy.context.scene.action_loom.picture = -7
    assert len(shown(draw_all(), "template_icon")) == 1
    bpy.data.actions.remove(bpy.data.actions["two"])
    assert not shown(draw_all(), "template_icon")


def test_panels_draw_while_a_job_runs(loom):
    material.two_actions()
    bpy.ops.action_loom.add_sources()
    with material.running_job(loom("addon.ground.jobs"), "Analyse"):
        drawn = draw_all()
        assert ("action_loom.cancel",) in shown(drawn, "operator")
        assert ("action_loom.analyse",) not in shown(drawn, "operator")


def test_what_does_not_apply_is_not_shown():
    material.armature()
    matching = bpy.context.scene.action_loom.matching
    for option, values in {
        "open_end_penalty": {"ends": ("auto", "open")},
        "radius": {"smoothing": ("average",)},
        "align_height": {"metric": ("points",)},
        "point_weights": {"metric": ("points",)},
    }.items():
        ((decides, applies),) = values.items()
        choices = [item.identifier for item in matching.bl_rna.properties[decides].enum_items]
        for choice in choices:
            setattr(matching, decides, choice)
            assert (option in [given[1] for given in shown(draw_all(), "prop")]) == (choice in applies)


def test_every_mode_of_the_weave_panel_draws(loom):
    material.two_actions()
    bpy.ops.action_loom.add_sources()
    settings = bpy.context.scene.action_loom
    for item in settings.bl_rna.properties["mode"].enum_items:
        settings.mode = item.identifier
        drawn = draw_all()["weave"]
        pressed = {"cut_out": "cut_take", "drive": "steer"}.get(item.identifier, item.identifier)
        assert (f"action_loom.{pressed}",) in [given for name, given, _ in drawn if name == "operator"]
    settings.mode = "splice"
    for method in settings.splice.bl_rna.properties["method"].enum_items:
        settings.splice.method = method.identifier
        options = [given[1] for name, given, _ in draw_all()["weave"] if name == "prop"]
        assert ("posture" in options) == (method.identifier == "gaussian")


def test_frames_that_were_set_by_hand_are_shown():
    material.two_actions()
    settings = material.list_sources(bpy.context.object, "one", "two", mode="connect")

    def shown_above_more(names):
        options = [given[1] for name, given, _ in draw_all()["weave"] if name == "prop"]
        return {options.count(name) for name in names} == {2}

    for mode, names in (("connect", ("from_frame", "to_frame")), ("loop", ("start", "length"))):
        settings.mode = mode
        settings.rigs[0].sources[1].use = mode == "connect"
        assert not shown_above_more(names)
        setattr(getattr(settings, mode), names[1], 12)
        assert shown_above_more(names)
    settings.rigs[0].sources[1].use = True  # several actions have one cycle each
    assert not shown_above_more(names)


def test_where_a_result_begins_is_asked_where_the_curve_does_not_say():
    material.two_actions()
    settings = material.list_sources(bpy.context.object, "one", "two", mode="follow")
    places = {name: [given[1] for what, given, _ in drawn if what == "prop"] for name, drawn in draw_all().items()}
    assert "place" not in places["weave"]
    assert "place" in places["random_walk"]
    settings.follow.path = "0 0; 0 4"
    assert "Along the path of the recipe" in str(draw_all()["weave"])
    settings.mode = "splice"
    assert "place" in [given[1] for what, given, _ in draw_all()["weave"] if what == "prop"]


def test_panels_draw_what_was_said_last(loom):
    material.two_actions()
    settings = material.list_sources(bpy.context.object, "one", "two")
    line = "one + two 50:50: 41 frames made in 0.01 s, feet slide 3.0 → 2.1 cm/s"
    loom("addon.model.lists").keep_last(settings.rigs[0], line)
    assert "Feet slide 2.1 cm/s" in str(draw_all()["weave"])


def test_one_line_counts_what_is_to_be_told_and_unfolds_it():
    material.two_actions()
    settings = material.list_sources(bpy.context.object, "one", "two")
    rig, names = settings.rigs[0], ("one", "two")
    rig.last_of = bpy.context.object.animation_data.action.name
    rig.last_warnings = "\n".join(f"{name}: keys of 'a' are lost, as they turn: bake them" for name in names)
    for line in rig.sources:
        line.warning = f"{line.action.name} walks on the spot, by its feet at 1.3 m/s: use Add Root Motion to move it"
    above = draw_all()["sources"]
    folded = str(draw_all()["weave"])
    assert "2 notes" in folded
    assert "(×2)" not in folded
    settings.every_warning = True
    unfolded = str(draw_all()["weave"])
    assert unfolded.count("(×2)") == 2
    assert "action_loom.open_tool" in unfolded
    rig.last_warnings, settings.every_warning = "", False
    for line in rig.sources:
        line.warning = ""
    assert "notes" not in str(draw_all()["weave"])
    assert str(draw_all()["sources"]) == str(above)  # nothing above Weave depends on messages


def test_notes_on_a_result_are_shown_only_in_the_mode_in_which_it_was_made(loom):
    material.two_actions()
    settings = material.list_sources(bpy.context.object, "one", "two", mode="blend")
    rig, played = settings.rigs[0], bpy.context.object.animation_data.action.name
    note = f"{played}: a foot near the ground moves more than in the sources at frame 4: look there"
    line = f"{played}: 41 frames made in 0.01 s, feet slide 3.0 → 2.1 cm/s"
    loom("addon.model.lists").keep_last(rig, line, played, [note], "blend")
    for mode in ("blend", "connect", "blend"):
        settings.mode = mode
        drawn = str(draw_all()["weave"])
        assert ("1 note" in drawn, "Feet slide 2.1 cm/s" in drawn) == (mode == "blend",) * 2
    settings.mode = "connect"
    loom("addon.model.lists").keep_last(rig, "", played, [note])  # such as on an imported action
    assert "1 note" in str(draw_all()["weave"])


def test_a_summary_is_shown_only_beside_the_action_that_played_at_that_time(loom):
    material.two_actions()
    armature = bpy.context.object
    rig = material.list_sources(armature, "one", "two", mode="blend").rigs[0]
    nothing = "Plant Feet: nothing was changed, so no action was made"
    loom("addon.model.lists").keep_last(rig, nothing, mode="blend")
    assert "Plant Feet: nothing was changed" in str(draw_all()["weave"])
    armature.animation_data.action = next(
        one for one in bpy.data.actions if one != armature.animation_data.action and one.name in ("one", "two")
    )
    assert "nothing was changed" not in str(draw_all()["weave"])


def test_notes_on_a_result_give_way_to_those_on_a_preview(loom, monkeypatch):
    material.two_actions()
    rig_object, scene = bpy.context.object, bpy.context.scene
    rig = material.list_sources(rig_object, "one", "two", mode="blend").rigs[0]
    played = rig_object.animation_data.action.name
    loom("addon.model.lists").keep_last(rig, "", played, [f"{played}: its feet slide"], "blend")
    messages = loom("addon.services.results.messages")
    assert [one.text for one in messages.of_tab(scene, rig_object, rig, "blend")] == [f"{played}: its feet slide"]
    ghost = SimpleNamespace(mode="blend", recipe=None, left_out=["A mesh is left out"], woven=None)
    monkeypatch.setattr(loom("addon.services.preview.previews"), "of", lambda _: ghost)
    assert [one.text for one in messages.of_tab(scene, rig_object, rig, "blend")] == ["A mesh is left out"]


def test_a_deleted_source_is_mended_by_its_recipe(loom):
    """Rebuild failed with a remedy that nothing in the tab could do."""
    material.two_actions()
    material.list_sources(bpy.context.object, "one", "two")
    bpy.ops.action_loom.blend(sources=[{"name": "one", "weight": 1.0}, {"name": "two", "weight": 1.0}])
    bpy.data.actions.remove(bpy.data.actions["two"])
    as_from_panel = loom("addon.model.target_armature").as_from_panel
    with as_from_panel(bpy.context, bpy.context.object), pytest.raises(RuntimeError, match="two was deleted"):
        bpy.ops.action_loom.rebuild("INVOKE_DEFAULT")
    assert ("action_loom.edit_recipe",) in [given for name, given, _ in draw_all()["weave"] if name == "operator"]


def test_a_jump_of_one_frame_in_a_source_is_told_with_its_frame_and_mended_by_filter(loom):
    rig = material.two_walks()
    path = 'pose.bones["thigh.L"].rotation_euler'
    curve = next(one for one in material.fcurves(bpy.data.actions["slow"]) if one.data_path == path)
    values = [curve.evaluate(frame) for frame in range(1, 37)]
    for frame, value in enumerate(values, start=1):
        curve.keyframe_points.insert(frame, value + (1.0 if frame == 17 else 0.0)).interpolation = "LINEAR"
    settings = material.list_sources(rig, "slow", "quick")
    with loom("addon.model.target_armature").as_from_panel(bpy.context, rig):
        bpy.ops.action_loom.blend("INVOKE_DEFAULT")
    warnings = [line.warning for line in settings.rigs[0].sources if line.action.name in ("slow", "quick")]
    assert warnings == ["slow: thigh.L jumps by 57° at frame 17: mend it with Filter", ""]
    settings.every_warning = True
    drawn = [str(one) for one in draw_all()["weave"] if one[0] in ("label", "operator")]
    assert "57°" in "".join(drawn)  # the sentence is wrapped
    assert any("action_loom.open_tool" in one and "Filter" in one for one in drawn)


def test_a_linked_armature_is_told_with_a_button_that_overrides_it(tmp_path):
    rig = material.two_actions()
    rig = bpy.context.object if rig is None else rig
    bpy.data.libraries.write(str(tmp_path / "library.blend"), {rig})
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (there, here):
        here.objects = list(there.objects)
    (linked,) = here.objects
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.objects.active = linked
    drawn = str(draw_all()["weave"])
    assert "is linked" in drawn
    assert "object.make_override_library" in drawn
    assert bpy.ops.object.make_override_library() == {"FINISHED"}
    assert "object.make_override_library" not in str(draw_all()["weave"])


def test_what_keeps_weave_grey_is_told_below_it_with_a_button():
    material.two_actions()
    material.list_sources(bpy.context.object, "one", "two")
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        drawn = str(draw_all()["weave"])
        assert "Leave Edit Mode first" in drawn
        assert "object.mode_set" in drawn
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


def test_every_option_is_in_a_panel_or_hidden_by_its_own_declaration(loom):
    """Panels draw every option in some mode, with some choice of the options it depends on, unless it is hidden."""
    material.two_actions()
    bpy.ops.action_loom.add_sources()
    properties, options = loom("addon.model.properties"), loom("core.options")
    settings, drawn = bpy.context.scene.action_loom, set()

    def draw_now():
        for _, given, _ in (entry for panel in draw_all().values() for entry in panel if entry[0] == "prop"):
            drawn.add((given[0].bl_rna.identifier, given[1]))

    intents = loom("addon.model.intents")
    for recipe in (*intents.MODES, *intents.EDITS):
        if recipe.mode:
            settings.mode = recipe.verb
        else:
            settings.edit = recipe.verb
        draw_now()
        settings.result.partner = "Biped"  # the choice of who adapts is shown beside a partner
        draw_now()
        settings.result.partner = ""
        for name in (*properties.group_names(recipe), "result"):
            group = getattr(settings, name)
            every = {about.name: about for about in properties.shown_options(name, *options.SHOWN)}
            for about in every.values():
                if about.only_for is not None:
                    of, values = about.only_for
                    loom("addon.ground.option_properties").set_value(group, every[of], values[0])
                    draw_now()
    for name, group in properties.GROUPS.items():
        visible = {
            about.name for about in properties.shown_options(name, *options.SHOWN) if about.shown != options.HIDDEN
        }
        found = {option for identifier, option in drawn if identifier == group.__name__}
        assert found == visible, name


def test_a_mode_of_weave_needs_nothing_but_its_declaration(loom):
    """Buttons, properties and panels follow from the registry of verbs, which alone declares them."""
    properties, verbs = loom("addon.model.properties"), loom("core.verbs")
    items = bpy.context.scene.action_loom.bl_rna.properties["mode"].enum_items
    assert [item.identifier for item in items] == [recipe.verb for recipe in loom("addon.model.intents").MODES]
    assert not hasattr(properties.settings_of(bpy.context.scene), "retarget")  # all actions are of one armature
    for row in verbs.OF_ONE_BODY.values():
        if row.makes == "clip":
            name = "retime" if row.recipe.verb == "sync" else row.recipe.verb
            kind = getattr(bpy.ops.action_loom, name).get_rna_type()
            assert (kind.name, kind.description) == (row.recipe.label, row.recipe.tooltip)
            wanted = set(loom("core.options").declared_options(row.recipe)) - {"weights"}
            assert wanted <= set(kind.properties.keys())


def test_roles_are_drawn_with_how_they_were_found_and_what_works_without_some():
    rig = material.biped()
    material.key_walk(rig, "walk", frames=24)
    bpy.ops.action_loom.add_sources()
    (listed,) = bpy.context.scene.action_loom.rigs

    def labels():
        drawn = draw_all()["roles"]
        props = [given[1] for name, given, _ in drawn if name == "prop"]
        assert props == ["show_roles", *["found_by"] * len(listed.roles)]
        return [options["text"] for name, _, options in drawn if name == "label"]

    assert labels() == ["17/21"]
    listed.roles["thigh.L"].bone = ""
    count, *sentence = labels()
    assert count == "16/21"
    assert "Path needs thighs" in " ".join(sentence)


def test_every_tool_is_in_one_group_with_an_icon(loom):
    intents = loom("addon.model.intents")
    grouped = [verb for _, tools in intents.TOOL_GROUPS for verb in tools]
    assert sorted(grouped) == sorted(recipe.verb for recipe in intents.EDITS if recipe.verb != "plant")
    known = bpy.types.UILayout.bl_rna.functions["operator"].parameters["icon"].enum_items.keys()
    assert not set(intents.ICONS.values()) - set(known)


def test_a_report_tells_the_time_since_the_click(loom, monkeypatch):
    material.list_sources(material.two_actions(), "one", "two")
    reading = loom("addon.services.weaving.reading")
    read = reading.read_in_steps

    def slow(*given, **options):
        time.sleep(0.3)
        return (yield from read(*given, **options))

    monkeypatch.setattr(reading, "read_in_steps", slow)
    bpy.ops.action_loom.blend()
    said = bpy.context.scene.action_loom.rigs[0].last
    assert float(re.search(r"made in ([\d.]+) s", said)[1]) >= 0.3, said


def test_what_a_number_stands_for_is_drawn_below_it():
    rig = material.biped()
    material.key_walk(rig, "walk", frames=24)
    bpy.ops.action_loom.add_sources()
    settings = bpy.context.scene.action_loom
    settings.edit = "filter"

    def labels():
        return {options.get("text") for name, _, options in draw_all()["repair"] if name == "label"}

    for cutoff, meant in ((-1.0, {"as much as is measured"}), (0.0, {"off"}), (8.0, set())):
        settings.filter.cutoff = cutoff
        assert labels() & {"as much as is measured", "off"} == meant
