"""Worlds as an earlier commit stored them in the middle of its histories.

`past_worlds_maker` has made the archive, on that commit's own code.
"""

from __future__ import annotations

import json
import lzma
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from onthedot.records.attributes import plain_item
from onthedot.records.keys import SPEC
from onthedot.records.tasks import task_spec
from tests.simulation.stage import Stage, make_stage

ARCHIVE = Path(__file__).with_name("past_worlds.json.xz")
Item = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PastWorld:
    """Everything that was stored at one moment."""

    # The profile and the seed of its history, and how far that was.
    name: str
    # Seconds since 1970.
    at: int
    tables: Mapping[str, Sequence[Item]]
    # Of each message: body, group, milliseconds until it is visible, how often it was received.
    queues: Mapping[str, Sequence[tuple[str, str | None, int, int]]]
    objects: Mapping[str, str]

    def stage(self) -> Stage:
        """Returns a history of today's code that begins with what was stored."""
        stage = make_stage(1, start=datetime.fromtimestamp(self.at, UTC))
        world = stage.world
        for table, items in self.tables.items():
            for item in items:
                world.store.put_item(TableName=table, Item=_item(item))
        for name, messages in self.queues.items():
            queue = world.queues.queue(name)
            for body, group, hidden_ms, received in messages:
                message = queue.send(body, 0, group)
                message.visible_us += hidden_ms * 1000
                message.received = received
        for key, body in self.objects.items():
            world.bucket.put(key, b64decode(body))
        specs = [each for each in self.items("tasks") if each["part"] == SPEC]
        stage.tasks += [task_spec.parse(each) for each in specs]
        return stage

    def items(self, table: str) -> list[dict[str, Any]]:
        """Returns the items of a table as our code reads them."""
        return [plain_item(_item(each)) for each in self.tables[table]]


@cache
def past_worlds() -> Mapping[str, PastWorld]:
    """Returns all of the archive, by their names."""
    stored = json.loads(lzma.decompress(ARCHIVE.read_bytes()))["worlds"]
    return {each["name"]: PastWorld(**each) for each in stored}


def _item(stored: Item) -> Item:
    return {name: _value(value) for name, value in stored.items()}


def _value(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a typed value whose bytes were written as base64."""
    ((kind, value),) = stored.items()
    if kind == "B":
        value = b64decode(value)
    elif kind == "M":
        value = _item(value)
    elif kind == "L":
        value = [_value(each) for each in value]
    return {kind: value}
