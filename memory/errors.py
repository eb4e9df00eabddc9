"""Errors of the pipeline.

MemoryError_ is taken by Python, so the root is AttestError:

    AttestError                 message is for the reader
    ├── StoreError              the store refused or can't be reached
    │   ├── StoreMismatch       its schema or embedding model isn't the configured one
    │   ├── StoreDamaged        what was written can't be read; it must be built again
    │   └── StoreUnreachable    it can't be reached now; trying later may help
    ├── EmbeddingError          the encoder failed or returned what it must not
    └── DataSetError            an evaluation data set can't be read
"""

from __future__ import annotations


class AttestError(Exception):
    """The root. Its message names the thing and the mend, and no secret."""


class StoreError(AttestError):
    """The store refused an object or can't be reached."""


class StoreMismatch(StoreError):
    """The store was built with another schema or embedding model."""


class StoreDamaged(StoreError):
    """What the store wrote can't be read any more."""


class StoreUnreachable(StoreError):
    """The store's server can't be reached now."""


class EmbeddingError(AttestError):
    """The encoder failed, or returned a wrong count, size or a non-finite value."""


class DataSetError(AttestError):
    """An evaluation data set is missing or malformed."""
