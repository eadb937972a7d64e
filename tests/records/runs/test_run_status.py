"""The words of a row: each is one of ours, and one of a newer release is read as it is."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from onthedot.api.runs.run_history import StatusAsked
from onthedot.records.runs import run_writes
from onthedot.records.runs.run_row import life_of, parse, readable
from onthedot.records.runs.run_status import FINAL, OPEN, Reason, Status
from onthedot.upkeep.dead_letter import DeathReason
from tests.schedule.samples import NOON_MS, run


def test_each_status_is_open_or_final() -> None:
    assert set(Status) == OPEN | FINAL
    assert OPEN.isdisjoint(FINAL)


@pytest.mark.parametrize("word", [*Status, *Reason])
def test_a_word_is_compared_shown_and_written_as_its_text(word: Status | Reason) -> None:
    text = word.value

    assert type(text) is str
    assert (word, f"{word}", json.loads(json.dumps({word: word}))) == (text, text, {text: text})
    assert type(word)(text) is word


def test_a_row_of_a_newer_release_is_read_and_stored_as_it_is() -> None:
    item = dict(run_writes.insert(run(), now_ms=NOON_MS).item)
    item["life"] = {**item["life"], "status": "parked", "reason": "by_weather"}
    seen = parse(item)

    assert (seen.life.status, seen.life.reason) == ("parked", "by_weather")
    assert seen.life.status not in OPEN | FINAL
    assert seen.life.stored() == item["life"]
    assert type(seen.life.stored()["status"]) is str
    assert life_of(seen.life.stored()) == seen.life


@pytest.mark.parametrize("name", ["status", "reason", "dropped"])
def test_a_word_that_is_no_text_makes_its_row_unreadable(name: str) -> None:
    item = dict(run_writes.insert(run(), now_ms=NOON_MS).item)

    assert readable({**item, "life": {**item["life"], name: 5}}) is None


def test_every_status_can_be_asked_for() -> None:
    words = get_args(get_args(get_args(StatusAsked)[0])[0])

    assert set(words) == {*Status, "open", "final", "failed", "long"}


def test_the_reasons_of_dead_letters_are_reasons_of_runs() -> None:
    assert set(get_args(DeathReason)) <= set(Reason)
