"""What the operator is told of the admin keys that open."""

from __future__ import annotations

import pytest

from onthedot.records.access.api_key import Key
from onthedot.registry import api_keys
from tests.simulation.calm import NOON

pytestmark = pytest.mark.usefixtures("stage")
LAST = (
    "After 2026-11-18T13:00:00Z no admin key of 'default' is valid: make one without expires_at."
    " If it is too late, run make deploy: it makes one."
)


def _key(role: str = "admin", *, tenant_id: str = "default", hours: int = 1) -> Key:
    made, _ = api_keys.make(
        tenant_id=tenant_id, role=role, name="", expires_ms=(NOON + hours * 3_600) * 1000
    )
    return made


def test_the_operator_is_told_that_the_last_admin_key_expires() -> None:
    key = _key()

    assert api_keys.warnings(key) == api_keys.warnings(key, [key]) == [LAST]


def test_keys_that_are_at_hand_are_not_read_again() -> None:
    key, later = _key(), _key(hours=2)

    assert api_keys.warnings(key) == []
    assert api_keys.warnings(key, [key]) == [LAST]
    assert api_keys.warnings(key, [key, later]) == []


def test_no_other_key_is_spoken_of() -> None:
    for key in (_key("write"), _key(tenant_id="acme")):
        assert api_keys.warnings(key) == api_keys.warnings(key, [key]) == []
