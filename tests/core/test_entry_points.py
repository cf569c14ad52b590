"""Every name in a registry exists, and accepts the arguments that it gets."""

import inspect

import pytest
from action_loom.core.entry_points import load
from action_loom.core.formats.motion_file import Reading
from action_loom.core.formats.registry import FORMATS
from action_loom.core.motion.clip import Clip
from action_loom.core.progress import SILENT
from action_loom.core.recipes import metrics
from action_loom.core.recipes.matching import Matching
from action_loom.core.sync.distance import Metric
from action_loom.core.verbs import VERBS

# All names except pictures, which need matplotlib, exist with any numpy.
verbs = pytest.mark.parametrize("row", VERBS.values(), ids=VERBS)


def takes(function, *arguments):
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    return True


def test_a_text_is_a_module_of_core_and_a_name_in_it():
    assert load("motion.clip:Clip") is Clip
    with pytest.raises(ModuleNotFoundError, match=r"action_loom\.core\.motion\.clap"):
        load("motion.clap:Clip")
    with pytest.raises(AttributeError, match="Clap"):
        load("motion.clip:Clap")


@verbs
def test_a_verb_does_its_work_with_clips_recipe_and_progress(row):
    function = load(row.function)
    assert takes(function, [], row.recipe(), SILENT)
    assert takes(function, [], row.recipe(), SILENT, None) == bool(row.prepare)
    assert list(inspect.signature(function).parameters)[2] == "progress"


@verbs
def test_what_is_prepared_takes_the_same_and_depends_on_options_of_the_verb(row):
    assert bool(row.prepare) == (row.depends is not None)
    if row.prepare:
        assert takes(load(row.prepare), [], row.recipe(), SILENT)
        assert issubclass(row.recipe, row.depends)


@verbs
def test_a_verb_has_a_picture_of_what_it_makes(row):
    assert takes(load(row.picture), object())
    assert not takes(load(row.picture))


@pytest.mark.parametrize("row", metrics.METRICS.values(), ids=lambda row: row.name)
def test_a_metric_is_a_class_of_a_clip_and_how_it_is_matched(row):
    metric = load(row.source)
    assert issubclass(metric, Metric)
    assert not inspect.isabstract(metric)
    assert takes(metric, object(), Matching())
    assert {"floor", "passes"} <= {name for one in metric.__mro__ for name in vars(one)}


def test_every_choice_of_a_metric_is_one_of_them():
    assert metrics.AUTO in metrics.METRICS
    assert metrics.row_of("auto") is metrics.METRICS[metrics.AUTO]
    assert [metrics.row_of(name).name for name in metrics.METRICS] == list(metrics.METRICS)


@pytest.mark.parametrize("row", FORMATS.values(), ids=FORMATS)
def test_a_format_is_read_and_composed_with_what_it_needs(row):
    assert takes(load(row.read), "walk" + row.suffix, Reading())
    if row.compose:
        assert takes(load(row.compose), object(), None, None)
