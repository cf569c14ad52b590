"""A result stores its recipe, its sources even if renamed or deleted, and whether somebody edited it."""

import os
import subprocess
from pathlib import Path

import bpy
import material
import pytest

ROOT = Path(__file__).resolve().parents[2]
OLDEST = ROOT / ".venv-blender" / "4.2" / "bin" / "python"
HAS_SLOTS = "slots" in bpy.types.Action.bl_rna.properties  # since 4.4


@pytest.fixture
def storage(loom):
    return loom("addon.model.storage")


@pytest.fixture
def result_mark(loom):
    return loom("addon.bridge.result_mark")


@pytest.fixture
def fingerprint(loom):
    return loom("addon.bridge.fingerprint").fingerprint


@pytest.fixture
def errors(loom):
    return loom("core.errors")


@pytest.fixture
def recipe(loom):
    return loom("core.verbs").Blend(weights=(1.0, 3.0), ends="open", reference="2")


@pytest.fixture
def rig():
    return material.armature()


@pytest.fixture
def prowl(storage, recipe, rig):
    """A result with a stored recipe, and walk and sneak as its sources."""
    sources = [material.key_by_hand(rig, name, seed=k) for k, name in enumerate(("walk", "sneak"))]
    result = material.key_by_hand(rig, "prowl", seed=2)
    storage.store(result, slot(result), recipe, [(a, slot(a)) for a in sources], armature=rig)
    return result


def slot(action):
    return action.slots[0] if HAS_SLOTS else None


def names(found):
    return [action.name for action, _ in found]


def save_and_reload(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))


def linked_from(path, *wanted):
    """Save the file, and link actions of it into a new empty one."""
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return link(path, *wanted)


def link(path, *wanted):
    with bpy.data.libraries.load(str(path), link=True) as (_, into):
        into.actions = list(wanted)
    return into.actions


def move_a_key(action):
    curve = material.fcurves(action)[0]
    curve.keyframe_points[1].co[1] += 0.5
    curve.update()


def edited(storage, fingerprint, result):
    """Return for each source of a result whether its curves have changed."""
    kept = storage.read_stored(result).sources
    return [fingerprint(*now) != was.hash for now, was in zip(storage.find_sources(result), kept, strict=True)]


def test_a_result_remembers_its_recipe_and_its_sources(storage, fingerprint, recipe, prowl, rig):
    assert storage.recipe_of(prowl) == recipe
    found = storage.find_sources(prowl)
    assert names(found) == ["walk", "sneak"]
    assert [s for _, s in found] == [slot(action) for action, _ in found]
    assert storage.read_stored(prowl).armature == rig
    assert edited(storage, fingerprint, prowl) == [False, False]
    assert not storage.edited_by_hand(prowl)


def test_a_recipe_without_weights_is_kept_without(storage, loom, prowl):
    recipe = loom("core.verbs").Synchronise()
    storage.store(prowl, slot(prowl), recipe, storage.find_sources(prowl))
    assert storage.recipe_of(prowl) == recipe
    assert storage.read_stored(prowl).armature is None


def test_an_action_that_nobody_wove_has_no_recipe(storage, errors, rig):
    walk = material.key_by_hand(rig, "walk", seed=0)
    assert storage.recipe_of(walk) is None
    assert storage.read_stored(walk) is None
    for ask in (storage.find_sources, storage.edited_by_hand):
        with pytest.raises(errors.LoomError, match="walk was not made by Action Loom"):
            ask(walk)


def test_sources_are_found_by_another_name(storage, fingerprint, prowl):
    bpy.data.actions["walk"].name = "stroll"
    material.key_by_hand(bpy.data.objects["Rig"], "walk", seed=7)  # another action takes the name
    move_a_key(bpy.data.actions["stroll"])
    assert names(storage.find_sources(prowl)) == ["stroll", "sneak"]
    assert edited(storage, fingerprint, prowl) == [True, False]


def test_a_deleted_source_is_named(storage, errors, prowl):
    bpy.data.actions.remove(bpy.data.actions["sneak"])
    with pytest.raises(errors.RigError, match=r"^sneak was deleted, or is in another file: choose another$"):
        storage.find_sources(prowl)
    assert storage.recipe_of(prowl).weights == (1.0, 3.0)


def test_a_deleted_source_that_came_back_is_found_by_its_name(storage, fingerprint, prowl, rig):
    bpy.data.actions.remove(bpy.data.actions["sneak"])
    material.key_by_hand(rig, "sneak", seed=1)
    assert names(storage.find_sources(prowl)) == ["walk", "sneak"]
    assert edited(storage, fingerprint, prowl) == [False, False]
    move_a_key(bpy.data.actions["sneak"])
    assert names(storage.find_sources(prowl)) == ["walk", "sneak"]


