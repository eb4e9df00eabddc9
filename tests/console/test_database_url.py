"""console.settings.database_url: a URL to Django's settings; how SQLite is opened."""

import pytest
from django.db import connection

from console.settings.database_url import database
from console.settings.environment import SettingError


def test_no_url_means_sqlite_in_the_home(tmp_path):
    assert database("", home=tmp_path)["NAME"] == str(tmp_path / "attest.sqlite3")


def test_a_sqlite_url_is_absolute_or_relative_to_the_home(tmp_path):
    assert database("sqlite:////srv/a.db", home=tmp_path)["NAME"] == "/srv/a.db"
    assert database("sqlite:///b%20c.db", home=tmp_path)["NAME"] == str(
        tmp_path / "b c.db"
    )


def test_a_postgres_url_is_taken_apart(tmp_path):
    parts = database("postgres://u%40x:p%2Fw@db.example:5433/attest", home=tmp_path)
    assert parts["ENGINE"] == "django.db.backends.postgresql"
    assert (parts["USER"], parts["PASSWORD"]) == ("u@x", "p/w")
    assert (parts["HOST"], parts["PORT"], parts["NAME"]) == (
        "db.example",
        "5433",
        "attest",
    )


def test_a_postgres_url_may_ask_for_tls(tmp_path):
    url = "postgres://db.example/attest?sslmode=verify-full&connect_timeout=3"
    options = database(url, home=tmp_path)["OPTIONS"]
    assert (options["sslmode"], options["connect_timeout"]) == ("verify-full", "3")


@pytest.mark.parametrize("rest", ["?ssl=true", "?sslmode=require&w0rd", "#w0rd"])
def test_an_option_that_is_not_known_is_refused_without_repeating_it(rest, tmp_path):
    with pytest.raises(SettingError, match="sslmode") as caught:
        database(f"postgres://u:p@db.example/attest{rest}", home=tmp_path)
    assert "w0rd" not in str(caught.value)
    assert "db.example" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["mysql://a/b", "attest", "postgres:///x", "sqlite://", "postgres://h:x/n"]
)
def test_it_refuses_other_urls_without_repeating_them(url, tmp_path):
    with pytest.raises(SettingError, match="sqlite:///path") as caught:
        database(url, home=tmp_path)
    assert url not in str(caught.value).replace("sqlite:///path", "")


@pytest.mark.sqlite
@pytest.mark.django_db
def test_sqlite_holds_foreign_keys_and_waits_for_locks():
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA foreign_keys").fetchone() == (1,)
        assert cursor.execute("PRAGMA busy_timeout").fetchone() == (20_000,)
    assert connection.settings_dict["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
