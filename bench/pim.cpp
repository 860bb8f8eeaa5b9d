// Suite `pim`: the paper's two benchmarks [imi §5.1], pim relative to malloc of the C library,
// jemalloc, mimalloc and tcmalloc. Each runs in separate processes, in alternation; the minimum of
// nine runs is used, because other programs only add time. Also shows the growth of operation times
// and of metadata with the size of the device. Ratios are relative to the fastest (full arrays) or
// to the C library (pairs).
#include "bench.hpp"

#include <atoll/pim/device.hpp>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <sstream>

namespace fs = std::filesystem;
namespace pim = Atoll::pim;
using Atoll::bench::require;

namespace {

constexpr int kRounds = 9;

struct Peer {
  std::string name, program, library;
};

/// Returns the C library's malloc and those of installed packages.
std::vector<Peer> peers() {
  std::vector<Peer> found{{"pim", "pim", ""}, {"bmem", "bmem", ""}, {"glibc", "malloc", ""}};
  for (const auto& [name, file] : {std::pair{"jemalloc", "libjemalloc.so.2"},
                                   {"mimalloc", "libmimalloc.so.2"},
                                   {"tcmalloc", "libtcmalloc_minimal.so.4"}})
    for (const char* folder :
         {"/usr/lib/x86_64-linux-gnu/", "/usr/lib/aarch64-linux-gnu/", "/usr/lib/", "/usr/lib64/"})
      if (fs::exists(std::string(folder) + file)) {
        found.push_back({name, "malloc", std::string(folder) + file});
        break;
      }
  return found;
}

/// Returns the rows of one run of a peer, in the order of its output.
std::vector<std::pair<std::string, double>> run(const Peer& peer, const std::string& test) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "pim_allocators";
  const std::string command =
      fmt::format("{}'{}' {} '{}'", peer.library.empty() ? "" : "LD_PRELOAD=" + peer.library + " ",
                  program.string(), peer.program, test);
  FILE* pipe = ::popen(command.c_str(), "r");
  require(pipe != nullptr, command);
  std::vector<std::pair<std::string, double>> rows;
  char line[256];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    const std::string text(line);
    const std::size_t tab = text.find('\t');
    require(tab != std::string::npos, command);
    rows.emplace_back(text.substr(0, tab), std::stod(text.substr(tab + 1)));
  }
  require(::pclose(pipe) == 0 && !rows.empty(), command);
  return rows;
}

void against_malloc(Atoll::bench::Suite& suite) {
  const std::vector<Peer> all = peers();
  std::vector<std::string> names;
  std::map<std::string, std::map<std::string, std::vector<double>>> times;  // by row and peer
  for (const char* test : {"full horizontal", "full vertical", "pairs"})
    for (int round = 0; round < kRounds; ++round)
      for (std::size_t i = 0; i < all.size(); ++i) {
        const Peer& peer = all[round % 2 == 0 ? i : all.size() - 1 - i];
        for (const auto& [name, ns] : run(peer, test)) {
          if (times[name].empty()) names.push_back(name);
          times[name][peer.name].push_back(ns);
        }
      }
  for (const std::string& name : names) {
    std::string baseline = "glibc", text;
    const auto of = [&](const std::string& peer) {
      return Atoll::bench::summarise(times[name][peer]);
    };
    for (const Peer& peer : all) {
      if (peer.name == "pim" || peer.name == "bmem") continue;
      if (name.starts_with("full") && of(peer.name).least < of(baseline).least)
        baseline = peer.name;
      text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", peer.name, of(peer.name).least);
    }
    suite.row(name, "ns", of("pim").least, baseline, of(baseline).least, of("pim").spread);
    suite.row("  by bmem_malloc", "ns", of("bmem").least, baseline, of(baseline).least,
              of("bmem").spread);
    fmt::print("    {}\n", text);
  }
}

/// Returns a device of 2^10 to 2^20 units. Banks have 16 subarrays as in the paper; small devices
/// have fewer rows, large ones more banks.
pim::Geometry device_of(std::uint32_t units) {
  const std::uint32_t rows = std::min(1024U, units / 16);
  return {rows, 65536, 16, units / (16 * rows)};
}

/// A device that is kept about `percent` full of mixed blocks: random ones are freed and others
/// allocated instead.
class Churn {
 public:
  static constexpr std::size_t kOperations = 1 << 12;

  Churn(const pim::Geometry& g, unsigned percent) : device_(g), random_(g.banks) {
    kinds_ = {pim::Request::raw(1, 1),  pim::Request::raw(1, 8), pim::Request::raw(1, 32),
              pim::Request::raw(4, 1),  pim::Request::raw(4, 4), pim::Request::raw(1, 64),
              pim::Request::raw(16, 2), pim::Request::raw(1, 3)};
    for (std::uint64_t used = 0; used * 100 < g.units() * percent;) {
      pim::Block block = device_.try_allocate(kinds_[random_() % 8]);
      if (!block) continue;
      used += block.where().extent.units();
      blocks_.push_back(std::move(block));
    }
    // As many blocks as the smallest device has, so that only the device grows and not the
    // program's data.
    std::shuffle(blocks_.begin(), blocks_.end(), random_);
    some_ = std::min<std::size_t>(blocks_.size(), 64);
    for (std::size_t i = 0; i < 2 * kOperations; ++i) draws_.push_back(random_());
  }
  void run() {
    for (std::size_t i = 0; i < kOperations; ++i) {
      pim::Block& block = blocks_[draws_[2 * i] % some_];
      if (block) device_.free(block);
      block = device_.try_allocate(kinds_[draws_[2 * i + 1] % 8]);
    }
  }
  void check() const {
    std::uint64_t used = 0;
    for (const pim::Block& block : blocks_) used += block ? block.where().extent.units() : 0;
    const pim::Usage usage = device_.usage();
    require(usage.units - usage.free_units == used, "units in blocks");
  }

 private:
  pim::Device device_;
  std::mt19937 random_;
  std::vector<pim::Request> kinds_;
  std::vector<pim::Block> blocks_;
  std::size_t some_ = 0;
  std::vector<std::uint32_t> draws_;
};

void growth(Atoll::bench::Suite& suite) {
  for (const unsigned percent : {50U, 90U}) {
    std::vector<std::unique_ptr<Churn>> all;
    std::vector<std::function<void()>> variants;
    for (unsigned power = 10; power <= 20; power += 2) {
      all.push_back(std::make_unique<Churn>(device_of(1U << power), percent));
      variants.push_back([&one = *all.back()] { one.run(); });
    }
    const auto measured = Atoll::bench::alternate(variants, 101);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i]->check();
      const double ns = 1e9 / Churn::kOperations, power = 10 + 2 * static_cast<double>(i);
      suite.row(fmt::format("free and allocate, 2^{} units, {} %", power, percent), "ns",
                ns * measured[i].least, "2^10 units, times log(units)",
                ns * measured[0].least * power / 10);
    }
  }
  for (unsigned power = 10; power <= 20; power += 2) {
    const pim::Geometry g = device_of(1U << power);
    const double bits =
        8.0 * static_cast<double>(pim::Device(g).metadata_bytes()) / static_cast<double>(g.units());
    suite.row(fmt::format("metadata, 2^{} units", power), "bits", bits, "4 bits a unit", 4);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Atoll::bench::Suite suite("pim");
  against_malloc(suite);
  growth(suite);
  suite.write(argc, argv);
}
