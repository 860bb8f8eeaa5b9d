// Implements --save and --csv: files of results, which appear when they are complete.
#pragma once

#include <string>
#include <vector>

#include "atoll/base/atomic_file.hpp"
#include "program/elements.hpp"

namespace Atoll::program {

/// Writes a property in the format that the file's name selects; load_elements() reads it.
void save_elements(AtomicFile& file, const std::string& path, const Elements& elements);
/// Writes a collection; load_items() reads it.
void save_items(AtomicFile& file, const std::string& path, const Items& items);
/// Writes several collections; load_many() reads them.
void save_many(AtomicFile& file, const ManyItems& many);
/// Writes results as one table. All belong to the nodes, or all to the edges, of one graph.
void save_table(AtomicFile& file, const std::vector<Elements>& results);

}  // namespace Atoll::program
