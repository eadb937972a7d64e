"""Laws of history: each attempt notes by which version it ran, and that version is still there.

Judged by what targets were given at the time, and by what the stores hold in the end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from onthedot.records.attributes import plain_item
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks import payloads
from onthedot.records.tasks.task_spec import ENDED
from tests.simulation.machine.journal import Journal
from tests.simulation.outside import contents
from tests.simulation.stage import Delivery, Stage
from tests.simulation.users.caller import Ask
from tests.simulation.users.replay_acts import USES

_FIRST = "spec#"
_LETTERS = "replay letters"
_EVER = 300 * 86_400


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is left of the versions of one task: from which one down each says what was sent."""

    versions: Sequence[tuple[int, Mapping[str, Any]]]

    def of(self, version: int) -> tuple[Any, Any]:
        """Returns what runs of a version were given: what the next one that is kept says."""
        item = next(item for up_to, item in self.versions if up_to >= version)
        return item["target"], payloads.read(item["payload"])


@dataclass(frozen=True, slots=True)
class _Known:
    """What is there in the end, and what targets were given."""

    stage: Stage
    kept: Mapping[str, _Kept]
    # What lies beside runs.
    own: Mapping[tuple[str, str], Mapping[str, Any]]
    rows: Mapping[str, Run]
    told: Mapping[tuple[str, int], Delivery]

    def sent(self, run: Run, version: int) -> tuple[Any, Any]:
        """Returns the target and the payload that an attempt by this version was given."""
        target, payload = self.kept[run.task_id].of(version)
        return self.own.get((run.task_id, run.key), {}).get("target", target), payload

    def carried(self, delivery: Delivery, payload: Any) -> bool:
        """Tells whether a target was given that payload."""
        if delivery.payload is None:
            return True
        return bool(delivery.payload == contents.given(self.stage, payload, delivery))


def obeyed(stage: Stage, journal: Journal, *, mixed: bool) -> Iterator[str]:
    """Checks all of them."""
    kept = _kept(stage)
    rows = {run.run_id: run for run in stage.rows().values() if run.task_id in kept}
    told = {(each.run_id, each.attempt): each for each in stage.deliveries}
    known = _Known(stage, kept, _own(stage), rows, told)
    yield from _noted(known, mixed=mixed)
    yield from _again(known)
    yield from _as_before(stage)
    yield from _kept_long(stage, journal)


def _noted(known: _Known, *, mixed: bool) -> Iterator[str]:
    """Checks that by its version each attempt finds what its target was given."""
    for run in known.rows.values():
        for attempt, version in _versions(run):
            delivery = known.told.get((run.run_id, attempt))
            if delivery is None or (mixed and not version):
                continue
            if not version:
                yield f"not noted: attempt {attempt} of {run.run_id} has no version"
                continue
            target, payload = known.sent(run, version)
            if delivery.target is not None and delivery.target != target:
                yield f"rewritten: {run.run_id} called {delivery.target}, not {target}"
            if not run.payload_ref and not known.carried(delivery, payload):
                given = str(delivery.payload)[:100]
                yield f"rewritten: attempt {attempt} of {run.run_id} was given {given}"


def _versions(run: Run) -> Iterator[tuple[int, int]]:
    """Yields the attempts that its row tells of, each with its version."""
    newest = [{"attempt": one.number, "version": one.version}] if (one := run.life.attempt) else []
    records = chain(run.life.attempts, run.stale, newest)
    # A stamp that came too late left the run the version of its own start.
    found = {one["attempt"]: one.get("version", 0) for one in records}
    yield from found.items()


def _again(known: _Known) -> Iterator[str]:
    """Checks that a replay is given what the run that it repeats was sent, unless its caller says
    otherwise.
    """
    asked = _asked(known.stage)
    for run in known.rows.values():
        old = known.rows.get(run.replay_of)
        if old is None or not old.life.attempt or not old.life.its_attempt.version:
            continue
        body = asked.get(run.run_id, asked[""])
        if body is None or body.keys() - {"use"}:
            continue
        for attempt in range(1, run.life.starts + 1):
            delivery = known.told.get((run.run_id, attempt))
            if delivery is not None:
                yield from _as_sent(known, old, delivery, body.get("use", {}))


def _as_sent(known: _Known, old: Run, delivery: Delivery, use: Mapping[str, str]) -> Iterator[str]:
    target, payload = known.sent(old, old.life.its_attempt.version)
    of_old = use.get("payload", "sent") == "sent" and not old.payload_ref
    if of_old and not known.carried(delivery, payload):
        yield f"not sent again: {delivery.run_id} was given {str(delivery.payload)[:100]}"
    aimed = delivery.target is None or delivery.target == target
    if use.get("target") == "sent" and not aimed:
        yield f"not sent again: {delivery.run_id} called {delivery.target}, not {target}"


