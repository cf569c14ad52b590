"""Background jobs: how a job ends, which events may happen meanwhile, and how an operator drives it.

No window runs here, so the tests call the operator's steps one by one, like Blender, with made-up events.
"""

import threading
from types import SimpleNamespace

import addon_utils
import bpy
import material
import numpy as np
import pytest


@pytest.fixture
def jobs(loom):
    module = loom("addon.ground.jobs")
    yield module
    module.stop("the test is over")


@pytest.fixture
def rig():
    return material.two_walks()


class Steps:
    """Work in two halves that waits for `may_go_on` between them."""

    def __init__(self):
        self.may_go_on, self.reached = threading.Event(), threading.Event()

    def __call__(self, progress):
        progress.at(0.25, "First half")
        self.reached.set()
        assert self.may_go_on.wait(10)
        progress.at(0.75, "Second half")
        return "done"


def test_a_job_tells_how_far_it_is_and_gives_its_result(jobs):
    steps = Steps()
    job = jobs.begin("Counting", steps)
    assert steps.reached.wait(10)
    assert (job.state, job.fraction, job.doing) == ("running", 0.25, "First half")
    assert jobs.running() is job
    steps.may_go_on.set()
    job.wait()
    assert (job.state, job.result, job.fraction) == ("done", "done", 0.75)
    jobs.forget(job)
    assert jobs.running() is None


def test_a_cancelled_job_stops_at_its_next_step(jobs):
    steps = Steps()
    job = jobs.begin("Counting", steps)
    assert steps.reached.wait(10)
    job.cancel()
    steps.may_go_on.set()
    job.wait()
    assert (job.state, job.result, job.doing) == ("cancelled", None, "Stopping")


def test_errors_are_kept_for_whoever_asks(jobs, loom):
    error = loom("core.errors").ClipError("too short")

    def fail(_progress):
        raise error

    job = jobs.begin("Failing", fail)
    job.wait()
    assert (job.state, job.error) == ("failed", error)


def test_there_is_one_job_at_a_time(jobs, loom, rig):
    steps = Steps()
    jobs.begin("Counting", steps)
    with pytest.raises(loom("core.errors").LoomError, match="Counting is still running"):
        jobs.begin("Another", steps)
    with pytest.raises(RuntimeError, match="Counting is still running: wait for it, or cancel it"):
        bpy.ops.action_loom.blend(sources=material.TWO_WALKS)
    steps.may_go_on.set()


def test_opening_a_file_stops_a_job_and_says_so(jobs, capfd):
    steps = Steps()
    job = jobs.begin("Weave", steps)
    assert steps.reached.wait(10)
    steps.may_go_on.set()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert job.state in ("cancelled", "done")
    assert jobs.running() is None
    assert "Weave was stopped, because another file is opened; nothing was changed" in capfd.readouterr().out


def test_the_cancel_button_stops_what_runs(jobs):
    with pytest.raises(RuntimeError, match="Nothing is going on"):
        bpy.ops.action_loom.cancel()
    steps = Steps()
    job = jobs.begin("Weave", steps)
    assert steps.reached.wait(10)
    bpy.ops.action_loom.cancel()
    steps.may_go_on.set()
    job.wait()
    assert job.state == "cancelled"


@pytest.fixture
def driven(loom, rig):
    """The weaving operator as a plain object, with a context whose timers and handlers do nothing."""
    making, hooks = loom("addon.interface.operators.verb_operator"), loom("addon.interface.operators.result_hooks")
    values = {name: getattr(bpy.context.scene.action_loom.matching, name) for name in _names("matching")}
    values |= {name: getattr(bpy.context.scene.action_loom.blend, name) for name in _names("blend")}
    values |= {name: getattr(bpy.context.scene.action_loom.result, name) for name in _names("result")}
    reported = []
    values |= {
        "recipe": loom("core.verbs").Blend,
        "hooks": hooks.ResultHooks(),
        "compute": staticmethod(hooks.ResultHooks().compute),
        "bl_label": "Blend",
        "reference": "1",
        "armature": "",
        "into": "",
        "overwrite_edits": False,
        "partners": [],
        "preview": False,
        "quick": False,
        "bl_rna": SimpleNamespace(properties={}),
    }
    operator = type("Driven", (making.VerbOperator,), values)()
    operator.properties = operator
    operator.sources = [SimpleNamespace(**source) for source in material.TWO_WALKS]
    operator.readings = []
    operator.players = []
    operator.report = lambda kind, text: reported.append((min(kind), text))
    timers = SimpleNamespace(event_timer_add=lambda *_, **__: None, modal_handler_add=lambda *_: None, windows=[])
    context = SimpleNamespace(
        object=rig,
        scene=bpy.context.scene,
        window=None,
        window_manager=timers,
        workspace=None,
        area=None,
        evaluated_depsgraph_get=bpy.context.evaluated_depsgraph_get,
    )
    return SimpleNamespace(operator=operator, context=context, reported=reported)


