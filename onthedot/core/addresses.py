"""Which addresses a target may be at: public ones, and the networks that the operator allows."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
# Pure wrappings of an IPv4 address, which alone decides: mapped, its old form, and NAT64's.
_WRAPPED = tuple(IPv6Network(text) for text in ("::ffff:0:0/96", "::/96", "64:ff9b::/96"))


def networks(text: str) -> tuple[Network, ...]:
    """Read what the operator allows, separated by commas: 10.1.0.0/16,127.0.0.1/32."""
    return tuple(ip_network(one.strip()) for one in text.split(",") if one.strip())


def allowed(text: str, extra: Sequence[Network]) -> bool:
    """Tell whether one may connect there; an IPv4 address that hides in an IPv6 one must do too."""
    address = ip_address(text)
    if any(address in network for network in extra):
        return True
    if isinstance(address, IPv6Address):
        if any(address in wrapping for wrapping in _WRAPPED):
            return allowed(str(IPv4Address(int(address) & 0xFFFF_FFFF)), extra)
        hidden = [address.sixtofour, *(address.teredo or ())]
        if not all(allowed(str(each), extra) for each in hidden if each):
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved
