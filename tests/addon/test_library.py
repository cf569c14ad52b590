"""The panel Library: a folder of files, stretches like an action's, shown as ghosts and imported onto any body."""

import shutil
import threading
from types import SimpleNamespace

import bpy
import characters
import drawing
import material
import numpy as np
import pytest
from file_state import state
from material import needs_shared

RATE = 30


@pytest.fixture
def here(loom):
    """The modules that the panel is made of, and the preferences without a library before and after."""

    class Here:
        finds, libraries = loom("addon.library_finds"), loom("addon.session.libraries")
        previews, jobs, troubles = (loom(f"addon.session.{name}") for name in ("previews", "jobs", "troubles"))
        storage, index, motion_file = (
            loom(f"core.{name}") for name in ("library.storage", "library.index", "formats.motion_file")
        )
        mirror, kinematics = loom("core.motion.mirror"), loom("core.motion.kinematics")
        preferences = loom("addon.preferences").chosen(bpy.context)

        def finder(self):
            return self.finds.finder()

        def found(self):
            return [(row.name, row.first, row.last, row.mirrored) for row in self.finder().found]

        def said(self):
            wrong = self.troubles.of(*self.libraries.TROUBLES)
            return "" if wrong is None else wrong.text

    one = Here()
    one.preferences.library = ""
    one.finds.forget()
    yield one
    one.jobs.stop("the test is over")
    one.preferences.library = ""


@pytest.fixture
def folder(loom, tmp_path):
    """Three files of the generated figure: they walk, sneak and wave."""
    bvh, actions = loom("core.formats.bvh"), loom("core.figure.actions")
    made = tmp_path / "files"
    made.mkdir()
    for name in ("walk", "sneak", "wave"):
        bvh.write(bvh.from_clip(getattr(actions, name)(60.0)), made / f"{name}.bvh")
    return made


@pytest.fixture
def library(here, folder, tmp_path):
    """A library of these files that is chosen in the panel."""
    here.preferences.library = str(tmp_path / "motion.loomlib")
    assert bpy.ops.action_loom.add_to_library(directory=str(folder)) == {"FINISHED"}
    return tmp_path / "motion.loomlib"


@pytest.fixture
def rig():
    """The generated figure with its actions, of which it has the walk."""
    bpy.context.scene.render.fps = RATE
    bpy.ops.action_loom.add_demo()
    rig = bpy.context.object
    play(rig, "Walk")
    return rig


def play(rig, name):
    material.show(rig, bpy.data.actions[name])
    bpy.context.view_layer.update()


def refused(call):
    with pytest.raises(RuntimeError) as told:
        call()
    assert "Traceback" not in str(told.value)
    return str(told.value).removeprefix("Error: ").strip()


def labels(panel="library"):
    return " ".join(options["text"] for name, _, options in drawing.draw_all()[panel] if name == "label")


# --- the library ----------------------------------------------------------------------------------------------------


def test_a_folder_is_put_into_a_library_that_is_made_for_it(here, folder, library):
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
    assert f"There is no library {path} yet: make it with Add Folder" in here.said()
    assert bpy.ops.action_loom.add_to_library(directory=str(folder)) == {"FINISHED"}
    assert path.is_dir()
    assert here.said() == ""


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
        (empty, f"{empty} is no library of clips: choose one, or make a new one"),
        (tmp_path / "gone.loomlib", f"There is no library {tmp_path / 'gone.loomlib'} yet"),
    ):
        here.preferences.library = str(path)
        assert words in here.said()
        assert here.said()[:40].split()[0] in labels()
        assert words in refused(bpy.ops.action_loom.find_like)
        assert words in refused(bpy.ops.action_loom.read_library)
        assert here.found() == []
    here.preferences.library = str(library)
    assert here.said() == ""
    (next(library.glob("rows-*.f16"))).write_bytes(b"")
    assert "rows of" in refused(bpy.ops.action_loom.read_library)


def test_a_folder_without_motion_files_makes_no_clips(here, tmp_path):
    here.preferences.library = str(tmp_path / "motion.loomlib")
    (tmp_path / "none").mkdir()
    assert "There are no motion files" in refused(
        lambda: bpy.ops.action_loom.add_to_library(directory=str(tmp_path / "none"))
    )
    assert "There are no motion files" in here.said()


