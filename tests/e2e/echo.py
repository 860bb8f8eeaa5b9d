"""Calls of tests/programs/echo.cpp."""


class Echo:
    NOTHING = {"int": 0, "long": 0, "float": 0, "double": 0, "bool": "False", "node": "NIL", "edge": "NIL", "spin": 0}

    def __init__(self, program):
        self.program = program

    def _words(self, graph, options, arguments):
        given = {**self.NOTHING, **(arguments or {})}
        return ["--graph", graph, *(w for name, value in given.items() for w in ("--arg", f"{name}={value}")), *options]

    def __call__(self, graph, *options, arguments=None, **more):
        return self.program(*self._words(graph, options, arguments), **more)

    def json(self, graph, *options, arguments=None, **more):
        return self.program.json(*self._words(graph, options, arguments), **more)

    def refuses(self, graph, *options, arguments=None, **more):
        return self.program.refuses(*self._words(graph, options, arguments), **more)
