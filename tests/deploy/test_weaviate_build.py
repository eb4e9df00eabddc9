"""deploy/weaviate/build.py: the server is built once, outside the checkout."""

import os
import subprocess
import sys
from pathlib import Path

from deploy.weaviate.build import binary

SCRIPT = Path(__file__).resolve().parents[2] / "deploy" / "weaviate" / "build.py"


def build(cache, path):
    return subprocess.run(
        [sys.executable, str(SCRIPT)],
        env={**os.environ, "ATTEST_VENVS": str(cache), "PATH": str(path)},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_without_go_it_says_what_will_be_skipped_and_goes_on(tmp_path):
    done = build(tmp_path / "cache", tmp_path / "empty")
    assert done.returncode == 0
    assert "Go is not installed" in done.stderr
    assert not (tmp_path / "cache").exists()


def fake_go(folder, body):
    folder.mkdir()
    go = folder / "go"
    go.write_text(f"#!/bin/sh\n{body}\n")
    go.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def test_it_builds_once_and_is_silent_then(tmp_path, monkeypatch):
    path = fake_go(
        tmp_path / "bin", 'mkdir -p "$GOBIN"; echo x > "$GOBIN/weaviate-server"'
    )
    assert "Building" in build(tmp_path / "cache", path).stderr
    monkeypatch.setenv("ATTEST_VENVS", str(tmp_path / "cache"))
    assert binary().read_text() == "x\n"
    again = build(tmp_path / "cache", path)
    assert (again.returncode, again.stderr) == (0, "")


def test_a_failed_build_leaves_no_half_server(tmp_path, monkeypatch):
    path = fake_go(
        tmp_path / "bin", 'mkdir -p "$GOBIN"; echo x > "$GOBIN/weaviate-server"; exit 1'
    )
    done = build(tmp_path / "cache", path)
    assert done.returncode == 0
    assert "could not be built" in done.stderr
    monkeypatch.setenv("ATTEST_VENVS", str(tmp_path / "cache"))
    assert not binary().exists()
