"""A message says the same on both sides of the queue, and what shares one has all in common."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthedot.records.runs.message_pack import (
    RUNS_MAX,
    Foreign,
    Newer,
    Pack,
    Ticket,
    delay_sec,
    packed,
    parse,
    runs_max,
)
from tests.schedule.samples import NOON_MS, TASK_ID, law

ENTRY = {"run_id": "sch_X.20261118T120000Z", "attempt": 1, "tv": 1}
tickets = st.builds(
    Ticket,
    st.from_regex(r"sch_[0-9A-Z]{26}\.20261118T1[0-9]{5}Z", fullmatch=True),
    st.integers(1, 100),
    st.integers(1, 10_000),
)


@law
@given(
    due_ms=st.integers(0, 7_258_118_399_999),
    why=st.sampled_from(["start", "retry", "resend", "wake", "hop", "poll", "busy", "split"]),
    runs=st.lists(tickets, min_size=1, max_size=RUNS_MAX, unique_by=lambda each: each.run_id),
)
def test_what_is_written_is_read(due_ms: int, why: str, runs: list[Ticket]) -> None:
    written = Pack(due_ms=due_ms, why=why, tickets=tuple(runs))

    assert parse(written.body()) == written


def test_the_body_is_as_the_vocabulary_has_it() -> None:
    body = Pack(
        due_ms=NOON_MS, why="start", tickets=(Ticket("sch_X.20261118T120000Z", 1, 17),)
    ).body()

    assert json.loads(body) == {
        "v": 1,
        "due_ms": NOON_MS,
        "why": "start",
        "runs": [{"run_id": "sch_X.20261118T120000Z", "attempt": 1, "tv": 17}],
    }


def test_a_newer_format_is_left_to_its_release() -> None:
    with pytest.raises(Newer, match="format 2"):
        parse('{"v":2,"runs":[]}')


def written(**changed: object) -> str:
    form = {"v": 1, "due_ms": NOON_MS, "why": "start", "runs": [ENTRY]}
    return json.dumps(form | changed)


HOSTILE = {
    "no text": None,
    "no JSON": "hello",
    "brackets": "[" * 262_144,
    "half a character": '"\\ud800"',
    "a list": "[]",
    "null": "null",
    "no format": "{}",
    "true as format": written(v=True),
    "text as format": written(v="1"),
    "format 0": written(v=0),
    "format 10**30": written(v=10**30),
    "no due_ms": '{"v":1,"why":"start","runs":[]}',
    "negative due_ms": written(due_ms=-1),
    "infinite due_ms": written(due_ms=float("inf")),
    "due_ms that is no number": written(due_ms=float("nan")),
    "1e400 as due_ms": written(due_ms=0).replace(" 0,", " 1e400,"),
    "5,000 digits as due_ms": written(due_ms=0).replace(" 0,", " " + "9" * 5_000 + ","),
    "due_ms 10**30": written(due_ms=10**30),
    "text as due_ms": written(due_ms="0"),
    "list as why": written(why=["start"]),
    "long why": written(why="w" * 33),
    "no runs": written(runs=None),
    "object as runs": written(runs=ENTRY),
    "empty runs": written(runs=[]),
    "26 runs": written(runs=[ENTRY] * 26),
    "4,000 runs": written(runs=[ENTRY] * 4_000),
    "text as run": written(runs=["sch_X.20261118T120000Z"]),
}
STRANGE: dict[str, dict[str, object]] = {
    "no T": {"run_id": "no-T-here"},
    "number": {"run_id": 7},
    "list": {"run_id": ["list"]},
    "nothing": {"run_id": None},
    "empty": {"run_id": ""},
    "no task": {"run_id": ".20261118T120000Z"},
    "a gate": {"run_id": "sch_X.#gate"},
    "a payload": {"run_id": "sch_X.20261118T120000Z^payload"},
    "another partition": {"run_id": "loops#running.20261118T120000Z"},
    "a blank": {"run_id": "sch_X.20261118T120000Z "},
    "a line": {"run_id": "sch_X.20261118T120000Z\n"},
    "half a character": {"run_id": "sch_\ud800.20261118T120000Z"},
    "other digits": {"run_id": "sch_X.\u0662\u06620261118T120000Z"},
    "long": {"run_id": f"sch_X.20261118T120000Z~m{'7' * 2_000}"},
    "attempt 0": {"attempt": 0},
    "negative attempt": {"attempt": -1},
    "attempt 10**18": {"attempt": 10**18},
    "true as attempt": {"attempt": True},
    "text as attempt": {"attempt": "1"},
    "1.5 as attempt": {"attempt": 1.5},
    "tv 10**18": {"tv": 10**18},
    "negative tv": {"tv": -1},
    "no tv": {"tv": None},
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_what_no_release_wrote_is_told_from_what_a_newer_one_did(body: object) -> None:
    with pytest.raises(Foreign):
        parse(body)


@pytest.mark.parametrize("changed", STRANGE.values(), ids=STRANGE)
def test_an_entry_that_can_name_no_run_takes_no_other_along(changed: dict[str, object]) -> None:
    healthy = {"run_id": "sch_Y.20261118T120000.123Z~m4F7Q2", "attempt": 2, "tv": 17}

    with pytest.raises(Foreign):
        parse(written(runs=[ENTRY | changed]))
    read = parse(written(runs=[ENTRY | changed, healthy]))

    assert read.tickets == (Ticket("sch_Y.20261118T120000.123Z~m4F7Q2", 2, 17),)
    assert read.strange == 1


def test_a_run_that_is_named_twice_is_worked_once_as_its_newest_attempt() -> None:
    other = ENTRY | {"run_id": "sch_Y.20261118T120000Z"}

    read = parse(written(runs=[ENTRY, other, ENTRY | {"attempt": 3}, ENTRY | {"attempt": 2}]))

    assert [(each.run_id, each.attempt) for each in read.tickets] == [
        ("sch_X.20261118T120000Z", 3),
        ("sch_Y.20261118T120000Z", 1),
    ]


def test_what_a_release_adds_to_a_message_is_passed_over() -> None:
    assert parse(written(runs=[ENTRY | {"new": 1}], new={})).strange == 0


def test_twenty_five_runs_are_a_small_message() -> None:
    runs = tuple(Ticket(f"{TASK_ID}.20261118T120000Z", 1, 1_000) for _ in range(RUNS_MAX))

    assert len(Pack(due_ms=NOON_MS, why="start", tickets=runs).body()) < 4_096


@pytest.mark.deep
@law
@given(
    runs=st.lists(
        st.tuples(
            st.tuples(
                st.sampled_from(["high", "normal"]),
                st.sampled_from(["acme", "other"]),
                st.sampled_from([NOON_MS, NOON_MS + 1_000]),
                st.sampled_from([10, 25]),
            ),
            tickets,
        ),
        max_size=200,
    ),
)
def test_every_run_is_in_one_pack_with_its_like_and_packs_are_full(
    runs: list[tuple[tuple[str, str, int, int], Ticket]],
) -> None:
    packs = list(packed(runs))

    told = [((p.queue, p.tenant_id, p.due_ms), ticket) for p in packs for ticket in p.tickets]
    assert sorted(told, key=str) == sorted([(a[:3], t) for a, t in runs], key=str)
    assert all(0 < len(each.tickets) <= 25 for each in packs)
    alike = {address: sum(a == address for a, _ in runs) for address, _ in runs}
    assert len(packs) == sum(-(-count // most) for (*_, most), count in alike.items())


def test_python_handlers_go_ten_to_a_message_and_all_others_twenty_five() -> None:
    assert runs_max({"type": "python", "handler": "hello"}) == 10
    assert runs_max({"type": "http", "url": "https://example.com"}) == 25


@pytest.mark.parametrize(
    ("ahead_ms", "seconds"),
    [
        (-5_000, 0),
        (0, 0),
        (999, 0),
        (1_999, 0),
        (2_000, 1),
        (2_999, 1),
        (150_000, 149),
        (901_000, 900),
        (86_400_000, 900),
    ],
)
def test_a_message_turns_up_one_to_two_seconds_early(ahead_ms: int, seconds: int) -> None:
    assert delay_sec(NOON_MS + ahead_ms, NOON_MS) == seconds
