// Where the order of threads decides what each one gets, a simulator that runs the program lets
// them come one by one, in simulated time.
#pragma once

// What a recorder of timed streams defines (trace/inside/waits).
extern "C" {
/// Returns when it is this thread's turn.
void atoll_wants_turn() __attribute__((weak));
/// This thread has done what it wanted the turn for.
void atoll_turn_over() __attribute__((weak));
}

namespace Atoll::detail {

/// While one lives, it is this thread's turn. Without a simulator it costs a comparison.
class InTurn {
 public:
  /// `matters`: the order of threads does.
  explicit InTurn(bool matters = true) noexcept
      : has_turn_(matters && atoll_wants_turn != nullptr) {
    if (has_turn_) atoll_wants_turn();
  }
  ~InTurn() {
    if (has_turn_) atoll_turn_over();
  }
  InTurn(const InTurn&) = delete;
  InTurn& operator=(const InTurn&) = delete;

 private:
  bool has_turn_;
};

}  // namespace Atoll::detail
