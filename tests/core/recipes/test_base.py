"""Recipes: their values are checked at construction, and survive JSON."""

import dataclasses
import json
import math

import pytest
from action_loom.core import verbs
from action_loom.core.errors import OptionError
from action_loom.core.options import declared_options
from action_loom.core.verbs import Fill, Restyle
from hypothesis import given
from hypothesis import strategies as st
from oracles import material

ALL = [row.recipe for row in verbs.VERBS.values()]
LARGEST = 2**31 - 1


def values_of(about):
    """Values that an option accepts."""
    if about.choices:
        return st.sampled_from(about.names)
    if about.table:
        return st.lists(
            st.lists(st.floats(about.minimum, min(1e6, about.maximum or 1e6)), max_size=4).map(tuple), max_size=3
        ).map(tuple)
    if about.kind is tuple:
        return st.lists(st.floats(about.minimum, min(1e6, about.maximum or 1e6)), max_size=5).map(tuple)
    if about.kind is bool:
        return st.booleans()
    if about.kind is str:
        return st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=8)
    if about.kind is int:
        return st.integers(-LARGEST if about.minimum is None else int(about.minimum), int(about.maximum or LARGEST))
    return st.floats(about.minimum, about.maximum)


any_recipe = st.sampled_from(ALL).flatmap(
    lambda recipe: st.fixed_dictionaries(
        {}, optional={name: values_of(about) for name, about in declared_options(recipe).items()}
    ).map(lambda chosen: recipe(**chosen))
)


@given(recipe=any_recipe)
def test_a_recipe_survives_json(recipe):
    again = verbs.from_json(recipe.to_json())
    assert type(again) is type(recipe)
    assert again == recipe
    assert again.to_json() == recipe.to_json()


@pytest.mark.parametrize("recipe", ALL)
def test_json_has_the_verb_and_every_option_and_nothing_else(recipe):
    values = json.loads(recipe().to_json())
    assert values.pop("verb") == recipe.verb
    assert set(values) == set(declared_options(recipe))


@pytest.mark.parametrize("recipe", ALL)
def test_options_that_are_left_out_take_their_defaults_or_what_held_before_they_existed(recipe):
    options = declared_options(recipe).items()
    earlier = {name: about.earlier for name, about in options if about.earlier is not None}
    assert verbs.from_json(json.dumps({"verb": recipe.verb})) == recipe(**earlier)


@pytest.mark.parametrize("recipe", ALL)
def test_every_option_says_in_one_sentence_what_it_does(recipe):
    for about in declared_options(recipe).values():
        assert about.description[0].isupper()
        assert not about.description.endswith(".")
        assert "\n" not in about.description
    assert recipe.label
    assert recipe.__doc__.strip().endswith(".")


@pytest.mark.parametrize("recipe", ALL)
def test_a_recipe_can_not_be_changed(recipe):
    with pytest.raises(dataclasses.FrozenInstanceError):
        recipe().metric = "points"


def test_recipes_are_registered_by_their_verbs():
    assert all(verb == row.recipe.verb for verb, row in verbs.VERBS.items())
    assert {"sync", "blend"} <= set(verbs.VERBS)


@pytest.mark.parametrize("recipe", [recipe for recipe in ALL if "slope" in declared_options(recipe)])
def test_a_value_out_of_range_is_refused_when_the_recipe_is_made(recipe):
    with pytest.raises(OptionError, match="slope is 99, but must lie between -1 and 32"):
        recipe(slope=99)
    with pytest.raises(OptionError, match="slope is 99"):
        verbs.from_json(json.dumps({"verb": recipe.verb, "slope": 99}))


def test_values_are_kept_in_the_options_own_type():
    recipe = verbs.Blend(weights=[1, "2"], window=1, slope="4")
    assert (recipe.weights, recipe.window, recipe.slope) == ((1.0, 2.0), 1.0, 4)


@pytest.mark.parametrize(
    "recipe",
    [
        verbs.Synchronise(),
        verbs.Synchronise(reference="2"),
        verbs.Blend(),
        verbs.Blend(weights=(1, 2)),
        verbs.Blend(weights=(1, 2), reference="2"),
        verbs.Blend(weight_keys=((0, 1, 0), (1, 1, 2))),
        verbs.Blend(weight_keys=((0.5, 1, 3),)),
    ],
)
def test_a_result_is_called_as_its_recipe_said_before(recipe):
    clips = [material.walk(1.0, name="walk"), material.walk(1.2, stride=0.8, name="slow")]
    assert recipe.result_name(["walk", "slow"]) == verbs.apply(recipe, clips).clip.name


@pytest.mark.parametrize("recipe", ALL)
def test_every_result_has_a_name_that_tells_its_clips(recipe):
    for names in (["walk"], ["walk", "sneak"], ["walk", "sneak", "run"]):
        name = recipe().result_name(names)
        reported = (
            names[:1] if recipe.of_action or recipe in (Restyle, Fill) else names
        )  # of one action: the others only help
        assert all(part in name for part in reported)
        assert name not in names or len(names) == 1


def test_weights_that_do_not_fit_the_clips_have_no_name():
    with pytest.raises(OptionError, match="weights has 3 values, but takes 2"):
        verbs.Blend(weights=(1, 2, 3)).result_name(["walk", "slow"])


def test_unknown_options_are_named():
    with pytest.raises(OptionError, match="The recipe 'sync' has no option sharpness, weights$"):
        verbs.from_json('{"verb": "sync", "weights": [1], "sharpness": 2}')


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sync",
        "null",
        "5",
        '"sync"',
        "[]",
        "[1, 2]",
        "{}",
        '{"verb": null}',
        '{"verb": []}',
        '{"verb": {}}',
        '{"Verb": "sync"}',
        '{"verb": "sync"',
        '{"verb": "sync"} x',
        "[" * 100_000,
        '{"verb": "sync", "slope": ' + "9" * 10_000 + "}",
    ],
    ids=range(16),
)
def test_what_is_no_recipe_is_refused_in_a_sentence(text):
    with pytest.raises(OptionError) as caught:
        verbs.from_json(text)
    assert "This is not a recipe (a JSON object" in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_recipe_of_a_verb_that_is_gone_names_it():
    with pytest.raises(OptionError, match="'settle' is no verb"):
        verbs.from_json('{"verb": "settle", "strength": 0.5}')


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("slope", math.inf),
        ("slope", math.nan),
        ("slope", None),
        ("window", math.nan),
        ("weights", 0.5),
        ("weights", None),
        ("weights", "12"),
        ("weights", [math.inf, 1.0]),
        ("weights", [[1.0]]),
        ("metric", None),
        ("trim", "yes"),
        ("reference", 1),
    ],
)
def test_values_of_the_wrong_kind_are_refused_in_a_sentence(option, value):
    with pytest.raises(OptionError, match=f"^{option} is "):
        verbs.from_json(json.dumps({"verb": "blend", option: value}))
