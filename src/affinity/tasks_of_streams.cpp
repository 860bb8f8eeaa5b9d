// Collects the lines that a thread uses between the begin and the end of a task.
#include "atoll/affinity/tasks_of_streams.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/page_size.hpp"

namespace Atoll::affinity {
namespace {

using recording::kLineBytes, recording::kLinesOfPage;

/// Returns the words of the line that the accessed bytes [begin, end) are in.
std::uint8_t words_of(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t first = begin % kLineBytes / 8, last = (end - 1) % kLineBytes / 8;
  return static_cast<std::uint8_t>((0xffU >> (7 - last)) & (0xffU << first));
}

}  // namespace

struct TasksOfStreams::State {
  /// The stream of one thread.
  struct Stream {
    std::uint32_t process = 0;
    std::uint32_t loop = recording::kNone;  ///< loop of its current task
    std::uint64_t number = 0;
    std::vector<recording::LineUse> lines;
    std::unordered_map<std::uint64_t, std::size_t> places;  ///< indices in `lines`, by line
  };

  void use(Stream& stream, const recording::Access& access) {
    for (std::uint64_t at = access.address; at < access.address + access.bytes;) {
      const std::uint64_t line = at / kLineBytes;
      const std::uint64_t end = std::min(access.address + access.bytes, (line + 1) * kLineBytes);
      const auto [place, is_new] = stream.places.try_emplace(line, stream.lines.size());
      if (is_new) stream.lines.push_back({.line = line});
      recording::LineUse& use = stream.lines[place->second];
      std::uint8_t& words = access.write ? use.written : use.read;
      words = static_cast<std::uint8_t>(words | words_of(at, end));
      at = end;
    }
  }

  void end_task(std::uint32_t number, Stream& stream) {
    if (stream.loop == recording::kNone) return;
    consumer.task({.process = stream.process,
                   .thread = number,
                   .loop = recording->task_loops[stream.loop].name,
                   .number = stream.number,
                   .lines = stream.lines});
    for (const recording::LineUse& use : stream.lines)
      pages.try_emplace({stream.process, use.line / kLinesOfPage});
    stream.lines.clear();
    stream.places.clear();
    stream.loop = recording::kNone;
  }

  /// Reports the pages that tasks used, with all objects that were there at any time.
  void add_page_sizes(const std::vector<recording::ObjectRange>& ranges) {
    for (const recording::ObjectRange& range : ranges) {
      auto page = pages.lower_bound({range.process, range.begin / kPageBytes});
      for (; page != pages.end() && page->first.first == range.process &&
             page->first.second * kPageBytes < range.end;
           ++page)
        add_object(range, page->first.second * kPageBytes, page->second);
    }
    for (auto& [key, objects] : pages) {
      add_no_object(key.first, objects);
      std::ranges::stable_sort(objects, {}, &recording::ObjectLines::first_line);
      consumer.page({.process = key.first, .page = key.second, .threads = {}, .objects = objects});
    }
  }

  /// Adds an object's lines of a page: one entry for all whole lines, and one for each partial line
  /// at its ends.
  static void add_object(const recording::ObjectRange& range, std::uint64_t page,
                         std::vector<recording::ObjectLines>& objects) {
    const std::uint64_t end = std::min(range.end, page + kPageBytes);
    for (std::uint64_t at = std::max(range.begin, page); at < end;) {
      const bool is_whole = at % kLineBytes == 0 && at + kLineBytes <= end;
      const std::uint64_t next = is_whole ? end / kLineBytes * kLineBytes
                                          : std::min(end, (at / kLineBytes + 1) * kLineBytes);
      objects.push_back({.object = range.object,
                         .first_line = static_cast<std::uint8_t>((at - page) / kLineBytes),
                         .end_line = static_cast<std::uint8_t>((next - 1 - page) / kLineBytes + 1),
                         .words = is_whole ? std::uint8_t{0xff} : words_of(at, next)});
      at = next;
    }
  }

  /// Attributes words without an object to the process's object of kind `other`.
  void add_no_object(std::uint32_t process, std::vector<recording::ObjectLines>& objects) const {
    const auto other =
        std::ranges::find_if(recording->objects, [process](const recording::Object& object) {
          return object.kind == recording::ObjectKind::other && object.process == process;
        });
    if (other == recording->objects.end()) return;
    std::array<std::uint8_t, kLinesOfPage> words{};
    for (const recording::ObjectLines& lines : objects)
      for (std::uint8_t line = lines.first_line; line < lines.end_line; ++line)
        words.at(line) = static_cast<std::uint8_t>(words.at(line) | lines.words);
    for (std::uint8_t line = 0; line < kLinesOfPage; ++line)
      if (words.at(line) != 0xff)
        objects.push_back({.object = other->id,
                           .first_line = line,
                           .end_line = static_cast<std::uint8_t>(line + 1),
                           .words = static_cast<std::uint8_t>(~words.at(line))});
  }

  recording::Consumer& consumer;
  const recording::Recording* recording = nullptr;
  std::unordered_map<std::uint32_t, Stream> streams;
  /// Pages that tasks used, by process and page number.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<recording::ObjectLines>> pages;
};

TasksOfStreams::TasksOfStreams(recording::Consumer& tasks)
    : state_(std::make_unique<State>(State{.consumer = tasks})) {}

TasksOfStreams::~TasksOfStreams() = default;

void TasksOfStreams::begin(const recording::Recording& recording) {
  state_->recording = &recording;
  for (const recording::Thread& thread : recording.threads)
    if (thread.stream != recording::kNone) state_->streams[thread.stream].process = thread.process;
  state_->consumer.begin(recording);
}

void TasksOfStreams::accesses(std::uint32_t stream, std::span<const recording::Access> accesses) {
  State::Stream& its = state_->streams[stream];
  if (its.loop == recording::kNone) return;
  for (const recording::Access& access : accesses) state_->use(its, access);
}

void TasksOfStreams::event(std::uint32_t stream, const recording::StreamEvent& event) {
  using Kind = recording::RecordKind;
  if (event.kind != Kind::task_begun && event.kind != Kind::task_ended) return;
  State::Stream& its = state_->streams[stream];
  state_->end_task(stream, its);
  if (event.kind == Kind::task_ended) return;
  if (event.loop >= state_->recording->task_loops.size())
    throw Error::input("the trace", "has a task of a loop that it doesn't name", "record it again");
  its.loop = event.loop;
  its.number = event.task;
}

void TasksOfStreams::end(const recording::Recording& recording) {
  State& state = *state_;
  for (auto& [number, stream] : state.streams) state.end_task(number, stream);
  state.add_page_sizes(recording.ranges);
  state.consumer.end(recording);
}

}  // namespace Atoll::affinity
