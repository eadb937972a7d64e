"""Makes the admin key of a local stack once, and keeps it in the stack's folder.

Run as a program, it makes a key where its environment says, and prints it.
"""

from __future__ import annotations

import sys

from onthedot.local.caller import Caller
from onthedot.local.folder import write_secret
from onthedot.local.stack import Stack
from onthedot.registry.api_keys import FIRST_TENANT, make

_OK = 200


def kept(stack: Stack) -> str:
    """Returns the key of an earlier start, if it is still valid."""
    file = stack.folder.key_file
    key = file.read_text() if file.exists() else ""
    opens = key and Caller(stack.door.port, key).ask("GET", "/v1/schedules?limit=1")[0] == _OK
    return key if opens else ""


def made(stack: Stack) -> str:
    """Makes a key. A key whose maker was killed before it was kept does no harm."""
    return stack.run("onthedot.local.admin_key")


def keep(stack: Stack, key: str) -> None:
    """Keeps the key for later starts."""
    write_secret(stack.folder.key_file, key)


if __name__ == "__main__":
    sys.stdout.write(make(tenant_id=FIRST_TENANT, role="admin", name="make run")[1])
