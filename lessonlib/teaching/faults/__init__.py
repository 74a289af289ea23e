"""The loop with one fault at a time, and the instruments that can see it."""

from lessonlib.teaching.faults.fault import FAULTS, Fault
from lessonlib.teaching.faults.training import Row, fault_table, train_with

__all__ = ["FAULTS", "Fault", "Row", "fault_table", "train_with"]
