// A program that runs now, as one that the engine runs: its threads' streams are taken as the
// engine asks for them, and nothing is stored.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "atoll/machine/thread_places.hpp"
#include "simulate/first_touchers.hpp"
#include "simulate/live_objects.hpp"
#include "simulate/live_places.hpp"
#include "simulate/memory_calls.hpp"
#include "simulate/ops_of_stream.hpp"
#include "simulate/placement.hpp"
#include "simulate/planned.hpp"
#include "simulate/program.hpp"
#include "trace/live_streams.hpp"
#include "trace/stream_decoder.hpp"

namespace Atoll::simulate {

class LiveProgram : public Program, public LiveThreads, private trace::Consumer {
 public:
  /// Called when a thread's place is known: its tid and the place's number.
  using Placed = std::function<void(int tid, std::uint32_t place)>;
  /// Called with the answers to a question of the program's thread that has that row in the view.
  using Answered = std::function<void(std::uint32_t row, std::span<const std::int16_t> answers)>;

  /// `places`: of threads that nothing binds. `tells_work`: streams have the work between accesses.
  /// `sees_all`: they have the accesses of all libraries. All must outlive this.
  LiveProgram(trace::LiveStreams& streams, const Machine& machine, const Model& model,
              const Options& options, LivePlaces& places, Pages& pages, bool tells_work,
              bool sees_all, Placed placed, Answered answered);

  [[nodiscard]] LiveObjects& known_objects() { return objects_; }
  [[nodiscard]] const Placement& placement() const { return placement_; }
  /// Null: there is no plan.
  [[nodiscard]] const Planned* planned() const { return planned_ ? &*planned_ : nullptr; }
  /// The most threads that lived at the same time.
  [[nodiscard]] std::size_t most_threads() const { return most_; }
  /// How many threads shared a place with another one.
  [[nodiscard]] std::size_t shared_places() const { return shared_; }
  /// True if threads slept, and nothing told for what.
  [[nodiscard]] bool has_slept() const { return has_slept_; }

  bool next(std::uint32_t thread, Batch& batch) override;
  Page touch(std::uint32_t thread, std::uint32_t node, std::uint64_t address, Fault fault) override;
  void dropped(const Page& page) override { placement_.dropped(page); }
  std::uint32_t object_of(std::uint32_t thread, std::uint64_t address) override;
  Span span_of_object(std::uint32_t thread, std::uint64_t address) override;
  void clock(std::uint32_t thread, std::uint64_t events) override;
  std::uint16_t copy_for(std::uint32_t node, std::uint64_t address, std::uint16_t home,
                         bool write) override;
  LiveThreads* live() override { return this; }

  std::optional<ProgramThread> create(std::uint32_t creator, std::uint64_t number) override;
  std::optional<std::uint32_t> joined(std::uint32_t joiner, std::uint64_t number) override;
  std::optional<ProgramThread> appeared() override;
  bool has_more(std::uint32_t thread) override;
  bool settles(std::uint32_t thread) override;
  void settle(std::vector<std::uint32_t>& threads) override;
  void wait_for_some(std::vector<std::uint32_t>& threads, std::size_t count,
                     std::size_t sure) override;
  void wait_for_more(std::uint32_t thread) override;
  void give_turn(std::uint32_t thread) override;
  std::uint64_t number_of(std::uint32_t thread) override;
  bool some_run() override;
  bool has_ended() override { return streams_.has_ended(); }
  bool was_stopped() override;
  std::vector<Move> bind(std::uint32_t thread) override;
  /// The last one stands for memory without a record.
  std::size_t objects() override { return objects_.count() + 1; }
  std::vector<Moved> moved_pages() override;
  void remapped(std::uint32_t process, std::uint64_t begin, std::uint64_t end,
                std::uint64_t to) override {
    touchers_.remap(process, begin, end, to);
  }
  std::vector<Move> moved_threads() override { return std::exchange(moved_threads_, {}); }
  /// By object, as known_objects() counts them (kNone: no object's): pages that the page cache had
  /// from nobody knows whom.
  [[nodiscard]] const std::map<std::uint32_t, std::uint64_t>& pages_of_unknown_node() const {
    return unknown_;
  }
  /// The node of each thread's place, by its number among those that lived at a time.
  [[nodiscard]] std::vector<NodeId> nodes_of_threads() const;

