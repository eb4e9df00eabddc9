"""Free ports on loopback."""

from __future__ import annotations

import socket
from contextlib import ExitStack


def free_ports(count: int) -> list[int]:
    """Return ports that nobody listens on, all different."""
    with ExitStack() as stack:
        return [_bound(stack, 0) for _ in range(count)]


def free_pair() -> tuple[int, int]:
    """Return two neighbouring ports that nobody listens on."""
    while True:
        with ExitStack() as stack:
            first = _bound(stack, 0)
            try:
                return first, _bound(stack, first + 1)
            except (OSError, OverflowError):
                continue


def _bound(stack: ExitStack, port: int) -> int:
    each = stack.enter_context(socket.socket())
    each.bind(("127.0.0.1", port))
    port = each.getsockname()[1]
    return int(port)
