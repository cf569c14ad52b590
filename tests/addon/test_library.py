"""The panel Library: a library of a folder's files, and the search for motion like an action's."""

import shutil

import bpy
import material
import pytest
from file_state import state
from library_panel import RATE, figure, labels, play, refused


@pytest.fixture
def rig(once):
    return once(figure)


# --- the library ----------------------------------------------------------------------------------------------------


def test_a_folder_is_put_into_a_library_that_is_made_for_it(here, folder, tmp_path):
    library = tmp_path / "motion.loomlib"
    here.preferences.library = str(library)
    assert bpy.ops.action_loom.add_to_library(directory=str(folder)) == {"FINISHED"}
    assert {entry.name for entry in here.storage.read(library).clips} == {"walk", "sneak", "wave"}
    assert "3 clips" in labels()
    assert {path.name for path in folder.iterdir()} == {"walk.bvh", "sneak.bvh", "wave.bvh"}
    (folder / "wave.bvh").unlink()
    (folder / "broken.bvh").write_text("no motion")
    assert bpy.ops.action_loom.add_to_library(directory=str(folder)) == {"FINISHED"}
    assert {entry.name for entry in here.storage.read(library).clips} == {"walk", "sneak"}
    assert "1 can't be read" in labels()


def test_a_new_library_gets_its_ending_and_is_made_by_add_folder(here, folder, tmp_path):
    assert bpy.ops.action_loom.new_library(filepath=str(tmp_path / "mine")) == {"FINISHED"}
    path = tmp_path / "mine.loomlib"
    assert here.preferences.library == str(path)
    assert not path.exists()
    assert f"There is no library {path} yet: make it with Add Folder" in here.message()
    assert bpy.ops.action_loom.add_to_library(directory=str(folder)) == {"FINISHED"}
    assert path.is_dir()
    assert here.message() == ""


def test_another_file_has_the_same_library_and_nothing_that_was_found(here, library, rig, tmp_path):
    bpy.ops.action_loom.find_like()
    assert here.found()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    assert here.preferences.library == str(library)
    assert here.found() == []
    assert "clips" not in labels()  # nobody has looked yet
    assert bpy.ops.action_loom.read_library() == {"FINISHED"}
    assert "3 clips" in labels()
    assert bpy.ops.action_loom.find_like() == {"FINISHED"}


