"""Bytes of a file to normalised text with its structure."""

from connectors.conversion.converted import Converted
from connectors.conversion.guards import MAX_BYTES
from connectors.conversion.registry import convert
from connectors.conversion.sniffing import SUPPORTED

__all__ = ["MAX_BYTES", "SUPPORTED", "Converted", "convert"]
