"""HTTP connections that look at who answers, and never outlast the deadline.

A name is looked up by the connection itself, so only the address that was connected to
tells where it led. A read's time limit is one between two bytes; here each also keeps
the ambient deadline, so a server that drips can't hold a call for ever.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from functools import cache
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore2
import httpx2

from memory import deadline
from memory.addresses import is_refused

#: Longer than any call: stands for "no limit" where a number is needed.
_LONG_S = 3_600.0
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class RefusedAddress(Exception):  # noqa: N818 - it says what happened
    """A name led to an address that is never talked to."""


def _left(timeout: float | None, late: type[Exception]) -> float:
    """Return the seconds that a step may take; raise `late` when there are none."""
    left = deadline.remaining(_LONG_S if timeout is None else timeout)
    if left <= 0:
        raise late("The time for this call is used up.")
    return left


class _BoundedStream(httpcore2.NetworkStream):
    """A stream whose steps keep the ambient deadline."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        left = _left(timeout, httpcore2.ConnectTimeout)
        return _BoundedStream(
            self._stream.start_tls(ssl_context, server_hostname, left)
        )

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class CheckedBackend(httpcore2.NetworkBackend):
    """Opens TCP connections, but none to an address that's refused."""

    def __init__(self) -> None:
        """Connect to nothing yet."""
        self._plain = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """Return the connection. Raises RefusedAddress."""
        stream = self._plain.connect_tcp(
            host,
            port,
            _left(timeout, httpcore2.ConnectTimeout),
            local_address,
            socket_options,
        )
        peer = stream.get_extra_info("server_addr")
        if is_refused(str(peer[0])):
            stream.close()
            raise RefusedAddress
        return _BoundedStream(stream)


class CheckedTransport(httpx2.HTTPTransport):
    """httpx's transport over checked connections, through the machine's proxy if any.

    Of a proxy, its own address is checked; where it goes to is its own affair.
    """

    def __init__(self, url: str, *, connections: int) -> None:
        """Prepare connections to `url`'s origin; at most `connections` at a time."""
        proxy = proxy_of(url)
        common: dict[str, Any] = {
            "ssl_context": _ssl_context(),
            "max_connections": connections,
            "max_keepalive_connections": connections,
            "keepalive_expiry": 30.0,
            "network_backend": CheckedBackend(),
        }
        if proxy is None:
            self._pool = httpcore2.ConnectionPool(**common)
            return
        told = httpx2.Proxy(proxy)
        self._pool = httpcore2.HTTPProxy(
            proxy_url=str(told.url),
            proxy_auth=told.raw_auth,
            proxy_headers=told.headers.raw,
            **common,
        )


@cache
def _ssl_context() -> ssl.SSLContext:
    """Return the trusted certificates: reading them takes a tenth of a second."""
    return httpx2.create_ssl_context()


def proxy_of(url: str) -> str | None:
    """Return the proxy that this machine's environment names for a URL."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in _LOOPBACK or proxy_bypass(host):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all") or None
