"""Killed in the middle of it, under 50 fires a second: every slot fires still, and fires once.

`make kill` plays ten rounds of each; `make test` one.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import pytest

from bench import accounts
from bench.accounts import Accounts
from onthedot.records.keys import manifest_keys
from onthedot.records.runs import manifest, run_row
from onthedot.records.tasks.task_spec import Task, cursor_key
from onthedot.records.timings import CLAIM_SEC
from onthedot.store import table_reads
from onthedot.store.ids import new_id
from tests.e2e.kit import WAIT, Local, load, until

pytestmark = pytest.mark.usefixtures("adapters")

ROUNDS = range(int(os.environ.get("ROUNDS", "1")))
FIRES_A_SEC = 50
# A dispatcher needs a tenth of a second for them.
BLOWS_MAX = 5
# A dead worker's run starts again within this after its death.
AGAIN_SEC = 27
# Of a message that it had been handed and had not looked at yet, nothing but the audit knows: it
# looks a minute after the run was due, and comes once a minute.
AUDITED_SEC = 120
# Other tests may have the processors for that long; `make kill` is alone and allows one second.
BUSY_SEC = float(os.environ.get("BUSY_SEC", "15"))
# Until its slots are due, a dispatcher starts and is killed, and the next one starts and claims.
AHEAD_SEC = CLAIM_SEC + 15 + int(2 * BUSY_SEC)


def claimed(tasks: Sequence[Task]) -> int:
    """Returns how many runs there are of the tasks."""
    return len(accounts.read(tasks).runs)


def begun(tasks: Sequence[Task]) -> bool:
    """Tells whether a dispatcher has claimed anything; asked of one task, for it is soon over."""
    return claimed(tasks[:1]) > 0


def unfinished(tasks: Sequence[Task]) -> int:
    """Returns how many tasks no dispatcher has advanced yet: it does that last."""
    keys = [cursor_key(each.task_id) for each in tasks]
    return sum("due_shard" in each for each in table_reads.get_many({"tasks": keys})["tasks"])


def settled(tasks: Sequence[Task], within_sec: float) -> Accounts:
    return until(lambda: accounts.read(tasks), lambda seen: seen.settled, within_sec)


def strike(local: Local, tasks: Sequence[Task]) -> int:
    """Kills the dispatcher of these tasks once it claims; gives how many of them it had left."""
    # Listed before it is asked: a dispatcher is soon over, and listing takes a while.
    pids, _ = until(
        lambda: (local.processes("DispatchFunction"), begun(tasks)),
        lambda seen: seen[1],
        step_sec=0,
    )
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return unfinished(tasks)


def struck(local: Local) -> tuple[list[Task], int]:
    """Kills a dispatcher in mid-tick; one that was done before the blow fell is no round."""
    for _ in range(BLOWS_MAX):
        tasks = load(FIRES_A_SEC, begin_in_sec=AHEAD_SEC, for_sec=15)
        local.invoke("DispatchFunction", wait=False)
        if left := strike(local, tasks):
            return tasks, left
        settled(tasks, within_sec=120)
    raise AssertionError(f"{BLOWS_MAX} dispatchers were done before they were killed")


def test_a_dispatcher_killed_in_mid_tick_costs_no_slot_its_second(local: Local) -> None:
    for _ in ROUNDS:
        tasks, left = struck(local)
        claims = claimed(tasks)
        time.sleep(CLAIM_SEC + 1)
        local.invoke("DispatchFunction")
        seen = settled(tasks, within_sec=120)

        print(
            f"killed at {claims} of {len(seen.slots)} claims, {left} of {len(tasks)} tasks not done"
        )
        print(f"  {seen.late_ms[-1]} ms late at most")
        assert (seen.missing, seen.stray, seen.again) == (set(), set(), [])
        assert seen.late_ms[-1] < BUSY_SEC * 1000


def test_a_worker_killed_in_mid_run_has_its_run_started_again_and_settled_once(
    local: Local,
) -> None:
    task_id = local.register(f"long-{new_id('x')}", cron="0 0 1 1 *", target=WAIT)
    for _ in ROUNDS:
        tasks = load(FIRES_A_SEC, begin_in_sec=5, for_sec=15)
        local.invoke("DispatchFunction")
        run_id = local.trigger(task_id, payload={"seconds": 10})
        local.running(run_id, attempt=1)
        time.sleep(6)
        assert local.kill("WorkFunction") >= 1
        killed_ms = time.time_ns() // 1_000_000
        seen = settled(tasks, within_sec=AUDITED_SEC + 60)
        assert local.settled(run_id, within_sec=120)["status"] == "succeeded"
        long = run_row.parse(table_reads.get("runs", run_row.row_key(run_id)) or {})

        again_ms = [each.life.its_attempt.started_ms - killed_ms for each in (long, *seen.again)]
        others = [each.life for each in seen.runs if each.life.starts == 1]
        waited_ms = [life.its_attempt.started_ms - max(killed_ms, life.due_ms) for life in others]
        print(
            f"{len(again_ms)} runs again {min(again_ms)} to {max(again_ms)} ms after the kill; "
            f"{len(others)} others at most {max(waited_ms)} ms after it and their due time"
        )
        assert (seen.missing, seen.stray) == (set(), set())
        assert (long.life.starts, len(long.life.attempts)) == (2, 1)
        assert max(again_ms) < (AGAIN_SEC + BUSY_SEC) * 1000
        assert max(waited_ms) < (AUDITED_SEC + BUSY_SEC) * 1000


def test_after_a_kill_of_emulator_and_database_the_audit_accounts_for_every_slot(
    local: Local,
) -> None:
    for _ in ROUNDS:
        tasks = load(FIRES_A_SEC, begin_in_sec=8, for_sec=15)
        local.invoke("DispatchFunction")
        time.sleep(12)
        local.kill_everything()
        local.stack.stop()
        local.stack.start()
        seen = settled(tasks, within_sec=150)
        until(partial(audited, local, tasks), lambda left: left == 0, within_sec=150)

        print(f"{len(seen.again)} started again; {seen.late_ms[-1]} ms late at most")
        assert (seen.missing, seen.stray) == (set(), set())


def audited(local: Local, tasks: Sequence[Task]) -> int:
    """Let the audit pass. How many runs of the tasks the audit has still to look at."""
    local.invoke("AuditFunction")
    ours = {each.task_id for each in tasks}
    now = int(time.time())
    return sum(
        run_id.partition(".")[0] in ours
        for minute in range(now - 1800, now + 300, 60)
        for partition in manifest_keys(minute)
        for item in table_reads.rows(("task_id", partition), "scheduled_for", ("0", "~"))
        for run_id, *_ in manifest.parse(item).entries
    )
