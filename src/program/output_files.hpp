// --save and --csv: files of results, which are there when they are complete.
#pragma once

#include <string>
#include <vector>

#include "atoll/base/atomic_file.hpp"
#include "program/elements.hpp"

namespace Atoll::program {

/// Writes a property, in the form that the file's name asks for: what load_elements() reads.
void save_elements(AtomicFile& file, const std::string& path, const Elements& elements);
/// Writes a collection: what load_items() reads.
void save_items(AtomicFile& file, const std::string& path, const Items& items);
/// Writes several: what load_many() reads.
void save_many(AtomicFile& file, const ManyItems& many);
/// Writes results, which are all of one graph's nodes, or of its edges, as one table.
void save_table(AtomicFile& file, const std::vector<Elements>& results);

}  // namespace Atoll::program
