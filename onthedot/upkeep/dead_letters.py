"""Replays or purges many dead letters: they are found in their index, some each minute."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from typing import Any

from onthedot.launch.replay import Wish, replay
from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import LETTERS, moment_key, run_id
from onthedot.records.runs import attention, run_row, side_item
from onthedot.records.tasks.bulk_operation import Loop
from onthedot.records.tasks.kept_versions import Use
from onthedot.store import clock, conditional_writer, stored_runs, table_pages, table_reads
from onthedot.upkeep import dead_letter
from onthedot.upkeep.dead_letter import Chosen, Letter

_PAGE = 500
# Letters that a minute's step reads at most, whether they are chosen or not.
_LOOK_MAX = 5_000
_TOKEN_LETTERS = 10


def find(
    tenant_id: str, chosen: Chosen, after: Mapping[str, Any] | None = None, *, page: int = _PAGE
) -> Iterator[Letter]:
    """Walks the chosen letters, the newest first. Future times have none."""
    if chosen.to_ms < chosen.from_ms:
        return
    listed = attention.partition(tenant_id, dead_letter.KIND)
    while True:
        found = table_pages.attention(listed, chosen.between, limit=page, start=after)
        yield from (one for one in map(dead_letter.parse, found.items) if chosen.holds(one))
        after = found.last
        if after is None:
            return


def place(tenant_id: str, letter: Letter) -> dict[str, str]:
    """Returns the key in the index after which the walk continues."""
    listed = attention.partition(tenant_id, dead_letter.KIND)
    return {"attention": listed, "attention_at": letter.died, **letter.row}


def replay_step(loop: Loop) -> Loop:
    """Replays a minute's worth of letters. A letter that is purged, or without a task, is left."""

    def again(letter: Letter) -> bool:
        wish = Wish(
            by=loop.by,
            # An operation that a former release began has no such field.
            use=Use(**loop.wanted.get("use", {})),
            patch=loop.wanted.get("payload_patch"),
            key=_key(loop, letter),
        )
        return replay(run_id(letter.task_id, letter.key), wish) is not None

    return _step(loop, again)


def purge_step(loop: Loop) -> Loop:
    """Purges a minute's worth of letters."""
    return _step(loop, _purge)


def _step(loop: Loop, act: Callable[[Letter], bool]) -> Loop:
    """Acts on as many as the minute allows, and continues after them."""
    now_ms = clock.now_ms()
    chosen = Chosen(**loop.wanted["chosen"])
    after = json.loads(loop.cursor) if loop.cursor else None
    allowed = min(loop.allowance(now_ms), _LOOK_MAX)
    found = list(islice(find(loop.tenant_id, chosen, after), allowed + 1))
    taken = found[:allowed]
    done = sum(act(letter) for letter in taken)
    counted = loop.counted(now_ms, done=done, left=len(taken) - done)
    if len(found) <= allowed:
        return replace(loop, status="done", ended_ms=now_ms, **counted)
    if not taken:
        return loop
    cursor = json.dumps(place(loop.tenant_id, taken[-1]))
    return replace(loop, cursor=cursor, **counted)


def _purge(letter: Letter) -> bool:
    """Purges the input first: once the row says that it is purged, nothing is left."""
    run = stored_runs.readable(letter.row)
    if run is None or run.life.status != dead_letter.KIND:
        return False
    if run.payload_ref and run.target_ref:
        conditional_writer.write_one(side_item.without_payload(run))
    elif run.payload_ref:
        table_reads.delete(run_row.TABLE, {**letter.row, "scheduled_for": run.payload_ref})
    return (
        conditional_writer.write_one(dead_letter.purged(run, now_ms=clock.now_ms())) is Outcome.DONE
    )


def _key(loop: Loop, letter: Letter) -> str:
    """Returns the replay's key. An operation always uses the same key for the same letter."""
    told = sha256(f"{loop.loop_id} {letter.key}".encode()).digest()
    token = "".join(LETTERS[byte & 31] for byte in told[:_TOKEN_LETTERS])
    return moment_key(loop.began_ms, "r", token)
