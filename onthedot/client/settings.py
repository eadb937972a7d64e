"""Manages keys and calendars, from a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

from onthedot.client.pages import walk
from onthedot.client.transport import Transport
from onthedot.records.shown_objects import Calendar, Key, NewKey

_KEYS, _CALENDARS = "/v1/keys", "/v1/calendars"


@dataclass(frozen=True, slots=True)
class Keys:
    """`client.keys`, for callers with a key of role admin."""

    transport: Transport

    def create(self, role: str, **fields: object) -> NewKey:
        """Makes a key. Its text is in this answer's `key` and nowhere else.

        It tries once: the API stores no answer with a secret, so a repetition makes another key.
        """
        body = {"role": role, **fields}
        return cast("NewKey", self.transport.call("POST", _KEYS, body=body, repeatable=False))

    def get(self, key_id: str) -> Key:
        """Returns a key without its text."""
        return cast("Key", self.transport.call("GET", _at(_KEYS, key_id)))

    def iter(self) -> Iterator[Key]:
        """Walks all keys, without their texts."""
        return cast("Iterator[Key]", walk(self.transport, _KEYS, {}))

    def revoke(self, key_id: str) -> None:
        """Revokes a key. It becomes invalid within 60 seconds."""
        self.transport.call("DELETE", _at(_KEYS, key_id))


@dataclass(frozen=True, slots=True)
class Calendars:
    """`client.calendars`."""

    transport: Transport

    def create(self, calendar_id: str, **fields: object) -> Calendar:
        """Makes a calendar: `dates`, a `cron`, or both, in a `timezone`."""
        body = {"calendar_id": calendar_id, **fields}
        return cast("Calendar", self.transport.call("POST", _CALENDARS, body=body))

    def get(self, calendar_id: str) -> Calendar:
        return cast("Calendar", self.transport.call("GET", _at(_CALENDARS, calendar_id)))

    def iter(self) -> Iterator[Calendar]:
        """Walks all calendars by their ids."""
        return cast("Iterator[Calendar]", walk(self.transport, _CALENDARS, {}))

    def replace(self, calendar_id: str, fields: Mapping[str, Any], *, version: int) -> Calendar:
        """Replaces a calendar, unless it has changed since. Schedules that name it follow it."""
        answer = self.transport.call(
            "PUT",
            _at(_CALENDARS, calendar_id),
            body=dict(fields),
            headers={"if-match": f'"{version}"'},
        )
        return cast("Calendar", answer)

    def delete(self, calendar_id: str) -> None:
        """Deletes a calendar that no schedule names."""
        self.transport.call("DELETE", _at(_CALENDARS, calendar_id))


def _at(path: str, name: str) -> str:
    return f"{path}/{quote(name, safe='')}"
