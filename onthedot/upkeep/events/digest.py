"""Puts events together: one event for one minute, one type and one schedule.

What belongs together is written before it is told, so that a repetition is the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from onthedot.records.conditional_writes import Insert
from onthedot.records.keys import item_key
from onthedot.upkeep.events.cloud_event import TABLE

# Events that are being told. Their members stay open until then.
GATHERED = "event#gathered"
MEMBERS_MAX = 500

Item = dict[str, Any]
Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """One event as one destination gets it, and the names of its members."""

    name: str
    place: str
    body: str
    members: tuple[str, ...]
    expires_at: int

    @property
    def id(self) -> str:
        """Returns the id of the CloudEvent."""
        return self.name.partition("#")[0]

    def write(self) -> Insert:
        """Writes down its members. A second write changes nothing."""
        item = {
            **key(self.name),
            "to": self.place,
            "body": self.body,
            "members": list(self.members),
            "expires_at": self.expires_at,
        }
        return Insert(TABLE, item, ("task_id", "scheduled_for"))


def key(name: str) -> dict[str, str]:
    """Returns the key of a gathered event."""
    return item_key(GATHERED, name)


def parse(item: Item) -> Gathered:
    """Reads one from its item."""
    return Gathered(
        name=item["scheduled_for"],
        place=item["to"],
        body=item["body"],
        members=tuple(item["members"]),
        expires_at=item["expires_at"],
    )


def alike(items: Iterable[Item]) -> list[list[Item]]:
    """Groups the open events of one destination by type and task."""
    groups: dict[tuple[str, ...], list[Item]] = {}
    for item in items:
        said = json.loads(item["body"])
        # A pause or a resume belongs to no run, and stays alone.
        alone = () if said["data"].get("run_id") else (said["id"],)
        group = groups.setdefault((item["to"], said["source"], said["type"], *alone), [])
        if len(group) < MEMBERS_MAX:
            group.append(item)
    return list(groups.values())


def gathered(members: Sequence[Item], named: Mapping[str, str]) -> Gathered:
    """Makes one event of similar ones. A single one keeps its id."""
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
    """Returns the task of an open event."""
    return str(json.loads(item["body"])["source"]).rpartition("/")[2]


def _order(body: Body) -> tuple[str, str]:
    return body["time"], body["subject"]


def _together(told: Sequence[Body], event_id: str, named: Mapping[str, str]) -> dict[str, Any]:
    """Returns the newest event, with the count and the times of the first and the last."""
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