def test_a_result_is_not_its_own_source(storage, errors, prowl):
    bpy.data.actions.remove(bpy.data.actions["sneak"])
    prowl.name = "sneak"
    with pytest.raises(errors.RigError, match="sneak was deleted"):
        storage.find_sources(prowl)


def test_edits_of_sources_and_result_are_noticed(storage, fingerprint, prowl):
    move_a_key(bpy.data.actions["walk"])
    assert edited(storage, fingerprint, prowl) == [True, False]
    assert not storage.edited_by_hand(prowl)
    move_a_key(prowl)
    assert storage.edited_by_hand(prowl)


def test_a_copied_result_has_the_recipe_for_itself(storage, loom, recipe, prowl):
    copy = prowl.copy()
    assert storage.recipe_of(copy) == recipe
    assert names(storage.find_sources(copy)) == ["walk", "sneak"]
    assert not storage.edited_by_hand(copy)
    move_a_key(copy)
    assert storage.edited_by_hand(copy)
    assert not storage.edited_by_hand(prowl)
    other = loom("core.verbs").Blend(weights=(1.0,))
    storage.store(copy, slot(copy), other, storage.find_sources(copy)[1:])
    assert (storage.recipe_of(copy), storage.recipe_of(prowl)) == (other, recipe)
    assert names(storage.find_sources(prowl)) == ["walk", "sneak"]


def test_a_saved_file_remembers_everything(loom, storage, fingerprint, recipe, prowl, tmp_path):
    bpy.data.actions["walk"].name = "stroll"
    move_a_key(bpy.data.actions["stroll"])
    bpy.data.objects["Rig"].name = "Robin"
    save_and_reload(tmp_path / "saved.blend")
    prowl = bpy.data.actions["prowl"]
    assert storage.recipe_of(prowl) == recipe
    assert storage.read_stored(prowl).armature == bpy.data.objects["Robin"]
    assert names(storage.find_sources(prowl)) == ["stroll", "sneak"]
    assert edited(storage, fingerprint, prowl) == [True, False]
    assert not storage.edited_by_hand(prowl)
    # A source renamed without Action Loom is found by its content.
    bpy.data.actions["sneak"].name = "creep"
    bpy.app.handlers.save_pre.remove(loom("addon.model.result_names")._before_saving)
    save_and_reload(tmp_path / "saved.blend")
    bpy.app.handlers.save_pre.append(loom("addon.model.result_names")._before_saving)
    assert names(storage.find_sources(bpy.data.actions["prowl"])) == ["stroll", "creep"]


def test_undo_and_redo_keep_it(storage, errors, recipe, prowl):
    bpy.ops.ed.undo_push(message="woven")
    bpy.data.actions.remove(bpy.data.actions["sneak"])
    bpy.ops.ed.undo_push(message="deleted")
    bpy.ops.ed.undo()
    assert names(storage.find_sources(bpy.data.actions["prowl"])) == ["walk", "sneak"]
    bpy.ops.ed.redo()
    with pytest.raises(errors.RigError, match="sneak was deleted"):
        storage.find_sources(bpy.data.actions["prowl"])
    assert storage.recipe_of(bpy.data.actions["prowl"]) == recipe


