"""The numbers of the protocol, in one place; those that follow from others are derived."""

from __future__ import annotations

TICK_SEC = 60
LOOK_AHEAD_SEC = 150
DISPATCH_LIMIT_SEC = 25
SKEW_SEC = 2
# A takeover compares two clocks: twice the skew, and one second more.
MARGIN_SEC = 2 * SKEW_SEC + 1
# Not later: the next tick must be able to take a dead dispatcher's claims over ahead of time.
CLAIM_SEC = DISPATCH_LIMIT_SEC + MARGIN_SEC
LEASE_SEC = 20
HEARTBEAT_SEC = 6
# A message turns up to two seconds early, and two clocks may differ by four more.
HOLD_MAX_SEC = 5
# What a handler may take beyond its deadline to see that it is over.
ABANDON_SEC = 5
# With less of its lease left than this, a worker does not call the target any more.
DELIVER_MIN_SEC = 2
RECEIVES_MAX = 10
BURIED_MAX = 3
# A slot that is not taken up this long after its due time is late: its misfire policy decides.
LATE_SEC = 90
# How many late slots of a task go at once where its runs may overlap without a bound.
CATCH_UPS_MAX = 10
ROWS_MAX = 100
DUE_MAX = 5_000
SHARDS_AT_ONCE = 32
PAGE = 500
BUSY_MAX_SEC = 900
