"""Motion graphs in Blender: walks along curves that an artist drew, at random, and the shortest way."""

import bpy
import material
import numpy as np
import pytest

pytestmark = pytest.mark.core_result


@pytest.fixture
def walker(loom):
    """A biped with a captured-like walk of many steps, straight on, then in arcs to both sides."""
    rig = material.biped()
    material.key_walk(rig, "cycle", frames=30)
    rigs, clips, ways = loom("addon.bridge.rig"), loom("addon.bridge.clip"), loom("core.weave.ground_arc")
    body = rigs.read(rig)
    straight = loom("core.motion.cycles").unroll_cycle(
        clips.read(rig, bpy.data.actions["cycle"], body, 30.0).clip, 0, 5
    )
    frames = np.arange(len(straight), dtype=float)
    way = ways.between(straight, 0, 30)
    on_the_spot = ways.remove_arc(straight, way, frames)
    for name, degrees in (("ahead", 0.0), ("left", 40.0), ("right", -40.0)):
        led = ways.GroundArc(way.place, way.facing, way.step, np.radians(degrees), 30)
        clips.write(rig, ways.add_arc(on_the_spot, led, frames), body, first_frame=1.0).name = name
    bpy.data.actions.remove(bpy.data.actions["cycle"])
    material.list_sources(rig, "ahead", "left", "right", mode="follow")
    bpy.context.scene.render.fps = 30
    return rig


def drawn(points, name="way"):
    return material.draw_curve(points, name)


AROUND = np.linspace(0.0, 1.5 * np.pi, 60)
BOW = np.stack([4.0 - 3.0 * np.cos(AROUND), 1.0 + 3.0 * np.sin(AROUND)], axis=1)


def test_a_curve_is_followed(walker, loom):
    curve = drawn(BOW)
    curve.location, curve.rotation_euler = (2.0, -1.0, 0.0), (0.0, 0.0, 0.6)
    bpy.context.scene.action_loom.curve = curve
    bpy.ops.action_loom.follow()
    action = walker.animation_data.action
    assert action.name == "ahead + left + right along a path"
    frames = np.arange(*map(int, action.frame_range), 5)
    hips = np.array([material.pose_positions(walker, ["hips"], float(frame))[0, :2] for frame in frames])
    bpy.context.view_layer.update()
    path = np.array([(curve.matrix_world @ point.co.to_3d())[:2] for point in curve.data.splines[0].points])
    away = np.linalg.norm(hips[:, None] - path, axis=2).min(axis=1)
    assert np.sqrt((away**2).mean()) < 0.15
    assert np.linalg.norm(hips[0] - path[0]) < 0.2
    assert np.linalg.norm(hips[-1] - path[-1]) < 0.5
    way = loom("addon.services.preview.walk_tracks").track_of(walker)
    assert len(way.places) == len(way.away) == len(way.colors)
    assert np.abs(way.places[:, :2] - path.mean(axis=0)).max() < 4.0


def test_the_graph_is_shown_and_kept_for_the_walk(walker, loom):
    graphs = loom("addon.services.matching.graphs")
    assert graphs.graph_of(bpy.context.scene, walker) is None
    with pytest.raises(RuntimeError, match="Build the graph first"):
        bpy.ops.action_loom.show_graph()
    bpy.ops.action_loom.build_graph()
    known = graphs.graph_of(bpy.context.scene, walker)
    assert "can be walked for ever" in known.lines[1]
    bpy.ops.action_loom.show_graph()
    (image,) = bpy.data.images
    assert image.size[0] == 1600
    bpy.context.scene.action_loom.curve = drawn(BOW)
    bpy.ops.action_loom.follow()
    assert graphs.graph_of(bpy.context.scene, walker).graph is known.graph
    bpy.context.scene.action_loom.result.visual = True
    assert graphs.graph_of(bpy.context.scene, walker) is None
    bpy.context.scene.action_loom.result.visual = False
    assert graphs.graph_of(bpy.context.scene, walker).graph is known.graph
    bpy.context.scene.action_loom.graph.mirror = False
    assert graphs.graph_of(bpy.context.scene, walker) is None


