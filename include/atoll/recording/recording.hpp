// Recording of a program's run as values: processes, threads, objects and accesses. Consumers get
// the accesses page by page (counts) or in order (streams). Every front end fills in the same
// values, and every analysis, the affinity graph and the simulator read them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/page_size.hpp"
#include "atoll/process/frame.hpp"
#include "atoll/recording/limits.hpp"
#include "atoll/recording/stream.hpp"

namespace Atoll::recording {

inline constexpr std::uint64_t kLineBytes = 64;
inline constexpr int kLinesOfPage = 64;
/// Name of a front end, which is a method of observing accesses (docs/tracing.md).
enum class FrontendName { compiled, gcc, dbi, sample };
[[nodiscard]] std::string_view to_string(FrontendName frontend);
[[nodiscard]] std::optional<FrontendName> frontend_from_string(std::string_view word);
/// Returns true if the front end records samples of pages, and false if it records every access.
[[nodiscard]] bool is_sampled(FrontendName frontend);

using process::Frame;

/// Code location with its call stack, innermost frame first.
struct Site {
  std::vector<Frame> frames;
  friend bool operator==(const Site&, const Site&) = default;
};

/// One process. exec() begins a further one, whose parent is the process before.
struct Process {
  std::uint32_t id = 0;  ///< index, in the order of creation
  int pid = 0;
  std::uint32_t parent = kNone;      ///< process that forked it, or that it was before exec()
  std::string executable;            ///< path
  std::vector<std::string> command;  ///< argv, beginning with argv[0]
  std::uint64_t started_ns = 0, ended_ns = 0;  ///< since the run began
  std::optional<int> exit_code;  ///< none if a signal ended it, or its end was not observed
  std::optional<int> signal;     ///< none also if its own parent waited for it
  /// Streams: the process inherits its parent's memory as it was after this many events. kNoEvent:
  /// it inherits none.
  std::uint64_t forked_after = kNoEvent;
  friend bool operator==(const Process&, const Process&) = default;
};

/// One thread of a process.
struct Thread {
  std::uint32_t id = 0;  ///< index, in the order of creation over all processes
  std::uint32_t process = 0;
  int tid = 0;
  std::uint32_t creator = kNone;        ///< index of the thread that created it
  std::uint32_t creation_site = kNone;  ///< index of the site that created it
  std::uint32_t order = 0;              ///< number among the threads created in its process, from 0
  std::string name;
  int pu = -1;                   ///< the only processing unit it was bound to; -1: it could migrate
  std::uint64_t started_ns = 0;  ///< time of its creation; it may start to run later
  std::uint64_t ended_ns = 0;    ///< no later than its process's end; 0: it outlived the run
  /// Time from which another thread may take its place: when it was joined; when it ended, if it
  /// was detached or the join was not observed; otherwise when its process ended. 0: not during the
  /// run.
  std::uint64_t joined_ns = 0;
  // For streams only.
  std::uint32_t stream = kNone;  ///< number of its stream; read_stream() sets it to `id`
  std::uint64_t created_event = kNoEvent, begun_event = kNoEvent, ended_event = kNoEvent,
                joined_event = kNoEvent;
  friend bool operator==(const Thread&, const Thread&) = default;
};

enum class ObjectKind {
  heap,     ///< one large allocation
  pool,     ///< all small allocations of one site; they have pages of their own
  global,   ///< a variable of a program or library
  stack,    ///< stack of one thread
  mapping,  ///< mapped by the program itself, or code and files
  other,    ///< memory that no record covers
};
[[nodiscard]] std::string_view to_string(ObjectKind kind);

/// Named part of the address space.
struct Object {
  std::uint32_t id = 0;  ///< its index
  ObjectKind kind = ObjectKind::other;
  std::uint32_t process = 0;
  std::string name;  ///< name of the variable or of the stack's thread; "" for allocations
  std::uint32_t site = kNone;       ///< site of the allocation
  std::uint32_t fill_site = kNone;  ///< site of the first use of most of its pages, if known
  std::uint32_t thread = kNone;     ///< thread that allocated it
  std::uint32_t order = 0;  ///< number among the objects of its site, from 0; pools are not counted
  std::uint64_t address = 0;      ///< first byte; of a pool: first byte of its first slab
  std::uint64_t bytes = 0;        ///< pools: sum of the slabs
  std::uint64_t allocations = 1;  ///< pools: number of allocations
  std::string module, build_id;   ///< global variables and modules only
  std::uint64_t offset = 0;       ///< global variables: offset in the module's file
  std::uint64_t created_ns = 0, freed_ns = 0;  ///< freed_ns 0: never freed
  friend bool operator==(const Object&, const Object&) = default;
};

/// Streams: bytes [begin, end) belonged to the object for accesses whose thread's clock is at least
/// `from` and less than `until`. At any clock, ranges of one process do not overlap.
struct ObjectRange {
  std::uint32_t process = 0, object = kNone;
  std::uint64_t begin = 0, end = 0;
  std::uint64_t from = 0, until = kNoEvent;
  friend bool operator==(const ObjectRange&, const ObjectRange&) = default;
};

/// Loop of tasks, as the program declared it (atoll_my_tasks in trace/marks.h).
struct TaskLoop {
  std::string name;
  std::uint64_t iterations = 0, chunk = 0;  ///< 0: unknown
  std::uint64_t fingerprint = 0;
  friend bool operator==(const TaskLoop&, const TaskLoop&) = default;
};

/// Memory to which tasks add in any order, as the program declared it (atoll_mark_reduction).
struct Reduction {
  std::uint32_t process = 0;
  std::uint64_t begin = 0, end = 0;  ///< addresses
  friend bool operator==(const Reduction&, const Reduction&) = default;
};

/// Linux memory policy that the program requested.
struct MemoryPolicy {
  std::uint64_t mode = 0;            ///< mode of set_mempolicy() or mbind(), without flags
  std::vector<std::uint64_t> nodes;  ///< a mask: bit i % 64 of word i / 64 is node i
  friend bool operator==(const MemoryPolicy&, const MemoryPolicy&) = default;
};

/// Origin of a page's node, if the first thread that accessed the page does not alone determine it.
struct PageHome {
  std::uint32_t thread = kNone;  ///< thread for which the system allocated the page; kNone: unknown
  std::uint32_t policy = kNone;  ///< index in Recording::policies; kNone: first touch
  friend auto operator<=>(const PageHome&, const PageHome&) = default;
};

/// Everything recorded except the accesses.
struct Recording {
  FrontendName frontend = FrontendName::compiled;
  std::string frontend_reason;   ///< reason for the choice: "chosen by --frontend", …
  std::vector<Unseen> cant_see;  ///< limits of this front end
  std::vector<Loss> losses;      ///< empty: nothing was lost
  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<Site> sites;
  std::vector<Object> objects;
  std::vector<ObjectRange> ranges;     ///< streams only; trace/objects_by_time.hpp searches them
  std::vector<TaskLoop> task_loops;    ///< recorded tasks and streams only
  std::vector<Reduction> reductions;   ///< recorded tasks and streams only
  std::vector<MemoryPolicy> policies;  ///< without duplicates
  /// For counts. PageAccesses::first_touch is a thread or, from threads.size() on, an index into
  /// this.
  std::vector<PageHome> homes;
  StreamContents contents;           ///< streams only: optional contents
  std::uint64_t split_accesses = 0;  ///< accesses that cross a line's end; both lines count them
  double elapsed_seconds = 0;        ///< duration of the watched run
  std::optional<double> native_seconds;  ///< duration of the same command unwatched, if requested
  std::uint64_t epoch_ns = 0;            ///< length of an epoch
  int epochs = 0;                        ///< at most 64

