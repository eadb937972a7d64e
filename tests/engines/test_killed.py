"""A worker that is stopped dead in the middle of a run: another has it within 27 seconds."""

from __future__ import annotations

import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from onthedot.launch.trigger import trigger
from tests.engines.hands import begin_polling, begin_work, write_jobs
from tests.engines.place import Place, put, rows
from tests.engines.tasks import task

HANDLERS = """
import os

@app.job()
def slow(ctx):
    here = Path(os.environ["HERE"])
    (here / f"attempt-{ctx.attempt}").write_text(str(time.time()))
    while ctx.attempt == 1 and not (here / "attempt-2").exists():
        time.sleep(0.05)
    return ctx.attempt
"""
TAKEN_OVER_MAX_SEC = 27
PATIENCE_SEC = 60


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_the_run_of_a_dead_worker_starts_elsewhere_and_the_dead_one_settles_nothing(
    quick_place: Place, tmp_path: Path, how: signal.Signals
) -> None:
    write_jobs(tmp_path, HANDLERS)
    plain = task(int(how), "0 0 1 1 *", timeout_sec=300)
    slow = put(replace(plain, target={"type": "python", "handler": "slow"}))
    trigger(slow.task_id)
    first = begin_work(tmp_path, quick_place.receive(wait_sec=5))
    _wait_for(tmp_path / "attempt-1")
    died_at = time.time()
    first.send_signal(how)

    # Warm before the lease ends, as Lambda's other environments are.
    other = begin_polling(tmp_path, quick_place.number)
    _wait_for(tmp_path / "attempt-2")
    (tmp_path / "stop").touch()
    other.communicate(timeout=PATIENCE_SEC)
    first.send_signal(signal.SIGCONT)
    first.communicate(timeout=PATIENCE_SEC)
    began_at = float((tmp_path / "attempt-2").read_text())

    (run,) = rows(slow.task_id).values()
    assert began_at - died_at <= TAKEN_OVER_MAX_SEC
    assert (run.life.status, run.life.starts, run.life.its_end.result) == ("succeeded", 2, 2)
    assert [record["outcome"] for record in run.life.attempts] == ["lost"]
    # Killed, it has nothing to say any more; stopped, it wakes, comes to settle, and is refused.
    assert len(run.stale) <= 1


def _wait_for(path: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SEC
    while not path.exists():
        assert time.monotonic() < deadline, f"{path.name} has not begun"
        time.sleep(0.02)
