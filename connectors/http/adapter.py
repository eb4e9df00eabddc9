"""Connections that look at who answered before they say anything.

A name is looked up by the connection itself, so checking it earlier proves nothing: the
second look-up may lead elsewhere. The address that was connected to is what counts.
"""

from __future__ import annotations

import socket
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.poolmanager import PoolManager

from memory.addresses import is_refused


class RefusedAddress(Exception):  # noqa: N818 - it says what happened
    """A name led to an address that is never talked to."""


class _CheckedConnection(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        return _checked(super()._new_conn())


class _CheckedSecureConnection(HTTPSConnection):
    def _new_conn(self) -> socket.socket:
        return _checked(super()._new_conn())


class _CheckedPool(HTTPConnectionPool):
    ConnectionCls = _CheckedConnection


class _CheckedSecurePool(HTTPSConnectionPool):
    ConnectionCls = _CheckedSecureConnection


def _checked(connected: socket.socket) -> socket.socket:
    """Return the connection, or close it and raise RefusedAddress."""
    if is_refused(str(connected.getpeername()[0])):
        connected.close()
        raise RefusedAddress
    return connected


class CheckedAdapter(HTTPAdapter):
    """An adapter of requests whose connections refuse link-local addresses."""

    def init_poolmanager(
        self,
        connections: int,
        maxsize: int,
        block: bool = False,  # noqa: FBT001, FBT002 - as its base has it
        **kwargs: Any,
    ) -> None:
        """Make the pools of checked connections."""
        self.poolmanager = PoolManager(
            num_pools=connections, maxsize=maxsize, block=block, **kwargs
        )
        self.poolmanager.pool_classes_by_scheme = {
            "http": _CheckedPool,
            "https": _CheckedSecurePool,
        }
