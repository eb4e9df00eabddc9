from tests.servers.fixtures import place_at, prefix, weaviate

__all__ = ["place_at", "prefix", "weaviate"]
