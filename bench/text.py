"""Measures questions and answers as text: lines of `onthedot next --batch`, and explanations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product

from bench.measure import Line, at_least, best_sec, told
from bench.schedules import REALISTIC, T0
from onthedot.cli.batch import answer
from onthedot.schedule.schedule import compile_schedule
from onthedot.schedule.words.phrases import explanation, explanation_with_changes

# "Tens of thousands a second", whether the line was seen before or not.
LINES_MIN = 10_000
LINES = 20_000
ZONES = ("UTC", "America/New_York", "Europe/London", "Asia/Kolkata")


def lines() -> Iterator[Line]:
    """Answers different and repeated lines, and explains common schedules."""
    days = [
        f"{minute} {hour} {day} * *"
        for day, hour, minute in product(range(1, 29), range(24), range(60))
    ]
    yield _answered("distinct lines", [days[number] for number in range(LINES)])
    yield _answered(
        "repeated lines", [REALISTIC[number % len(REALISTIC)] for number in range(LINES)]
    )
    schedules = [compile_schedule(text, timezone="America/New_York") for text in REALISTIC]
    plain = best_sec(lambda: [explanation(each) for each in schedules])
    ahead = best_sec(lambda: [explanation_with_changes(each, T0) for each in schedules])
    yield told("an explanation", plain / len(schedules) * 1e6, "µs")
    yield told("an explanation with the coming changes", ahead / len(schedules) * 1e6, "µs")


def _answered(what: str, texts: list[str]) -> Line:
    asked = [
        json.dumps({"cron": text, "timezone": ZONES[number % len(ZONES)]}).encode()
        for number, text in enumerate(texts)
    ]
    seconds = best_sec(lambda: [answer(line, T0) for line in asked])
    return at_least(f"next --batch, {what}", len(asked) / seconds, LINES_MIN, "a second")
