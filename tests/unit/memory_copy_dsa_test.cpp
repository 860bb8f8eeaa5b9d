// The DMA engine, with a software model of the device. The model's thread takes descriptors from a
// queue of limited length and completes them out of order. It stops at pages that are simulated as
// not mapped, and fails on request. These tests never ran on a real device.
#include "memory/dsa_engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "memory_copy_support.hpp"

#if ATOLL_DSA
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/memory/backing_file.hpp"
#include "temporary_folder.hpp"

namespace Atoll::memory {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::byte kUntouched{0xa5};

class SoftwareDevice : public DsaPortal {
 public:
  struct Faults {
    unsigned one_in = 0;             ///< one in this many descriptors stops at a page after some
                                     ///< bytes; 0 means none
    bool always_at_start = false;    ///< every descriptor stops without progress
    std::size_t fail_at = SIZE_MAX;  ///< index of the descriptor that ends with `status`
    std::uint8_t status = DSA_COMP_HW_ERR1;
    bool refuses = false;  ///< submit() throws
    bool full = false;     ///< the queue never accepts a descriptor
  };

  SoftwareDevice(DsaQueue queue, Faults faults, unsigned seed)
      : queue_(std::move(queue)), faults_(faults), random_(seed), thread_([this] { run(); }) {}
  ~SoftwareDevice() override {
    {
      const std::scoped_lock lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
    EXPECT_EQ(dropped_, 0) << "orders that the queue couldn't hold";
    EXPECT_EQ(malformed_, 0);
  }

  bool submit(const dsa_hw_desc& order) override {
    if (faults_.refuses) throw Error::failed("device", "gone");
    const std::scoped_lock lock(mutex_);
    if (faults_.full || random_() % 5 == 0) return false;
    if (held_.size() >= queue_.entries) {
      dropped_ += queue_.dedicated;
      return false;
    }
    held_.push_back(order);
    wake_.notify_all();
    return true;
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return stop_ || !held_.empty(); });
      if (stop_ && held_.empty()) return;
      std::swap(held_[random_() % held_.size()], held_.back());
      const dsa_hw_desc order = held_.back();
      held_.pop_back();  // before the status is set: then the program may submit again
      const unsigned dice = static_cast<unsigned>(random_());
      lock.unlock();
      perform(order, dice);
      lock.lock();
    }
  }

  void perform(const dsa_hw_desc& order, unsigned dice) {
    auto* const record = reinterpret_cast<dsa_completion_record*>(order.completion_addr);
    const std::uint32_t flags = order.flags, needed = IDXD_OP_FLAG_CRAV | IDXD_OP_FLAG_RCR;
    const bool blocks = (flags & IDXD_OP_FLAG_BOF) != 0;
    malformed_ += order.completion_addr % 32 != 0 || (flags & needed) != needed ||
                  order.xfer_size == 0 || order.xfer_size > queue_.most_bytes ||
                  blocks != queue_.blocks_on_fault || order.priv != 0 ||
                  (order.opcode != DSA_OPCODE_MEMMOVE && order.opcode != DSA_OPCODE_MEMFILL);
    std::uint8_t status = DSA_COMP_SUCCESS;
    std::uint32_t bytes = order.xfer_size;
    if (orders_++ == faults_.fail_at) {
      status = faults_.status;
      bytes = 0;
    } else if (!blocks && faults_.one_in > 0 && dice % faults_.one_in == 0) {
      // a read fault, or a write fault, which sets an additional bit
      status = DSA_COMP_PAGE_FAULT_NOBOF | (dice % 2 == 0 ? DSA_COMP_STATUS_WRITE : 0);
      bytes = faults_.always_at_start ? 0 : dice / 8 % bytes;
    }
    auto* const to = reinterpret_cast<std::byte*>(order.dst_addr);
    if (order.opcode == DSA_OPCODE_MEMMOVE) {
      std::memcpy(to, reinterpret_cast<const std::byte*>(order.src_addr), bytes);
    } else {
      for (std::uint32_t i = 0; i < bytes; ++i)
        to[i] = static_cast<std::byte>(order.pattern >> (8 * (i % 8)));
    }
    record->bytes_completed = status == DSA_COMP_SUCCESS ? 0 : bytes;
    __atomic_store_n(&record->status, status, __ATOMIC_RELEASE);
  }

  const DsaQueue queue_;
  const Faults faults_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::mt19937 random_;
  std::vector<dsa_hw_desc> held_;
  bool stop_ = false;
  std::size_t orders_ = 0;
  std::atomic<int> malformed_{0}, dropped_{0};
  std::thread thread_;
};

DsaQueue queue_of(std::string name, std::size_t entries, std::size_t most_bytes, bool dedicated,
                  bool blocks = false) {
  return {std::move(name), dedicated, entries, most_bytes, blocks};
}

