#include "simulate/machine_view.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "atoll/base/error.hpp"
#include "base/environment.hpp"

namespace Atoll::simulate {
namespace {

namespace fs = std::filesystem;

/// "0-3,8": the kernel's list format.
std::string list_of(const std::set<int>& numbers) {
  std::string text;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const int first = *at;
    int last = first;
    for (++at; at != numbers.end() && *at == last + 1; ++at) last = *at;
    if (!text.empty()) text += ",";
    text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  return text;
}

/// "00000000,0000000f": the kernel's mask format.
std::string mask_of(const std::set<int>& numbers, int count) {
  std::string text;
  for (int word = (count + 31) / 32 - 1; word >= 0; --word) {
    std::uint32_t bits = 0;
    for (int bit = 0; bit < 32; ++bit)
      if (numbers.contains(word * 32 + bit)) bits |= 1U << bit;
    text += fmt::format("{}{:08x}", text.empty() ? "" : ",", bits);
  }
  return text;
}

NodeId id_of(int node) {
  return NodeId{static_cast<std::uint32_t>(node)};
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text << '\n';
  if (!file.flush()) throw Error::failed(path.string(), "can't be written", "make room for it");
}

/// Thousands of small files, so /dev/shm if it is available.
fs::path parent_folder() {
  const bool has_memory =
      environment_variable("TMPDIR") == nullptr && ::access("/dev/shm", W_OK) == 0;
  if (has_memory) return "/dev/shm";
  std::error_code wrong;
  fs::path folder = fs::temp_directory_path(wrong);
  if (wrong)
    throw Error::input("TMPDIR", "names no folder: " + wrong.message(), "name one, or unset it");
  return folder;
}

struct Shown {
  const Machine& machine;
  const Model& model;
  std::vector<Processor> pus;
  std::set<int> numbers, nodes;
  int most = 0;  ///< highest number + 1

