// Table of engines (checks jobs, measures, chooses) and handle of a transfer.
#include "atoll/memory/copy.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/memory/backing_file.hpp"
#include "memory/file_access.hpp"

namespace Atoll::memory {
namespace {

/// Throws if a piece's target overlaps another piece's target or any source.
void check_overlaps(const CopyJob& job) {
  using Position = std::pair<const BackingFile*, std::uint64_t>;  // null: an address
  struct Range {
    Position begin, end;
  };
  const auto range = [](const std::byte* data, const FilePosition& position, std::size_t bytes) {
    const std::uint64_t begin =
        position.file != nullptr ? position.offset : reinterpret_cast<std::uintptr_t>(data);
    return Range{{position.file, begin}, {position.file, begin + bytes}};
  };
  std::vector<Range> targets;
  targets.reserve(job.pieces.size());
  for (const CopyPiece& piece : job.pieces)
    targets.push_back(range(piece.to, piece.to_file, piece.bytes));
  const auto earlier = [](const Range& a, const Range& b) {
    return std::less<Position>()(a.begin, b.begin);
  };
  if (!std::is_sorted(targets.begin(), targets.end(), earlier))
    std::sort(targets.begin(), targets.end(), earlier);
  for (std::size_t i = 1; i < targets.size(); ++i)
    if (targets[i].begin < targets[i - 1].end)
      throw Error::input("copy", "two targets overlap", "give each byte one source");
  if (!job.pattern.empty()) return;
  for (const CopyPiece& piece : job.pieces) {
    const Range source = range(piece.from, piece.from_file, piece.bytes);
    const auto next = std::lower_bound(
        targets.begin(), targets.end(), source.end,
        [](const Range& target, const Position& end) { return target.begin < end; });
    if (next != targets.begin() && std::prev(next)->end > source.begin)
      throw Error::input("copy", "a target overlaps a source", "copy between disjoint memory");
  }
}

void check_position(const FilePosition& position, std::size_t bytes) {
  if (position.file != nullptr) position.file->access().check_range(position.offset, bytes);
}

/// Removes empty pieces; throws unless the job meets the contract of CopyEngine.
void check(CopyJob& job) {
  std::erase_if(job.pieces, [](const CopyPiece& piece) { return piece.bytes == 0; });
  for (const CopyPiece& piece : job.pieces)
    if (!job.pattern.empty() && piece.bytes % job.pattern.size() != 0)
      throw Error::input("fill",
                         std::to_string(piece.bytes) + " bytes aren't whole elements of " +
                             std::to_string(job.pattern.size()),
                         "fill whole elements");
  for (const CopyPiece& piece : job.pieces) {
    check_position(piece.to_file, piece.bytes);
    if (job.pattern.empty()) check_position(piece.from_file, piece.bytes);
  }
  check_overlaps(job);
}

/// Returns a job's property that makes an engine refuse it.
std::string name_of(const CopyJob& job) {
  if (job.uses_files()) return "transfer data of files";
  if (job.pattern.empty()) return "copy memory";
  return "fill elements of " + std::to_string(job.pattern.size()) + " bytes";
}

std::size_t class_of(std::size_t bytes) {
  const auto& classes = CopyEngines::kClassBytes;
  const auto* const found = std::lower_bound(std::begin(classes), std::end(classes), bytes);
  return static_cast<std::size_t>(std::min(found, std::end(classes) - 1) - std::begin(classes));
}

}  // namespace

std::size_t CopyJob::bytes() const noexcept {
  std::size_t bytes = 0;
  for (const CopyPiece& piece : pieces) bytes += piece.bytes;
  return bytes;
}

bool CopyJob::uses_files() const noexcept {
  return std::ranges::any_of(pieces, [](const CopyPiece& piece) {
    return piece.to_file.file != nullptr || piece.from_file.file != nullptr;
  });
}

Transfer::~Transfer() {
  try {
    wait();
  } catch (const std::exception& error) {
    note(error.what());
  }
}

Transfer& Transfer::operator=(Transfer&& other) noexcept {
  // the destructor of `old` waits for the previous transfer
  Transfer old(std::move(*this));
  operation_ = std::move(other.operation_);
  bytes_ = other.bytes_;
  return *this;
}

TransferProgress Transfer::poll() {
  return operation_ ? operation_->poll() : TransferProgress{bytes_, true};
}

void Transfer::wait() {
  if (operation_) operation_->wait();
}

std::size_t Transfer::cancel() {
  if (!operation_) return bytes_;
  operation_->cancel();
  bytes_ = operation_->poll().bytes;
  operation_.reset();
  return bytes_;
}

double measure_copy(CopyEngine& engine, std::size_t bytes) {
  const std::vector<std::byte> from(bytes, std::byte{1});
  std::vector<std::byte> to(bytes);
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 2; ++round) {
    const auto start = std::chrono::steady_clock::now();
    CopyJob job;
    job.pieces.push_back({to.data(), from.data(), bytes});
    Transfer(engine.start(std::move(job))).wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

CopyEngines::CopyEngines(MeasureCopy measure) : measure_(std::move(measure)) {}

CopyEngines::CopyEngines(const Team& team, MeasureCopy measure) : CopyEngines(std::move(measure)) {
  add(parallel_engine(team));
  add(background_engine({.places = team.places()}));
  add(file_engine());
  if (auto dsa = dsa_engine()) add(std::move(dsa));
}

void CopyEngines::add(std::unique_ptr<CopyEngine> engine) {
  const std::scoped_lock lock(mutex_);
  for (const auto& row : rows_)
    if (row->engine->name() == engine->name())
      throw Error::input("copy engines", "two are named " + std::string(engine->name()),
                         "give each a name of its own");
  rows_.push_back(std::make_unique<Row>());
  rows_.back()->engine = std::move(engine);
}

CopyEngines::Row& CopyEngines::row(std::string_view name) const {
  std::string names;
  for (const auto& row : rows_) {
    if (row->engine->name() == name) return *row;
    names += (names.empty() ? "" : ", ") + std::string(row->engine->name());
  }
  throw Error::input("copy engines", "none is named '" + std::string(name) + "'",
                     "there are: " + names);
}

CopyEngine& CopyEngines::find(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  return *row(name).engine;
}

std::vector<std::string_view> CopyEngines::names() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string_view> names;
  names.reserve(rows_.size());
  for (const auto& row : rows_) names.push_back(row->engine->name());
  return names;
}

Transfer CopyEngines::start(CopyJob job, const TransferOptions& options) {
  check(job);
  const bool automatic = options.engine == "auto";
  if (automatic && options.share != 1)
    throw Error::input("split copy", "no engine named", "name both, or leave the share out");
  if (job.pieces.empty()) {
    if (!automatic) static_cast<void>(find(options.engine));
    return {};
  }
  const auto start_with = [&](CopyEngine& engine) {
    if (!engine.can(job))
      throw Error::input("copy engines", std::string(engine.name()) + " can't " + name_of(job),
                         "name another engine, or auto");
    return Transfer(engine.start(std::move(job)));
  };
  CopyEngine& engine = automatic ? choose(job, options.may_block) : find(options.engine);
  if (options.share == 1) return start_with(engine);
  return start_with(*split_engine(engine, find(options.rest), options.share));
}

Transfer CopyEngines::start_copy(void* to, const void* from, std::size_t bytes,
                                 const TransferOptions& options) {
  CopyJob job;
  job.pieces.push_back({static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes});
  return start(std::move(job), options);
}

Transfer CopyEngines::start_fill(void* to, std::span<const std::byte> element, std::size_t bytes,
                                 const TransferOptions& options) {
  if (element.empty()) throw Error::input("fill", "an element of no bytes", "give its bytes");
  CopyJob job;
  job.pieces.push_back({static_cast<std::byte*>(to), nullptr, bytes});
  job.pattern.assign(element.begin(), element.end());
  return start(std::move(job), options);
}

CopyEngine& CopyEngines::choose(const CopyJob& job, bool may_block) {
  may_block = may_block && current_place().thread < 0;
  const std::size_t size_class = class_of(job.bytes());
  const std::scoped_lock lock(mutex_);
  std::vector<Row*> able;
  for (const auto& row : rows_)
    if ((may_block || !row->engine->blocks()) && row->engine->can(job)) able.push_back(row.get());
  if (able.empty())
    throw Error::input("copy engines", "no engine in the table can do this", "add one that can");
  // A single candidate needs no measurement. Copies of memory don't measure transfers of files.
  if (able.size() == 1 || job.uses_files()) return *able.front()->engine;
  const auto speed = [&](const Row* row) { return row->bytes_per_second[size_class]; };
  for (Row* const row : able) {
    if (speed(row) > 0) continue;
    try {
      const std::size_t bytes = kClassBytes[size_class];
      row->bytes_per_second[size_class] =
          static_cast<double>(bytes) / measure_(*row->engine, bytes);
    } catch (const Error& error) {  // measured again next time: the team may just be busy, for
                                    // example
      note("copy engine " + std::string(row->engine->name()) + " is left out: " + error.what());
    }
  }
  return *(*std::max_element(able.begin(), able.end(), [&](const Row* a, const Row* b) {
            return speed(a) < speed(b);
          }))->engine;
}

std::vector<EngineThroughput> CopyEngines::measured() const {
  const std::scoped_lock lock(mutex_);
  std::vector<EngineThroughput> table;
  for (std::size_t i = 0; i < std::size(kClassBytes); ++i)
    for (const auto& row : rows_)
      if (row->bytes_per_second[i] > 0)
        table.push_back({row->engine->name(), kClassBytes[i], row->bytes_per_second[i]});
  return table;
}

void CopyEngines::set_measured(std::string_view engine, std::size_t bytes,
                               double bytes_per_second) {
  if (!(bytes_per_second > 0))
    throw Error::input("copy engines", "the throughput isn't above 0", "give bytes a second");
  const std::scoped_lock lock(mutex_);
  row(engine).bytes_per_second[class_of(bytes)] = bytes_per_second;
}

}  // namespace Atoll::memory
