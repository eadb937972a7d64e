"""Stores worlds as an earlier commit left them amid its histories, by that commit's own code:
`git worktree add /tmp/former 39aab16`, then here, in the project's folder,
`PYTHONPATH=/tmp/former .venv/bin/python tests/simulation/past/past_worlds_maker.py 39aab16`.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

ARCHIVE = Path(__file__).with_name("past_worlds.json.xz")
BYTES_MAX = 100_000
_KEYS = {
    "tasks": ("task_id", "part"),
    "runs": ("task_id", "scheduled_for"),
    "access": ("pk", "sk"),
}
_QUEUES = ("high", "normal", "low", "dead")
_FIRST_SEC, _STEP_SEC = 61, 97
_SEEDS = (1, 2)
_DIGITS = re.compile(r"[0-9]+")
Fact = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """What was stored at one moment of a history, as compressed JSON."""

    facts: frozenset[Fact]
    packed: bytes


def main(commit: str) -> None:
    """Plays the histories, chooses the moments, and writes the archive."""
    moments = [moment for seed in _SEEDS for moment in _played(seed)]
    worlds = [json.loads(lzma.decompress(each.packed)) for each in _chosen(moments)]
    text = json.dumps({"commit": commit, "worlds": worlds}, separators=(",", ":"))
    packed = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
    if len(packed) > BYTES_MAX:
        raise ValueError(f"{len(packed)} bytes are too many")
    ARCHIVE.write_bytes(packed)
    sys.stdout.write(f"{ARCHIVE}: {len(worlds)} worlds, {len(packed)} bytes\n")


def _played(seed: int) -> list[Moment]:
    """Plays each profile whose items our own code has written, and nobody has spoiled."""
    histories: Any = import_module("tests.simulation.histories")
    found: list[Moment] = []
    play = histories.play

    def watched(stage: Any, course: Any) -> None:
        for at_sec in range(_FIRST_SEC, int(course.sec), _STEP_SEC):
            stage.world.call_at(at_sec, lambda: found.append(_moment(name, seed, stage.world)))
        play(stage, course)

    histories.play = watched
    for name, scene in import_module("tests.simulation.profiles").ALL.items():
        mixed = scene.course.yesterday_sec > 0
        if not (mixed or scene.poison or scene.forged or scene.crowd or name.endswith(" bare")):
            histories.history(scene, seed)
    histories.play = play
    return found


def _moment(name: str, seed: int, world: Any) -> Moment:
    at_sec = world.now_us // 1_000_000
    tables = {each: list(world.store.table(each).rows.items.values()) for each in _KEYS}
    queues = {
        each: [
            # What a worker had in hand comes back when its time is over.
            [one.body, one.group, max(0, one.visible_us - world.epoch_us()) // 1000, one.received]
            for one in world.queues.queue(each).messages.values()
        ]
        for each in _QUEUES
    }
    stored = {
        "name": f"{name} {seed}, {at_sec} s",
        "at": int(world.start.timestamp()) + at_sec,
        "tables": tables,
        "queues": queues,
        "objects": {key: body for key, (_, body) in world.bucket.objects.items()},
    }
    text = json.dumps(stored, default=lambda value: b64encode(value).decode())
    return Moment(
        frozenset(_facts(tables, queues, stored["objects"])), lzma.compress(text.encode(), preset=0)
    )


def _chosen(moments: list[Moment]) -> list[Moment]:
    """Takes the moment with the most new facts for its size, until no fact is left."""
    chosen: list[Moment] = []
    wanted = {fact for moment in moments for fact in moment.facts}
    while wanted:
        best = max(moments, key=lambda each: len(each.facts & wanted) / len(each.packed))
        wanted -= best.facts
        chosen.append(best)
    # Later choices may hold all that an earlier one was taken for.
    for each in sorted(chosen, key=lambda one: -len(one.packed)):
        others = {fact for other in chosen if other is not each for fact in other.facts}
        if each.facts <= others:
            chosen.remove(each)
    return chosen


def _facts(
    tables: Mapping[str, Any], queues: Mapping[str, Any], objects: Mapping[str, bytes]
) -> Iterator[Fact]:
    for table, items in tables.items():
        for item in items:
            yield from _of_item(table, item)
    for queue, messages in queues.items():
        for body, _, _, received in messages:
            message = json.loads(body)
            packed = "pack" if len(message.get("runs", ())) > 1 else "single"
            yield ("message", str(message.get("why")), packed)
            yield ("message", queue, f"received {received > 0}")
    for key in objects:
        yield ("object", _DIGITS.sub("0", key.partition("/")[0]))


def _of_item(table: str, item: Mapping[str, Any]) -> Iterator[Fact]:
    if "life" in item:
        life = item["life"]["M"]
        status = life["status"]["S"]
        yield ("run", status, life.get("reason", {}).get("S", ""))
        yield ("origin", item["origin"]["S"])
        yield ("waited", life.get("waited", {}).get("S", ""), status)
        # An outcome is written once; what an open run says decides what becomes of it.
        opened = status if item.get("expires_at") is None else "ended"
        yield from (("life", opened, name) for name in life)
    kind = "run" if "life" in item else _kind(table, item)
    yield from ((kind, name) for name in item)
    if "status" in item:
        yield (kind, "status", item["status"]["S"])
    if "target" in item and "M" in item["target"]:
        yield ("target", item["target"]["M"]["type"]["S"])
    for name, lists in item.get("lists", {}).get("M", {}).items():
        yield (kind, "list", name, f"empty {not any(lists.values())}")


def _kind(table: str, item: Mapping[str, Any]) -> str:
    """Names the kind of an item by its key, without ids and times."""
    first, second = (item[name]["S"] for name in _KEYS[table])
    start = first.partition("#")[0]
    if "_" in start:
        start = start.partition("_")[0]
    if second.startswith("#"):
        second = "#" + second.split("#")[1]
    elif "^" in second:
        second = "^" + second.rpartition("^")[2].partition("#")[0]
    elif table == "runs" or "#" in first:
        second = ""
    return f"{table} {start} {_DIGITS.sub('0', second)}".strip()


if __name__ == "__main__":
    main(sys.argv[1])
