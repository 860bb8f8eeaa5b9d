# An acoustic wave of order 8 in 3D with Devito: wave_devito.py POINTS THREADS. For each input line
# "untuned STEPS" or "tuned STEPS", it runs from the start, and prints the seconds that the
# generated code took, the sum of the squares of the last field, and its value in the middle.
# stencil_wave.hpp computes the same wave.
import os
import sys

points, threads = int(sys.argv[1]), sys.argv[2]
os.environ.update(DEVITO_LANGUAGE="openmp", DEVITO_LOGGING="ERROR", OMP_NUM_THREADS=threads)

import numpy
from devito import Eq, Function, Grid, Operator, TimeFunction, solve

grid = Grid(shape=(points,) * 3, extent=(points - 1.0,) * 3, dtype=numpy.float32)
u = TimeFunction(name="u", grid=grid, time_order=2, space_order=8)
m = Function(name="m", grid=grid)
m.data[:] = 1.0
operator = Operator(Eq(u.forward, solve(m * u.dt2 - u.laplace, u.forward)))
dt = numpy.float32(0.25)

# A bell in the middle, at rest.
away = numpy.arange(points, dtype=numpy.float64) - points // 2
bell = numpy.exp(-(away / 8) ** 2)
start = (bell[:, None, None] * bell[None, :, None] * bell[None, None, :]).astype(numpy.float32)
blocks = None


def run(steps, **arguments):
    u.data[:] = start
    summary = operator.apply(time_m=1, time_M=steps, dt=dt, **arguments)
    return sum(section.time for section in summary.values())


def tune():
    """Blocks that Devito's own tuner finds."""
    operator.apply(time_m=1, time_M=30, dt=dt, autotune="aggressive")
    tuned = {}
    for state in operator._state.get("autotuning", []):
        tuned.update(state["tuned"])
    return {name: value for name, value in tuned.items() if "blk" in name}


run(2, autotune=False)  # compiles
print("ready", flush=True)
for line in sys.stdin:
    what, steps = line.split()
    steps = int(steps)
    if what == "tuned" and blocks is None:
        blocks = tune()
        print(f"blocks {blocks}", file=sys.stderr)
    seconds = run(steps, autotune=False, **(blocks if what == "tuned" else {}))
    last = u.data[(steps + 1) % 3].astype(numpy.float64)
    print(seconds, (last**2).sum(), last[(points // 2,) * 3], flush=True)
