"""Two figures woven together: the partner of an armature gets a result beside it, with their hands in contact."""

import bpy
import numpy as np
import pytest
from drawing import draw_all
from mathutils import Matrix

pytestmark = pytest.mark.core_result

NEAR = 0.003  # m
FRAMES = range(1, 34)


@pytest.fixture
def couple(on_demo):
    """The demo armature and another that walks beside it, mirrored, with the nearer hands in contact."""
    leader = on_demo
    bpy.context.scene.action_loom.mode = "loop"
    walk = bpy.data.actions["Walk"]
    leader.animation_data.action = walk
    assert bpy.ops.action_loom.mirror(sources=[{"name": "Walk", "weight": 1.0}], keep_start=False) == {"FINISHED"}
    image = leader.animation_data.action
    partner = leader.copy()
    partner.data = leader.data.copy()
    partner.name = "Partner"
    bpy.context.collection.objects.link(partner)
    leader.animation_data.action = walk
    image.name = "Walk Partner"
    show(leader, 1)
    aside = palm(leader, "L")[0] - palm(partner, "R")[0]
    partner.matrix_world = Matrix.Translation((aside, 0.0, 0.0)) @ partner.matrix_world
    return leader, partner


def show(rig, frame):
    bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()


def palm(rig, side):
    """Return the place of a wrist in the world, by Blender's own evaluation."""
    return np.array(rig.matrix_world @ rig.pose.bones[f"hand.{side}"].head)


def apart(leader, partner, frames):
    """Return the vectors from the partner's hand to the leader's in some frames."""
    found = []
    for frame in frames:
        show(leader, frame)
        found.append(palm(leader, "L") - palm(partner, "R"))
    return np.array(found)


def own_names(actions=()):
    return {action.name for action in bpy.data.actions} - set(actions)


def turned_towards(rig, other, frame):
    """Return the place of the other armature's hips in the frame of the first one's hips."""
    show(rig, frame)
    hips = [one.matrix_world @ one.pose.bones["hips"].matrix for one in (rig, other)]
    return np.array(hips[0].inverted() @ hips[1].translation)


def loop(**options):
    return bpy.ops.action_loom.loop(
        "EXEC_DEFAULT", True, sources=[{"name": "Walk", "weight": 1.0}], whole="yes", **options
    )


def test_both_figures_get_a_result_in_one_step_and_their_hands_stay_together(couple):
    leader, partner = couple
    before, known = apart(leader, partner, FRAMES), own_names()
    bpy.ops.ed.undo_push(message="before")
    assert loop(partner="Partner") == {"FINISHED"}
    assert own_names(known) == {"Walk loop", "Walk Partner loop"}
    made = [rig.animation_data.action for rig in couple]
    assert [action.name for action in made] == ["Walk loop", "Walk Partner loop"]
    assert np.abs(apart(leader, partner, FRAMES) - before).max() < NEAR
    bpy.ops.ed.undo()
    assert own_names() == known


def test_without_a_partner_the_leader_is_the_same_if_the_partner_adapts(couple, loom):
    leader, _ = couple
    fingerprint = loom("addon.bridge.fingerprint").fingerprint
    assert loop() == {"FINISHED"}
    alone = leader.animation_data.action
    assert loop(partner="Partner", adapts="PARTNER") == {"FINISHED"}
    both = leader.animation_data.action
    assert alone != both
    slots = [action.slots[0] if hasattr(action, "slots") else None for action in (alone, both)]
    assert fingerprint(alone, slots[0]) == fingerprint(both, slots[1])


def test_the_partner_goes_along_to_the_3d_cursor(couple):
    leader, partner = couple
    there = turned_towards(leader, partner, 10)
    bpy.context.scene.cursor.location = (4.0, -3.0, 0.0)
    bpy.context.scene.cursor.rotation_euler = (0.0, 0.0, 2.0)
    assert loop(partner="Partner", place="CURSOR") == {"FINISHED"}
    assert np.abs(turned_towards(leader, partner, 10) - there).max() < NEAR
    show(leader, 1)
    assert np.linalg.norm(palm(leader, "L")[:2] - (4.0, -3.0)) < 1.0


