"""The loop with one fault at a time, and the instruments that can see it."""

from lessonlib.faults.catalogue import FAULTS
from lessonlib.faults.fault import Fault
from lessonlib.faults.training import Row, fault_table, train_with

__all__ = ["FAULTS", "Fault", "Row", "fault_table", "train_with"]
