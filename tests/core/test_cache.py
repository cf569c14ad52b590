"""A memory of the last few entries drops the entry used longest ago first."""

import pytest
from action_loom.core.cache import Cache
from hypothesis import given
from hypothesis import strategies as st

pytestmark = pytest.mark.both_engines


def filled(most, *keys):
    cache = Cache(most)
    for key in keys:
        cache.keep(key, key.upper())
    return cache


def test_a_value_is_made_once_and_asking_for_it_keeps_it():
    cache, made = Cache(2), []

    def make(name):
        made.append(name)
        return name.upper()

    for name in "abaacab":
        assert cache.made(name, lambda name=name: make(name)) == name.upper()
    assert made == ["a", "b", "c", "b"]
    assert list(cache) == ["A", "B"]


def test_where_making_fails_nothing_is_kept_or_lost():
    cache = filled(2, *"ab")
    with pytest.raises(ZeroDivisionError):
        cache.made("c", lambda: 1 / 0)
    assert list(cache) == ["A", "B"]


def test_values_that_count_as_false_are_values_and_none_is_none():
    cache = Cache(4)
    cache.keep("zero", 0)
    cache.keep("empty", [])
    assert cache.made("zero", lambda: 1) == 0
    assert cache.made("empty", lambda: [1]) == []
    cache.keep("none", None)
    assert cache.made("none", lambda: 1) == 1


def test_a_cache_can_be_emptied():
    cache = filled(3, *"abc")
    cache.clear()
    assert (len(cache), list(cache), cache.get("a")) == (0, [], None)
    cache.keep("d", "D")
    assert list(cache) == ["D"]


@given(st.integers(1, 5), st.lists(st.tuples(st.sampled_from("kgm"), st.integers(0, 7)), max_size=40))
def test_it_does_as_a_plain_list_would(most, steps):
    cache, plain = Cache(most), []
    for number, (what, key) in enumerate(steps):
        held = dict(plain)
        if what == "g":
            assert cache.get(key) == held.get(key)
            continue
        value = held.get(key, number) if what == "m" else number
        assert (cache.made(key, lambda value=value: value) if what == "m" else cache.keep(key, value)) == value
        plain = [*((other, one) for other, one in plain if other != key), (key, value)][-most:]
    assert list(cache) == [value for _, value in plain]
    assert len(cache) == len(plain)
