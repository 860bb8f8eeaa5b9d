// Programs that are hard to watch: they check what they find, and return 0 if it is right.
#pragma once

/// Thousands of short threads, some of them forking, all of them allocating.
int many_threads();
/// Not allowed, and yet done by many programs: allocating in a handler.
int allocate_in_handlers();
/// Handlers that end the process, which is allowed, wherever it is.
int exit_in_handlers();
/// With 1 GiB of address space: 4 GiB are allocated and freed in turn, and running out is seen.
int within_limit();
/// More stacks than can be told apart.
int many_stacks();
/// Sums up what a chain of allocations took, as a benchmark of the heap.
int spin();