def test_a_stopped_add_folder_keeps_what_was_read(here, loom, folder, tmp_path, monkeypatch):
    """Every file is a task of its own here, kept at once; it is stopped after the third, which is not kept."""
    monkeypatch.setattr(here.index, "BYTES_AT_A_TIME", 1)
    monkeypatch.setattr(here.index, "SECONDS_KEPT", -1.0)
    progress, path = loom("core.progress").Progress, tmp_path / "motion.loomlib"
    kind = loom("addon.operators.library").ACTION_LOOM_OT_add_to_library
    told = []
    with pytest.raises(loom("core.errors").Cancelled):
        kind.compute(str(path), str(folder), progress(lambda share, _: told.append(share) or len(told) < 3))
    assert [entry.name for entry in here.storage.read(path).clips] == ["sneak", "walk"]
    kind.compute(str(path), str(folder), progress(None))
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


@pytest.fixture
def lame(here, loom, tmp_path):
    """A library of a file that waves with its left hand, which is also an action of the figure in a mirror."""
    bvh, actions = loom("core.formats.bvh"), loom("core.figure.actions")
    made = tmp_path / "lame"
    made.mkdir()
    bvh.write(bvh.from_clip(here.mirror.mirrored(actions.wave(60.0))), made / "other.bvh")
    here.preferences.library = str(tmp_path / "lame.loomlib")
    bpy.ops.action_loom.add_to_library(directory=str(made))


def test_what_is_like_it_in_a_mirror_is_found_where_that_is_asked_for(here, lame, rig):
    play(rig, "Wave")
    assert bpy.ops.action_loom.find_like(mirror=False) == {"FINISHED"}
    plain = here.finder().found[0].distance
    assert not any(row.mirrored for row in here.finder().found)
    assert bpy.ops.action_loom.find_like(mirror=True) == {"FINISHED"}
    best = here.finder().found[0]
    assert best.mirrored
    assert best.distance < 0.5 * plain


def test_a_mirrored_find_is_imported_mirrored(here, loom, lame, rig):
    play(rig, "Wave")
    bpy.ops.action_loom.find_like(mirror=True)
    here.finder().found[0].use = True
    assert bpy.ops.action_loom.import_found() == {"FINISHED"}
    row = here.finder().found[0]
    made = bpy.data.actions[f"other {row.first}-{row.last} mirrored"]
    hands = [characters.roles_of(loom, rig)[role] for role in ("hand.L", "hand.R")]
    away, apart = RATE * row.first / 60.0, []  # the file may be found a little after its beginning
    for name, begin in (("Wave", bpy.data.actions["Wave"].frame_range[0] + away), (made.name, here.finder().frame)):
        play(rig, name)
        apart.append(np.array([material.pose_positions(rig, hands, begin + k) for k in (10, 20)]))
    assert np.abs(apart[0] - apart[1]).max() < 0.03
    assert np.abs(apart[0][:, 0] - apart[0][:, 1]).max() > 0.3


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
    """The arms hang in another way: legs alone don't see it."""
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
    assert "Searching needs hips: name them in Body Roles" in refused(bpy.ops.action_loom.find_like)


def test_numpy_alone_finds_the_same(here, loom, library, rig):
    jit = loom("core.jit")
    wanted, found = jit._wanted, []
    try:
        for engine in ("auto", "numpy"):
            jit.use(engine)
            bpy.ops.action_loom.find_like(mirror=True)
            found.append(here.found())
    finally:
        jit.use(wanted)
    assert found[0] == found[1]


def test_a_stopped_search_leaves_what_was_found_before(here, loom, library, rig):
    bpy.ops.action_loom.find_like(most=2)
    before = here.found()
    kind = loom("addon.operators.library").ACTION_LOOM_OT_find_like
    search = loom("addon.session.library_search")
    asked = here.finds.asked(bpy.context.scene, rig)
    request = loom("core.recipes.reading").Request(sources=(asked.source,))
    (read,) = loom("addon.weaving").read(bpy.context, rig, request).sources
    query = search.query(read, asked.first, asked.last, str(library))
    with pytest.raises(loom("core.errors").Cancelled):
        kind.compute(query, search.Wanted(), loom("core.progress").Progress(lambda *_: False))
    assert here.found() == before


