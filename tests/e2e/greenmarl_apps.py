"""Runs the programs of apps/greenmarl, and parses their output and saved files."""

WORDS = {"True": True, "False": False, "INF": float("inf"), "-INF": -float("inf")}


def value(text):
    """Parses a number or a Bool."""
    if text in WORDS:
        return WORDS[text]
    return float(text) if any(sign in text for sign in ".en") else int(text)


class Answer:
    """Results of a run; nodes are numbers, NIL is None."""

    def __init__(self, graph, report, files):
        self.graph, self.report, self.files = graph, report, files
        self.returned = WORDS.get(report.get("returned"), report.get("returned"))

    def rows(self, name):
        return [line.split() for line in self.files[name].read_text().splitlines()]

    def property(self, name):
        """Returns a node property's values, ordered by node."""
        rows = self.rows(name)
        assert [row[0] for row in rows] == self.graph.labels
        return [value(row[1]) for row in rows]

    def output(self, name):
        """Returns a scalar output of the procedure."""
        return self.report["outputs"][name]

    def node_returned(self):
        return self.graph.node(self.returned)

    def property_of_edges(self, name):
        """Returns the values of a node property of type Edge: the edge's pair of nodes, or None for NIL."""
        rows = self.rows(name)
        assert [row[0] for row in rows] == self.graph.labels
        return [None if row[1] == "NIL" else tuple(map(self.graph.node, row[1:])) for row in rows]

    def node_property(self, name):
        """Returns the values of a node property of type Node, as node numbers."""
        rows = self.rows(name)
        assert [row[0] for row in rows] == self.graph.labels
        return [self.graph.node(row[1]) for row in rows]

    def edge_property(self, name):
        rows = self.rows(name)
        numbers = self.graph.numbers
        assert [(numbers[row[0]], numbers[row[1]]) for row in rows] == self.graph.edges
        return [value(row[2]) for row in rows]

    def nodes(self, name):
        """Returns the content of a collection in order."""
        return [self.graph.node(row[0]) for row in self.rows(name)]

    def map(self, name):
        return {self.graph.node(row[0]): value(row[1]) for row in self.rows(name)}


class Apps:
    def __init__(self, atoll, source, folder):
        self.atoll, self.source, self.folder = atoll, source, folder

    def __call__(self, name, graph, *options, save=(), load=None, **arguments):
        """Runs a program. `load` maps the name of an input to the values of a node property or, for a
        collection, to a list of nodes."""
        words = [word for pair in arguments.items() for word in ("--arg", f"{pair[0]}={pair[1]}")]
        for input_name, lines in (load or {}).items():
            file = self.folder / f"{input_name}.in"
            file.write_text("".join(f"{line}\n" for line in lines))
            words += ["--load", f"{input_name}={file}"]
        files = {result: self.folder / f"{result}.out" for result in save}
        for result, file in files.items():
            words += ["--save", f"{result}={file}"]
        report = self.atoll.json("run", self.source / f"apps/greenmarl/{name}.gm", "--graph", graph.file,
                                 *words, *options)
        return Answer(graph, report, files)
