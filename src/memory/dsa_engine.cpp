// Copies and fills with a Data Streaming Accelerator. A job is cut into descriptors ("orders") of
// up to 1 MiB, some of which are in the device's queues at any time. The device uses virtual
// addresses. It stops at a page that isn't mapped and reports the bytes done; the driver code here
// touches the page and submits the rest as a new order. Orders are submitted one by one and not in
// the device's batches: at this size a batch saves no time, and the kernel refuses batches on some
// devices.
#include "memory/dsa_engine.hpp"

#if ATOLL_DSA
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/page_size.hpp"
#include "atoll/base/units.hpp"

namespace Atoll::memory {
namespace {

constexpr std::size_t kOrderBytes = kMiB;
constexpr std::size_t kOrdersAhead = 8;  ///< per transfer and queue
constexpr int kMaxStops = 3;             ///< consecutive page faults of an order without progress

[[nodiscard]] bool answered(const dsa_completion_record& record) {
  return __atomic_load_n(&record.status, __ATOMIC_ACQUIRE) != DSA_COMP_NONE;
}

/// A work queue, and this process's orders in it. A dedicated queue silently drops orders that
/// exceed its capacity, so they are counted. Any order that the device has completed frees an
/// entry.
class Channel {
 public:
  explicit Channel(DsaChannel&& other)
      : queue(std::move(other.queue)), portal_(std::move(other.portal)) {
    held_.reserve(queue.entries);  // no allocation may fail after the device has an order
  }

  [[nodiscard]] bool submit(const dsa_hw_desc& order, const dsa_completion_record& record) {
    const std::scoped_lock lock(mutex_);
    if (held_.size() >= queue.entries)
      std::erase_if(held_, [](const dsa_completion_record* other) { return answered(*other); });
    if (held_.size() >= queue.entries || !portal_->submit(order)) return false;
    held_.push_back(&record);
    return true;
  }
  /// Must be called before the record is reused for another order or destroyed.
  void forget(const dsa_completion_record& record) {
    const std::scoped_lock lock(mutex_);
    std::erase(held_, &record);
  }

  const DsaQueue queue;

 private:
  std::unique_ptr<DsaPortal> portal_;
  std::mutex mutex_;
  std::vector<const dsa_completion_record*> held_;
};
using Channels = std::vector<std::unique_ptr<Channel>>;

/// One order: the unfinished part of a chunk, and the device's completion record.
struct Slot {
  enum class State { idle, ready, submitted };

  alignas(64) dsa_hw_desc order;
  alignas(32) dsa_completion_record record;
  Channel* channel = nullptr;
  State state = State::idle;
  CopyPiece rest;
  std::size_t phase = 0;  ///< for a fill: offset of `rest` in the pattern
  int stops = 0;
};

/// Maps the pages of the rest of an order, for reading and writing. Touches only bytes of the
/// order, because adjacent bytes may belong to other data.
void touch(const CopyPiece& rest) {
  for (std::size_t at = 0; at < rest.bytes;) {
    volatile std::byte* const target = rest.to + at;
    *target = *target;
    at += kPageBytes - reinterpret_cast<std::uintptr_t>(rest.to + at) % kPageBytes;
  }
  for (std::size_t at = 0; rest.from != nullptr && at < rest.bytes;) {
    static_cast<void>(*static_cast<const volatile std::byte*>(rest.from + at));
    at += kPageBytes - reinterpret_cast<std::uintptr_t>(rest.from + at) % kPageBytes;
  }
}

class DsaOperation : public CopyOperation {
 public:
  DsaOperation(std::shared_ptr<Channels> channels, CopyJob job)
      : channels_(std::move(channels)), job_(std::move(job)) {
    for (const auto& channel : *channels_) count_ += std::min(kOrdersAhead, channel->queue.entries);
    slots_ = std::make_unique<Slot[]>(count_);
    // round-robin, so that the first orders use all queues
    for (std::size_t slot = 0, round = 0; slot < count_; ++round)
      for (const auto& channel : *channels_)
        if (round < std::min(kOrdersAhead, channel->queue.entries))
          slots_[slot++].channel = channel.get();
    drive();
  }

