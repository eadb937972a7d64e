"""The trace of what a handler raised: its own frames, and none of the worker's that called it."""

from __future__ import annotations

from traceback import FrameSummary, StackSummary, TracebackException

# The folder of the package, with all that is ours in it.
_OURS = __file__.removesuffix("targets/python/trace.py")


def shown(failure: BaseException) -> str:
    """Write it; nothing, where all of it is ours."""
    told = TracebackException.from_exception(failure)
    parts, seen = [told], set[int]()
    frames: list[FrameSummary] = []
    while parts:
        part = parts.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        theirs = [frame for frame in part.stack if not frame.filename.startswith(_OURS)]
        part.stack = StackSummary.from_list(theirs)
        frames += theirs
        linked = (part.__cause__, part.__context__, *(part.exceptions or ()))
        parts += [each for each in linked if each is not None]
    return "".join(told.format()) if frames else ""
