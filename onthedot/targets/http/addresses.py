"""Decides at which addresses a target may be: public ones, and networks that are allowed."""

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

Network = IPv4Network | IPv6Network
# IPv6 forms of an IPv4 address: mapped, the old form, and NAT64. The IPv4 address decides.
_WRAPPED = tuple(IPv6Network(text) for text in ("::ffff:0:0/96", "::/96", "64:ff9b::/96"))

# Never public, whatever this version of Python says: protocol assignments, old site-local
# addresses, local NAT64, Teredo, 6to4, documentation, segments.
_NEVER: tuple[Network, ...] = tuple(
    ip_network(text)
    for text in (
        "192.0.0.0/24",
        "192.88.99.0/24",
        "fec0::/10",
        "64:ff9b:1::/48",
        "100::/32",
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "3fff::/20",
        "5f00::/16",
    )
)


def networks(text: str) -> tuple[Network, ...]:
    """Reads the networks that the operator allows: 10.1.0.0/16,127.0.0.1/32."""
    return tuple(ip_network(one.strip()) for one in text.split(",") if one.strip())


def allowed(text: str, extra: Sequence[Network]) -> bool:
    """Tells whether a connection is allowed. An IPv4 address inside an IPv6 one decides."""
    address = ip_address(text)
    if any(address in network for network in extra):
        return True
    if isinstance(address, IPv6Address) and any(address in wrapping for wrapping in _WRAPPED):
        return allowed(str(IPv4Address(int(address) & 0xFFFF_FFFF)), extra)
    if any(address in network for network in _NEVER):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved
