"""WebAssembly: bodies for the browser, for Node, and for whatever else runs it."""
