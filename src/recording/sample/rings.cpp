#include "recording/sample/rings.hpp"

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "atoll/base/error.hpp"
#include "atoll/base/page_size.hpp"
#include "base/number_list.hpp"
#include "recording/sample/first_line.hpp"
#include "recording/sample/nodes.hpp"

namespace Atoll::recording::sample {
namespace {
/// 512 KiB for each unit, which Linux lets each user lock for perf (perf_event_mlock_kb): room for
/// 13,000 faults.
constexpr std::size_t kRingBytes = 128 * kPageBytes;
constexpr std::size_t kLeastRingBytes = 32 * kPageBytes;

std::vector<int> units() {
  std::vector<int> found =
      parse_number_list(first_line("/sys/devices/system/cpu/online").value_or(""));
  if (found.empty()) found.push_back(0);
  return found;
}

int open_event(perf_event_attr& attr, pid_t pid, int cpu, int group) {
  return static_cast<int>(
      ::syscall(SYS_perf_event_open, &attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

Rings::Rings(const Event& event, pid_t pid, bool with_kernel)
    : layout_{attributes(event, with_kernel).sample_type, event.amd_ibs}, data_bytes_(kRingBytes) {
  try {
    for (const int cpu : units()) open(event, pid, with_kernel, cpu);
  } catch (...) {
    close();
    throw;
  }
}

void Rings::open(const Event& event, pid_t pid, bool with_kernel, int cpu) {
  Ring ring;
  if (!event.leader.empty()) {
    auto attr = attributes(event.leader.front(), with_kernel);
    attr.freq = 0;
    attr.sample_period = 0;
    attr.precise_ip = 0;
    attr.enable_on_exec = 1;
    ring.leader = open_event(attr, pid, cpu, -1);
  }
  auto attr = attributes(event, with_kernel);
  attr.enable_on_exec = 1;
  ring.file = open_event(attr, pid, cpu, ring.leader);
  if (ring.file >= 0) {
    void* memory =
        ::mmap(nullptr, kPageBytes + data_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, ring.file, 0);
    // Other processes of this user may have locked most of the allowed memory. Smaller rings are
    // sufficient, too.
    while (memory == MAP_FAILED && errno == EPERM && rings_.empty() &&
           data_bytes_ > kLeastRingBytes) {
      data_bytes_ /= 2;
      memory = ::mmap(nullptr, kPageBytes + data_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED,
                      ring.file, 0);
    }
    if (memory != MAP_FAILED) ring.memory = memory;
  }
  if (ring.memory != nullptr && !event.hardware) {
    // Task records go into the same ring, so that all records are in order.
    auto tasks = attributes(tasks_alone(), with_kernel);
    ring.tasks = open_event(tasks, pid, cpu, -1);
    if (ring.tasks < 0 || ::ioctl(ring.tasks, PERF_EVENT_IOC_SET_OUTPUT, ring.file) != 0 ||
        ::ioctl(ring.tasks, PERF_EVENT_IOC_ENABLE, 0) != 0)
      ring.memory = (::munmap(ring.memory, kPageBytes + data_bytes_), nullptr);
  }
  const int error = errno;
  const bool works = ring.file >= 0 && ring.memory != nullptr;
  rings_.push_back(ring);  // closed with the others
  if (!works) throw Error::system(event.name, "opening the perf event", error, how_to_allow());
}

Rings::~Rings() {
  close();
}

void Rings::close() {
  for (const Ring& ring : rings_) {
    if (ring.memory != nullptr) ::munmap(ring.memory, kPageBytes + data_bytes_);
    if (ring.file >= 0) ::close(ring.file);
    if (ring.leader >= 0) ::close(ring.leader);
    if (ring.tasks >= 0) ::close(ring.tasks);
  }
  rings_.clear();
}

void Rings::drain(std::vector<Record>& records) {
  for (const Ring& ring : rings_) {
    auto* page = static_cast<perf_event_mmap_page*>(ring.memory);
    const std::span<const std::byte> data(static_cast<const std::byte*>(ring.memory) + kPageBytes,
                                          data_bytes_);
    const std::uint64_t head = std::atomic_ref(page->data_head).load(std::memory_order_acquire);
    RingReader reader(layout_, data, page->data_tail, head);
    while (auto record = reader.next()) records.push_back(std::move(*record));
    std::atomic_ref(page->data_tail).store(head, std::memory_order_release);
  }
}

void Rings::enable(bool on) {
  for (const Ring& ring : rings_)
    ::ioctl(ring.file, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

}  // namespace Atoll::recording::sample