  [[nodiscard]] std::set<int> with(const std::function<bool(const Processor&)>& is) const {
    std::set<int> found;
    for (const Processor& pu : pus)
      if (is(pu)) found.insert(pu.os_index);
    return found;
  }
};

void write_lists(const fs::path& folder, const char* name, const Shown& shown,
                 const std::set<int>& pus) {
  write(folder / name, mask_of(pus, shown.most));
  write(folder / (std::string(name) + "_list"), list_of(pus));
}

void write_cache(const fs::path& folder, const Shown& shown, int level, std::uint64_t lines,
                 std::uint64_t ways, const std::set<int>& pus) {
  fs::create_directories(folder);
  const auto line = std::uint64_t{1} << shown.model.shape.line_bits;
  write(folder / "level", std::to_string(level));
  write(folder / "type", level == 1 ? "Data" : "Unified");
  write(folder / "size", fmt::format("{}K", lines * line / 1024));
  write(folder / "coherency_line_size", std::to_string(line));
  write(folder / "ways_of_associativity", std::to_string(ways));
  write(folder / "number_of_sets", std::to_string(lines / std::max<std::uint64_t>(ways, 1)));
  write(folder / "shared_cpu_map", mask_of(pus, shown.most));
  write(folder / "shared_cpu_list", list_of(pus));
}

void write_cpus(const fs::path& root, const Shown& shown) {
  const fs::path folder = root / "sys/devices/system/cpu";
  fs::create_directories(folder);
  for (const char* name : {"online", "possible", "present"})
    write(folder / name, list_of(shown.numbers));
  write(folder / "kernel_max", "8191");
  std::string info;
  for (const Processor& pu : shown.pus) {
    const fs::path its = folder / fmt::format("cpu{}", pu.os_index);
    fs::create_directories(its / "topology");
    if (pu.os_index != 0) write(its / "online", "1");
    const HardwareThread& hw_thread = shown.model.hw_threads.at(pu.os_index);
    const auto of_core = shown.with([&](const Processor& one) { return one.core == pu.core; });
    const auto of_package =
        shown.with([&](const Processor& one) { return one.package == pu.package; });
    write(its / "topology/core_id", std::to_string(pu.core));
    write(its / "topology/physical_package_id", std::to_string(pu.package));
    write_lists(its / "topology", "thread_siblings", shown, of_core);
    write_lists(its / "topology", "core_cpus", shown, of_core);
    write_lists(its / "topology", "core_siblings", shown, of_package);
    write_lists(its / "topology", "package_cpus", shown, of_package);
    const Shape& shape = shown.model.shape;
    const auto seat_of = [&](const Processor& one) {
      return shown.model.hw_threads.at(one.os_index);
    };
    write_cache(its / "cache/index0", shown, 1, shape.l1.entries, shape.l1.ways, of_core);
    write_cache(its / "cache/index1", shown, 2, shape.l2.entries, shape.l2.ways,
                shown.with([&](const Processor& one) { return seat_of(one).l2 == hw_thread.l2; }));
    if (shape.l3.entries != 0)
      write_cache(
          its / "cache/index2", shown, 3, shape.l3.entries, shape.l3.ways,
          shown.with([&](const Processor& one) { return seat_of(one).chip == hw_thread.chip; }));
    const std::size_t cores = std::set<int>([&] {
                                std::set<int> all;
                                for (const Processor& one : shown.pus)
                                  if (one.package == pu.package) all.insert(one.core);
                                return all;
                              }())
                                  .size();
    info += fmt::format(
        "processor\t: {}\nvendor_id\t: Atoll\nmodel name\t: {}\nphysical id\t: {}\n"
        "siblings\t: {}\ncore id\t\t: {}\ncpu cores\t: {}\napicid\t\t: {}\nflags\t\t: fpu\n\n",
        pu.os_index, shown.machine.name(), pu.package, of_package.size(), pu.core, cores,
        pu.os_index);
  }
  fs::create_directories(root / "proc");
  write(root / "proc/cpuinfo", info);
}

/// Reports all memory as free and without cgroup limits. This computer's free memory would vary
/// from run to run.
void write_memory(const fs::path& root, std::uint64_t bytes) {
  write(root / "proc/meminfo",
        fmt::format("MemTotal:       {0} kB\nMemFree:        {0} kB\nMemAvailable:   {0} kB\n"
                    "Buffers:        0 kB\nCached:         0 kB\nSwapTotal:      0 kB\n"
                    "SwapFree:       0 kB\nHugePages_Total: 0\nHugePages_Free: 0\n"
                    "Hugepagesize:   2048 kB",
                    bytes / 1024));
  write(root / "proc/zoneinfo", "");
  fs::create_directories(root / "proc/self");
  write(root / "proc/self/cgroup", "0::/");
}

void write_nodes(const fs::path& root, const Shown& shown) {
  const fs::path folder = root / "sys/devices/system/node";
  fs::create_directories(folder);
  std::set<int> with_pus, with_memory;
  std::uint64_t all_bytes = 0;
  for (const int node : shown.nodes) {
    const fs::path its = folder / fmt::format("node{}", node);
    fs::create_directories(its);
    const auto pus =
        shown.with([&](const Processor& pu) { return static_cast<int>(pu.node.value) == node; });
    if (!pus.empty()) with_pus.insert(node);
    write(its / "cpumap", mask_of(pus, shown.most));
    write(its / "cpulist", list_of(pus));
    for (const int pu : pus) {
      fs::create_directory_symlink(fmt::format("../../cpu/cpu{}", pu),
                                   its / fmt::format("cpu{}", pu));
      fs::create_directory_symlink(
          fmt::format("../../node/node{}", node),
          root / fmt::format("sys/devices/system/cpu/cpu{}/node{}", pu, node));
    }
    std::uint64_t bytes = 0;
    if (shown.machine.has_memory(id_of(node))) {
      bytes = shown.machine.memory(id_of(node)).capacity_bytes;
      if (bytes == 0) bytes = std::uint64_t{16} << 30;
      with_memory.insert(node);
      all_bytes += bytes;
    }
    write(its / "meminfo", fmt::format("Node {0} MemTotal:       {1} kB\nNode {0} MemFree:        "
                                       "{1} kB\nNode {0} MemUsed:        0 kB",
                                       node, bytes / 1024));
    for (const MemorySideCache& cache : shown.machine.hardware().memory_side_caches) {
      if (static_cast<int>(cache.memory.value) != node) continue;
      const fs::path index = its / "memory_side_cache/index1";
      fs::create_directories(index);
      write(index / "size", std::to_string(cache.bytes));
      write(index / "line_size", std::to_string(cache.line_bytes));
      write(index / "indexing", cache.ways == 1 ? "0" : "1");  // 0: direct mapped
      write(index / "write_policy", "0");                      // write back
    }
    std::string distances;
    for (const int other : shown.nodes) {
      double distance = node == other ? 10 : 20;
      const auto& from = shown.machine.initiators();
      const auto is_initiator = [&](int one) {
        return std::ranges::find(from, id_of(one)) != from.end();
      };
      if (is_initiator(node) && shown.machine.has_memory(id_of(other)))
        distance = shown.machine.link(id_of(node), id_of(other)).distance;
      else if (is_initiator(other) && shown.machine.has_memory(id_of(node)))
        distance = shown.machine.link(id_of(other), id_of(node)).distance;
      distances += fmt::format("{}{}", distances.empty() ? "" : " ", std::lround(distance));
    }
    write(its / "distance", distances);
  }
  for (const char* name : {"online", "possible"}) write(folder / name, list_of(shown.nodes));
  write(folder / "has_cpu", list_of(with_pus));
  for (const char* name : {"has_memory", "has_normal_memory"})
    write(folder / name, list_of(with_memory));
  write_memory(root, all_bytes);
}

}  // namespace

MachineView::MachineView(const Machine& machine, const Model& model, const ThreadPlaces& places,
                         const std::vector<int>& allowed)
    : folder_(parent_folder() / "atoll-machine-") {
  Shown shown{.machine = machine, .model = model, .pus = {}, .numbers = {}, .nodes = {}};
  for (const ThreadPlace& place : places) {
    shown.numbers.insert(place.pu);
    shown.nodes.insert(static_cast<int>(place.node.value));
    shown.most = std::max(shown.most, place.pu + 1);
  }
  for (const Processor& pu : machine.processors())
    if (shown.numbers.contains(pu.os_index)) shown.pus.push_back(pu);
  for (const MemoryNode& memory : machine.memories())
    if (std::ranges::find(machine.initiators(), memory.id) == machine.initiators().end())
      shown.nodes.insert(static_cast<int>(memory.id.value));
  if (shown.most > static_cast<int>(inside::kMaxPus) ||
      *shown.nodes.rbegin() >= static_cast<int>(inside::kMaxNodes))
    throw Error::input(machine.name(), "has more processing units or nodes than can be shown",
                       fmt::format("the most are {} and {}", inside::kMaxPus, inside::kMaxNodes));
  write_cpus(folder_.path(), shown);
  write_nodes(folder_.path(), shown);
  const std::string path = folder_.path() / "view";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  void* mapped = MAP_FAILED;
  if (file >= 0 && ::ftruncate(file, sizeof(inside::View)) == 0)
    mapped = ::mmap(nullptr, sizeof(inside::View), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int error = errno;
  if (file >= 0) ::close(file);
  if (mapped == MAP_FAILED) throw Error::system(path, "writing it", error);
  view_ = static_cast<inside::View*>(mapped);
  view_->pus = static_cast<std::uint32_t>(shown.numbers.size());
  view_->allowed_pus = static_cast<std::uint32_t>(allowed.size());
  view_->nodes = static_cast<std::uint32_t>(shown.nodes.size());
  for (const Processor& pu : shown.pus) {
    const auto at = static_cast<std::size_t>(pu.os_index);
    view_->shown[at / 64] |= std::uint64_t{1} << at % 64;
    view_->node_of_pu[at] = pu.node.value;
  }
  for (const int pu : allowed)
    view_->allowed[static_cast<std::size_t>(pu) / 64] |= std::uint64_t{1}
                                                         << static_cast<std::size_t>(pu) % 64;
  for (const int node : shown.nodes)
    view_->shown_nodes[static_cast<std::size_t>(node) / 64] |= std::uint64_t{1} << node % 64;
  view_->first_pu = static_cast<std::uint32_t>(places.front().pu);
  view_->magic = inside::kMagic;
}

MachineView::~MachineView() {
  if (view_ != nullptr) ::munmap(view_, sizeof(inside::View));
}

std::vector<std::pair<std::string, std::string>> MachineView::environment() const {
  // hwloc reads the files, and is allowed to bind threads; its x86 component would report this
  // computer's processors. OpenMP threads that spin would take time from others. Symbols are bound
  // at the start, so that this isn't the work of the thread that is first by chance.
  std::vector<std::pair<std::string, std::string>> all{{inside::kVariable, folder_.path()},
                                                       {"HWLOC_FSROOT", folder_.path()},
                                                       {"HWLOC_THISSYSTEM", "1"},
                                                       {"HWLOC_COMPONENTS", "-x86"},
                                                       {"LD_BIND_NOW", "1"}};
  if (environment_variable("OMP_WAIT_POLICY") == nullptr)
    all.emplace_back("OMP_WAIT_POLICY", "passive");
  if (environment_variable("KMP_BLOCKTIME") == nullptr) all.emplace_back("KMP_BLOCKTIME", "0");
  return all;
}

void MachineView::note_place(int tid, int pu) {
  const auto home = static_cast<std::size_t>(tid) % inside::kThreads;
  const auto word = static_cast<std::uint64_t>(tid) << 32 | static_cast<std::uint32_t>(pu);
  for (std::size_t i = 0; i < 64; ++i) {
    std::atomic<std::uint64_t>& slot = view_->threads[(home + i) % inside::kThreads];
    const std::uint64_t now = slot.load();
    if (now == 0 || now >> 32 == static_cast<std::uint64_t>(tid)) return slot.store(word);
  }
  view_->threads[home].store(word);
}

void MachineView::answer(std::uint32_t row, std::span<const std::int16_t> answers) {
  if (row >= inside::kThreads) return;
  const std::size_t count = std::min(answers.size(), inside::kAnswers);
  std::copy_n(answers.begin(), count, view_->rows[row].answers);
}

bool MachineView::was_seen() const {
  return view_->seen.load() != 0;
}

}  // namespace Atoll::simulate
