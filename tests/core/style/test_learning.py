"""Learning from strides: components, directions of measures, labels; styles as files and on other bodies."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import LoomError, OptionError
from action_loom.core.recipes.style import StyleOptions, table_of
from action_loom.core.style import components, directions, fit, storage
from action_loom.core.style.form import PHASES
from action_loom.core.style.style import KINDS
from scipy.linalg import lstsq, svd


def table(rng, count=30, size=50):
    """Rows that lie mostly along a few directions."""
    return rng.normal(size=(count, 4)) * [5.0, 3.0, 2.0, 1.0] @ rng.normal(size=(4, size)) + 0.1 * rng.normal(
        size=(count, size)
    )


@pytest.mark.both_engines
def test_components_are_those_of_a_singular_value_decomposition():
    rows = table(np.random.default_rng(1))
    found = components.of_rows(rows, np.full(len(rows), 1.0 / len(rows)))
    _, sizes, theirs = svd(rows - rows.mean(axis=0), full_matrices=False)
    assert found.shares == pytest.approx(sizes**2 / (sizes**2).sum(), abs=1e-9)
    assert np.abs(np.abs((found.directions[:4] * theirs[:4]).sum(axis=1)) - 1.0).max() < 1e-9
    assert np.abs(found.directions @ found.directions.T - np.eye(len(found.directions))).max() < 1e-9
    assert found.scores(rows).std(axis=0) == pytest.approx(found.deviations, rel=1e-6)


@pytest.mark.both_engines
def test_who_comes_twice_with_half_the_weight_counts_once():
    rows = table(np.random.default_rng(2), 10)
    plain = components.of_rows(rows, np.full(10, 0.1))
    twice = components.of_rows(np.concatenate([rows, rows[:1]]), np.array([0.05, *[0.1] * 9, 0.05]))
    assert twice.shares[:5] == pytest.approx(plain.shares[:5])


def test_about_zero_the_first_component_is_the_mean():
    rows = 20.0 + table(np.random.default_rng(3), size=30)
    found = components.of_rows(rows, np.full(len(rows), 1.0 / len(rows)), np.zeros(30))
    mean = rows.mean(axis=0)
    assert abs(found.directions[0] @ mean) / np.linalg.norm(mean) > 0.99
    values = svd(rows, compute_uv=False) ** 2
    assert found.shares[:3] == pytest.approx((values / values.sum())[:3])


def test_posture_and_dynamics_are_the_whole_and_have_nothing_in_common():
    rows = np.random.default_rng(4).normal(size=(5, PHASES, 6))
    posture, dynamics = components.in_two_parts(rows)
    assert np.abs(posture + dynamics - rows).max() < 1e-12
    assert np.abs((posture * dynamics).sum(axis=1)).max() < 1e-10


@pytest.mark.parametrize("kind", ["groups", "numbers"])
def test_a_label_that_has_to_do_with_a_component_is_found_and_a_shuffled_one_is_not(kind):
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(24, 6))
    values = np.repeat([0.0, 1.0], 12) if kind == "groups" else np.linspace(0.0, 5.0, 24)
    scores[:, 3] = 2.0 * (values - values.mean()) / values.std() + 0.5 * rng.normal(size=24)
    message = [("calm", "wild")[int(v)] for v in values] if kind == "groups" else [f"{v:g}" for v in values]
    weights = np.full(24, 1.0 / 24.0)
    found = components.effect(scores, message, weights)
    assert found.component == 3
    assert found.chance <= 0.01
    assert found.size > 2.0
    chances = [components.effect(scores, rng.permutation(message).tolist(), weights).chance for _ in range(20)]
    assert np.mean([chance < 0.05 for chance in chances]) <= 0.2
    assert 0.2 < np.median(chances) < 0.9


def test_the_effect_of_two_groups_is_cohens():
    rng = np.random.default_rng(6)
    one, other = rng.normal(0.0, 1.0, 10), rng.normal(1.5, 1.0, 10)
    found = components.effect(np.concatenate([one, other])[:, None], ["a"] * 10 + ["b"] * 10, np.full(20, 0.05))
    pooled = np.sqrt(0.5 * (one.var() + other.var()))
    assert found.size == pytest.approx((other.mean() - one.mean()) / pooled)


def test_directions_are_regressions_with_a_ridge():
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(40, 25))
    measured = {"stride": rows @ rng.normal(size=25), "bounce": rng.normal(size=40), "lean": np.full(40, 3.0)}
    weights = np.full(40, 1.0 / 40.0)
    found = directions.learn(rows, measured, weights)
    assert found.names == ("stride", "bounce")  # a measure with equal values teaches nothing
    standard = np.stack([(measured[n] - measured[n].mean()) / measured[n].std() for n in found.names], axis=1)
    centred = rows - rows.mean(axis=0)
    penalty = np.sqrt(directions.RIDGE * len(rows)) * np.eye(2)
    ridge = lstsq(np.concatenate([standard, penalty]), np.concatenate([centred, np.zeros((2, 25))]))[0]
    assert np.abs(found.only - ridge).max() < 1e-9
    assert np.abs(found.natural - standard.T @ centred / len(rows)).max() < 1e-12


def test_what_is_linear_is_solved_at_once_and_what_is_not_comes_near():
    rng = np.random.default_rng(8)
    base, vectors, which = rng.normal(size=12), rng.normal(size=(3, 12)), np.arange(3)
    linear = rng.normal(size=(3, 12))
    for measure, steps, near in (
        (lambda row: linear @ row, 4, 1e-3),
        (lambda row: linear @ row + 0.05 * (linear @ row) ** 2, 12, 1e-2),
    ):
        slopes = directions.jacobian(base, vectors, measure)
        wanted = measure(base + np.array([0.5, -0.3, 0.2]) @ vectors)
        factors, reached = directions.solve_rows(
            base, wanted, vectors, slopes, measure, np.zeros(3), which, np.ones(3), steps
        )
        assert np.abs(reached - wanted).max() < near
        assert np.abs(measure(base + factors @ vectors) - reached).max() < 1e-12


@pytest.mark.shared
def test_about_the_rest_pose_the_first_component_is_nearly_everything(style):
    """The source has 95.95 % for its 30 people."""
    shares = style.learnt("source").parts.shares
    assert 0.9 < shares[0] < 0.97
    assert style.learnt("together").parts.shares[0] < 0.5


@pytest.mark.shared
@pytest.mark.parametrize("kind", KINDS)
def test_components_and_what_goes_along_make_the_strides_again(style, kind):
    learnt = style.learnt(kind)
    rows = style.rows_in(learnt.form)
    scores = learnt.scores(rows)
    reported = learnt.centre + scores @ learnt.whole
    flat = np.concatenate([rows.reshape(len(rows), -1), style.flat[:, -1:]], axis=1)
    before = ((flat - style.material.weights @ flat) ** 2).sum()
    assert ((flat - reported) ** 2).sum() < 0.3 * before


@pytest.mark.shared
def test_a_style_is_the_same_from_its_file(style):
    again = storage.read(storage.compose(style), "S.npz")
    assert np.abs(again.flat - style.flat).max() < 1e-5
    assert again.sliders.names == style.sliders.names
    assert again.sliders.deviations == pytest.approx(style.sliders.deviations, rel=1e-4)
    assert again.report["hashes"] == style.report["hashes"]
    assert again.material.people == style.material.people


def changed(content, name, value=None):
    with np.load(io.BytesIO(content)) as arrays:
        kept = dict(arrays)
    if name == "text":
        about = json.loads(kept["text"].tobytes()) | value
        kept["text"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    else:
        kept[name] = value(kept[name])
    out = io.BytesIO()
    np.savez(out, **kept)
    return out.getvalue()


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("text", {"version": 99}, "another version"),
        ("text", {"roles": {"hips": 999}}, "not a style"),
        ("text", {"people": ["a"]}, "not a style"),
        ("text", {"report": {}}, "not a style"),
        ("text", {"shipped": True}, "not a style"),
        ("rows", lambda rows: rows[:, :-1], "not a style"),
        ("rows", lambda rows: rows * np.nan, "not a style"),
        ("of", lambda of: of + 100, "not a style"),
        ("seconds", lambda seconds: -seconds, "not a style"),
        ("means", lambda means: 2.0 * means, "not a style"),
        ("joints", lambda joints: joints + 100, "not a style"),
        ("joints", lambda joints: joints[:, None], "not a style"),
        ("joints", lambda joints: joints.astype(float), "not a style"),
        ("of", lambda of: of > 0, "not a style"),
        ("seconds", lambda seconds: seconds * np.inf, "not a style"),
        ("offsets", lambda offsets: 1e300 * offsets, "not a style"),
    ],
)
def test_files_that_are_no_styles_are_refused_in_a_sentence(style, name, value, message):
    with pytest.raises(LoomError, match=f"S.npz: .*{message}"):
        storage.read(changed(storage.compose(style), name, value), "S.npz")


def test_files_that_are_not_there_or_are_something_else_are_refused(tmp_path):
    with pytest.raises(LoomError, match="can't be read"):
        storage.load(tmp_path / "gone.npz")
    (tmp_path / "text.npz").write_text("walk")
    with pytest.raises(LoomError, match="is not a style"):
        storage.load(tmp_path / "text.npz")


@pytest.mark.shared
def test_on_another_body_it_has_the_same_measures(style):
    clip = actions.walk(30.0, 4)
    in_style = fit.on_body(style, clip)
    assert in_style.form.skeleton is clip.skeleton
    # Not the lean: of a trunk with other joints a part of it goes into the pelvis.
    for name in ("stride", "cadence", "bounce", "swing", "elbows", "width", "lift"):
        ours, theirs = in_style.material.measured[name], style.material.measured[name]
        assert np.corrcoef(ours, theirs)[0, 1] > 0.95, name


def test_a_style_that_is_kept_elsewhere_is_asked_for_by_name(walkers):
    with pytest.raises(OptionError, match="no style kept as 'six'"):
        fit.fit(walkers, StyleOptions(kept="six"))


def test_labels_of_clips_are_told_with_the_component_they_belong_to(walkers):
    values = ["slow" if number in (0, 5) else "quick" for number in range(6)]
    labels = table_of(("clip", "pace"), [(clip.name, value) for clip, value in zip(walkers, values, strict=True)])
    style = fit.fit(walkers, StyleOptions(labels=labels))
    assert set(style.report["style"]["labels"]) == {"pace"}
    assert {"pace=slow", "pace=quick", "p0"} <= set(style.people)


def test_a_hash_tells_another_motion_but_no_other_name(walkers):
    one, other = walkers[0], walkers[1]
    assert fit.content_hash(one) == fit.content_hash(replace(one, name="x"))
    assert fit.content_hash(one) != fit.content_hash(other)
