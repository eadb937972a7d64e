"""The table of docs/targets.md, row by row: each is played, and ends as its columns say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from onthedot.store import clock
from onthedot.targets.attempt_outcome import Again, Answer, Awaiting, Dead, Done
from onthedot.targets.call import Call
from onthedot.work.target_call import deliver
from tests.targets.receiver import GOES_ON, Receiver, call_fields
from tests.tidy.tree import ROOT

METADATA = "http://169.254.169.254/latest/meta-data/"
SHORT_SEC, LONG_SEC = 0.5, 30.0


@dataclass(frozen=True, slots=True)
class Played:
    """One receiver of a row: where it is, and what the task says of it."""

    path: str
    target: dict[str, Any] = field(default_factory=dict)
    patience_sec: float = LONG_SEC
    # What /answer answers.
    answer: tuple[int, dict[str, str]] = (200, {})


def statuses(row: str, *more: int) -> list[Played]:
    """Returns every status that the row names, and some of those that it means."""
    named = [int(number) for number in re.findall(r"\b\d{3}\b", row)]
    return [Played(f"/status?code={code}") for code in (*named, *more)]


def row_of(start: str) -> str:
    return next(receiver for receiver, _, _ in ROWS if receiver.startswith(start))


def rows() -> Iterator[tuple[str, str, str]]:
    text = (ROOT / "docs" / "targets.md").read_text()
    table = text.partition("## How an http call ends")[2].partition("\n\nFor all targets on AWS")[0]
    for line in table.splitlines():
        if line.startswith("| ") and not line.startswith("| the receiver"):
            receiver, attempt, then = (cell.strip() for cell in line.strip("|").split("|"))
            yield receiver, attempt, then


ROWS = list(rows())
FOLLOWING = {"follow_redirects": True}
CASES: dict[str, Callable[[], list[Played]]] = {
    "answers what is expected": lambda: [
        *(Played(path) for path in ("/ok", "/chunked")),
        *(Played(f"/interim?code={code}") for code in (100, 102, 103)),
    ],
    "answers 5xx": lambda: statuses(row_of("answers 5xx"), 418, 500, 502, 503, 504),
    "answers 400": lambda: statuses(row_of("answers 400")),
    "answers 429 or 503": lambda: [
        Played("/answer", answer=(status, {"retry-after": "120"})) for status in (429, 503)
    ],
    "answers 200, but": lambda: [Played("/ok", {"expect_body": "^finished$"})],
    "answers 3xx": lambda: [Played(f"/redirect?to=/ok&code={code}") for code in (301, 302, 307)],
    "redirects to an address": lambda: [Played(f"/redirect?to={METADATA}", FOLLOWING)],
    "redirects more than five": lambda: [
        Played("/answer", FOLLOWING, answer=(302, {"location": "/answer"}))
    ],
    "hangs": lambda: [Played("/hang", patience_sec=SHORT_SEC)],
    "drips bytes": lambda: [
        Played(f"/drip-{part}", patience_sec=SHORT_SEC) for part in ("head", "body")
    ],
    "resets or closes": lambda: [
        *(Played(path) for path in ("/reset", "/hang-up", "/short", "/nonsense")),
        Played("https://localhost:{port}/ok"),
        Played("http://127.0.0.1:1/"),
        Played("http://nowhere.invalid/"),
    ],
    "goes on without end": lambda: [Played(f"/endless?text={text}") for text in GOES_ON],
    "answers 10 MB": lambda: [Played("/big")],
    "answers 202": lambda: [Played("/status?code=202", {"complete": "callback"})],
}


def ended(answer: Answer) -> tuple[str, str]:
    """Returns an answer in the words of the table's columns."""
    match answer:
        case Done():
            return "succeeded", ""
        case Awaiting("callback"):
            return "awaiting", "`/complete` or `/fail` ends it"
        case Dead(reason):
            return "failed", f"dead (`{reason}`)"
        case Again(outcome, after_sec=None):
            return outcome.replace("_", " "), "tried again"
        case Again(outcome, after_sec=120):
            return outcome, "tried again at that time"
    raise AssertionError(answer)


@pytest.mark.parametrize(("row", "attempt", "then"), ROWS, ids=[row for row, _, _ in ROWS])
def test_a_row_ends_as_it_says(receiver: Receiver, row: str, attempt: str, then: str) -> None:
    (cases,) = (cases for start, cases in CASES.items() if row.startswith(start))

    for played in cases():
        status, headers = played.answer
        receiver.answers = [(status, headers, b"")]
        port = receiver.url.rsplit(":", 1)[1]
        url = played.path if played.path.startswith("http") else receiver.url + played.path
        target = {"type": "http", "url": url.format(port=port), **played.target}
        deadline_ms = clock.now_ms() + int(played.patience_sec * 1000)

        seen = ended(deliver(Call(**call_fields(target=target, deadline_ms=deadline_ms))))

        assert attempt.startswith(seen[0]), played
        assert then.startswith(seen[1]), played
        assert bool(then) == bool(seen[1]), played
