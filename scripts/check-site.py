#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens the site that make-docs.py made in a headless browser: search finds functions by their names here and elsewhere, nothing is wider than a
phone, the cheat sheet has two pages. With --shots, pictures of some pages by the sizes of a phone and a desktop are put into FOLDER.

usage: check-site.py HTML [--shots FOLDER]     needs chromium (77: it is not there)"""
import html
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SEARCHES = {"kn_scan": "reference/kn_scan.html", "np.sort": "reference/kn_sort.html", "jax.lax.scan": "reference/kn_scan.html", "logsumexp": "logsumexp.html",
            "views": "docs/", "determinism": "determinism.html"}
PAGES = ["index.html", "reference/index.html", "reference/kn_scan.html", "docs/api.html", "docs/tutorial/index.html", "gallery/index.html", "cheatsheet.html"]
SIZES = {"phone": (390, 844), "desktop": (1366, 900)}


def browser():
    return next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)


class Browser:
    def __init__(self, program, profile):
        self.command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", f"--user-data-dir={profile}",
                        "--virtual-time-budget=3000"]

    def do(self, *arguments):
        return subprocess.run([*self.command, *arguments], capture_output=True, text=True, timeout=120)

    def dom(self, address):
        return self.do("--dump-dom", address).stdout


def too_wide(browser, site, page):
    """Is the page wider than a phone? It is put into a frame of that width, whose script tells."""
    frame = site / "frame-of-check.html"
    frame.write_text(f'<iframe src="{page}" width="390" height="800"></iframe><p id="width">?</p><script>const f = document.querySelector("iframe");'
                     'f.onload = () => setTimeout(() => { document.getElementById("width").textContent = f.contentDocument.documentElement.scrollWidth; }, 300);</script>')
    try:
        text = browser.do("--allow-file-access-from-files", "--dump-dom", frame.as_uri()).stdout
    finally:
        frame.unlink()
    m = re.search(r'id="width">(\d+|\?)', text)
    return not m or m.group(1) == "?" or int(m.group(1)) > 390


def main(arguments):
    if not arguments:
        print(__doc__)
        return 2
    program = browser()
    if not program:
        print("skipped: there is no chromium")
        return 77
    site, wrong = Path(arguments[0]).resolve(), []
    with tempfile.TemporaryDirectory() as profile:
        chrome = Browser(program, profile)
        for words, wanted in SEARCHES.items():
            dom = chrome.dom(f"{(site / 'index.html').as_uri()}?q={words}")
            found = re.search(r'id="found"(.*?)</form>', dom, re.S)
            first = re.findall(r'href="([^"]*)"', found.group(1))[:3] if found else []
            if not any(wanted in html.unescape(a) for a in first):
                wrong.append(f"a search for {words} finds {first or 'nothing'}")
        pages = [p for p in PAGES if (site / p).exists()]
        wrong += [f"{page} is wider than a phone" for page in pages if too_wide(chrome, site, page)]
        sheet = Path(profile) / "sheet.pdf"
        chrome.do("--no-pdf-header-footer", f"--print-to-pdf={sheet}", (site / "cheatsheet.html").as_uri())
        count = len(re.findall(rb"/Type\s*/Page\b", sheet.read_bytes())) if sheet.exists() else 0
        if count != 2:
            wrong.append(f"the cheat sheet has {count} pages")
        if "--shots" in arguments:
            into = Path(arguments[arguments.index("--shots") + 1])
            into.mkdir(parents=True, exist_ok=True)
            for page in pages:
                for name, (width, height) in SIZES.items():
                    shot = into / f"{page.replace('/', '-').removesuffix('.html')}-{name}.png"
                    chrome.do(f"--window-size={width},{height}", f"--screenshot={shot}", (site / page).as_uri())
    print("\n".join(wrong + [f"{len(SEARCHES)} searches and {len(pages)} pages looked at, {len(wrong)} wrong"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
