// Builds a profile from pages. Pages arrive in ascending order, so only the chunks of one window of
// 512 pages are open at a time. Large sets of finished chunks are packed by a second thread.
#include <algorithm>
#include <future>
#include <tuple>
#include <unordered_map>

#include "atoll/profile/profile.hpp"
#include "profile/line_shares.hpp"
#include "profile/line_use.hpp"
#include "profile/pack.hpp"

namespace Atoll::profile {

using recording::kNone;

namespace {
/// Accesses to lines that several objects share are reported from this fraction of all accesses on.
constexpr double kDividedShare = 0.01;
}  // namespace

struct ProfileBuilder::State {
  Profile profile;
  Packer packer;
  LineUse line_use;
  std::uint32_t process = 0;
  std::uint64_t window = kNoWindow;               ///< page / kChunkPages
  std::unordered_map<std::uint64_t, Chunk> open;  ///< by object and thread
  FirstTouch touch;                               ///< of the current window
  std::vector<std::uint32_t> process_of;          ///< by object of the recording
  /// Maps (object, process) to the object that stands for it in that process: a forked process has
  /// its own copy of each object of its parent. kNone as the object means memory that no object
  /// covers.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> copies;
  std::uint32_t objects = 0;
  std::uint64_t accesses = 0, divided = 0;  ///< divided: of lines with several objects

  std::future<void> packing;  ///< of the previous window; the only user of packer and chunks

  static constexpr std::uint64_t kNoWindow = ~std::uint64_t{0};
  static constexpr std::size_t kWorthAThread = 4096;  ///< (chunk, page) pairs: 100 us of work

  void wait_for_packing() {
    if (packing.valid()) packing.get();
  }

  void close_window() {
    wait_for_packing();
    if (!open.empty()) {
      const auto how = open.size() * touch.pages.size() < kWorthAThread ? std::launch::deferred
                                                                        : std::launch::async;
      packing = std::async(how, [this, chunks = std::exchange(open, {})] {
        for (const auto& [key, chunk] : chunks) profile.chunks.push_back(packer.pack(chunk));
      });
    }
    if (!touch.pages.empty()) profile.first_touch.push_back(std::move(touch));
    touch = {};
  }

  /// Returns the object's number in process `of_process`. Each number belongs to one process.
  std::uint32_t object_of(std::uint32_t object, std::uint32_t of_process) {
    if (object < process_of.size() && process_of[object] == of_process) return object;
    const auto [found, fresh] = copies.try_emplace({object, of_process}, objects);
    if (fresh) ++objects;
    return found->second;
  }

  Sharing& sharing_of(std::uint32_t object) {
    if (profile.sharing.size() <= object) profile.sharing.resize(object + 1);
    return profile.sharing[object];
  }

  void count(std::uint32_t object, std::uint32_t thread, std::uint64_t page,
             const recording::LineCount& counts, std::uint64_t lines, std::uint64_t epochs) {
    if (counts.reads + counts.writes == 0) return;
    const auto [found, fresh] = open.try_emplace(std::uint64_t{object} << 32 | thread);
    Chunk& chunk = found->second;
    if (fresh) {
      chunk.object = object;
      chunk.thread = thread;
      chunk.first_page = window * kChunkPages;
    }
    const auto offset = static_cast<std::uint32_t>(page % kChunkPages);
    if (!chunk.pages.empty() && chunk.pages.back() == offset) {  // a page with several runs
      chunk.reads.back() += counts.reads;
      chunk.writes.back() += counts.writes;
      chunk.traffic.back() += counts.traffic;
      chunk.lines.back() =
          std::min<std::uint64_t>(chunk.lines.back() + lines, recording::kLinesOfPage);
      return;
    }
    chunk.pages.push_back(offset);
    chunk.reads.push_back(counts.reads);
    chunk.writes.push_back(counts.writes);
    chunk.traffic.push_back(counts.traffic);
    chunk.lines.push_back(lines);
    chunk.epochs.push_back(epochs);
  }

