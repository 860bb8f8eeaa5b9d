#include "trace/stream_file.hpp"

#include <fmt/format.h>
#include <xxhash.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "trace/interleave.hpp"
#include "trace/recording_json.hpp"
#include "trace/stream_code.hpp"

namespace Atoll::trace {
namespace {

constexpr char kMagic[8] = {'a', 't', 'o', 'l', 'l', 't', 'r', '2'};
constexpr std::uint32_t kTheEnd = kNone;   ///< as a block's thread: the recording follows, as JSON
constexpr std::uint32_t kIds = kNone - 1;  ///< as a block's thread: its words are the threads' ids
constexpr std::uint32_t kMostWords = 1U << 20, kMostBytes = 1U << 30;

/// Before each block. The end has no words and no number.
struct BlockHeader {
  std::uint32_t thread, words;  ///< the thread by its number in the file
  std::uint64_t number;         ///< of the thread's blocks, from 0
  std::uint32_t code_bytes, packed_bytes;
  std::uint64_t checksum;  ///< XXH3 of what stands before it and of the packed bytes
};
static_assert(sizeof(BlockHeader) == 32);

std::uint64_t checksum_of(const BlockHeader& header, const std::vector<std::uint8_t>& packed) {
  const XXH64_hash_t of_header = XXH3_64bits(&header, offsetof(BlockHeader, checksum));
  return XXH3_64bits_withSeed(packed.data(), header.packed_bytes, of_header);
}

std::span<const std::byte> as_bytes(const void* data, std::size_t bytes) {
  return {static_cast<const std::byte*>(data), bytes};
}

/// A file's blocks, one by one, each checked.
class BlockReader {
 public:
  explicit BlockReader(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    if (!file_) throw Error::input(path, "can't be opened", "give a file of atoll trace -o");
    char magic[sizeof kMagic] = {};
    file_.read(magic, sizeof magic);
    if (std::memcmp(magic, kMagic, sizeof magic) != 0)
      throw Error::input(path, "is no trace of this version of atoll", "record it again");
  }

  /// The next block's words and thread; false: it was the last one, and recording() is there.
  bool next() {
    const auto at = file_.tellg();
    if (!file_.read(reinterpret_cast<char*>(&header_), sizeof header_)) damaged(at, "is cut off");
    if (header_.packed_bytes > kMostBytes || header_.code_bytes > kMostBytes)
      damaged(at, "has a block of impossible size");
    packed_.resize(header_.packed_bytes);
    if (!file_.read(reinterpret_cast<char*>(packed_.data()), header_.packed_bytes))
      damaged(at, "is cut off");
    if (checksum_of(header_, packed_) != header_.checksum) damaged(at, "has a wrong checksum");
    code_.resize(header_.code_bytes);
    uLongf bytes = header_.code_bytes;
    if (::uncompress(code_.data(), &bytes, packed_.data(), header_.packed_bytes) != Z_OK ||
        bytes != header_.code_bytes)
      damaged(at, "has a block that can't be unpacked");
    if (header_.thread == kTheEnd) {
      recording_ =
          recording_from_json({reinterpret_cast<const char*>(code_.data()), code_.size()}, path_);
      if (file_.peek() != std::ifstream::traits_type::eof())
        damaged(file_.tellg(), "goes on behind its end");
      return false;
    }
    if (header_.words > kMostWords || !decode_words(code_, header_.words, words_))
      damaged(at, "has a block whose content is wrong");
    if (header_.number != blocks_[header_.thread]++) damaged(at, "lacks a block of a thread");
    if (header_.thread != kIds) return true;
    ids_.insert(ids_.end(), words_.begin(), words_.end());
    return next();
  }

  [[nodiscard]] std::uint32_t thread() const { return header_.thread; }
  [[nodiscard]] const std::vector<std::uint64_t>& ids() const { return ids_; }
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }
  [[nodiscard]] const Recording& recording() const { return recording_; }

 private:
  [[noreturn]] void damaged(std::streamoff at, std::string_view what) const {
    throw Error::input(fmt::format("{}: byte {}", path_, at), what, "record it again");
  }

  std::string path_;
  std::ifstream file_;
  BlockHeader header_{};
  std::vector<std::uint8_t> packed_, code_;
  std::vector<std::uint64_t> words_, ids_;
  std::map<std::uint32_t, std::uint64_t> blocks_;
  Recording recording_;
};

}  // namespace

StreamWriter::StreamWriter(std::string path) : file_(std::move(path)) {
  file_.write(as_bytes(kMagic, sizeof kMagic));
}

void StreamWriter::write(std::uint32_t thread, std::span<const std::uint64_t> words) {
  for (; !words.empty(); words = words.subspan(std::min<std::size_t>(words.size(), kMostWords))) {
    const auto part = words.first(std::min<std::size_t>(words.size(), kMostWords));
    code_.clear();
    encode_words(part, code_);
    write_block(thread, static_cast<std::uint32_t>(part.size()), blocks_[thread]++, 1);
    words_ += part.size();
  }
}

