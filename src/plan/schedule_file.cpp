// Writes and reads schedule files (docs/schedule-file.md).
#include "atoll/plan/schedule_file.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <type_traits>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/read_file.hpp"
#include "atoll/base/units.hpp"

namespace Atoll {
namespace {

constexpr unsigned char kMagic[8] = {0x89, 'A', 'T', 'L', 'S', '\r', '\n', 0x1A};
constexpr std::uint32_t kFileVersion = 2;
constexpr std::uint32_t kByteOrder = 0x01020304;
constexpr std::uint64_t kMaxLoops = 4096;
constexpr std::uint64_t kMaxThreads = 1 << 20;
constexpr std::uint64_t kLongestName = 4096;
/// Limit for a pipe or a device, whose size is unknown and may be infinite.
constexpr std::uint64_t kMaxPipedBytes = kGiB;

/// The file's first 48 bytes. The whole file has the layout of memory, which is the same on x86 and
/// ARM.
struct Head {
  unsigned char magic[8];
  std::uint32_t version;
  std::uint32_t byte_order;
  std::uint64_t bytes;     ///< of the file
  std::uint64_t checksum;  ///< of all bytes after the head
  std::uint64_t threads;
  std::uint64_t loops;
};
static_assert(sizeof(Head) == 48 && std::is_trivially_copyable_v<Head>);

struct PlaceEntry {
  std::uint32_t pu, node;
};

/// A loop's fixed part, before its name and its lists of begins and tasks.
struct LoopHead {
  std::uint64_t iterations, chunk, fingerprint, name_bytes;
  /// [unpacked, packed][plain, followed, prepare]; NaN if there is no prediction.
  double predicted[2][3];
};

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

void put_prediction(const std::optional<SchedulePrediction>& from, double (&to)[3]) {
  const SchedulePrediction known = from.value_or(SchedulePrediction{kUnknown, kUnknown, kUnknown});
  to[0] = known.plain_seconds;
  to[1] = known.followed_seconds;
  to[2] = known.prepare_seconds;
}

std::optional<SchedulePrediction> prediction_of(const double (&from)[3]) {
  if (std::isnan(from[0])) return std::nullopt;
  return SchedulePrediction{from[0], from[1], from[2]};
}

/// Calls `put(pointer, bytes)` for everything after the head, in order. Each list begins at a
/// multiple of 8 bytes.
template <class Put>
void for_each_piece(const Schedule& schedule, const Put& put) {
  constexpr char kZeros[8] = {};
  const auto padded = [&](const void* data, std::size_t bytes) {
    put(data, bytes);
    put(kZeros, -bytes % 8);
  };
  for (const ThreadPlace& thread : schedule.places) {
    const PlaceEntry place{static_cast<std::uint32_t>(thread.pu), thread.node.value};
    put(&place, sizeof place);
  }
  for (const ScheduledLoop& loop : schedule.loops) {
    LoopHead head{loop.iterations, loop.chunk, loop.fingerprint, loop.name.size(), {}};
    put_prediction(loop.predicted, head.predicted[0]);
    put_prediction(loop.predicted_packed, head.predicted[1]);
    put(&head, sizeof head);
    padded(loop.name.data(), loop.name.size());
    put(loop.begin.data(), loop.begin.size() * sizeof loop.begin[0]);
    padded(loop.tasks.data(), loop.tasks.size() * sizeof loop.tasks[0]);
  }
}

/// Reads values from the file's bytes. Throws if there are too few.
class Cursor {
 public:
  Cursor(std::span<const std::byte> bytes, std::string_view where) : bytes_(bytes), where_(where) {}

  template <class Value>
  Value take() {
    Value value;
    std::memcpy(&value, take_bytes(sizeof value).data(), sizeof value);
    return value;
  }
  template <class Value>
  std::vector<Value> take_list(std::uint64_t count) {
    if (count > bytes_.size() / sizeof(Value)) cut_short();
    const auto taken = take_bytes(count * sizeof(Value));
    std::vector<Value> list(count);
    if (count > 0) std::memcpy(list.data(), taken.data(), taken.size());
    skip_padding(taken.size());
    return list;
  }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }
  [[noreturn]] void cut_short() const { throw Error::input(where_, "is cut short"); }

