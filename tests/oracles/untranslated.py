"""Texts without a translation: noted in the summary of the tests during work, a failure if CI or ALL is set."""

import os

import pytest


def report(lacking, language):
    """Fail, or xfail without CI and ALL, if some texts lack their translation."""
    if not lacking:
        return
    reason = (
        f"{len(lacking)} texts lack a translation: `python tools/translations.py --write` adds them to"
        f" addon/ground/translations/{language}.po, translate them there: {'; '.join(lacking)}"
    )
    if os.environ.get("CI") or os.environ.get("ALL"):
        pytest.fail(reason)
    pytest.xfail(reason)
