"""Events put together: what is told in one minute of one kind and one schedule is one event.

Which ones belong together is written down before it is told, so what is told again is the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from onthedot.records.conditional_writes import Insert
from onthedot.upkeep.events.cloud_event import TABLE

# Those that are being told; their members stay open until they have been.
GATHERED = "event#gathered"
MEMBERS_MAX = 500

Item = dict[str, Any]
Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """One event as it is told at one place, and the names of what it tells of."""

    name: str
    place: str
    body: str
    members: tuple[str, ...]
    expires_at: int

    @property
    def id(self) -> str:
        """The CloudEvent's own."""
        return self.name.partition("#")[0]

    def write(self) -> Insert:
        """Write down what it is made of; put twice it is there once."""
        item = {
            **key(self.name),
            "to": self.place,
            "body": self.body,
            "members": list(self.members),
            "expires_at": self.expires_at,
        }
        return Insert(TABLE, item, ("task_id", "scheduled_for"))


def key(name: str) -> dict[str, str]:
    """Give the key of one."""
    return {"task_id": GATHERED, "scheduled_for": name}


def parse(item: Item) -> Gathered:
    """Read one that was written down."""
    return Gathered(
        name=item["scheduled_for"],
        place=item["to"],
        body=item["body"],
        members=tuple(item["members"]),
        expires_at=item["expires_at"],
    )


def alike(items: Iterable[Item]) -> list[list[Item]]:
    """Put the open events of one place together that are of one type and one task."""
    groups: dict[tuple[str, ...], list[Item]] = {}
    for item in items:
        said = json.loads(item["body"])
        # A pause or a resume is of no run, and stands alone.
        alone = () if said["data"].get("run_id") else (said["id"],)
        group = groups.setdefault((item["to"], said["source"], said["type"], *alone), [])
        if len(group) < MEMBERS_MAX:
            group.append(item)
    return list(groups.values())


def gathered(members: Sequence[Item], named: Mapping[str, str]) -> Gathered:
    """Make one event of some that are alike; a single one keeps its id."""
    names = sorted(item["scheduled_for"] for item in members)
    ids = [name.partition("#")[0] for name in names]
    event_id = ids[0] if len(ids) == 1 else sha256("#".join(ids).encode()).hexdigest()[:32]
    told = sorted((json.loads(item["body"]) for item in members), key=_order)
    return Gathered(
        name=f"{event_id}#{names[0].partition('#')[2]}",
        place=members[0]["to"],
        body=json.dumps(_together(told, event_id, named), separators=(",", ":")),
        members=tuple(names),
        expires_at=min(item["expires_at"] for item in members),
    )


def task_of(item: Item) -> str:
    """Name the task that an open event is of."""
    return str(json.loads(item["body"])["source"]).rpartition("/")[2]


def _order(body: Body) -> tuple[str, str]:
    return body["time"], body["subject"]


def _together(told: Sequence[Body], event_id: str, named: Mapping[str, str]) -> dict[str, Any]:
    """Tell the newest, with how many there were, the first of them and the last."""
    newest = told[-1]
    data = dict(newest["data"])
    data["name"] = data.get("name") or named.get(data["task_id"]) or None
    if data.get("run_id"):
        data |= {"count": len(told), "first": _brief(told[0]), "last": _brief(newest)}
    return {**newest, "id": event_id, "data": data}


def _brief(body: Body) -> dict[str, Any]:
    data = body["data"]
    slot = data.get("scheduled_for")
    return {"run_id": data["run_id"], "scheduled_for": slot, "time": body["time"]}
