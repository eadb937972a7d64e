"""API keys: made, and shown once."""

from __future__ import annotations

from onthedot.adapters import access as stored
from onthedot.adapters import clock, ids
from onthedot.core import access
from onthedot.core.access import Key
from onthedot.core.run_view import moment
from onthedot.flows.identity import new_id

FIRST_TENANT = "default"


def make(*, tenant_id: str, role: str, name: str, expires_ms: int = 0) -> tuple[Key, str]:
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
    stored.put_key(made)
    return made, access.written(made.key_id, secret)


def make_first() -> str | None:
    """Make the first admin key of a new system; where there are keys, make none."""
    if stored.keys(FIRST_TENANT):
        return None
    _, text = make(tenant_id=FIRST_TENANT, role="admin", name="first")
    return text
