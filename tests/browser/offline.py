"""A page opened from a file with the network cut, and what its log says is missing."""


class Offline:
    """One tab without a network; `missing` collects requests that failed or went outside."""

    def __init__(self, browser):
        self.context = browser.new_context(viewport={"width": 1280, "height": 720})
        self.context.set_offline(True)
        self.page, self.missing = self.context.new_page(), []
        self.page.on("request", self._note_outside)
        self.page.on("requestfailed", lambda request: self.missing.append(request.url))
        self.page.on("pageerror", lambda error: self.missing.append(str(error)))
        self.page.on("console", self._note_errors)

    def _note_outside(self, request):
        if not request.url.startswith(("file:", "data:", "blob:", "about:")):
            self.missing.append(request.url)

    def _note_errors(self, message):
        if message.type in ("error", "warning"):
            self.missing.append(message.text)

    def open(self, path):
        """Open the file and wait until its formulas are set."""
        self.missing.clear()
        self.page.goto(path.as_uri())
        self.page.wait_for_function("window.MathJax?.startup?.promise !== undefined")
        self.page.evaluate("MathJax.startup.promise")

    def broken_pictures(self):
        """Pictures that hold no pixels, or say nothing."""
        return self.page.evaluate(
            """async () => {
                const pictures = [...document.images];
                await Promise.all(pictures.map(p => p.decode().catch(() => null)));
                return pictures.filter(p => !p.naturalWidth || p.alt.trim().length < 20)
                    .map(p => p.alt || p.src.slice(0, 80));
            }"""
        )

    def broken_links(self, folder):
        """Relative links to files that are not there."""
        links = self.page.evaluate("[...document.links].map(link => link.getAttribute('href'))")
        here = [link for link in links if "://" not in link and not link.startswith("#")]
        return [link for link in here if not (folder / link).is_file()]
