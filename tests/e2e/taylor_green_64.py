"""Test of `make taylor-green`: 64^3 points to t = 5, within 0.5 % of the energy of an incompressible spectral
run, and within 1 % of its dissipation."""

import json
import subprocess
import sys

done = subprocess.run([f"{sys.argv[1]}/apps/taylor-green", "--size", "64", "--end", "5", "--json"],
                      capture_output=True, text=True, check=True)
got = json.loads(done.stdout)
worst = 0
for key, expected, limit in (("kinetic_energy", 0.073963, 0.005), ("dissipation", 0.012969, 0.01)):
    error = abs(got[key] / expected - 1)
    worst = max(worst, error / limit)
    print(f"{key} {got[key]:.6f}, expected {expected} within {100 * limit:g} %: {100 * error:.2f} %")
sys.exit(worst > 1)