def test_mirrored_the_partner_is_on_the_other_side(couple):
    leader, partner = couple
    show(leader, 12)
    held = np.linalg.norm(palm(leader, "L") - palm(partner, "R"))
    there = turned_towards(leader, partner, 12)
    assert bpy.ops.action_loom.mirror(sources=[{"name": "Walk", "weight": 1.0}], partner="Partner") == {"FINISHED"}
    image = turned_towards(leader, partner, 12)
    assert np.abs(image - there * (-1.0, 1.0, 1.0)).max() < 0.02
    assert abs(np.linalg.norm(palm(leader, "R") - palm(partner, "L")) - held) < NEAR


@pytest.mark.parametrize("pressed", [0, 1])
def test_rebuild_makes_both_again_whichever_plays(couple, pressed):
    assert loop(partner="Partner") == {"FINISHED"}
    made = [rig.animation_data.action for rig in couple]
    before, known = apart(*couple, FRAMES), own_names()
    bpy.context.view_layer.objects.active = couple[pressed]
    assert bpy.ops.action_loom.rebuild(action=made[pressed].name) == {"FINISHED"}
    assert own_names() == known
    assert [rig.animation_data.action for rig in couple] == made
    assert np.abs(apart(*couple, FRAMES) - before).max() < 1e-5


def test_the_partner_of_a_deleted_result_says_so(couple):
    assert loop(partner="Partner") == {"FINISHED"}
    beside = couple[1].animation_data.action
    bpy.data.actions.remove(couple[0].animation_data.action)
    with pytest.raises(RuntimeError, match="Walk loop was deleted"):
        bpy.ops.action_loom.rebuild(action=beside.name)


def test_results_belong_together_without_a_choice(couple):
    assert loop(partner="Partner", result_name="Stroll") == {"FINISHED"}
    assert [rig.animation_data.action.name for rig in couple] == ["Stroll", "Stroll Partner"]
    couple[1].animation_data.action.name = "Another Name"
    sources = [{"name": "Stroll", "weight": 1.0}]
    assert bpy.ops.action_loom.loop(sources=sources, partner="Partner", whole="yes") == {"FINISHED"}
    assert couple[1].animation_data.action.name == "Another Name loop"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"partner": "Nobody"}, "no object named 'Nobody'"),
        ({"partner": "Loom Figure"}, "can't be its own partner"),
    ],
)
def test_what_can_be_no_partner_is_refused(couple, options, reason):
    known = own_names()
    with pytest.raises(RuntimeError, match=reason):
        loop(**options)
    assert own_names() == known


def test_an_action_without_a_match_is_asked_for(couple):
    _, partner = couple
    bpy.data.actions["Walk Partner"].name = "Stroll"
    sources = [{"name": "Walk", "weight": 1.0}, {"name": "Sneak", "weight": 1.0}]
    with pytest.raises(RuntimeError, match="Walk: which action of Partner belongs to it"):
        bpy.ops.action_loom.blend(sources=sources, partner="Partner")
    assert loop(partner="Partner") == {"FINISHED"}  # the partner plays it
    assert partner.animation_data.action.name == "Stroll loop"
    with pytest.raises(RuntimeError, match="Run has frames"):
        loop(partner="Partner", partners=[{"name": "Walk", "action": "Run"}])


@pytest.mark.parametrize(
    ("ours", "theirs"), [("Hug", "Hug.001"), ("Ann|Hug", "Bob|Hug"), ("Ann", "Bob"), ("Hug Ann", "hug Bob")]
)
def test_actions_of_the_same_name_belong_together(couple, ours, theirs):
    leader, partner = couple
    leader.name, partner.name = "Ann", "Bob"
    bpy.data.actions["Walk"].name, bpy.data.actions["Walk Partner"].name = ours, theirs
    partner.animation_data.action = None
    sources = [{"name": ours, "weight": 1.0}]
    assert bpy.ops.action_loom.loop(sources=sources, partner="Bob", whole="yes") == {"FINISHED"}
    made = [rig.animation_data.action.name for rig in couple]
    assert all("loop" in name for name in made)


