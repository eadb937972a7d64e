"""One line an invocation, with the names that alarms and the dashboard wait for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from onthedot.store import invocation_metrics


def emitted(capsys: pytest.CaptureFixture[str], **figures: float) -> dict[str, Any]:
    invocation_metrics.emit(("due", "lag_p95_ms", "failed_percent"), figures)
    line: dict[str, Any] = json.loads(capsys.readouterr().out)
    return line


def test_what_nobody_counted_is_zero_and_a_measure_of_nothing_is_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = emitted(capsys)

    assert line["due"] == [0.0]
    assert "lag_p95_ms" not in line
    assert "failed_percent" not in line


def test_a_name_says_its_unit_and_what_no_alarm_looks_at_is_in_the_line_but_no_metric(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = emitted(capsys, due=3, lag_p95_ms=4, failed_percent=0.5, backfilled=3)

    metrics = line["_aws"]["CloudWatchMetrics"][0]
    assert {each["Name"]: each["Unit"] for each in metrics["Metrics"]} == {
        "due": "Count",
        "lag_p95_ms": "Milliseconds",
        "failed_percent": "Percent",
    }
    assert line["backfilled"] == 3


def test_two_stacks_in_one_account_do_not_mix(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "OnTheDot")

    line = emitted(capsys)

    assert line["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["service"]]
    assert line["service"] == "OnTheDot"
