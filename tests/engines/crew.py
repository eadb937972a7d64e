"""Workers as Lambda keeps them: a poller beside each process, and a new process for a dead one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen
from threading import Event
from typing import Any

from tests.engines.hands import begin_serving
from tests.engines.place import FAILURES, Place


@dataclass(slots=True)
class Crew:
    """So many processes, each of which works one batch at a time."""

    place: Place
    folder: Path
    workers: list[Popen[str]]
    queue: str = "normal"
    kills: int = 0
    _over: Event = field(default_factory=Event)

    def kill(self, number: int) -> None:
        """Kills a process in the middle of whatever it does; its poller begins another."""
        self.workers[number].kill()
        self.kills += 1

    def serve(self, number: int) -> None:
        """Polls for one process until the crew goes home."""
        while not self._over.is_set():
            self.place.poll(
                lambda event: _answered(self._living(number), event), self.queue, wait_sec=1
            )

    def _living(self, number: int) -> Popen[str]:
        """Nothing is given to the dead; a new process is, once it is warm."""
        while self.workers[number].poll() is not None:
            self.workers[number].communicate()
            (self.workers[number],) = _begun(self.folder, self.queue)
        return self.workers[number]

    def go_home(self) -> None:
        """Finishes what is under way, and end."""
        self._over.set()


def _begun(folder: Path, queue: str, count: int = 1) -> list[Popen[str]]:
    """Begins processes side by side, and waits until all are warm, or killed on their way."""
    function = "bury" if queue == "dead" else "work"
    workers = [begin_serving(folder, function) for _ in range(count)]
    for worker in workers:
        # One that ends by itself would be begun again for ever.
        assert _heard(worker) or worker.wait() < 0, (folder / f"{function}.log").read_text()
    return workers


def _answered(worker: Popen[str], event: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a process answers; if it dies, all comes back when it becomes visible."""
    assert worker.stdin is not None
    try:
        worker.stdin.write(json.dumps(event) + "\n")
        worker.stdin.flush()
        answer = _heard(worker)
    except BrokenPipeError:
        answer = ""
    if answer.endswith("\n"):
        return dict(json.loads(answer))
    return {FAILURES: [{"itemIdentifier": each["messageId"]} for each in event["Records"]]}


def _heard(worker: Popen[str]) -> str:
    """Returns the next line of a process; a dead one's has no end."""
    assert worker.stdout is not None
    return worker.stdout.readline()


@contextmanager
def working(place: Place, folder: Path, count: int, queue: str = "normal") -> Iterator[Crew]:
    """Lets a crew work; none of its processes is left behind, whatever a test comes to."""
    crew = Crew(place, folder, _begun(folder, queue, count), queue)
    with ThreadPoolExecutor(count) as pollers:
        polling = [pollers.submit(crew.serve, number) for number in range(count)]
        try:
            yield crew
        finally:
            crew.go_home()
            for each in polling:
                each.result()
            for worker in crew.workers:
                worker.kill()
                worker.communicate()
