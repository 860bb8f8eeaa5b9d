// Checkpoints: a program registers the parts of its state once, and saves or loads them together.
// The file is HDF5 after a header of 512 bytes (HDF5's user block) with a checksum of the rest: a
// truncated or damaged file is rejected before HDF5 reads any of it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "atoll/stencil/strided_array.hpp"

namespace Atoll::stencil {

/// The registered state of a program. Registered objects must keep their addresses during the
/// lifetime of this object. HDF5 isn't thread-safe: only one thread at a time may save or load.
class Checkpoint {
 public:
  /// A value that must be equal in the run that saves and the run that loads, such as the number of
  /// cells.
  using Setting = std::variant<std::int64_t, double, std::string>;

  /// `program` identifies the program: only files that were saved under this name can be loaded.
  explicit Checkpoint(std::string program);

  /// Registers a value that must be bitwise equal in the run that loads.
  void setting(std::string name, Setting value);
  /// Registers a number that is saved and loaded.
  void scalar(std::string name, double& value);
  /// The same for integers.
  void scalar(std::string name, std::int64_t& value);
  /// Registers an array that is saved and loaded. Include the halo in its points if the program
  /// needs the halo's values after loading.
  void field(StridedArray array);
  /// Registers a field of a mesh, with its halo. Saving and loading run the queued loops first.
  template <Element T, bool kColumn>
  void field(const Field<T, kColumn>& field) {
    this->field(field.storage());
  }
  /// Overload for storage.
  void field(FieldStorage& storage);
  /// The registered fields of meshes.
  [[nodiscard]] std::vector<FieldStorage*> storages() const;

  /// Writes the whole state to `path`. Replaces an existing file atomically. Throws Error: input if
  /// the folder isn't writable, failed if writing fails.
  void save(const std::string& path) const;

  /// Restores the state bit by bit. Throws Error (input) if the file isn't a checkpoint, is
  /// truncated or damaged, belongs to another program, or has other settings, names, types or
  /// sizes. The state is unchanged then.
  void load(const std::string& path);

 private:
  template <typename Value>
  struct Named {
    std::string name;
    Value value;
  };
  using ScalarPointer = std::variant<std::int64_t*, double*>;

  void check_new_name(const std::string& name) const;
  [[nodiscard]] std::vector<StridedArray> arrays(bool writes) const;
  void write_content(std::int64_t file, const std::vector<StridedArray>& arrays,
                     const std::string& where) const;
  void read_content(std::int64_t file, const std::string& path);

  std::string program_;
  std::vector<Named<Setting>> settings_;
  std::vector<Named<ScalarPointer>> scalars_;
  /// An array of the program, or a field of a mesh, whose address is set when it is accessed.
  struct Part {
    StridedArray array;
    FieldStorage* field = nullptr;
  };
  std::vector<Part> fields_;
};

}  // namespace Atoll::stencil
