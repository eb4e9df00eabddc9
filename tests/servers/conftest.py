from tests.servers.fixtures import place_at, prefix

__all__ = ["place_at", "prefix"]