def test_an_appended_result_brings_nothing_along(storage, result_mark, errors, recipe, prowl, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.append(directory=str(tmp_path / "library.blend" / "Action"), filename="prowl")
    prowl = bpy.data.actions["prowl"]
    assert storage.recipe_of(prowl) == recipe
    assert (bpy.data.actions.keys(), list(bpy.data.objects)) == (["prowl"], [])
    assert storage.read_stored(prowl).armature is None
    with pytest.raises(errors.RigError, match="walk was deleted, or is in another file"):
        storage.find_sources(prowl)
    for name in ("walk", "sneak"):
        bpy.ops.wm.append(directory=str(tmp_path / "library.blend" / "Action"), filename=name)
    assert names(storage.find_sources(prowl)) == ["walk", "sneak"]
    result_mark.check_writable(prowl)


def test_a_result_keeps_nothing_alive(storage, recipe, prowl):
    assert storage.recipe_of(prowl) == recipe
    for action in bpy.data.actions:
        action.use_fake_user = action == prowl
    bpy.data.objects["Rig"].animation_data_clear()
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.data.orphans_purge(do_local_ids=True, do_recursive=True)
    assert (bpy.data.actions.keys(), list(bpy.data.objects), list(bpy.data.armatures)) == (["prowl"], [], [])


def test_a_deleted_armature_is_gone(storage, prowl, rig):
    bpy.ops.object.select_all(action="DESELECT")
    rig.select_set(True)
    bpy.context.scene["kept"] = rig  # the scene's property keeps the object in the file
    bpy.ops.object.delete()
    assert "Rig" in bpy.data.objects
    assert storage.read_stored(prowl).armature is None
    bpy.data.objects.remove(rig)
    assert storage.read_stored(prowl).armature is None


def test_linked_results_are_read_but_not_written(storage, result_mark, errors, recipe, prowl, tmp_path):
    (prowl,) = linked_from(tmp_path / "library.blend", "prowl")
    assert storage.recipe_of(prowl) == recipe
    with pytest.raises(errors.RigError, match="walk was deleted, or is in another file"):
        storage.find_sources(prowl)
    link(tmp_path / "library.blend", "walk", "sneak")
    found = storage.find_sources(prowl)
    assert names(found) == ["walk", "sneak"]
    assert not storage.edited_by_hand(prowl)
    refusal = r"^prowl is linked: make it local first$"
    with pytest.raises(errors.LoomError, match=refusal):
        result_mark.check_writable(prowl)
    with pytest.raises(errors.LoomError, match=refusal):
        storage.store(prowl, slot(prowl), recipe, found)
    override = prowl.override_create()
    with pytest.raises(errors.LoomError, match="is a library override.* make it local first"):
        result_mark.check_writable(override)
    local = prowl.copy()
    result_mark.check_writable(local)
    storage.store(local, slot(local), recipe, found)
    assert names(storage.find_sources(local)) == ["walk", "sneak"]


def test_linked_sources_are_told_from_local_ones_of_the_same_name(storage, errors, recipe, prowl, tmp_path):
    path = tmp_path / "library.blend"
    walk, sneak = linked_from(path, "walk", "sneak")
    result = bpy.data.actions.new("result")
    if HAS_SLOTS:
        result.slots.new("OBJECT", "any")
    material.key_by_hand(material.armature(name="Other"), "sneak", seed=5)
    storage.store(result, slot(result), recipe, [(walk, slot(walk)), (sneak, slot(sneak))])
    bpy.data.actions.remove(sneak)
    with pytest.raises(errors.RigError, match="sneak was deleted"):
        storage.find_sources(result)
    (sneak,) = link(path, "sneak")
    assert [action for action, _ in storage.find_sources(result)] == [walk, sneak]
    result.use_fake_user = True
    bpy.data.objects["Other"].animation_data_create().action = walk  # Blender does not save unused linked data
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    path.unlink()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    result = bpy.data.actions["result"]
    with pytest.raises(errors.RigError, match=r"walk is no longer in library\.blend"):
        storage.find_sources(result)


def no_group(action):
    action["action_loom"] = "my own notes"


def no_version(action):
    del action["action_loom"]["version"]


def empty_source(action):
    action["action_loom"]["sources"] = [{}]


def object_as_name(action):
    action["action_loom"]["sources"][0]["name"] = bpy.data.objects["Rig"]


@pytest.mark.parametrize("spoil", [no_group, no_version, empty_source, object_as_name])
def test_what_somebody_else_wrote_is_a_sentence(storage, errors, recipe, prowl, spoil):
    sources = storage.find_sources(prowl)
    spoil(prowl)
    for ask in (storage.recipe_of, storage.read_stored, storage.find_sources, storage.edited_by_hand):
        with pytest.raises(errors.LoomError, match="How prowl was made can't be read: "):
            ask(prowl)
    storage.store(prowl, slot(prowl), recipe, sources)  # weaving again repairs it
    assert storage.recipe_of(prowl) == recipe


def test_the_operator_keeps_what_it_did(storage, loom, fingerprint, rig):
    for k, name in enumerate(("walk", "sneak")):
        material.key_by_hand(rig, name, seed=k)
    sources = [{"name": "sneak", "weight": 1.0}, {"name": "walk", "weight": 3.0}]
    bpy.ops.action_loom.blend(sources=sources, ends="pinned", timing="reference", reference="2")
    result = rig.animation_data.action
    recipe = storage.recipe_of(result)
    assert type(recipe) is loom("core.verbs").Blend
    assert (recipe.weights, recipe.ends, recipe.timing, recipe.reference) == ((1.0, 3.0), "pinned", "reference", "2")
    assert names(storage.find_sources(result)) == ["sneak", "walk"]
    assert storage.read_stored(result).armature == rig
    assert not storage.edited_by_hand(result)
    assert storage.read_stored(result).result_hash == fingerprint(result, slot(result))


if HAS_SLOTS:

    @pytest.fixture
    def pair(storage, recipe, rig):
        """A result, and its only source: the second slot of an action with two."""
        source = material.key_by_hand(rig, "two people", seed=0)
        second = source.slots.new("OBJECT", "second")
        bag = source.layers[0].strips[0].channelbag(second, ensure=True)
        bag.fcurves.new('pose.bones["bone0"].location', index=0).keyframe_points.insert(4, 1.0)
        result = material.key_by_hand(rig, "prowl", seed=2)
        storage.store(result, slot(result), type(recipe)(weights=(1.0,)), [(source, second)])
        return result, source

    def test_the_slot_is_found_by_its_handle_whatever_it_is_called(storage, pair):
        result, source = pair
        source.slots[0].name_display, source.slots[1].name_display = "third", "first"
        assert storage.find_sources(result) == [(source, source.slots[1])]

    def test_the_slot_is_found_by_its_identifier_in_another_action(storage, rig, pair):
        result, source = pair
        bpy.data.actions.remove(source)
        other = material.key_by_hand(rig, "two people", seed=0)
        for name in ("third", "fourth", "second"):
            other.slots.new("OBJECT", name)
        other.slots.remove(other.slots[1])
        assert storage.find_sources(result) == [(other, other.slots["OBsecond"])]

    def test_a_lost_slot_is_named_unless_there_is_only_one_left(storage, errors, pair):
        result, source = pair
        source.slots.remove(source.slots[1])
        assert storage.find_sources(result) == [(source, source.slots[0])]
        source.slots.new("OBJECT", "third")
        with pytest.raises(errors.RigError, match="two people has 2 slots, but not second: choose another"):
            storage.find_sources(result)

    def test_a_second_slot_of_the_result_is_not_an_edit_of_the_first(storage, fingerprint, pair):
        result, source = pair
        assert fingerprint(source, source.slots[0]) != fingerprint(source, source.slots[1])
        second = result.slots.new("OBJECT", "second")
        bag = result.layers[0].strips[0].channelbag(second, ensure=True)
        bag.fcurves.new('pose.bones["bone0"].location', index=0).keyframe_points.insert(4, 1.0)
        assert not storage.edited_by_hand(result)
        result.slots.remove(result.slots[0])
        assert storage.edited_by_hand(result)


SAVE = """
import importlib, os, sys
zip_path, here, path = sys.argv[1:]
import bpy
bpy.ops.extensions.package_install_files(filepath=zip_path, repo="user_default", enable_on_install=True)
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
sys.path.insert(0, here)
import material
storage, verbs = (importlib.import_module("bl_ext.user_default.action_loom." + name)
                  for name in ("addon.model.storage", "core.verbs"))
rig = material.armature(modes=("QUATERNION", "XYZ"))
walk, sneak, prowl = (material.key_by_hand(rig, name, seed=k) for k, name in enumerate(("walk", "sneak", "prowl")))
# No Noise: Blender 5.1 and later read one from 4.2 as another motion, which counts as an edit.
for curve, kind in zip(walk.fcurves, ("CYCLES", "GENERATOR", "FNGENERATOR", "ENVELOPE", "LIMITS", "STEPPED")):
    curve.modifiers.new(kind)
storage.store(prowl, None, verbs.Blend(weights=(1.0, 3.0)), [(walk, None), (sneak, None)], armature=rig)
bpy.ops.wm.save_as_mainfile(filepath=path)
os._exit(0)  # with classes still registered, Blender 4.2 may crash at its exit
"""

if OLDEST.exists() and bpy.app.version >= (4, 3):

    def test_a_file_from_blender_4_2_is_understood(storage, fingerprint, errors, tmp_path):
        path = tmp_path / "old.blend"
        subprocess.run(
            [OLDEST, "-c", SAVE, os.environ["ACTION_LOOM_ZIP"], Path(__file__).parent, path],
            env=os.environ | {"BLENDER_USER_RESOURCES": str(tmp_path / "home")},
            check=True,
            timeout=120,
        )
        bpy.ops.wm.open_mainfile(filepath=str(path))
        prowl = bpy.data.actions["prowl"]
        assert storage.recipe_of(prowl).weights == (1.0, 3.0)
        found = storage.find_sources(prowl)
        assert names(found) == ["walk", "sneak"]
        assert [s for _, s in found] == [slot(action) for action, _ in found]
        assert edited(storage, fingerprint, prowl) == [False, False]
        bpy.context.view_layer.objects.active = storage.read_stored(prowl).armature
        weights = [{"name": name, "weight": 1.0} for name in names(found)]
        bpy.ops.action_loom.blend(sources=weights, ends="pinned", result_name="new")
        assert bpy.context.object.animation_data.action.name == "new"
        assert not storage.edited_by_hand(prowl)
        bpy.data.actions.remove(bpy.data.actions["sneak"])
        with pytest.raises(errors.RigError, match="sneak was deleted"):
            storage.find_sources(prowl)
