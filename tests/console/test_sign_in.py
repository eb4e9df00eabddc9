"""Accounts, one-time links and the pages to sign in."""

import time
from datetime import timedelta
from io import StringIO
from threading import Thread

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from connectors.models import Person
from console import accounts
from console.accounts import is_valid, make_link, use_link
from console.models import SignInLink

pytestmark = pytest.mark.django_db


@pytest.fixture
def account():
    return get_user_model().objects.create_superuser("boss", "boss@example.com")


def link_of(*arguments, **options):
    out = StringIO()
    call_command("sign_in_link", *arguments, stdout=out, **options)
    return out.getvalue().strip()


def test_the_first_link_makes_an_administrator_who_is_an_employee():
    link = link_of("chief@example.com", base_url="http://127.0.0.1:9/")
    assert link.startswith("http://127.0.0.1:9/sign-in/")
    account = get_user_model().objects.get()
    assert account.is_superuser
    assert not account.has_usable_password()
    person = Person.objects.get(account=account)
    assert person.is_employee
    assert person.email == "chief@example.com"


def test_a_second_link_is_for_the_same_account(account):
    assert link_of() != link_of()
    assert get_user_model().objects.count() == 1
    assert set(SignInLink.objects.values_list("account", flat=True)) == {account.pk}


def test_it_refuses_an_address_that_no_administrator_has(account):
    with pytest.raises(CommandError, match=r"No active administrator.*other@example"):
        link_of("other@example.com")
    assert link_of("BOSS@example.com")


def test_only_the_hash_of_a_token_is_kept(account):
    token = make_link(account)
    assert token not in str(SignInLink.objects.values().get())


def test_a_link_is_spent_by_its_first_use(account):
    token = make_link(account)
    assert is_valid(token)
    assert use_link(token) == account
    assert not is_valid(token)
    assert use_link(token) is None


def test_a_link_ends_after_thirty_minutes_and_with_its_account(account):
    token = make_link(account)
    SignInLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert use_link(token) is None
    token = make_link(account)
    account.is_active = False
    account.save()
    assert use_link(token) is None


def test_looking_at_a_link_does_not_spend_it(client, account):
    path = reverse("sign-in-link", args=[make_link(account)])
    for method in (client.get, client.head, client.get):
        response = method(path)
        assert response.status_code == 200
        assert "no-store" in response["Cache-Control"]
    assert "sessionid" not in client.cookies


def test_pressing_the_button_signs_in_once(client, account):
    path = reverse("sign-in-link", args=[make_link(account)])
    response = client.post(path)
    assert (response.status_code, response["Location"]) == (302, "/")
    assert client.session["_auth_user_id"] == str(account.pk)
    assert client.cookies["sessionid"]["httponly"]
    client.logout()
    response = client.post(path)
    assert response.status_code == 404
    assert "_auth_user_id" not in client.session


def test_an_unknown_link_is_not_found(client):
    response = client.get(reverse("sign-in-link", args=["guess"]))
    assert response.status_code == 404
    assert b"can't be used" in response.content or b"can&#x27;t" in response.content


def test_a_password_signs_in_and_leads_on(client, account):
    account.set_password("correct horse battery")
    account.save()
    response = client.post(
        "/sign-in/?next=/console/",
        {
            "username": "boss",
            "password": "correct horse battery",
            "next": "/console/",
        },
    )
    assert response["Location"] == "/console/"


def test_it_never_leads_on_to_another_site(client, account):
    account.set_password("correct horse battery")
    account.save()
    response = client.post(
        "/sign-in/",
        {
            "username": "boss",
            "password": "correct horse battery",
            "next": "https://evil.example/",
        },
    )
    assert response["Location"] == "/"


def test_five_wrong_passwords_pause_the_account(client, account):
    account.set_password("correct horse battery")
    account.save()
    for _ in range(5):
        response = client.post("/sign-in/", {"username": "boss", "password": "wrong"})
    assert response.status_code == 429
    assert b"fifteen minutes" in response.content
    response = client.post(
        "/sign-in/", {"username": "boss", "password": "correct horse battery"}
    )
    assert response.status_code == 429


def test_the_console_asks_on_the_same_page(client):
    response = client.get("/console/", follow=True)
    assert response.redirect_chain[-1][0] == "/sign-in/?next=%2Fconsole%2F"


def test_signing_out_needs_a_post(client, account):
    client.force_login(account)
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/").status_code == 302
    assert "_auth_user_id" not in client.session


def test_pages_are_strict_and_the_console_gets_what_its_theme_needs(client, account):
    client.force_login(account)
    strict = client.get("/sign-in/guess/")
    policy = strict["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert strict["X-Frame-Options"] == "DENY"
    assert strict["Referrer-Policy"] == "same-origin"
    assert strict["X-Content-Type-Options"] == "nosniff"
    console = client.get("/console/")["Content-Security-Policy"]
    assert "script-src 'self' 'unsafe-eval'" in console
    assert "script-src 'self' 'unsafe-inline'" not in console


@pytest.mark.django_db(transaction=True)
def test_one_first_administrator_is_made_where_two_are_asked_for_at_once(monkeypatch):
    made = accounts._made

    def slowly(email):
        time.sleep(0.3)
        return made(email)

    def ask(email):
        try:
            accounts.administrator(email)
        except accounts.NoSuchAccount:
            refused.append(email)
        finally:
            connection.close()

    refused = []
    monkeypatch.setattr(accounts, "_made", slowly)
    asking = [Thread(target=ask, args=[f"{name}@example.com"]) for name in "ab"]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    [first] = get_user_model().objects.all()
    assert {first.email, *refused} == {"a@example.com", "b@example.com"}


@pytest.mark.parametrize(
    "address", ["nobody", "\x1b[2J@example.com", "a@example.com\n"]
)
def test_the_first_administrator_needs_an_address(db, address):
    with pytest.raises(CommandError, match="no e-mail address") as refused:
        call_command("sign_in_link", address)
    assert str(refused.value).isprintable()
    assert not get_user_model().objects.exists()
