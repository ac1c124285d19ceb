"""Words of the field that lead to a page in the search and in the index: docs/synonyms.toml.

As entries of the index they lead there by themselves, as keywords together with other words.
"""

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform


class Synonyms(SphinxTransform):
    default_priority = 200

    def apply(self):
        words = self.config.synonyms.get(self.env.docname, [])
        entries = [("single", word, "", "main", None) for word in words]
        self.document.insert(0, addnodes.index(entries=entries))
        if words:
            single = dict.fromkeys(" ".join(words).split())
            self.document.insert(0, nodes.meta(name="keywords", content=", ".join(single)))


def setup(app):
    app.add_config_value("synonyms", {}, "env", dict)
    app.add_transform(Synonyms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
