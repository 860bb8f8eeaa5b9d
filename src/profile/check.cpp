// Checks a profile file's invariants, which hold for the profile of every program.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <set>

#include "atoll/base/error.hpp"
#include "atoll/base/page_size.hpp"
#include "atoll/machine/machine.hpp"
#include "profile/database.hpp"
#include "profile/line_use.hpp"
#include "profile/pack.hpp"

namespace Atoll::profile {
namespace {

/// Collects violations; only the first few of each rule are listed.
class Findings {
 public:
  void expect(bool right, const char* rule, const std::string& where) {
    if (right) return;
    int& cases = cases_[rule];
    if (++cases <= kShown) lines_.push_back(fmt::format("{}: {}", where, rule));
  }
  [[nodiscard]] std::vector<std::string> take() {
    for (const auto& [rule, cases] : cases_)
      if (cases > kShown) lines_.push_back(fmt::format("{} more: {}", cases - kShown, rule));
    return std::move(lines_);
  }

 private:
  static constexpr int kShown = 3;
  std::vector<std::string> lines_;
  std::map<std::string, int> cases_;
};

void check_database(const std::string& path, Findings& findings) {
  const Database database(path, Database::OpenMode::read);
  Statement integrity(database, "PRAGMA integrity_check(3)");
  while (integrity.next()) {
    const std::string line = integrity.text(0);
    findings.expect(line == "ok", "the database is damaged", line);
  }
  Statement sums(database,
                 "SELECT o.id FROM objects o LEFT JOIN (SELECT object, sum(reads) AS r, "
                 "sum(writes) AS w FROM chunks GROUP BY object) c ON c.object = o.id "
                 "WHERE o.reads != coalesce(c.r, 0) OR o.writes != coalesce(c.w, 0)");
  while (sums.next())
    findings.expect(false, "its accesses aren't the sum of its chunks'",
                    fmt::format("object {}", sums.u64(0)));
}

void check_times(const recording::Recording& run, Findings& findings) {
  const auto ordered = [](std::uint64_t begin, std::uint64_t end) {
    return end == 0 || begin <= end;
  };
  for (const recording::Process& process : run.processes) {
    findings.expect(ordered(process.started_ns, process.ended_ns), "ended before it started",
                    fmt::format("process {}", process.id));
    findings.expect(!process.exit_code || (*process.exit_code >= 0 && *process.exit_code <= 255),
                    "has an exit code that no process has", fmt::format("process {}", process.id));
    findings.expect(!process.signal || (*process.signal > 0 && *process.signal < NSIG),
                    "ended by a signal that there isn't", fmt::format("process {}", process.id));
    findings.expect(process.parent == recording::kNone || process.parent < process.id,
                    "is older than its parent", fmt::format("process {}", process.id));
  }
  for (const recording::Thread& thread : run.threads) {
    findings.expect(ordered(thread.started_ns, thread.ended_ns), "ended before it started",
                    fmt::format("thread {}", thread.id));
    findings.expect(ordered(thread.started_ns, thread.joined_ns), "was joined before it began",
                    fmt::format("thread {}", thread.id));
    findings.expect(ordered(thread.ended_ns, thread.joined_ns), "was joined before it ended",
                    fmt::format("thread {}", thread.id));
    findings.expect(thread.pu >= -1, "is bound to a processing unit with a negative number",
                    fmt::format("thread {}", thread.id));
  }
  for (const recording::Object& object : run.objects)
    findings.expect(ordered(object.created_ns, object.freed_ns), "was freed before it was made",
                    fmt::format("object {}", object.id));
}

/// True if the process may access the object: its own memory, memory inherited from an ancestor by
/// fork(), or a mapping that can be shared.
bool may_access(const recording::Recording& run, std::uint32_t process,
                const recording::Object& object) {
  using recording::ObjectKind;
  if (object.kind != ObjectKind::heap && object.kind != ObjectKind::pool &&
      object.kind != ObjectKind::stack)
    return true;
  while (process > object.process && run.processes[process].parent < process)
    process = run.processes[process].parent;
  return process == object.process;
}

/// Checks that the set of pages with a first touch equals the set of pages with accesses.
void check_pages(const Profile& profile, Findings& findings) {
  const recording::Recording& run = profile.recording;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<bool>> touched, accessed;
  const std::uint64_t epochs =
      run.epochs >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << std::max(run.epochs, 1)) - 1;
  for (const FirstTouch& touch : profile.first_touch) {
    std::vector<bool>& pages = touched[{touch.process, touch.first_page}];
    pages.resize(kChunkPages);
    for (std::size_t i = 0; i < touch.pages.size(); ++i) {
      pages[touch.pages[i]] = true;
      findings.expect((touch.epochs[i] & ~epochs) == 0, "was accessed in an epoch after the last",
                      fmt::format("page {:#x}", touch.first_page + touch.pages[i]));
    }
  }
  Unpacker unpacker;
  std::vector<std::uint64_t> pages_of(run.objects.size());
  std::set<std::uint64_t> window;  // pages of one object in the current chunk, over all threads
  const PackedChunk* last = nullptr;
  for (const PackedChunk& packed : profile.chunks) {
    const recording::Object& object = run.objects[packed.object];
    findings.expect(may_access(run, run.threads[packed.thread].process, object),
                    "was accessed by a thread of another process",
                    fmt::format("object {}", object.id));
    if (last == nullptr || last->object != packed.object || last->first_page != packed.first_page)
      window.clear();
    last = &packed;
    std::vector<bool>& pages = accessed[{object.process, packed.first_page}];
    pages.resize(kChunkPages);
    const Chunk& chunk = unpacker.unpack(packed);
    for (std::size_t i = 0; i < chunk.pages.size(); ++i)
      // (A line of several objects is divided in whole accesses.)
      findings.expect(
          chunk.traffic[i] <= chunk.reads[i] + chunk.writes[i] + recording::kLinesOfPage,
          "has more traffic than accesses", fmt::format("object {}", object.id));
    for (const std::uint32_t page : chunk.pages) {
      pages[page] = true;
      if (window.insert(page).second) ++pages_of[packed.object];
      const std::uint64_t number = packed.first_page + page;
      const bool whole = object.kind == recording::ObjectKind::heap ||
                         object.kind == recording::ObjectKind::global;
      findings.expect(!whole || object.bytes == 0 ||
                          (number >= object.address / kPageBytes &&
                           number <= (object.address + object.bytes - 1) / kPageBytes),
                      "has accesses outside of itself", fmt::format("object {}", object.id));
    }
  }
  findings.expect(touched == accessed, "pages with a first touch aren't the pages with accesses",
                  "pages");
  for (const recording::Object& object : run.objects) {
    const Sharing& lines = profile.sharing[object.id];
    findings.expect(lines.private_lines + lines.read_shared_lines + lines.write_shared_lines +
                            lines.falsely_shared_lines + lines.spinning_lines +
                            64 * lines.unknown_pages <=
                        64 * pages_of[object.id],
                    "has more lines than its pages have", fmt::format("object {}", object.id));
  }
}

void check_communication(const Profile& profile, Findings& findings) {
  std::vector<std::uint64_t> traffic(profile.recording.threads.size());
  for (const PackedChunk& chunk : profile.chunks) traffic[chunk.thread] += chunk.traffic;
  const bool estimated =
      std::ranges::find(profile.recording.losses, recording::LossKind::lines_estimated,
                        &recording::Loss::kind) != profile.recording.losses.end();
  std::uint64_t all = 0, written = 0, all_of_objects = 0, written_of_objects = 0;
  for (const auto& [pair, amount] : profile.communication) {
    all += amount;
    findings.expect(estimated || amount <= std::min(traffic[pair.first], traffic[pair.second]),
                    "communicate more than they have traffic",
                    fmt::format("threads {} and {}", pair.first, pair.second));
  }
  for (const auto& [pair, amount] : profile.write_communication) {
    written += amount;
    const auto found = profile.communication.find(pair);
    findings.expect(found != profile.communication.end() && amount <= found->second,
                    "communicate more through written lines than through all",
                    fmt::format("threads {} and {}", pair.first, pair.second));
  }
  for (const Sharing& object : profile.sharing) {
    all_of_objects += object.communication;
    written_of_objects += object.write_communication;
  }
  findings.expect(all == all_of_objects && written == written_of_objects,
                  "the pairs' sum isn't the objects' sum", "communication");
}

}  // namespace

std::vector<std::string> check(const std::string& path) {
  const Profile profile = load(path);
  Findings findings;
  check_database(path, findings);
  check_times(profile.recording, findings);
  check_pages(profile, findings);
  check_communication(profile, findings);
  if (!profile.machine.empty()) {
    try {
      static_cast<void>(Machine::from_json(profile.machine, "its machine"));
    } catch (const Error& error) {
      findings.expect(false, "is no machine file", error.what());
    }
  }
  return findings.take();
}

}  // namespace Atoll::profile