  void count_thread(const recording::PageAccesses& page, const recording::ThreadOnPage& thread) {
    accesses += thread.reads + thread.writes;
    if (!thread.by_lines || page.objects.size() == 1) {
      const std::uint32_t object = object_of(recording::main_object(page.objects), page.process);
      const auto lines = std::ranges::count_if(thread.lines, [](const recording::LineCount& line) {
        return line.reads + line.writes > 0;
      });
      count(object, thread.thread, page.page, {thread.reads, thread.writes, thread.traffic},
            thread.by_lines ? static_cast<std::uint64_t>(lines) : 0, thread.epochs);
      for (const recording::UsesInEpoch& in : thread.sampled)
        profile.samples.push_back({object, page.page, thread.thread, in.epoch, in.uses});
      return;
    }
    for_lines_by_owners(page.objects, [&](std::span<const recording::ObjectLines> owners) {
      const recording::ObjectLines& part = owners.front();
      if (owners.size() > 1) {
        const recording::LineCount& line = thread.lines[part.first_line];
        std::size_t used = 0;  // objects whose words the thread used
        share_line(owners, thread.words[part.first_line], [&](const LineShare& share) {
          ++used;
          count(object_of(owners[share.owner].object, page.process), thread.thread, page.page,
                {share.of(line.reads), share.of(line.writes), share.of(line.traffic)}, 1,
                thread.epochs);
        });
        if (used > 1) divided += line.reads + line.writes;
        return;
      }
      recording::LineCount sum;
      std::uint64_t lines = 0;
      for (int line = part.first_line; line < part.end_line; ++line) {
        sum.reads += thread.lines[line].reads;
        sum.writes += thread.lines[line].writes;
        sum.traffic += thread.lines[line].traffic;
        lines += thread.lines[line].reads + thread.lines[line].writes > 0 ? 1 : 0;
      }
      count(object_of(part.object, page.process), thread.thread, page.page, sum, lines,
            thread.epochs);
    });
  }
};

ProfileBuilder::ProfileBuilder() : state_(std::make_unique<State>()) {}
ProfileBuilder::~ProfileBuilder() = default;

void ProfileBuilder::begin(const recording::Recording& recording) {
  // Samples miss most of the epochs in which a page is used.
  state_->line_use.knows_epochs = !recording.is_sampled();
  state_->objects = static_cast<std::uint32_t>(recording.objects.size());
  for (const recording::Object& object : recording.objects)
    state_->process_of.push_back(object.process);
}

void ProfileBuilder::page(const recording::PageAccesses& accesses) {
  State& state = *state_;
  if (accesses.threads.empty()) return;
  if (state.window != accesses.page / kChunkPages || state.process != accesses.process) {
    state.close_window();
    state.window = accesses.page / kChunkPages;
    state.process = accesses.process;
    state.touch.process = accesses.process;
    state.touch.first_page = state.window * kChunkPages;
  }
  std::uint64_t epochs = 0;
  const recording::ThreadOnPage* first = &accesses.threads.front();
  for (const recording::ThreadOnPage& thread : accesses.threads) {
    state.count_thread(accesses, thread);
    epochs |= thread.epochs;
    if (thread.first_access < first->first_access) first = &thread;
  }
  state.touch.pages.push_back(static_cast<std::uint32_t>(accesses.page % kChunkPages));
  state.touch.threads.push_back(accesses.first_touch != kNone ? accesses.first_touch
                                                              : first->thread);
  state.touch.epochs.push_back(epochs);
  state.line_use.add(accesses, [&](std::uint32_t object) -> Sharing& {
    return state.sharing_of(state.object_of(object, accesses.process));
  });
}

void ProfileBuilder::end(const recording::Recording& recording) {
  State& state = *state_;
  state.close_window();
  state.wait_for_packing();
  Profile& profile = state.profile;
  std::ranges::sort(profile.chunks, {}, [](const PackedChunk& chunk) {
    return std::tuple(chunk.object, chunk.first_page, chunk.thread);
  });
  std::ranges::sort(profile.samples);
  profile.recording = recording;
  std::vector<recording::Object>& objects = profile.recording.objects;
  objects.resize(std::max<std::size_t>(objects.size(), state.objects));
  for (const auto& [whose, id] : state.copies) {
    const auto& [object, process] = whose;
    objects[id] =
        object == kNone ? recording::Object{.kind = recording::ObjectKind::other} : objects[object];
    objects[id].id = id;
    objects[id].process = process;
  }
  profile.sharing.resize(objects.size());
  std::tie(profile.communication, profile.write_communication) =
      state.line_use.communication.take();
  if (state.line_use.uncounted_lines > 0)
    profile.recording.losses.push_back(
        {recording::LossKind::lines_of_later_threads, state.line_use.uncounted_lines});
  if (static_cast<double>(state.divided) > kDividedShare * static_cast<double>(state.accesses))
    profile.recording.losses.push_back({recording::LossKind::accesses_divided, state.divided});
  if (state.line_use.sampled_lines > 0)
    profile.recording.losses.push_back(
        {recording::LossKind::lines_estimated, state.line_use.sampled_lines});
}

Profile ProfileBuilder::take() {
  return std::move(state_->profile);
}

}  // namespace Atoll::profile