  TransferProgress poll() override {
    drive();
    return {bytes_done_, busy_ == 0};
  }
  void wait() override {
    while (!poll().done) copy_ready_order();
    if (failure_) std::rethrow_exception(failure_);
  }
  void cancel() noexcept override {
    piece_ = job_.pieces.size();
    while (!poll().done) copy_ready_order();
  }

 private:
  /// Processes completions, and submits orders that are ready. Afterwards no slot is idle while
  /// unassigned work remains.
  void drive() noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      Slot& slot = slots_[i];
      try {
        if (slot.state == Slot::State::submitted && answered(slot.record)) finish(slot);
        if (slot.state == Slot::State::idle && take_chunk(slot)) prepare(slot);
        if (slot.state == Slot::State::ready && slot.channel->submit(slot.order, slot.record))
          slot.state = Slot::State::submitted;
      } catch (...) {
        if (!failure_) failure_ = std::current_exception();
        slot.state = Slot::State::idle;
        --busy_;
        piece_ = job_.pieces.size();  // starts no further orders
      }
    }
  }

  bool take_chunk(Slot& slot) noexcept {
    if (piece_ == job_.pieces.size()) return false;
    const CopyPiece& piece = job_.pieces[piece_];
    slot.rest = piece;
    slot.rest.to += offset_;
    if (piece.from != nullptr) slot.rest.from += offset_;
    // whole patterns, whatever the device's limit
    const std::size_t most = std::min(kOrderBytes, slot.channel->queue.most_bytes) / 8 * 8;
    slot.rest.bytes = std::min(piece.bytes - offset_, most);
    slot.stops = 0;
    slot.phase = 0;
    offset_ += slot.rest.bytes;
    if (offset_ == piece.bytes) {
      ++piece_;
      offset_ = 0;
    }
    ++busy_;
    return true;
  }

  /// Fills the descriptor for the rest of the slot's chunk.
  void prepare(Slot& slot) noexcept {
    std::memset(&slot.order, 0, sizeof slot.order);
    std::memset(&slot.record, 0, sizeof slot.record);
    slot.order.flags = IDXD_OP_FLAG_CRAV | IDXD_OP_FLAG_RCR;
    if (slot.channel->queue.blocks_on_fault) slot.order.flags |= IDXD_OP_FLAG_BOF;
    slot.order.completion_addr = reinterpret_cast<std::uintptr_t>(&slot.record);
    slot.order.dst_addr = reinterpret_cast<std::uintptr_t>(slot.rest.to);
    slot.order.xfer_size = static_cast<std::uint32_t>(slot.rest.bytes);
    if (job_.pattern.empty()) {
      slot.order.opcode = DSA_OPCODE_MEMMOVE;
      slot.order.src_addr = reinterpret_cast<std::uintptr_t>(slot.rest.from);
    } else {
      slot.order.opcode = DSA_OPCODE_MEMFILL;
      std::byte pattern[8];
      for (std::size_t i = 0; i < 8; ++i)
        pattern[i] = job_.pattern[(i + slot.phase) % job_.pattern.size()];
      std::uint64_t word;
      std::memcpy(&word, pattern, sizeof word);
      slot.order.pattern = word;
    }
    slot.state = Slot::State::ready;
  }

