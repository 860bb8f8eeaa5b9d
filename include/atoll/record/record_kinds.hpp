// Vocabulary of streams: the kinds of records, their fields and their numbers in files. A new kind
// is one row of ATOLL_RECORD_KINDS. The enumeration, names, encoding, decoding and the tables of
// docs/trace-file.md are generated from the rows. The header is free-standing, as the recorder in
// watched programs includes it. Accesses and ranges of accesses have an encoding of their own
// (src/record/stream_words.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::record {

/// Rows of the fields: X(name, meaning). A field is one 64-bit word of a record, except for `mask`.
#define ATOLL_RECORD_FIELDS(X)                                                                     \
  X(clock, "the number of events that the thread has seen")                                        \
  X(event, "the number of this event")                                                             \
  X(address, "the first address")                                                                  \
  X(bytes, "the number of bytes")                                                                  \
  X(loop, "the loop's index in the recording's `task_loops`")                                      \
  X(task, "the task's number")                                                                     \
  X(style_word_1, "the first word of a style")                                                     \
  X(style_word_2, "the second word of a style")                                                    \
  X(instructions, "the number of instructions")                                                    \
  X(slow,                                                                                          \
    "bits 0-31: the number of these that are divisions or square roots; bits 32-63: the "          \
    "number of these that are chain steps")                                                        \
  X(steps, "steps of the stepped loop")                                                            \
  X(release, "the number of a release")                                                            \
  X(key, "an address of the process, or a number of its own")                                      \
  X(other_key, "another key; 0: none")                                                             \
  X(count, "a number of threads")                                                                  \
  X(round, "the number of the round of a barrier")                                                 \
  X(post, "the number of the post to the semaphore")                                               \
  X(mode, "the mode of the call")                                                                  \
  X(mode_and_flags, "bits 0-31: the mode; bits 32-63: the flags")                                  \
  X(mask, "any number of words: bit i % 64 of word i / 64 is set for a node or a processing unit") \
  X(node, "the number of a node")                                                                  \
  X(enabled, "1: enabled; 0: disabled")                                                            \
  X(by_write, "1: as by a write; 0: as by a read")                                                 \
  X(new_address, "the first address after the move")                                               \
  X(query, "the kind of query")                                                                    \
  X(thread, "a tid or a `pthread_t`; 0: this thread, or unknown")                                  \
  X(unused, "0")

/// Fields of records.
enum class RecordField : std::uint8_t {
#define ATOLL_X(name, meaning) name,
  ATOLL_RECORD_FIELDS(ATOLL_X)
#undef ATOLL_X
};

/// Groups of kinds. Events and tasks are passed on as StreamEvent, waits as StreamWait, placements
/// as StreamPlacement.
enum class RecordGroup : std::uint8_t {
  event,
  task,
  work,       ///< timed streams: work between accesses, and styles
  wait,       ///< timed streams: dependences between waiting threads
  placement,  ///< timed streams: calls that place memory and threads
};

