// What `atoll schedule` does with a program's own threads, whether a command was watched or a
// profile read.
#pragma once

#include "atoll/options/command.hpp"

#include "atoll/machine/machine.hpp"
#include "atoll/profile/profile.hpp"
#include "cli/recorded_schedule.hpp"

namespace Atoll::cli {

/// Adds --kernel-threads.
void add_kernel_threads(options::Command verb, RecordedOptions& options);

/// Throws Error (input) if an option was given that is for tasks.
void refuse_options_of_tasks(const options::Command verb);
/// An option that would play no part isn't passed over: who gives it expects something of it.
/// Throws Error (input) if it was given.
void refuse(const options::Option& option, const char* why);

/// Writes what was asked for, and prints: a graph of what the profile's threads communicate, and a
/// plan that binds them.
void schedule_threads_of(const profile::Profile& profile, const Machine& machine,
                         const RecordedOptions& options);

}  // namespace Atoll::cli
