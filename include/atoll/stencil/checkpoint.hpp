// Checkpoints: a program names what its state is made of, once, and saves or loads it. The file is
// HDF5 behind 512 bytes of its own (HDF5's user block) that hold a checksum over the rest: a file
// that is cut short or damaged is refused before HDF5 reads a byte of it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "atoll/stencil/strided_array.hpp"

namespace Atoll::stencil {

/// The state of a program, as its checkpoints hold it. What is named here has to stay where it is
/// as long as this is used. HDF5 isn't for several threads: one thread at a time saves or loads.
class Checkpoint {
 public:
  /// What both runs have to agree on, such as the number of cells.
  using Setting = std::variant<std::int64_t, double, std::string>;

  /// `program` is the name that a file must have been written under.
  explicit Checkpoint(std::string program);

  /// Names something that the run which loads must have the same, to the bit.
  void setting(std::string name, Setting value);
  /// Names a number that is saved, and set when a file is loaded.
  void scalar(std::string name, double& value);
  /// The same for whole numbers.
  void scalar(std::string name, std::int64_t& value);
  /// Names an array that is saved, and filled when a file is loaded. Halos count as points if the
  /// program needs them again.
  void field(StridedArray array);
  /// Names a field of a mesh, with its halo. Saving and loading run what is queued before.
  template <Element T, bool kColumn>
  void field(const Field<T, kColumn>& field) {
    this->field(field.storage());
  }
  /// The same.
  void field(FieldStorage& storage);

  /// Writes everything to `path`. The file there is replaced by the whole new one or not at all,
  /// whatever happens meanwhile. Throws Error: input if the folder can't be written to, failed if
  /// writing fails.
  void save(const std::string& path) const;

  /// Reads everything back, to the bit. Throws Error (input) if the file isn't a checkpoint, is cut
  /// short or damaged, is another program's, or has other settings, names, types or sizes; nothing
  /// has been changed then.
  void load(const std::string& path);

 private:
  template <typename Value>
  struct Named {
    std::string name;
    Value value;
  };
  using ScalarPointer = std::variant<std::int64_t*, double*>;

  void check_new_name(const std::string& name) const;
  void write_content(std::int64_t file, const std::string& where) const;
  void read_content(std::int64_t file, const std::string& path);

  std::string program_;
  std::vector<Named<Setting>> settings_;
  std::vector<Named<ScalarPointer>> scalars_;
  std::vector<StridedArray> fields_;
  std::vector<FieldStorage*> storages_;  ///< those of the fields that belong to a mesh
};

}  // namespace Atoll::stencil
