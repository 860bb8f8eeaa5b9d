// Schedules a program's own threads, for `atoll schedule` with a command or with a profile.
#pragma once

#include "atoll/options/command.hpp"

#include "atoll/machine/machine.hpp"
#include "atoll/profile/profile.hpp"
#include "cli/recorded_schedule.hpp"

namespace Atoll::cli {

/// Adds --kernel-threads.
void add_kernel_threads(options::Command verb, RecordedOptions& options);

/// Throws Error (input) if an option is given that applies only to tasks.
void refuse_options_of_tasks(const options::Command verb);
/// Throws Error (input) if the option is given, because it would have no effect. `why` is the
/// reason.
void refuse(const options::Option& option, const char* why);

/// Writes the requested outputs, and prints a summary: a graph of the communication between the
/// profile's threads, and a plan that binds them.
void schedule_threads_of(const profile::Profile& profile, const Machine& machine,
                         const RecordedOptions& options);

}  // namespace Atoll::cli
