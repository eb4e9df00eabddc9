"""console.serving and `serve`: ports, background work, a clean stop."""

import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command

from console.serving import PortTaken, Repeating, listen, origin_of


@pytest.fixture
def taken():
    """Return a port that another socket listens on, and whose next one is free."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


@pytest.mark.integration
def test_a_taken_port_is_refused_with_the_mend(taken):
    with pytest.raises(PortTaken, match=rf"Port {taken} .*--port {taken + 1}"):
        listen("127.0.0.1", taken)
    with pytest.raises(CommandError, match=f"Port {taken}"):
        call_command("serve", port=taken)


@pytest.mark.integration
def test_the_next_free_port_is_taken_if_asked_for(taken):
    with listen("127.0.0.1", taken, tries=20) as listener:
        assert taken < listener.getsockname()[1] < taken + 20


@pytest.mark.integration
def test_an_address_of_another_machine_is_refused():
    with pytest.raises(CommandError, match=r"192\.0\.2\.1 is no address"):
        call_command("serve", host="192.0.2.1", port=0)


@pytest.mark.integration
def test_an_origin_names_an_address_that_a_browser_can_open():
    with listen("0.0.0.0", 0) as listener:  # noqa: S104
        port = listener.getsockname()[1]
        assert origin_of(listener) == f"http://127.0.0.1:{port}"


def test_background_work_goes_on_after_an_error_and_stops_when_told():
    calls, third = [], threading.Event()

    def work(_should_stop):
        calls.append(len(calls))
        if len(calls) == 1:
            raise RuntimeError("the first one fails")
        if len(calls) == 3:
            third.set()

    thread = Repeating("test", work, every_s=0.001)
    thread.start()
    assert third.wait(60)
    assert thread.stop(60)
    assert not thread.is_alive()


def test_background_work_that_goes_on_is_told(settings):
    release = threading.Event()
    thread = Repeating("test", lambda _should_stop: release.wait(), every_s=60)
    thread.start()
    assert not thread.stop(0.05)
    release.set()
    thread.join(60)


def test_work_that_asks_stops_early():
    begun = threading.Event()

    def work(should_stop):
        begun.set()
        while not should_stop():
            time.sleep(0.001)

    thread = Repeating("test", work, every_s=60)
    thread.start()
    assert begun.wait(60)
    assert thread.stop(60)


@pytest.mark.integration
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_answers_on_an_empty_home_and_stops_cleanly(child_environment, number):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--port", str(port)],
        cwd=django_settings.BASE_DIR,
        env=child_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stdout.readline()
        assert f"http://127.0.0.1:{port}/" in line
        answer = urllib.request.urlopen(
            f"http://127.0.0.1:{port}/sign-in/", timeout=120
        )  # noqa: S310
        assert answer.status == 200
        assert "server" not in {name.lower() for name in answer.headers}
        style = f"http://127.0.0.1:{port}/static/admin/css/base.css"
        assert urllib.request.urlopen(style, timeout=120).status == 200  # noqa: S310
        time.sleep(0.2)
        process.send_signal(number)
        out, err = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 0, err
    assert out.startswith("Stopped")
