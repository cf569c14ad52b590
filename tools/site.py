"""make site: builds the documentation as a static site in three languages, with search, into build/site/.

The pages are English. Texts of the interface that stand in them alone, such as the options' descriptions, and the
site's own texts are translated; each page of another language says so. `--check` opens every page in headless Chromium.
"""

import http.server
import json
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path
from urllib.parse import quote, unquote

ROOT = Path(__file__).resolve().parent.parent
DOCS, OUT = ROOT / "docs", ROOT / "build" / "site"
CATALOGS = ROOT / "addon" / "ground" / "translations"
# By language: our catalog, the language's own name, and the sentence above its pages.
LANGUAGES = {
    "en": ("", "English", ""),
    "ja": ("ja_JP", "日本語", "このページは英語です。インターフェースの用語と設定の説明だけが翻訳されています。"),
    "zh_CN": ("zh_HANS", "简体中文", "本页为英文：仅翻译了界面用语和选项说明。"),
}
# By the title of a part of the contents: whether it has a page.
PARTS = {
    "Manual": lambda name: name.startswith("manual/"),
    "Scripts, jobs, figures": lambda name: "/" not in name and name != "README",
    "Development": lambda name: name.startswith("development/"),
}
HERE = "this-page-in:"  # begins links to other languages until the pages are built
BESIDE = {"README.md": "about.md", "CHANGELOG.md": "changelog.md"}  # files outside docs/ that pages link to
CONFIGURATION = """
project, author, html_title = "Action Loom", "Action Loom", "Action Loom"
extensions, html_theme = ["myst_parser"], "furo"
language, locale_dirs, gettext_compact = {language!r}, ["locale"], "action_loom"
myst_heading_anchors, suppress_warnings = 4, ["myst.header", "misc.highlighting_failure"]
html_theme_options, html_show_sourcelink, html_copy_source = {{"announcement": {announcement!r}}}, False, False
"""


def main() -> int:
    shutil.rmtree(OUT, ignore_errors=True)
    for language in LANGUAGES:
        if status := build_language(language):
            return status
    # Sphinx 9.0 names a stemmer for Chinese that none of its files defines, so that each search fails.
    data = OUT / "zh_CN" / "_static" / "language_data.js"
    data.write_text(data.read_text(encoding="utf-8").replace("= ChineseS", "= EnglishS"), encoding="utf-8")
    for page in OUT.rglob("*.html"):
        _, *place = page.relative_to(OUT).parts
        text = re.sub(
            f'"{HERE}(\\w+)"', rf'"{"../" * len(place)}\1/{"/".join(place)}"', page.read_text(encoding="utf-8")
        )
        page.write_text(text, encoding="utf-8")
    (OUT / "index.html").write_text('<meta http-equiv="refresh" content="0; url=en/index.html">\n', encoding="utf-8")
    troubles = check()
    if "--check" in sys.argv:
        troubles += check_in_browser()
    print("\n".join(troubles) or f"{len([*OUT.rglob('*.html')])} pages in {OUT.relative_to(ROOT)}/, no broken link")
    return len(troubles) > 0


def build_language(language: str) -> int:
    catalog, _, sentence = LANGUAGES[language]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        shutil.copytree(DOCS, source, dirs_exist_ok=True)
        for name, page in BESIDE.items():
            shutil.copy(ROOT / name, source / page)
        names = []
        for page in sorted(source.rglob("*.md")):
            page.write_text(adapt(page.read_text(encoding="utf-8"), page, source), encoding="utf-8")
            names.append(page.relative_to(source).as_posix().removesuffix(".md"))
        trees = [
            "```{toctree}\n:hidden:\n:caption: " + "\n".join([title, "", *filter(belongs, names)]) + "\n```"
            for title, belongs in PARTS.items()
        ]
        index = (source / "README.md").read_text(encoding="utf-8")
        (source / "README.md").unlink()
        (source / "index.md").write_text("\n".join([index, *trees]), encoding="utf-8")
        links = " · ".join(f'<a href="{HERE}{one}">{about[1]}</a>' for one, about in LANGUAGES.items())
        text = CONFIGURATION.format(language=language, announcement=f"{links} {sentence}")
        (source / "conf.py").write_text(text, encoding="utf-8")
        if catalog:
            place = source / "locale" / language / "LC_MESSAGES"
            place.mkdir(parents=True)
            shutil.copy(CATALOGS / f"{catalog}.po", place / "action_loom.po")
        # In a process of its own: Sphinx keeps the catalog of the first language.
        options = ["-q", "-W", "--keep-going", "-b", "html", "-d", f"{folder}/trees"]
        command = [sys.executable, "-m", "sphinx", *options, folder, str(OUT / language)]
        return subprocess.run(command, check=False, stderr=None).returncode


