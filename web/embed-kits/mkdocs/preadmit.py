"""Lets pages of MkDocs (1.4 and later) embed Preadmit scenarios.

In mkdocs.yml:

    hooks: [preadmit.py]
    markdown_extensions: [md_in_html, fenced_code, codehilite]
    extra_javascript: [https://SITE/embed.js]

In a page, what the tab Embed of the site's Share dialog writes for MkDocs: an element
preadmit-example with markdown="1", in it the code in a fence, the outcome and a link.
Without a script these are what a reader sees.
"""

from markdown.extensions import Extension


class PreadmitExample(Extension):
    """Makes preadmit-example a block, in which md_in_html reads Markdown."""

    def extendMarkdown(self, md):
        if "preadmit-example" not in md.block_level_elements:
            md.block_level_elements.append("preadmit-example")


def on_config(config):
    config["markdown_extensions"].append(PreadmitExample())
    return config
