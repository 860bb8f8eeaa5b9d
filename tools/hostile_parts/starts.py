"""Valid calls, from which hostile ones are generated. Each verb and application has a row of (weight, arguments); its
options are read from its help.

{NAME} is a sample of samples.py, {>NAME} a file to write. Calls that take seconds have a small weight. WRITES has
patterns of the files that a verb writes besides those that its arguments name.
"""

WATCH = 0.15  # weight of calls that run a program in the emulator
STARTS = {
    "machine": [(1, "--machine xeon-2x10"), (1, "--machine {json} --json"), (1, "--machine {xml}"),
                (1, "--machine {json} -o {>out.json}")],
    "compile": [(1, "{gm} --emit-cpp"), (1, "{gm} --patterns=final"), (1, "{loads} --patterns --json"),
                (0.2, "{gm} -o {>out}"), (0.2, "{gm} --shared")],
    "graph generate": [(1, "rmat --scale 4 -o {>out.atoll}"), (1, "uniform --scale 4 --seed 3 -o {>out.el}")],
    "graph convert": [(1, "{el} -o {>out.atoll}"), (1, "{csv} --columns from,to --value w=w -o {>out.atoll}"),
                      (1, "{mtx} -o {>out.el}"), (1, "{metis} -o {>out.el}"), (1, "{gr} -o {>out.el}"),
                      (1, "{konect} --symmetrise -o {>out.graph}"), (1, "{gz} -o {>out.el}"),
                      (0.5, "{bz2} -o {>out.el}"), (0.5, "{xz} -o {>out.el}"), (1, "{atoll} -o {>out.el}"),
                      (1, "{el} --labels {labels} -o {>out.atoll}"),
                      (1, "{el} --vertices {vertices} --relabel -o {>out.atoll}")],
    "graph info": [(1, "{atoll}"), (1, "{el} --json"), (1, "{mtx}"), (0.5, "{valued} --json"), (0.5, "{metis}")],
    "run": [(1, "{gm} --graph {el} --arg least=1"), (1, "{gm} --graph {atoll} --arg least=1 --json"),
            (1, "{loads} --graph {el} --arg k=3 --load age={ages} --save older={>out.txt}"),
            (0.5, "{loads} --graph {el} --arg k=3 --load age={ages_csv} --csv {>out.csv}"),
            (0.5, "{loads} --graph {el} --arg k=3 --load age={ages_bin}"),
            (1, "{gm} --graph {el} --arg least=1 --dry-run --machine {json}"),
            (1, "--policy compact -- /bin/true"), (1, "--plan {plan} -- /bin/true"),
            (1, "--schedule {schedule} -- /bin/true")],
    "profile": [(WATCH, "--frontend dbi -o {>out.profile} -- /bin/true"), (1, "--check {profile}"),
                (WATCH, "--frontend sample -o {>out.profile} -- /bin/true"),
                (WATCH, "--machine xeon-2x10 -o {>out.profile} -- /bin/true")],
    "trace": [(WATCH, "--frontend dbi -o {>out.trace} -- /bin/true"), (1, "--check {trace}"),
              (1, "--check {timed} --json"), (WATCH, "--timed -o {>out.trace} -- /bin/true")],
    "report": [(1, "{profile} --machine xeon-2x10"), (1, "{profile} --json"), (1, "{profile} --html {>out.html}"),
               (1, "{profile} --by thread"), (0.5, "{profile} --machine {json}")],
    "diff": [(1, "{profile} {profile2}"), (1, "{profile} {profile2} --json --machine xeon-2x10")],
    "advise": [(1, "{profile} -o {>out.json}"), (1, "{profile} --json"), (1, "{profile} --on {profile2}")],
    "schedule": [(1, "{metis} -o {>out.schedule} --machine xeon-2x10"), (1, "{atoll} -o {>out.schedule} --json"),
                 (0.5, "{tasks} -o {>out.schedule} --json"),
                 (1, "{profile} --kernel-threads -o {>out.json}"), (1, "--check {schedule}"), (1, "--show {schedule}"),
                 (1, "{metis} --dot {>out.dot} --metis {>out.graph} --loop tasks"),
                 (WATCH, "-o {>out.schedule} -- apps/spmv --mesh 64 --iterations 1")],
    "reorder": [(1, "{mtx} -o {>out.mtx} --rows {>rows.txt} --columns {>columns.txt}"),
                (1, "{metis} -o {>out.graph} --order rcm"), (1, "{atoll} -o {>out.atoll} --json")],
    "simulate": [(1, "{timed} --machine xeon-2x10"), (1, "{timed} --machine {json} --json --layout distributed"),
                 (0.5, "{timed} --machine xeon-2x10 --plan {plan}"), (WATCH, "--machine xeon-2x10 -- /bin/true"),
                 (0.03, "{gm} --graph {el} --arg least=1 --machine xeon-2x10")],
    "cloverleaf2d": [(1, "{deck}"), (1, "{deck} --json --snapshots 1 --frames 1"), (1, "{deck} --checkpoint 1"),
                     (1, "{deck} --restart {checkpoint}"), (0.5, "{deck} --output folder --snapshots 2")],
    "cloverleaf3d": [(1, "{deck3}"), (1, "{deck3} --report --snapshots 3 --frames 1")],
    "irreg": [(1, "--nodes 64 --edges 128 --iterations 1"), (1, "--graph {el} --iterations 1")],
    "matmul": [(1, "--size 8 --iterations 1")],
    "radix": [(1, "--keys 4096 --iterations 1 --threads 2")],
    "spmm": [(1, "--matrix {mtx}")],
    "spmv": [(1, "--mesh 64 --iterations 1"), (1, "--matrix {mtx} --iterations 1 --format ccs")],
    "streamcluster": [(1, "2 4 2 16 8 6 none {>out.txt} 1"), (1, "2 4 2 0 16 6 {points} {>out.txt} 2 --json")],
    "taylor-green": [(1, "--dimensions 2 --size 8 --steps 2"), (0.5, "--size 4 --steps 1 --json"),
                     (1, "--dimensions 2 --size 8 --steps 2 --snapshots 1 --frames 1"),
                     (1, "--dimensions 2 --size 8 --steps 3 --restart {vortex}")],
}

STENCIL = ("*.xmf", "*.h5", "*.png")
WRITES = {"compile": ("lib*.so", "lib*.h"), "profile": ("atoll.profile",), "cloverleaf2d": STENCIL,
          "cloverleaf3d": STENCIL, "taylor-green": STENCIL}
# Flags after which a call takes longer than the limit allows on any input.
SLOW = {("machine", "--measure"), ("machine", "--quick")}
