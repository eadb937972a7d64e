"""Makes and revokes API keys. A key is shown once. One admin key of the operator stays valid."""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.records.access import admin_keys, api_key, audit_trail
from onthedot.records.access.api_key import Key
from onthedot.records.access.audit_trail import By
from onthedot.records.conditional_writes import Insert, Outcome, Part
from onthedot.schedule.expression.errors import BusyError
from onthedot.schedule.time.instants import moment
from onthedot.store import clock, conditional_writer, ids, table_reads
from onthedot.store.conditional_writer import Decision
from onthedot.store.ids import new_id

FIRST_TENANT = "default"
_TRIES = 8


def make(
    *,
    tenant_id: str,
    role: str,
    name: str,
    expires_ms: int = 0,
    queues: tuple[str, ...] = (),
    by: By | None = None,
) -> tuple[Key, str]:
    """Makes a key and returns it with its text. Only a digest is stored."""
    secret = ids.token(api_key.SECRET_LENGTH)
    made = Key(
        key_id=new_id("key"),
        digest=api_key.digest(secret),
        tenant_id=tenant_id,
        role=role,
        name=name,
        queues=queues,
        created_at=moment(clock.now_ms()) or "",
        expires_ms=expires_ms,
    )
    items = (made.item(), api_key.pointer(made))
    writes: list[Part] = [Insert(api_key.TABLE, item, ("pk", "sk")) for item in items]
    if by is not None:
        told = {"role": role, "name": name, "queues": [*queues] or None}
        writes.append(audit_trail.insert(by, "key.created", made.key_id, after=told))
    _write(writes)
    return made, api_key.written(made.key_id, secret)


def of(tenant_id: str) -> list[Key]:
    """Returns a tenant's keys, oldest first."""
    place = ("pk", api_key.tenant_key(tenant_id)["pk"])
    pointers = table_reads.rows(place, "sk", ("key#", "key#~"), table=api_key.TABLE)
    named = [api_key.key_key(item["sk"].removeprefix("key#")) for item in pointers]
    found = table_reads.by_key(table_reads.get_all(api_key.TABLE, named), "pk")
    return [api_key.parse(found[key["pk"],]) for key in named if (key["pk"],) in found]


def has_admin() -> bool:
    """Tells whether the operator has a valid admin key."""
    return bool(_admins(FIRST_TENANT))


def make_first() -> str | None:
    """Makes an admin key if none is valid: in a new system, or if all are revoked or expired."""
    if has_admin():
        return None
    _, text = make(tenant_id=FIRST_TENANT, role="admin", name="first")
    return text


def revoke(key: Key, by: By) -> None:
    """Makes a key invalid for ever."""
    if key.revoked_ms:
        return
    writes: list[Part] = [
        api_key.revocation(key, by.now_ms),
        audit_trail.insert(by, "key.revoked", key.key_id),
    ]
    if not _operates(key):
        _write(writes)
        return
    conditional_writer.compare_and_set(
        read=lambda: _turn(key),
        decide=lambda seen: Decision(None, [*writes, admin_keys.next_turn(seen)]),
        tries=_TRIES,
        what="the admin keys",
    )


def _turn(key: Key) -> int | None:
    """Reads whose turn it is, then refuses if the key has become the last one."""
    item = table_reads.get(admin_keys.TABLE, admin_keys.turn_key())
    check_revocable(key)
    return item["turn"] if item else None


def check_revocable(key: Key) -> None:
    """Refuses to revoke the operator's last admin key: nobody could make another."""
    if _operates(key) and [one.key_id for one in _admins(key.tenant_id)] == [key.key_id]:
        raise admin_keys.last_one(key)


def warnings(key: Key, keys: Sequence[Key] | None = None) -> list[str]:
    """Returns warnings about the key for the operator. `keys` are the tenant's, if at hand."""
    if not _operates(key):
        return []
    found = of(key.tenant_id) if keys is None else keys
    return admin_keys.warnings(key, found, clock.now_ms())


def _operates(key: Key) -> bool:
    return key.tenant_id == FIRST_TENANT and key.role == "admin"


def _admins(tenant_id: str) -> list[Key]:
    return admin_keys.opening(of(tenant_id), clock.now_ms())


def _write(writes: Sequence[Part]) -> None:
    """Writes until the store has answered. A refusal means that an earlier try was done."""
    for _ in range(_TRIES):
        if conditional_writer.write_together(writes) is not Outcome.UNSURE:
            return
    raise BusyError(f"the store gave no answer in {_TRIES} tries")
