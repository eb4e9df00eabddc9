"""Free ports on loopback."""

import socket
from contextlib import ExitStack


def free_ports(count):
    """Return ports that nobody listens on, all different."""
    with ExitStack() as stack:
        return [_bound(stack, 0) for _ in range(count)]


def free_pair():
    """Return two neighbouring ports that nobody listens on."""
    while True:
        with ExitStack() as stack:
            first = _bound(stack, 0)
            try:
                return first, _bound(stack, first + 1)
            except (OSError, OverflowError):
                continue


def _bound(stack, port):
    each = stack.enter_context(socket.socket())
    each.bind(("127.0.0.1", port))
    return each.getsockname()[1]
