"""A real Weaviate server in a process of its own, on free loopback ports."""

from __future__ import annotations

import http.client
import os
import subprocess
import time
from pathlib import Path

from deploy.weaviate.build import binary
from deploy.weaviate.ports import free_pair, free_ports

START_S = 60.0
OK = 200


class WeaviateServer:
    """Starts, kills and restarts one server; its data and ports stay the same."""

    def __init__(self, folder: Path, **settings: str) -> None:
        """Take ports; nothing is started."""
        self.folder = folder
        self.settings = settings
        self.process: subprocess.Popen[bytes] | None = None
        self.http, self.grpc, profiling = free_ports(3)
        # The server looks for each of these beside the other.
        self.others = (*free_pair(), *free_pair(), profiling)

    @property
    def url(self) -> str:
        """Return the origin of HTTP."""
        return f"http://127.0.0.1:{self.http}"

    @property
    def grpc_url(self) -> str:
        """Return the origin of gRPC."""
        return f"http://127.0.0.1:{self.grpc}"

    def start(self) -> None:
        """Start and wait until it's ready."""
        self.launch()
        self.wait()

    def launch(self) -> None:
        """Start without waiting."""
        self.folder.mkdir(parents=True, exist_ok=True)
        place = ["--host", "127.0.0.1", "--port", str(self.http), "--scheme", "http"]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603
                [binary(), *place],
                env={**os.environ, **self._environment(), **self.settings},
                stdout=log,
                stderr=log,
            )

    def wait(self) -> None:
        """Wait until it's ready."""
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if self.process is None or self.process.poll() is not None:
                break
            if self._is_ready():
                return
            time.sleep(0.2)
        tail = (self.folder / "log").read_text(errors="replace")[-2000:]
        self.kill()
        raise RuntimeError(f"Weaviate did not start: {tail}")

    def _is_ready(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.http, timeout=1)
        try:
            connection.request("GET", "/v1/.well-known/ready")
            return connection.getresponse().status == OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self) -> None:
        """End it as an administrator would."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
            self.process = None

    def resident_mb(self) -> float:
        """Return its resident memory in megabytes."""
        pid = self.process.pid if self.process else "self"
        status = Path(f"/proc/{pid}/status").read_text()
        [line] = [each for each in status.splitlines() if each.startswith("VmRSS")]
        return int(line.split()[1]) / 1000

    def _environment(self) -> dict[str, str]:
        gossip, data, raft, internal, profiling = map(str, self.others)
        return {
            "PERSISTENCE_DATA_PATH": str(self.folder / "data"),
            "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "true",
            "DEFAULT_VECTORIZER_MODULE": "none",
            "CLUSTER_HOSTNAME": "node1",
            "CLUSTER_ADVERTISE_ADDR": "127.0.0.1",
            "CLUSTER_BIND_ADDR": "127.0.0.1",
            "CLUSTER_IN_LOCALHOST": "true",
            "CLUSTER_GOSSIP_BIND_PORT": gossip,
            "CLUSTER_DATA_BIND_PORT": data,
            "RAFT_BOOTSTRAP_EXPECT": "1",
            "RAFT_PORT": raft,
            "RAFT_INTERNAL_RPC_PORT": internal,
            "GO_PROFILING_PORT": profiling,
            "GRPC_PORT": str(self.grpc),
            "DISABLE_TELEMETRY": "true",
            "LOG_LEVEL": "warning",
        }
