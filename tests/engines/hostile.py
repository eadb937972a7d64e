"""Hostile messages: texts that are no messages of ours, and forged ones that name real runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.records.runs.test_message_pack import ENTRY, HOSTILE, STRANGE, written

# Of each form.
EACH = 15
# As fair queues of SQS would have it: the group is the sender's tenant.
SENDER = "mallory"
_BATCH = 10
_NOBODYS = {"run_id": "sch_X.20261118T120000Z", "attempt": 1, "tv": 1}

TEXTS: Mapping[str, str] = {
    **{name: text for name, text in HOSTILE.items() if isinstance(text, str)},
    **{f"entry: {name}": written(runs=[{**ENTRY, **entry}]) for name, entry in STRANGE.items()},
    "no row": written(),
    "no row, far due_ms": written(due_ms=7_258_118_399_999),
    "no row 25 times": written(
        runs=[ENTRY | {"run_id": f"sch_X.202611{day:02}T120000Z"} for day in range(1, 26)]
    ),
    "no fields": '{"v":1}',
}


@dataclass(frozen=True, slots=True)
class Victims:
    """Ids of real runs of another tenant."""

    # Due within seconds, and due so much later that no worker waits for it.
    soon: str
    later: str
    over: str
    # Outside workers fetch it.
    pulled: str

    def forged(self) -> dict[str, str]:
        """Returns messages in good form about them, each with something false in it."""
        soon, later, over, pulled = (
            {"run_id": run_id, "attempt": 1, "tv": 1}
            for run_id in (self.soon, self.later, self.over, self.pulled)
        )
        return {
            "the wrong attempt": written(runs=[soon | {"attempt": 10**8}]),
            "the next attempt": written(runs=[soon | {"attempt": 2}]),
            "the wrong version": written(runs=[soon | {"tv": 10**8}]),
            "no version": written(runs=[soon | {"tv": 0}]),
            "due long ago": written(runs=[soon], due_ms=0),
            "due never": written(runs=[soon], due_ms=7_258_118_399_999),
            "not due yet": written(runs=[later], due_ms=0),
            "over": written(runs=[over | {"attempt": 10**8}]),
            "fetched by others": written(runs=[pulled]),
            "all at once": written(runs=[soon, later, over, pulled, _NOBODYS]),
            **{
                f"why is {why}": written(runs=[soon], why=why)
                for why in ("wake", "poll", "retry", "busy", "split", "hop", "resend", "?")
            },
        }


def send(sqs: Any, url: str, bodies: Sequence[str], chance: Random) -> None:
    """Puts messages into a queue by its own API, in any order."""
    mixed = chance.sample(bodies, len(bodies))
    for first in range(0, len(mixed), _BATCH):
        answer = sqs.send_message_batch(
            QueueUrl=url,
            Entries=[
                {"Id": str(place), "MessageBody": body, "MessageGroupId": SENDER}
                for place, body in enumerate(mixed[first : first + _BATCH])
            ],
        )
        assert not answer.get("Failed"), answer["Failed"]


def kept(sqs: Any, url: str) -> int:
    """Returns how many messages a queue has, visible or not."""
    names = [f"ApproximateNumberOfMessages{kind}" for kind in ("", "NotVisible", "Delayed")]
    answer = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)
    return sum(int(answer["Attributes"][name]) for name in names)