# --- ghosts and importing -------------------------------------------------------------------------------------------


@pytest.fixture
def searched(here, library, rig):
    """Both a walk and a sneak were found."""
    bpy.ops.action_loom.find_like()
    return here.finder()


def row_of(finder, name):
    return next(k for k, row in enumerate(finder.found) if row.name == name)


def test_a_clicked_row_is_shown_where_the_action_stands(here, searched, rig):
    rig.location = (2.0, -1.0, 0.0)
    rig.rotation_euler.z = 0.5
    bpy.context.view_layer.update()
    bpy.ops.action_loom.find_like()
    before = state()
    searched.active = row_of(searched, "walk")
    ghost = here.previews.of(rig.session_uid)
    assert ghost.mode == here.previews.FOUND
    frame = searched.frame
    hips = material.pose_positions(rig, ["hips"], frame)[0]
    shown = ghost.figures[0].at(frame)
    row = searched.found[searched.active]
    near = shown[np.argmin(np.linalg.norm(shown - hips, axis=1))]
    assert np.linalg.norm(near - hips) < 0.08
    assert ghost.figures[0].playing.frames[-1] - frame == pytest.approx(row.seconds * RATE, abs=1.01)
    assert ghost.said == f"walk {row.first}-{row.last}"
    bpy.context.scene.frame_set(before["frame"][0])
    assert state() == before
    assert "walk" in labels()
    bpy.context.scene.action_loom.ghost_mesh = True
    assert here.previews.of(rig.session_uid).body is not None
    assert bpy.ops.action_loom.clear_preview() == {"FINISHED"}
    assert here.previews.of(rig.session_uid) is None


def test_ticked_rows_become_actions_of_the_list_and_undo_takes_them_back_at_once(here, searched, rig):
    walk, sneak = row_of(searched, "walk"), row_of(searched, "sneak")
    searched.found[walk].use = searched.found[sneak].use = True
    bpy.ops.ed.undo_push(message="before")
    before = state()
    assert bpy.ops.action_loom.import_found("EXEC_DEFAULT", True) == {"FINISHED"}
    names = [f"{row.name} {row.first}-{row.last}" for row in (searched.found[k] for k in sorted((walk, sneak)))]
    assert set(state()["new actions"]) - set(before["new actions"]) == set(names)
    listed = bpy.context.scene.action_loom.rigs[0].sources
    assert [line.action.name for line in listed][-2:] == names
    bpy.ops.ed.undo()
    assert state() == before
    bpy.ops.ed.redo()
    assert {line.action.name for line in bpy.context.scene.action_loom.rigs[0].sources} >= set(names)


def test_an_imported_stretch_moves_as_the_file_does(here, loom, searched, rig):
    """The figure's own file on the figure: the same places but for where it stands and faces."""
    searched.found[row_of(searched, "walk")].use = True
    row = searched.found[row_of(searched, "walk")]
    assert bpy.ops.action_loom.import_found(rate="KEEP") == {"FINISHED"}
    made = bpy.data.actions[f"walk {row.first}-{row.last}"]
    assert loom("addon.rates").rate_of(made) == pytest.approx(60.0)
    assert made.curve_frame_range[:] == (searched.frame, searched.frame + row.last - row.first)
    clip = here.motion_file.read(row.path).clip.cut(row.first, row.last + 1)
    frames = [0, 10, len(clip) - 1]
    play(rig, made.name)
    names = [name for name in clip.skeleton.names if name in rig.pose.bones]
    ours = np.array([material.pose_positions(rig, names, searched.frame + k) for k in frames])
    theirs = here.kinematics.world(clip)[1][frames][:, [clip.skeleton.index(name) for name in names]]
    assert between(ours) == pytest.approx(between(theirs), abs=2e-4)


def between(points):
    """The distances (F, J, J) between all points (F, J, 3), which no turn and no step aside change."""
    return np.linalg.norm(points[:, :, None] - points[:, None], axis=3)


def test_a_stretch_takes_as_long_as_in_its_file_at_the_scene_s_rate(here, searched, rig):
    row = searched.found[row_of(searched, "walk")]
    row.use = True
    bpy.ops.action_loom.import_found()
    first, last = bpy.data.actions[f"walk {row.first}-{row.last}"].curve_frame_range
    assert (last - first) / RATE == pytest.approx(row.seconds, abs=1.0 / RATE)


