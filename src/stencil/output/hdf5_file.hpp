// Atomic writing of HDF5 files.
#pragma once

#include <functional>
#include <string>

#include "stencil/output/hdf5.hpp"

namespace Atoll::stencil::hdf5 {

/// Writes a file through AtomicFile. `content` fills it through HDF5's id. `head`, if given,
/// computes the first `user_block` bytes from a descriptor of the complete content. Throws Error:
/// input if the folder isn't writable, failed if writing fails; an old file is unchanged then.
void write_file(const std::string& path, std::size_t user_block,
                const std::function<void(hid_t file)>& content,
                const std::function<std::string(int descriptor)>& head = {});

}  // namespace Atoll::stencil::hdf5
