"""What both kinds of sites answer by API v1 in the same way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from connectors.confluence.client import Client
from connectors.confluence.site import Attachment, Changed, Group, Space, Subjects
from connectors.confluence.v1 import V1, scope


class V1Site:
    """The part of connectors.confluence.site.Site that both kinds share."""

    def __init__(self, client: Client, site_url: str, *, api: str) -> None:
        """Ask through `client`; links that people follow start with `site_url`.

        `api` is what paths of v1 start with.
        """
        self._client = client
        self._site_url = site_url
        self._v1 = V1(client, api)

    def readers_of(self, content_id: str) -> Subjects:
        """Return who is on a page's or folder's own list."""
        return self._v1.restriction(content_id)

    def comment_versions(
        self, space: Space | None, page_ids: Sequence[str] = ()
    ) -> Iterator[tuple[str, str, int]]:
        """Yield page, comment and version, as the search index has them."""
        key = space.key if space else None
        return self._v1.comment_versions(scope(key, page_ids))

    def download(self, attachment: Attachment, *, max_bytes: int) -> bytes:
        """Return a file's bytes; Cloud sends them from its media host."""
        return self._client.download(
            attachment.download, name=attachment.name, max_bytes=max_bytes
        )

    def changed_since(self, literal: str) -> Iterator[Changed]:
        """Yield what changed, by the search index."""
        return self._v1.changed_since(literal)

    def groups(self) -> Iterator[Group]:
        """Yield all groups."""
        return self._v1.groups()
