#include "recording/frontends/sample_frontend.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "atoll/base/error.hpp"
#include "recording/frontends/frontend_rows.hpp"
#include "recording/sample/store.hpp"

namespace Atoll::recording {
namespace {

using namespace sample;
using namespace record::sample;  // control.hpp

// Measured costs of a record: for the program, which writes it (perf adds this to the program's own
// page faults), and for this process, which reads it. This process's CPU time would be no measure,
// as most of it is spent on wake-ups, which are independent of the rate.
constexpr double kWriteSeconds = 0.3e-6, kReadSeconds = 0.6e-6;

/// Returns how many bytes per second of one thread may be mapped anew instead of reused from libc.
/// Each new page costs a page fault.
std::uint64_t fresh_bytes_per_second(double share) {
  constexpr double kFaultSeconds = 2.5e-6, kOfShare = 0.25;
  return static_cast<std::uint64_t>(kOfShare * share / kFaultSeconds * 4096);
}

std::uint64_t key_of(std::uint64_t pid, std::uint64_t page) {
  return pid << kPageBits ^ page;
}

}  // namespace

SampleFrontend::SampleFrontend(SampleOptions options)
    : Frontend(kSampleFrontend), options_(std::move(options)), rate_(options_.rate) {
  file_ = ::memfd_create("atoll-sampling", MFD_CLOEXEC);
  void* mapped = MAP_FAILED;
  if (file_ >= 0 && ::ftruncate(file_, sizeof(Control)) == 0)
    mapped = ::mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (mapped == MAP_FAILED) {
    const int error = errno;
    if (file_ >= 0) ::close(file_);
    throw Error::system("sampling", "getting shared memory", error);
  }
  control_ = static_cast<Control*>(mapped);
  control_->magic = kControlMagic;
  control_->parts_apart = options_.parts_apart;
  control_->binds_threads = options_.binds_threads ? 1 : 0;
  control_->fresh_bytes_per_second = fresh_bytes_per_second(options_.rate.share);
}

SampleFrontend::~SampleFrontend() {
  if (clock_ >= 0) ::close(clock_);
  ::munmap(control_, sizeof(Control));
  ::close(file_);
}

process::Launch SampleFrontend::prepare(const std::vector<std::string>& command,
                                        const std::string& libraries,
                                        const std::string& region_path,
                                        const std::vector<std::string>& preload) {
  process::Launch launch = Frontend::prepare(command, libraries, region_path, preload);
  launch.environment.emplace_back(kControlVariable,
                                  fmt::format("/proc/{}/fd/{}", ::getpid(), file_));
  return launch;
}

void SampleFrontend::start(pid_t pid) {
  faults_.start(pid);
  if (!faults_.obstacle().empty()) return;
  perf_event_attr attr = attributes(page_faults(), false);
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.sample_period = 0;
  attr.sample_type = 0;
  attr.task = attr.comm = attr.comm_exec = 0;
  attr.enable_on_exec = 1;
  clock_ =
      static_cast<int>(::syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC));
  for (const Event& event : options_.use_hardware ? address_events() : std::vector<Event>{}) try {
      hardware_.push_back(std::make_unique<Rings>(event, pid, false));
      hardware_names_.push_back(event.name);
    } catch (const Error& error) {
      hardware_obstacle_ = error.what();
    }
  // Hardware samples are weighted by accesses and cost less, as no pages have to be withdrawn.
  if (hardware_.empty()) {
    fault_seconds_ = measured_fault_seconds();
    control_->pages_per_second = static_cast<std::uint64_t>(rate_.pages_per_second());
  }
  last_ = read();
}

void SampleFrontend::read_log() {
  const std::uint64_t logged = control_->logged.load(std::memory_order_acquire);
  if (logged - log_read_ > kLogEntries / 2) {  // the oldest entries may be overwritten meanwhile
    log_missed_ += logged - kLogEntries / 2 - log_read_;
    log_read_ = logged - kLogEntries / 2;
  }
  for (; log_read_ < logged; ++log_read_) {
    const Withdrawn& entry = control_->log[log_read_ % kLogEntries];
    const std::uint64_t owner = entry.owner.load(std::memory_order_acquire);
    if (owner >> 32 != (log_read_ & 0xffffffff)) {
      // The entry isn't written yet. It never will be if its process was killed in between.
      if (logged - log_read_ < 64) return;
      ++log_missed_;
      continue;
    }
    const std::uint64_t page = entry.page.load(std::memory_order_relaxed);
    withdrawn_[key_of(owner & 0xffffffff, page & ((std::uint64_t{1} << kPageBits) - 1))] =
        page >> kPageBits;
  }
}

FaultSampler::Meaning SampleFrontend::meaning_of(const Sample& sample) {
  const auto found =
      withdrawn_.find(key_of(static_cast<std::uint64_t>(sample.pid), sample.address / kPageBytes));
  if (found == withdrawn_.end()) return {.weight = 1};  // a page fault of the program's own
  const std::uint64_t weight = found->second;
  withdrawn_.erase(found);
  ++withdrawn_faults_;
  // A page may be withdrawn before its first use. A first use is only missed while watching is
  // paused.
  const bool is_first = !paused_ && paused_seconds_ == 0 && !faults_.counts().touched(sample);
  return {.weight = weight, .touches = is_first};
}

