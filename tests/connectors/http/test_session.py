"""The shared session, against servers on loopback."""

import logging
import re
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from requests.auth import HTTPBasicAuth

from connectors.errors import ConnectorError, OptionError
from connectors.http import Confinement, Patience, SourceSession
from connectors.http.errors import (
    BadRequest,
    BrokenOff,
    Forbidden,
    HttpError,
    NotFound,
    NotJson,
    NotSignedIn,
    OffOrigin,
    RateLimited,
    TooDeep,
    TooLarge,
    Unavailable,
)
from memory.addresses import is_refused
from tests.vendors.loopback import Reply, ScriptedServer

pytestmark = pytest.mark.integration

SECRET = "s3cret-t0ken"
NOW = datetime(2026, 8, 1, 9, 0, tzinfo=UTC)


@pytest.fixture
def server():
    with ScriptedServer() as running:
        running.replies["/data"] = Reply({"results": [1, 2]})
        yield running


@pytest.fixture
def elsewhere():
    with ScriptedServer() as running:
        running.replies["/file"] = Reply(b"bytes")
        yield running


class Waits:
    """Collects pauses instead of making them."""

    def __init__(self):
        self.seconds = []
        self.told = []

    def patience(self, **more):
        return Patience(
            sleep=self.seconds.append,
            on_wait=self.told.append,
            clock=lambda: NOW,
            **more,
        )


@pytest.fixture
def waits():
    return Waits()


@pytest.fixture
def session(server, waits):
    with make_session(server.url, waits) as made:
        yield made


def make_session(url, waits, *, also=(), hosts=()):
    return SourceSession(
        Confinement.of(url, also=also, vendor_hosts=hosts),
        service="Wiki",
        key=HTTPBasicAuth("ada@example.com", SECRET),
        patience=waits.patience(),
    )


def test_it_returns_data_and_keeps_its_connection(server, session):
    for _ in range(3):
        value = session.fetch_json(f"{server.url}/data", {"limit": 2})
        assert value == {"results": [1, 2]}
    assert server.asked[0].query == {"limit": "2"}
    assert server.asked[0].headers["authorization"].startswith("Basic ")
    assert server.connections == 1


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, BadRequest),
        (401, NotSignedIn),
        (403, Forbidden),
        (404, NotFound),
        (410, BadRequest),
    ],
)
def test_a_refusal_is_an_error_of_its_kind_that_names_the_mend(
    server, session, status, kind
):
    server.refuse(status)
    with pytest.raises(kind) as refused:
        session.fetch_json(f"{server.url}/data", {"cql": "title = Secret"})
    told = str(refused.value)
    assert f"({status})" in told
    assert "Wiki (GET /data)" in told
    assert isinstance(refused.value, ConnectorError)
    for hidden in (SECRET, "Secret", "secret of the body"):
        assert hidden not in told
    assert len(server.asked) == 1


def test_a_captcha_asks_for_a_sign_in(server, session):
    headers = {"X-Authentication-Denied-Reason": "CAPTCHA_CHALLENGE; login-url=/login"}
    server.replies["/data"] = Reply({}, 403, headers)
    with pytest.raises(NotSignedIn, match="CAPTCHA"):
        session.fetch_json(f"{server.url}/data")


def test_it_waits_as_long_as_the_source_asks_and_says_until_when(
    server, session, waits
):
    server.limit(retry_after=30)
    assert session.fetch_json(f"{server.url}/data") == {"results": [1, 2]}
    [seconds] = waits.seconds
    assert 30 <= seconds <= 31
    [told] = waits.told
    assert NOW + timedelta(seconds=30) <= told.until <= NOW + timedelta(seconds=31)
    assert "Waiting until 09:00:30 UTC" in told.message
    assert SECRET not in told.message


def test_it_reads_a_retry_after_that_is_a_date(server, session, waits):
    until = NOW + timedelta(seconds=20)
    server.limit(retry_after=format_datetime(until, usegmt=True))
    session.fetch_json(f"{server.url}/data")
    assert 20 <= waits.seconds[0] <= 21


@pytest.mark.parametrize("value", ["soon", "nan", "inf", "-5", "", None])
def test_a_retry_after_that_makes_no_sense_doesnt_stop_it(
    server, session, waits, value
):
    server.limit(retry_after=value)
    session.fetch_json(f"{server.url}/data")
    assert 0 <= waits.seconds[0] <= 2


def test_a_long_pause_ends_the_run_instead_of_hanging(server, session, waits):
    server.limit(retry_after=3600)
    with pytest.raises(RateLimited, match=r"rate-limited until 2026-08-01 10:00") as it:
        session.fetch_json(f"{server.url}/data")
    assert it.value.until >= NOW + timedelta(hours=1)
    assert waits.seconds == []


def test_pauses_have_a_total(server, session, waits):
    server.limit(retry_after=80, times=9)
    with pytest.raises(RateLimited):
        session.fetch_json(f"{server.url}/data")
    assert sum(waits.seconds) <= 300


