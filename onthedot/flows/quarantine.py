"""A task that cannot be planned leaves the index, says so, and holds up no other."""

from __future__ import annotations

from onthedot.adapters import claims, tables
from onthedot.core.due import TABLE
from onthedot.core.keys import CURSOR, SPEC
from onthedot.core.writes import Clause, Update


def quarantine(item: tables.Item) -> None:
    """Status first: a task that has left the index without saying why would be a silent loss."""
    version = Clause.equal("version", item["version"])
    claims.write_one(
        Update(
            TABLE,
            (("task_id", item["task_id"]), ("part", SPEC)),
            (("status", "invalid"),),
            (Clause.equal("status", "active"),),
        )
    )
    claims.write_one(
        Update(
            TABLE,
            (("task_id", item["task_id"]), ("part", CURSOR)),
            (),
            (version,),
            removes=("due_shard",),
        )
    )
