"""A task that cannot be planned leaves the index, says so, and holds up no other."""

from __future__ import annotations

from onthedot.records.conditional_writes import Clause, Update
from onthedot.records.keys import CURSOR, SPEC
from onthedot.records.tasks.task_cursor import TABLE
from onthedot.store import conditional_writer, table_reads


def quarantine(item: table_reads.Item) -> None:
    """Both or neither: a task that left the index without saying why would be a silent loss."""
    said = Update(
        TABLE,
        (("task_id", item["task_id"]), ("part", SPEC)),
        (("status", "invalid"),),
        (Clause.equal("status", "active"),),
    )
    # Whatever is wrong with the entry, the index cannot have shown it without its key.
    seen = "version" if "version" in item else "next_run_at"
    left = Update(
        TABLE,
        (("task_id", item["task_id"]), ("part", CURSOR)),
        (),
        # An edit that heals the task bumps it: what is well again must not be marked.
        (Clause.equal(seen, item[seen]),),
        removes=("due_shard",),
    )
    conditional_writer.write_together([said, left])