@pytest.mark.parametrize("kind", ["reset", "half", "half_json"])
def test_a_broken_answer_is_asked_for_again(server, session, waits, kind):
    server.fail(kind, times=2)
    assert session.fetch_json(f"{server.url}/data") == {"results": [1, 2]}
    assert len(waits.seconds) == 2
    assert waits.seconds[0] < waits.seconds[1]


@pytest.mark.parametrize("kind", ["reset", "half", "half_json"])
def test_an_answer_that_stays_broken_ends_in_an_error(server, session, kind):
    server.fail(kind, times=99)
    with pytest.raises(Unavailable, match="The next run tries again"):
        session.fetch_json(f"{server.url}/data")
    assert len(server.asked) == 5


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_server_error_is_asked_again_and_then_told(server, session, waits, status):
    server.refuse(status, times=2)
    assert session.fetch_json(f"{server.url}/data") == {"results": [1, 2]}
    server.refuse(status, times=9)
    with pytest.raises(Unavailable, match=f"it answered {status}") as told:
        session.fetch_json(f"{server.url}/data")
    assert told.value.status == status


def test_nobody_there_is_unavailable(session, server, waits):
    gone = ScriptedServer()
    url = gone.url
    gone._server.server_close()
    with make_session(url, waits) as other, pytest.raises(Unavailable):
        other.fetch_json(f"{url}/data")


def test_a_sign_in_page_is_no_data(server, session):
    headers = {"Content-Type": "text/html"}
    server.replies["/data"] = Reply(b"<html>Sign in</html>", 200, headers)
    with pytest.raises(NotJson, match="Check the base URL"):
        session.fetch_json(f"{server.url}/data")


def test_a_download_is_bounded_by_what_it_says_and_by_what_comes(server, session):
    server.replies["/file"] = Reply(b"x" * 5000)
    assert session.download(f"{server.url}/file", max_bytes=5000) == b"x" * 5000
    with pytest.raises(TooLarge, match="4,999 bytes"):
        session.download(f"{server.url}/file", max_bytes=4999)


def test_a_download_is_bounded_by_what_it_unpacks_to(server, session):
    import gzip

    packed = gzip.compress(b"\0" * 10_000_000)
    server.replies["/file"] = Reply(packed, 200, {"Content-Encoding": "gzip"})
    with pytest.raises(TooLarge):
        session.download(f"{server.url}/file", max_bytes=1_000_000)


def test_a_redirect_at_home_keeps_the_key(server, session):
    server.replies["/old"] = Reply(b"", 302, {"Location": "/data"})
    assert session.fetch_json(f"{server.url}/old") == {"results": [1, 2]}
    assert "authorization" in server.asked[-1].headers


def test_a_redirect_elsewhere_isnt_followed(server, session, elsewhere):
    server.replies["/old"] = Reply(b"", 302, {"Location": f"{elsewhere.url}/file"})
    with pytest.raises(OffOrigin, match="change its base URL"):
        session.fetch_json(f"{server.url}/old")
    assert elsewhere.asked == []


def test_a_listed_host_gets_the_request_without_the_key(server, elsewhere, waits):
    server.replies["/old"] = Reply(
        b"",
        302,
        {"Location": f"{elsewhere.url}/file", "Set-Cookie": "JSESSIONID=1; Path=/"},
    )
    with make_session(server.url, waits, also=(elsewhere.url,)) as session:
        assert session.download(f"{server.url}/old", max_bytes=10) == b"bytes"
    [asked] = elsewhere.asked
    assert "authorization" not in asked.headers
    assert "cookie" not in asked.headers


def test_a_ring_of_redirects_ends(server, session):
    server.replies["/old"] = Reply(b"", 302, {"Location": "/old"})
    with pytest.raises(OffOrigin, match="redirects"):
        session.fetch_json(f"{server.url}/old")


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data",
        "https://wiki.example.com:8443/x",
        "http://wiki.example.com/x",
        "https://wiki.example.com.evil.example/x",
        "https://wiki.example.com@evil.example/x",
        "https://evil.example\\@wiki.example.com/x",
        "https://media.example.net:444/x",
        "http://media.example.net/x",
        "https://notmedia.example.net/x",
        "file:///etc/passwd",
        "//wiki.example.com/x",
        "https://wiki.example.com:99999/",
    ],
)
def test_other_places_than_the_sources_are_refused(url):
    confined = Confinement.of(
        "https://wiki.example.com/wiki", vendor_hosts=("media.example.net",)
    )
    with pytest.raises(OffOrigin):
        confined.check(url)
    assert not confined.gets_key(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://wiki.example.com/wiki/rest",
        "https://WIKI.example.com:443/",
        "https://media.example.net/f",
        "https://eu.files.example.net/f",
    ],
)
def test_the_sources_own_places_are_allowed(url):
    hosts = ("media.example.net", "*.files.example.net")
    Confinement.of("https://wiki.example.com/", vendor_hosts=hosts).check(url)


