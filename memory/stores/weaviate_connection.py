"""The way to a Weaviate server: connecting, time limits, and its errors as ours."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memory.deadline import remaining
from memory.errors import StoreError, StoreUnreachable

if TYPE_CHECKING:
    from weaviate import WeaviateClient

GRPC_PORT = 50051
#: Seconds for a search, a batch of writes, and the first call to a server.
_QUERY_S, _WRITE_S, _FIRST_S = 20, 90, 5
#: The channel mends itself; without this it waits up to two minutes between tries.
_CHANNEL = [
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.min_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 1000),
]
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class WeaviateAddress:
    """Where a server is: origins of HTTP and gRPC (default: port 50051 of that host)."""

    url: str
    grpc_url: str = ""
    api_key: str = field(default="", repr=False)

    def connect(self) -> WeaviateClient:
        """Return a connected client. It asks this server alone and no package index."""
        import weaviate
        from weaviate.classes.init import AdditionalConfig, Auth, Timeout
        from weaviate.config import GrpcConfig

        http = urlsplit(self.url)
        grpc = urlsplit(self.grpc_url or f"{http.scheme}://{http.hostname}:{GRPC_PORT}")
        return weaviate.connect_to_custom(
            http_host=http.hostname or "",
            http_port=http.port or _port(http.scheme),
            http_secure=http.scheme == "https",
            grpc_host=grpc.hostname or "",
            grpc_port=grpc.port or _port(grpc.scheme),
            grpc_secure=grpc.scheme == "https",
            auth_credentials=Auth.api_key(self.api_key) if self.api_key else None,
            skip_init_checks=True,
            additional_config=AdditionalConfig(
                timeout=Timeout(query=_QUERY_S, insert=_WRITE_S, init=_FIRST_S),
                grpc_config=GrpcConfig(channel_options=_CHANNEL),
            ),
        )


class Connection:
    """One client for all threads of a process, made at the first call."""

    def __init__(self, address: WeaviateAddress) -> None:
        """Connect to nothing yet."""
        self.address = address
        self._lock = threading.Lock()
        self._client: WeaviateClient | None = None

    def client(self) -> WeaviateClient:
        """Return the connected client. Raises what the library raises; see `errors`."""
        with self._lock:
            if self._client is None:
                try:
                    client = self.address.connect()
                except ValueError as error:
                    raise StoreError(
                        "ATTEST_WEAVIATE_URL and ATTEST_WEAVIATE_GRPC_URL don't go "
                        "together: HTTP and gRPC have ports of their own."
                    ) from error
                _fail_at_once(client)
                self._client = client
            return self._client

    def close(self) -> None:
        """Close the connection; the next call makes another."""
        with self._lock:
            if self._client is not None:
                self._client.close()
            self._client = None

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn the library's errors into StoreError, with the reason and the mend."""
        import grpc
        import httpx
        from weaviate.exceptions import (
            WeaviateBaseError,
            WeaviateProtobufIncompatibility,
        )

        try:
            yield
        except (WeaviateBaseError, WeaviateProtobufIncompatibility) as error:
            raise self._error(error) from error
        except (httpx.HTTPError, grpc.RpcError, OSError) as error:
            raise self._unreachable(error) from error

    def _error(self, error: Exception) -> StoreError:
        from weaviate import exceptions

        away = (
            exceptions.WeaviateConnectionError,
            exceptions.WeaviateGRPCUnavailableError,
            exceptions.WeaviateStartUpError,
            exceptions.WeaviateTimeoutError,
            exceptions.WeaviateClosedClientError,
        )
        reason = str(error)
        if isinstance(error, away) or _is_away(reason):
            return self._unreachable(error)
        return StoreError(f"Weaviate at {self.address.url} refused: {cut(reason)}")

    def _unreachable(self, error: Exception) -> StoreUnreachable:
        return StoreUnreachable(
            f"Weaviate at {self.address.url} can't be reached now "
            f"({type(error).__name__}). Start it, or correct ATTEST_WEAVIATE_URL and "
            "ATTEST_WEAVIATE_GRPC_URL."
        )


def cut(reason: str) -> str:
    """Return the first line of a server's reason, cut: a filter may be long."""
    return " ".join(reason.split())[:_LONGEST_REASON].rstrip(" .") + "."


def _port(scheme: str) -> int:
    return 443 if scheme == "https" else 80


def _is_away(reason: str) -> bool:
    """Tell from its words whether a refusal is of a server that isn't ready yet."""
    signs = (
        *("unavailable", "deadline exceeded", "leader not found", "503"),
        *("connection refused", "not ready", "shutting down", "shut down", "502"),
    )
    text = reason.lower()
    return any(sign in text for sign in signs)


def _fail_at_once(client: WeaviateClient) -> None:
    """Let calls fail at once when the server is away, and keep a question's deadline.

    The library would try again for half a minute on its own, for questions too; who
    waits and for how long is decided by the caller.
    """
    connection: Any = client._connection  # noqa: SLF001 - it has no setting for this
    connection._grpc_stub = _Stub(connection._grpc_stub)  # noqa: SLF001


class _Stub:
    """The server's calls, without retries."""

    def __init__(self, stub: Any) -> None:
        self._stub = stub

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._stub, name)

        def call(request: Any, *, metadata: Any, timeout: float) -> Any:
            import grpc

            try:
                return method(request, metadata=metadata, timeout=remaining(timeout))
            except grpc.RpcError as error:
                # Only this code is tried again by the library, and only as RpcError.
                if error.code() is grpc.StatusCode.UNAVAILABLE:
                    raise ConnectionError("The server is away.") from error
                raise

        return call
