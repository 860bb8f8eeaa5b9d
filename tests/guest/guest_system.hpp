// Queries and changes of the guest's system, independent of Atoll's code.
#pragma once

#include <gtest/gtest.h>
#include <numaif.h>
#include <sys/mman.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/machine/thread_places.hpp"
#include "atoll/memory/block.hpp"

namespace Atoll::guest {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kHuge = std::size_t{2} << 20;
inline constexpr std::size_t kMiB = std::size_t{1} << 20;

/// Returns the node of an address.
inline NodeId node_of(const void* address) {
  int node = -1;
  EXPECT_EQ(get_mempolicy(&node, nullptr, 0, const_cast<void*>(address), MPOL_F_NODE | MPOL_F_ADDR),
            0);
  return NodeId{static_cast<std::uint32_t>(node)};
}

/// Returns the node of each page.
inline std::vector<NodeId> nodes_of_pages(const std::byte* data, std::size_t bytes) {
  std::vector<NodeId> nodes;
  for (std::size_t at = 0; at < bytes; at += kPage) nodes.push_back(node_of(data + at));
  return nodes;
}

/// Returns the value of `name` in a file with lines "name 123" or "name: 123 kB"; kB are converted
/// to bytes.
inline std::uint64_t figure(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string word; file >> word;)
    if (word == name || word == name + ":") {
      std::uint64_t value = 0;
      std::string unit;
      file >> value >> unit;
      return unit == "kB" ? value * 1024 : value;
    }
  ADD_FAILURE() << path << " has no " << name;
  return 0;
}

/// Returns the number of processes that the OOM killer has killed since the system started.
inline std::uint64_t kills() {
  return figure("/proc/vmstat", "oom_kill");
}

/// Returns a value of the mapping that contains `data`, from /proc/self/smaps, in bytes.
inline std::uint64_t of_mapping(const std::byte* data, const std::string& name) {
  std::ifstream file("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    std::uintptr_t begin = 0, end = 0;
    const auto at = reinterpret_cast<std::uintptr_t>(data);
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2)
      inside = begin <= at && at < end;
    else if (inside && line.starts_with(name + ":"))
      return std::stoull(line.substr(name.size() + 1)) * 1024;
  }
  ADD_FAILURE() << "no mapping";
  return 0;
}

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  EXPECT_TRUE(file.good()) << path << " <- " << text;
}

/// Memory on one node that is allocated without Atoll, as by other programs.
class Taken {
 public:
  Taken(NodeId node, std::size_t bytes) : bytes_(bytes) {
    data_ = static_cast<std::byte*>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(data_, MAP_FAILED);
    const unsigned long mask = 1UL << node.value;
    EXPECT_EQ(mbind(data_, bytes, MPOL_BIND, &mask, 65, 0), 0);
    EXPECT_EQ(madvise(data_, bytes, MADV_POPULATE_WRITE), 0);
  }
  ~Taken() { munmap(data_, bytes_); }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

/// The machine, and a team with threads on all nodes that have processors.
class MemoryInGuest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    // Free pages on per-CPU lists count as used, up to one watermark in total. On these small nodes
    // that is a large fraction, which would make the tests' comparisons inexact.
    write_file("/proc/sys/vm/percpu_pagelist_high_fraction", "1000");
  }
  MemoryInGuest() {
    for (const MemoryNode& memory : machine_.memories()) nodes_.push_back(memory.id);
    kills_before_ = kills();
  }
  ~MemoryInGuest() override { EXPECT_EQ(kills(), kills_before_) << "the OOM killer came"; }

  const Machine machine_ = Machine::this_computer();
  const Team team_{spread_places(machine_)};
  const memory::Context context_{machine_, team_};
  std::vector<NodeId> nodes_;

 private:
  std::uint64_t kills_before_ = 0;
};

}  // namespace Atoll::guest
