#include "stencil/output/hdf5_file.hpp"

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"

namespace Atoll::stencil::hdf5 {

void write_file(const std::string& path, std::size_t user_block,
                const std::function<void(hid_t file)>& content,
                const std::function<std::string(int descriptor)>& head) {
  AtomicFile file(path);
  FileTarget medium{.descriptor = file.descriptor()};
  const SilencedErrors quiet;
  try {
    Handle id = create_file(medium, user_block, path);
    content(id.id());
    if (!id.close()) throw Error::failed(path, "HDF5 couldn't complete it", "");
  } catch (const Error&) {
    if (medium.error == 0) throw;
  }
  if (medium.error != 0)
    throw Error::system(path, "writing it", medium.error, "the old file, if any, is untouched");
  // HDF5 left room at the beginning. The descriptor's offset is still 0: the driver doesn't move
  // it.
  if (head) file.write(head(file.descriptor()));
  file.commit();
}

}  // namespace Atoll::stencil::hdf5