@pytest.mark.parametrize(
    "url",
    [
        "wiki.example.com",
        "ftp://wiki.example.com",
        "https://ada:pw@wiki.example.com",
        "https://wiki.example.com/?x=1",
        "http://169.254.169.254/",
        "http://[fe80::1]/",
    ],
)
def test_a_base_url_that_cant_be_is_refused_without_repeating_it(url):
    with pytest.raises(OptionError) as refused:
        Confinement.of(url)
    assert "pw" not in str(refused.value)


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "169.254.0.1",
        "fe80::1%eth0",
        "::ffff:169.254.169.254",
        "2002:a9fe:a9fe::1",
        "100.100.100.200",
        "fd00:ec2::254",
    ],
)
def test_link_local_and_metadata_addresses_are_refused(address):
    assert is_refused(address)


@pytest.mark.parametrize("address", ["10.0.0.1", "127.0.0.1", "::1", "93.184.216.34"])
def test_private_and_public_addresses_are_not(address):
    assert not is_refused(address)


def test_a_name_that_leads_to_a_refused_address_is_never_asked(
    server, session, monkeypatch
):
    # No such address can be bound on loopback, so 127.0.0.1 plays the part.
    monkeypatch.setattr("connectors.http.adapter.is_refused", lambda _: True)
    with pytest.raises(OffOrigin, match="link-local"):
        session.fetch_json(f"{server.url}/data")
    assert server.asked == []


def test_no_other_key_of_this_machine_is_sent(server, waits, tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password mine\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    confined = Confinement.of(server.url)
    with SourceSession(confined, service="Wiki", patience=waits.patience()) as session:
        session.fetch_json(f"{server.url}/data")
    assert "authorization" not in server.asked[0].headers


def test_no_key_comes_into_logs(server, session, caplog):
    caplog.set_level(logging.DEBUG)
    server.limit()
    session.fetch_json(f"{server.url}/data")
    server.refuse(403)
    with pytest.raises(HttpError):
        session.fetch_json(f"{server.url}/data")
    assert SECRET not in caplog.text
    assert not re.search("Basic [A-Za-z0-9]", caplog.text)


def test_a_vendors_library_works_through_it(server, session):
    from atlassian.rest_client import AtlassianRestAPI

    library = AtlassianRestAPI(server.url, session=session, retry_with_header=False)
    server.fail("half")
    assert library.get("data") == {"results": [1, 2]}
    server.refuse(404)
    with pytest.raises(NotFound):
        library.get("data")


def test_a_trickle_is_given_up(server, session, monkeypatch):
    monkeypatch.setattr("connectors.http.session.BODY_TIMEOUT_S", -1)
    with pytest.raises(BrokenOff, match="took longer"):
        session.fetch_json(f"{server.url}/data")
    # Another try would take as long.
    assert len(server.asked) == 1


@pytest.mark.parametrize("kind", ["half", "half_json", "too_long"])
def test_an_answer_that_never_ends_is_told_from_a_source_that_is_away(
    server, session, kind
):
    server.fail(kind, times=9)
    with pytest.raises(BrokenOff):
        session.fetch_json(f"{server.url}/data")
    server.faults.clear()
    server.fail("reset", times=9)
    with pytest.raises(Unavailable) as away:
        session.fetch_json(f"{server.url}/data")
    assert not isinstance(away.value, BrokenOff)


def test_a_length_that_lies_spoils_no_other_answer(server, session):
    server.replies["/file"] = Reply(b"file " * 10)
    server.fail("too_short", "/file")
    assert session.download(f"{server.url}/file", max_bytes=999) == b"file " * 5
    # What was left over isn't taken for the next answer.
    assert session.fetch_json(f"{server.url}/data") == {"results": [1, 2]}
    server.fail("too_long", "/file")
    assert session.download(f"{server.url}/file", max_bytes=999) == b"file " * 10


def test_data_that_nests_too_deep_is_told(server, session):
    deep = b"[" * 10_000 + b"]" * 10_000
    server.replies["/deep"] = Reply(deep, headers={"Content-Type": "application/json"})
    with pytest.raises(TooDeep, match="nests deeper"):
        session.fetch_json(f"{server.url}/deep")
    assert len(server.asked) == 1
    server.replies["/deep"] = Reply(deep, headers={"Content-Type": "text/plain"})
    with pytest.raises(TooDeep):
        session.fetch_json(f"{server.url}/deep")


def test_bytes_that_are_no_utf_8_spoil_no_list(server, session):
    body = b'{"results": ["good", "b\xff\xfed"]}'
    server.replies["/bad"] = Reply(body, headers={"Content-Type": "application/json"})
    found = session.fetch_json(f"{server.url}/bad")
    assert found == {"results": ["good", "b\ufffd\ufffdd"]}


def test_a_redirects_body_is_bounded_too(server, session):
    server.replies["/on"] = Reply(b"x" * 5000, 302, {"Location": "/data"})
    with pytest.raises(TooLarge):
        session.download(f"{server.url}/on", max_bytes=1000)
    assert server.paths() == ["/on"]


@pytest.mark.parametrize("location", ["http://[", "http://a\xff/", "http://*.x/"])
def test_a_redirect_to_no_address_is_refused(server, session, location):
    server.replies["/on"] = Reply(b"", 302, {"Location": location})
    with pytest.raises(OffOrigin):
        session.fetch_json(f"{server.url}/on")
