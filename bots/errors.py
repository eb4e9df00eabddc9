"""Why a question is not taken. The messages are for the asker.

AskingError
├── NothingAsked        no letter or digit in it
├── QuestionTooLong     over the limit; nothing is cut silently
└── NotLinked           nobody knows which documents this account may read
"""

from __future__ import annotations


class AskingError(Exception):
    """The question was not stored; the asker can mend it."""


class NothingAsked(AskingError):
    """There is nothing to look for."""


class QuestionTooLong(AskingError):
    """The question is over the limit."""


class NotLinked(AskingError):
    """The account has no person, so it may read nothing."""
