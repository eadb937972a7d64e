"""Holds the numbers of the protocol in one place. Numbers that follow from others are computed."""

from __future__ import annotations

TICK_SEC = 60
LOOK_AHEAD_SEC = 150
DISPATCH_LIMIT_SEC = 25
SKEW_SEC = 2
# Seconds. A takeover compares two clocks: twice the skew, and one second more.
MARGIN_SEC = 2 * SKEW_SEC + 1
# Not longer: the next tick must be able to take over a dead dispatcher's claims in time.
CLAIM_SEC = DISPATCH_LIMIT_SEC + MARGIN_SEC
LEASE_SEC = 20
HEARTBEAT_SEC = 6
# Seconds. A message appears up to two seconds early, and two clocks may differ by some more.
HOLD_MAX_SEC = 5
# Seconds that a handler may take after its deadline to notice that it has passed.
ABANDON_SEC = 5
# Seconds. With less of its lease left, a worker does not call the target any more.
DELIVER_MIN_SEC = 2
RECEIVES_MAX = 10
BURIED_MAX = 3
# Seconds after the due time. A slot not taken up by then is late: its misfire policy decides.
LATE_SEC = 90
# How many late slots of a task run at once if its runs may overlap without a bound.
CATCH_UPS_MAX = 10
ROWS_MAX = 100
DUE_MAX = 5_000
SHARDS_AT_ONCE = 32
PAGE = 500
BUSY_MAX_SEC = 900
