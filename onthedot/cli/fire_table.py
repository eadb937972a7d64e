"""Writes fires in aligned columns: the job's zone, the viewer's zone, UTC, and notes."""

from __future__ import annotations

from onthedot.schedule.words.schedule_preview import Fire


def table(fires: list[Fire], job_zone: str, viewer_zone: str) -> list[str]:
    """Returns the lines, without empty columns, and without a viewer's column that repeats one."""
    columns = [(job_zone, [fire.local for fire in fires])]
    if viewer_zone not in (job_zone, "UTC", "Etc/UTC"):
        columns.append((viewer_zone, [fire.viewer for fire in fires]))
    columns.append(("UTC", [fire.at for fire in fires]))
    due = [fire.due_at for fire in fires]
    if any(at[:19] != fire.at[:19] for at, fire in zip(due, fires, strict=True)):
        columns.append(("due", due))
    notes = [fire.note or "" for fire in fires]
    if any(notes):
        columns.append(("note", notes))
    widths = [max(map(len, [head, *cells])) for head, cells in columns]
    rows = [[head for head, _ in columns], *zip(*(cells for _, cells in columns), strict=True)]
    return [
        "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