def _asked(stage: Stage) -> dict[str, Mapping[str, Any] | None]:
    """Returns what callers said of each replay; of one that no answer names, if
    all said nothing.
    """
    asks = [act for act in stage.acts if isinstance(act, Ask)]
    single = [ask for ask in asks if ask.name == "replay"]
    found: dict[str, Mapping[str, Any] | None] = {
        ask.run_id: ask.body or {} for ask in single if ask.done
    }
    others = [
        ask for ask in asks if ask.name == _LETTERS or (ask.name == "replay" and not ask.done)
    ]
    mixed = any(_says(ask.body or {}) for ask in others)
    for act in stage.acts:
        if act.name in USES and not isinstance(act, Ask):
            found[act.run_id] = {"use": USES[act.name].as_json()}
            # A try that was not answered may have run it again, too, and nobody knows which.
            mixed = mixed or (act.name != "replay" and (not act.run_id or len(act.tries) > 1))
    found[""] = None if mixed else {}
    return found


def _says(body: Mapping[str, Any]) -> bool:
    return bool(body.keys() & {"use", "payload", "payload_patch"})


def _as_before(stage: Stage) -> Iterator[str]:
    """Checks that who runs a run again, and names no payload, runs it with what was asked for at
    first.
    """
    asks = [act for act in stage.acts if isinstance(act, Ask)]
    named = [ask for ask in asks if ask.name in ("trigger", "replay") and ask.body]
    wanted = {
        ask.run_id: ask.body["payload"] for ask in named if ask.done and "payload" in ask.body
    }
    letters = (ask.body or {} for ask in asks if ask.name == _LETTERS)
    if any(body.get("use", {}).get("payload") == "current" for body in letters):
        # Which of them an operation ran again is not told.
        return
    # What else runs one of those again is not told from a try that nobody answered.
    doubtful = {ask.route.split("/")[3] for ask in named if ask.name == "replay"}
    patches = [{}, *(ask.body.get("payload_patch", {}) for ask in asks if ask.name == _LETTERS)]
    rows = stage.rows()
    for delivery in stage.deliveries:
        first = _repeated(rows, delivery.run_id, wanted, doubtful)
        payloads = [{**wanted[first], **patch} for patch in patches] if first else []
        if payloads and delivery.payload not in payloads:
            yield f"mistaken: {delivery.run_id} was given {delivery.payload}, not {wanted[first]}"


def _repeated(
    rows: Mapping[str, Run], run_id: str, known: Container[str], but: Container[str]
) -> str:
    """Finds the run that was asked for, and that this one repeats; nothing if that is in doubt."""
    while run_id not in known:
        run = rows.get(run_id)
        if run is None or not run.replay_of or run.replay_of in but:
            return ""
        run_id = run.replay_of
    return run_id


def _kept_long(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that what an edit keeps stays for 300 days, and is what the spec was until then."""
    for (task_id, part), item in stage.world.store.table("tasks").rows.items.items():
        if not part.startswith(_FIRST):
            continue
        found, version = plain_item(item), int(part.removeprefix(_FIRST))
        if not version:
            # It was there before the history began.
            continue
        was = [one for one in journal.versions[task_id] if one.task.version == version]
        next_ms = [one.at_ms for one in journal.versions[task_id] if one.task.version > version]
        if not was or not next_ms or was[-1].task.status in ENDED:
            yield f"kept in vain: {task_id} {part}"
        elif payloads.read(found["payload"]) != was[-1].task.payload:
            yield f"rewritten: {task_id} {part} keeps {str(found['payload'])[:100]}"
        elif found["expires_at"] < next_ms[0] / 1000 - 60 + _EVER:
            yield f"not kept: {task_id} {part} ends before the runs that may refer to it"


def _kept(stage: Stage) -> dict[str, _Kept]:
    found: dict[str, list[tuple[int, Mapping[str, Any]]]] = defaultdict(list)
    for (task_id, part), item in stage.world.store.table("tasks").rows.items.items():
        if part == "spec" or part.startswith(_FIRST):
            if task_id in stage.illegible:
                continue
            plain = plain_item(item)
            up_to = plain["version"] if part == "spec" else int(part.removeprefix(_FIRST))
            found[task_id].append((up_to, plain))
    return {task_id: _Kept(sorted(each, key=lambda one: one[0])) for task_id, each in found.items()}


def _own(stage: Stage) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Returns what lies beside runs."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for (task_id, key), item in stage.world.store.table("runs").rows.items.items():
        if key.endswith("^payload"):
            found[task_id, key.removesuffix("^payload")] = plain_item(item)
    return found
