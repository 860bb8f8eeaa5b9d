// The worked example of docs/pim.md, which includes the code between the two markers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <sstream>

#include "atoll/pim/device.hpp"
#include "atoll/pim/model.hpp"

namespace {

namespace pim = Atoll::pim;

std::string text_of(const std::string& file) {
  std::ifstream in(std::string(ATOLL_SOURCE_DIR) + "/" + file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(PimExample, AxpyOfPlacedOperands) {
  // [example]
  // The paper's device, and 40,000 vertical elements of 32 bits for each operand.
  const pim::Geometry geometry{.rows = 1024, .columns = 65536, .subarrays = 16, .banks = 8};
  pim::Device device(geometry);
  const pim::Request request = pim::Request::vertical(40'000 * 4, 32);

  // Three blocks in one bank that begin at the same subarray.
  std::vector<pim::Block> blocks = device.try_allocate_together(std::vector(3, request));
  EXPECT_EQ(to_string(blocks[0].where()), "bank 0, subarray 0, rows 0-31");
  EXPECT_EQ(to_string(blocks[1].where()), "bank 0, subarray 0, rows 32-63");
  EXPECT_EQ(to_string(blocks[2].where()), "bank 0, subarray 0, rows 64-95");

  // Their bits, in a model of the device that computes.
  pim::Model model(geometry);
  const pim::Operand r = operand_of(blocks[0], 32), x = operand_of(blocks[1], 32),
                     y = operand_of(blocks[2], 32);
  std::vector<std::uint64_t> numbers(40'000);
  std::iota(numbers.begin(), numbers.end(), 0);
  model.write(x, numbers);
  model.write(y, numbers);

  model.axpy(r, 1000, x, y);  // r = 1000 x + y: all elements at once, bit by bit
  EXPECT_EQ(model.read(r)[39'999], 1001U * 39'999);
  EXPECT_EQ(model.row_operations().total(), 808U);  // 1000 has six bits: six shifted additions

  device.free(blocks[0]);  // or let it go out of scope
  // [example]
  const std::vector<std::uint64_t> result = model.read(r);
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(result[i], 1001 * i);
  EXPECT_EQ(device.usage().free_units, geometry.units() - 64);
}

TEST(PimExample, TheDocumentShowsWhatIsTested) {
  const std::string source = text_of("tests/unit/pim_example_test.cpp");
  const std::string marker = "  // [example]\n";
  const std::size_t first = source.find(marker) + marker.size();
  std::istringstream lines(source.substr(first, source.find(marker, first) - first));
  std::string example = "```cpp\n";
  for (std::string line; std::getline(lines, line);)
    example += (line.empty() ? line : line.substr(2)) + "\n";
  EXPECT_THAT(text_of("docs/pim.md"), testing::HasSubstr(example + "```\n"));
}

}  // namespace
