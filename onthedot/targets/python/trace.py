"""Writes the trace of a handler's exception: its own frames, without the worker's."""

from __future__ import annotations

from traceback import FrameSummary, StackSummary, TracebackException

# The folder of the package. Frames inside it are ours.
_OURS = __file__.removesuffix("targets/python/trace.py")


def shown(failure: BaseException) -> str:
    """Writes the trace. It is empty if all frames are ours."""
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