def test_a_library_can_lie_beside_the_file(here, library, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    here.preferences.library = "//motion.loomlib/"
    assert "3 clips" in labels()


def test_what_is_wrong_with_a_library_is_said_in_one_sentence_in_the_panel(here, library, rig, tmp_path):
    spoiled = tmp_path / "spoiled.loomlib"
    shutil.copytree(library, spoiled)
    (spoiled / "clips.sqlite").write_bytes(b"not a table")
    empty = tmp_path / "empty"
    empty.mkdir()
    for path, words in (
        (spoiled, f"The library {spoiled} is damaged"),
        (empty, f"{empty} is no library of clips: choose one, or none"),
        (tmp_path / "gone.loomlib", f"There is no library {tmp_path / 'gone.loomlib'} yet"),
    ):
        here.preferences.library = str(path)
        assert words in here.message()
        assert here.message()[:40].split()[0] in labels()
        assert words in refused(bpy.ops.action_loom.find_like)
        assert words in refused(bpy.ops.action_loom.read_library)
        assert here.found() == []
    here.preferences.library = str(library)
    assert here.message() == ""
    (next(library.glob("rows-*.f16"))).write_bytes(b"")
    assert "rows of" in refused(bpy.ops.action_loom.read_library)


def test_a_folder_without_motion_files_makes_no_clips(here, tmp_path):
    here.preferences.library = str(tmp_path / "motion.loomlib")
    (tmp_path / "none").mkdir()
    assert "There are no motion files" in refused(
        lambda: bpy.ops.action_loom.add_to_library(directory=str(tmp_path / "none"))
    )
    assert "There are no motion files" in here.message()


def test_a_stopped_add_folder_keeps_what_was_read(here, loom, folder, tmp_path, monkeypatch):
    """Each file is a separate task here and is stored at once: a run stopped at the third file keeps the first two."""
    monkeypatch.setattr(here.index, "BYTES_AT_A_TIME", 1)
    monkeypatch.setattr(here.index, "SECONDS_KEPT", -1.0)
    progress, path = loom("core.progress").Progress, tmp_path / "motion.loomlib"
    kind = loom("addon.interface.operators.library").ACTION_LOOM_OT_add_to_library
    reported = []
    with pytest.raises(loom("core.errors").Cancelled):
        kind.compute((str(path), str(folder)), progress(lambda share, _: reported.append(share) or len(reported) < 3))
    assert [entry.name for entry in here.storage.read(path).clips] == ["sneak", "walk"]
    kind.compute((str(path), str(folder)), progress(None))
    assert len(here.storage.read(path).clips) == 3


# --- finding --------------------------------------------------------------------------------------------------------


def test_an_action_finds_its_own_file_first(here, library, rig):
    before = state()
    for name in ("Walk", "Sneak"):
        play(rig, name)
        assert bpy.ops.action_loom.find_like() == {"FINISHED"}
        best = here.finder().found[0]
        assert best.name == name.lower()
        assert best.distance < 0.25 * min(row.distance for row in here.finder().found if row.name != name.lower())
    play(rig, "Walk")
    after = state()
    assert {part for part in before if before[part] != after[part]} <= {"settings"}


def test_the_preview_range_is_what_is_looked_for_and_its_place_is_found(here, library, rig):
    scene = bpy.context.scene
    action = rig.animation_data.action
    first, last = (int(frame) for frame in action.frame_range)
    begin, end = first + 8, min(first + 26, last)
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, begin, end
    assert f"frames {begin}–{end}, the preview range" in labels()
    assert bpy.ops.action_loom.find_like() == {"FINISHED"}
    best = here.finder().found[0]
    assert best.name == "walk"
    rate = here.motion_file.read(best.path).clip.rate
    period = (last - first) / RATE  # the walk repeats, so it may be found a cycle later
    away = (best.first / rate - (begin - first) / RATE) % period
    assert min(away, period - away) < 0.1
    scene.frame_preview_start, scene.frame_preview_end = last + 50, last + 90
    assert "none of them is in the preview range" in refused(bpy.ops.action_loom.find_like)


def test_the_range_of_the_line_counts_where_there_is_no_preview_range(here, library, rig):
    bpy.ops.action_loom.add_sources()
    line = next(one for one in bpy.context.scene.action_loom.rigs[0].sources if one.action.name == "Walk")
    line.use = line.use_range = True
    line.first, line.last = 5, 20
    assert "frames 5–20, its range in the list" in labels()
    assert bpy.ops.action_loom.find_like() == {"FINISHED"}
    assert here.finder().frame == 5.0
    line.last = 6
    assert "search for one of 0.14 to 30 s" in refused(bpy.ops.action_loom.find_like)


def test_what_is_like_it_in_a_mirror_is_found_where_that_is_asked_for(here, lame, rig):
    play(rig, "Wave")
    assert bpy.ops.action_loom.find_like(mirror=False) == {"FINISHED"}
    plain = here.finder().found[0].distance
    assert not any(row.mirrored for row in here.finder().found)
    assert bpy.ops.action_loom.find_like(mirror=True) == {"FINISHED"}
    best = here.finder().found[0]
    assert best.mirrored
    assert best.distance < 0.5 * plain


def test_words_choose_clips(here, library, rig):
    assert bpy.ops.action_loom.find_like(words="sneak") == {"FINISHED"}
    assert {row.name for row in here.finder().found} == {"sneak"}
    assert bpy.ops.action_loom.find_like(words="-sneak -wave", most=2) == {"FINISHED"}
    assert {row.name for row in here.finder().found} == {"walk"}
    assert "Nothing was found among the clips with 'swim'" in refused(
        lambda: bpy.ops.action_loom.find_like(words="swim")
    )
    assert here.found() == []


def test_the_panel_s_choices_are_taken_by_its_button(here, library, rig):
    finder = here.finder()
    finder.words, finder.most, finder.part = "walk", 1, "legs"
    with bpy.context.temp_override(action_loom_armature=rig):
        assert bpy.ops.action_loom.find_like("INVOKE_DEFAULT") == {"FINISHED"}
    assert [row.name for row in finder.found] == ["walk"]
    finder.words, finder.most, finder.part = "", 12, "whole"
    assert bpy.ops.action_loom.find_like() == {"FINISHED"}
    assert {row.name for row in finder.found} > {"walk"}


def test_legs_alone_are_compared_where_that_is_asked_for(here, library, rig):
    """Changed arms raise the distance of the whole body, but not that of the legs."""
    action = rig.animation_data.action
    for curve in material.fcurves(action):
        if "arm" in curve.data_path.lower():
            for point in curve.keyframe_points:
                point.co.y += 0.6
            curve.update()
    best = []
    for part in ("whole", "legs"):
        bpy.ops.action_loom.find_like(part=part)
        best.append(next(row for row in here.finder().found if row.name == "walk").distance)
    assert best[1] < 0.5 * best[0]


def test_a_library_that_another_process_has_changed_is_read_again(here, folder, library, rig):
    bpy.ops.action_loom.find_like()
    assert here.finder().found[0].name == "walk"
    (folder / "walk.bvh").rename(folder / "stroll.bvh")
    here.index.update(str(library), [str(folder)])
    bpy.ops.action_loom.find_like()
    assert here.finder().found[0].name == "stroll"


def test_a_body_without_known_hips_can_t_search_and_says_so(here, library, rig):
    bpy.ops.action_loom.add_sources()
    bpy.context.scene.action_loom.rigs[0].roles["hips"].bone = ""
    assert "Find like This needs hips: name them in Body Roles" in refused(bpy.ops.action_loom.find_like)


def test_a_stopped_search_leaves_what_was_found_before(here, loom, library, rig):
    bpy.ops.action_loom.find_like(most=2)
    before = here.found()
    kind = loom("addon.interface.operators.library").ACTION_LOOM_OT_find_like
    search = loom("addon.services.library.library_search")
    asked = here.finds.asked_stretch(bpy.context.scene, rig)
    request = loom("core.recipes.reading").Request(sources=(asked.source,))
    (read,) = loom("addon.services.weaving.reading").read(bpy.context, rig, request).sources
    query = search.query(read, asked.first, asked.last, str(library))
    with pytest.raises(loom("core.errors").Cancelled):
        kind.compute((query, search.Wanted()), loom("core.progress").Progress(lambda *_: False))
    assert here.found() == before


def test_stretches_are_found_by_words_for_what_is_done(here, library):
    assert bpy.ops.action_loom.find_doing(doing="walking") == {"FINISHED"}
    assert {row.name for row in here.finder().found} >= {"walk"}
    assert all("Walk" in row.done for row in here.finder().found)
    before = here.found()
    assert "There is no word" in refused(lambda: bpy.ops.action_loom.find_doing(doing="the"))
    assert here.found() == before
    assert "choose other words" in refused(lambda: bpy.ops.action_loom.find_doing(doing="jump"))
    here.finder().doing = "walk"
    assert bpy.ops.action_loom.find_doing() == {"FINISHED"}
    assert len(here.found()) >= 1


def test_what_was_found_by_words_is_imported(here, library, rig):
    bpy.ops.action_loom.find_doing(doing="walk")
    here.finder().found[0].use = True
    before = set(bpy.data.actions)
    assert bpy.ops.action_loom.import_found() == {"FINISHED"}
    assert len(set(bpy.data.actions) - before) == 1
