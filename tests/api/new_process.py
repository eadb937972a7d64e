"""What a new process of the API does not know yet. Production only adds to these caches."""

from __future__ import annotations

from onthedot.api.door import authentication, installation_secret
from onthedot.api.schedules import rules
from onthedot.api.views import agenda_source
from onthedot.upkeep import read_pulse


def forget_all() -> None:
    forget_keys()
    agenda_source.forget()
    forget_pulse()
    authentication.purses.clear()
    installation_secret.secret.cache_clear()
    installation_secret.derived.cache_clear()
    rules._known.clear()  # noqa: SLF001  # read once a process


def forget_keys() -> None:
    authentication._known.clear()  # noqa: SLF001  # read once a process
    authentication._unknown.clear()  # noqa: SLF001  # read once a process


def forget_pulse() -> None:
    read_pulse._remembered.clear()  # noqa: SLF001  # read once a process
