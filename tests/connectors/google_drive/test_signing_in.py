"""A service account's signed grant and a consent's refresh token, by google-auth itself."""

import json

import pytest

from connectors.errors import OptionError, PermanentError
from connectors.google_drive import transport
from connectors.google_drive.client import Account
from connectors.google_drive.connector import OPTIONS, connect
from connectors.google_drive.options import DIRECTORY_SCOPES, SCOPES
from connectors.google_drive.signing_in import Key
from connectors.http import Patience
from connectors.http.errors import NotSignedIn, OffOrigin
from connectors.options import complete
from tests.vendors.google.signing import (
    CLIENT_ID,
    CLIENT_SECRET,
    DRIVE,
    GROUPS,
    REFRESH,
    USERS,
    key_file,
)
from tests.vendors.google.state import Grant

pytestmark = pytest.mark.integration

ADA, ROOT = "ada@example.com", "root@example.com"


def account(drive, **more):
    options = drive.options()
    patience = Patience(sleep=lambda _: None, tries=2)
    return Account(options, Key(options), patience, subject=ADA, **more)


@pytest.fixture
def consent(drive):
    """Return the source, which reads by a consent of Ada's."""
    drive.server.tokens.consent = ADA
    drive.extra |= {
        "service_account_key": "",
        "subjects": [],
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "refresh_token": REFRESH,
        "directory_admin": "",
    }
    return drive


def test_the_scopes_are_those_that_the_options_name():
    assert SCOPES == (DRIVE,)
    assert DIRECTORY_SCOPES == (GROUPS, USERS)
    help_ = next(o.help for o in OPTIONS if o.name == "service_account_key")
    assert all(scope in help_ for scope in (*SCOPES, *DIRECTORY_SCOPES))
    assert "https://console.cloud.google.com/iam-admin/serviceaccounts" in help_


def test_a_grant_is_signed_for_the_person_and_for_reading_alone(drive):
    me = account(drive).me()
    assert (me.email, me.name) == (ADA, "Ada")
    assert me.id == drive.space.people[ADA].id
    [issued] = drive.server.tokens.tokens.values()
    assert (issued.email, issued.scopes) == (ADA, {DRIVE})


def test_a_key_s_own_idea_of_where_to_sign_in_is_not_believed(drive):
    assert "evil" in json.loads(key_file())["token_uri"]
    account(drive).me()
    assert drive.server.paths("/token") == ["/token"]


def test_one_token_serves_many_requests(drive, team):
    for number in range(5):
        drive.space.add(f"{number}.txt", drive=team, data="Text.")
    drive.sync()
    assert len(drive.server.paths("/token")) == 1


def test_another_key_is_refused(drive):
    drive.extra["service_account_key"] = key_file("key-2")
    with pytest.raises(NotSignedIn, match="Make a new key"):
        account(drive).me()


def test_a_forged_signature_is_refused(drive):
    key = json.loads(key_file())
    key["private_key"] = json.loads(key_file("key-2"))["private_key"]
    drive.extra["service_account_key"] = json.dumps(key)
    with pytest.raises(NotSignedIn):
        account(drive).me()


def test_scopes_that_are_not_delegated_are_named_with_the_mend(drive):
    drive.server.tokens.delegated.clear()
    with pytest.raises(NotSignedIn, match="Delegate the scopes"):
        account(drive).me()


def test_a_clock_that_is_wrong_is_told(drive):
    drive.server.tokens.ahead_s = 4 * 3600
    with pytest.raises(NotSignedIn, match="Set this machine's clock"):
        account(drive).me()


def test_a_person_who_is_not_there_is_told_by_name(drive):
    drive.extra["subjects"] = ["nobody@example.com"]
    run = drive.sync()
    drive.source.refresh_from_db()
    assert (run.state, drive.source.state) == ("failed", "paused")
    assert "nobody@example.com" in run.message


def test_a_consent_reads_as_its_account(consent):
    item = consent.space.add("A.txt", owner=ADA, data="Text.")
    assert consent.sync().state == "succeeded"
    assert consent.ids() == {item.id}


def test_a_consent_of_an_administrator_reads_groups_too(consent):
    consent.server.tokens.consent = ROOT
    consent.server.tokens.consented |= {GROUPS, USERS}
    consent.extra["directory_admin"] = ROOT
    consent.space.add_group("team", ADA)
    item = consent.space.add("A.txt", owner=ROOT, data="Text.")
    consent.space.share(item, Grant("group", "team@example.com"))
    consent.sync()
    members = {m.name: m.members for m in consent.connector().memberships()}
    assert members["Team"] == (ADA,)