  /// Returns true if the counts are samples of page uses, and false if every access was counted.
  [[nodiscard]] bool is_sampled() const { return recording::is_sampled(frontend); }
};

/// Counts of one line by one thread.
struct LineCount {
  std::uint64_t reads = 0, writes = 0;
  std::uint64_t traffic = 0;  ///< fetches of the line from memory or other caches, estimated
};

/// Number of samples in which one thread used a page, in one epoch.
struct UsesInEpoch {
  std::uint32_t epoch = 0;
  std::uint64_t uses = 0;
  friend bool operator==(const UsesInEpoch&, const UsesInEpoch&) = default;
};

/// Accesses of one thread to one page.
struct ThreadOnPage {
  std::uint32_t thread = 0;
  std::uint64_t reads = 0, writes = 0;  ///< over the whole page
  /// Estimated number of lines fetched from memory or other caches: misses of a private cache as
  /// large as this computer's L2, and invalidations by other threads' writes (docs/analyses.md).
  /// Ranges from 1 to reads + writes. Samples do not show it, so for them it is reads + writes.
  std::uint64_t traffic = 0;
  bool by_lines = false;  ///< true if `lines` and `words` are filled in
  std::array<LineCount, kLinesOfPage> lines{};
  std::array<std::uint8_t, kLinesOfPage> words{};  ///< bit i: the line's 8-byte word i was accessed
  std::uint64_t first_access = 0;  ///< sequence number that orders the first accesses of the run
  std::uint64_t epochs = 0;        ///< bit i: accessed in epoch i
  /// If pages are sampled, the samples among `reads`, by epoch. First touches are excluded: they
  /// are always recorded, not sampled. If there are very many samples, only a share of the pages is
  /// here.
  std::vector<UsesInEpoch> sampled;
};

/// Lines [first_line, end_line) of a page belong to `object`. If several objects share a line, each
/// has an entry for it, consecutively, with the words that contain bytes of the object.
struct ObjectLines {
  std::uint32_t object = kNone;
  std::uint8_t first_line = 0, end_line = 0;
  std::uint8_t words = 0xff;  ///< bit i: 8-byte word i of these lines
};

/// Returns the object that owns most of these lines, the first if several own equally many; kNone
/// if no object owns any.
[[nodiscard]] std::uint32_t main_object(std::span<const ObjectLines> lines);

/// All accesses to one page.
struct PageAccesses {
  std::uint32_t process = 0;
  std::uint64_t page = 0;                 ///< address / kPageBytes
  std::span<const ThreadOnPage> threads;  ///< ascending by thread; each has at least one access
  std::span<const ObjectLines> objects;   ///< covers all 64 lines, ascending
  /// Thread whose access made the system allocate the page, if known more precisely than by
  /// first_access (page-fault samples include accesses of the system and libraries). kNone: the
  /// thread with the lowest first_access. From Recording::threads.size() on, an index into
  /// Recording::homes, which is complete in end().
  std::uint32_t first_touch = kNone;
};

/// Accesses of a task to one line.
struct LineUse {
  std::uint64_t line = 0;    ///< address / kLineBytes
  std::uint8_t read = 0;     ///< bit i: the line's 8-byte word i was read
  std::uint8_t written = 0;  ///< the same for writes
  /// The same for writes by atomic read-modify-write operations (a locked instruction, an
  /// exchange). Only recorded tasks distinguish them; a stored stream counts them as `written`.
  std::uint8_t atomic = 0;
  friend bool operator==(const LineUse&, const LineUse&) = default;
};

/// Lines that a task used, without duplicates. A task with many lines is passed in several parts.
struct TaskUses {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;  ///< a stream's number, as Thread::stream
  std::string_view loop;     ///< as the program names it, 127 bytes at most
  std::uint64_t number = 0;  ///< number of the task
  std::uint64_t hash = 0;    ///< TaskPart::hash
  std::span<const LineUse> lines;
};

/// Part of a task as the recorder sent it, before its lines are decoded.
struct TaskPart {
  std::uint32_t process = 0, thread = 0;
  std::string_view loop;
  std::uint64_t number = 0;
  std::uint64_t lines = 0;
  std::uint64_t hash = 0;  ///< hash of all fields and lines except the thread and the loop
};

/// Receives a recording. A source calls begin once; then page (counts; ascending by process and
/// page), or accesses, loop and event (streams; each stream in its order); then end. For a program
/// that still runs, the Recording in begin has only the front end and its limits; the one in end is
/// complete.
class Consumer {
 public:
  virtual ~Consumer() = default;
  virtual void begin(const Recording& /*recording*/) {}
  virtual void page(const PageAccesses& /*accesses*/) {}
  /// For recorded tasks: called while the program runs, in order for each thread. Then page is
  /// called for each accessed page, with its objects only.
  virtual void task(const TaskUses& /*uses*/) {}
  /// Called before each part of a task. If the consumer returns true, it already has this part, and
  /// task is not called.
  [[nodiscard]] virtual bool knows(const TaskPart& /*part*/) { return false; }
  /// Called once, before the first call below. Streams are numbered; Thread::stream maps threads to
  /// them.
  [[nodiscard]] virtual StreamWishes stream_wishes() const { return {}; }
  virtual void accesses(std::uint32_t /*stream*/, std::span<const Access> /*accesses*/) {}
  /// All ranges of one loop; called only if StreamWishes::ranges is set.
  virtual void loop(std::uint32_t /*stream*/, std::span<const AccessRange> /*parts*/) {}
  virtual void event(std::uint32_t /*stream*/, const StreamEvent& /*event*/) {}
  /// Timed streams: defines the style that this number denotes in the stream's accesses and ranges
  /// from now on.
  virtual void style(std::uint32_t /*stream*/, std::uint32_t /*number*/,
                     const AccessStyle& /*style*/) {}
  /// Timed streams: in order among accesses and events.
  virtual void work(std::uint32_t /*stream*/, const Work& /*work*/) {}
  /// Timed streams: wait and place are called in order among accesses and events.
  virtual void wait(std::uint32_t /*stream*/, const StreamWait& /*wait*/) {}
  virtual void place(std::uint32_t /*stream*/, const StreamPlacement& /*call*/) {}
  virtual void end(const Recording& /*recording*/) {}
};

}  // namespace Atoll::recording
