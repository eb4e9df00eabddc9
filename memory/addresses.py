"""Network addresses that are never talked to (DESIGN.md, "Traps known beforehand")."""

from __future__ import annotations

import ipaddress

#: Not link-local by their numbers, but the same thing: clouds' metadata services.
_METADATA = frozenset(
    ipaddress.ip_address(address) for address in ("100.100.100.200", "fd00:ec2::254")
)


def is_refused(address: str) -> bool:
    """Tell whether an IP address is never connected to; a name isn't refused here.

    Private addresses are fine: a company's own servers are there.
    """
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo or (None, None))[1]
        if inner is not None and is_refused(str(inner)):
            return True
    return ip.is_link_local or ip in _METADATA


def is_loopback(address: str) -> bool:
    """Tell whether an IP address is this machine's own; False for a name."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
