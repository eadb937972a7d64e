"""Holds the messages of one invocation: the runs that each still owes, and how each one ends.

Messages that no release of ours wrote are logged, counted and deleted.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from onthedot.records.runs import message_pack
from onthedot.records.runs.message_pack import Pack, Ticket
from onthedot.records.timings import LEASE_SEC
from onthedot.store import aws, clock, invocation_metrics, queue
from onthedot.store.conditional_writer import Forgiven
from onthedot.work.decision_table import Hint
from onthedot.work.job import Job

_log = logging.getLogger(__name__)
# Characters. The text may be anybody's, so only enough is shown to find its origin.
_SHOWN_MAX = 200


@dataclass(slots=True, kw_only=True, eq=False)
class Received:
    """One message, and its runs that are not done."""

    pack: Pack
    message_id: str
    receipt: str
    receives: int
    # By the queue's clock. 0 if the poller does not say.
    received_ms: int = 0
    owes: set[str] = field(default_factory=set)
    deleted: bool = False
    # We received it ourselves: the poller knows nothing of it.
    later: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """A message that no release of ours wrote, and how we know."""

    message_id: str
    receipt: str
    body: str
    why: str


@dataclass(slots=True)
class Batch:
    """All messages of an invocation. A run that several of them name is worked once."""

    queue: str
    messages: list[Received]
    # Ids of messages that come back unworked: those of a newer release, and packs that SQS did not
    # take in parts.
    put_back: list[str] = field(default_factory=list)
    foreign: list[Foreign] = field(default_factory=list)
    # How many messages and entries named no run.
    put_aside: int = 0

    @property
    def url(self) -> str:
        """Returns the queue that they came from."""
        return aws.queue_url(self.queue)

    def shorten(self) -> None:
        """Lets messages come back when a lease would end, so that recovery waits no longer."""
        receipts = [(message.receipt, LEASE_SEC) for message in self.messages]
        queue.change_visibility(self.url, receipts)

    def keep(self, run_ids: Iterable[str]) -> None:
        """Keeps the messages of runs that are worked here for as long as a lease."""
        of_runs = [message for run_id in run_ids for message in self.naming(run_id)]
        receipts = [(message.receipt, LEASE_SEC) for message in of_runs]
        queue.change_visibility(self.url, list(dict.fromkeys(receipts)))

    def postpone(self, ticket: Ticket, tenant_id: str, seconds: int) -> None:
        """Lets a run's message come back later; a run of a pack first gets a message of its own."""
        for message in self.naming(ticket.run_id):
            if len(message.pack.tickets) == 1:
                queue.change_visibility(self.url, [(message.receipt, seconds)])
            else:
                single = self.single(message.pack, ticket, "busy").of_tenant(tenant_id)
                if not queue.send([(single, seconds)]):
                    message.owes.discard(ticket.run_id)

    def renew(self, ticket: Ticket, tenant_id: str, due_ms: int, seconds: int) -> None:
        """Sends a run's message once more, for later; the old one goes when SQS has taken it."""
        for message in self.naming(ticket.run_id)[:1]:
            fresh = self.single(message.pack, ticket, "hop", due_ms).of_tenant(tenant_id)
            if not queue.send([(fresh, seconds)]):
                self.done([ticket.run_id])

    def jobs(self, worker: str) -> list[Job]:
        """Returns one job a run: two writes of one item would reject a whole batch of writes."""
        jobs: dict[str, Job] = {}
        for message in self.messages:
            for ticket in message.pack.tickets:
                if ticket.run_id not in message.owes:
                    continue
                hint = Hint(
                    attempt=ticket.attempt,
                    receives=message.receives,
                    message_id=message.message_id,
                    why=message.pack.why,
                )
                known = jobs.get(ticket.run_id)
                if known is None or known.ticket.attempt < ticket.attempt:
                    jobs[ticket.run_id] = Job(
                        ticket=ticket, hint=hint, worker=worker, tenant_id=message.pack.tenant_id
                    )
        return list(jobs.values())

    def drop_foreign(self) -> None:
        """Drops what no release of ours wrote: it is logged first, and deleted last."""
        for each in self.foreign:
            _log.warning(
                "put aside message %s: %s; it begins %s",
                each.message_id,
                each.why,
                ascii(each.body[:_SHOWN_MAX]),
            )
        for message in self.messages:
            if message.pack.strange:
                _log.warning(
                    "put aside %d entries of message %s: they name no run",
                    message.pack.strange,
                    message.message_id,
                )
        self.put_aside += len(self.foreign) + sum(each.pack.strange for each in self.messages)
        if self.foreign:
            queue.delete(self.url, [each.receipt for each in self.foreign])

    def without_row(self, run_ids: Iterable[str]) -> None:
        """Logs the named runs that do not exist: purged, restored away, or never made."""
        for run_id in run_ids:
            _log.warning("put aside run %s: it has no row", run_id)
            self.put_aside += 1

    def count_put_aside(self) -> None:
        """Writes the metric if there is something to count. Other invocations write nothing."""
        if self.put_aside:
            counted = {"put_aside": self.put_aside}
            invocation_metrics.emit(invocation_metrics.MESSAGES, counted)

    def split(self) -> None:
        """Sends the runs of a returned pack one by one, so that a bad run takes no other along."""
        again = [m for m in self.messages if m.receives > 1 and len(m.pack.tickets) > 1]
        for message in again:
            now_ms = clock.now_ms()
            delay = message_pack.delay_sec(message.pack.due_ms, now_ms)
            singles = [
                self.single(message.pack, ticket, "split") for ticket in message.pack.tickets
            ]
            if not queue.send([(single, delay) for single in singles]):
                message.owes.clear()
        self.delete_done()
        # L2: a message with a run that is in no other message yet must come back as a whole.
        self.put_back += [m.message_id for m in again if m.owes and not m.later]
        self.messages = [m for m in self.messages if m not in again]

    def single(self, of: Pack, ticket: Ticket, why: str, due_ms: int | None = None) -> Pack:
        """Makes a message for one run."""
        return Pack(
            due_ms=of.due_ms if due_ms is None else due_ms,
            why=why,
            tickets=(ticket,),
            tenant_id=of.tenant_id,
            queue=self.queue,
        )

    def pass_on(self, tickets: Sequence[Ticket], delay_sec: int = 0) -> None:
        """Passes runs on in messages of their own, to any worker with room."""
        owed = [(ticket, self.naming(ticket.run_id)) for ticket in tickets]
        singles = {
            ticket.run_id: self.single(of[0].pack, ticket, "split") for ticket, of in owed if of
        }
        refused = queue.send([(single, delay_sec) for single in singles.values()])
        left = {ticket.run_id for single in refused for ticket in single.tickets}
        self.done(singles.keys() - left)
        self.delete_done()

    def send_on(self, tickets: Sequence[Ticket], delay_sec: int) -> None:
        """Passes runs on in the packs they came in. A later receive finds them."""
        wanted = {ticket.run_id for ticket in tickets}
        for message in self.messages:
            going = tuple(t for t in message.pack.tickets if t.run_id in message.owes & wanted)
            onward = replace(message.pack, tickets=going, queue=self.queue)
            if going and not queue.send([(onward, delay_sec)]):
                message.owes -= wanted
        self.delete_done()

    def forget(self, why: str, run_ids: Collection[str]) -> None:
        """Strikes runs off messages of one kind. Other messages name them, too."""
        for message in self.messages:
            if message.pack.why == why:
                message.owes -= set(run_ids)

    def naming(self, run_id: str) -> list[Received]:
        """Returns the messages that still owe a run."""
        return [message for message in self.messages if run_id in message.owes]

    def done(self, run_ids: Iterable[str]) -> None:
        """Strikes runs off every message that names them."""
        struck = set(run_ids)
        for message in self.messages:
            message.owes -= struck

    def delete_done(self) -> None:
        """Deletes each message when its own runs are done, before the batch is."""
        ended = [m for m in self.messages if not m.owes and not m.deleted]
        if not ended:
            return
        # What the queue does not delete now, it deletes when the invocation answers.
        with Forgiven():
            queue.delete(self.url, [message.receipt for message in ended])
            for message in ended:
                message.deleted = True

    def failures(self) -> dict[str, Any]:
        """Returns the messages that must come back, in the form of Lambda."""
        left = [message for message in self.messages if message.owes and not message.later]
        failed = [*self.put_back, *(message.message_id for message in left)]
        return {"batchItemFailures": [{"itemIdentifier": each} for each in failed]}