def test_a_random_walk_is_the_same_for_the_same_seed(walker):
    made = []
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        bpy.ops.action_loom.walk(seconds=8.0, seed=seed, result_name=name)
        made.append(material.fingerprint(bpy.data.actions[name]))
        first, last = bpy.data.actions[name].frame_range
        assert last - first == pytest.approx(240, abs=45)
    assert made[0] == made[1]
    assert made[0] != made[2]


def test_the_shortest_way_leads_from_frame_to_frame(walker):
    bpy.ops.action_loom.path(leave="ahead:20", reach="left:90")
    first, last = walker.animation_data.action.frame_range
    assert 10 < last - first < 150
    with pytest.raises(RuntimeError, match="gone"):
        bpy.ops.action_loom.path(leave="gone:20", reach="left:90")


@pytest.fixture
def wave(walker):
    """An action that raises an arm and holds it there."""
    walker.animation_data.action = None
    for bone in walker.pose.bones:
        bone.rotation_euler, bone.location = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for frame, raised in ((1, 1.5), (30, 1.7), (60, 1.5)):
        bone = walker.pose.bones["upper_arm.L"]
        bone.rotation_euler = (raised, 0.0, 0.0)
        bone.keyframe_insert("rotation_euler", frame=frame)
        walker.pose.bones["hips"].keyframe_insert("location", frame=frame)
    walker.animation_data.action.name = "wave"
    walker.animation_data.action.use_fake_user = True
    return walker.animation_data.action


def test_the_path_carries_an_action_on_a_stretch(walker, wave):
    settings = bpy.context.scene.action_loom
    settings.curve = drawn(BOW)
    bpy.ops.action_loom.follow(result_name="plain")
    plain = walker.animation_data.action
    bpy.ops.action_loom.add_stretch()
    settings.stretches[0].action = wave
    bpy.ops.action_loom.follow(result_name="waving")
    waving = walker.animation_data.action
    first, last = waving.frame_range
    assert (first, last) == tuple(plain.frame_range)
    arm, feet = {}, {}
    for action in (plain, waving):
        walker.animation_data.action = action
        arm[action.name], feet[action.name] = [], []
        for share in (0.1, 0.3, 0.5, 0.6, 0.8, 0.95):
            frame = first + share * (last - first)
            feet[action.name].append(material.pose_positions(walker, ["foot.L", "foot.R"], frame))
            arm[action.name].append(walker.pose.bones["upper_arm.L"].rotation_euler[0])
    assert np.abs(np.array(feet["plain"]) - np.array(feet["waving"])).max() < 1e-5
    raised = np.array(arm["waving"]) > 1.3
    assert raised.tolist() == [False, False, True, True, False, False]
    assert (np.array(arm["plain"]) < 1.0).all()
    # The recipe loads back unchanged: its action is a stretch and not a walked source.
    settings.stretches.clear()
    bpy.ops.action_loom.edit_recipe()
    assert [(s.action.name, round(s.start), round(s.end)) for s in settings.stretches] == [("wave", 40, 70)]
    assert [s.action.name for s in settings.rigs[0].sources if s.use] == ["ahead", "left", "right"]
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    bpy.ops.action_loom.remove_stretch(index=0)
    assert not settings.stretches


def test_what_cannot_be_followed_is_said(walker):
    sources = [{"name": "ahead", "weight": 1.0}]
    with pytest.raises(RuntimeError, match="There is no curve named 'lost'"):
        bpy.ops.action_loom.follow(sources=sources, curve="lost")
    with pytest.raises(RuntimeError, match="the path is 0 m long"):
        bpy.ops.action_loom.follow(sources=sources)
    there_and_back = [(0.0, 0.0), (0.0, 6.0), (0.2, 6.0), (0.2, 0.0)]
    with pytest.raises(RuntimeError, match=r"m off the path|turn"):
        bpy.ops.action_loom.follow(sources=sources, curve=drawn(there_and_back, "back").name, bend=0.0)
    assert not any("along" in action.name for action in bpy.data.actions)


