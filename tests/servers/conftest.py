from tests.servers.fixtures import place_at, prefix
from tests.servers.services import database_url, postgresql

__all__ = ["database_url", "place_at", "postgresql", "prefix"]
