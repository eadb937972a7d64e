"""The stable hash that spreads tasks over a field or over a jitter: the same answer for ever."""

from __future__ import annotations

from hashlib import sha256


def spread(seed: str, salt: str, size: int) -> int:
    """Pick one of `size` places, evenly, from the seed (a task id) and what it is for."""
    digest = sha256(f"{seed}:{salt}".encode(errors="surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % size