def test_a_walk_is_made_anew_as_it_was(walker):
    bpy.context.scene.action_loom.curve = drawn(BOW)
    bpy.ops.action_loom.follow()
    action = walker.animation_data.action
    before = material.fingerprint(action)
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert material.fingerprint(action) == before
    bpy.context.scene.action_loom.mode = "blend"
    bpy.ops.action_loom.edit_recipe()
    assert bpy.context.scene.action_loom.mode == "follow"


def test_the_curve_of_the_panel_counts_after_a_recipe_was_edited(walker):
    settings = bpy.context.scene.action_loom
    settings.curve = drawn(BOW)
    bpy.ops.action_loom.follow(result_name="first")
    settings.curve = other = drawn(1.5 * BOW, "wider")
    bpy.ops.action_loom.edit_recipe()
    assert settings.curve.name == "way"
    settings.result.result_name, settings.curve = "wide", other
    bpy.ops.action_loom.follow()
    first, wide = (bpy.data.actions[name].frame_range[1] for name in ("first", "wide"))
    assert wide > 1.3 * first
    # If the curve was deleted, the recipe still walks along its stored points.
    walker.animation_data.action = bpy.data.actions["first"]
    bpy.data.objects.remove(bpy.data.objects["way"])
    bpy.ops.action_loom.edit_recipe()
    assert settings.curve is None
    settings.result.result_name = "again"
    bpy.ops.action_loom.follow()
    hips = []
    for name in ("first", "again"):
        walker.animation_data.action = bpy.data.actions[name]
        hips.append([material.pose_positions(walker, ["hips"], frame)[0] for frame in (1.0, 0.5 * first, first)])
    assert np.abs(np.subtract(*hips)).max() < 1e-4


def test_a_walk_begins_where_its_curve_does_wherever_the_cursor_is(walker):
    settings = bpy.context.scene.action_loom
    settings.curve, settings.result.place = drawn(BOW), "CURSOR"
    bpy.context.scene.cursor.location = (50.0, 50.0, 0.0)
    bpy.ops.action_loom.follow()
    assert np.linalg.norm(material.pose_positions(walker, ["hips"], 1.0)[0, :2] - BOW[0]) < 0.2
    bpy.ops.action_loom.follow(place="CURSOR", result_name="There")
    assert np.linalg.norm(material.pose_positions(walker, ["hips"], 1.0)[0, :2] - 50.0) < 0.2


def test_a_body_of_centimetres_follows_a_curve_of_its_size(loom):
    rig = material.biped(units=100.0)
    material.key_walk(rig, "walk", frames=30)
    action, ahead = bpy.data.actions["walk"], 720.0
    rigs, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    body = rigs.read(rig)
    long = loom("core.motion.cycles").unroll_cycle(clips.read(rig, action, body, 24.0).clip, 0, 5)
    clips.write(rig, long, body, first_frame=1.0).name = "long"
    material.list_sources(rig, "long", mode="follow").curve = drawn([(0.0, 0.0), (0.0, ahead)])
    bpy.ops.action_loom.follow()
    first, last = rig.animation_data.action.frame_range
    hips = [material.pose_positions(rig, ["hips"], frame)[0, :2] for frame in (first, last)]
    assert np.linalg.norm(hips[0]) < 20.0
    assert np.linalg.norm(hips[1] - (0.0, ahead)) < 60.0
    way = loom("addon.services.preview.walk_tracks").track_of(rig).places
    assert np.linalg.norm(way[-1, :2] - hips[1]) < 30.0


def test_recipes_of_other_walks_come_back_into_the_panel_in_their_order(walker):
    settings = bpy.context.scene.action_loom
    settings.mode = "blend"
    bpy.ops.action_loom.walk(sources=[{"name": name, "weight": 1.0} for name in ("right", "ahead")], seconds=4.0)
    made = walker.animation_data.action
    bpy.ops.action_loom.edit_recipe()
    assert settings.mode == "walk"
    assert [line.action.name for line in settings.rigs[0].sources if line.use] == ["right", "ahead"]
    bpy.ops.action_loom.walk(result_name="again")
    assert material.fingerprint(bpy.data.actions["again"]) == material.fingerprint(made)


