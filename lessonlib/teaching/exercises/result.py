"""What a check says, and how it looks in a notebook."""

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, repr=False)
class CheckResult:
    """The outcome of a check.

    `attempted` is False for a scaffold as it stands; `mistake` is the id of the recognised
    misconception, or None; `message` is what to read. `rows` set what the exercise asks for
    beside what the function did: (what, asked for, yours).
    """

    name: str
    attempted: bool
    passed: bool
    mistake: str | None
    message: str
    rows: tuple[tuple[str, str, str], ...] = ()

    @property
    def verdict(self) -> str:
        """One word or two."""
        if not self.attempted:
            return "not attempted yet"
        return "passed" if self.passed else "not yet"

    def __repr__(self):
        return f"{self.name}: {self.verdict}\n{self.message}"

    def _repr_html_(self):
        lines = "<br>".join(escape(line) for line in self.message.split("\n"))
        head = f"<strong>{escape(self.name)}: {self.verdict}.</strong>"
        return (
            '<div role="status" style="max-width:46rem;line-height:1.5">'
            f"<p>{head}<br>{lines}</p>{self._table()}</div>"
        )

    def _table(self):
        if not self.rows:
            return ""
        body = "".join(
            f'<tr><th scope="row">{escape(what)}</th><td>{escape(asked)}</td>'
            f"<td>{escape(yours)}</td></tr>"
            for what, asked, yours in self.rows
        )
        return (
            '<table><thead><tr><th scope="col">What</th><th scope="col">Asked for</th>'
            f'<th scope="col">Yours</th></tr></thead><tbody>{body}</tbody></table>'
        )
