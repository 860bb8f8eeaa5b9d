#include "record/tasks.hpp"

#include <utility>

#include "record/stream_words.hpp"
#include "record/task_words.hpp"

namespace Atoll::record {
namespace {

constexpr std::uint64_t kLogLines = 1 << 15;
constexpr std::size_t kWordsAtOnce = 256;

/// Begins an empty log. The new stamp makes all lines unused.
void start_log(TaskState& task) {
  task.next = task.log;
  task.stamp += kOneStamp;
}

void write_task(TaskState& task, ThreadState* thread) {
  std::uint64_t words[kWordsAtOnce];
  std::size_t count = 1;
  bool is_sent = false;
  words[0] = task.word;
  for (const LineOfTask* used = task.log; used < task.next; ++used) {
    const Line line = *used->line;
    if ((line ^ task.stamp) >= kOneStamp) continue;  // a signal handler interrupted
    words[count++] = use_word(used->number, line);
    if (line % kOneStamp >= kOneAtomicWord) words[count++] = atomic_use_word(used->number, line);
    if (count + 2 <= kWordsAtOnce) continue;
    if (!put_in_ring(thread, words, count)) thread->record->stream_lost += count - 1;
    count = 1;
    is_sent = true;
  }
  if (count == 1 && is_sent) return;  // a task without uses is sent, too
  if (!put_in_ring(thread, words, count)) thread->record->stream_lost += count - 1;
}

/// Returns true if tasks are recorded, with their lines or in a stream.
bool knows_tasks() {
  return is_by_task() || is_stream();
}

bool has_name(std::uint32_t loop, const char* name) {
  const char* known = header()->task_loops[loop].name;
  for (std::size_t i = 0; i < kLoopName; ++i) {
    if (known[i] != name[i]) return false;
    if (name[i] == 0) return true;
  }
  return false;
}

/// Holds the lock of loops and reductions.
class LoopTableLock {
 public:
  LoopTableLock() {
    while (__atomic_test_and_set(&header()->loops_taken, __ATOMIC_ACQUIRE)) {
    }
  }
  ~LoopTableLock() { __atomic_clear(&header()->loops_taken, __ATOMIC_RELEASE); }
  LoopTableLock(const LoopTableLock&) = delete;
  LoopTableLock& operator=(const LoopTableLock&) = delete;
};

/// Returns the loop's number, or kLoops if there are too many loops or its name is too long. The
/// search begins at number `from`, as loops mostly run in the same order again.
std::uint32_t number_of(const char* loop, std::uint32_t from) {
  std::size_t length = 0;
  while (length < kLoopName && loop[length] != 0) ++length;
  if (length == kLoopName) return kLoops;
  Header* region = header();
  const LoopTableLock telling;
  const std::uint32_t known = region->loops.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < known; ++i) {
    const std::uint32_t number = (from + i) % known;
    if (has_name(number, loop)) return number;
  }
  if (known == kLoops) return kLoops;
  for (std::size_t i = 0; i < length; ++i) region->task_loops[known].name[i] = loop[i];
  region->loops.store(known + 1, std::memory_order_release);
  return known;
}

/// Returns 1 + the loop's number. If the loop has none, counts a lost task and returns 0.
std::uint32_t find_loop(TaskState& task, const char* loop) {
  // Compares the names, as a program may write several names to the same buffer.
  if (task.loops == 0 || !has_name(task.loops - 1, loop))
    task.loops = number_of(loop, task.loops) + 1;
  if (task.loops <= kLoops) return task.loops;
  header()->lost_tasks.fetch_add(1, std::memory_order_relaxed);
  return task.loops = 0;
}

/// Appends the begin or end of a task to the thread's stream.
template <RecordKind kind, typename... Fields>
void append_task(ThreadState* thread, Fields... fields) {
  const auto record = encode_record<kind>(sequence_now(), fields...);
  append(thread, record.words, record.kWords);
}

/// Ends the current task, or the interval between tasks.
void finish(TaskState& task, ThreadState* thread) {
  if (task.word != 0) write_task(task, thread);
  task.word = 0;
  start_log(task);
}

}  // namespace

bool has_log(ThreadState* thread) {
  TaskState& task = thread->task;
  if (task.log != nullptr) return true;
  task.log = static_cast<LineOfTask*>(allocate_in_room(thread, kLogLines * sizeof(LineOfTask)));
  if (task.log == nullptr) return false;
  task.end = task.log + kLogLines;
  start_log(task);
  return true;
}

void flush_task_log(ThreadState* thread) {
  TaskState& task = thread->task;
  const Entered entered(thread);
  if (!entered) {  // in a signal handler
    task.next = task.end - 1;
    thread->record->stream_lost += 1;
    return;
  }
  if (task.word != 0) write_task(task, thread);
  start_log(task);  // lines that are used again are sent again
}

void begin_task(ThreadState* thread, const char* loop, std::uint64_t number) {
  detect_fork();
  if (thread->record == nullptr) return;
  if (is_stream() && header()->pause_reasons.load(std::memory_order_relaxed) == 0) {
    const std::uint32_t loops = find_loop(thread->task, loop);
    if (loops == 0) return;
    append_task<RecordKind::task_begun>(thread, loops - 1, number);
    thread->task.word = task_word(loops - 1, number);
    return;
  }
  if (!is_by_task()) return;
  const Entered entered(thread);
  if (!entered) return;
  TaskState& task = thread->task;
  finish(task, thread);
  if (header()->pause_reasons.load(std::memory_order_relaxed) != 0) return;
  if (const std::uint32_t loops = find_loop(task, loop); loops != 0)
    task.word = task_word(loops - 1, number);
}

void declare_loop(const char* loop, std::uint64_t iterations, std::uint64_t chunk,
                  std::uint64_t fingerprint) {
  if (header() == nullptr || !knows_tasks()) return;
  const std::uint32_t number = number_of(loop, 0);
  if (number == kLoops) return;  // its tasks are counted as lost
  TaskLoop& told = header()->task_loops[number];
  told.iterations = iterations;
  told.chunk = chunk;
  told.fingerprint = fingerprint;
}

void declare_reduction(const void* begin, std::uint64_t bytes) {
  if (header() == nullptr || !knows_tasks() || this_process() == nullptr || bytes == 0) return;
  Header* region = header();
  const Reduction told{offset_of(this_process()), reinterpret_cast<std::uint64_t>(begin), bytes};
  const LoopTableLock telling;
  const std::uint32_t known = region->reductions.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < known; ++i) {
    const Reduction& other = region->reduced[i];
    if (other.process == told.process && other.begin == told.begin && other.bytes >= bytes) return;
  }
  if (known == kReductions) {
    region->lost_events.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  region->reduced[known] = told;
  region->reductions.store(known + 1, std::memory_order_release);
}

void end_task(ThreadState* thread) {
  if (thread->record == nullptr) return;
  if (is_stream() && std::exchange(thread->task.word, 0) != 0)
    append_task<RecordKind::task_ended>(thread);
  if (!is_by_task()) return;
  const Entered entered(thread);
  if (entered) finish(thread->task, thread);
}

}  // namespace Atoll::record
