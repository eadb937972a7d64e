"""The simulated bucket as a botocore client of S3: objects by key, and when each was put."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from io import BytesIO
from random import Random
from typing import Any

from onthedot.records.tasks.payloads import ASIDE
from tests.simulation.stores.errors import make, modelled

Answer = dict[str, Any]
PAGE = 4


class Bucket:
    """Answers as S3 does, with short pages; every change is logged with what was there before."""

    exceptions = modelled

    def __init__(self, now_us: Callable[[], int]) -> None:
        self.now_us = now_us
        self.objects: dict[str, tuple[int, bytes]] = {}
        # When, which key, and when what was there before had been put.
        self.deleted: list[tuple[int, str, int]] = []
        # All that ever was there, and when somebody deleted what may be wanted still.
        self.ever: dict[str, bytes] = {}
        self.lost: dict[str, int] = {}

    def put_object(self, **request: Any) -> Answer:
        self.put(request["Key"], request["Body"])
        return {}

    def put(self, key: str, body: bytes, *, age_sec: float = 0) -> None:
        self.objects[key] = (self.now_us() - int(age_sec * 1_000_000), body)
        self.ever[key] = body

    def get_object(self, **request: Any) -> Answer:
        return {"Body": BytesIO(self._held(request["Key"], "GetObject")[1])}

    def list_objects_v2(self, **request: Any) -> Answer:
        after = request.get("StartAfter", "")
        keys = sorted(key for key in self.objects if key > after)[:PAGE]
        return {"Contents": [{"Key": key, "LastModified": self._modified(key)} for key in keys]}

    def copy_object(self, **request: Any) -> Answer:
        self.put(request["Key"], self._held(request["CopySource"]["Key"], "CopyObject")[1])
        return {}

    def delete_object(self, **request: Any) -> Answer:
        put_us, _ = self.objects.pop(request["Key"], (0, b""))
        if put_us:
            self.deleted.append((self.now_us(), request["Key"], put_us))
        return {}

    def set_aside(self) -> None:
        """Puts everything aside at once."""
        for key in [key for key in self.objects if not key.startswith(ASIDE)]:
            self.objects[ASIDE + key] = self.objects.pop(key)

    def lose(self, random: Random) -> None:
        """Loses one object, which none of our processes has deleted."""
        if keys := sorted(self.objects):
            key = random.choice(keys)
            del self.objects[key]
            self.lost[key.removeprefix(ASIDE)] = self.now_us()

    def _held(self, key: str, operation: str) -> tuple[int, bytes]:
        if key not in self.objects:
            raise make("NoSuchKey", "The specified key does not exist.", operation)
        return self.objects[key]

    def _modified(self, key: str) -> datetime:
        return datetime.fromtimestamp(self.objects[key][0] / 1_000_000, UTC)
