#include "simulate/interruption.hpp"

#include <atomic>

namespace Atoll::simulate {
namespace {

std::atomic<bool> has_come_{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // written by a signal handler

void note(int /*signal*/) {
  has_come_.store(true);
}

}  // namespace

Interruption::Interruption() {
  has_come_.store(false);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = note;
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    ::sigaction(kSignals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

bool Interruption::has_come() {
  return has_come_.load();
}

}  // namespace Atoll::simulate
