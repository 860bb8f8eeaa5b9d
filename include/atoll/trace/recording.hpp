// What was seen of a program's run, as values: processes, threads, objects, and the accesses, which
// are handed page by page (counts) or in order (streams) to consumers. Every front end fills in the
// same; every analysis, the affinity graph and the simulator read the same.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/process/frame.hpp"
#include "atoll/trace/limits.hpp"
#include "atoll/trace/stream.hpp"

namespace Atoll::trace {

inline constexpr std::uint64_t kPageBytes = 4096;
inline constexpr std::uint64_t kLineBytes = 64;
inline constexpr int kLinesOfPage = 64;
/// How accesses are seen; `frontends()` in trace/frontend.hpp says what each can and can't see.
enum class Frontend { compiled, gcc, dbi, sample };
[[nodiscard]] std::string_view to_string(Frontend frontend);
[[nodiscard]] std::optional<Frontend> frontend_from_string(std::string_view word);

using process::Frame;

/// A place in the program, with how it was reached: innermost level first.
struct Site {
  std::vector<Frame> frames;
  friend bool operator==(const Site&, const Site&) = default;
};

/// One process; a process that executes another program goes on as a further one.
struct Process {
  std::uint32_t id = 0;  ///< its index: its place in the order of creation
  int pid = 0;
  std::uint32_t parent = kNone;                ///< who forked it, or was it before exec
  std::string executable;                      ///< path
  std::vector<std::string> command;            ///< its arguments, the name first
  std::uint64_t started_ns = 0, ended_ns = 0;  ///< since the run began
  std::optional<int> exit_code;  ///< nothing where a signal ended it, or it wasn't seen to end
  std::optional<int> signal;     ///< nothing, too, where its own parent waited for it
  /// Of a stream: it has its parent's memory as that was after so many events; kNoEvent: it has
  /// memory of its own alone.
  std::uint64_t forked_after = kNoEvent;
  friend bool operator==(const Process&, const Process&) = default;
};

/// One thread of a process.
struct Thread {
  std::uint32_t id = 0;  ///< its index: its place in the order of creation, over all processes
  std::uint32_t process = 0;
  int tid = 0;
  std::uint32_t creator = kNone;        ///< a thread
  std::uint32_t creation_site = kNone;  ///< a site
  std::uint32_t order = 0;              ///< the n-th thread created in its process, from 0
  std::string name;
  int pu = -1;  ///< the one processing unit it was bound to, -1 where it was free to move
  std::uint64_t started_ns = 0;  ///< when it was created; it may run some time later
  std::uint64_t ended_ns = 0;    ///< with its process at the latest; 0: it outlived the run
  /// When another could take its place: when it was joined; when it ended, if it was detached or
  /// joining wasn't seen; else with its process. 0: not in this run.
  std::uint64_t joined_ns = 0;
  // Of a stream.
  std::uint32_t stream = kNone;  ///< its stream's number; files number streams as threads
  std::uint64_t created_event = kNoEvent, begun_event = kNoEvent, ended_event = kNoEvent,
                joined_event = kNoEvent;
  friend bool operator==(const Thread&, const Thread&) = default;
};

enum class ObjectKind {
  heap,     ///< one large allocation
  pool,     ///< all small allocations of one site, which have pages of their own
  global,   ///< a variable of a program or library
  stack,    ///< of one thread
  mapping,  ///< mapped by the program itself; code, files
  other,    ///< what no record covers
};
[[nodiscard]] std::string_view to_string(ObjectKind kind);

/// A part of the address space that one name stands for.
struct Object {
  std::uint32_t id = 0;  ///< its index
  ObjectKind kind = ObjectKind::other;
  std::uint32_t process = 0;
  std::string name;               ///< the variable's, the thread's stack's; "" for allocations
  std::uint32_t site = kNone;     ///< where it was allocated
  std::uint32_t thread = kNone;   ///< that allocated it
  std::uint32_t order = 0;        ///< the n-th object of its site, from 0; a pool doesn't count
  std::uint64_t address = 0;      ///< of the first byte (a pool: of its first slab)
  std::uint64_t bytes = 0;        ///< a pool: of all slabs
  std::uint64_t allocations = 1;  ///< a pool: how many
  std::string module, build_id;   ///< a global's
  std::uint64_t offset = 0;       ///< a global's, in its module's file
  std::uint64_t created_ns = 0, freed_ns = 0;  ///< freed_ns 0: never
  friend bool operator==(const Object&, const Object&) = default;
};

/// Of a stream: bytes [begin, end) were the object's for accesses after `from` events of the run
/// and before `until`, by their thread's clock. Ranges of one process share no byte at a time.
struct ObjectRange {
  std::uint32_t process = 0, object = kNone;
  std::uint64_t begin = 0, end = 0;
  std::uint64_t from = 0, until = kNoEvent;
  friend bool operator==(const ObjectRange&, const ObjectRange&) = default;
};

/// A loop of tasks, as the program told of it (atoll_my_tasks in trace/marks.h).
struct TaskLoop {
  std::string name;
  std::uint64_t iterations = 0, chunk = 0;  ///< 0: not told
  std::uint64_t fingerprint = 0;
  friend bool operator==(const TaskLoop&, const TaskLoop&) = default;
};

/// Memory to which tasks add in any order, as the program told (atoll_mark_reduction).
struct Reduction {
  std::uint32_t process = 0;
  std::uint64_t begin = 0, end = 0;  ///< addresses
  friend bool operator==(const Reduction&, const Reduction&) = default;
};

/// A memory policy of Linux, as the program asked for it.
struct MemoryPolicy {
  std::uint64_t mode = 0;            ///< of set_mempolicy() and mbind(), without flags
  std::vector<std::uint64_t> nodes;  ///< a mask: bit i % 64 of word i / 64 is node i
  friend bool operator==(const MemoryPolicy&, const MemoryPolicy&) = default;
};

/// Node of pages that the first thread on them alone doesn't decide.
struct PageHome {
  std::uint32_t thread = kNone;  ///< for which the system allocated the page; kNone: unknown
  std::uint32_t policy = kNone;  ///< a position in Recording::policies; kNone: first touch
  friend auto operator<=>(const PageHome&, const PageHome&) = default;
};

/// All but the accesses.
struct Recording {
  Frontend frontend = Frontend::compiled;
  std::string frontend_reason;   ///< why this one: "chosen by --frontend", …
  std::vector<Unseen> cant_see;  ///< what this front end doesn't see
  std::vector<Loss> losses;      ///< empty: nothing was lost
  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<Site> sites;
  std::vector<Object> objects;
  std::vector<ObjectRange> ranges;     ///< of a stream; trace/objects_by_time.hpp looks them up
  std::vector<TaskLoop> task_loops;    ///< where tasks are recorded, and of a stream
  std::vector<Reduction> reductions;   ///< the same
  std::vector<MemoryPolicy> policies;  ///< each once
  /// Of counts. A page's first touch is a thread or, from threads.size() on, one of these.
  std::vector<PageHome> homes;
  StreamContents contents;               ///< of a stream: what it carries
  std::uint64_t split_accesses = 0;      ///< across a line's end: counted in both lines
  double elapsed_seconds = 0;            ///< of the watched run
  std::optional<double> native_seconds;  ///< of the same command alone, where it was run for that
  std::uint64_t epoch_ns = 0;            ///< length of an epoch
  int epochs = 0;                        ///< at most 64
};

/// One line's counts of one thread.
struct LineCount {
  std::uint64_t reads = 0, writes = 0;
  std::uint64_t traffic = 0;  ///< how often the line came from elsewhere, estimated
};

/// How often one thread was sampled using a page, in one epoch.
struct UsesInEpoch {
  std::uint32_t epoch = 0;
  std::uint64_t uses = 0;
  friend bool operator==(const UsesInEpoch&, const UsesInEpoch&) = default;
};

/// What one thread did to one page.
struct ThreadOnPage {
  std::uint32_t thread = 0;
  std::uint64_t reads = 0, writes = 0;  ///< over the whole page
  /// Lines that came from memory or other caches, estimated: what a private cache of the size of
  /// this computer's L2 misses, and what others' writes take away from it (docs/analyses.md). From
  /// 1 to reads + writes. Of samples, which can't tell: reads + writes.
  std::uint64_t traffic = 0;
  bool by_lines = false;  ///< `lines` and `words` are filled in
  std::array<LineCount, kLinesOfPage> lines{};
  std::array<std::uint8_t, kLinesOfPage> words{};  ///< bit i: the line's 8-byte word i was accessed
  std::uint64_t first_access = 0;  ///< a number that orders all first accesses of the run
  std::uint64_t epochs = 0;        ///< bit i: accessed in epoch i
  /// Where pages are sampled, the part of `reads` that can be anybody's: first touches aside, which
  /// are always seen, and of a share of the pages where there are very many samples.
  std::vector<UsesInEpoch> sampled;
};

/// Lines [first_line, end_line) of a page belong to `object`. A line that several objects have is
/// there once for each, right after another, with the words that have bytes of the object.
struct ObjectLines {
  std::uint32_t object = kNone;
  std::uint8_t first_line = 0, end_line = 0;
  std::uint8_t words = 0xff;  ///< bit i: 8-byte word i of these lines
};

/// The object that most of these lines belong to, the first of equals; kNone: none does.
[[nodiscard]] std::uint32_t main_object(std::span<const ObjectLines> lines);

/// Everything that was done to one page.
struct PageAccesses {
  std::uint32_t process = 0;
  std::uint64_t page = 0;                 ///< address / kPageBytes
  std::span<const ThreadOnPage> threads;  ///< ascending by thread, each with at least one access
  std::span<const ObjectLines> objects;   ///< all 64 lines, ascending
  /// Who made the system give the page its memory, where that is known better than by first_access
  /// (page-fault samples see the system and libraries too); kNone: the least first_access. From
  /// Recording::threads.size() on, a position in Recording::homes (which are complete at the end).
  std::uint32_t first_touch = kNone;
};

/// What a task did to one line.
struct LineUse {
  std::uint64_t line = 0;    ///< address / kLineBytes
  std::uint8_t read = 0;     ///< bit i: the line's 8-byte word i was read
  std::uint8_t written = 0;  ///< the same of writes
  /// The same of writes by atomic operations that also read (a locked instruction, an exchange).
  /// Recorded tasks alone tell them apart; a stored stream has them among `written`.
  std::uint8_t atomic = 0;
  friend bool operator==(const LineUse&, const LineUse&) = default;
};

/// The lines that a task used, each once; or, of a task with many lines, some of them.
struct TaskUses {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;  ///< Thread::stream says whose
  std::string_view loop;     ///< as the program names it, 127 bytes at most
  std::uint64_t number = 0;  ///< the task's
  std::uint64_t hash = 0;    ///< TaskPart's
  std::span<const LineUse> lines;
};

/// A part of a task as it came from the recorder, before its lines are read from it.
struct TaskPart {
  std::uint32_t process = 0, thread = 0;
  std::string_view loop;
  std::uint64_t number = 0;
  std::uint64_t lines = 0;
  std::uint64_t hash = 0;  ///< of all of them but the thread and the loop
};

/// What reads a recording. A source calls begin once; then page (counts; ascending by process and
/// page), or accesses, loop and event (streams; each stream's in its order); then end. Of a program
/// that runs, begin has no more than how it is watched, and end has everything.
class Consumer {
 public:
  virtual ~Consumer() = default;
  virtual void begin(const Recording& /*recording*/) {}
  virtual void page(const PageAccesses& /*accesses*/) {}
  /// Where tasks are recorded: while the program runs, each thread's in order. Then page comes for
  /// each page that was accessed, with its objects alone.
  virtual void task(const TaskUses& /*uses*/) {}
  /// Asked before each part of a task: true if the consumer knows it, and task isn't called.
  [[nodiscard]] virtual bool knows(const TaskPart& /*part*/) { return false; }
  /// Asked once, before the first call of these. Streams are numbered; Thread::stream says whose.
  [[nodiscard]] virtual StreamWishes stream_wishes() const { return {}; }
  virtual void accesses(std::uint32_t /*stream*/, std::span<const Access> /*accesses*/) {}
  /// All ranges of one loop; only where they are wished for.
  virtual void loop(std::uint32_t /*stream*/, std::span<const AccessRange> /*parts*/) {}
  virtual void event(std::uint32_t /*stream*/, const StreamEvent& /*event*/) {}
  /// Of timed streams: what the stream's accesses and ranges with this number are like from now on.
  virtual void style(std::uint32_t /*stream*/, std::uint32_t /*number*/,
                     const AccessStyle& /*style*/) {}
  /// Of timed streams, in their order.
  virtual void work(std::uint32_t /*stream*/, const StreamWork& /*work*/) {}
  /// Of timed streams, in their order among accesses and events.
  virtual void wait(std::uint32_t /*stream*/, const StreamWait& /*wait*/) {}
  virtual void place(std::uint32_t /*stream*/, const StreamPlacement& /*call*/) {}
  virtual void end(const Recording& /*recording*/) {}
};

}  // namespace Atoll::trace
