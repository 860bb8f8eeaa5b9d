// Fuzzes loading of checkpoints. The input is a whole file, patches to a valid file, or choices for
// the content of a file that another program writes with a correct checksum. Either the file is
// loaded, or a one-line Error (input) is thrown and the state is unchanged.
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/stencil/checkpoint.hpp"
#include "memory_file.hpp"
#include "patches.hpp"
#include "stencil/output/descriptor.hpp"
#include "stencil/output/hdf5.hpp"
#include "stencil/output/seal.hpp"

namespace {

using namespace Atoll;
using namespace Atoll::stencil;

void require(bool condition) {
  if (!condition) __builtin_trap();
}

/// State that checkpoints are loaded into.
struct State {
  std::int64_t step = 1;
  double time = 2;
  std::vector<double> field = std::vector<double>(12, 3);

  [[nodiscard]] Checkpoint checkpoint() {
    Checkpoint all("program");
    all.setting("cells", std::int64_t{12});
    all.setting("kind", "heat");
    all.scalar("step", step);
    all.scalar("time", time);
    all.field(dense_array("field", field.data(), 2, {4, 3, 1}));
    return all;
  }
  friend bool operator==(const State&, const State&) = default;
};

/// Returns a valid checkpoint of State.
const std::string& good_file() {
  static const std::string content = [] {
    const std::string path = "/tmp/fuzz_checkpoint." + std::to_string(::getpid());
    State().checkpoint().save(path);
    std::ifstream file(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    ::unlink(path.c_str());
    return bytes;
  }();
  return content;
}

/// Reads choices from the input. After its end, all choices are 0.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::size_t below(std::size_t count) {
    if (size_ == 0) return 0;
    --size_;
    return *data_++ % count;
  }
  std::string name() {
    static constexpr const char* kNames[]{"cells", "kind",     "step",    "time",
                                          "field", "settings", "scalars", "fields"};
    return kNames[below(8)];
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

hdf5::Value value_of(Choices& choices) {
  switch (choices.below(5)) {
    case 0:
      return std::int64_t{12};
    case 1:
      return static_cast<double>(choices.below(256));
    case 2:
      return std::string("heat");
    case 3:
      return std::string(choices.below(256) * 16, 'x');
    default:
      return static_cast<std::int64_t>(choices.below(256));
  }
}

void put_array(hid_t group, const std::string& name, Choices& choices) {
  ConstStridedArray array{.name = name};
  array.type = static_cast<ElementType>(choices.below(10));
  array.dimensions = 1 + static_cast<int>(choices.below(3));
  for (int d = 0; d < array.dimensions; ++d)
    array.points[static_cast<std::size_t>(d)] = static_cast<std::int64_t>(choices.below(6));
  array.components = 1 + static_cast<int>(choices.below(2));
  static const std::vector<std::byte> zero(8);
  array.first = zero.data();  // strides are 0, so all points use this value
  hdf5::write_array(group, array, "other");
}

/// Writes the chosen content. Groups may be missing, empty or an array instead, and may contain
/// anything.
void put_content(hid_t file, Choices& choices) {
  if (choices.below(8) != 7)
    hdf5::write_attribute(file, "program", choices.below(8) == 7 ? value_of(choices) : "program",
                          "other");
  for (const char* name : {"settings", "scalars", "fields"}) {
    if (const std::size_t kind = choices.below(16); kind == 15)
      continue;
    else if (kind == 14) {
      put_array(file, name, choices);
      continue;
    }
    const hdf5::Handle group = hdf5::create_group(file, name, "other");
    if (choices.below(2) == 0) {  // the content that the program expects
      if (name[1] == 'e') {
        hdf5::write_attribute(group.id(), "cells", std::int64_t{12}, "other");
        hdf5::write_attribute(group.id(), "kind", "heat", "other");
      } else if (name[1] == 'c') {
        hdf5::write_attribute(group.id(), "step", std::int64_t{7}, "other");
        hdf5::write_attribute(group.id(), "time", 8.0, "other");
      }
    }
    for (std::size_t more = choices.below(4); more > 0; --more) try {
        const std::string part = choices.name();
        if (choices.below(2) == 0)
          hdf5::write_attribute(group.id(), part, value_of(choices), "other");
        else if (choices.below(4) == 0)
          (void)hdf5::create_group(group.id(), part, "other");
        else
          put_array(group.id(), part, choices);
      } catch (const Error&) {  // the name exists already
      }
  }
}

/// Returns a checkpoint that another program wrote, with a correct seal.
std::string other_file(Choices choices) {
  const MemoryFile file("", 0);
  const Descriptor opened(file.path(), O_RDWR);
  hdf5::FileTarget medium{.descriptor = opened.get()};
  const hdf5::SilencedErrors quiet;
  {
    hdf5::Handle content = hdf5::create_file(medium, kSealBytes, "other");
    put_content(content.id(), choices);
    require(content.close());
  }
  const std::string seal = seal_of(opened.get(), "other");
  require(::pwrite(opened.get(), seal.data(), seal.size(), 0) == static_cast<ssize_t>(kSealBytes));
  std::ifstream written(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(written), {}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string content;
  switch (data[0] % 4) {
    case 0:
      content.assign(reinterpret_cast<const char*>(data + 1), size - 1);
      break;
    case 1:
      content = good_file();
      for_each_patch<std::uint16_t>(data, size, [&](const auto& patch) { patch.apply(content); });
      break;
    default:
      content = other_file({data + 1, size - 1});
  }
  const MemoryFile file(content.data(), content.size());
  State state;
  try {
    state.checkpoint().load(file.path());
    require(data[0] % 4 > 1 || content == good_file());
    require(state.field.size() == 12);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    require(error.kind() == Error::Kind::input && message.starts_with(file.path()) &&
            message.find('\n') == std::string_view::npos);
    require(state == State());
  }
  return 0;
}
