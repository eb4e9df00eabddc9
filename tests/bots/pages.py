"""Reading pages in tests."""

import re


def page(response) -> str:
    """Return a page's text with every run of blanks as one."""
    return re.sub(r"\s+", " ", response.content.decode())


def without_tokens(response) -> str:
    """Return a page without what is different each time it's drawn."""
    return re.sub(r'(name="csrfmiddlewaretoken" value=)"\w+"', r"\1", page(response))
