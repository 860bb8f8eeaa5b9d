// A live program as a SimulatedProgram: runs concurrently with the simulation. Its threads' streams
// are read when the engine asks for them, and are not stored.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "atoll/machine/thread_places.hpp"
#include "recording/streams/live_streams.hpp"
#include "recording/streams/stream_decoder.hpp"
#include "simulate/first_touchers.hpp"
#include "simulate/live_objects.hpp"
#include "simulate/live_places.hpp"
#include "simulate/memory_calls.hpp"
#include "simulate/placement.hpp"
#include "simulate/plan_matcher.hpp"
#include "simulate/program.hpp"
#include "simulate/stream_to_batch.hpp"

namespace Atoll::simulate {

class LiveProgram : public SimulatedProgram, public LiveThreads, private recording::Consumer {
 public:
  /// Called when a thread is placed, with its tid and the index of its place.
  using Placed = std::function<void(int tid, std::uint32_t place)>;
  /// Called with the answers to a query of the thread that has that row in the view.
  using Answered = std::function<void(std::uint32_t row, std::span<const std::int16_t> answers)>;

  /// `places`: of unbound threads. `tells_work`: streams contain the work between accesses.
  /// `sees_all`: streams contain the accesses of all libraries. All references must outlive this
  /// object.
  LiveProgram(recording::LiveStreams& streams, const Machine& machine, const Model& model,
              const Options& options, LivePlaces& places, Pages& pages, bool tells_work,
              bool sees_all, Placed placed, Answered answered);

  [[nodiscard]] LiveObjects& known_objects() { return objects_; }
  [[nodiscard]] const Placement& placement() const { return placement_; }
  /// Null without a plan.
  [[nodiscard]] const PlanMatcher* planned() const { return planned_ ? &*planned_ : nullptr; }
  /// Maximum number of threads that lived at the same time.
  [[nodiscard]] std::size_t most_threads() const { return most_; }
  /// Number of threads that shared a place with another one.
  [[nodiscard]] std::size_t shared_places() const { return shared_; }
  /// True if threads slept for an unknown reason.
  [[nodiscard]] bool has_slept() const { return has_slept_; }

  bool next(std::uint32_t thread, Batch& batch) override;
  Page touch(std::uint32_t thread, std::uint32_t node, std::uint64_t address, Fault fault) override;
  void dropped(const Page& page) override { placement_.dropped(page); }
  std::uint32_t object_of(std::uint32_t thread, std::uint64_t address) override;
  Span span_of_object(std::uint32_t thread, std::uint64_t address) override;
  void execute_event(std::uint32_t thread, const recording::StreamEvent& event) override;
  void execute_call(std::uint32_t thread, const recording::StreamPlacement& call) override;
  std::uint16_t copy_for(std::uint32_t node, std::uint64_t address, std::uint16_t home,
                         bool write) override;
  LiveThreads* live() override { return this; }

  std::optional<ProgramThread> create(std::uint32_t creator, std::uint64_t number) override;
  std::optional<std::uint32_t> joined(std::uint32_t joiner, std::uint64_t number) override;
  std::optional<ProgramThread> appeared() override;
  bool has_more(std::uint32_t thread) override;
  bool wait_for_records(std::uint32_t thread) override;
  void wait_for_records_of_each(std::vector<std::uint32_t>& threads) override;
  void wait_for_records_of_some(std::vector<std::uint32_t>& threads, std::size_t count,
                                std::size_t sure) override;
  void wait_for_more(std::uint32_t thread) override;
  void grant_turn(std::uint32_t thread) override;
  std::uint64_t number_of(std::uint32_t thread) override;
  bool some_run() override;
  bool has_ended() override { return streams_.has_ended(); }
  bool was_stopped() override;
  std::vector<Move> bind(std::uint32_t thread, const recording::StreamPlacement& call) override;
  /// The last one stands for memory without a record.
  std::size_t objects() override { return objects_.count() + 1; }
  std::vector<Moved> moved_pages() override;
  void remapped(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                std::uint64_t to) override {
    touchers_.remap(process, begin, end, to);
  }
  std::vector<Move> moved_threads() override { return std::exchange(moved_threads_, {}); }
  /// By object, as numbered by known_objects() (kNone: no object): pages of files that were in the
  /// page cache and whose node is unknown.
  [[nodiscard]] const std::map<std::uint32_t, std::uint64_t>& pages_of_unknown_node() const {
    return unknown_;
  }
  /// Node of each thread's place, by its number among those that lived at a time.
  [[nodiscard]] std::vector<NodeId> nodes_of_threads() const;

