"""Defines `onthedot.Client`: the API's resources, typed, with one method for each route."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from onthedot.client.loops import Backfills, DeadLetters
from onthedot.client.runs import Leases, Runs
from onthedot.client.schedules import Schedules, Tasks
from onthedot.client.settings import Calendars, Keys
from onthedot.client.transport import Transport


@dataclass(frozen=True, slots=True)
class Client:
    """Address and key come from ONTHEDOT_URL and ONTHEDOT_API_KEY if they are not given."""

    url: str = ""
    key: str = field(default="", repr=False)
    timeout_sec: float = 30.0
    transport: Transport = field(init=False, repr=False)
    schedules: Schedules = field(init=False, repr=False)
    tasks: Tasks = field(init=False, repr=False)
    runs: Runs = field(init=False, repr=False)
    backfills: Backfills = field(init=False, repr=False)
    dead_letters: DeadLetters = field(init=False, repr=False)
    calendars: Calendars = field(init=False, repr=False)
    keys: Keys = field(init=False, repr=False)
    leases: Leases = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Makes the parts. It sends no request yet."""
        # A file or a secret store often ends its text with a line break.
        url = (self.url or os.environ.get("ONTHEDOT_URL", "")).strip()
        if not url.startswith(("http://", "https://")):
            raise ValueError(
                f"'{url}' is no address of the API: set ONTHEDOT_URL to what make run or "
                "make deploy printed, such as http://127.0.0.1:8787, or give it as url"
            )
        key = (self.key or os.environ.get("ONTHEDOT_API_KEY", "")).strip()
        transport = Transport(url.rstrip("/"), key, self.timeout_sec)
        object.__setattr__(self, "transport", transport)
        object.__setattr__(self, "schedules", Schedules(transport))
        object.__setattr__(self, "tasks", Tasks(transport))
        object.__setattr__(self, "runs", Runs(transport))
        object.__setattr__(self, "backfills", Backfills(transport))
        object.__setattr__(self, "dead_letters", DeadLetters(transport))
        object.__setattr__(self, "calendars", Calendars(transport))
        object.__setattr__(self, "keys", Keys(transport))
        object.__setattr__(self, "leases", Leases(transport))