  /// Handles a completion: complete, partial, or an error.
  void finish(Slot& slot) {
    slot.channel->forget(slot.record);
    const unsigned status = slot.record.status & DSA_COMP_STATUS_MASK;
    std::size_t done = slot.rest.bytes;
    if (status != DSA_COMP_SUCCESS) done = slot.record.bytes_completed;
    if (status != DSA_COMP_SUCCESS && status != DSA_COMP_PAGE_FAULT_NOBOF)
      throw failure(slot, "status " + std::to_string(status));
    if (done > slot.rest.bytes) throw failure(slot, "it did more bytes than the order has");
    bytes_done_ += done;
    slot.rest.bytes -= done;
    slot.rest.to += done;
    if (slot.rest.from != nullptr) slot.rest.from += done;
    if (slot.rest.bytes == 0) {
      slot.state = Slot::State::idle;
      --busy_;
      return;
    }
    slot.stops = done == 0 ? slot.stops + 1 : 0;
    slot.phase += done;
    if (slot.stops == kMaxStops) {
      copy_on_processor(slot);
    } else {
      touch(slot.rest);
      prepare(slot);
    }
  }

  /// If other processes fill the queues, or the queues accept nothing, the waiting thread copies.
  void copy_ready_order() noexcept {
    Slot* const end = slots_.get() + count_;
    Slot* const slot = std::find_if(
        slots_.get(), end, [](const Slot& one) { return one.state == Slot::State::ready; });
    if (slot == end)
      std::this_thread::yield();
    else
      copy_on_processor(*slot);
  }

  void copy_on_processor(Slot& slot) noexcept {
    if (job_.pattern.empty()) {
      std::memcpy(slot.rest.to, slot.rest.from, slot.rest.bytes);
    } else {
      for (std::size_t i = 0; i < slot.rest.bytes; ++i)
        slot.rest.to[i] = job_.pattern[(i + slot.phase) % job_.pattern.size()];
    }
    bytes_done_ += slot.rest.bytes;
    slot.state = Slot::State::idle;
    --busy_;
  }

  static Error failure(const Slot& slot, const std::string& what) {
    return Error::failed("dsa " + slot.channel->queue.name, "the device reports " + what,
                         "use another copy engine");
  }

  std::shared_ptr<Channels> channels_;
  CopyJob job_;
  std::size_t count_ = 0;
  std::unique_ptr<Slot[]> slots_;
  std::size_t piece_ = 0, offset_ = 0;  ///< next byte that isn't in an order yet
  std::size_t bytes_done_ = 0;
  std::size_t busy_ = 0;  ///< number of slots that aren't idle
  std::exception_ptr failure_;
};

class DsaEngine : public CopyEngine {
 public:
  explicit DsaEngine(std::vector<DsaChannel> channels) : channels_(std::make_shared<Channels>()) {
    for (DsaChannel& channel : channels)
      channels_->push_back(std::make_unique<Channel>(std::move(channel)));
  }
  std::string_view name() const override { return "dsa"; }
  bool blocks() const override { return false; }
  bool can(const CopyJob& job) const override {
    const std::size_t pattern = job.pattern.size();
    return !job.uses_files() && (pattern == 0 || (pattern <= 8 && 8 % pattern == 0));
  }
  std::unique_ptr<CopyOperation> start(CopyJob job) override {
    return std::make_unique<DsaOperation>(channels_, std::move(job));
  }

 private:
  std::shared_ptr<Channels> channels_;
};

}  // namespace

std::unique_ptr<CopyEngine> dsa_engine(std::vector<DsaChannel> channels) {
  return std::make_unique<DsaEngine>(std::move(channels));
}

std::unique_ptr<CopyEngine> dsa_engine() {
  std::vector<DsaChannel> channels;
  for (const DsaQueue& queue : find_dsa_queues()) {
    try {
      channels.push_back({queue, open_dsa_portal(queue)});
    } catch (const Error& error) {
      note(error.what());
    }
  }
  return channels.empty() ? nullptr : dsa_engine(std::move(channels));
}

}  // namespace Atoll::memory

#else

namespace Atoll::memory {

std::unique_ptr<CopyEngine> dsa_engine() {
  return nullptr;
}

}  // namespace Atoll::memory
#endif
