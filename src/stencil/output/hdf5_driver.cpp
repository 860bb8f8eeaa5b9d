// A driver of HDF5's "virtual file layer" for open descriptors. The file has no name while it is
// written (AtomicFile), so that SIGKILL leaves no temporary files; HDF5's own drivers only open
// names.
#include <fcntl.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "stencil/output/hdf5.hpp"
#if H5_VERSION_GE(1, 14, 0)
#include <H5FDdevelop.h>
#endif

namespace Atoll::stencil::hdf5 {
namespace {

/// `base` must be the first member: HDF5 uses pointers to it.
struct OpenFile {
  H5FD_t base{};
  FileTarget* medium = nullptr;
  haddr_t allocated = 0;  ///< end of the addresses that HDF5 has allocated
  haddr_t size = 0;       ///< file size in bytes
};

OpenFile* self(H5FD_t* file) {
  return reinterpret_cast<OpenFile*>(file);
}
const OpenFile* self(const H5FD_t* file) {
  return reinterpret_cast<const OpenFile*>(file);
}

H5FD_t* open(const char* /*name*/, unsigned flags, hid_t access, haddr_t /*most*/) {
  const auto* medium = static_cast<FileTarget* const*>(H5Pget_driver_info(access));
  struct stat status {};
  if (medium == nullptr || ::fstat((*medium)->descriptor, &status) != 0) return nullptr;
  if ((flags & H5F_ACC_TRUNC) != 0 && ::ftruncate((*medium)->descriptor, 0) != 0) return nullptr;
  auto* file = new OpenFile;
  file->medium = *medium;
  file->size = (flags & H5F_ACC_TRUNC) != 0 ? 0 : static_cast<haddr_t>(status.st_size);
  return &file->base;
}

herr_t close(H5FD_t* file) {
  delete self(file);
  return 0;
}

int compare(const H5FD_t* one, const H5FD_t* other) {
  return one < other ? -1 : one > other ? 1 : 0;
}

herr_t query(const H5FD_t* /*file*/, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return self(file)->allocated;
}
herr_t set_allocated(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t address) {
  self(file)->allocated = address;
  return 0;
}
haddr_t get_size(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return self(file)->size;
}

herr_t read(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t at, std::size_t bytes,
            void* buffer) {
  auto* to = static_cast<char*>(buffer);
  while (bytes > 0) {
    const ssize_t got = ::pread(self(file)->medium->descriptor, to, bytes, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) {  // allocated but never written
      std::fill_n(to, bytes, '\0');
      return 0;
    }
    to += got;
    at += static_cast<haddr_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t at, std::size_t bytes,
             const void* buffer) {
  OpenFile* const opened = self(file);
  const auto* from = static_cast<const char*>(buffer);
  opened->size = std::max(opened->size, at + bytes);
  while (bytes > 0 && opened->medium->error == 0) {
    const ssize_t put = ::pwrite(opened->medium->descriptor, from, bytes, static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      opened->medium->error = put < 0 ? errno : EIO;
      break;
    }
    from += put;
    at += static_cast<haddr_t>(put);
    bytes -= static_cast<std::size_t>(put);
  }
  return 0;
}

/// Sets the size of the file to the addresses that HDF5 has allocated.
herr_t truncate(H5FD_t* file, hid_t /*transfer*/, hbool_t /*closing*/) {
  OpenFile* const opened = self(file);
  if (opened->size == opened->allocated) return 0;
  if (opened->medium->error == 0 &&
      ::ftruncate(opened->medium->descriptor, static_cast<off_t>(opened->allocated)) != 0)
    opened->medium->error = errno;
  opened->size = opened->allocated;
  return 0;
}

hid_t register_driver() {
  // Assigned by member name, because versions of HDF5 have different members.
  static H5FD_class_t driver{};
#if H5_VERSION_GE(1, 14, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(512);  // in the range for drivers that aren't
                                                        // registered with HDF5
#endif
  driver.name = "descriptor";
  driver.maxaddr = (static_cast<haddr_t>(1) << 62) - 1;
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(FileTarget*);
  driver.open = open;
  driver.close = close;
  driver.cmp = compare;
  driver.query = query;
  driver.get_eoa = get_allocated;
  driver.set_eoa = set_allocated;
  driver.get_eof = get_size;
  driver.read = read;
  driver.write = write;
  driver.truncate = truncate;
  std::fill(std::begin(driver.fl_map), std::end(driver.fl_map), H5FD_MEM_DEFAULT);
  return H5FDregister(&driver);
}

Handle access_to(FileTarget& medium, const std::string& where) {
  static const hid_t driver = register_driver();
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, where, "preparing HDF5");
  FileTarget* const pointer = &medium;
  require(H5Pset_driver(access.id(), driver, &pointer), where, "preparing HDF5");
  return access;
}

}  // namespace

Handle create_file(FileTarget& medium, std::size_t user_block, const std::string& where) {
  const Handle access = access_to(medium, where);
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, where, "preparing HDF5");
  require(H5Pset_userblock(creation.id(), user_block), where, "preparing HDF5");
  return {H5Fcreate(where.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose, where,
          "creating it with HDF5"};
}

Handle open_file(FileTarget& medium, const std::string& where) {
  const Handle access = access_to(medium, where);
  return {H5Fopen(where.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose, where,
          "opening it with HDF5"};
}

}  // namespace Atoll::stencil::hdf5