 private:
  std::span<const std::byte> take_bytes(std::uint64_t count) {
    if (count > bytes_.size()) cut_short();
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  void skip_padding(std::uint64_t bytes) {
    for (const std::byte zero : take_bytes(-bytes % 8))
      if (zero != std::byte{0}) throw Error::input(where_, "is damaged: there is no padding");
  }

  std::span<const std::byte> bytes_;
  std::string_view where_;
};

/// Returns the head. Throws unless this program can read the schedule's version and byte order.
Head head_of(std::span<const std::byte> bytes, std::string_view where) {
  if (bytes.size() < sizeof kMagic || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
    throw Error::input(where, "is no schedule", "'atoll schedule' writes them");
  const auto head = Cursor(bytes, where).take<Head>();
  if (head.byte_order != kByteOrder) throw Error::input(where, "was written in another byte order");
  if (head.version != kFileVersion)
    throw Error::input(where, fmt::format("has version {}", head.version),
                       fmt::format("this program reads version {}: schedule again", kFileVersion));
  return head;
}

void check_size(const Head& head, std::uint64_t bytes, std::string_view where) {
  if (head.bytes != bytes)
    throw Error::input(
        where, fmt::format("is {}: it has {} bytes of {}",
                           bytes < head.bytes ? "cut short" : "damaged", bytes, head.bytes));
}

void check_content(const Head& head, std::span<const std::byte> rest, std::string_view where) {
  if (XXH3_64bits(rest.data(), rest.size()) != head.checksum)
    throw Error::input(where, "is damaged: its checksum is wrong");
  if (head.threads > kMaxThreads)
    throw Error::input(where, fmt::format("has {} threads", head.threads),
                       fmt::format("there are {} at most", kMaxThreads));
  if (head.loops > kMaxLoops)
    throw Error::input(where, fmt::format("has {} loops", head.loops),
                       fmt::format("there are {} at most", kMaxLoops));
}

ScheduledLoop take_loop(Cursor& cursor, std::uint64_t threads, std::string_view where) {
  const auto head = cursor.take<LoopHead>();
  if (head.name_bytes > kLongestName)
    throw Error::input(where, fmt::format("has a loop's name of {} bytes", head.name_bytes),
                       fmt::format("a name has {} at most", kLongestName));
  const auto name = cursor.take_list<char>(head.name_bytes);
  ScheduledLoop loop{
      {name.begin(), name.end()}, head.iterations, head.chunk, head.fingerprint, {}, {}};
  loop.predicted = prediction_of(head.predicted[0]);
  loop.predicted_packed = prediction_of(head.predicted[1]);
  loop.begin = cursor.take_list<std::uint64_t>(threads + 1);
  if (loop.begin.back() > std::numeric_limits<std::uint32_t>::max()) cursor.cut_short();
  loop.tasks = cursor.take_list<std::uint32_t>(loop.begin.back());
  return loop;
}

}  // namespace

void write_schedule(const Schedule& schedule, const std::string& path) {
  check(schedule, path);
  for (const ThreadPlace& place : schedule.places)
    if (place.pu < 0) throw Error::input(path, "has a thread on no processing unit");
  if (schedule.loops.size() > kMaxLoops || schedule.places.size() > kMaxThreads ||
      std::ranges::any_of(schedule.loops, [](const ScheduledLoop& loop) {
        return loop.name.size() > kLongestName;
      }))
    throw Error::input(path, "has more loops, threads or letters of a name than a file can hold");
  Head head{{}, kFileVersion,           kByteOrder,           sizeof(Head),
            0,  schedule.places.size(), schedule.loops.size()};
  std::ranges::copy(kMagic, head.magic);
  XXH3_state_t* const state = XXH3_createState();
  XXH3_64bits_reset(state);
  for_each_piece(schedule, [&](const void* data, std::size_t bytes) {
    XXH3_64bits_update(state, data, bytes);
    head.bytes += bytes;
  });
  head.checksum = XXH3_64bits_digest(state);
  XXH3_freeState(state);

  AtomicFile file(path);
  const auto put = [&](const void* data, std::size_t bytes) {
    if (bytes > 0) file.write({static_cast<const std::byte*>(data), bytes});
  };
  put(&head, sizeof head);
  for_each_piece(schedule, put);
  file.commit();
}

Schedule read_schedule(const std::string& path) {
  std::error_code unknown;
  const bool is_regular = std::filesystem::is_regular_file(path, unknown);
  const auto check_first = [&](std::string_view first) {
    const auto head = head_of(std::as_bytes(std::span(first)), path);
    if (is_regular) check_size(head, std::filesystem::file_size(path, unknown), path);
  };
  const std::string bytes = read_file(
      path, {.most_bytes = is_regular ? std::numeric_limits<std::uint64_t>::max() : kMaxPipedBytes,
             .way_out = "give a schedule's file",
             .check_first = check_first});
  return schedule_from_bytes(std::as_bytes(std::span(bytes)), path);
}

Schedule schedule_from_bytes(std::span<const std::byte> bytes, std::string_view where) {
  const Head head = head_of(bytes, where);
  check_size(head, bytes.size(), where);
  check_content(head, bytes.subspan(sizeof head), where);
  Cursor cursor(bytes.subspan(sizeof head), where);
  Schedule schedule;
  for (const PlaceEntry& place : cursor.take_list<PlaceEntry>(head.threads)) {
    if (place.pu > std::numeric_limits<int>::max())
      throw Error::input(where, "has a thread on no processing unit");
    schedule.places.push_back({static_cast<int>(place.pu), NodeId{place.node}});
  }
  for (std::uint64_t i = 0; i < head.loops; ++i)
    schedule.loops.push_back(take_loop(cursor, head.threads, where));
  if (!cursor.at_end()) throw Error::input(where, "is damaged: it goes on after its last loop");
  check(schedule, where);
  return schedule;
}

void check_places(const Schedule& schedule, const Machine& machine, std::string_view where) {
  for (std::size_t thread = 0; thread < schedule.places.size(); ++thread) {
    const ThreadPlace& place = schedule.places[thread];
    const auto found = std::ranges::find(machine.processors(), place.pu, &Processor::os_index);
    const bool there = found != machine.processors().end();
    if (there && found->node == place.node) continue;
    throw Error::input(
        where,
        fmt::format("thread {} is on processing unit {}{}, which {} hasn't got", thread, place.pu,
                    there ? fmt::format(" of node {}", place.node.value) : "", machine.name()),
        "schedule for that machine");
  }
}

}  // namespace Atoll
