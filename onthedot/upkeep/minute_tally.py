"""Sums outcomes by tenant over minutes, hours and a day, and computes shares for alarms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from onthedot.schedule.time.instants import nominal, parse_nominal

TABLE = "runs"
MINUTES, HOURS = "stat#minutes", "stat#hours"
HOUR_SEC, DAY_HOURS = 3_600, 24
# An item holds at most 400 kB. The tenants with the fewest fires are left out.
TENANTS_MAX = 2_500
_DUE_BYTES_MAX = 150_000
# The outcomes kept for each minute of the due time, in this order.
OUTCOMES = ("succeeded", "dead", "missed", "skipped", "cancelled")
_MINUTE_SEC = 60
_MINUTE_KEPT_SEC = 86_400
_HOUR_KEPT_SEC = 400 * 86_400
# The promise: 99.9 of a hundred runs of a tenant succeed.
_MAY_FAIL = 0.001

Counts = Counter[str]


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts by name for each tenant."""

    tenants: dict[str, Counts] = field(default_factory=dict)

    def count(self, tenant_id: str, name: str, number: int = 1) -> None:
        """Adds to a tenant's count."""
        if number:
            self.tenants.setdefault(tenant_id, Counter())[name] += number

    @property
    def all(self) -> Counts:
        """Returns the sums over all tenants."""
        return sum(self.tenants.values(), Counter())

    @property
    def burn(self) -> float:
        """Returns how much faster than allowed the worst tenant uses up its failures."""
        return max(
            (_failed_share(counts) / _MAY_FAIL for counts in self.tenants.values()), default=0
        )


def together(tallies: Iterable[Tally]) -> Tally:
    summed = Tally()
    for tally in tallies:
        for tenant_id, counts in tally.tenants.items():
            summed.tenants.setdefault(tenant_id, Counter()).update(counts)
    return summed


def recent(five_minutes: Tally, hour: Tally, day: Tally) -> dict[str, float]:
    """Returns the shares that alarms watch."""
    lately, of_hour = five_minutes.all, hour.all
    return {
        "failed_percent": _percent(of_hour["dead"], of_hour["dead"] + of_hour["succeeded"]),
        "dead_percent": _percent(lately["dead"], lately["dead"] + lately["succeeded"]),
        "leases_lost_percent": _percent(lately["leases_lost"], lately["attempts"]),
        "burn_hour": round(hour.burn, 3),
        "burn_day": round(day.burn, 3),
    }


def item(
    tally: Tally, partition: str, since_sec: int, due: Mapping[int, Tally] | None = None
) -> dict[str, Any]:
    """Writes the tally of a minute or an hour. A minute also has the outcomes by due time."""
    busiest = sorted(tally.tenants.items(), key=lambda pair: -pair[1].total())[:TENANTS_MAX]
    kept_sec = _MINUTE_KEPT_SEC if partition == MINUTES else _HOUR_KEPT_SEC
    return {
        "task_id": partition,
        "scheduled_for": nominal(since_sec),
        "tenants": {tenant_id: dict(counts) for tenant_id, counts in busiest},
        **_by_due(busiest, due or {}, since_sec),
        "expires_at": since_sec + kept_sec,
    }


def of_tenant(stored: Mapping[str, Any], tenant_id: str) -> Counts:
    """Reads the counts of one tenant."""
    return Counter(stored["tenants"].get(tenant_id, {}))


def due_minutes(stored: Mapping[str, Any], tenant_id: str) -> dict[int, Counts]:
    """Reads a tenant's outcomes by the minute they were due, or if unknown, were seen."""
    seen_sec = parse_nominal(stored["scheduled_for"])
    text = stored.get("due", {}).get(tenant_id)
    if text is None:
        return {seen_sec: of_tenant(stored, tenant_id)}
    found = {seen_sec: Counter[str]()}
    for minute in text.split():
        ago, _, counts = minute.partition(":")
        numbers = zip(OUTCOMES, map(int, counts.split(".")), strict=True)
        found[seen_sec - int(ago) * _MINUTE_SEC] = Counter(dict(numbers))
    return found


def _by_due(
    busiest: Sequence[tuple[str, Counts]], due: Mapping[int, Tally], since_sec: int
) -> dict[str, Any]:
    """Writes `1:47.0.0.1.0` for each minute: how many minutes ago, and each outcome's count."""
    lately = {minute: due[minute] for minute in sorted(due) if minute > since_sec - HOUR_SEC}
    texts: dict[str, str] = {}
    room = _DUE_BYTES_MAX
    for tenant_id, _ in busiest:
        told = [
            f"{(since_sec - minute) // _MINUTE_SEC}:{_numbers(tally.tenants[tenant_id])}"
            for minute, tally in lately.items()
            if tenant_id in tally.tenants
        ]
        text = " ".join(told)
        room -= len(tenant_id) + len(text)
        if room < 0:
            break
        if text:
            texts[tenant_id] = text
    return {"due": texts} if texts else {}


def _numbers(counts: Counts) -> str:
    return ".".join(str(counts[name]) for name in OUTCOMES)


def parse(stored: Mapping[str, Any]) -> Tally:
    return Tally({tenant_id: Counter(counts) for tenant_id, counts in stored["tenants"].items()})


def _failed_share(counts: Counts) -> float:
    failed = counts["dead"] + counts["missed"]
    ran = failed + counts["succeeded"]
    return failed / ran if ran else 0.0


def _percent(part: int, of: int) -> float:
    return round(100 * part / of, 3) if of else 0.0