 private:
  static constexpr std::uint32_t kNone = recording::kNone;
  struct Thread {
    explicit Thread(bool tells_work) : styles(tells_work) {}
    StylesOfStream styles;
    std::uint32_t stream = kNone;  ///< kNone: it hasn't started
    record::Offset process = 0;
    std::uint64_t created_event = 0;
    std::uint32_t creator = kNone;
    std::uint32_t place = kNone;
    std::uint32_t slot = 0;         ///< its number among the threads that live at a time
    std::uint32_t planned = kNone;  ///< its number in the plan
    std::unique_ptr<recording::StreamDecoder> decoder;
    LiveObjects::Found found[4];
    std::size_t next_found = 0;
    PagePolicy policy;                                   ///< set_mempolicy()
    std::vector<std::uint64_t> allowed;                  ///< processing units; empty means all
    std::optional<recording::StreamPlacement> question;  ///< query that waits for its turn
    bool has_ended = false, is_joined = false, is_bound = false;
  };

  void accesses(std::uint32_t stream, std::span<const recording::Access> accesses) override;
  void loop(std::uint32_t stream, std::span<const recording::AccessRange> parts) override;
  void event(std::uint32_t stream, const recording::StreamEvent& event) override;
  void style(std::uint32_t stream, std::uint32_t number,
             const recording::AccessStyle& style) override;
  void work(std::uint32_t stream, const recording::Work& work) override;
  void wait(std::uint32_t stream, const recording::StreamWait& wait) override;
  void place(std::uint32_t stream, const recording::StreamPlacement& call) override;

