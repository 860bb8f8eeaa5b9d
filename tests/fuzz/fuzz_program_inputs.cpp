// Fuzzes input files of programs: a property of each type at nodes or edges, a set, a sequence or a
// map, as text, table or binary. The file is refused in one line, or its content is unchanged after
// saving and loading.
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "atoll/base/error.hpp"
#include "graph/labels.hpp"
#include "program/input_files.hpp"
#include "program/output_files.hpp"

namespace {

using namespace Atoll;
using namespace Atoll::program;

class Folder {
 public:
  Folder() {
    if (::mkdtemp(path_) == nullptr) throw std::runtime_error("no folder");
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& ending) const {
    return path_ + ("/f" + ending);
  }

 private:
  char path_[32] = "/tmp/atoll-fuzz-XXXXXX";
};

bool is_nan(Scalar value) {
  const double* number = std::get_if<double>(&value);
  return number != nullptr && std::isnan(*number);
}

graph::Graph make_graph(bool labels) {
  const Team team({{}}, Team::Runtime::std_threads, false);
  graph::Graph graph =
      graph::from_edges({{0, 1}, {0, 1}, {1, 2}, {2, 2}, {3, 0}}, team, {.deduplicate = false});
  if (labels) graph::set_labels(graph.state(), {"a", "b c", "NIL", "#2"});
  return graph;
}

/// A property that is stored in `bytes`.
struct Column {
  std::vector<std::byte> bytes;
  Elements elements;

  Column(ValueType type, bool edges, const Names& names) {
    const std::uint64_t count = edges ? names.edges() : names.nodes();
    const auto make = [&]<class T>(T) {
      bytes.resize(count * sizeof(T));
      T* const all = reinterpret_cast<T*>(bytes.data());
      elements = {.name = "v",
                  .type = type,
                  .edges = edges,
                  .count = count,
                  .names = &names,
                  .value_names = &names,
                  .bytes = bytes,
                  .get = [all](std::uint64_t i) { return to_scalar(all[i]); },
                  .set = [all](std::uint64_t i, Scalar v) { all[i] = from_scalar<T>(v); }};
    };
    if (type == ValueType::int32) make(std::int32_t{});
    if (type == ValueType::int64) make(std::int64_t{});
    if (type == ValueType::float32) make(float{});
    if (type == ValueType::float64) make(double{});
    if (type == ValueType::boolean) make(std::uint8_t{});
    if (type == ValueType::node || type == ValueType::edge) make(std::uint32_t{});
  }
};

void check_column(const Folder& folder, const std::string& ending, ValueType type, bool edges,
                  const Names& names) {
  Column first(type, edges, names), second(type, edges, names);
  load_elements(folder.file(ending), first.elements);
  for (const std::string again : {".txt", ".csv", ".bin"}) {
    {
      AtomicFile file(folder.file(again));
      save_elements(file, again, first.elements);
    }
    load_elements(folder.file(again), second.elements);
    for (std::uint64_t i = 0; i < first.elements.count; ++i)  // the sign of a NaN may be lost
      if (const Scalar a = first.elements.get(i), b = second.elements.get(i); a != b && !is_nan(a))
        __builtin_trap();
  }
}

void check_items(const Folder& folder, const std::string& ending, const CollectionUse& use,
                 const Names& names) {
  std::vector<std::pair<Scalar, Scalar>> pairs, again;
  const auto items = [&use, &names](std::vector<std::pair<Scalar, Scalar>>& held) {
    return Items{.use = &use,
                 .count = held.size(),
                 .names = &names,
                 .value_names = &names,
                 .visit =
                     [&held](std::uint64_t, const auto& visit) {
                       for (const auto& [item, value] : held) visit(item, value);
                     },
                 .add =
                     [&held](Scalar item, Scalar value) {
                       held.emplace_back(item, value);
                       return true;
                     }};
  };
  load_items(folder.file(ending), items(pairs));
  {
    AtomicFile file(folder.file(".csv"));
    save_items(file, ".csv", items(pairs));
  }
  load_items(folder.file(".csv"), items(again));
  if (pairs.size() != again.size()) __builtin_trap();
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (pairs[i].first != again[i].first ||
        (pairs[i].second != again[i].second && !is_nan(pairs[i].second)))
      __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  static const graph::Graph graphs[] = {make_graph(false), make_graph(true)};
  if (size < 2) return 0;
  const Names names(graphs[data[0] & 1]);
  const bool edges = (data[0] & 2) != 0;
  constexpr const char* kEndings[] = {".txt", ".csv", ".bin", ".txt"};
  const std::string ending = kEndings[data[0] >> 2 & 3];
  const auto type = static_cast<ValueType>(data[1] % 7),
             other = static_cast<ValueType>(data[1] / 7 % 7);
  std::ofstream(folder.file(ending), std::ios::binary)
      .write(reinterpret_cast<const char*>(data) + 2, static_cast<std::streamsize>(size - 2));
  try {
    if ((data[0] & 16) == 0)
      check_column(folder, ending, type, edges, names);
    else
      check_items(folder, ending,
                  {.name = "v",
                   .kind = static_cast<CollectionKind>(data[0] >> 5 & 3),
                   .key = type,
                   .value = other},
                  names);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::input) __builtin_trap();
  }
  return 0;
}