void SampleFrontend::count(const record::Header& header, bool all) {
  const Epoch epoch{header.epoch.load(), header.epoch_generation.load()};
  const bool recording = header.pause_reasons.load() == 0;
  faults_.drain();
  read_log();  // after faults_.drain(): the entry of each drained fault is written by now
  faults_.count(
      [&](const Sample& sample) {
        FaultSampler::Meaning meaning = meaning_of(sample);
        if (options_.on_sample) options_.on_sample(sample);
        if (!recording || !hardware_.empty()) meaning.weight = 0;
        return meaning;
      },
      epoch, all);
  std::vector<Record> accesses;
  for (const auto& rings : hardware_) rings->drain(accesses);
  for (const Record& record : accesses) {
    const auto* sample = std::get_if<Sample>(&record);
    if (sample != nullptr && options_.on_sample) options_.on_sample(*sample);
    if (recording) faults_.counts().add_access(record, epoch);
  }
}

SampleFrontend::Readings SampleFrontend::read() const {
  Readings now;
  now.at = 1e-9 * static_cast<double>(monotonic_ns());
  std::uint64_t program_ns = 0;
  if (clock_ >= 0 && ::read(clock_, &program_ns, sizeof program_ns) == sizeof program_ns)
    now.program = 1e-9 * static_cast<double>(program_ns);
  now.withdrawing = 1e-9 * static_cast<double>(control_->cpu_ns.load());
  now.faults = faults_.drained();
  now.withdrawn = control_->logged.load();
  now.withdrawn_faults = withdrawn_faults_;
  return now;
}

void SampleFrontend::measure() {
  constexpr double kSeconds = 0.1;
  if (1e-9 * static_cast<double>(monotonic_ns()) < last_.at + kSeconds) return;
  const Readings now = read();
  RateMeasurement passed;
  passed.seconds = now.at - last_.at;
  passed.program_seconds = now.program - last_.program;
  // Withdrawing a page interrupts each processor that runs a thread of the program (TLB shootdown).
  const double units = std::max(1.0, passed.program_seconds / passed.seconds);
  passed.pages = static_cast<double>(now.withdrawn - last_.withdrawn);
  const auto faults = static_cast<double>(now.withdrawn_faults - last_.withdrawn_faults);
  passed.pages_seconds =
      (now.withdrawing - last_.withdrawing) * units + faults * (fault_seconds_ + kReadSeconds);
  passed.other_seconds =
      (static_cast<double>(now.faults - last_.faults) - faults) * (kWriteSeconds + kReadSeconds);
  rate_.measured(passed);
  if (paused_) paused_seconds_ += passed.seconds;
  if (paused_ != rate_.pauses()) faults_.enable(!rate_.pauses());
  paused_ = rate_.pauses();
  if (hardware_.empty())
    control_->pages_per_second = paused_ ? 0 : static_cast<std::uint64_t>(rate_.pages_per_second());
  last_ = now;
}

void SampleFrontend::step(const record::Header& header) {
  if (!obstacle().empty()) return;
  count(header, false);
  measure();
}

void SampleFrontend::finish(record::Header& header) {
  if (!obstacle().empty()) return;
  count(header, true);
  measure();
  store_counts(faults_.counts(), header);
}

FirstTouches SampleFrontend::first_touches(const RegionView& region) const {
  return faults_.first_touches(region);
}

std::vector<Unseen> SampleFrontend::cant_see() const {
  if (!obstacle().empty()) return {{UnseenKind::everything, obstacle()}};
  std::vector<Unseen> unseen;
  if (const auto of_faults = faults_.cant_see()) unseen.push_back(*of_faults);
  if (!hardware_names_.empty()) {
    unseen.push_back(
        {UnseenKind::unpicked_accesses, fmt::format("{}", fmt::join(hardware_names_, ", "))});
    return unseen;
  }
  unseen.push_back({UnseenKind::short_uses});
  unseen.push_back({UnseenKind::reads_and_writes});
  unseen.push_back({UnseenKind::small_objects});
  if (options_.parts_apart > 1)
    unseen.push_back({UnseenKind::parts, "", static_cast<std::uint64_t>(options_.parts_apart)});
  if (!hardware_obstacle_.empty())
    unseen.push_back({UnseenKind::hardware_samples, hardware_obstacle_});
  return unseen;
}

std::vector<Loss> SampleFrontend::losses() const {
  std::vector<Loss> losses;
  const auto add = [&](LossKind kind, std::uint64_t count) {
    if (count > 0) losses.push_back({kind, count});
  };
  add(LossKind::samples_dropped, counts().lost());
  add(LossKind::pages_sampled_once, log_missed_);
  if (paused_seconds_ > 0)
    losses.push_back({LossKind::paused_ms, static_cast<std::uint64_t>(1000 * paused_seconds_)});
  add(LossKind::allocations_too_often, control_->left_to_libc.load());
  add(LossKind::allocations_unsafe, control_->unsafe.load());
  return losses;
}

constinit const FrontendRow kSampleFrontend{
    .name = FrontendName::sample,
    .word = "sample",
    .about = "any program, in production: samples of pages",
    .help = "any program, in production: samples (at most 1.05 times)",
    .is_sampled = true,
    .obstacle = [](const std::string&, const std::string&) { return std::string(); },
    .create = [](const FrontendOptions& options) -> std::unique_ptr<Frontend> {
      return std::make_unique<SampleFrontend>(
          SampleOptions{.rate = {.share = options.sampling_share}});
    }};

}  // namespace Atoll::recording
