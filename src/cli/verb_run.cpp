// `atoll run PROG.gm`: compiles (or takes from the cache) and becomes the compiled program.
