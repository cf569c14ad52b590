"""Progress of long work: reported fractions and messages, and requests to stop."""

import pytest
from action_loom.core.errors import Cancelled
from action_loom.core.progress import SILENT, Progress

pytestmark = pytest.mark.both_engines


def listening(answers=()):
    """Return a Progress and the list of its messages; a false answer requests a stop."""
    message, answers = [], list(answers)

    def listen(fraction, doing):
        message.append((pytest.approx(fraction), doing))
        return answers.pop(0) if answers else True

    return Progress(listen), message


def test_the_listener_hears_fractions_and_what_comes_now():
    progress, message = listening()
    progress.at(0.0, "Reading")
    progress.at(0.5, "Writing")
    assert message == [(0.0, "Reading"), (0.5, "Writing")]


def test_a_part_of_the_work_fills_its_part_of_the_range():
    progress, message = listening()
    part = progress.part(0.2, 0.6)
    part.at(0.0, "a")
    part.at(0.5, "b")
    part.at(1.0, "c")
    assert [fraction for fraction, _ in message] == [0.2, 0.4, 0.6]


def test_parts_of_parts_fill_their_parts():
    progress, message = listening()
    progress.part(0.5, 1.0).part(0.5, 1.0).at(0.5, "")
    assert [fraction for fraction, _ in message] == [0.875]


def test_a_listener_that_says_stop_cancels_the_work():
    progress, message = listening([True, False])
    progress.at(0.1, "a")
    with pytest.raises(Cancelled, match="^Cancelled$"):
        progress.part(0.5, 1.0).at(0.0, "b")
    assert len(message) == 2


def test_without_a_listener_nothing_is_said_and_nothing_stops():
    SILENT.at(0.5, "")
    SILENT.part(0.0, 0.5).at(1.0, "")
