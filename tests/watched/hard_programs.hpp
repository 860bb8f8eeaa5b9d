// Programs that are hard to record. They check their own results, and return 0 if these are
// correct.
#pragma once

/// Thousands of short threads that allocate; some of them fork.
int many_threads();
/// Allocates in a signal handler, which isn't allowed, but common.
int allocate_in_handlers();
/// Ends the process in a signal handler, which is allowed at any time.
int exit_in_handlers();
/// With 1 GiB of address space, allocates and frees 4 GiB in total, and tests that allocations
/// beyond the limit fail.
int within_limit();
/// More call stacks than the recorder distinguishes.
int many_stacks();
/// Prints the time of a chain of allocations, as a benchmark of the heap.
int spin();