@pytest.mark.parametrize("name", ["refresh_token", "client_secret"])
def test_a_consent_that_was_withdrawn_pauses_the_source(consent, name):
    consent.extra[name] = "another"
    run = consent.sync()
    consent.source.refresh_from_db()
    assert (run.state, consent.source.state) == ("failed", "paused")
    assert "refresh token" in run.message
    assert "another" not in run.message


def test_a_consent_without_the_scope_is_told_which_it_lacks(consent):
    consent.server.tokens.consented = {GROUPS}
    run = consent.sync()
    assert run.state == "failed"
    assert "lacks a scope" in run.message


def test_requests_stay_at_google_and_keys_go_to_its_apis_alone():
    confined = transport.confined("")
    for url in (
        "https://www.googleapis.com/drive/v3/files",
        "https://docs.googleapis.com/v1/documents/x",
        "https://sheets.googleapis.com/v4/spreadsheets/x",
        "https://slides.googleapis.com/v1/presentations/x",
        "https://admin.googleapis.com/admin/directory/v1/users",
    ):
        confined.check(url)
        assert confined.gets_key(url)
    media = "https://doc-0c.googleusercontent.com/x"
    confined.check(media)
    assert not confined.gets_key(media)
    for url in (
        "https://evil.example.com/x",
        "http://www.googleapis.com/x",
        "file:///etc",
    ):
        assert not confined.gets_key(url)
        with pytest.raises(OffOrigin):
            confined.check(url)


def test_with_a_gateway_nothing_goes_to_google():
    confined = transport.confined("https://gateway.example.com/google")
    assert confined.gets_key("https://gateway.example.com/google/drive/v3/files")
    with pytest.raises(OffOrigin):
        confined.check("https://www.googleapis.com/drive/v3/files")


def test_secrets_are_in_no_representation(drive):
    shown = repr(drive.options())
    for secret in ("PRIVATE KEY", CLIENT_SECRET, REFRESH):
        assert secret not in shown


WRONG = {
    "both": (
        {"client_id": "x", "client_secret": "y", "refresh_token": "z"},
        "not both",
    ),
    "neither": ({"service_account_key": ""}, "together"),
    "half": ({"service_account_key": "", "client_id": "x"}, "together"),
    "no JSON": ({"service_account_key": "{"}, "the whole JSON file"),
    "another JSON": (
        {"service_account_key": '{"client_email": "x"}'},
        "the whole JSON",
    ),
    "no key": (
        {
            "service_account_key": json.dumps(
                json.loads(key_file()) | {"private_key": "x"}
            )
        },
        "no private key that can be read",
    ),
    "subjects": ({"subjects": ["ada"]}, "no e-mail address"),
    "folders": ({"folders": ["https://example.com/x y"]}, "no address of a folder"),
    "domains": ({"company_domains": ["example"]}, "no domain such as"),
    "links": ({"anyone_with_link": "all"}, "nobody, workspace or anyone"),
    "size": ({"max_file_mb": -1}, "above 0"),
    "nothing": ({"my_drives": False, "read_shared_drives": False}, "both off"),
    "link-local": ({"base_url": "http://169.254.169.254/"}, "link-local"),
    "user in address": ({"base_url": "https://a:b@example.com"}, "password"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_options_are_named(drive, name):
    values, message = WRONG[name]
    drive.extra |= values
    with pytest.raises(OptionError, match=message) as caught:
        connect(drive.source, complete(drive.values(), OPTIONS))
    assert "PRIVATE KEY" not in str(caught.value)


def test_addresses_as_a_browser_shows_them_are_taken(drive):
    drive.extra["folders"] = [
        "https://drive.google.com/drive/u/0/folders/1AbC_d-eF?usp=sharing",
        "https://drive.google.com/open?id=2AbC_d-eF",
        "3AbC_d-eF",
    ]
    drive.extra["company_domains"] = ["@Example.com"]
    drive.extra["subjects"] = [" Ada@Example.com ", ADA]
    options = drive.options()
    assert options.folders == {"1AbC_d-eF", "2AbC_d-eF", "3AbC_d-eF"}
    assert options.company_domains == {"example.com"}
    assert options.subjects == (ADA,)


def test_an_account_that_cannot_be_read_as_is_permanent_only_if_it_is_the_only_one(
    drive,
):
    drive.extra["subjects"] = ["gone@example.com"]
    with pytest.raises(PermanentError, match="gone@example.com"):
        list(drive.connector().listing())
