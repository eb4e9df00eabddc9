"""What connectors that talk HTTP share: one session that stays at its source."""

from connectors.http.confinement import Confinement
from connectors.http.patience import Patience, Waiting
from connectors.http.session import SourceSession

__all__ = ["Confinement", "Patience", "SourceSession", "Waiting"]