def _names(group):
    known = getattr(bpy.context.scene.action_loom, group).bl_rna.properties
    return [p.identifier for p in known if p.identifier not in ("rna_type", "name")]


def event(kind, value="NOTHING"):
    return SimpleNamespace(type=kind, value=value, mouse_x=0, mouse_y=0)


def drive(driven, *events):
    """Feed events, then ticks of the timer until the operator ends; return all its answers."""
    answers = [driven.operator.modal(driven.context, one) for one in events]
    for _ in range(500):
        driven.operator._job.wait()
        answers.append(driven.operator.modal(driven.context, event("TIMER")))
        if answers[-1] != {"RUNNING_MODAL"}:
            return answers
    raise AssertionError("the operator never ended")


def test_an_operator_weaves_beside_the_interface(jobs, driven):
    assert driven.operator._begin(driven.context) == {"RUNNING_MODAL"}
    assert drive(driven)[-1] == {"FINISHED"}
    assert "slow + quick 50:50" in bpy.data.actions
    assert driven.reported[-1][0] == "INFO"
    assert jobs.running() is None


def test_events_other_than_navigation_are_kept_from_the_file(jobs, driven):
    driven.operator._begin(driven.context)
    kinds = ("MIDDLEMOUSE", "WHEELUPMOUSE", "Z", "LEFTMOUSE")
    answers = drive(driven, *(event(kind, "PRESS") for kind in kinds))
    assert answers[:4] == [{"PASS_THROUGH"}, {"PASS_THROUGH"}, {"RUNNING_MODAL"}, {"RUNNING_MODAL"}]


def test_escape_cancels_and_leaves_the_file_as_it_was(jobs, driven):
    before = set(bpy.data.actions.keys())
    driven.operator._begin(driven.context)
    assert drive(driven, event("ESC", "PRESS"))[-1] == {"CANCELLED"}
    assert driven.reported == [("INFO", "Blend was cancelled; nothing was changed")]
    assert set(bpy.data.actions.keys()) == before


@pytest.fixture
def in_steps(driven, jobs, loom, monkeypatch):
    """The operator with visual reading of 37 and 25 frames, four at each tick of the timer."""
    monkeypatch.setattr(loom("addon.bridge.evaluated_action"), "SOME", 4)
    monkeypatch.setattr(jobs, "LONGEST_READING", 0.0)
    driven.operator.visual = True
    return driven


def everything():
    kept = (bpy.data.objects, bpy.data.scenes, bpy.data.armatures, bpy.data.actions)
    return (
        [[(one.name, one.users) for one in some] for some in kept],
        [material.fingerprint(action) for action in bpy.data.actions],
        (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe),
        [one.name for one in bpy.context.selected_objects],
        [np.array(bone.matrix_basis).tobytes() for bone in bpy.context.object.pose.bones],
    )


def test_reading_goes_on_at_each_tick_and_says_how_far_it_is(jobs, in_steps):
    assert in_steps.operator._begin(in_steps.context) == {"RUNNING_MODAL"}
    job, reports = in_steps.operator._job, []
    while job.inputs is None:
        reports.append((job.fraction, job.doing))
        assert in_steps.operator.modal(in_steps.context, event("TIMER")) == {"RUNNING_MODAL"}
        assert len(reports) < 30
    assert reports[1][1] == "Reading frame 4 of 37"
    assert [fraction for fraction, _ in reports] == sorted(fraction for fraction, _ in reports)
    assert drive(in_steps)[-1] == {"FINISHED"}
    assert "slow + quick 50:50" in bpy.data.actions


@pytest.mark.parametrize("ended", ["by escape", "by Blender", "by an error"])
def test_what_is_read_in_steps_is_left_as_it_was(jobs, in_steps, ended):
    bpy.context.scene.frame_set(7, subframe=0.25)
    bpy.context.object.pose.bones[0].location.x = 3.0  # unkeyed, so each change of the frame would drop it
    before = everything()
    in_steps.operator._begin(in_steps.context)
    for _ in range(5):
        assert in_steps.operator.modal(in_steps.context, event("TIMER")) == {"RUNNING_MODAL"}
    assert everything() == before
    if ended == "by escape":
        in_steps.operator.modal(in_steps.context, event("ESC", "PRESS"))
        assert in_steps.operator.modal(in_steps.context, event("TIMER")) == {"CANCELLED"}
        assert in_steps.reported == [("INFO", "Blend was cancelled; nothing was changed")]
    elif ended == "by Blender":
        in_steps.operator.cancel(in_steps.context)
        assert in_steps.operator._job.state == "cancelled"
    else:
        bpy.data.actions.remove(bpy.data.actions["quick"])
        before = everything()
        assert drive(in_steps)[-1] == {"CANCELLED"}
        gone = "What was being read is gone from the file: choose the sources again"
        assert in_steps.reported == [("ERROR", gone)]
    assert everything() == before
    assert jobs.running() is None


