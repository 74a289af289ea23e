"""The table of faults as a table to read: loops down, instruments across."""

from collections.abc import Sequence
from html import escape

from lessonlib.teaching.faults.training import FAULTS, Row


class Matrix:
    """One row a loop, one column an instrument, a mark where it fires on every seed."""

    def __init__(self, rows: Sequence[Row]):
        self.instruments = tuple(dict.fromkeys(row.instrument for row in rows))
        self.fires = {
            fault: tuple(row.instrument for row in rows if row.fault == fault and row.verdict)
            for fault in dict.fromkeys(row.fault for row in rows)
        }

    def __repr__(self):
        return "\n".join(f"{fault}: {', '.join(on) or 'none'}" for fault, on in self.fires.items())

    def _repr_html_(self):
        upright = "writing-mode:vertical-rl;transform:rotate(180deg);text-align:left"
        head = "".join(
            f'<th scope="col" style="{upright}">{escape(name.replace("_", " "))}</th>'
            for name in self.instruments
        )
        body = "".join(
            f'<tr><th scope="row" style="text-align:left">{escape(FAULTS[fault].title)}'
            f"{' (false alarm)' if FAULTS[fault].healthy else ''}</th>"
            + "".join(f"<td>{'●' if name in on else '–'}</td>" for name in self.instruments)
            + "</tr>"
            for fault, on in self.fires.items()
        )
        return (
            "<table><caption>● the instrument fires on every seed</caption>"
            f'<thead><tr><th scope="col">loop</th>{head}</tr></thead><tbody>{body}</tbody></table>'
        )
