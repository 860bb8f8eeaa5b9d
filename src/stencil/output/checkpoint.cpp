// Saving and loading of a program's state. Loading compares everything in the file with the
// registered state before it changes any of it.
#include "atoll/stencil/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "atoll/base/error.hpp"
#include "stencil/output/descriptor.hpp"
#include "stencil/output/field_arrays.hpp"
#include "stencil/output/hdf5.hpp"
#include "stencil/output/hdf5_file.hpp"
#include "stencil/output/seal.hpp"

namespace Atoll::stencil {
namespace {

/// Numbers are compared bitwise: a NaN equals itself, and 0 differs from −0.
bool same(const Checkpoint::Setting& one, const Checkpoint::Setting& other) {
  if (const auto* a = std::get_if<double>(&one))
    return std::memcmp(a, &std::get<double>(other), sizeof *a) == 0;
  return one == other;
}

/// Text for messages, shortened because a file may contain any text.
std::string text_of(const Checkpoint::Setting& value) {
  std::string text = std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
  constexpr std::size_t kMax = 60;
  return text.size() <= kMax ? text : text.substr(0, kMax) + "…";
}

/// Throws if the group has more elements than the program registered.
void check_count(std::size_t there, std::size_t named, const std::string& what,
                 const std::string& path) {
  if (there != named)
    throw Error::input(path, fmt::format("it has {} {}, and this program {}", there, what, named),
                       "use a file of this program and version");
}

std::size_t attributes_of(hid_t group, const std::string& path) {
  std::size_t count = 0;
  const auto one_more = [](hid_t, const char*, const H5A_info_t*, void* to) -> herr_t {
    ++*static_cast<std::size_t*>(to);
    return 0;
  };
  hdf5::require(H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, one_more, &count), path,
                "reading its groups");
  return count;
}

std::size_t links_of(hid_t group, const std::string& path) {
  H5G_info_t info{};
  hdf5::require(H5Gget_info(group, &info), path, "reading its groups");
  return info.nlinks;
}

}  // namespace

Checkpoint::Checkpoint(std::string program) : program_(std::move(program)) {}

void Checkpoint::check_new_name(const std::string& name) const {
  const auto is_it = [&](const auto& named) { return named.name == name; };
  if (name.empty() || name == "." || name.find_first_of(std::string_view("/\0", 2)) != name.npos)
    throw Error::input("checkpoint", fmt::format("'{}' can't be a name in it", name),
                       "a name has some letters and no '/'");
  if (std::any_of(settings_.begin(), settings_.end(), is_it) ||
      std::any_of(scalars_.begin(), scalars_.end(), is_it) ||
      std::any_of(fields_.begin(), fields_.end(),
                  [&](const Part& part) { return part.array.name == name; }))
    throw Error::input("checkpoint", fmt::format("'{}' is named twice", name),
                       "give each part of the state a name of its own");
}

void Checkpoint::setting(std::string name, Setting value) {
  check_new_name(name);
  settings_.push_back({std::move(name), std::move(value)});
}

void Checkpoint::scalar(std::string name, double& value) {
  check_new_name(name);
  scalars_.push_back({std::move(name), &value});
}

void Checkpoint::scalar(std::string name, std::int64_t& value) {
  check_new_name(name);
  scalars_.push_back({std::move(name), &value});
}

void Checkpoint::field(StridedArray array) {
  check_new_name(array.name);
  fields_.push_back({std::move(array)});
}

void Checkpoint::field(FieldStorage& storage) {
  field(array_of(storage, storage.whole(), nullptr));
  fields_.back().field = &storage;
}

std::vector<FieldStorage*> Checkpoint::storages() const {
  std::vector<FieldStorage*> storages;
  for (const Part& part : fields_)
    if (part.field != nullptr) storages.push_back(part.field);
  return storages;
}