 private:
  static constexpr std::uint32_t kNone = trace::kNone;
  /// A call that places memory or threads, with its mask.
  struct Call {
    trace::StreamPlacement call;
    std::vector<std::uint64_t> mask;
  };
  using Happening = std::variant<trace::StreamEvent, Call>;
  struct Thread {
    explicit Thread(OpsOfStream its_ops) : ops(its_ops) {}
    OpsOfStream ops;
    std::uint32_t stream = kNone;  ///< kNone: it hasn't begun
    trace::recorder::Offset process = 0;
    std::uint64_t created_event = 0;
    std::uint32_t creator = kNone;
    std::uint32_t place = kNone;
    std::uint32_t slot = 0;         ///< its number among the threads that live at a time
    std::uint32_t planned = kNone;  ///< the plan's thread that it is
    std::unique_ptr<trace::StreamDecoder> decoder;
    std::deque<Happening> happenings;  ///< that are decoded, and not executed yet
    LiveObjects::Found found[4];
    std::size_t next_found = 0;
    Asked policy;                                    ///< set_mempolicy()
    std::vector<std::uint64_t> allowed;              ///< processing units; empty: all
    std::optional<trace::StreamPlacement> question;  ///< that waits for its turn
    bool has_ended = false, is_joined = false, is_bound = false;
  };

  void accesses(std::uint32_t stream, std::span<const trace::Access> accesses) override;
  void loop(std::uint32_t stream, std::span<const trace::AccessRange> parts) override;
  void event(std::uint32_t stream, const trace::StreamEvent& event) override;
  void style(std::uint32_t stream, std::uint32_t number, const trace::AccessStyle& style) override;
  void work(std::uint32_t stream, const trace::StreamWork& work) override;
  void wait(std::uint32_t stream, const trace::StreamWait& wait) override;
  void place(std::uint32_t stream, const trace::StreamPlacement& call) override;

