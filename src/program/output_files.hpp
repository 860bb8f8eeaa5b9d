// --save and --csv: files of results, which are there when they are complete.
#pragma once

#include <string>
#include <vector>

#include "atoll/base/atomic_file.hpp"
#include "program/elements.hpp"
#include "program/names.hpp"

namespace Atoll::program {

/// Writes a property, in the form that the file's name asks for: what load_elements() reads.
void save_elements(AtomicFile& file, const std::string& path, const Elements& elements,
                   const Names& names);
/// Writes a collection: what load_items() reads.
void save_items(AtomicFile& file, const std::string& path, const Items& items, const Names& names);
/// Writes all results of nodes, or all of edges, as one table: a row for each, by id.
void save_table(AtomicFile& file, const std::vector<Elements>& results, bool edges,
                std::uint64_t count, const Names& names);

}  // namespace Atoll::program
