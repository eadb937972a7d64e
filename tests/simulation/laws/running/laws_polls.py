"""Laws of long polls: a waiting worker is given what comes, in its time; few may wait at once."""

from __future__ import annotations

from collections.abc import Iterator

from tests.simulation.laws.running.laws_words import disturbed, waiting
from tests.simulation.machine.journal import Journal
from tests.simulation.outside.outside import Poll
from tests.simulation.stage import Stage

# The API looks once a second; a look takes some calls of the store.
_LOOK_MS, _CALLS_MS = 1_000, 1_500
# And where things go wrong, so much more than was asked for.
_SLOW_MS = 4_000


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks all of them."""
    waits = [poll for poll in stage.outside.polls if poll.wait_sec]
    if not waits:
        return
    yield from _as_long_as_asked(stage, waits)
    yield from _bounded(stage, waits)
    if not disturbed(stage):
        yield from _given(stage, journal, waits)
        yield from _turned_away(stage, waits)


def _as_long_as_asked(stage: Stage, waits: list[Poll]) -> Iterator[str]:
    """Checks that who is given nothing has waited; where nothing goes wrong, hardly longer than
    asked.
    """
    calm = not disturbed(stage)
    for poll in waits:
        took_ms, asked_ms = _took_ms(poll), poll.wait_sec * 1000
        if not poll.given and not poll.turned_away and took_ms < asked_ms - 1.2 * _LOOK_MS:
            yield f"hardly waited: {poll.who} for {took_ms / 1000:.1f} of {poll.wait_sec} s"
        if calm and took_ms > asked_ms + _CALLS_MS:
            yield f"waited too long: {poll.who} for {took_ms / 1000:.1f} of {poll.wait_sec} s"


def _took_ms(poll: Poll) -> float:
    return poll.answered_ms - poll.asked_ms


def _over_ms(poll: Poll) -> float:
    return _took_ms(poll) - poll.wait_sec * 1000


def _given(stage: Stage, journal: Journal, waits: list[Poll]) -> Iterator[str]:
    """Checks that a waiting worker is given a run at its next look."""
    free = {task.task_id for task in stage.tasks if task.overlap == "allow"}
    spans = [one for one in waiting(journal, 0) if one[0].partition(".")[0] in free]
    for poll in waits:
        if poll.turned_away:
            continue
        for run_id, since_ms, until_ms in spans:
            together_ms = min(poll.answered_ms, until_ms) - max(poll.asked_ms, since_ms)
            if together_ms > _LOOK_MS + _CALLS_MS:
                seconds = together_ms / 1000
                yield f"not seen: {poll.who} waited beside {run_id} for {seconds:.1f} s"


def _bounded(stage: Stage, waits: list[Poll]) -> Iterator[str]:
    """Checks that no more wait at the same time than may."""
    most, edge_ms = stage.outside.polls_max, _CALLS_MS
    held = [poll for poll in waits if not poll.turned_away]
    if disturbed(stage):
        # A look may take as long as a wait; one that stood still has lost its place.
        edge_ms = _SLOW_MS
        held = [poll for poll in held if not poll.given and _over_ms(poll) < _SLOW_MS]
    # Before its first pause a poll has no place.
    spans = [(poll.asked_ms + edge_ms, poll.answered_ms - edge_ms) for poll in held]
    for since_ms, until_ms in spans:
        beside = sum(since <= since_ms < until for since, until in spans)
        if since_ms < until_ms and beside > most:
            yield f"too many wait: {beside} polls at once, {most} may"


def _turned_away(stage: Stage, waits: list[Poll]) -> Iterator[str]:
    """Checks that nobody is sent away while there is a place."""
    for poll in waits:
        if not poll.turned_away:
            continue
        others = sum(
            other is not poll
            and not other.turned_away
            and other.asked_ms < poll.answered_ms
            and other.answered_ms + _CALLS_MS > poll.asked_ms
            for other in stage.outside.polls
            if other.wait_sec
        )
        if others < stage.outside.polls_max:
            yield f"sent away: {poll.who}, and {others} wait"
