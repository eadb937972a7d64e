"""API keys: how one is written, what of it is kept, and what each role may do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from typing import Any
from zlib import crc32

from onthedot.records.conditional_writes import Clause, Update
from onthedot.schedule.time.instants import nominal
from onthedot.schedule.time.moments import moment

TABLE = "access"
TASKS_MAX = 100_000
SECRET_KEY = {"pk": "secret", "sk": "plan"}
# What each role may besides: an admin everything, a worker nothing but its leases.
GRANTS = {
    "read": frozenset({"read"}),
    "write": frozenset({"read", "write"}),
    "worker": frozenset({"worker"}),
    "admin": frozenset({"read", "write", "worker", "admin"}),
}
SECRET_LENGTH = 40
_KEY = re.compile(r"otd_([0-9A-Z]{26})_([0-9A-Z]{40})([0-9a-f]{8})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks: the tenant comes from the credential and from nowhere else."""

    key_id: str
    tenant_id: str
    role: str
    # What a worker may fetch from; none named is every queue of its tenant.
    queues: tuple[str, ...] = ()

    def may(self, role: str) -> bool:
        """Tell whether the key's role includes another."""
        return role in GRANTS[self.role]


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key as it is stored: everything but the secret."""

    key_id: str
    digest: bytes
    tenant_id: str
    role: str
    name: str = ""
    queues: tuple[str, ...] = ()
    created_at: str
    expires_ms: int = 0
    revoked_ms: int = 0
    last_used_ms: int = 0

    def holds(self, secret: str, now_ms: int) -> bool:
        """Tell whether this secret opens it now; how long that takes says nothing of the secret."""
        return compare_digest(self.digest, digest(secret)) and self.opens(now_ms)

    def opens(self, now_ms: int) -> bool:
        """Tell whether it is neither revoked nor expired."""
        return not self.revoked_ms and (not self.expires_ms or now_ms < self.expires_ms)

    def item(self) -> dict[str, Any]:
        """Write it."""
        kept = {name: getattr(self, name) for name in Key.__slots__} | {"queues": [*self.queues]}
        return key_key(self.key_id) | {name: value for name, value in kept.items() if value}


def parse(item: Mapping[str, Any]) -> Key:
    """Read a key."""
    known = {name: item[name] for name in Key.__slots__ if name in item}
    return Key(**known | {"queues": tuple(item.get("queues", ()))})


def written(key_id: str, secret: str) -> str:
    """Write a key as its owner keeps it; the checksum finds a typing error without a store."""
    return f"otd_{key_id.removeprefix('key_')}_{secret}{_checksum(key_id, secret)}"


def read(text: str) -> tuple[str, str] | None:
    """Take a key apart into its id and its secret; what is no key gives None."""
    parts = _KEY.fullmatch(text)
    if parts is None:
        return None
    key_id, secret, checksum = f"key_{parts[1]}", parts[2], parts[3]
    return (key_id, secret) if checksum == _checksum(key_id, secret) else None


def digest(secret: str) -> bytes:
    """Give what is stored of a secret; it is random, so that no slow hash is needed."""
    return sha256(secret.encode()).digest()


def key_key(key_id: str) -> dict[str, str]:
    """Give the key of an API key's item."""
    return {"pk": f"key#{key_id}", "sk": "-"}


def tenant_key(tenant_id: str) -> dict[str, str]:
    """Give the key of a tenant's item."""
    return {"pk": f"tenant#{tenant_id}", "sk": "-"}


def view(key: Key, warnings: Sequence[str] = ()) -> dict[str, Any]:
    """Show a key, all but what opens the door."""
    return {
        "key_id": key.key_id,
        "name": key.name,
        "role": key.role,
        # Null is every queue.
        "queues": [*key.queues] or None,
        "created_at": key.created_at,
        "expires_at": nominal(key.expires_ms // 1000) if key.expires_ms else None,
        "revoked_at": moment(key.revoked_ms),
        "last_used_at": moment(key.last_used_ms),
        "warnings": list(warnings),
    }


def pointer(key: Key) -> dict[str, Any]:
    """Write what lists a tenant's keys."""
    return {
        "pk": f"tenant#{key.tenant_id}",
        "sk": f"key#{key.key_id}",
        "name": key.name,
        "role": key.role,
        "created_at": key.created_at,
    }


def _checksum(key_id: str, secret: str) -> str:
    return f"{crc32(f'{key_id}_{secret}'.encode()):08x}"


def revocation(key: Key, now_ms: int) -> Update:
    """Revoke a key, wherever it is remembered."""
    at = tuple(key_key(key.key_id).items())
    return Update(TABLE, at, (("revoked_ms", now_ms),), (Clause.equal("digest", key.digest),))
