"""LLVM IR as text under construction: definitions and the declarations they need, each once."""


class Module:
    def __init__(self):
        self._declarations, self._definitions = {}, {}

    def declare(self, line):
        self._declarations[line] = None

    def has(self, name):
        return name in self._definitions

    def define(self, name, text):
        self._definitions[name] = text

    def __str__(self):
        return "\n".join([*self._declarations, *self._definitions.values()])
