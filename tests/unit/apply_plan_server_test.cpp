// Tests that the plan server tolerates a program that overwrites the shared memory.
#include "apply/plan_server.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>

namespace Atoll::apply {
namespace {

using inside::Slot;
using inside::SlotState;

/// Maps the table as the program does.
inside::Header& mapped_by_program(const PlanServer& server) {
  const int file = ::open(server.path().c_str(), O_RDWR);
  void* at = ::mmap(nullptr, server.header().bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  EXPECT_NE(at, MAP_FAILED);
  return *static_cast<inside::Header*>(at);
}

/// Returns false if no answer arrives within ten seconds.
bool is_answered(inside::Header& table, Slot& slot) {
  slot.state = SlotState::asked;
  ++table.query_count;
  ::syscall(SYS_futex, &table.query_count, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (slot.state != SlotState::answered && std::chrono::steady_clock::now() < end)
    ::usleep(1000);
  return slot.state == SlotState::answered;
}

TEST(PlanServer, OutlivesATableThatWasOverwritten) {
  const Machine machine = Machine::open("numa:2 core:2 pu:1");
  ProgramPlan plan;
  plan.objects = {{.kind = PlannedObject::Kind::heap,
                   .stack = {{.function = "f", .file = "f.c", .line = 1}},
                   .bytes = 40960,
                   .layout = {SingleNode{NodeId{1}}, PageSize::small}}};
  PlanServer server(plan, table_of_plan(plan, machine));
  inside::Header& table = mapped_by_program(server);
  Slot& slot = table.slots[inside::kSlots - 1];
  slot.pid = ::getpid();
  slot.levels = 1U << 28;  // offset far beyond the table's end
  for (const auto question : {inside::Question::site, inside::Question::thread}) {
    slot.question = question;
    ASSERT_TRUE(is_answered(table, slot));
    EXPECT_EQ(slot.answer.found, inside::kNothing);
  }
  slot.question = inside::Question{77};
  ASSERT_TRUE(is_answered(table, slot));

  table.targets = ~std::uint64_t{0} / 2;
  table.target_count = 1U << 30;
  server.stop();
  ASSERT_EQ(server.targets().size(), 1U);
  EXPECT_EQ(server.targets()[0].planned_pages, 10U);
  ::munmap(&table, server.header().bytes);
}

}  // namespace
}  // namespace Atoll::apply
