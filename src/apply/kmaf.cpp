#include "apply/kmaf.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "apply/kmaf_threads.hpp"
#include "apply/migrator.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/page_size.hpp"
#include "process/child.hpp"
#include "process/libraries.hpp"
#include "process/sanitizers.hpp"
#include "recording/frontends/sample_frontend.hpp"
#include "recording/sample/nodes.hpp"

namespace Atoll::apply {
namespace {

constexpr int kStepMilliseconds = 10;
constexpr std::uint64_t kDecideNs = 50'000'000;
constexpr std::uint64_t kRegionBytes = 64 << 20;  // for samples only; no other records are read
constexpr double kLeastRate = 2000;  // pages a second, 1 % of one unit; fewer would move none
constexpr unsigned kMoveOwn = 2;     // MPOL_MF_MOVE: only pages that no other process maps

/// Returns each page's node, or -errno. Moves the pages if `nodes` isn't null.
std::vector<int> move_pages(std::int32_t pid, const std::vector<void*>& pages, const int* nodes) {
  std::vector<int> status(pages.size(), -EFAULT);
  ::syscall(SYS_move_pages, pid, pages.size(), pages.data(), nodes, status.data(), kMoveOwn);
  return status;
}

class Migration {
 public:
  explicit Migration(Migrated& done) : done_(done), migrator_(nodes_.end()) {}

  void sampled(const recording::sample::Sample& one) {
    ++done_.samples;
    const std::uint64_t page = one.address / kPageBytes;
    const int node = nodes_.of_unit(one.cpu);
    migrator_.sampled({one.pid, page}, node);
    threads_.sampled(one.pid, one.tid, page, node);
  }

  void step() {
    const std::uint64_t now = recording::sample::monotonic_ns();
    threads_.step(now);
    done_.bound = threads_.bound();
    done_.binds_itself = threads_.binds_itself();
    if (now < next_ns_) return;
    next_ns_ = now + kDecideNs;
    std::map<std::int32_t, std::vector<Move>> of_processes;
    for (const Move& move : migrator_.candidates()) of_processes[move.id.pid].push_back(move);
    if (of_processes.empty()) return;
    std::vector<std::uint64_t> room = nodes_.room();
    for (auto& [pid, candidates] : of_processes) migrate(pid, candidates, room);
    done_.pages = migrator_.pages();
  }

 private:
  void migrate(std::int32_t pid, std::vector<Move>& candidates, std::vector<std::uint64_t>& room) {
    const std::vector<int> homes = move_pages(pid, addresses(candidates), nullptr);
    for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i].from = homes[i];
    const std::vector<Move> moves = migrator_.choose(candidates, room);
    std::vector<int> targets;
    targets.reserve(moves.size());
    for (const Move& move : moves) targets.push_back(move.to);
    if (moves.empty()) return;
    const std::vector<int> now = move_pages(pid, addresses(moves), targets.data());
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (now[i] != moves[i].to) {
        ++done_.refused;
        continue;
      }
      ++done_.moved;
      migrator_.moved(moves[i].id);
    }
  }

  static std::vector<void*> addresses(const std::vector<Move>& moves) {
    std::vector<void*> addresses;
    addresses.reserve(moves.size());
    for (const Move& move : moves)
      addresses.push_back(reinterpret_cast<void*>(move.id.page * kPageBytes));
    return addresses;
  }

  Migrated& done_;
  const recording::sample::Nodes nodes_;
  Migrator migrator_;
  KmafThreads threads_{nodes_};
  std::uint64_t next_ns_ = 0;
};

}  // namespace

Migrated migrate(const std::vector<std::string>& command) {
  process::refuse_sanitizer(command.at(0));
  Migrated done;
  Migration migration(done);
  // Samples all pages: the migrator needs every page. Samples of the hardware would suffice, too.
  recording::SampleFrontend sampling(
      {.rate = {.least = kLeastRate},
       .parts_apart = 1,
       .binds_threads = true,
       .on_sample = [&](const recording::sample::Sample& one) { migration.sampled(one); }});
  recording::Region region({.bytes = kRegionBytes, .mode = record::Mode::samples});
  const process::Launch launch =
      sampling.prepare(command, process::libraries_folder(), region.path(), {});
  process::Child child(launch, [&](pid_t pid) {
    sampling.start(pid);
    if (!sampling.obstacle().empty()) throw Error::failed("--policy kmaf", sampling.obstacle());
  });
  while (!child.wait(kStepMilliseconds)) {
    sampling.step(region.header());
    migration.step();
  }
  // Read before finish(), which also counts processes that only have samples.
  done.watched = region.header().processes != 0;
  sampling.finish(region.header());
  done.status = child.status();
  return done;
}

int run_with_kmaf(const std::vector<std::string>& command) {
  const Migrated done = migrate(command);
  note(fmt::format("kmaf: {} samples of {} pages; pages moved {} times, {} refused by the system",
                   done.samples, done.pages, done.moved, done.refused));
  if (!done.watched)
    note(
        "kmaf: the program's pages weren't watched, nor its threads bound: it is static, or has "
        "privileges of its own");
  if (done.bound != 0)
    note(fmt::format("kmaf: threads bound {} times, to the nodes of those they communicate with",
                     done.bound));
  if (done.binds_itself != 0)
    note(fmt::format("kmaf: threads of {} {} were left alone, as the program binds some itself",
                     done.binds_itself, done.binds_itself == 1 ? "process" : "processes"));
  return done.status;
}

}  // namespace Atoll::apply