def test_blended_strides_have_their_partner_too(couple):
    """At a speed between those of Walk and Sneak, whose partner has its hands elsewhere."""
    leader, partner = couple
    assert loop(partner="Partner") == {"FINISHED"}
    held = np.linalg.norm(apart(leader, partner, FRAMES), axis=1).max()
    leader.animation_data.action = bpy.data.actions["Sneak"]
    assert bpy.ops.action_loom.mirror(sources=[{"name": "Sneak", "weight": 1.0}], keep_start=False) == {"FINISHED"}
    leader.animation_data.action.name = "Sneak Partner"
    sources = [{"name": name, "weight": 1.0} for name in ("Walk", "Sneak")]
    assert bpy.ops.action_loom.ask(sources=sources, partner="Partner", speed=1.2, basis="walks") == {"FINISHED"}
    made = [rig.animation_data.action for rig in couple]
    assert [action.name for action in made] == ["Walk + Sneak at 1.2", "Walk Partner + Sneak Partner at 1.2"]
    assert np.linalg.norm(apart(leader, partner, range(1, 29)), axis=1).max() < held + 2.0 * NEAR


def test_a_verb_without_a_partner_refuses_it(couple):
    with pytest.raises(RuntimeError, match="takes no partner"):
        bpy.ops.action_loom.key_poses(sources=[{"name": "Walk", "weight": 1.0}], partner="Partner")


def test_the_command_writes_both(couple, command, tmp_path):
    file = tmp_path / "couple.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    code, _, err = command(
        "loop", "Walk", "--armature", "Loom Figure", "--partner", "Partner", "--whole", "yes", "--save"
    )
    assert (code, err) == (0, "")
    assert {"Walk loop", "Walk Partner loop"} <= own_names()


def press(leader, name):
    """Press a button of the tab; return "", or the reason why it is grey."""
    with bpy.context.temp_override(action_loom_armature=leader):
        try:
            getattr(bpy.ops.action_loom, name)("INVOKE_DEFAULT")
        except RuntimeError as reported:
            return str(reported).partition("poll() ")[2].strip()
    return ""


def test_the_panel_offers_a_partner_and_its_button_is_grey_with_the_reason(couple):
    leader, partner = couple
    settings = bpy.context.scene.action_loom
    settings.mode = "loop"
    for line in settings.rigs[0].sources:
        line.use = line.action.name == "Walk"
    settings.result.partner = "Partner"
    draw_all()
    assert press(leader, "loop") == ""
    assert partner.animation_data.action.name == "Walk Partner loop"
    partner.animation_data.action = None
    bpy.data.actions["Walk Partner"].name = "Stroll"
    assert "Walk: which action of Partner belongs to it? Choose it in Name, Color, Range…" in press(leader, "loop")
    assert "Walk: which action" in str([given for _, _, given in draw_all()["weave"]])
    next(line for line in settings.rigs[0].sources if line.use).partner = "Stroll"
    draw_all()
    assert press(leader, "loop") == ""
    settings.result.partner = "Loom Figure"
    assert "Loom Figure can't be its own partner" in press(leader, "loop")
    assert "Loom Figure can't be its own partner" in press(leader, "mirror")
    assert press(leader, "bake") == ""  # it takes no partner


def test_a_restyled_figure_has_its_partner_too(couple):
    leader, partner = couple
    for name in ("Run", "Sneak"):
        leader.animation_data.action = bpy.data.actions[name]
        sources = [{"name": name, "weight": 1.0}]
        assert bpy.ops.action_loom.mirror(sources=sources, keep_start=False) == {"FINISHED"}
        leader.animation_data.action.name = f"{name} Partner"
    sources = [{"name": name, "weight": 1.0} for name in ("Walk", "Run", "Sneak")]
    known = own_names()
    assert bpy.ops.action_loom.restyle(sources=sources, lean=1.0, each=True, partner="Partner") == {"FINISHED"}
    made = own_names(known)
    assert len(made) == 6
    assert leader.animation_data.action.name in made
    assert partner.animation_data.action.name.startswith("Walk Partner")