/// Runs the queued loops, and returns all arrays with their addresses.
std::vector<StridedArray> Checkpoint::arrays(bool writes) const {
  std::vector<StridedArray> arrays;
  detail::run_for(storages());
  for (const Part& part : fields_)
    arrays.push_back(part.field == nullptr ? part.array
                                           : array_of(*part.field, part.field->whole(),
                                                      detail::before_access(*part.field, writes)));
  return arrays;
}

void Checkpoint::write_content(std::int64_t file, const std::vector<StridedArray>& arrays,
                               const std::string& where) const {
  hdf5::write_attribute(file, "program", program_, where);
  const hdf5::Handle settings = hdf5::create_group(file, "settings", where);
  for (const auto& [name, value] : settings_)
    hdf5::write_attribute(settings.id(), name, value, where);
  const hdf5::Handle scalars = hdf5::create_group(file, "scalars", where);
  for (const auto& [name, pointer] : scalars_)
    std::visit([&](const auto* value) { hdf5::write_attribute(scalars.id(), name, *value, where); },
               pointer);
  const hdf5::Handle fields = hdf5::create_group(file, "fields", where);
  for (const StridedArray& array : arrays) hdf5::write_array(fields.id(), array, where);
}

void Checkpoint::save(const std::string& path) const {
  const std::vector<StridedArray> content = arrays(false);
  hdf5::write_file(
      path, kSealBytes, [&](hid_t file) { write_content(file, content, path); },
      [&](int descriptor) { return seal_of(descriptor, path); });
}

void Checkpoint::read_content(std::int64_t file, const std::string& path) {
  const auto program = std::get<std::string>(hdf5::read_attribute(file, "program", "", path));
  if (program != program_)
    throw Error::input(
        path, fmt::format("is a checkpoint of '{}', and this is '{}'", text_of(program), program_),
        "restart the program that wrote it");
  const hdf5::Handle settings = hdf5::open_group(file, "settings", path);
  check_count(attributes_of(settings.id(), path), settings_.size(), "settings", path);
  for (const auto& [name, value] : settings_) {
    const Setting there = hdf5::read_attribute(settings.id(), name, value, path);
    if (!same(there, value))
      throw Error::input(
          path, fmt::format("has {} {}, and this run {}", name, text_of(there), text_of(value)),
          "restart with the same " + name);
  }
  const hdf5::Handle scalars = hdf5::open_group(file, "scalars", path);
  check_count(attributes_of(scalars.id(), path), scalars_.size(), "scalars", path);
  std::vector<Setting> values;
  for (const auto& [name, pointer] : scalars_)
    values.push_back(std::visit(
        [&, &name = name](const auto* like) {
          return hdf5::read_attribute(scalars.id(), name, *like, path);
        },
        pointer));
  const hdf5::Handle fields = hdf5::open_group(file, "fields", path);
  check_count(links_of(fields.id(), path), fields_.size(), "fields", path);
  for (const Part& part : fields_) hdf5::check_array(fields.id(), part.array, path);
  for (const StridedArray& array : arrays(true)) hdf5::read_array(fields.id(), array, path);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::visit([&]<typename T>(T* value) { *value = std::get<T>(values[i]); }, scalars_[i].value);
}

void Checkpoint::load(const std::string& path) {
  const Descriptor opened(path, O_RDONLY | O_NONBLOCK);  // O_NONBLOCK: opening a pipe would wait
                                                         // for its writer
  struct stat status {};
  if (opened.get() < 0)
    throw Error::input(path, std::string("can't be opened: ") + std::strerror(errno),
                       "name a file that --checkpoint wrote");
  if (::fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode))
    throw Error::input(path, "is no regular file", "name a file that --checkpoint wrote");
  check_seal(opened.get(), path);
  hdf5::FileTarget medium{.descriptor = opened.get()};
  const hdf5::SilencedErrors quiet;
  const hdf5::Handle content = hdf5::open_file(medium, path);
  read_content(content.id(), path);
}

}  // namespace Atoll::stencil