def test_the_shortest_way_is_made_anew_from_renamed_actions(walker):
    settings = bpy.context.scene.action_loom
    bpy.ops.action_loom.path(leave="ahead:20", reach="left mirrored:90")
    made = walker.animation_data.action
    before = material.fingerprint(made)
    bpy.data.actions["left"].name = "bend"
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert material.fingerprint(made) == before
    bpy.ops.action_loom.edit_recipe()
    assert (settings.shortest.leave, settings.shortest.reach) == ("ahead:20", "bend mirrored:90")


def test_a_path_ends_at_rest_or_in_another_action(walker, wave):
    settings = bpy.context.scene.action_loom
    settings.mode, settings.curve = "follow", drawn(BOW)
    bpy.ops.action_loom.follow("INVOKE_DEFAULT")
    on = walker.animation_data.action
    settings.follow.ending = "stop"
    bpy.ops.action_loom.follow("INVOKE_DEFAULT")
    stopped = walker.animation_data.action
    assert stopped != on
    last = stopped.frame_range[1]
    hips = [material.pose_positions(walker, ["hips"], frame)[0] for frame in (last - 5, last)]
    end = settings.curve.matrix_world @ settings.curve.data.splines[0].points[-1].co.to_3d()
    assert np.linalg.norm((np.array(hips[1]) - end)[:2]) < 0.25
    assert np.linalg.norm((np.array(hips[1]) - hips[0])[:2]) < 0.03

    settings.follow.ending = "action"
    refusal = pytest.raises(RuntimeError, match="Choose an action first")
    with bpy.context.temp_override(action_loom_armature=bpy.context.object), refusal:
        bpy.ops.action_loom.follow()
    settings.ending_action = wave
    bpy.ops.action_loom.follow("INVOKE_DEFAULT")
    made = walker.animation_data.action
    before = material.fingerprint(made)
    assert made.frame_range[1] - made.frame_range[0] > stopped.frame_range[1] - stopped.frame_range[0]

    # The recipe loads back: its last action ends the walk, and is not ticked.
    settings.ending_action, settings.follow.ending = None, "walk"
    bpy.ops.action_loom.edit_recipe()
    assert (settings.follow.ending, settings.ending_action) == ("action", wave)
    assert "wave" not in [line.action.name for line in settings.rigs[0].sources if line.use]
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert material.fingerprint(made) == before


def test_stretches_that_are_none_are_said(walker, wave):
    settings = bpy.context.scene.action_loom
    settings.curve = drawn(BOW)
    bpy.ops.action_loom.add_stretch()
    stretch = settings.stretches[0]
    refusal = pytest.raises(RuntimeError, match="Choose an action for each stretch of the curve, or remove the stretch")
    with bpy.context.temp_override(action_loom_armature=bpy.context.object), refusal:
        bpy.ops.action_loom.follow()
    stretch.action, stretch.start, stretch.end = wave, 70.0, 40.0
    with pytest.raises(RuntimeError, match="stretches takes rows of start, end"):
        bpy.ops.action_loom.follow()
    with pytest.raises(RuntimeError, match="There is no row 9; there are 1, from 0"):
        bpy.ops.action_loom.remove_stretch(index=9)


def pushed(curve, after, by):
    """Push the points of a curve gently to the side after a share of its length."""
    points = curve.data.splines[0].points
    for k, point in enumerate(points):
        share = max((k / (len(points) - 1) - after) / (1.0 - after), 0.0)
        point.co.x += by * share**2


