"""An option is declared once, and its declaration decides which values it accepts."""

import dataclasses
from dataclasses import dataclass

import pytest
from action_loom.core import verbs
from action_loom.core.errors import OptionError
from action_loom.core.options import Choice, Declared, by_name, declaration, declared_options, option, rename_values
from hypothesis import given
from hypothesis import strategies as st


@dataclass(frozen=True, kw_only=True)
class Example:
    length: float = option(1.0, "How long it takes", minimum=0.5, maximum=10.0, unit=" s")
    how_often: int = option(3, "How often it happens", minimum=1)
    method: str = option("ease", "How it is done", choices=("ease", "spline"))
    title: str = option("", "What it is called")
    keep: bool = option(True, "Whether it is kept")
    weights: tuple[float, ...] = option((), "The share of each", minimum=0.0)
    keys: tuple[tuple[float, ...], ...] = option((), "What changes when", minimum=0.0, table=True)
    undeclared: int = 5


OPTIONS = declared_options(Example)


def test_options_come_in_the_order_of_declaration_with_their_names():
    assert list(OPTIONS) == ["length", "how_often", "method", "title", "keep", "weights", "keys"]
    assert [about.name for about in OPTIONS.values()] == list(OPTIONS)


def test_a_label_is_made_of_the_name():
    assert OPTIONS["how_often"].title == "How Often"


def test_the_kind_is_the_type_of_the_default():
    assert [about.kind for about in OPTIONS.values()] == [float, int, str, str, bool, tuple, tuple]


def test_the_default_is_the_fields_own_and_is_accepted():
    for field in dataclasses.fields(Example):
        if field.name in OPTIONS:
            about = OPTIONS[field.name]
            assert getattr(Example(), field.name) == about.default == about.checked(about.default)


@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        ("length", 2, 2.0),
        ("length", "2.5", 2.5),
        ("length", 0.5, 0.5),
        ("length", 10.0, 10.0),
        ("how_often", "7", 7),
        ("how_often", 7.0, 7),
        ("how_often", 10**9, 10**9),
        ("method", "spline", "spline"),
        ("title", "ü", "ü"),
        ("keep", False, False),
        ("weights", [1, 2.5], (1.0, 2.5)),
        ("weights", (), ()),
        ("keys", [[0, 1], (1, 2.5)], ((0.0, 1.0), (1.0, 2.5))),
        ("keys", "0 1; 1 2.5", ((0.0, 1.0), (1.0, 2.5))),
        ("keys", " 0 1 ;", ((0.0, 1.0),)),
        ("keys", "", ()),
    ],
)
def test_a_value_comes_back_in_the_options_own_type(name, value, accepted):
    found = OPTIONS[name].checked(value)
    assert found == accepted
    assert type(found) is type(accepted)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("length", 0.49, "length is 0.49, but must lie between 0.5 and 10 s"),
        ("length", 11, "length is 11, but must lie between 0.5 and 10 s"),
        ("length", float("nan"), "length is nan, but must lie between 0.5 and 10 s"),
        ("length", float("inf"), "length is inf, but must lie between"),
        ("length", "long", "length is 'long', but must be a number"),
        ("length", None, "length is None, but must be a number"),
        ("length", [1.0], "length is .*, but must be a number"),
        ("length", 1j, "length is 1j, but must be a number"),
        ("how_often", 0, "how_often is 0, but must lie between 1 and inf"),
        ("how_often", 2**31, "how_often is 2147483648, but must lie between 1 and 2.14748e"),
        ("how_often", -(2**40), "how_often is -1099511627776, but must lie between 1 and 2.14748e"),
        ("how_often", "many", "how_often is 'many', but must be a number"),
        ("how_often", 2.5, "how_often is 2.5, but must be"),
        ("how_often", float("inf"), "how_often is inf"),
        ("how_often", float("nan"), "how_often is nan"),
        pytest.param("length", 10**400, "length is 1000", id="length-too large for a float"),
        ("method", "cubic", "method is 'cubic', but must be one of ease, spline"),
        ("method", ["ease"], "method is .*, but must be one of ease, spline"),
        ("method", None, "method is None, but must be one of ease, spline"),
        ("title", 5, "title is 5, but must be"),
        ("title", "half \ud800", r"title is 'half .*', but must be text that can be written to a file"),
        ("title", "end\0", r"title is 'end.x00', but must be text"),
        ("keep", "no", "keep is 'no', but must be"),
        ("keep", 1, "keep is 1, but must be"),
        ("weights", [1, -1], "weights is -1, but must lie between 0 and inf"),
        ("weights", ["much"], "weights is 'much', but must be a number"),
        ("weights", [float("inf")], "weights is inf, but must"),
        ("weights", 0.5, "weights is 0.5, but must be"),
        ("weights", None, "weights is None, but must be"),
        ("weights", "12", "weights is '12', but must be"),
        ("weights", {"a": 1}, "weights is .*, but must be"),
        ("keys", [1, 2], "keys is .*, but must be rows of numbers"),
        ("keys", "0 x", "keys is 'x', but must be a number"),
        ("keys", [[0, -1]], "keys is -1, but must lie between 0 and inf"),
        ("keys", 3, "keys is 3, but must be rows of numbers"),
    ],
)
def test_a_value_that_is_not_accepted_is_refused_with_what_would_be(name, value, message):
    with pytest.raises(OptionError, match=f"^{message}"):
        OPTIONS[name].checked(value)


