"""What becomes of one walk by sliders and by asking: plain values, for any host that has the verbs."""

from typing import Any

SLIDERS = ("stride", "cadence", "speed", "bounce", "swing", "lean", "elbows", "width", "lift")
AMOUNTS = (-3.0, -2.0, 2.0, 3.0)
PACES, TURNS = (0.7, 1.0, 1.3), (0.0, 30.0, 60.0)


def measured(verbs: Any, clip: Any) -> dict[str, Any]:
    """Figures of a clip restyled by each slider and asked for speeds and turns; "refused" where nothing comes of it."""
    recipe = verbs.Restyle(basis="walks", lean=1.0)
    try:
        style = verbs.prepare(recipe, [clip])
        verbs.apply(recipe, [clip], prepared=style)
    except Exception as error:  # LoomError has another module in each host
        return {"refused": str(error)}
    found: dict[str, Any] = {"sliders": [], "asked": []}
    for name in SLIDERS:
        for amount in AMOUNTS:
            try:
                made = verbs.apply(verbs.Restyle(basis="walks", **{name: amount}), [clip], prepared=style).report
            except Exception as error:
                found.setdefault("lacking", {})[name] = str(error)
                continue
            one = made["style"]["sliders"][name]
            found["sliders"].append(
                {"name": name, "amount": amount, "came": one["after"] - one["before"]}
                | {"held": any(note.startswith(name) for note in made["style"]["held"])}
                | _limits(made)
            )
    found["asked"] = _asked(verbs, clip)
    return found


def _asked(verbs: Any, clip: Any) -> list[dict[str, Any]]:
    examples = verbs.prepare(verbs.Ask(basis="walks", speed=1.0), [clip])
    unit = examples.material.form.skeleton.leg_length or examples.material.form.skeleton.height or 1.0
    own, found = float(examples.measured["speed"][0]) * unit, []
    for pace in PACES:
        for turn in TURNS:
            recipe = verbs.Ask(basis="walks", speed=pace * own, turn=turn)
            made = verbs.apply(recipe, [clip], prepared=examples).report
            asked, got = made["ask"]["asked"], made["ask"]["got"]
            found.append(
                {"pace": pace, "turn": turn, "outside": made["ask"]["outside"]}
                | {"speed_off": abs(got["speed"] / asked["speed"] - 1.0), "turn_off": abs(got["turn"] - asked["turn"])}
                | _limits(made)
            )
    return found


def _limits(report: dict[str, Any]) -> dict[str, Any]:
    limits = report["limits"]
    warned = sum("look there" in one or "slide by" in one for one in report["warnings"])
    return {"warned": warned} | {
        name: limits[name]
        for name in ("knee_backwards_degrees", "penetration_cm", "legs_apart_cm", "low_feet_cm_s", "knee_acceleration")
    }