def test_a_stretch_plays_all_listed_actions_of_a_label(walker, wave, loom):
    settings = bpy.context.scene.action_loom
    rig = settings.rigs[0]
    settings.curve = drawn(BOW)
    other = wave.copy()
    other.name, other.use_fake_user = "wave too", True
    for action in (wave, other):
        line = loom("addon.services.sources.source_list").add(rig, action, use=action is other)
        line.label = "waves"
    bpy.ops.action_loom.add_stretch()
    stretch = settings.stretches[0]
    stretch.label, stretch.action_threshold, stretch.splice_threshold = "wavers", 0.5, 0.4
    button = loom("addon.model.target_armature").as_from_panel(bpy.context, walker)
    with button, pytest.raises(RuntimeError, match="No listed action has the label 'wavers'"):
        bpy.ops.action_loom.follow()
    stretch.label, stretch.method, stretch.retime = "waves", "heck", True
    bpy.ops.action_loom.follow(result_name="waving")
    action = walker.animation_data.action
    recipe = loom("addon.model.storage").recipe_of(action)
    (row,) = recipe.stretches
    assert (row[:2], len(row)) == ((0.4, 0.7), 4)
    assert recipe.stretch_options == "splice_threshold=0.4 retime=yes method=heck action_threshold=0.5"
    sources = [source.name for source in loom("addon.model.storage").of_result(action).request.sources]
    assert {sources[int(number) - 1] for number in row[2:]} == {"wave", "wave too"}
    # The strip at the timeline shows the walk, and the stretch below it.
    walk, upper = loom("addon.services.preview.strips").of(bpy.context).strip.rows[:2]
    assert {span.name.removesuffix(" mirrored") for span in walk.spans if span.name} <= {"ahead", "left", "right"}
    (span,) = upper.spans
    assert set(span.name.split(" + ")) == {"wave", "wave too"}
    first, last = action.frame_range
    assert 0.3 < (span.start - first) / (last - first) < 0.5 < (span.end - first) / (last - first) < 0.8
    # It loads back into the panel, and weaves the same again.
    settings.stretches.clear()
    bpy.ops.action_loom.edit_recipe()
    (stretch,) = settings.stretches
    assert (stretch.label, stretch.method, stretch.retime, stretch.action) == ("waves", "heck", True, None)
    assert [line.action.name for line in rig.sources if line.use] == ["ahead", "left", "right"]
    before = material.fingerprint(action)
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert material.fingerprint(action) == before


def test_the_ghost_of_a_path_is_walked_from_where_the_curve_was_changed(walker, loom, monkeypatch):
    settings, previews = bpy.context.scene.action_loom, loom("addon.services.preview.previews")
    ghost_follow, curve = loom("addon.services.preview.ghost_follow"), drawn(BOW)
    for limit in ("SLOW", "WALKED"):  # however busy the machine is
        monkeypatch.setattr(ghost_follow, limit, 1e3)
    follow = ghost_follow.follow
    settings.curve = curve
    bpy.ops.action_loom.follow(preview=True)
    first = previews.of(walker.session_uid)
    pushed(curve, 0.6, 1.0)
    assert follow(bpy.context)
    second = previews.of(walker.session_uid)
    kept = second.woven.report["follow"]["kept_frames"]
    assert kept > 0.35 * len(first.woven.clip)
    assert np.array_equal(second.woven.clip.rotations[:kept], first.woven.clip.rotations[:kept])
    assert second.recipe.route
    # A ring marks the place of the largest error.
    (ring,) = [one for one in second.trails if one.color == loom("addon.services.preview.trails").WORST]
    worst = second.woven.path.at(second.woven.gone)[second.woven.report["follow"]["max_frame"]]
    assert np.hypot(*(ring.points[1, :2] - (worst.real, worst.imag))) < 1e-6
    # The woven action equals the preview, and its recipe makes it again.
    bpy.ops.action_loom.follow(result_name="woven")
    action = walker.animation_data.action
    assert len(loom("addon.model.storage").recipe_of(action).route) == len(second.recipe.route)
    before = material.fingerprint(action)
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert material.fingerprint(action) == before
    assert previews.of(walker.session_uid) is None


def test_a_curve_that_cannot_be_walked_any_more_is_said_and_the_ghost_stays(walker, loom, monkeypatch):
    settings, ghost_follow = bpy.context.scene.action_loom, loom("addon.services.preview.ghost_follow")
    for limit in ("SLOW", "WALKED"):  # however busy the machine is
        monkeypatch.setattr(ghost_follow, limit, 1e3)
    curve = settings.curve = drawn(BOW)
    bpy.ops.action_loom.follow(preview=True)
    for point in curve.data.splines[0].points:
        point.co = (0.0, 0.0, 0.0, 1.0)
    assert not ghost_follow.follow(bpy.context)
    assert loom("addon.services.preview.previews").of(walker.session_uid).outdated
    assert "the path is 0 m long" in loom("addon.ground.troubles").of(walker.session_uid, "follow").text
