// Includes all headers that a C++ program needs to place its arrays: machines, teams, layouts,
// arrays, transfers, loops and graphs.
#pragma once

#include "atoll/array/array.hpp"
#include "atoll/array/epochs.hpp"
#include "atoll/array/placed_memory_resource.hpp"
#include "atoll/array/transfer.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "atoll/graph/generate.hpp"
#include "atoll/graph/graph.hpp"
#include "atoll/machine/machine.hpp"
#include "atoll/machine/thread_places.hpp"
#include "atoll/parallel/for_each.hpp"
#include "atoll/parallel/for_each_task.hpp"
#include "atoll/parallel/renumbering.hpp"
#include "atoll/plan/choose_layouts.hpp"
#include "atoll/plan/partition.hpp"
#include "atoll/plan/program_plan.hpp"
#include "atoll/threads/team.hpp"