/// Rows of the kinds: X(name, number in files, group, fields, optional fields, meaning). The first
/// field is the event's own number if it is `event`; a record whose first field is `clock` is no
/// event. Readers skip records with fewer words than fields, words after the optional fields, and
/// unknown kinds.
#define ATOLL_RECORD_KINDS(X)                                                                      \
  X(clock, 1, event, (clock), (),                                                                  \
    "sets the thread's clock: the number of events before the thread continued")                   \
  X(thread_created, 2, event, (event), (),                                                         \
    "a thread is about to be created by this one; it may never start")                             \
  X(thread_begun, 3, event, (event), (),                                                           \
    "this thread starts; in a forked child, the thread that called `fork()` continues")            \
  X(thread_ended, 4, event, (event), (),                                                           \
    "this thread ends; destructors of its variables may follow")                                   \
  X(thread_joined, 5, event, (event), (), "this thread has waited for the end of another")         \
  X(allocated, 6, event, (event, address, bytes), (),                                              \
    "memory was allocated: a heap object, or more memory for a pool")                              \
  X(freed, 7, event, (event, address, bytes), (), "allocated memory is freed")                     \
  X(mapped, 8, event, (event, address, bytes), (),                                                 \
    "memory was mapped, or is first reported: a stack, a module, the heap after the program's "    \
    "data")                                                                                        \
  X(unmapped, 9, event, (event, address, bytes), (),                                               \
    "memory is unmapped; 0 bytes: the whole mapping at the address")                               \
  X(mark_begin, 10, event, (event), (), "`atoll_mark_begin()`")                                    \
  X(mark_end, 11, event, (event), (), "`atoll_mark_end()`")                                        \
  X(mark_iteration, 12, event, (event), (), "`atoll_mark_iteration()`")                            \
  X(style, 64, work, (style_word_1, style_word_2), (),                                             \
    "defines the style of its number from now on")                                                 \
  X(work, 65, work, (instructions, slow, steps), (),                                               \
    "work without an access: before an event, or too much for a style")                            \
  X(released, 80, wait, (clock, release, key), (count),                                            \
    "this thread makes a release; `count` threads that wait for a turn continue after it, 0: all") \
  X(waited, 81, wait, (clock, release), (),                                                        \
    "this thread continues after another thread's release")                                        \
  X(barrier, 82, wait, (clock, key, round, count), (),                                             \
    "this thread meets others at a barrier of `count` threads")                                    \
  X(posted, 83, wait, (clock, key, post), (), "this thread posts to a semaphore")                  \
  X(took, 84, wait, (clock, key, post), (), "this thread continues after a post to a semaphore")   \
  X(asleep, 85, wait, (clock, key, other_key), (),                                                 \
    "this thread may sleep from here until its next record")                                       \
  X(expects, 86, wait, (clock, release, count), (),                                                \
    "`count` other threads continue after a release of this thread")                               \
  X(turn, 87, wait, (clock), (key),                                                                \
    "this thread requests a turn, which is granted after a further release of the key, if any; "   \
    "live streams only")                                                                           \
  X(policy_of_range, 96, placement, (clock, address, bytes, mode_and_flags), (mask), "`mbind()`")  \
  X(policy_of_thread, 97, placement, (clock, mode), (mask),                                        \
    "`set_mempolicy()`: for pages that this thread touches first")                                 \
  X(pages_moved, 98, placement, (clock, address, bytes, node), (),                                 \
    "`move_pages()`: consecutive pages")                                                           \
  X(huge_pages, 99, placement, (clock, address, bytes, enabled), (),                               \
    "`madvise()` about huge pages")                                                                \
  X(bound, 100, placement, (clock, thread), (mask), "a thread is bound to processing units")       \
  X(pages_populated, 101, placement, (clock, address, bytes, by_write), (),                        \
    "the kernel maps pages: `MAP_POPULATE`, `MADV_POPULATE_…`, `mlock()`, `read()` and similar")   \
  X(pages_discarded, 102, placement, (clock, address, bytes, unused), (), "`MADV_DONTNEED`")       \
  X(pages_remapped, 103, placement, (clock, address, bytes, new_address), (),                      \
    "`mremap()`: pages get another address")                                                       \
  X(pages_asked, 104, placement, (clock, address, bytes, query), (),                               \
    "a query of a simulated program; live streams only")                                           \
  X(pages_cached, 105, placement, (clock, address, bytes, thread), (),                             \
    "`mmap()` of a file: these pages were in the page cache; `thread` wrote them")                 \
  X(task_begun, 128, task, (clock, loop, task), (),                                                \
    "a task begins (`atoll_mark_task_begin()`), and the thread's previous task ends")              \
  X(task_ended, 129, task, (clock), (), "the thread's task ends")

/// Kinds of records, with their numbers in files.
enum class RecordKind : std::uint16_t {
#define ATOLL_X(name, number, group, fields, optional_fields, meaning) name = number,
  ATOLL_RECORD_KINDS(ATOLL_X)
#undef ATOLL_X
};

