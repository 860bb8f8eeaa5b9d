// HDF5 files that are there whole or not at all.
#pragma once

#include <functional>
#include <string>

#include "stencil/output/hdf5.hpp"

namespace Atoll::stencil::hdf5 {

/// Writes a file through AtomicFile: `content` gets HDF5's id of it. `head`, if there is one, makes
/// the first `user_block` bytes from a descriptor of the content, when that is complete. Throws
/// Error: input if the folder can't be written to, failed if writing fails; the old file is
/// untouched then.
void write_file(const std::string& path, std::size_t user_block,
                const std::function<void(hid_t file)>& content,
                const std::function<std::string(int descriptor)>& head = {});

}  // namespace Atoll::stencil::hdf5