  /// `from`: the thread whose policy and processing units it inherits, its creator or, if it has
  /// ended, itself before it executed a program; kNone: nobody's.
  std::uint32_t add(std::uint32_t stream, trace::recorder::Offset process, std::uint32_t planned,
                    std::uint32_t from);
  /// The number of a new thread among those that live at a time: the least that is free.
  std::uint32_t free_slot();
  /// A place for a thread with this number, which the plan has as `planned`. `allowed`: as in
  /// Thread.
  std::uint32_t free_place(std::uint32_t slot, std::uint32_t planned,
                           const std::vector<std::uint64_t>& allowed);
  /// The place with the fewest threads among those that a thread may have.
  [[nodiscard]] std::uint32_t allowed_place(const std::vector<std::uint64_t>& allowed) const;
  [[nodiscard]] bool allows_place(const std::vector<std::uint64_t>& mask, std::size_t place) const;
  /// The thread that has executed the program whose first stream this is; kNone: none has.
  [[nodiscard]] std::uint32_t executed_by(std::uint32_t stream) const;
  /// Places the threads that nothing binds once more, and the pages that they touched first.
  void spread_again();
  [[nodiscard]] std::uint16_t memory_of_place(std::uint32_t place) const;
  /// `before`: the memories of the places where these threads were.
  void move_first_touched(const std::map<std::uint32_t, std::uint16_t>& before);
  /// The number of a process, in the order in which they came.
  std::uint32_t number_of_process(trace::recorder::Offset process);
  ProgramThread as_program_thread(std::uint32_t thread);
  /// Waits until a created thread has begun; false: it won't.
  bool has_begun(std::uint32_t thread);
  /// When a wait began, and how much processor time the program had had then.
  struct Since {
    std::uint64_t now = 0, processor = 0;
  };
  [[nodiscard]] Since since_now(std::uint32_t stream) const;
  /// True if what is waited for would have come, however busy the computer is.
  [[nodiscard]] bool is_too_long(std::uint32_t stream, const Since& since) const;
  /// Of a thread that is waited for.
  struct UnseenSleep {
    int turns = 0;  ///< that it was looked at
    Since since;    ///< when it was seen asleep first
    std::uint64_t switches = 0;
    std::uint64_t next_look = 0, pause = 0;           ///< at all threads; since the last one
    std::uint64_t quiet_since = 0, all_switches = 0;  ///< when no thread was seen to run first
    std::uint64_t runs_since = 0, ran = 0;  ///< when it was seen to run first, and a while later
  };
  /// True if the thread sleeps, nothing tells for what, and no other thread of the program has run
  /// meanwhile, who might let it go on. So it isn't taken for asleep because the computer is busy.
  [[nodiscard]] bool sleeps_unseen(std::uint32_t stream, UnseenSleep& sleep);
  /// True if the thread has run for long and told nothing, while others wait for the simulation: it
  /// waits for one of them in a loop of a library's.
  [[nodiscard]] bool spins(std::uint32_t stream, UnseenSleep& sleep) const;
  [[nodiscard]] bool some_are_held() const;
  /// True if the thread has begun, hasn't ended, and doesn't wait for the simulation.
  [[nodiscard]] bool can_go_on(const Thread& one) const;
  /// How often all threads that can go on have given their processors away, together.
  [[nodiscard]] std::uint64_t switches_of_all() const;
  /// True if it sleeps in a wait that its stream tells.
  [[nodiscard]] bool is_asleep(std::uint32_t thread) const;
  void begun(std::uint32_t thread, std::uint32_t stream);
  [[nodiscard]] std::uint32_t thread_called(trace::recorder::Offset process, std::uint64_t number);
  [[nodiscard]] const LiveObjects::Found& found_at(std::uint32_t thread, std::uint64_t address);
  /// The last thread of a process with that tid; kNone: none has it.
  [[nodiscard]] std::uint32_t thread_of_tid(trace::recorder::Offset process,
                                            std::uint64_t tid) const;
  void execute(std::uint32_t thread, const Call& call);
  /// The policy that holds for a page that the thread touches.
  [[nodiscard]] const Asked* asked_at(std::uint32_t thread, std::uint64_t address) const;
  /// Discards the pages of memory that has got a name, and so a layout, by --layout-of.
  void see_names(std::uint32_t thread);
  void move(std::uint64_t process, std::uint64_t first, const Page& page, std::uint16_t to);
  /// mbind() with MPOL_MF_MOVE.
  void move_by_policy(std::uint32_t thread, const trace::StreamPlacement& call);
  /// Answers the thread's question, if it has one.
  void answer(std::uint32_t thread);

  trace::LiveStreams& streams_;
  const Machine& machine_;
  const Model& model_;
  const Options& options_;
  LivePlaces& spread_;
  const ThreadPlaces& places_;  ///< all processing units
  Pages& pages_;
  bool tells_work_;
  Placed placed_;
  Answered answered_;
  std::optional<Planned> planned_;
  Placement placement_;
  LiveObjects objects_;
  MemoryCalls calls_;
  FirstTouchers touchers_;
  Asked in_turn_{.how = Asked::How::in_turn};  ///< over the memories of all nodes
  std::map<std::uint32_t, std::uint64_t> unknown_;
  std::deque<Thread> threads_;
  std::vector<std::uint32_t> of_stream_;  ///< the thread of each stream; kNone: nobody's yet
  std::vector<std::uint64_t> seen_ns_;    ///< when each stream was first seen
  std::vector<std::uint32_t> user_;       ///< the thread of each place
  std::vector<std::uint32_t> of_slot_;    ///< the last thread with each number
  std::vector<Move> moved_threads_;
  std::map<trace::recorder::Offset, std::uint32_t> processes_;
  std::unique_ptr<trace::StreamDecoder::Room> room_;
  std::vector<std::uint64_t> words_;
  std::vector<Moved> moved_;
  Batch* batch_ = nullptr;
  std::uint32_t decoding_ = 0;
  std::uint64_t iterations_ = 0;
  std::size_t most_ = 0;
  bool has_slept_ = false;
  bool creates_tasks_ = false;  ///< of OpenMP: which of them a thread executes, the program decides
  std::uint64_t stopped_ns_ = 0;  ///< when that was seen
  std::size_t shared_ = 0;        ///< threads that share a place
};

}  // namespace Atoll::simulate
