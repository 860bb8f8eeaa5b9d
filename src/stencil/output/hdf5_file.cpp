#include "stencil/output/hdf5_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "stencil/output/descriptor.hpp"

namespace Atoll::stencil::hdf5 {

void write_file(const std::string& path, std::size_t user_block,
                const std::function<void(hid_t file)>& content,
                const std::function<std::string(int descriptor)>& head) {
  AtomicFile file(path);
  // HDF5 also reads what it has written.
  const Descriptor opened(fmt::format("/proc/self/fd/{}", file.descriptor()), O_RDWR);
  if (opened.get() < 0) throw Error::system(path, "opening it to be read", errno);
  Medium medium{.descriptor = opened.get()};
  const Quiet quiet;
  try {
    Handle id = create_file(medium, user_block, path);
    content(id.id());
    if (!id.close()) throw Error::failed(path, "HDF5 couldn't complete it", "");
  } catch (const Error&) {
    if (medium.error == 0) throw;
  }
  if (medium.error != 0)
    throw Error::system(path, "writing it", medium.error, "the old file, if any, is untouched");
  // The descriptor of `file` still stands at the beginning, where HDF5 left room.
  if (head) file.write(head(opened.get()));
  file.commit();
}

}  // namespace Atoll::stencil::hdf5
