"""Real workers, killed at random moments: each run ends once, and each payment is made once.

`make kill` plays a thousand runs, `make test` a hundred.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from bench.stack import register
from onthedot.dispatch.dispatcher import dispatch
from onthedot.records.runs.run_row import Life
from onthedot.records.tasks.task_spec import Task
from onthedot.upkeep.claims_audit import audit
from tests.engines.crew import Crew, working
from tests.engines.hands import write_jobs
from tests.engines.place import Place, rows
from tests.engines.tasks import SHARDS, task

RUNS = int(os.environ.get("RUNS", "100"))
SEED = int(os.environ.get("SEED", "1"))
WORKERS = 4
RUNS_A_SEC = 20
BEGIN_SEC = 4
# So long after the last run is due, workers are killed still.
LINGER_SEC = 2
BETWEEN_KILLS_SEC = 1.2
# Three deaths of one run, on a machine that others use.
PATIENCE_SEC = 240
BETWEEN_AUDITS_SEC = 15

# The receiver obeys idempotency keys: a link is made by one caller, and read by the others.
HANDLERS = """
import os
from random import uniform

HERE = Path(os.environ["HERE"])

def note(word, ctx):
    file = os.open(HERE / "ledger", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{word} {ctx.run_id} {ctx.attempt}\\n".encode())
    os.close(file)

def charge(ctx):
    note("asked", ctx)
    receipt = HERE / "receipts" / ctx.idempotency_key("charge")
    try:
        os.symlink(str(ctx.attempt), receipt)
    except FileExistsError:
        pass
    time.sleep(uniform(0, 1))
    return os.readlink(receipt)

@app.job()
def pay(ctx):
    note("began", ctx)
    time.sleep(uniform(0, 2))
    receipt = ctx.once("charge", lambda: charge(ctx))
    note("recorded", ctx)
    time.sleep(uniform(0, 1))
    return receipt
"""


def test_runs_whose_workers_are_killed_at_random_end_once_and_have_their_effects_once(
    quick_place: Place, tmp_path: Path
) -> None:
    write_jobs(tmp_path, HANDLERS)
    (tmp_path / "receipts").mkdir()
    begin = int(time.time()) + BEGIN_SEC
    tasks = [_payment(number, begin + number // RUNS_A_SEC) for number in range(RUNS)]
    register(tasks)
    dispatch(SHARDS)

    with working(quick_place, tmp_path, WORKERS) as crew:
        _kill_at_random(crew, until=begin + RUNS // RUNS_A_SEC + LINGER_SEC)
        ends = _ended(tasks)

    ledger = [line.split() for line in (tmp_path / "ledger").read_text().splitlines()]
    _tell(crew, ends, ledger)
    assert {life.status for life in ends.values()} == {"succeeded"}
    assert len(ends) == RUNS
    # What a run ended as is what it still is, now that nobody works any more.
    assert ends == {run.run_id: run.life for each in tasks for run in rows(each.task_id).values()}
    for life in ends.values():
        assert [record["attempt"] for record in life.attempts] == list(range(1, life.starts))
        assert {record["outcome"] for record in life.attempts} <= {"lost"}
    # Each attempt is executed by one worker, and each payment is made by one attempt.
    begun = Counter((run_id, attempt) for word, run_id, attempt in ledger if word == "began")
    assert set(begun.values()) == {1}
    receipts = {path.name: str(path.readlink()) for path in (tmp_path / "receipts").iterdir()}
    assert receipts == {f"{run_id}#charge": life.its_end.result for run_id, life in ends.items()}
    assert _asked_after_the_record(ledger) == []
    assert any(life.starts > 1 for life in ends.values())


def _payment(number: int, slot: int) -> Task:
    wall = time.gmtime(slot)
    plain = task(
        number,
        f"{wall.tm_sec} {wall.tm_min} {wall.tm_hour} * * *",
        effective_from=slot - 60,
        max_attempts=20,
    )
    return replace(plain, target={"type": "python", "handler": "pay"})


def _kill_at_random(crew: Crew, *, until: float) -> None:
    chance = Random(SEED)
    while time.time() < until:
        time.sleep(chance.expovariate(1 / BETWEEN_KILLS_SEC))
        crew.kill(chance.randrange(WORKERS))


def _ended(tasks: Sequence[Task]) -> dict[str, Life]:
    """Returns how each run ended, as it was first seen.

    A worker that dies before it has shortened its messages' visibility leaves them to the audit.
    """
    ends: dict[str, Life] = {}
    left = list(tasks)
    deadline = time.monotonic() + PATIENCE_SEC
    audited = time.monotonic()
    while left:
        assert time.monotonic() < deadline, f"{len(left)} of {len(tasks)} runs have not ended"
        time.sleep(0.5)
        for each in tuple(left):
            (run,) = rows(each.task_id).values()
            if run.final:
                ends[run.run_id] = run.life
                left.remove(each)
        if time.monotonic() > audited + BETWEEN_AUDITS_SEC:
            audit()
            audited = time.monotonic()
    return ends


def _asked_after_the_record(ledger: Sequence[Sequence[str]]) -> list[str]:
    """Payments that an attempt asked for although an earlier one had recorded them."""
    recorded: set[str] = set()
    wrong = []
    for word, run_id, _attempt in ledger:
        if word == "recorded":
            recorded.add(run_id)
        elif word == "asked" and run_id in recorded:
            wrong.append(run_id)
    return wrong


def _tell(crew: Crew, ends: dict[str, Life], ledger: Sequence[Sequence[str]]) -> None:
    asked = sum(word == "asked" for word, *_ in ledger)
    lost = sum(life.starts - 1 for life in ends.values())
    most = max(life.starts for life in ends.values())
    print(
        f"{crew.kills} workers killed, {lost} attempts lost, {most} attempts at most; "
        f"{len(ends)} runs ended once; {asked - len(ends)} payments asked for again by their key"
    )
