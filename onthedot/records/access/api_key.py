"""Describes API keys: their text, what is stored of them, and what each role may do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from typing import Any
from zlib import crc32

from onthedot.records.conditional_writes import Clause, Update
from onthedot.schedule.time.instants import moment, nominal

TABLE = "access"
TASKS_MAX = 100_000
SECRET_KEY = {"pk": "secret", "sk": "plan"}
# The roles that each role includes: an admin all, a worker only its leases.
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
    """Who calls. The tenant comes from the credential, never from the request."""

    key_id: str
    tenant_id: str
    role: str
    # The queues that a worker may fetch from. Empty means every queue of its tenant.
    queues: tuple[str, ...] = ()

    def may(self, role: str) -> bool:
        """Tells whether the key's role includes another."""
        return role in GRANTS[self.role]


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key as it is stored, without the secret."""

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
        """Tells whether the secret fits and the key is valid. The time it takes reveals nothing."""
        return compare_digest(self.digest, digest(secret)) and self.opens(now_ms)

    def opens(self, now_ms: int) -> bool:
        """Tells whether the key is neither revoked nor expired."""
        return not self.revoked_ms and (not self.expires_ms or now_ms < self.expires_ms)

    def item(self) -> dict[str, Any]:
        kept = {name: getattr(self, name) for name in Key.__slots__} | {"queues": [*self.queues]}
        return key_key(self.key_id) | {name: value for name, value in kept.items() if value}


def parse(item: Mapping[str, Any]) -> Key:
    known = {name: item[name] for name in Key.__slots__ if name in item}
    return Key(**known | {"queues": tuple(item.get("queues", ()))})


def written(key_id: str, secret: str) -> str:
    """Writes a key as its owner keeps it. The checksum finds a typing error without the store."""
    return f"otd_{key_id.removeprefix('key_')}_{secret}{_checksum(key_id, secret)}"


def read(text: str) -> tuple[str, str] | None:
    """Splits a key into its id and its secret. A text that is no key gives None."""
    parts = _KEY.fullmatch(text)
    if parts is None:
        return None
    key_id, secret, checksum = f"key_{parts[1]}", parts[2], parts[3]
    return (key_id, secret) if checksum == _checksum(key_id, secret) else None


def digest(secret: str) -> bytes:
    """Returns what is stored of a secret. Secrets are random, so no slow hash is needed."""
    return sha256(secret.encode()).digest()


def key_key(key_id: str) -> dict[str, str]:
    """Returns the key of an API key's item."""
    return {"pk": f"key#{key_id}", "sk": "-"}


def tenant_key(tenant_id: str) -> dict[str, str]:
    """Returns the key of a tenant's item."""
    return {"pk": f"tenant#{tenant_id}", "sk": "-"}


def view(key: Key, warnings: Sequence[str] = ()) -> dict[str, Any]:
    """Shows a key without the secret."""
    return {
        "key_id": key.key_id,
        "name": key.name,
        "role": key.role,
        # Null means every queue.
        "queues": [*key.queues] or None,
        "created_at": key.created_at,
        "expires_at": nominal(key.expires_ms // 1000) if key.expires_ms else None,
        "revoked_at": moment(key.revoked_ms),
        "last_used_at": moment(key.last_used_ms),
        "warnings": list(warnings),
    }


def pointer(key: Key) -> dict[str, Any]:
    """Writes the item that lists a key among its tenant's keys."""
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
    """Revokes a key."""
    at = tuple(key_key(key.key_id).items())
    return Update(TABLE, at, (("revoked_ms", now_ms),), (Clause.equal("digest", key.digest),))
