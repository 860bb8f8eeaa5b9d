#include "recording/sample/perf_events.hpp"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <ctime>
#include <string_view>

#include "process/seccomp.hpp"
#include "recording/sample/first_line.hpp"

namespace Atoll::recording::sample {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> number(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Splits "a,b,c" at its commas.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return parts;
}

/// Stores `value` in the bits that a format file lists, such as "config:0-7,32-35", lowest bits
/// first.
bool put(const std::string& format, std::uint64_t value, Event& event) {
  const auto colon = format.find(':');
  if (colon == std::string::npos) return false;
  const std::string_view field = std::string_view(format).substr(0, colon);
  std::uint64_t* to = field == "config"    ? &event.config
                      : field == "config1" ? &event.config1
                      : field == "config2" ? &event.config2
                                           : nullptr;
  if (to == nullptr) return false;
  for (const auto range : split(std::string_view(format).substr(colon + 1))) {
    const auto dash = range.find('-');
    const auto low = number(range.substr(0, dash));
    const auto high = dash == std::string_view::npos ? low : number(range.substr(dash + 1));
    if (!low || !high || *low > *high || *high > 63) return false;
    for (auto bit = *low; bit <= *high; ++bit, value >>= 1) *to |= (value & 1) << bit;
  }
  return value == 0;
}

/// Returns an event of a device's `events` folder. `extra` is a term ("ldlat=3") that is added if
/// the event lacks it.
std::optional<Event> named_event(const fs::path& device, const std::string& name,
                                 const std::string& extra = "") {
  const auto type = first_line(device / "type");
  const auto terms = first_line(device / "events" / name);
  if (!type || !terms) return std::nullopt;
  const auto type_number = number(*type);
  if (!type_number || *type_number > 0xffffffff) return std::nullopt;
  Event event{.name = device.filename().string() + "/" + name + "/",
              .type = static_cast<std::uint32_t>(*type_number),
              .hardware = true};
  const std::string key_of_extra = extra.substr(0, extra.find('='));
  std::string all = *terms;
  if (!extra.empty() && all.find(key_of_extra + "=") == std::string::npos) all += "," + extra;
  for (const auto term : split(all)) {
    const auto equals = term.find('=');
    const std::string key(term.substr(0, equals));
    const auto value = equals == std::string_view::npos ? std::optional<std::uint64_t>(1)
                                                        : number(term.substr(equals + 1));
    const auto format = first_line(device / "format" / key);
    if (!value || !format || !put(*format, *value, event)) return std::nullopt;
  }
  return event;
}

/// Intel: adds loads of any latency, and stores. On hybrid processors, the performance cores are a
/// separate device.
void add_pebs(const fs::path& device, std::vector<Event>& events) {
  const auto auxiliary = named_event(device, "mem-loads-aux");
  if (auto loads = named_event(device, "mem-loads", "ldlat=3")) {
    if (auxiliary) loads->leader.push_back(*auxiliary);
    events.push_back(std::move(*loads));
  }
  if (auto stores = named_event(device, "mem-stores")) events.push_back(std::move(*stores));
}

/// AMD: adds one event that samples operations of all kinds. cnt_ctl selects operations instead of
/// cycles as the unit of the period.
void add_ibs(const fs::path& device, std::vector<Event>& events) {
  const auto type = first_line(device / "type");
  const auto type_number = type ? number(*type) : std::nullopt;
  if (!type_number || *type_number > 0xffffffff) return;
  Event event{.name = device.filename().string() + "//",
              .type = static_cast<std::uint32_t>(*type_number),
              .hardware = true,
              .amd_ibs = true};
  if (const auto format = first_line(device / "format" / "cnt_ctl"))
    if (!put(*format, 1, event)) return;
  events.push_back(std::move(event));
}

bool capable() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (::syscall(SYS_capget, &header, data) != 0) return false;
  constexpr int kAdmin = 21, kPerfmon = 38;
  return (data[0].effective >> kAdmin & 1) != 0 || (data[1].effective >> (kPerfmon - 32) & 1) != 0;
}

int paranoid_here() {
  const auto line = first_line("/proc/sys/kernel/perf_event_paranoid");
  int value = 2;  // Linux's own default
  if (line) std::from_chars(line->data(), line->data() + line->size(), value);
  return value;
}

}  // namespace

Event page_faults() {
  return {.name = "page-faults", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS};
}

Event tasks_alone() {
  return {.name = "tasks", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
}

std::vector<Event> address_events(const fs::path& devices) {
  std::vector<Event> events;
  for (const char* name : {"cpu", "cpu_core", "cpu_atom"}) add_pebs(devices / name, events);
  add_ibs(devices / "ibs_op", events);
  return events;
}

perf_event_attr attributes(const Event& event, bool with_kernel) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = event.type;
  attr.config = event.config;
  attr.config1 = event.config1;
  attr.config2 = event.config2;
  attr.sample_type =
      PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU;
  attr.inherit = 1;
  attr.disabled = 1;
  attr.sample_id_all = 1;
  attr.exclude_hv = 1;
  attr.exclude_kernel = with_kernel ? 0 : 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  if (!event.hardware) {
    attr.sample_period = 1;
    attr.task = attr.comm = attr.comm_exec = event.config == PERF_COUNT_SW_DUMMY ? 1 : 0;
    return attr;
  }
  // The kernel keeps this rate for each processing unit, in samples a second. At 1 to 2 µs for a
  // sample, this takes well under 1 % of the time.
  attr.freq = 1;
  attr.sample_freq = 2000;
  attr.sample_type |= PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
  if (event.amd_ibs) {
    attr.sample_type |= PERF_SAMPLE_RAW;
    attr.exclude_kernel = 0;  // the event can't exclude the kernel
    attr.exclude_hv = 0;
  } else {
    attr.precise_ip = 2;
    attr.exclude_kernel = 1;
  }
  return attr;
}

Permission permission(int paranoid, bool capable_here) {
  if (capable_here || paranoid <= 1) return Permission::all;
  return paranoid == 2 ? Permission::without_kernel : Permission::none;
}

Permission permission_here() {
  return permission(paranoid_here(), capable());
}

std::string how_to_allow() {
  return fmt::format(
      "kernel.perf_event_paranoid is {}: allow it with `sysctl kernel.perf_event_paranoid=1` as "
      "root, or give atoll the capability (setcap cap_perfmon=ep){}",
      paranoid_here(), process::seccomp_hint("perf_event_open", "PERFMON"));
}

}  // namespace Atoll::recording::sample
