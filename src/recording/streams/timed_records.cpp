#include "recording/streams/timed_records.hpp"

#include "record/stream_words.hpp"

namespace Atoll::recording {

using record::RecordKind;

bool wait_of(std::span<const std::uint64_t> record, StreamWait& wait) {
  using Kind = StreamWait::Kind;
  if (record.empty()) return false;
  // Returns the i-th word after the kind and the clock.
  const auto word = [&](std::size_t i) { return i + 2 < record.size() ? record[i + 2] : 0; };
  const auto has = [&](std::size_t words) { return record.size() >= words + 2; };
  const auto as_count = [](std::uint64_t count) {
    return static_cast<std::uint32_t>(count & 0xffff'ffffU);
  };
  switch (record::record_kind_of(record[0])) {
    case RecordKind::released:
      wait = {
          .kind = Kind::released, .release = word(0), .key = word(1), .count = as_count(word(2))};
      return has(2);
    case RecordKind::waited:
      wait = {.kind = Kind::waited, .release = word(0)};
      return has(1);
    case RecordKind::expects:
      wait = {.kind = Kind::expects, .release = word(0), .count = as_count(word(1))};
      return has(2);
    case RecordKind::barrier:
      wait = {.kind = Kind::barrier, .key = word(0), .number = word(1), .count = as_count(word(2))};
      return has(3) && wait.count != 0;
    case RecordKind::posted:
      wait = {.kind = Kind::posted, .key = word(0), .number = word(1)};
      return has(2);
    case RecordKind::took:
      wait = {.kind = Kind::took, .key = word(0), .number = word(1)};
      return has(2);
    case RecordKind::asleep:
      wait = {.kind = Kind::asleep, .key = word(0), .other_key = word(1)};
      return has(2);
    case RecordKind::turn:
      wait = {.kind = Kind::turn, .key = word(0)};
      return true;
    default:
      return false;
  }
}

bool placement_of(std::span<const std::uint64_t> record, StreamPlacement& call) {
  using Kind = StreamPlacement::Kind;
  if (record.size() < 3) return false;
  const std::span<const std::uint64_t> words = record.subspan(2);
  const auto with_range = [&](Kind kind) {
    if (words.size() < 3) return false;
    const bool has_flags = kind == Kind::range_policy;
    call = {.kind = kind,
            .address = words[0],
            .bytes = words[1],
            .mode = has_flags ? words[2] & 0xffff'ffffU : words[2],
            .flags = has_flags ? static_cast<std::uint32_t>(words[2] >> 32) : 0U,
            .mask = words.subspan(3)};
    return true;
  };
  switch (record::record_kind_of(record[0])) {
    case RecordKind::policy_of_range:
      return with_range(Kind::range_policy);
    case RecordKind::pages_moved:
      return with_range(Kind::moved);
    case RecordKind::huge_pages:
      return with_range(Kind::huge_pages);
    case RecordKind::pages_populated:
      return with_range(Kind::populated);
    case RecordKind::pages_discarded:
      return with_range(Kind::discarded);
    case RecordKind::pages_remapped:
      return with_range(Kind::remapped);
    case RecordKind::pages_asked:
      return with_range(Kind::asked);
    case RecordKind::pages_cached:
      return with_range(Kind::cached);
    case RecordKind::policy_of_thread:
      call = {.kind = Kind::thread_policy, .mode = words[0], .mask = words.subspan(1)};
      return true;
    case RecordKind::bound:
      call = {.kind = Kind::bound, .thread = words[0], .mask = words.subspan(1)};
      return true;
    default:
      return false;
  }
}

}  // namespace Atoll::recording