std::unique_ptr<CopyEngine> engine_of(std::vector<DsaQueue> queues,
                                      SoftwareDevice::Faults faults = {}) {
  std::vector<DsaChannel> channels;
  unsigned seed = 0;
  for (DsaQueue& queue : queues) {
    auto device = std::make_unique<SoftwareDevice>(queue, faults, ++seed);
    channels.push_back({std::move(queue), std::move(device)});
  }
  return dsa_engine(std::move(channels));
}

class DsaEngineTest : public testing::TestWithParam<SoftwareDevice::Faults> {
 protected:
  DsaEngineTest() {
    engines_.add(engine_of({queue_of("wq0.0", 2, 20'003, true), queue_of("wq0.1", 16, 9'000, false),
                            queue_of("wq2.0", 1, 1 << 30, true, true)},
                           GetParam()));
  }
  CopyEngines engines_{MeasureCopy{}};
};

TEST_P(DsaEngineTest, CopiesAnySizeAtAnyAlignment) {
  std::mt19937 random(1);
  const Bytes source = random_bytes(3'000'000, 2);
  for (const std::size_t most : {1, 70, 5'000, 100'000, 2'900'000})
    for (int round = 0; round < 4; ++round) {
      const std::size_t bytes = random() % most + 1, to = 1 + random() % 99, from = random() % 99;
      Bytes target(bytes + 200, kUntouched), expected = target;
      std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), bytes,
                  expected.begin() + static_cast<std::ptrdiff_t>(to));
      Transfer transfer = engines_.start_copy(target.data() + to, source.data() + from, bytes);
      transfer.wait();
      EXPECT_EQ(transfer.poll().bytes, bytes);
      ASSERT_TRUE(target == expected) << bytes << " bytes to " << to << " from " << from;
    }
}

TEST_P(DsaEngineTest, FillsElementsThatDivideEightBytes) {
  for (const std::size_t width : {1, 2, 4, 8}) {
    const Bytes element = random_bytes(width, 7);
    const std::size_t bytes = 1'000'000 / width * width;
    Bytes target(bytes + 2, kUntouched);
    engines_.start_fill(target.data() + 1, element, bytes).wait();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < bytes; ++i) wrong += target[1 + i] != element[i % width];
    EXPECT_EQ(wrong, 0u) << width;
    EXPECT_EQ(target.front(), kUntouched);
    EXPECT_EQ(target.back(), kUntouched);
  }
  Bytes target(24);
  for (const std::size_t width : {3, 12, 24})
    EXPECT_THAT(
        [&] { engines_.start_fill(target.data(), Bytes(width), 24, {.engine = "dsa"}).wait(); },
        ThrowsMessage<Error>(HasSubstr("dsa can't fill elements of")));
}

