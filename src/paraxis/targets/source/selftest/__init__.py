"""Programs that go with exported source and check it against results of the interpreter."""
