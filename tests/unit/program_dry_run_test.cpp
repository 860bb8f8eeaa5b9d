// A dry run for a graph that is larger than any computer's memory. Only the head of its file has
// content.
#include <gmock/gmock.h>

#include <fstream>

#include "atoll/greenmarl/compiler.hpp"
#include "atoll/program/program.hpp"
#include "graph/file_format.hpp"
#include "temporary_folder.hpp"

namespace Atoll::program {
namespace {

using testing::HasSubstr;

/// Creates a sparse file of 9 TiB, whose sections are holes.
std::string huge_file(const TemporaryFolder& folder) {
  constexpr std::uint64_t kNodes = std::uint64_t{1} << 37, kEdges = std::uint64_t{1} << 40;
  graph::FileHead head{.magic = graph::kMagic,
                       .version = graph::kVersion,
                       .byte_order = graph::kByteOrder,
                       .nodes = kNodes,
                       .edges = kEdges,
                       .node_bytes = 8,
                       .edge_bytes = 8,
                       .file_bytes = 0,
                       .sections = 2,
                       .table = {},
                       .checksum = 0};
  const std::uint64_t begin_bytes = (kNodes + 1) * 8;
  head.table[0] = {1, sizeof head, begin_bytes, 0};
  head.table[1] = {2, sizeof head + graph::padded(begin_bytes), kEdges * 8, 0};
  head.file_bytes = head.table[1].offset + kEdges * 8;
  head.checksum = graph::head_checksum(head);
  const std::string path = (folder / "huge.atoll").string();
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&head), sizeof head);
  std::filesystem::resize_file(path, head.file_bytes);
  return path;
}

TEST(ProgramDryRun, OfAHugeGraphOnlyTheHeadIsRead) {
  const TemporaryFolder folder;
  const std::string path = huge_file(folder);
  const greenmarl::CompiledProcedure program =
      greenmarl::compile_file(ATOLL_SOURCE_DIR "/apps/greenmarl/pagerank.gm");
  RunOptions options{.graphs = {path},
                     .machine = "pack:8 [numa(memory=8796093022208)] core:2 pu:1",
                     .dry_run = true};
  testing::internal::CaptureStdout();
  EXPECT_NO_THROW(dry_run(program.procedure, options));
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_THAT(text, HasSubstr("137,438,953,472 nodes, 1,099,511,627,776 edges, 64-bit ids"));
  EXPECT_THAT(text, HasSubstr("r_node_idx         8 TiB"));
}

}  // namespace
}  // namespace Atoll::program