// Each thread waits for its transfers in order, while the queues are full of descriptors of all
// transfers.
TEST_P(DsaEngineTest, ManyPiecesManyTransfersSeveralThreads) {
  const Bytes source = random_bytes(300'000, 8);
  std::vector<int> wrong(3);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < wrong.size(); ++thread)
    threads.emplace_back([&, thread] {
      std::vector<Bytes> targets(6, Bytes(source.size()));
      std::vector<Transfer> transfers;
      for (Bytes& target : targets) {
        CopyJob job;
        for (std::size_t at = 0; at < source.size(); at += 7'001)
          job.pieces.push_back({target.data() + at, source.data() + at,
                                std::min<std::size_t>(7'001, source.size() - at)});
        transfers.push_back(engines_.start(std::move(job)));
      }
      for (Transfer& transfer : transfers) transfer.wait();
      for (const Bytes& target : targets) wrong[thread] += target != source;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::Each(0));
}

TEST_P(DsaEngineTest, CancelledOnTheWayLeavesAPrefix) {
  const Bytes source = random_bytes(4'000'000, 9);
  for (int round = 0; round < 5; ++round) {
    Bytes target(source.size(), kUntouched);
    Transfer transfer = engines_.start_copy(target.data(), source.data(), source.size());
    const std::size_t until = static_cast<std::size_t>(round) * 300'000;
    while (!GetParam().full && transfer.poll().bytes < until) std::this_thread::yield();
    const auto done = static_cast<std::ptrdiff_t>(transfer.cancel());
    EXPECT_TRUE(std::equal(source.begin(), source.begin() + done, target.begin()));
    EXPECT_TRUE(std::all_of(target.begin() + done, target.end(), [](std::byte byte) {
      return byte == kUntouched;
    })) << done;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, DsaEngineTest,
    testing::Values(SoftwareDevice::Faults{}, SoftwareDevice::Faults{.one_in = 3},
                    SoftwareDevice::Faults{.one_in = 1, .always_at_start = true},
                    SoftwareDevice::Faults{.full = true}),
    [](const auto& instance) {
      const SoftwareDevice::Faults& faults = instance.param;
      return faults.full              ? "always_full"
             : faults.always_at_start ? "pages_never_there"
             : faults.one_in > 0      ? "page_faults"
                                      : "plain";
    });

/// Returns the error of wait() for a device with these faults. Afterwards, the transfer must be
/// finished.
std::string failure_with(const SoftwareDevice::Faults& faults) {
  const Bytes source = random_bytes(2'000'000, 10);
  Bytes target(source.size());
  const auto engine = engine_of({queue_of("wq0.0", 4, 50'000, true)}, faults);
  CopyJob job;
  job.pieces.push_back({target.data(), source.data(), source.size()});
  const std::unique_ptr<CopyOperation> operation = engine->start(std::move(job));
  try {
    operation->wait();
  } catch (const Error& error) {
    EXPECT_TRUE(operation->poll().done);
    const Bytes after = target;
    EXPECT_THROW(operation->wait(), Error);
    EXPECT_TRUE(target == after);
    return error.what();
  }
  return "no error";
}

TEST(DsaEngine, ErrorsReachTheOneWhoWaits) {
  EXPECT_EQ(failure_with({}), "no error");
  EXPECT_THAT(failure_with({.fail_at = 3}), HasSubstr("dsa wq0.0: the device reports status " +
                                                      std::to_string(DSA_COMP_HW_ERR1)));
  EXPECT_THAT(failure_with({.refuses = true}), HasSubstr("gone"));
}

TEST(DsaEngine, RefusesFiles) {
  const TemporaryFolder folder;
  BackingFile file(folder.path().string(), 4096);
  Bytes memory(100);
  const auto engine = engine_of({queue_of("wq0.0", 4, 50'000, true)});
  EXPECT_FALSE(
      engine->can({{{.from = memory.data(), .bytes = memory.size(), .to_file = {&file, 0}}}, {}}));
  EXPECT_FALSE(
      engine->can({{{.to = memory.data(), .bytes = memory.size(), .from_file = {&file, 0}}}, {}}));
}

/// A folder in the format of Documentation/ABI/stable/sysfs-driver-dma-idxd.
class DsaQueues : public testing::Test {
 protected:
  void add(const std::string& device, const std::string& name,
           const std::vector<std::pair<std::string, std::string>>& attributes) {
    std::filesystem::create_directories(root_ / device);
    std::filesystem::create_directories(root_ / name);
    for (const auto& [file, text] : attributes) std::ofstream(root_ / name / file) << text << "\n";
  }

  const TemporaryFolder folder_;
  const std::filesystem::path root_ = folder_ / "dsa";  // created by add()
};

TEST_F(DsaQueues, OnlyThoseThatAreEnabledForUsersOfADataStreamingAccelerator) {
  using Attributes = std::vector<std::pair<std::string, std::string>>;
  const Attributes usable{{"type", "user"},           {"state", "enabled"},
                          {"mode", "shared"},         {"size", "16"},
                          {"block_on_fault", "0"},    {"max_transfer_size", "2147483648"},
                          {"max_batch_size", "1024"}, {"cdev_minor", "0"}};
  const auto but = [&](const std::string& file, const std::string& text) {
    Attributes changed = usable;
    for (auto& [name, value] : changed)
      if (name == file) value = text;
    return changed;
  };
  EXPECT_TRUE(find_dsa_queues(root_).empty());
  add("dsa0", "wq0.0", usable);
  add("dsa0", "wq0.1", but("state", "disabled"));
  add("dsa0", "wq0.2", but("type", "kernel"));
  add("dsa0", "wq0.3", but("size", "0"));
  add("dsa2", "wq2.5", but("mode", "dedicated"));
  add("dsa2", "wq2.6", but("block_on_fault", "1"));
  add("iax1", "wq1.0", usable);
  add("dsa0", "engine0.0", {});
  add("dsa0", "group0.0", {});
  add("dsa0", "wq0.4", {});  // a queue without attributes
  const std::vector<DsaQueue> queues = find_dsa_queues(root_);
  ASSERT_EQ(queues.size(), 3u);
  EXPECT_EQ(queues[0].name, "wq0.0");
  EXPECT_FALSE(queues[0].dedicated);
  EXPECT_FALSE(queues[0].blocks_on_fault);
  EXPECT_EQ(queues[0].entries, 16u);
  EXPECT_EQ(queues[0].most_bytes, 2147483648u);
  EXPECT_EQ(queues[1].name, "wq2.5");
  EXPECT_TRUE(queues[1].dedicated);
  EXPECT_EQ(queues[2].name, "wq2.6");
  EXPECT_TRUE(queues[2].blocks_on_fault);
}

TEST_F(DsaQueues, ADeviceThatCannotBeOpenedSaysSo) {
  EXPECT_THAT([] { static_cast<void>(open_dsa_portal(queue_of("wq999.9", 1, 1, false))); },
              ThrowsMessage<Error>(HasSubstr("/dev/dsa/wq999.9")));
}

}  // namespace
}  // namespace Atoll::memory
#endif