def test_a_table_as_text_reads_back_as_the_same_table():
    rows = ((0.0, 1.0, 1.0 / 3.0), (0.5, 2e-7, 1e6))
    again = OPTIONS["keys"].checked(OPTIONS["keys"].as_text(rows))
    assert [list(row) for row in again] == [pytest.approx(list(row), rel=1e-11) for row in rows]


def test_a_unit_is_not_put_after_an_open_range():
    with pytest.raises(OptionError, match=r"between 1 and inf$"):
        OPTIONS["how_often"].checked(-5)


@declaration
class Renewed(Declared):
    """Options with former names, and choices with titles and descriptions."""

    ends: str = option(
        "open", "How it ends", choices=("open", Choice("forced", "Pinned Ends", "First and last together")), label="End"
    )
    penalty: float = option(2.0, "What that costs", minimum=1.0, aliases=("keep", "price"))


def test_choices_have_names_labels_and_sentences():
    about = declared_options(Renewed)["ends"]
    assert about.names == ("open", "forced")
    assert [choice.title for choice in about.choices] == ["Open", "Pinned Ends"]
    assert [choice.description for choice in about.choices] == ["", "First and last together"]
    assert about.title == "End"
    assert Choice("in_between").title == "In Between"
    with pytest.raises(OptionError, match="ends is 'Pinned Ends', but must be one of open, forced"):
        Renewed(ends="Pinned Ends")


def test_earlier_names_are_read_and_checked():
    options = declared_options(Renewed)
    assert rename_values(options, {"keep": 3, "ends": "open", "other": 1}) == {"penalty": 3, "ends": "open", "other": 1}
    assert Renewed.from_values({"price": 3}, "It") == Renewed(penalty=3.0)
    with pytest.raises(OptionError, match="penalty is 0, but must lie between 1 and inf"):
        Renewed.from_values({"keep": 0}, "It")
    with pytest.raises(OptionError, match="^It has no option cost, value$"):
        Renewed.from_values({"value": 1, "cost": 2, "keep": 3}, "It")
    with pytest.raises(TypeError):
        Renewed(keep=3)


@declaration
class Mixed(Renewed):
    """Inherited options, an option of its own, and a field without a declaration."""

    count: int = option(1, "How many")
    title: str = ""


def test_what_is_declared_is_a_frozen_dataclass():
    one = Mixed(penalty="3", title="it")
    assert [field.name for field in dataclasses.fields(Mixed)] == ["ends", "penalty", "count", "title"]
    assert list(declared_options(Mixed)) == ["ends", "penalty", "count"]
    assert repr(one) == "Mixed(ends='open', penalty=3.0, count=1, title='it')"
    assert dataclasses.asdict(one) == {"ends": "open", "penalty": 3.0, "count": 1, "title": "it"}
    assert dataclasses.replace(one, count=2) == Mixed(penalty=3, title="it", count=2)
    assert one == Mixed(penalty=3, title="it")
    assert hash(one) == hash(Mixed(penalty=3, title="it"))
    assert one != Mixed()
    assert Mixed(penalty=3) != Renewed(penalty=3)
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.count = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del one.count
    with pytest.raises(OptionError, match="penalty is 0, but must lie between 1 and inf"):
        dataclasses.replace(one, penalty=0)
    with pytest.raises(TypeError, match="Mixed has no cost, other"):
        Mixed(other=1, cost=2)


def test_options_without_a_recipe_go_by_their_names():
    options = list(declared_options(Renewed).values())
    assert by_name(*options) == declared_options(Renewed)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(name=st.sampled_from(list(OPTIONS)), value=anything)
def test_any_value_is_accepted_for_good_or_refused(name, value):
    about = OPTIONS[name]
    try:
        found = about.checked(value)
    except OptionError:
        return
    assert type(found) is about.kind
    assert about.checked(found) == found


def test_an_option_with_one_value_is_read_with_it_and_refused_with_another():
    """Recipes, job files and command lines of earlier versions contain such options."""
    earlier = '{"verb": "sync", "power": 2}'
    assert verbs.from_json(earlier) == verbs.Synchronise()
    assert "power" not in declared_options(verbs.Synchronise)
    assert "power" not in verbs.Synchronise().to_json()
    with pytest.raises(OptionError, match="power is 1, but is always 2 in this version"):
        verbs.from_json(earlier.replace("2}", "1}"))
