"""The admin key of a local stack: made once, kept in its folder, good at every later start.

Run as a program, it makes a key where its environment says, and prints it.
"""

from __future__ import annotations

import sys

from onthedot.flows.keys import FIRST_TENANT, make
from onthedot.local.caller import Caller
from onthedot.local.folder import write_secret
from onthedot.local.stack import Stack

_OK = 200


def admin_key(stack: Stack) -> str:
    """Give the kept key if it still opens the door, else another."""
    file = stack.folder.key_file
    if file.exists():
        key = file.read_text().strip()
        if Caller(stack.door.port, key).ask("GET", "/v1/schedules?limit=1")[0] == _OK:
            return key
    made = stack.run("onthedot.local.admin_key")
    write_secret(file, made)
    return made.strip()


if __name__ == "__main__":
    sys.stdout.write(make(tenant_id=FIRST_TENANT, role="admin", name="make run")[1])