def test_a_spliced_figure_has_its_partner_too(couple):
    """Walk's arms, whose hands are in contact, on the legs of a run, whose partner has its own arms elsewhere."""
    leader, partner = couple
    leader.animation_data.action = bpy.data.actions["Run"]
    sources = [{"name": "Run", "weight": 1.0}]
    assert bpy.ops.action_loom.mirror(sources=sources, keep_start=False) == {"FINISHED"}
    leader.animation_data.action.name = "Run Partner"
    sources = [{"name": name, "weight": 1.0} for name in ("Run", "Walk")]
    assert bpy.ops.action_loom.splice(sources=sources, partner="Partner", timing="own") == {"FINISHED"}
    made = [rig.animation_data.action for rig in couple]
    assert [action.name for action in made] == ["Walk on Run", "Walk Partner on Run Partner"]
    off = np.linalg.norm(apart(leader, partner, FRAMES), axis=1).max()
    for rig, name in zip(couple, ("Walk", "Walk Partner"), strict=True):
        rig.animation_data.action = bpy.data.actions[name]
    assert off < np.linalg.norm(apart(leader, partner, FRAMES), axis=1).max() + NEAR
    for rig, name in zip(couple, ("Run", "Run Partner"), strict=True):
        rig.animation_data.action = bpy.data.actions[name]
    assert off < 0.5 * np.linalg.norm(apart(leader, partner, FRAMES), axis=1).max()


def test_a_driven_figure_has_its_partner_too(couple):
    leader, partner = couple
    partner.animation_data.action = bpy.data.actions["Walk Partner"]
    wanted = np.linalg.norm(apart(leader, partner, FRAMES), axis=1)
    leader.animation_data.action = bpy.data.actions["Run"]
    sources = [{"name": "Run", "weight": 1.0}]
    assert bpy.ops.action_loom.mirror(sources=sources, keep_start=False) == {"FINISHED"}
    leader.animation_data.action.name = "Run Partner"
    sources = [{"name": name, "weight": 1.0} for name in ("Walk", "Run")]
    driven = bpy.ops.action_loom.drive(sources=sources, partner="Partner", wishes="0 0 1.3; 2 0 0; 2.5 0 0")
    assert driven == {"FINISHED"}
    off = np.linalg.norm(apart(leader, partner, range(1, 40)), axis=1)
    assert np.quantile(off, 0.95) < wanted.max() + NEAR


def block(rig, frames, name):
    """Key the poses that an armature has at some frames as an action of their own."""
    poses = {}
    for frame in frames:
        show(rig, frame)
        poses[frame] = {bone: bone.matrix_basis.copy() for bone in rig.pose.bones}
    rig.animation_data.action = bpy.data.actions.new(name)
    for frame, bones in poses.items():
        for bone, matrix in bones.items():
            bone.matrix_basis = matrix
            turned = "rotation_quaternion" if bone.rotation_mode == "QUATERNION" else "rotation_euler"
            for path in ("location", turned):
                bone.keyframe_insert(path, frame=frame)


@pytest.mark.parametrize("frames", [(1, 13, 25, 33), (1, 14, 25, 33)])
def test_a_filled_figure_has_its_partner_too_if_both_have_poses_at_the_same_frames(couple, frames):
    leader, partner = couple
    partner.animation_data.action = bpy.data.actions["Walk Partner"]
    wanted = apart(leader, partner, FRAMES)
    block(leader, (1, 13, 25, 33), "Poses")
    block(partner, frames, "Poses Partner")
    before = np.linalg.norm(apart(leader, partner, FRAMES) - wanted, axis=1)
    sources, keys = [{"name": name, "weight": 1.0} for name in ("Poses", "Walk")], "0 12 24 32"
    if frames[1] != 13:
        with pytest.raises(RuntimeError, match="key both at the same frames"):
            bpy.ops.action_loom.fill(sources=sources, partner="Partner", key_frames=keys)
        return
    assert bpy.ops.action_loom.fill(sources=sources, partner="Partner", key_frames=keys) == {"FINISHED"}
    off = np.linalg.norm(apart(leader, partner, FRAMES) - wanted, axis=1)
    assert off.max() < NEAR < before.max()
