"""Console accounts and the one-time links that sign them in."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, models, transaction
from django.utils import timezone

from connectors.models import Person
from console.database_locks import wait_for_my_turn
from console.models import SignInLink

if TYPE_CHECKING:
    from django.contrib.auth.models import User

LINK_LIFETIME = timedelta(minutes=30)
FIRST_ADDRESS = "administrator@example.com"


class NoSuchAccount(Exception):
    """No administrator has the address; the message says how to go on."""


def administrator(email: str = "") -> User:
    """Return an administrator's account: the one with this address, else the first.

    Where there is no administrator yet, one is created without a password and linked
    to a person who is an employee. Raises NoSuchAccount where there are some, but none
    with this address, or where a new one's address is none.
    """
    try:
        with transaction.atomic():
            # Without it, two that start at once would each find none.
            wait_for_my_turn("first administrator")
            return _found(email) or _first_administrator(email)
    except IntegrityError:
        if found := _found(email):
            return found
        raise


def _found(email: str) -> User | None:
    """Return the first administrator, of this address where one is given."""
    accounts = get_user_model().objects.filter(is_superuser=True, is_active=True)
    named = accounts.filter(email__iexact=email) if email else accounts
    return named.order_by("pk").first()


def _first_administrator(email: str) -> User:
    """Make the first administrator. Raises NoSuchAccount where there are some."""
    accounts = get_user_model().objects.filter(is_superuser=True, is_active=True)
    if accounts.exists():
        raise NoSuchAccount(
            f"No active administrator has the address {email}. Add the account in the "
            "console, under Users, or leave the address out for the first administrator."
        )
    try:
        validate_email(email or FIRST_ADDRESS)
    except ValidationError as error:
        raise NoSuchAccount(
            "That's no e-mail address, so the first administrator was not made."
        ) from error
    return _made(email or FIRST_ADDRESS)


def _made(email: str) -> User:
    account = get_user_model().objects.create_superuser(username=email, email=email)
    person, _created = Person.objects.get_or_create(
        email=email, defaults={"name": "Administrator", "is_employee": True}
    )
    person.account = account
    person.is_employee = True
    person.save(update_fields=["account", "is_employee"])
    return account


def make_link(account: User) -> str:
    """Return the token of a new link for an account; old, spent links are removed."""
    now = timezone.now()
    SignInLink.objects.filter(expires_at__lt=now - LINK_LIFETIME).delete()
    token = secrets.token_urlsafe(32)
    SignInLink.objects.create(
        token_hash=_hash(token), account=account, expires_at=now + LINK_LIFETIME
    )
    return token


def is_valid(token: str) -> bool:
    """Tell whether a link could be used now, without using it."""
    return _usable(token).exists()


def use_link(token: str) -> User | None:
    """Spend a link and return its account, or None when it can't be used.

    A conditional UPDATE decides, so that of two requests at once only one succeeds.
    """
    if _usable(token).update(used_at=timezone.now()) != 1:
        return None
    return (
        SignInLink.objects.select_related("account")
        .get(token_hash=_hash(token))
        .account
    )


def _usable(token: str) -> models.QuerySet[SignInLink]:
    return SignInLink.objects.filter(
        token_hash=_hash(token),
        used_at=None,
        expires_at__gt=timezone.now(),
        account__is_active=True,
    )


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
