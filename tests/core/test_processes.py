"""Many tasks, here or in other processes: each has a result or a reason, and no process is left behind."""

import math
import multiprocessing
import os
from contextlib import closing
from functools import partial

import pytest
from action_loom.core import errors, processes
from action_loom.core.errors import OptionError
from action_loom.core.options import Option
from oracles import tasks
from oracles.processes import until


@pytest.mark.parametrize("at_a_time", [0, 1, 3])
def test_every_task_has_a_result_or_a_reason(at_a_time):
    numbers = [float(k) for k in range(-1, 9)]
    found = dict(processes.attempts(math.sqrt, numbers, at_a_time))
    assert sorted(found) == list(range(10))
    assert [found[k].result for k in range(1, 10)] == [math.sqrt(k) for k in range(9)]
    assert found[0].result is None
    assert found[0].trouble.startswith("ValueError: ")


def test_there_may_be_nothing_to_do():
    assert list(processes.attempts(math.sqrt, [], 4)) == []


def test_tasks_of_one_at_a_time_are_done_here_and_in_their_order():
    found = list(processes.attempts(tasks.what_has_begun, [0, 1, 2], 1, begin=partial(tasks.begin, "never")))
    assert [(place, tried.result) for place, tried in found] == [(k, (os.getpid(), [])) for k in range(3)]


def test_other_processes_are_begun_once():
    found = list(processes.attempts(tasks.what_has_begun, range(6), 2, begin=partial(tasks.begin, "ready")))
    made_by = {tried.result[0] for _, tried in found}
    assert os.getpid() not in made_by
    assert len(made_by) <= 2
    assert all(tried.result[1] == ["ready"] for _, tried in found)
    assert tasks.begun == []


def test_other_processes_have_one_thread_each_unless_told_else(monkeypatch):
    for told, given in ((None, "1"), ("3", "3")):
        monkeypatch.setenv(processes.THREADS, told) if told else monkeypatch.delenv(processes.THREADS, raising=False)
        found = [tried.result for _, tried in processes.attempts(os.getenv, [processes.THREADS] * 2, 2)]
        assert found == [given, given]
        assert os.environ.get(processes.THREADS) == told


def test_troubles_of_ours_are_told_as_they_are():
    checked = Option("tempo", 1.0, "How fast", maximum=2.0).checked
    ((_, tried),) = processes.attempts(checked, [3.0], 1)
    with pytest.raises(OptionError) as error:
        checked(3.0)
    assert tried == processes.Attempt(None, str(error.value))
    ((_, tried),) = processes.attempts(lambda _: bytearray(1 << 62), [0], 1)
    assert tried == processes.Attempt(None, errors.OUT_OF_MEMORY)


def test_a_process_that_ends_by_itself_is_told():
    found = dict(processes.attempts(tasks.bring_down, [0, 1], 2))
    assert sorted(found) == [0, 1]
    assert {tried.result for tried in found.values()} == {None}
    assert all("ended by itself" in tried.trouble for tried in found.values())


def test_whoever_stops_leaves_no_process(tmp_path):
    before = set(multiprocessing.active_children())
    with closing(processes.attempts(tasks.end_or_wait, [tmp_path / "waiting", None], 2)) as found:
        assert next(found)[0] == 1
        until((tmp_path / "waiting").exists)
    until(lambda: not set(multiprocessing.active_children()) - before)
