"""Both spellings of a write change the same, name every clause, and give values apart."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from onthedot.records.conditional_writes import (
    Clause,
    Delete,
    Insert,
    Update,
    expression,
    removal,
    statement,
)
from onthedot.records.runs import overlap_gate, run_writes
from onthedot.records.runs.overlap_gate import Gate
from onthedot.records.runs.run_row import Claim, Life
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks import bulk_operation, task_cursor
from tests.schedule.samples import NOON, NOON_MS, TASK_ID, run
from tests.schedule.samples import due as made_due

CLAIMED = run(claim_id="D1", claim_until=NOON_MS)
TAKEN = Claim(by="D2", until_ms=NOON_MS)
RUNNING = run(status="running", attempt=2, owner="W", lease_ms=NOON_MS + 20_000)
RETRYING = run(status="retrying", attempt=2)
EXACT = ["life.status", "life.attempt", "life.tv"]
FENCE = ["life.status", "life.attempt", "life.owner"]
LOOP = bulk_operation.Loop(
    loop_id="bkf_1",
    tenant_id="acme",
    kind="backfill",
    wanted={},
    cursor="",
    per_minute=60,
    by="key_1",
    began_ms=NOON_MS,
)

Make = Callable[[], object]
# Every conditional update of ours, and the state that it names.
UPDATES: dict[str, tuple[Make, list[str]]] = {
    "advance": (lambda: task_cursor.advance(made_due(), NOON + 60, 1), ["next_run_at", "version"]),
    "advance to nothing": (
        lambda: task_cursor.advance(made_due(), None, 1),
        ["next_run_at", "version"],
    ),
    "gate": (
        lambda: overlap_gate.write(Gate(task_id=TASK_ID, rev=3), Gate(task_id=TASK_ID)),
        ["rev"],
    ),
    "loop moved": (lambda: bulk_operation.moved(LOOP, LOOP), ["rev", "status"]),
    "take over a claim": (
        lambda: run_writes.take_over_claim(CLAIMED, TAKEN, due_ms=NOON_MS, now_ms=NOON_MS),
        [*EXACT, "life.claim_id"],
    ),
    "miss a claim": (
        lambda: run_writes.miss_claim(CLAIMED, Status.MISSED, Reason.OUTSIDE_GRACE, now_ms=NOON_MS),
        [*EXACT, "life.claim_id"],
    ),
    "settle unstarted": (
        lambda: run_writes.settle_unstarted(CLAIMED, Status.SKIPPED, Reason.PAUSED, now_ms=NOON_MS),
        EXACT,
    ),
    "settle a lost one": (
        lambda: run_writes.settle_unstarted(
            RUNNING, Status.DEAD, Reason.UNDELIVERABLE, now_ms=NOON_MS
        ),
        [*EXACT, "life.lease_ms"],
    ),
    "start": (lambda: _start(CLAIMED), [*EXACT, "life.due_ms"]),
    "start again": (lambda: _start(RETRYING), [*EXACT, "life.due_ms"]),
    "take over": (lambda: _start(RUNNING), [*EXACT, "life.lease_ms", "queue", "cancel_ms"]),
    "settle": (lambda: run_writes.settle(RUNNING, RUNNING.life, now_ms=NOON_MS), FENCE),
    "stamp": (lambda: run_writes.stamp(CLAIMED, 2, now_ms=NOON_MS), EXACT),
    "cancel": (lambda: run_writes.cancel(RETRYING, "user", now_ms=NOON_MS), EXACT),
    "request": (
        lambda: run_writes.request_cancel(RUNNING, "user", now_ms=NOON_MS),
        ["life.status", "life.attempt"],
    ),
    "mark": (
        lambda: run_writes.mark(RUNNING, RUNNING.life, now_ms=NOON_MS),
        [*EXACT, "life.lease_ms"],
    ),
}


def _start(seen: object) -> object:
    assert isinstance(seen, type(CLAIMED))
    begun = run_writes.started(seen, owner="W2", msg="m", now_ms=NOON_MS, lease_ms=NOON_MS + 20_000)
    return run_writes.start(seen, begun, now_ms=NOON_MS)


def made(name: str) -> Update:
    write = UPDATES[name][0]()
    assert isinstance(write, Update)
    return write


@pytest.mark.parametrize("name", UPDATES)
def test_it_names_the_very_state_that_was_seen(name: str) -> None:
    clauses = made(name).clauses

    assert [".".join(clause.path) for clause in clauses] == UPDATES[name][1]
    ranges = [".".join(clause.path) for clause in clauses if clause.operator == "<="]
    assert ranges == (["life.due_ms"] if name.startswith("start") else [])


@pytest.mark.parametrize("name", UPDATES)
def test_the_statement_has_every_change_and_every_clause(name: str) -> None:
    write = made(name)
    text, values = statement(write, "physical")
    changes, _, where = text.partition(" WHERE ")

    assert text.startswith('UPDATE "physical" ')
    clauses = [clause for clause in write.clauses if clause.value is not None]
    assert text.count("?") == len(values) == len(write.sets) + len(write.key) + len(clauses)
    assert re.findall(r'"(\w+)"=\?', changes) == [name for name, _ in write.sets]
    assert re.findall(r'"(\w+)"', changes.partition("REMOVE")[2]) == list(write.removes)
    named = [path.replace('"', "") for path in re.findall(r'([\w".]+)(?:<=|=)\?', where)]
    assert named == [name for name, _ in write.key] + [".".join(clause.path) for clause in clauses]
    assert re.findall(r'"(\w+)" IS MISSING', where) == _missing(write)
    assert values[: len(write.sets)] == [value for _, value in write.sets]
    assert values[-len(clauses) :] == [clause.value for clause in clauses]


@pytest.mark.parametrize("name", UPDATES)
def test_the_expression_has_every_change_and_every_clause(name: str) -> None:
    write = made(name)
    spelled = expression(write)

    def real(text: str) -> str:
        return re.sub(r"#n\d+", lambda found: spelled.names[found.group()], text)

    sets = dict(re.findall(r"(\w+) = (:s\d+)", real(spelled.update)))
    assert {key: spelled.values[short] for key, short in sets.items()} == dict(write.sets)
    assert all(name in real(spelled.update).partition("REMOVE")[2] for name in write.removes)
    exists, *conditions = real(spelled.condition).split(" AND ")
    assert exists == f"attribute_exists({write.key[0][0]})"
    named = [re.fullmatch(r"([\w.]+) (<=|=) (:c\d+)", each) for each in conditions]
    assert [
        Clause(tuple(found[1].split(".")), found[2], spelled.values[found[3]])
        for found in named
        if found
    ] == [clause for clause in write.clauses if clause.value is not None]
    missing = [each[21:-1] for each in conditions if each.startswith("attribute_not_exists(")]
    assert missing == _missing(write)


def _missing(write: Update) -> list[str]:
    return [".".join(clause.path) for clause in write.clauses if clause.value is None]


def test_an_expression_spells_no_name_out() -> None:
    for name in UPDATES:
        spelled = expression(made(name))

        bare = re.sub(
            r"[#:]\w+|SET|REMOVE|AND|attribute_(not_)?exists",
            "",
            spelled.update + spelled.condition,
        )
        assert not re.search(r"\w", bare)
        assert set(re.findall(r"#n\d+", spelled.update + spelled.condition)) == set(spelled.names)


@pytest.mark.parametrize("life", [RETRYING.life, run(status="awaiting", attempt=2).life])
def test_what_does_not_end_an_attempt_for_good_is_refused_once_a_cancel_was_asked_for(
    life: Life,
) -> None:
    write = run_writes.settle(RUNNING, life, now_ms=NOON_MS)
    text, values = statement(write, "physical")
    spelled = expression(write)

    assert [".".join(clause.path) for clause in write.clauses] == [*FENCE, "cancel_ms"]
    assert text.endswith(' AND "cancel_ms" IS MISSING')
    assert text.count("?") == len(values)
    assert values[-3:] == ["running", 2, "W"]
    cancelled = next(short for short, name in spelled.names.items() if name == "cancel_ms")
    assert spelled.condition.endswith(f" AND attribute_not_exists({cancelled})")
    assert set(re.findall(r":c\d+", spelled.condition)) == {":c0", ":c1", ":c2"}
    assert ":c3" not in spelled.values


def test_an_execution_that_was_started_is_waited_for_whatever_was_asked() -> None:
    """Its next look stops it."""
    life = run(status="awaiting", attempt=2, waits_on="arn").life

    assert run_writes.settle(RUNNING, life, now_ms=NOON_MS).clauses == run_writes.fence(
        RUNNING.life
    )


def test_an_insert_puts_the_whole_item_under_a_key_that_is_free() -> None:
    write = run_writes.insert(CLAIMED, now_ms=NOON_MS)
    text, values = statement(write, "physical")

    assert isinstance(write, Insert)
    assert write.key == ("task_id", "scheduled_for")
    assert text.startswith('INSERT INTO "physical" VALUE {')
    assert re.findall(r"'(\w+)': \?", text) == list(write.item)
    assert values == list(write.item.values())


def test_a_removal_holds_for_what_was_seen_and_for_nothing_that_is_gone() -> None:
    write = Delete("tasks", (("task_id", "name#a#b"),), (Clause.equal("of_task", "sch_1"),))

    spelled = removal(write)

    assert spelled.names == {"#n0": "of_task", "#n1": "task_id"}
    assert spelled.condition == "attribute_exists(#n1) AND #n0 = :c0"
    assert spelled.values == {":c0": "sch_1"}
