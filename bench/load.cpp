// Suite `load`: loads an R-MAT graph (scale 20, factor 8) from text and from Atoll's file format.
// The arrays are compared with the generator's before any measurement. Also shows the times that
// the disk, the page cache and memcpy need for the same bytes.
#include <atoll/graph/generate.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/machine/thread_places.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "bench.hpp"

namespace {

namespace fs = std::filesystem;
using Atoll::bench::require;
using Atoll::graph::Graph;
using Atoll::graph::Section;

constexpr Section kSections[] = {Section::begin, Section::node_idx, Section::r_begin,
                                 Section::r_node_idx};

Graph load_both_ways(const fs::path& path, const Atoll::Team& team) {
  Graph graph = Atoll::graph::load(path.string(), team);
  for (const Section section : kSections) graph.require(section, team);
  return graph;
}

/// A text file has no isolated nodes after the last edge, so the offsets of `part` may end earlier.
bool same(const Graph& part, const Graph& whole) {
  for (const Section section : kSections) {
    const auto left = part.bytes(section), right = whole.bytes(section);
    if (left.size() > right.size() || std::memcmp(left.data(), right.data(), left.size()) != 0)
      return false;
  }
  return part.edges() == whole.edges();
}

/// Reads with read() into a reused buffer; if `cold`, not from the page cache.
void read_file(const fs::path& path, bool cold) {
  static std::vector<char> memory(1 << 20);
  const int file = ::open(path.c_str(), O_RDONLY);
  require(file >= 0, path.string());
  if (cold) ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  while (::read(file, memory.data(), memory.size()) > 0) {
  }
  ::close(file);
}

/// Returns the peak resident memory of this process so far.
double peak_kibibytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double kibibytes; word == "VmHWM:" && status >> kibibytes) return kibibytes;
  return 0;
}

/// Returns the peak resident memory of a separate process that loads the text.
double peak_of_load(const fs::path& text) {
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  FILE* const child = ::popen(fmt::format("'{}' --load '{}'", self, text.string()).c_str(), "r");
  double kibibytes = 0;
  require(child != nullptr && std::fscanf(child, "%lf", &kibibytes) == 1 && ::pclose(child) == 0,
          "loading in a process of its own");
  return kibibytes;
}

}  // namespace

int main(int argc, char** argv) {
  const Atoll::Team team(Atoll::spread_places(Atoll::Machine::this_computer()));
  if (argc == 3 && std::string(argv[1]) == "--load") {
    static_cast<void>(load_both_ways(argv[2], team));
    fmt::print("{}\n", peak_kibibytes());
    return 0;
  }
  const fs::path folder =
      fs::read_symlink("/proc/self/exe").parent_path() / "load";  // next to the program
  const fs::path text = folder / "rmat-20-8.el", binary = folder / "rmat-20-8.atoll";
  fs::create_directories(folder);
  double csr_bytes = 0;
  {
    Graph made =
        Atoll::graph::generate_rmat({.scale = 20, .edge_factor = 8, .symmetrise = false}, team);
    for (const Section section : kSections) {
      made.require(section, team);
      csr_bytes += static_cast<double>(made.bytes(section).size());
    }
    save(made, binary.string());
    save_edge_list(made, text.string());
    require(same(load_both_ways(binary, team), made), "the binary file");
    require(same(load_both_ways(text, team), made), "the text");
    require(Atoll::graph::scan_text(text.string(), team).entries == made.edges(),
            "the text's entries");
  }
  const auto text_bytes = static_cast<double>(fs::file_size(text));
  const auto binary_bytes = static_cast<double>(fs::file_size(binary));
  std::vector<char> from(fs::file_size(text), 'x'), to(from.size());

  enum { kParse, kLoad, kBinary, kCache, kBinaryCache, kMemcpy };
  const auto seconds = Atoll::bench::alternate(
      {
          [&] { static_cast<void>(Atoll::graph::scan_text(text.string(), team)); },
          [&] { static_cast<void>(load_both_ways(text, team)); },
          [&] { static_cast<void>(load_both_ways(binary, team)); },
          [&] { read_file(text, false); },
          [&] { read_file(binary, false); },
          [&] { std::memcpy(to.data(), from.data(), from.size()); },
      },
      9);
  const auto disk = Atoll::bench::alternate({[&] { read_file(text, true); }}, 3)[0].median;

  Atoll::bench::Suite suite("load");
  const auto row = [&](const std::string& name, const auto& measured, const std::string& baseline,
                       double baseline_seconds) {
    suite.row(name, "s", measured.median, baseline, baseline_seconds, measured.spread);
  };
  row("parse text", seconds[kParse], "500 MB/s", text_bytes / 500e6);
  row("parse text", seconds[kParse], "read from page cache", seconds[kCache].median);
  row("text to sorted rows, both ways", seconds[kLoad], "100 MB/s", text_bytes / 100e6);
  row("text to sorted rows, both ways", seconds[kLoad], "read from disk", disk);
  row("text to sorted rows, both ways", seconds[kLoad], "memcpy", seconds[kMemcpy].median);
  row("binary, checked", seconds[kBinary], "read from page cache", seconds[kBinaryCache].median);
  row("binary, checked", seconds[kBinary], "text to sorted rows", seconds[kLoad].median);
  suite.row("peak memory of text load", "MiB", peak_of_load(text) / 1024, "rows, both ways",
            csr_bytes / 0x1p20);
  const auto speed = [](double bytes, double s) { return bytes / s / 1e6; };
  fmt::print(
      "{:.0f} MB of text: parsed at {:.0f} MB/s, in sorted rows both ways at {:.0f} MB/s;\n"
      "binary {:.0f} MB/s; page cache {:.0f}, disk {:.0f}, memcpy {:.0f} MB/s\n",
      text_bytes / 1e6, speed(text_bytes, seconds[kParse].median),
      speed(text_bytes, seconds[kLoad].median), speed(binary_bytes, seconds[kBinary].median),
      speed(text_bytes, seconds[kCache].median), speed(text_bytes, disk),
      speed(text_bytes, seconds[kMemcpy].median));
  suite.write(argc, argv);
}