def adapt(text: str, page: Path, source: Path) -> str:
    """Return a page's text with links to folders' pages, and with links out of the site as plain text."""

    def link(found: re.Match[str]) -> str:
        words, target = found.groups()
        name, mark, anchor = target.partition("#")
        if "://" in target or not name:
            return found[0]
        place = (page.parent / unquote(name)).resolve()
        if place.parent == source.parent and place.name in BESIDE:
            place = source / BESIDE[place.name]
        if place == source / "README.md":
            place = source / "index.md"
        if not place.is_file() and place != source / "index.md":
            return words
        up = "../" * len(page.relative_to(source).parent.parts)
        return f"[{words}]({up}{place.relative_to(source).as_posix()}{mark}{anchor})"

    return re.sub(r"\[([^\]]*)\]\(([^)\s]+)\)", link, text)


def check() -> list[str]:
    """Return the links and pictures of the site that lead nowhere."""
    return sorted(
        {
            f"{page.relative_to(OUT)}: {target} is missing"
            for page in OUT.rglob("*.html")
            for target in re.findall(r'(?:href|src)="([^"#?]+)[^"]*"', page.read_text(encoding="utf-8"))
            if ":" not in target and not (page.parent / unquote(target)).exists()
        }
    )


# Opens each page in a frame of a phone's width, then a search in each language, and sends the faults.
VIEWER = """<meta charset="utf-8"><iframe width="390" height="800"></iframe><script>
const pages = PAGES, frame = document.querySelector("iframe"), said = [];
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
(async () => {
  for (const page of pages) {
    frame.src = page;
    await new Promise((done) => { frame.onload = done; });
    const inside = frame.contentDocument;
    for (const image of inside.images) image.loading = "eager";
    await Promise.all([...inside.images].map((image) => image.decode().catch(() => 0)));
    const blank = [...inside.images].filter((image) => !image.naturalWidth).map((image) => image.src);
    if (blank.length) said.push(`${page}: ${blank} not shown`);
    const wide = inside.documentElement.scrollWidth;
    if (wide > 390) said.push(`${page}: ${wide} pixels wide`);
    if (page.includes("q=")) {
      for (let k = 0; k < 100 && !inside.querySelector("#search-results li"); k++) await wait(100);
      if (!inside.querySelector("#search-results li")) said.push(`${page}: nothing found`);
    }
  }
  fetch("/seen", { method: "POST", body: JSON.stringify(said) });
})();
</script>"""
LONGEST = 900  # s
WORDS = {"en": "foot slide", "ja": "ループ", "zh_CN": "修改器"}


def check_in_browser() -> list[str]:
    """Return the faults that headless Chromium finds at a phone's width: pictures, width, search."""
    pages = [page.relative_to(OUT).as_posix() for page in sorted(OUT.rglob("*.html")) if page.parent != OUT]
    pages += [f"{language}/search.html?q={quote(words)}" for language, words in WORDS.items()]
    (OUT / "viewer.html").write_text(VIEWER.replace("PAGES", json.dumps(pages)), encoding="utf-8")
    seen: queue.Queue[list[str]] = queue.Queue()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(OUT))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"http://127.0.0.1:{server.server_port}/viewer.html"
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
        browser = subprocess.Popen(["chromium", *options, place], stderr=subprocess.DEVNULL)
        try:
            return seen.get(timeout=LONGEST)
        except queue.Empty:
            return [f"Chromium has not seen all pages in {LONGEST} s"]
        finally:
            browser.terminate()
            server.shutdown()
            (OUT / "viewer.html").unlink()


if __name__ == "__main__":
    sys.exit(main())
