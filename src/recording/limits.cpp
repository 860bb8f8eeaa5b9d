// Tables of kinds: their names in files, and their sentences for users. In sentences, {0} is the
// detail, {1} the unit of counts, and {2} to {4} are count - 1, count and 2 * count.
#include "atoll/recording/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "recording/limits_text.hpp"

namespace Atoll::recording {
namespace {

template <class Kind>
struct Row {
  Kind kind;
  std::string_view name, words;
};

constexpr auto kLosses = std::to_array<Row<LossKind>>({
    {LossKind::pages_without_lines, "pages_without_lines",
     "pages of a thread recorded without lines: the memory limit"},
    {LossKind::accesses_outside, "accesses_outside",
     "accesses not recorded: outside of what was asked for, or of signal handlers"},
    {LossKind::accesses_dropped, "accesses_dropped", "accesses dropped: the memory limit"},
    {LossKind::handler_accesses, "handler_accesses", "accesses of signal handlers dropped"},
    {LossKind::events_dropped, "events_dropped",
     "events (allocations, threads) dropped: the memory limit"},
    {LossKind::accesses_to_the_last, "accesses_to_the_last",
     "{1} of addresses that several objects had in turn: given to the last"},
    {LossKind::samples_dropped, "samples_dropped", "samples lost for want of room"},
    {LossKind::pages_sampled_once, "pages_sampled_once",
     "withdrawn pages whose samples count once only"},
    {LossKind::paused_ms, "paused_ms",
     "milliseconds without samples, as so many pages were touched first that watching all cost "
     "too much"},
    {LossKind::allocations_too_often, "allocations_too_often",
     "large allocations not watched: they came too often"},
    {LossKind::allocations_unsafe, "allocations_unsafe",
     "large allocations not watched: the program closed files that it did not open"},
    {LossKind::lines_of_later_threads, "lines_of_later_threads",
     "lines whose communication is not complete: of threads after the first 2,048"},
    {LossKind::lines_estimated, "lines_estimated",
     "lines whose communication is estimated from 256 of their threads"},
    {LossKind::accesses_divided, "accesses_divided",
     "accesses to lines that several objects share, divided among them by the words used"},
    {LossKind::other, "other", "{0}"},
});

constexpr auto kUnseen = std::to_array<Row<UnseenKind>>({
    {UnseenKind::everything, "everything", "{1}: {0}"},
    {UnseenKind::other_libraries, "other_libraries",
     "accesses of libraries that weren't compiled with {0}, libc among them"},
    {UnseenKind::kernel, "kernel", "accesses by the kernel on the program's behalf (read, write)"},
    {UnseenKind::registers, "registers",
     "what the compiler keeps in registers: few accesses to local variables"},
    {UnseenKind::vector_loops, "vector_loops",
     "vectorised loops as such: gcc doesn't vectorise what it instruments"},
    {UnseenKind::avx512, "avx512",
     "AVX-512: the emulator has none, programs take their other paths"},
    {UnseenKind::numa_calls, "numa_calls", "NUMA system calls: they fail in the emulator"},
    {UnseenKind::first_touches, "first_touches", "first touches: {0}"},
    {UnseenKind::system_touches, "system_touches",
     "first touches by the system on the program's behalf, as by read(): {0}"},
    {UnseenKind::unpicked_accesses, "unpicked_accesses",
     "accesses but those that {0} picked; counts are scaled by its period"},
    {UnseenKind::short_uses, "short_uses",
     "how often a page is used within a hundredth of a second: a count says in how many of them "
     "it was, scaled from a share of the pages"},
    {UnseenKind::reads_and_writes, "reads_and_writes", "reads and writes apart"},
    {UnseenKind::small_objects, "small_objects",
     "uses of small allocations, globals and stacks, but each page's first"},
    {UnseenKind::parts, "parts",
     "{2} of {3} parts of allocations above {4} MiB, but their first touches"},
    {UnseenKind::hardware_samples, "hardware_samples", "addresses that the hardware samples: {0}"},
    {UnseenKind::other, "other", "{0}"},
});

template <class Rows, class Kind>
const auto& row_of(const Rows& rows, Kind kind) {
  return *std::ranges::find(rows, kind, &Row<Kind>::kind);
}

template <class Kind, class Rows>
std::optional<Kind> kind_from(const Rows& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Row<Kind>::name);
  return found == rows.end() ? std::nullopt : std::optional(found->kind);
}

template <class Rows, class Limit>
std::string words_of(const Rows& rows, const Limit& limit, const CountedAs& counted) {
  const std::uint64_t others = limit.count == 0 ? 0 : limit.count - 1;
  return fmt::format(fmt::runtime(row_of(rows, limit.kind).words), limit.detail, counted.many,
                     others, limit.count, 2 * limit.count);
}

}  // namespace

std::string_view to_string(LossKind kind) {
  return row_of(kLosses, kind).name;
}
std::string_view to_string(UnseenKind kind) {
  return row_of(kUnseen, kind).name;
}

std::optional<LossKind> loss_kind_from(std::string_view name) {
  return kind_from<LossKind>(kLosses, name);
}
std::optional<UnseenKind> unseen_kind_from(std::string_view name) {
  return kind_from<UnseenKind>(kUnseen, name);
}

std::string in_words(const Loss& loss, const CountedAs& counted) {
  return words_of(kLosses, loss, counted);
}
std::string in_words(const Unseen& unseen, const CountedAs& counted) {
  return words_of(kUnseen, unseen, counted);
}

}  // namespace Atoll::recording
