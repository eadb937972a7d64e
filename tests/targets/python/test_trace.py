"""A trace shows where a handler raised, and nothing of the worker that called it."""

from __future__ import annotations

import pytest

from onthedot.sdk.app import OnTheDot
from onthedot.targets.attempt_outcome import Again
from onthedot.targets.call import Call
from onthedot.targets.python import job_handlers
from onthedot.work.target_call import deliver
from tests.targets.receiver import call_fields

app = OnTheDot()


@app.job()
def broken() -> None:
    try:
        _deep()
    except KeyError as fault:
        raise ValueError("no such order") from fault


def _deep() -> None:
    raise KeyError("order")


def test_the_handlers_own_frames_and_causes_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_handlers, "handlers", lambda: {"broken": broken})

    answer = deliver(
        Call(**call_fields(target={"type": "python", "handler": "broken"}, payload={}))
    )

    assert isinstance(answer, Again)
    assert answer.error is not None
    stack = answer.error["stack"]
    assert "_deep" in stack
    assert "KeyError: 'order'" in stack
    assert stack.endswith("ValueError: no such order\n")
    assert "deliver.py" not in stack
    assert "python.py" not in stack


def test_an_error_of_the_workers_own_shows_no_trace(caplog: pytest.LogCaptureFixture) -> None:

    answer = deliver(Call(**call_fields(target={"type": "http"})))

    assert isinstance(answer, Again)
    assert answer.error is not None
    assert answer.error["stack"] == ""
    assert "Traceback" in caplog.text
