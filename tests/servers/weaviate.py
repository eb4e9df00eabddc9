"""A real Weaviate server in a process of its own, on free loopback ports."""

import os
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from deploy.weaviate.build import binary
from tests.servers.ports import free_pair, free_ports

START_S = 60.0


class WeaviateServer:
    """Starts, kills and restarts one server; its data and ports stay the same."""

    def __init__(self, folder: Path, **settings: str):
        self.folder = folder
        self.settings = settings
        self.process: subprocess.Popen | None = None
        self.http, self.grpc, profiling = free_ports(3)
        # The server looks for each of these beside the other.
        self.others = (*free_pair(), *free_pair(), profiling)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.http}"

    @property
    def grpc_url(self):
        return f"http://127.0.0.1:{self.grpc}"

    def start(self):
        """Start and wait until it's ready."""
        self.launch()
        self.wait()

    def launch(self):
        """Start without waiting."""
        self.folder.mkdir(parents=True, exist_ok=True)
        place = ["--host", "127.0.0.1", "--port", str(self.http), "--scheme", "http"]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [binary(), *place],
                env={**os.environ, **self._environment(), **self.settings},
                stdout=log,
                stderr=log,
            )

    def wait(self):
        """Wait until it's ready."""
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            try:
                ready = f"{self.url}/v1/.well-known/ready"
                with urllib.request.urlopen(ready, timeout=1):
                    return
            except (OSError, urllib.error.URLError):
                time.sleep(0.2)
        tail = (self.folder / "log").read_text(errors="replace")[-2000:]
        self.kill()
        raise RuntimeError(f"Weaviate did not start: {tail}")

    def kill(self):
        """End it as a power cut would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self):
        """End it as an administrator would."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
            self.process = None

    def resident_mb(self):
        """Return its resident memory in megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        [line] = [each for each in status.splitlines() if each.startswith("VmRSS")]
        return int(line.split()[1]) / 1000

    def _environment(self):
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