def test_a_file_that_is_gone_is_said_and_the_others_come(here, searched, rig, folder):
    walk, sneak = row_of(searched, "walk"), row_of(searched, "sneak")
    (folder / "sneak.bvh").unlink()
    searched.found[sneak].use = True
    before = state()
    gone = f"The file {folder / 'sneak.bvh'} is not there any more: bring it back, or add its folder again"
    assert refused(bpy.ops.action_loom.import_found) == gone
    assert here.said() == gone
    assert state() == before
    searched.found[walk].use = True
    assert bpy.ops.action_loom.import_found() == {"FINISHED"}
    assert any(name.startswith("walk ") for name in bpy.data.actions.keys())  # noqa: SIM118


def test_a_file_that_is_shorter_now_is_said(here, searched, rig, folder):
    row = searched.found[row_of(searched, "sneak")]
    row.use, row.last = True, 100000
    assert "has" in refused(bpy.ops.action_loom.import_found)
    assert "add its folder again, and find anew" in here.said()


def test_what_breaks_while_several_are_written_leaves_none(here, loom, searched, rig, monkeypatch):
    for row in searched.found:
        row.use = row.name in ("walk", "sneak")
    onto = loom("addon.io.onto_armature")
    write, calls = onto.write, []

    def failing(*given, **options):
        calls.append(given)
        if len(calls) == 2:
            raise MemoryError("no more room")
        return write(*given, **options)

    monkeypatch.setattr(onto, "write", failing)
    before = state()
    with pytest.raises(RuntimeError, match="no more room"):
        bpy.ops.action_loom.import_found()
    assert state() == before


def test_nothing_that_was_found_is_imported_before_it_is_chosen(here, searched, rig):
    assert "Tick what is to be imported, or click one" in refused(bpy.ops.action_loom.import_found)
    searched.active = 0
    assert bpy.ops.action_loom.import_found() == {"FINISHED"}


def test_several_stretches_of_a_file_read_it_once(here, loom, searched, rig, monkeypatch):
    files = loom("core.formats.motion_file")
    read, calls = files.read, []
    monkeypatch.setattr(files, "read", lambda path: calls.append(path) or read(path))
    path = searched.found[row_of(searched, "walk")].path
    stretches = [{"name": "", "path": path, "first": k, "last": k + 20, "mirrored": bool(k)} for k in (0, 5, 9)]
    assert bpy.ops.action_loom.import_found(stretches=stretches) == {"FINISHED"}
    assert calls == [path]
    assert {"walk 0-20", "walk 5-25 mirrored", "walk 9-29 mirrored"} <= set(bpy.data.actions.keys())


# --- captured files and characters ----------------------------------------------------------------------------------


@needs_shared
def test_a_character_finds_and_takes_captured_motion(here, loom, tmp_path):
    """A captured walk on a game character: its file is found first, and what comes back moves its limbs alike."""
    made = tmp_path / "cmu"
    made.mkdir()
    for name in (characters.WALK, characters.RUN):
        shutil.copy(characters.file_of(name), made)
    here.preferences.library = str(tmp_path / "cmu.loomlib")
    bpy.ops.action_loom.add_to_library(directory=str(made))
    rig = characters.character("mannequiny")
    assert material.import_motion(characters.file_of(characters.WALK), plant_feet=False, rate="SCENE") == {"FINISHED"}
    play(rig, characters.WALK)
    assert bpy.ops.action_loom.find_like(most=3) == {"FINISHED"}
    best = here.finder().found[0]
    assert best.name == characters.WALK
    assert best.first < 12  # of 120 a second
    best.use = True
    assert bpy.ops.action_loom.import_found(plant_feet=False, rate="KEEP") == {"FINISHED"}
    action = bpy.data.actions[f"{characters.WALK} {best.first}-{best.last}"]
    assert action.name in [line.action.name for line in bpy.context.scene.action_loom.rigs[0].sources]
    source = characters.captured()
    bpy.context.scene.render.fps = 30
    begin = here.finder().frame
    at = np.array([0, 60, 150])
    theirs = characters.directions(loom, source, source.animation_data.action, at + 1 + best.first)
    ours = characters.directions(loom, rig, action, at + begin)
    for role in ("thigh.L", "thigh.R", "shin.L", "upper_arm.R"):
        up = np.degrees(np.arccos(np.clip(ours[role][:, 2], -1, 1)) - np.arccos(np.clip(theirs[role][:, 2], -1, 1)))
        assert np.abs(up).max() < 0.1, role  # whichever way it faces, limbs lean as in the file


