"""Where a source's requests may go, and where its key goes with them.

Everything stays at the source's origin or at hosts that its vendor is known to serve
files from; the key goes to the origin alone. Addresses of a machine's own network card
and of clouds' metadata services are refused wherever a name leads.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from connectors.errors import OptionError
from connectors.http.errors import OffOrigin
from memory.addresses import is_refused

_PORTS = {"http": 80, "https": 443}

Origin = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Confinement:
    """The origin that gets the key, and origins that files may come from without it.

    `vendor_hosts` are host names, reached by https alone; `*.` in front means any host
    below. `also` are whole origins, for tests and gateways.
    """

    origin: Origin
    vendor_hosts: tuple[str, ...] = ()
    also: frozenset[Origin] = frozenset()

    @classmethod
    def of(
        cls,
        base_url: str,
        *,
        vendor_hosts: tuple[str, ...] = (),
        also: tuple[str, ...] = (),
    ) -> Confinement:
        """Confine to a URL's origin. Raises OptionError for what is no such URL."""
        origins = frozenset(origin_of(base_of(url)) for url in also)
        return cls(origin_of(base_of(base_url)), vendor_hosts, origins)

    def gets_key(self, url: str) -> bool:
        """Tell whether the key goes along to this URL."""
        parts = _split(url)
        return parts is not None and origin_of(parts) == self.origin

    def check(self, url: str) -> None:
        """Raise OffOrigin unless requests may go to this URL."""
        parts = _split(url)
        if parts is None:
            raise OffOrigin(
                "A link of the source is no web address; it's not followed."
            )
        if origin_of(parts) == self.origin or origin_of(parts) in self.also:
            return
        scheme, host, port = origin_of(parts)
        is_vendor = any(_covers(pattern, host) for pattern in self.vendor_hosts)
        if is_vendor and (scheme, port) == ("https", _PORTS["https"]):
            return
        raise OffOrigin(
            f"A link or redirect leads to {scheme}://{host}:{port}, away from the "
            "source; it's not followed. If the source has moved, change its base URL."
        )


def base_of(url: str) -> SplitResult:
    """Return an administrator's base URL in parts.

    Raises OptionError, which never repeats it, as it may hold a password.
    """
    parts = _split(url.strip())
    if parts is None:
        raise OptionError(
            "The base URL is an address such as https://wiki.example.com."
        )
    if parts.username or parts.password:
        raise OptionError("The base URL holds a user or password; take them out of it.")
    if parts.query or parts.fragment:
        raise OptionError("The base URL ends before any “?” or “#”.")
    if is_refused(parts.hostname or ""):
        raise OptionError("The base URL is a link-local address; those are refused.")
    return parts


def origin_of(parts: SplitResult) -> Origin:
    """Return scheme, host in lower case without a last dot, and port."""
    host = (parts.hostname or "").rstrip(".")
    return parts.scheme, host, parts.port or _PORTS[parts.scheme]


def _split(url: str) -> SplitResult | None:
    """Return the parts of a whole http or https URL, else None."""
    try:
        parts = urlsplit(url)
        # Reading the port raises for one that is no number.
        known = parts.scheme in _PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    # What a browser and a parser read differently is read by neither.
    if not known or "\\" in url or any(ord(letter) <= 32 for letter in parts.netloc):
        return None
    return parts


def _covers(pattern: str, host: str) -> bool:
    if pattern.startswith("*."):
        return host.endswith(pattern[1:])
    return host == pattern
