"""Valid files of each format that atoll reads. Starts refer to them by name; only those that a start needs
are created."""

import bz2
import gzip
import lzma
import struct

EDGES = "".join(f"{i} {j % 24}\n" for i in range(24) for j in (i + 1, 5 * i + 3, 7 * i + 2) if i != j % 24)
LINES = EDGES.splitlines()
GREEN_MARL = """Procedure degrees(G: Graph, least: Int; degree: N_P<Int>(G)) : Int {
    G.degree = 0;
    Foreach (n: G.Nodes)(n.Degree() >= least) { n.degree = (Int) n.Degree(); }
    Return Sum(n: G.Nodes) { n.degree };
}
"""
LOADS = """Procedure ages(G: Graph, age: N_P<Int>(G), k: Int; older: N_P<Int>(G)) : Int {
    Foreach (n: G.Nodes) { n.older = (Int) Count(f: n.InNbrs)(f.age > k); }
    Return Sum(n: G.Nodes) { n.older };
}
"""
DECK = """*clover
 state 1 density=0.2 energy=1.0
 state 2 density=1.0 energy=2.5 geometry=rectangle xmin=0.0 xmax=5.0 ymin=0.0 ymax=2.0
 x_cells=10
 y_cells=4
 xmin=0.0
 xmax=10.0
 ymin=0.0
 ymax=2.0
 initial_timestep=0.04
 max_timestep=0.04
 end_step=3
*endclover
"""
DECK_3D = DECK.replace("*endclover", " z_cells=4\n zmin=0.0\n zmax=2.0\n*endclover").replace(
    "ymin=0.0 ymax=2.0\n", "ymin=0.0 ymax=2.0 zmin=0.0 zmax=2.0\n").replace("rectangle", "cuboid")


def numbered(separator, base, extra=""):
    return "".join(separator.join(str(int(v) + base) for v in edge.split()) + extra + "\n" for edge in LINES)


def metis():
    near = {}
    for edge in LINES:
        a, b = (int(v) + 1 for v in edge.split())
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    count = sum(map(len, near.values())) // 2
    return f"24 {count}\n" + "".join(" ".join(map(str, sorted(near[i]))) + "\n" for i in range(1, 25))


# name: (file name, content), or (file name, call of a program of the build that writes the file)
SAMPLES = {
    "el": ("g.el", EDGES),
    "csv": ("g.csv", "from,to,w\n" + numbered(",", 0, ",2.5")),
    "gr": ("g.gr", f"p sp 24 {len(LINES)}\n" + "".join("a " + x for x in numbered(" ", 1, " 3").splitlines(True))),
    "konect": ("out.g", f"% asym unweighted\n% {len(LINES)} 24 24\n" + numbered(" ", 1)),
    "mtx": ("m.mtx", f"%%MatrixMarket matrix coordinate real general\n24 24 {len(LINES)}\n" + numbered(" ", 1, " 1.5")),
    "metis": ("g.graph", metis()),
    "gz": ("g.el.gz", gzip.compress(EDGES.encode(), mtime=0)),
    "bz2": ("g.el.bz2", bz2.compress(EDGES.encode())),
    "xz": ("g.el.xz", lzma.compress(EDGES.encode())),
    "labels": ("labels.txt", "".join(f"node{i}\n" for i in range(24))),
    "vertices": ("vertices.txt", "".join(f"{i}\n" for i in range(30))),
    "ages": ("ages.txt", "".join(f"{i} {i + 10}\n" for i in range(24))),
    "ages_csv": ("ages.csv", "node,age\n" + "".join(f"{i},{i + 10}\n" for i in range(24))),
    "ages_bin": ("ages.bin", struct.pack("<24i", *range(24))),
    "gm": ("degrees.gm", GREEN_MARL),
    "loads": ("ages.gm", LOADS),
    "deck": ("clover.in", DECK),
    "deck3": ("clover3.in", DECK_3D),
    "points": ("points.raw", struct.pack("<64f", *(i % 7 for i in range(64)))),
    "script": ("script", "#!/bin/sh\nexit 0\n"),
    "atoll": ("g.atoll", "atoll graph convert {el} -o {>g.atoll}"),
    "valued": ("w.atoll", "atoll graph convert {csv} --columns from,to --value w=w -o {>w.atoll}"),
    "json": ("mine.json", "atoll machine --machine xeon-2x10 -o {>mine.json}"),
    "xml": ("hbm.xml", "tests/data/machine/hbm.xml"),
    "plan": ("plan.json", "tests/fuzz/seeds/plan/everything.json"),
    "schedule": ("tasks.schedule", "atoll schedule {metis} -o {>tasks.schedule}"),
    "profile": ("app.profile", "atoll profile --frontend dbi -o {>app.profile} -- /bin/true"),
    "profile2": ("app2.profile", "atoll profile --frontend dbi -o {>app2.profile} -- /bin/echo x"),
    "trace": ("app.trace", "atoll trace --frontend dbi -o {>app.trace} -- /bin/true"),
    "timed": ("timed.trace", "atoll trace --frontend dbi --timed -o {>timed.trace} -- /bin/true"),
    "tasks": ("tasks.trace", "atoll trace --frontend dbi -o {>tasks.trace} -- apps/spmv --mesh 64 --iterations 1"),
    "checkpoint": ("cloverleaf2d.checkpoint.h5", "apps/cloverleaf2d {deck} --checkpoint 1"),
    "vortex": ("taylor-green.checkpoint.h5",
               "apps/taylor-green --dimensions 2 --size 8 --steps 2 --checkpoint 1"),
}
