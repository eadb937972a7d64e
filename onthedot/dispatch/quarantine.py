"""Sets aside a task that cannot be planned: it leaves the index and blocks no other."""

from __future__ import annotations

from onthedot.records.conditional_writes import Clause, Update
from onthedot.records.keys import CURSOR, SPEC
from onthedot.records.tasks.task_cursor import TABLE
from onthedot.store import conditional_writer, table_reads


def quarantine(item: table_reads.Item) -> None:
    """Writes both items or none: leaving the index without a reason would be a silent loss."""
    said = Update(
        TABLE,
        (("task_id", item["task_id"]), ("part", SPEC)),
        (("status", "invalid"),),
        (Clause.equal("status", "active"),),
    )
    # Whatever is wrong with the entry, it has `next_run_at`: that is a key of the index.
    seen = "version" if "version" in item else "next_run_at"
    left = Update(
        TABLE,
        (("task_id", item["task_id"]), ("part", CURSOR)),
        (),
        # An edit that repairs the task raises the version. A repaired task must not be marked.
        (Clause.equal(seen, item[seen]),),
        removes=("due_shard",),
    )
    conditional_writer.write_together([said, left])