# --- beside the interface -------------------------------------------------------------------------------------------


def driven(loom, name, **values):
    """An operator of the panel as an object of its own, with a context whose timers and handlers do nothing."""
    kind = getattr(loom("addon.operators.library"), f"ACTION_LOOM_OT_{name}")
    plain = {key: value for key, value in vars(kind).items() if not key.startswith(("__", "bl_rna"))}
    bases = tuple(base for base in kind.__bases__ if base is not bpy.types.Operator)
    operator = type("Driven", bases, plain | {"library": ""} | values)()
    operator.properties = SimpleNamespace(is_property_set=lambda _name: True)
    told = []
    operator.report = lambda kind, text: told.append((min(kind), text))
    timers = SimpleNamespace(event_timer_add=lambda *_, **__: None, modal_handler_add=lambda *_: None, windows=[])
    context = SimpleNamespace(
        object=bpy.context.object,
        scene=bpy.context.scene,
        view_layer=bpy.context.view_layer,
        preferences=bpy.context.preferences,
        window=None,
        window_manager=timers,
        workspace=None,
        area=None,
        evaluated_depsgraph_get=bpy.context.evaluated_depsgraph_get,
    )
    return operator, context, told


def ended(operator, context, *events):
    for kind in events:
        operator.modal(context, SimpleNamespace(type=kind, value="PRESS", mouse_x=0, mouse_y=0))
    operator._job.wait()
    return operator.modal(context, SimpleNamespace(type="TIMER", value="NOTHING", mouse_x=0, mouse_y=0))


def test_escape_while_a_folder_is_added_says_what_is_there(here, loom, folder, library, monkeypatch):
    shutil.copy(folder / "walk.bvh", folder / "again.bvh")
    reached, goes_on = threading.Event(), threading.Event()
    read = here.index.read

    def slow(batch):
        reached.set()
        assert goes_on.wait(20)
        return read(batch)

    monkeypatch.setattr(here.index, "read", slow)
    operator, context, told = driven(loom, "add_to_library", directory=str(folder))
    assert operator._begin(context) == {"RUNNING_MODAL"}
    assert reached.wait(20)
    assert here.jobs.running().label == "Add Folder"
    operator.modal(context, SimpleNamespace(type="ESC", value="PRESS", mouse_x=0, mouse_y=0))
    goes_on.set()
    assert ended(operator, context) == {"CANCELLED"}
    assert told == [("INFO", "Add Folder was cancelled; what was kept so far is in the library")]
    assert "3 clips" in labels()


def test_finding_and_importing_go_on_beside_the_interface(here, loom, library, rig):
    operator, context, told = driven(loom, "find_like", part="whole", mirror=False, words="", most=3)
    assert operator._begin(context) == {"RUNNING_MODAL"}
    assert ended(operator, context) == {"FINISHED"}
    assert "the likest is walk" in told[-1][1]
    before = state()
    stretch = SimpleNamespace(path=here.finder().found[0].path, first=0, last=30, mirrored=False)
    given = {"stretches": [stretch], "rate": "SCENE", "plant_feet": True}
    operator, context, told = driven(loom, "import_found", **given)
    assert operator._begin(context) == {"RUNNING_MODAL"}
    assert ended(operator, context, "ESC") == {"CANCELLED"}
    assert told == [("INFO", "Import Found was cancelled; nothing was changed")]
    assert state() == before
    operator, context, told = driven(loom, "import_found", **given)
    operator._begin(context)
    assert ended(operator, context) == {"FINISHED"}
    assert "walk 0-30" in bpy.data.actions
    operator, context, told = driven(loom, "import_found", **given)
    operator._begin(context)
    operator._job.wait()
    bpy.data.objects.remove(rig)
    assert ended(operator, context) == {"CANCELLED"}
    assert "The armature was deleted" in told[-1][1]