/// One row of the table.
struct RecordRow {
  static constexpr std::size_t kMaxFields = 5;
  RecordKind kind;
  RecordGroup group;
  std::uint8_t required;           ///< number of fields that each record has
  std::uint8_t count;              ///< number of fields with the optional ones
  RecordField fields[kMaxFields];  ///< in the order of the words after the first word
  const char* name;
  const char* meaning;
  /// True if the kind is an event, which has a number of its own.
  [[nodiscard]] constexpr bool is_event() const { return fields[0] == RecordField::event; }
  /// True if the record sets the thread's clock.
  [[nodiscard]] constexpr bool is_clock() const { return fields[0] == RecordField::clock; }
  /// True if the last field has any number of words.
  [[nodiscard]] constexpr bool has_mask() const { return fields[count - 1] == RecordField::mask; }
};

namespace detail {

struct FieldList {
  RecordField fields[RecordRow::kMaxFields] = {};
  std::uint8_t count = 0;
};
template <typename... Fields>
constexpr FieldList list_fields(Fields... fields) {
  return {{fields...}, sizeof...(fields)};
}
constexpr RecordRow make_row(RecordKind kind, RecordGroup group, FieldList required,
                             FieldList optional, const char* name, const char* meaning) {
  RecordRow row{kind, group, required.count, required.count, {}, name, meaning};
  for (std::size_t i = 0; i < required.count; ++i) row.fields[i] = required.fields[i];
  for (std::size_t i = 0; i < optional.count; ++i) row.fields[row.count++] = optional.fields[i];
  return row;
}
/// Table by index: the rows, and the row of each kind.
struct RecordTable {
#define ATOLL_X(name, number, group, fields, optional_fields, meaning) +1
  static constexpr std::size_t kRows = 0 ATOLL_RECORD_KINDS(ATOLL_X);
#undef ATOLL_X
  static constexpr std::size_t kNumbers = 256;  ///< numbers of kinds are smaller
  static constexpr std::uint8_t kNoRow = 255;
  RecordRow rows[kRows];
  std::uint8_t row_of[kNumbers];
};
constexpr RecordTable make_table() {
  using enum RecordField;
  RecordTable table{{
#define ATOLL_X(name, number, group, fields, optional_fields, meaning)                            \
  make_row(RecordKind::name, RecordGroup::group, list_fields fields, list_fields optional_fields, \
           #name, meaning),
                        ATOLL_RECORD_KINDS(ATOLL_X)
#undef ATOLL_X
                    },
                    {}};
  for (std::uint8_t& row : table.row_of) row = RecordTable::kNoRow;
  for (std::size_t i = 0; i < RecordTable::kRows; ++i)
    table.row_of[static_cast<std::size_t>(table.rows[i].kind)] = static_cast<std::uint8_t>(i);
  return table;
}
inline constexpr RecordTable kRecordTable = make_table();

}  // namespace detail

inline constexpr const RecordRow (&kRecordRows)[detail::RecordTable::kRows] =
    detail::kRecordTable.rows;

/// Returns the kind's row; null if the kind is unknown.
[[nodiscard]] constexpr const RecordRow* find_row(RecordKind kind) {
  const auto number = static_cast<std::size_t>(kind);
  if (number >= detail::RecordTable::kNumbers) return nullptr;
  const std::uint8_t row = detail::kRecordTable.row_of[number];
  return row == detail::RecordTable::kNoRow ? nullptr : &kRecordRows[row];
}
[[nodiscard]] constexpr const char* to_string(RecordKind kind) {
  const RecordRow* row = find_row(kind);
  return row == nullptr ? "unknown" : row->name;
}
[[nodiscard]] constexpr const char* to_string(RecordField field) {
  switch (field) {
#define ATOLL_X(name, meaning) \
  case RecordField::name:      \
    return #name;
    ATOLL_RECORD_FIELDS(ATOLL_X)
#undef ATOLL_X
  }
  return "unknown";
}

}  // namespace Atoll::record
