"""Spreads tasks over a field or over a jitter by a hash that never changes."""

from __future__ import annotations

from hashlib import sha256


def spread(seed: str, salt: str, size: int) -> int:
    """Picks one of `size` places, evenly, from the seed (a task's id) and its purpose."""
    digest = sha256(f"{seed}:{salt}".encode(errors="surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % size
