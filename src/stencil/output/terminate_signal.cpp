#include "stencil/output/terminate_signal.hpp"

#include "atoll/base/error.hpp"

#include <cerrno>

namespace Atoll::stencil::detail {
namespace {

volatile std::sig_atomic_t arrived_flag = 0;

}  // namespace

TerminateSignal::TerminateSignal() {
  struct sigaction noting {};
  noting.sa_handler = [](int) { arrived_flag = 1; };
  noting.sa_flags = SA_RESTART;  // writes in progress are completed
  arrived_flag = 0;
  if (::sigaction(SIGTERM, &noting, &before_) != 0)
    throw Error::system("SIGTERM", "handling it", errno);
}

TerminateSignal::~TerminateSignal() {
  ::sigaction(SIGTERM, &before_, nullptr);
}

bool TerminateSignal::arrived() const {
  return arrived_flag != 0;
}

void TerminateSignal::end_process() {
  struct sigaction noting {};
  ::sigaction(SIGTERM, &before_, &noting);
  arrived_flag = 0;
  ::raise(SIGTERM);
  ::sigaction(SIGTERM, &noting, nullptr);
}

}  // namespace Atoll::stencil::detail
