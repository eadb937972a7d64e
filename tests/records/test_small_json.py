"""What handlers leave on a row comes back as it was, or is refused with a sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from onthedot.records.attributes import checked
from onthedot.records.runs import run_row, run_writes
from onthedot.targets.attempt_outcome import Done, after, error_of
from tests.schedule.samples import NOON_MS, run, task


@pytest.mark.parametrize(
    "value",
    [0, False, "", [], {}, "text", "12", 1e300, 10**60, -0.0, {"deep": [1, None, "\ud800"]}, None],
)
@pytest.mark.parametrize("name", ["result", "progress", "checkpoint"])
def test_any_json_comes_back_from_the_row_as_it_was(name: str, value: Any) -> None:  # noqa: ANN401 any JSON
    made = run(status="succeeded", **{name: value})
    stored = run_writes.insert(made, now_ms=NOON_MS).item

    read = run_row.parse(stored).life

    kept = read.its_end.result if name == "result" else getattr(read, name)
    assert kept == value
    assert type(kept) is type(value)
    assert isinstance(stored["life"].get(name, ""), str)


def test_what_nobody_left_is_not_stored() -> None:
    stored = run_writes.insert(run(), now_ms=NOON_MS).item["life"]

    assert {"result", "progress", "checkpoint"}.isdisjoint(stored)


@pytest.mark.parametrize(
    "value", [{1}, object(), float("nan"), "x" * 4_095, json.loads("[" * 101 + "]" * 101)]
)
def test_what_is_no_json_or_too_much_is_refused_by_name(value: Any) -> None:  # noqa: ANN401 any value
    with pytest.raises(ValueError, match="the checkpoint"):
        checked(value, "the checkpoint")


def test_a_result_of_nothing_much_is_kept() -> None:
    running = run(status="running", attempt=1).life
    life = after(running, task(), Done(0), now_ms=NOON_MS, fraction=0)

    assert life.its_end.result == 0


def test_an_error_s_text_can_be_written_whatever_it_was() -> None:
    error = error_of("Bad", "half \udcff", "stack \udcff")

    assert error["message"].encode()
    assert error["stack"].encode()
