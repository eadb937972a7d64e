"""A message says the same on both sides of the queue, and what shares one has all in common."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthedot.core.pack import RUNS_MAX, Pack, Ticket, delay_sec, packed, parse, runs_max
from tests.core.made import NOON_MS, TASK_ID, law

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
    runs=st.lists(tickets, min_size=1, max_size=RUNS_MAX),
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


def test_another_format_is_no_guess() -> None:
    with pytest.raises(ValueError, match="format 2"):
        parse('{"v":2,"runs":[]}')


def test_twenty_five_runs_are_a_small_message() -> None:
    runs = tuple(Ticket(f"{TASK_ID}.20261118T120000Z", 1, 1_000) for _ in range(RUNS_MAX))

    assert len(Pack(due_ms=NOON_MS, why="start", tickets=runs).body()) < 4_096


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
