"""Programs of the zoo, built for each front end and run under it."""

import os
import subprocess

import zoo
from drivers import Compiler, drivers


class Zoo:
    def __init__(self, atoll, build, folder):
        self.atoll, self.folder, self.runs = atoll, folder, 0
        self.frontends = {"dbi": "dbi", "sample": "sample"}
        self.compilers = dict.fromkeys(self.frontends, {".c": ["gcc"], ".cpp": ["g++"]})
        for name in drivers(build):
            driver = Compiler(build, name)
            self.frontends[name] = driver.frontend
            self.compilers[name] = {".c": [driver.c, *driver.choice], ".cpp": [driver.cplusplus, *driver.choice]}

    def program(self, name, way):
        """Builds a program, as a user would, once for each compiler. Returns its path."""
        (source,) = zoo.SOURCE.glob(f"{name}.c*")
        program = self.folder / ("plain" if way in ("dbi", "sample") else way) / name
        if not program.exists():
            program.parent.mkdir(exist_ok=True)
            standard = ["-std=c++17"] if source.suffix == ".cpp" else []
            subprocess.run([*self.compilers[way][source.suffix], *standard, "-O1", "-g", "-pthread", source,
                            "-o", program], check=True)
        return program

    def __call__(self, name, way, *options, **environment):
        """Returns the truth, the front end's view of the same run, and the profile's path."""
        folder = self.folder / f"run{self.runs}"
        self.runs += 1
        told, profile = folder / "told", folder / "profile"
        told.mkdir(parents=True)
        done = subprocess.run(
            [str(self.atoll.program), "profile", "--frontend", self.frontends[way], "--memory", "1GiB", *options,
             "-o", str(profile), "--", str(self.program(name, way))],
            timeout=120, cwd=folder, capture_output=True, text=True,
            env=dict(os.environ, ZOO_TRUTH=str(told), **environment))
        assert done.returncode == 0, done.stderr
        return zoo.truth(told), zoo.Seen(profile), profile
