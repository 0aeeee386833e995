"""Configure Sphinx for one language of the site; `docs/website.py` says which."""

import re
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.search import languages
from sphinx.search.en import SearchEnglish

project = "course"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 3
# The words of a message are shown as they are printed.
smartquotes = False
gettext_compact = "docs"
translation_progress_classes = "untranslated"

html_theme = "furo"
html_title = "course"
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
templates_path = ["templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "languages.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_context = {
    "languages": {"en": ("en", "English"), "zh": ("zh-CN", "中文"), "ru": ("ru", "Русский")}
}
autodoc_typehints_format = "short"

_HAN = "\u4e00-\u9fff"


class SearchPairs(SearchEnglish):
    """Find Chinese by pairs of neighbouring characters, which needs no dictionary in the browser.

    Sphinx itself divides texts into words by a library, but not what a reader types.
    """

    lang = "zh"
    js_splitter_code = f"""
var splitQuery = (query) =>
  (query.match(/[{_HAN}]+|(?:(?![{_HAN}])[\\p{{L}}\\p{{N}}_])+/gu) || []).flatMap((run) =>
    /[{_HAN}]/.test(run) && run.length > 2
      ? Array.from({{length: run.length - 1}}, (_, at) => run.slice(at, at + 2))
      : [run]);
"""

    def split(self, input: str) -> list[str]:  # noqa: A002 - Sphinx's own name for it
        """Split a text into words, and Chinese into pairs."""
        found = []
        for run in re.findall(rf"[{_HAN}]+|[^\W{_HAN}]+", input):
            is_long = re.match(rf"[{_HAN}]", run) and len(run) > 2
            found += [run[at : at + 2] for at in range(len(run) - 1)] if is_long else [run]
        return found


def _lead_to_english(app: Sphinx, doctree: nodes.document) -> None:
    """Have a link to a page that is there in English only lead to it."""
    for node in list(doctree.findall(pending_xref)):
        page, _hash, anchor = node["reftarget"].partition("#")
        if page.startswith("../"):
            # What lies outside of `docs/` has no page.
            node.replace_self(node.children)
        elif app.config.language != "en" and Path(app.config.english, page).is_file():
            up = "../" * (app.env.docname.count("/") + 1)
            address = f"{up}en/{page.removesuffix('.md')}.html" + (f"#{anchor}" if anchor else "")
            node.replace_self(nodes.reference("", "", *node.children, refuri=address))


def setup(app: Sphinx) -> None:
    """Add what the languages need."""
    languages["zh"] = SearchPairs
    app.add_config_value("english", "", "env")
    app.connect("doctree-read", _lead_to_english)
