"""Bytes of a file to normalised text with its structure."""

from connectors.conversion.converted import Converted
from connectors.conversion.registry import SUPPORTED, convert

__all__ = ["SUPPORTED", "Converted", "convert"]
