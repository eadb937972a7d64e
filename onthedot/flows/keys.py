"""API keys: made, shown once, revoked."""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.adapters import claims, clock, ids, tables
from onthedot.core import access, trail
from onthedot.core.access import Key
from onthedot.core.moments import moment
from onthedot.core.trail import By
from onthedot.core.writes import Insert, Outcome, Part
from onthedot.flows.identity import new_id

FIRST_TENANT = "default"
_TRIES = 8


def make(
    *, tenant_id: str, role: str, name: str, expires_ms: int = 0, by: By | None = None
) -> tuple[Key, str]:
    """Make a key and give it with its text, of which only a digest is kept."""
    secret = ids.token(access.SECRET_LENGTH)
    made = Key(
        key_id=new_id("key"),
        digest=access.digest(secret),
        tenant_id=tenant_id,
        role=role,
        name=name,
        created_at=moment(clock.now_ms()) or "",
        expires_ms=expires_ms,
    )
    items = (made.item(), access.pointer(made))
    writes: list[Part] = [Insert(access.TABLE, item, ("pk", "sk")) for item in items]
    if by is not None:
        told = {"role": role, "name": name}
        writes.append(trail.insert(by, "key.created", made.key_id, after=told))
    _write(writes)
    return made, access.written(made.key_id, secret)


def of(tenant_id: str) -> list[Key]:
    """List a tenant's keys, oldest first."""
    place = ("pk", access.tenant_key(tenant_id)["pk"])
    pointers = tables.rows(place, "sk", ("key#", "key#~"), table=access.TABLE)
    named = [access.key_key(item["sk"].removeprefix("key#")) for item in pointers]
    found = tables.by_key(tables.get_many({access.TABLE: named})[access.TABLE], "pk")
    return [access.parse(found[key["pk"],]) for key in named if (key["pk"],) in found]


def make_first() -> str | None:
    """Make the first admin key of a new system; where there are keys, make none."""
    if of(FIRST_TENANT):
        return None
    _, text = make(tenant_id=FIRST_TENANT, role="admin", name="first")
    return text


def revoke(key: Key, by: By) -> None:
    """Let a key open nothing any more; what is revoked stays so."""
    if key.revoked_ms:
        return
    revoked = access.revocation(key, by.now_ms)
    _write([revoked, trail.insert(by, "key.revoked", key.key_id)])


def _write(writes: Sequence[Part]) -> None:
    """Write until the store has said so; a refusal means that an earlier try was done."""
    for _ in range(_TRIES):
        if claims.write_together(writes) is not Outcome.UNSURE:
            return
    raise RuntimeError(f"the store gave no answer in {_TRIES} tries")
