"""Times of day by the 24-hour clock, without words such as "midnight"."""

from __future__ import annotations

DATETIME_FORMAT = "j M Y, H:i T"
TIME_FORMAT = "H:i"
