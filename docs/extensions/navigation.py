"""The tree of pages at the side, made once for all pages and then marked where a page is.

Sphinx makes it anew for every page, which takes most of a build's time with hundreds of pages. Of
the API, only the area of the page at hand lists its names.
"""

import re
from functools import cache

AREA = re.compile(
    r'(<li class="toctree-l2"><a [^>]*href="(api/\w+)\.html">[^<]*</a>)<ul>.*?</ul>', re.S
)


@cache
def whole(builder, **options):
    """The tree as the home page has it."""
    return builder._get_local_toctree(builder.config.root_doc, **options)


@cache
def parents(env):
    return {child: page for page, children in env.toctree_includes.items() for child in children}


def link(app, page, template, context, doctree):
    above = parents(app.env)

    def toctree(**options):
        way = [page] if page in above else []
        while way and way[-1] in above:
            way.append(above[way[-1]])
        tree = AREA.sub(
            lambda area: area[0] if area[2] in way else area[1], whole(app.builder, **options)
        )
        for each in way:
            tree = re.sub(
                rf'<li class="([^"]*)"><a class="([^"]*)" href="({re.escape(each)}\.html)"',
                r'<li class="\1 current"><a class="current \2" href="\3"',
                tree,
            )
        return re.sub(r'href="(?!\w+:|#)', f'href="{"../" * page.count("/")}', tree)

    if "toctree" in context:
        context["toctree"] = toctree


def setup(app):
    app.connect("html-page-context", link, priority=400)  # before the theme
    return {"parallel_read_safe": True, "parallel_write_safe": True}