def received(event: Mapping[str, Any]) -> Batch:
    """Reads the event of the queue's poller."""
    records: Sequence[Mapping[str, Any]] = event["Records"]
    return _read(aws.queue_of_arn(records[0]["eventSourceARN"]), records)


def received_later(queue_name: str, records: Sequence[Mapping[str, Any]]) -> Batch:
    """Reads messages that we received ourselves. Those that are not deleted come back."""
    batch = _read(queue_name, records)
    batch.put_back = []
    for message in batch.messages:
        message.later = True
    return batch


def _read(queue_name: str, records: Sequence[Mapping[str, Any]]) -> Batch:
    batch = Batch(queue=queue_name, messages=[])
    for record in records:
        try:
            batch.messages.append(_message(record, message_pack.parse(record.get("body"))))
        except message_pack.Newer:
            batch.put_back.append(record["messageId"])
        except message_pack.Foreign as foreign:
            batch.foreign.append(
                Foreign(
                    message_id=record["messageId"],
                    receipt=record["receiptHandle"],
                    body=str(record.get("body", "")),
                    why=str(foreign),
                )
            )
    return batch


def _message(record: Mapping[str, Any], parsed: Pack) -> Received:
    attributes = record["attributes"]
    return Received(
        pack=parsed.of_tenant(attributes.get("MessageGroupId", "")),
        message_id=record["messageId"],
        receipt=record["receiptHandle"],
        receives=int(attributes["ApproximateReceiveCount"]),
        received_ms=int(attributes.get("ApproximateFirstReceiveTimestamp", 0)),
        owes={ticket.run_id for ticket in parsed.tickets},
    )