@pytest.mark.parametrize("gone", ["armature", "source"])
def test_what_is_deleted_meanwhile_ends_in_a_message(jobs, driven, rig, gone):
    driven.operator._begin(driven.context)
    driven.operator._job.wait()
    if gone == "armature":
        bpy.data.objects.remove(rig)
    else:
        bpy.data.actions.remove(bpy.data.actions["quick"])
    assert drive(driven)[-1] == {"CANCELLED"}
    what = "The armature" if gone == "armature" else "The action 'quick'"
    assert driven.reported == [("ERROR", f"{what} was deleted while its actions were woven: nothing was written")]
    assert "slow + quick 50:50" not in bpy.data.actions


def test_errors_of_the_work_are_reported(jobs, driven):
    driven.operator.ends = "cyclic"
    driven.operator.sources[0].weight = 0.0
    driven.operator.sources[1].weight = 0.0
    driven.operator._begin(driven.context)
    assert drive(driven)[-1] == {"CANCELLED"}
    assert driven.reported == [("ERROR", "All weights are zero: give at least one clip a share")]


def test_blender_may_end_the_operator_by_itself(jobs, driven):
    driven.operator._begin(driven.context)
    driven.operator.cancel(driven.context)
    assert jobs.running() is None
    assert driven.operator._job.state in ("cancelled", "done")


def test_opening_a_file_ends_the_operator_and_writes_nothing_there(jobs, driven):
    driven.operator._begin(driven.context)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    driven.context.scene = bpy.context.scene
    assert jobs.running() is None
    assert drive(driven)[-1] == {"CANCELLED"}  # in case the timer ticks before Blender ends it
    driven.operator.cancel(driven.context)
    assert driven.reported[0][0] in ("INFO", "ERROR")
    assert len(driven.reported) == 1
    assert not len(bpy.data.actions)


def test_switching_the_extension_off_ends_the_operator_and_writes_nothing(jobs, driven, extension):
    before = set(bpy.data.actions.keys())
    driven.operator._begin(driven.context)
    addon_utils.disable(extension)
    try:
        assert jobs.running() is None
        driven.operator.cancel(driven.context)
        assert set(bpy.data.actions.keys()) == before
    finally:
        addon_utils.enable(extension, default_set=True)


def test_an_operator_that_only_asked_whether_to_begin_ends_nobody_else_s_work(jobs, driven):
    steps = Steps()
    job = jobs.begin("Counting", steps)
    driven.operator.cancel(driven.context)
    assert jobs.running() is job
    steps.may_go_on.set()
    job.wait()
    assert job.state == "done"


def test_switching_the_extension_off_stops_a_job_and_it_can_be_switched_on_again(jobs, loom, capfd):
    package = loom("addon").__name__.removesuffix(".addon")
    for _ in range(2):
        steps = Steps()
        job = jobs.begin("Weave", steps)
        assert steps.reached.wait(10)
        steps.may_go_on.set()
        addon_utils.disable(package)
        assert job.state in ("cancelled", "done")
        assert jobs.running() is None
        assert "the extension was switched off" in capfd.readouterr().out
        addon_utils.enable(package, default_set=True)
        assert hasattr(bpy.types.Scene, "action_loom")


def test_a_job_may_ask_whether_an_armature_can_be_changed_and_a_quiet_one_greys_nothing(loom):
    """A running job does not stop its own armature from being changed, and a quiet job greys out no button."""
    rig = material.two_actions()
    jobs, readiness = loom("addon.ground.jobs"), loom("addon.model.readiness")
    for quiet in (False, True):
        with material.running_job(jobs, "Weaving", quiet=quiet):
            assert readiness.why_not(rig) == ""
            assert readiness.busy() == ("" if quiet else "Weaving is still running: wait for it, or cancel it")
            with bpy.context.temp_override(action_loom_armature=rig):
                assert bpy.ops.action_loom.new_curve.poll()  # it changes no action
                assert bpy.ops.action_loom.mark_asset.poll() == quiet


def test_a_quiet_job_makes_room_for_any_other(loom):
    jobs, end = loom("addon.ground.jobs"), threading.Event()

    def until_cancelled(progress):
        while not end.wait(0.01):
            progress.at(0.5, "looking")

    quiet = jobs.begin("Ghost", until_cancelled, quiet=True)
    other = jobs.begin("Blend", lambda _progress: "woven")
    try:
        assert quiet.state == "cancelled"
        assert jobs.running() is other
        assert jobs.visible_job() is other
    finally:
        end.set()
        other.wait()
        jobs.forget(other)