void StreamWriter::finish(const Recording& recording, const std::vector<std::uint32_t>& ids) {
  const std::vector<std::uint64_t> words(ids.begin(), ids.end());
  write(kIds, words);
  const std::string json = to_json(recording);
  code_.assign(json.begin(), json.end());
  write_block(kTheEnd, 0, 0, 6);
  file_.commit();
}

void StreamWriter::write_block(std::uint32_t thread, std::uint32_t words, std::uint64_t number,
                               int level) {
  packed_.resize(::compressBound(code_.size()));
  uLongf bytes = packed_.size();
  ::compress2(packed_.data(), &bytes, code_.data(), code_.size(), level);
  BlockHeader header = {.thread = thread,
                        .words = words,
                        .number = number,
                        .code_bytes = static_cast<std::uint32_t>(code_.size()),
                        .packed_bytes = static_cast<std::uint32_t>(bytes)};
  header.checksum = checksum_of(header, packed_);
  file_.write(as_bytes(&header, sizeof header));
  file_.write(as_bytes(packed_.data(), bytes));
}

void read_stream(const std::string& path, Consumer& consumer) {
  BlockReader tables(path);  // what the recording tells stands at the end
  while (tables.next()) {
  }
  const Recording recording = tables.recording();
  consumer.begin(recording);
  BlockReader blocks(path);
  std::map<std::uint32_t, Interleaver> threads;
  const auto give = [&](std::uint32_t thread, std::span<const Access> accesses) {
    if (!accesses.empty()) consumer.accesses(thread, accesses);
  };
  while (blocks.next()) {
    const std::uint32_t number = blocks.thread();
    if (number >= tables.ids().size() || tables.ids()[number] >= recording.threads.size())
      throw Error::input(path,
                         fmt::format("has accesses of thread {} and doesn't tell of it", number),
                         "record it again");
    const auto thread = static_cast<std::uint32_t>(tables.ids()[number]);
    threads[thread].add(blocks.words(), [&](std::span<const Access> some) { give(thread, some); });
  }
  for (auto& [thread, interleaver] : threads)
    interleaver.finish([&](std::span<const Access> some) { give(thread, some); });
  consumer.end(recording);
}

namespace {

/// What every stream keeps to, besides what reading it checks.
class InvariantChecker : public Consumer {
 public:
  void begin(const Recording& recording) override {
    recording_ = recording;
    for (const Thread& thread : recording.threads) {
      if (thread.process >= recording.processes.size())
        wrong(fmt::format("thread {} is of process {}, which isn't there", thread.id,
                          thread.process));
      if (thread.creator != kNone && thread.creator >= thread.id)
        wrong(fmt::format("thread {} was created by a later one, {}", thread.id, thread.creator));
      if (thread.ended_ns != 0 && thread.ended_ns < thread.started_ns)
        wrong(fmt::format("thread {} ended before it began", thread.id));
    }
    for (const Process& process : recording.processes)
      if (process.parent != kNone && process.parent >= process.id)
        wrong(fmt::format("process {} has a later one as parent, {}", process.id, process.parent));
    for (const Object& object : recording.objects) {
      if (object.process >= recording.processes.size())
        wrong(fmt::format("object {} is of a process that isn't there", object.id));
      if (object.site != kNone && object.site >= recording.sites.size())
        wrong(fmt::format("object {} is of a site that isn't there", object.id));
      if (object.freed_ns != 0 && object.freed_ns < object.created_ns)
        wrong(fmt::format("object {} was freed before it was there", object.id));
    }
    check_overlaps();
  }

  void accesses(std::uint32_t thread, std::span<const Access> accesses) override {
    for (const Access& access : accesses) {
      if (access.bytes == 0 || access.bytes > 64)
        wrong(fmt::format("thread {} accesses {} bytes at once", thread, access.bytes));
      if (access.address < kPageBytes || access.address >> 47 != 0)
        wrong(fmt::format("thread {} accesses {:#x}, where no program has memory", thread,
                          access.address));
    }
  }

  std::vector<std::string> take() {
    if (wrong_ > lines_.size())
      lines_.push_back(fmt::format("and {} more", format_count(wrong_ - lines_.size())));
    return std::move(lines_);
  }

 private:
  /// Large allocations of one process never share addresses, not even one after the other.
  void check_overlaps() {
    std::vector<const Object*> heap;
    for (const Object& object : recording_.objects)
      if (object.kind == ObjectKind::heap) heap.push_back(&object);
    std::ranges::sort(heap, [](const Object* a, const Object* b) {
      return std::tie(a->process, a->address) < std::tie(b->process, b->address);
    });
    for (std::size_t i = 1; i < heap.size(); ++i)
      if (heap[i]->process == heap[i - 1]->process &&
          heap[i]->address < heap[i - 1]->address + heap[i - 1]->bytes)
        wrong(fmt::format("objects {} and {} share addresses", heap[i - 1]->id, heap[i]->id));
  }

  void wrong(std::string line) {
    ++wrong_;
    if (lines_.size() < 20) lines_.push_back(std::move(line));
  }

  Recording recording_;
  std::vector<std::string> lines_;
  std::uint64_t wrong_ = 0;
};

}  // namespace

std::vector<std::string> check_stream(const std::string& path) {
  InvariantChecker checker;
  read_stream(path, checker);
  return checker.take();
}

}  // namespace Atoll::trace
