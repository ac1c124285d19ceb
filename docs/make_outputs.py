"""Write what the cells of pages print into the `{output}` blocks below them.

    python docs/make_outputs.py docs/start/first_steps.md ...

A cell tagged `varies` gets no block: it prints a time, say, or another number of the machine.
"""

import sys
from pathlib import Path

import nbformat
from extensions.outputs import cells, rewritten, text_of
from nbclient import NotebookClient


def joined(outputs):
    """With one stream of each name: a kernel sends what a cell prints in pieces."""
    streams, kept = {}, []
    for output in outputs:
        if output["output_type"] == "stream" and output["name"] in streams:
            streams[output["name"]]["text"] += output["text"]
        else:
            kept.append(output)
            if output["output_type"] == "stream":
                streams[output["name"]] = output
    return kept


def executed(page):
    """The outputs of every cell of a page, in the format of notebooks."""
    made = [nbformat.v4.new_code_cell(code) for code, _, _ in cells(page.read_text("utf-8"))]
    notebook = nbformat.v4.new_notebook(cells=made)
    folder = {"metadata": {"path": str(page.parent)}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=folder).execute()
    return [joined(cell.outputs) for cell in notebook.cells]


def main():
    for page in map(Path, sys.argv[1:]):
        text = page.read_text("utf-8")
        fresh = rewritten(text, [text_of(outputs) for outputs in executed(page)])
        if fresh != text:
            page.write_text(fresh, "utf-8")
            print(f"written: {page}")


if __name__ == "__main__":
    main()
