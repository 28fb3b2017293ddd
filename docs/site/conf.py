"""Sphinx's settings. The sources are made by build.py, which calls Sphinx."""

import re
from pathlib import Path

HERE = Path(__file__).parent
VERSION = HERE.parent.parent / "include/coppice/version.hpp"

project = "coppice"
author = "The coppice authors"
project_copyright = "the coppice authors, MIT licence; bundled sentences: Universal Dependencies"
release = re.search(r'COPPICE_VERSION "([^"]+)"', VERSION.read_text(encoding="utf-8"))[1]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
myst_heading_anchors = 3  # as browsers of repositories name them
highlight_language = "text"
smartquotes_action = "q"  # dashes are options
copybutton_exclude = ".linenos, .gp, .go"

default_role = "py:obj"
autodoc_default_options = {"members": True, "member-order": "groupwise"}
autodoc_typehints = "none"  # the signatures of overloaded functions are long enough
autodoc_mock_imports = [
    "torch",
    "stanza",
    "supar",
    "pyarrow",
    "pyspark",
    "ray",
    "datasets",
    "networkx",
]
napoleon_google_docstring = False
napoleon_use_rtype = False
suppress_warnings = ["ref.python"]  # `bound` is what two classes have
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"coppice {release}"
html_static_path = ["assets"]
html_css_files = ["site.css"]
html_js_files = ["from_disk.js"]
html_favicon = "assets/favicon.svg"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#1f6b4c",
        "color-brand-content": "#1f6b4c",
        "color-brand-visited": "#1f6b4c",
    },
    "dark_css_variables": {
        "color-brand-primary": "#63c398",
        "color-brand-content": "#63c398",
        "color-brand-visited": "#63c398",
    },
}


def link_documents(app, what, name, obj, options, lines):
    """Names of documents in docstrings become links."""
    lines[:] = [
        re.sub(r"\bdocs/([\w/-]+)\.md\b", r":doc:`docs/\1.md </\1>`", line) for line in lines
    ]


def setup(app):
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", link_documents)
