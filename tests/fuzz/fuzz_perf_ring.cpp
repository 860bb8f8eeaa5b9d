// Fuzzes the reader of perf's ring buffers, for any two positions. The number of records is finite,
// reads are within the ring, and all records can be counted.
#include <cstdint>
#include <cstring>
#include <vector>

#include "recording/sample/counts.hpp"
#include "recording/sample/ring.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace Atoll::recording::sample;
  constexpr std::size_t kHead = 6;
  if (size < kHead) return 0;
  RingLayout layout;
  std::memcpy(&layout.sample_type, data, 4);
  layout.sample_type &= kSampleBits;
  layout.amd_ibs = (data[3] & 1) != 0;
  std::vector<std::byte> ring(64);
  while (ring.size() < size - kHead) ring.resize(2 * ring.size());
  std::memcpy(ring.data(), data + kHead, size - kHead);
  const std::uint64_t tail = data[4] * std::uint64_t{8} + (data[3] & 2);
  const std::uint64_t head = tail + data[5] * ring.size() / 128;  // up to twice the ring's size

  RingReader reader(layout, ring, tail, head);
  Counts counts;
  std::uint64_t records = 0;
  while (const auto record = reader.next()) {
    ++records;
    if (const auto* task = std::get_if<Named>(&*record); task != nullptr)
      if (task->name.size() > ring.size()) __builtin_trap();
    counts.add_fault(*record, records % 3, records % 2 == 0,
                     {static_cast<std::uint32_t>(records), 0});
    counts.add_access(*record);
  }
  if (records > ring.size() / 8 + 1 || counts.threads().size() > records) __builtin_trap();
  for (const auto& [key, page] : counts.pages())
    if (key.thread >= counts.threads().size()) __builtin_trap();
  return 0;
}
