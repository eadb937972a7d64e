"""Work for a machine of your own: files are compressed where they lie. Start a worker there.

onthedot worker --queue logs --module compress_logs
"""

from __future__ import annotations

import gzip
from pathlib import Path

from onthedot import Context, Fail, OnTheDot, Skip

BLOCK = 1_000_000

app = OnTheDot("logs")


@app.job()
def compress_log(ctx: Context, file: str) -> dict[str, int]:
    """Compresses one file, and deletes it only when the new file is complete."""
    source = Path(file)
    packed = source.with_name(f"{source.name}.gz")
    if not source.exists():
        if packed.exists():
            raise Skip("it is compressed already")
        raise Fail(f"there is no {file}: trying again would not help")
    size = source.stat().st_size
    # A name of its own: an attempt that was given up may still be writing.
    part = source.with_name(f"{source.name}.{ctx.attempt}.part")
    with source.open("rb") as raw, gzip.open(part, "wb") as written:
        while block := raw.read(BLOCK):
            written.write(block)
            ctx.heartbeat(progress={"bytes": raw.tell()})
    part.replace(packed)
    source.unlink()
    return {"before": size, "after": packed.stat().st_size}