  /// Adds a thread. `from`: the thread whose policy and affinity it inherits; kNone means none. It
  /// is the creator or, if `from` has ended, the same thread before exec.
  std::uint32_t add(std::uint32_t stream, record::Offset process, std::uint32_t planned,
                    std::uint32_t from);
  /// Number for a new thread among those that live at a time: the lowest that is free.
  std::uint32_t free_slot();
  /// Place for a thread with this number, whose number in the plan is `planned`. `allowed`: as in
  /// Thread.
  std::uint32_t free_place(std::uint32_t slot, std::uint32_t planned,
                           const std::vector<std::uint64_t>& allowed);
  /// The allowed place with the fewest threads.
  [[nodiscard]] std::uint32_t allowed_place(const std::vector<std::uint64_t>& allowed) const;
  [[nodiscard]] bool allows_place(const std::vector<std::uint64_t>& mask, std::size_t place) const;
  /// The thread whose exec started the program with this first stream; kNone if none.
  [[nodiscard]] std::uint32_t executed_by(std::uint32_t stream) const;
  /// Spreads the unbound threads again, and moves the pages that they touched first.
  void spread_again();
  [[nodiscard]] std::uint16_t memory_of_place(std::uint32_t place) const;
  /// `before`: memories of the former places of the moved threads.
  void move_first_touched(const std::map<std::uint32_t, std::uint16_t>& before);
  /// Number of a process, in the order of appearance.
  std::uint32_t number_of_process(record::Offset process);
  ProgramThread as_program_thread(std::uint32_t thread);
  /// Blocks until a created thread has started. Returns false if it won't start.
  bool has_begun(std::uint32_t thread);
  /// Start of a wait: the time, and the processor time that the program had used.
  struct Since {
    std::uint64_t now = 0, processor = 0;
  };
  [[nodiscard]] Since since_now(std::uint32_t stream) const;
  /// True if the wait exceeds any duration that a busy computer explains.
  [[nodiscard]] bool is_too_long(std::uint32_t stream, const Since& since) const;
  /// State of the detection that a thread sleeps for an unknown reason.
  struct UnseenSleep {
    int turns = 0;  ///< number of polls
    Since since;    ///< when it was first seen asleep
    std::uint64_t switches = 0;
    std::uint64_t next_look = 0, pause = 0;  ///< of the checks of all threads: next time; interval
    /// When no thread was first seen to run, and switches_of_all() at that time.
    std::uint64_t quiet_since = 0, all_switches = 0;
    std::uint64_t runs_since = 0, ran = 0;  ///< time when it was seen to run; processor time later
  };
  /// True if the thread sleeps for an unknown reason, and no other thread of the program, which
  /// could wake it, has run meanwhile. The second condition excludes threads that only lack a
  /// processor on a busy computer.
  [[nodiscard]] bool sleeps_unseen(std::uint32_t stream, UnseenSleep& sleep);
  /// True if the thread has run for long without a record while other threads are held by the
  /// simulation: it waits for one of them in a loop of a library.
  [[nodiscard]] bool spins(std::uint32_t stream, UnseenSleep& sleep) const;
  [[nodiscard]] bool some_are_held() const;
  /// True if the thread has started, hasn't ended, and isn't held by the simulation.
  [[nodiscard]] bool can_go_on(const Thread& one) const;
  /// Sum of the context switches of all threads for which can_go_on() is true.
  [[nodiscard]] std::uint64_t switches_of_all() const;
  /// True if the thread sleeps in a wait that its stream records.
  [[nodiscard]] bool is_asleep(std::uint32_t thread) const;
  void begun(std::uint32_t thread, std::uint32_t stream);
  [[nodiscard]] std::uint32_t thread_called(record::Offset process, std::uint64_t number);
  [[nodiscard]] const LiveObjects::Found& found_at(std::uint32_t thread, std::uint64_t address);
  /// The last thread of a process with that tid; kNone if none.
  [[nodiscard]] std::uint32_t thread_of_tid(record::Offset process, std::uint64_t tid) const;
  /// Policy of a page that the thread touches.
  [[nodiscard]] const PagePolicy* asked_at(std::uint32_t thread, std::uint64_t address) const;
  /// Discards the pages of memory that has just got a name, and so a layout by --layout-of.
  void read_names(std::uint32_t thread);
  void move(std::uint64_t process, std::uint64_t first, const Page& page, std::uint16_t to);
  /// mbind() with MPOL_MF_MOVE.
  void move_by_policy(std::uint32_t thread, const recording::StreamPlacement& call);
  /// Answers the thread's pending query, if any.
  void answer(std::uint32_t thread);

  recording::LiveStreams& streams_;
  const Machine& machine_;
  const Model& model_;
  const Options& options_;
  LivePlaces& spread_;
  const ThreadPlaces& places_;  ///< all processing units
  Pages& pages_;
  bool tells_work_;
  Placed placed_;
  Answered answered_;
  std::optional<PlanMatcher> planned_;
  Placement placement_;
  LiveObjects objects_;
  MemoryCalls calls_;
  FirstTouchers touchers_;
  PagePolicy in_turn_{.how = PagePolicy::How::in_turn};  ///< over the memories of all nodes
  std::map<std::uint32_t, std::uint64_t> unknown_;
  std::deque<Thread> threads_;
  std::vector<std::uint32_t> of_stream_;  ///< thread of each stream; kNone if none
  std::vector<std::uint64_t> seen_ns_;    ///< time at which each stream was first seen
  std::vector<std::uint32_t> user_;       ///< thread of each place
  std::vector<std::uint32_t> of_slot_;    ///< last thread with each number
  std::vector<Move> moved_threads_;
  std::map<record::Offset, std::uint32_t> processes_;
  std::unique_ptr<recording::StreamDecoder::Room> room_;
  std::vector<std::uint64_t> words_;
  std::vector<Moved> moved_;
  Batch* batch_ = nullptr;
  std::uint32_t decoding_ = 0;
  std::uint64_t iterations_ = 0;
  std::size_t most_ = 0;
  bool has_slept_ = false;
  bool creates_tasks_ = false;    ///< OpenMP tasks, which the program assigns to threads
  std::uint64_t stopped_ns_ = 0;  ///< time at which the stop was noticed
  std::size_t shared_ = 0;        ///< number of threads that share a place
};

}  // namespace Atoll::simulate
