"""Keeps the files of a local stack that outlive it, and the lock against a second stack."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from onthedot.local import whole_folders

PROJECT = Path(__file__).resolve().parents[2]
PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700


class AlreadyRunningError(Exception):
    """Another stack uses this folder."""


@dataclass(frozen=True, slots=True)
class Folder:
    """The files of one local stack, by default in `.onthedot/` of the project."""

    root: Path

    @property
    def database(self) -> Path:
        """Returns the file with every task and run: the one that must not be lost."""
        return self.root / "tables.db"

    @property
    def objects(self) -> Path:
        """Returns the folder of payloads that are too large for a table."""
        return self.root / "objects"

    @property
    def assembly(self) -> Path:
        """Returns the folder of what `cdk deploy` deployed last."""
        return self.root / "cdk.out"

    @property
    def scratch(self) -> Path:
        """Returns the folder where the emulator and its Lambdas unpack, new at each start."""
        return self.root / "scratch"

    @property
    def trash(self) -> Path:
        """Returns the folder of unneeded files, which `sweeper` deletes while the stack runs."""
        return self.root / "trash"

    @property
    def run_logs(self) -> Path:
        """Returns the folder of handlers' logs, a file for each process of a worker."""
        return self.root / "run-logs"

    @property
    def run_file(self) -> Path:
        """Returns the file that tells programs where the API is, its key, and the pid."""
        return self.root / "run.json"

    @property
    def key_file(self) -> Path:
        """Returns the file of the admin key, which stays valid from one start to the next."""
        return self.root / "admin-key"

    @property
    def children(self) -> Path:
        """Returns the record of started processes, by which those of a killed stack are found."""
        return self.root / "children.json"

    def log(self, name: str) -> Path:
        """Returns the file with what a child has printed since its start."""
        return self.root / f"{name}.log"

    def clear(self) -> None:
        """Makes room for a start. Moving files away takes no time, however many there are."""
        for left in (self.scratch, *whole_folders.unfinished(self.root)):
            self.discard(left)
        for needed in (self.scratch, self.run_logs):
            needed.mkdir(exist_ok=True)

    def discard(self, left: Path) -> None:
        """Gives a folder to the sweeper."""
        if left.exists():
            self.trash.mkdir(exist_ok=True)
            left.rename(Path(mkdtemp(dir=self.trash)) / left.name)

    def running(self) -> dict[str, Any]:
        """Reads the run file, if there is one."""
        return json.loads(self.run_file.read_text()) if self.run_file.exists() else {}

    @contextmanager
    def held(self) -> Iterator[None]:
        """Locks out every other stack. The lock ends with the process, however it ends."""
        self.root.mkdir(parents=True, exist_ok=True)
        # Payloads and keys are here. No other user of this machine may read them.
        self.root.chmod(PRIVATE_FOLDER)
        with (self.root / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise AlreadyRunningError(self._who_runs()) from None
            # The file of a killed stack.
            self.run_file.unlink(missing_ok=True)
            yield

    def _who_runs(self) -> str:
        known = self.running()
        if not known:
            return f"On the Dot is starting or stopping in {self.root}: wait, or stop that one."
        return f"On the Dot already runs: {known['url']}, pid {known['pid']}. Stop that one first."


def write_secret(path: Path, text: str) -> None:
    """Writes a file that only its owner may read, wholly or not at all."""
    beside = path.with_suffix(".new")
    beside.unlink(missing_ok=True)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    beside.replace(path)
