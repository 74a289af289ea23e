"""The evidence portfolio: everything a student did, on one page."""

from lessonlib.storage import read, record

__all__ = ["read", "record"]
