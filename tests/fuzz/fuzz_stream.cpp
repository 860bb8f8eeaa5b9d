// Fuzzes stream files with valid checksums. The input is the words of two streams, and the ranges.
// The file is refused, or can be read to the end, where every index of a stream, object and process
// is valid.
#include <cstring>
#include <filesystem>
#include <iterator>
#include <span>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/recording/read_stream.hpp"
#include "memory_file.hpp"
#include "record/stream_words.hpp"
#include "recording/streams/stream_check.hpp"
#include "recording/streams/stream_writer.hpp"

namespace {

using namespace Atoll;
using namespace Atoll::recording;

/// Accepts loops as ranges, because the input may define loops of any length.
struct Ranges : Consumer {
  std::size_t threads = 0;
  unsigned at_once = 1;
  StreamWishes stream_wishes() const override { return {.ranges = true, .at_once = at_once}; }
  void begin(const Recording& recording) override { threads = recording.threads.size(); }
  void accesses(std::uint32_t stream, std::span<const Access>) override {
    if (stream >= threads) __builtin_trap();
  }
  void loop(std::uint32_t stream, std::span<const AccessRange> parts) override {
    if (stream >= threads || parts.empty() || parts[0].style >= kAccessStyles) __builtin_trap();
  }
  void event(std::uint32_t stream, const StreamEvent&) override {
    if (stream >= threads) __builtin_trap();
  }
  void style(std::uint32_t stream, std::uint32_t number, const AccessStyle&) override {
    if (stream >= threads || number == 0 || number >= kAccessStyles) __builtin_trap();
  }
  void work(std::uint32_t stream, const Work& work) override {
    if (stream >= threads || work.is_none()) __builtin_trap();
  }
};

void read(const std::string& path, bool has_loops, unsigned at_once = 1) {
  try {
    Ranges ranges;
    ranges.at_once = at_once;
    read_stream(path, ranges);
    if (!has_loops) (void)check_stream(path);
  } catch (const Atoll::Error& error) {
    if (error.kind() != Atoll::Error::Kind::input) __builtin_trap();
  }
}

/// Turns some words into headers of short records of known kinds. Random words are rarely valid
/// records.
void shape(std::span<std::uint64_t> words) {
  for (std::uint64_t& word : words)
    if ((word & 2U) != 0)
      word = record::record_word(
          record::kRecordRows[(word >> 2) % std::size(record::kRecordRows)].kind, (word >> 16) % 7);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read(MemoryFile(data, size).path(), true);  // most inputs are no valid file
  if (size < 2) return 0;
  std::vector<std::uint64_t> words((size - 2) / 8);
  if (!words.empty()) std::memcpy(words.data(), data + 2, words.size() * 8);
  const std::size_t first = words.empty() ? 0 : data[0] % (words.size() + 1);
  const std::size_t second = words.empty() ? 0 : data[1] % (words.size() - first + 1);

  Recording recording;
  recording.processes.resize(2);
  recording.processes[1] = {.id = 1, .parent = 0, .forked_after = 3};
  recording.threads = {{.id = 0, .stream = 1}, {.id = 1, .process = 1, .stream = 0}};
  recording.objects.resize(3);
  for (std::size_t i = first + second; i + 6 <= words.size(); i += 6)
    recording.ranges.push_back({static_cast<std::uint32_t>(words[i]) % 3,
                                static_cast<std::uint32_t>(words[i + 1]) % 4, words[i + 2],
                                words[i + 3], words[i + 4], words[i + 5]});
  if (data[1] % 2 == 1) shape(std::span(words).first(first + second));
  const std::string path = "fuzz_stream.tmp" + std::to_string(::getpid());
  StreamWriter writer(path, data[0] % 2 == 1);
  writer.write(0, std::span(words).first(first));
  writer.write(1, std::span(words).subspan(first, second));
  writer.finish(recording);
  bool has_loops = false;
  for (std::size_t i = 0; i < first + second; ++i)
    has_loops = has_loops || record::kind_of(words[i]) == record::WordKind::range;
  read(path, has_loops, data[0] % 8 == 0 ? 3 : 1);
  std::filesystem::remove(path);
  return 0;
}
