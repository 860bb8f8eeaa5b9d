#include "simulate/live_objects.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "atoll/base/page_size.hpp"
#include "atoll/recording/objects_by_time.hpp"
#include "recording/objects/object_names.hpp"

namespace Atoll::simulate {
namespace {

/// Number of objects above which all allocations of one call stack share one object.
constexpr std::size_t kMaxSingle = 1 << 14;
/// Maximum number of unrecorded pages that become objects of their own.
constexpr std::size_t kMaxUnknown = 1 << 12;

template <typename T>
T payload(const record::Event& event) {
  T value{};
  std::memcpy(&value, &event + 1, std::min<std::size_t>(sizeof value, event.bytes));
  return value;
}

}  // namespace

LiveObjects::LiveObjects(recording::LiveStreams& streams, const Options& options,
                         PlanMatcher* planned)
    : streams_(streams), options_(options), planned_(planned) {
  for (const auto& [name, layout] : options.layout_of) named_[name] = false;
}

std::uint32_t LiveObjects::add(Offset process, recording::ObjectKind kind, std::uint64_t address,
                               std::uint64_t bytes, std::uint64_t clock) {
  const ObjectLayout layout =
      kind == recording::ObjectKind::stack ? ObjectLayout::first_touch : options_.layout;
  objects_.push_back(
      {{.kind = kind, .address = address, .bytes = bytes, .layout = layout}, process, clock});
  return static_cast<std::uint32_t>(objects_.size() - 1);
}

void LiveObjects::put(Offset process, std::uint64_t begin, std::uint64_t end, Owner owner) {
  if (begin >= end) return;
  ranges_[process].assign(begin, end, owner);
  ++version_;
}

std::uint64_t LiveObjects::event(std::uint32_t stream, const recording::StreamEvent& event,
                                 std::uint32_t planned) {
  using Kind = recording::RecordKind;
  const Offset process = streams_.about(stream).process;
  const std::uint64_t end = event.address + event.bytes;
  if (event.kind == Kind::freed || event.kind == Kind::unmapped) {
    Ranges& ranges = ranges_[process];
    const auto whole = ranges.all().find(event.address);
    const bool is_whole = event.bytes == 0 && whole != ranges.all().end();
    const std::uint64_t last = is_whole ? whole->second.end : end;
    ranges.erase(event.address, last);
    ++version_;
    return last;
  }
  if (event.kind != Kind::allocated && event.kind != Kind::mapped) return 0;
  const record::Event* const told = streams_.event(stream, event.number);
  const record::EventKind how = told == nullptr ? record::EventKind::mapped : told->kind;
  const std::uint32_t site = told == nullptr || how == record::EventKind::module
                                 ? 0
                                 : payload<record::Allocated>(*told).site;
  recording::ObjectKind kind = recording::ObjectKind::mapping;
  if (how == record::EventKind::allocated) kind = recording::ObjectKind::heap;
  if (how == record::EventKind::slab) kind = recording::ObjectKind::pool;
  if (how == record::EventKind::stack) kind = recording::ObjectKind::stack;
  const bool shares = how == record::EventKind::slab ||
                      (how == record::EventKind::allocated && objects_.size() >= kMaxSingle);
  std::uint32_t object = kNone;
  if (const auto known = of_site_.find({process, site}); shares && known != of_site_.end()) {
    object = known->second;
    objects_[object].placed.bytes += event.bytes;
  } else {
    object = add(process, kind, event.address, event.bytes, event.clock());
    objects_[object].placed.is_private =
        how == record::EventKind::mapped
            ? told != nullptr && payload<record::Mapped>(*told).backing == record::Backing::own
            : how != record::EventKind::module;
    if (shares) of_site_[{process, site}] = object;
    if (!named_.empty() && site != 0) name(object, {}, site);
    if (planned_ != nullptr) plan(object, how, site, planned);
  }
  put(process, event.address, end, {object, how == record::EventKind::module});
  return 0;
}

const std::vector<process::Frame>& LiveObjects::stack_of(Offset process, std::uint32_t site) {
  const auto [known, is_new] = stacks_.try_emplace({process, site});
  const record::Event* const seen = site == 0 || !is_new ? nullptr : streams_.site(process, site);
  if (seen == nullptr) return known->second;
  recording::SiteTable table({recording::kNone}, symbols_);
  for (const record::Event* module : streams_.modules(process)) {
    const auto loaded = payload<record::ModuleLoaded>(*module);
    const char* const path = reinterpret_cast<const char*>(module + 1) + sizeof loaded;
    (void)table.add_module(0, {path, loaded.bias, loaded.begin, loaded.end});
  }
  const auto levels = payload<record::SiteSeen>(*seen).levels;
  std::vector<std::uint64_t> stack(levels);
  std::memcpy(stack.data(),
              reinterpret_cast<const std::uint8_t*>(seen + 1) + sizeof(record::SiteSeen),
              levels * sizeof(std::uint64_t));
  table.add_site(0, site, stack);
  const std::uint32_t number = table.site_of(0, site);
  const std::vector<recording::Site> sites = table.take_sites();
  if (number < sites.size()) known->second = sites[number].frames;
  return known->second;
}

void LiveObjects::plan(std::uint32_t object, record::EventKind how, std::uint32_t site,
                       std::uint32_t thread) {
  Object& its = objects_[object];
  if (how == record::EventKind::stack) {
    its.placed.plan = planned_->stack_of(thread);
    return;
  }
  its.placed.plan = planned_->allocated(its.process, site, its.placed.kind,
                                        [&] { return stack_of(its.process, site); });
}

bool LiveObjects::name(std::uint32_t object, const std::string& variable, std::uint32_t site) {
  Object& its = objects_[object];
  recording::Recording one;
  one.processes.emplace_back();
  recording::Object& described = one.objects.emplace_back();
  described.kind = its.placed.kind;
  described.name = variable;
  described.bytes = its.placed.bytes;
  if (const auto& frames = stack_of(its.process, site); !frames.empty()) {
    described.site = 0;
    one.sites.push_back({frames});
  }
  for (const auto& [name, layout] : options_.layout_of) {
    if (!is_called(one, one.objects[0], name)) continue;
    its.placed.layout = layout;
    its.placed.is_named = named_[name] = true;
  }
  return its.placed.is_named;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> LiveObjects::read_names(Offset process) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> named;
  if (named_.empty()) return named;
  const auto& described = streams_.described(process);
  for (std::size_t& known = described_[process]; known < described.size(); ++known) {
    const record::Event& event = *described[known];
    const auto range = payload<record::Allocated>(event);
    const char* const text = reinterpret_cast<const char*>(&event + 1) + sizeof range;
    const std::string called(text, ::strnlen(text, event.bytes - sizeof range));
    const Found found = find(process, range.address);
    if (found.object == kNone || !name(found.object, called, 0)) continue;
    const PlacedObject& placed = objects_[found.object].placed;
    named.emplace_back(placed.address, placed.address + placed.bytes);
  }
  return named;
}

void LiveObjects::split_module(Offset process, std::uint64_t address) {
  const auto range = ranges_[process].find(address);
  for (const record::Event* event : streams_.modules(process)) {
    const auto module = payload<record::ModuleLoaded>(*event);
    if (address < module.begin || address >= module.end) continue;
    const std::string path(reinterpret_cast<const char*>(event + 1) + sizeof module);
    const auto variables = symbols_.variables(path);
    auto after = std::ranges::upper_bound(variables, address - module.bias, {},
                                          &process::StaticVariable::address);
    const std::uint64_t next = after == variables.end() ? module.end : module.bias + after->address;
    const std::uint32_t of_module = range->second.value.object;
    const std::uint64_t clock = objects_[of_module].clock;
    if (after != variables.begin()) {
      const process::StaticVariable& variable = *(after - 1);
      const std::uint64_t begin = module.bias + variable.address, end = begin + variable.bytes;
      if (address < end && end <= module.end) {
        const std::uint32_t object =
            add(process, recording::ObjectKind::global, begin, variable.bytes, clock);
        if (!named_.empty()) name(object, variable.name, 0);
        if (planned_ != nullptr)
          objects_[object].placed.plan =
              planned_->global(symbols_.build_id(path), variable.address, variable.name);
        return put(process, begin, end, {object, false});
      }
      // A gap between variables belongs to the module.
      return put(process, std::max(end, range->first), std::min(next, range->second.end),
                 {of_module, false});
    }
    return put(process, range->first, std::min(next, range->second.end), {of_module, false});
  }
  range->second.value.is_module = false;
}

LiveObjects::Found LiveObjects::find(Offset process, std::uint64_t address) {
  for (Offset from = process; from != 0; from = streams_.parent(from)) {
    const auto its = ranges_.find(from);
    if (its == ranges_.end()) continue;
    auto found = its->second.find(address);
    if (found == its->second.all().end()) continue;
    if (found->second.value.is_module) {
      split_module(from, address);
      found = its->second.find(address);
    }
    return {found->second.value.object, found->first, found->second.end, version_};
  }
  return unknown(process, address);
}

LiveObjects::Found LiveObjects::unknown(Offset process, std::uint64_t address) {
  // Memory that the process had before it was watched is reported later, and resolved at the end.
  if (unknown_ == kMaxUnknown) return {kNone, address, address + 1, version_};
  ++unknown_;
  std::uint64_t begin = address / kPageBytes * kPageBytes, end = begin + kPageBytes;
  Ranges& ranges = ranges_[process];
  const auto after = ranges.all().upper_bound(address);
  if (after != ranges.all().end()) end = std::min(end, after->first);
  if (after != ranges.all().begin()) begin = std::max(begin, std::prev(after)->second.end);
  const std::uint32_t object = add(process, recording::ObjectKind::other, begin, end - begin, 0);
  put(process, begin, end, {object, false});
  return {object, begin, end, version_};
}

void LiveObjects::check_all_named() const {
  for (const auto& [name, came] : named_)
    if (!came) throw no_such_object(name);
}

std::vector<std::uint32_t> LiveObjects::in_recording(
    const recording::Recording& recording,
    const std::unordered_map<Offset, std::uint32_t>& processes) const {
  const recording::ObjectsByTime by_time(recording);
  std::vector<std::uint32_t> found;
  for (const Object& object : objects_) {
    const auto process = processes.find(object.process);
    found.push_back(
        process == processes.end()
            ? recording::kNone
            : by_time.find(process->second, object.placed.address, object.clock).object);
  }
  return found;
}

}  // namespace Atoll::simulate
