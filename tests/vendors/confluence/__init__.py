"""Confluence on loopback: one state, served as Cloud (v2 and v1) or Data Center (v1)."""

from tests.vendors.confluence.cloud import CloudServer
from tests.vendors.confluence.data_center import DataCenterServer

__all__ = ["CloudServer", "DataCenterServer"]
