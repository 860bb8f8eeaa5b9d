#include "recording/process_ends.hpp"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "atoll/base/error.hpp"
#include "recording/region_view.hpp"
#include "recording/sample/fault_sampler.hpp"

namespace Atoll::recording {

using record::Offset;
using record::ProcessRecord;

ProcessEnds::ProcessEnds(Region& region) : region_(region), ends_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (ends_ < 0) throw Error::system("watching processes", "epoll_create1", errno);
}

ProcessEnds::~ProcessEnds() {
  for (const auto& [process, file] : files_) ::close(file);
  ::close(ends_);
}

void ProcessEnds::step() {
  const RegionView view(region_.header(), region_.bytes());
  const Offset newest = region_.header().processes.load(std::memory_order_acquire);
  if (newest != last_) {
    std::vector<std::pair<Offset, pid_t>> fresh;
    bool known = false;
    view.for_each<ProcessRecord>(newest, [&](const ProcessRecord& process, Offset offset) {
      known = known || offset == last_;
      if (!known) fresh.emplace_back(offset, process.pid);
    });
    for (const auto& [process, pid] : fresh) add(process, pid);
    last_ = newest;
  }
  std::array<epoll_event, 64> ended;
  const int count = ::epoll_wait(ends_, ended.data(), static_cast<int>(ended.size()), 0);
  for (int i = 0; i < count; ++i) {
    const Offset process = ended.at(static_cast<std::size_t>(i)).data.u64;
    note_end(process);
    ::close(files_.at(process));  // also removes it from the epoll set
    files_.erase(process);
  }
}

void ProcessEnds::add(Offset process, pid_t pid) {
  const auto file = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (file < 0) {
    if (errno == ESRCH) note_end(process);
    return;
  }
  epoll_event event{.events = EPOLLIN, .data = {.u64 = process}};
  if (!files_.emplace(process, file).second || ::epoll_ctl(ends_, EPOLL_CTL_ADD, file, &event) != 0)
    ::close(file);
}

void ProcessEnds::note_end(Offset process) {
  auto* record = reinterpret_cast<ProcessRecord*>(
      reinterpret_cast<std::uint8_t*>(&region_.header()) + process);
  std::uint64_t none = 0;
  record->ended_ns.compare_exchange_strong(none, sample::monotonic_ns());
}

}  // namespace Atoll::recording
