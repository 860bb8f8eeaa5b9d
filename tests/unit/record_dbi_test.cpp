// Decisions of the front end dbi from bytes: the width of a vector access, and the kind of a file
// that execve would start. tests/e2e/test_dbi.py tests recordings.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "record/emulator/emulator.hpp"
#include "record/emulator/instruction.hpp"
#include "record/emulator/program_file.hpp"
#include "temporary_folder.hpp"

namespace Atoll::record::dbi {
namespace {

unsigned width(const std::vector<std::uint8_t>& code, bool is_64_bit = true) {
  return decode_instruction(code.data(), code.size(), 0, is_64_bit).vector_bytes;
}

TEST(VectorWidth, OfOpcodes) {
  // Encodings by as(1). The operand (%rax) has ModRM 00 or 08 in the last byte.
  EXPECT_EQ(width({0x0f, 0x28, 0x00}), 16U);                    // movaps
  EXPECT_EQ(width({0x66, 0x0f, 0x58, 0x00}), 16U);              // addpd
  EXPECT_EQ(width({0xf2, 0x0f, 0x58, 0x00}), 8U);               // addsd
  EXPECT_EQ(width({0x66, 0x0f, 0x2b, 0x00}), 16U);              // movntpd
  EXPECT_EQ(width({0xf2, 0x0f, 0x2b, 0x00}), 8U);               // movntsd
  EXPECT_EQ(width({0xf3, 0x0f, 0x6f, 0x00}), 16U);              // movdqu
  EXPECT_EQ(width({0x0f, 0x6f, 0x00}), 8U);                     // movq to an MMX register
  EXPECT_EQ(width({0xf2, 0x0f, 0x12, 0x00}), 8U);               // movddup
  EXPECT_EQ(width({0xc5, 0xff, 0x12, 0x00}), 32U);              // vmovddup to ymm
  EXPECT_EQ(width({0xc5, 0xfc, 0x10, 0x48, 0x20}), 32U);        // vmovups to ymm
  EXPECT_EQ(width({0xc5, 0xf8, 0x10, 0x00}), 16U);              // vmovups to xmm
  EXPECT_EQ(width({0x0f, 0x5a, 0x00}), 8U);                     // cvtps2pd
  EXPECT_EQ(width({0xc5, 0xfc, 0x5a, 0x00}), 16U);              // vcvtps2pd to ymm
  EXPECT_EQ(width({0xc4, 0xe2, 0x7d, 0x19, 0x00}), 8U);         // vbroadcastsd
  EXPECT_EQ(width({0xc4, 0xe2, 0x7d, 0x1a, 0x00}), 16U);        // vbroadcastf128
  EXPECT_EQ(width({0xc4, 0xe2, 0xf5, 0xb8, 0x00}), 32U);        // vfmadd231pd ymm
  EXPECT_EQ(width({0xc4, 0xe2, 0xf1, 0xb9, 0x00}), 8U);         // vfmadd231sd
  EXPECT_EQ(width({0xc4, 0xe3, 0x7d, 0x19, 0x00, 0x01}), 16U);  // vextractf128
  EXPECT_EQ(width({0x66, 0x0f, 0x38, 0x30, 0x00}), 8U);         // pmovzxbw
  EXPECT_EQ(width({0xc5, 0xfd, 0xf1, 0x00}), 32U);  // vpsllw ymm by (%rax), as the emulator
                                                    // accesses it
  EXPECT_EQ(width({0x48, 0x0f, 0xc3, 0x00}), 8U);   // movnti
  EXPECT_EQ(width({0x0f, 0xb6, 0x00}), 8U);         // movzbl
  EXPECT_EQ(width({0x48, 0x8b, 0x00}), 8U);         // mov
  EXPECT_EQ(width({0xc5, 0x00}, false), 8U);        // lds, in 32-bit programs
  EXPECT_EQ(width({0xc5, 0xfc, 0x10, 0x00}, false), 32U);
}

TEST(VectorWidth, NeverReadsBeyondTheInstruction) {
  for (unsigned first = 0; first < 256; ++first)
    for (std::size_t bytes = 1; bytes <= 3; ++bytes) {
      const std::vector<std::uint8_t> code(bytes, static_cast<std::uint8_t>(first));
      const unsigned found = width(code);
      EXPECT_TRUE(found == 8 || found == 16 || found == 32);
    }
}

class ProgramFileTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path) << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  }

  TemporaryFolder folder_;
  ProgramFile program_;
};

TEST_F(ProgramFileTest, ScriptsOfScriptsAreTheirInterpreters) {
  const std::string inner = write("inner", "#!  /bin/sh   -e -x  \n");
  const std::string outer = write("outer", "#!" + inner + "\n");
  classify_program(outer.c_str(), program_);
  ASSERT_EQ(program_.problem, ProgramProblem::none);
  EXPECT_TRUE(program_.is_dynamic);
  EXPECT_STREQ(program_.path, "/bin/sh");
  const std::vector<std::string> words(program_.words, program_.words + program_.word_count);
  EXPECT_EQ(words, (std::vector<std::string>{"/bin/sh", "-e -x", inner, outer}));

  const char* arguments[] = {"name", "argument", nullptr};
  const char* environment[] = {"LD_PRELOAD=mine.so", "LD_LIBRARY_PATH=/a", "HOME=/", nullptr};
  const Emulator emulator = {"/q", "/plugin.so", "/library.so", "/region"};
  const Invocation called = invocation(emulator, program_, arguments, environment);
  std::vector<std::string> command, outside;
  for (char** word = called.arguments; *word != nullptr; ++word) command.emplace_back(*word);
  for (char** word = called.environment; *word != nullptr; ++word) outside.emplace_back(*word);
  EXPECT_EQ(outside, std::vector<std::string>{"HOME=/"});
  ASSERT_GT(command.size(), 4U);
  EXPECT_TRUE(command[2].starts_with("max"));
  command.erase(command.begin() + 2);
  EXPECT_EQ(
      command,
      (std::vector<std::string>{
          "/q", "-cpu", "-plugin", "/plugin.so,region=/region,library=/library.so,objects=library",
          "-E", "LD_LIBRARY_PATH=/a", "-E", "LD_PRELOAD=/library.so:mine.so", "-E", "ATOLL_MAGIC=1",
          "-0", "/bin/sh", "/bin/sh", "-e -x", inner, outer, "argument"}));
  ::free(called.memory);
}

TEST_F(ProgramFileTest, Troubles) {
  const auto trouble_of = [&](const std::string& path) {
    classify_program(path.c_str(), program_);
    return program_.problem;
  };
  EXPECT_EQ(trouble_of("/no/such/file"), ProgramProblem::missing);
  EXPECT_EQ(trouble_of(std::string(2 * PATH_MAX, 'x')), ProgramProblem::missing);
  EXPECT_EQ(trouble_of(folder_.path().string()), ProgramProblem::not_executable);
  EXPECT_EQ(trouble_of(write("empty", "")), ProgramProblem::not_a_program);
  EXPECT_EQ(trouble_of(write("blank", "#! \t\n")), ProgramProblem::not_a_program);
  EXPECT_EQ(trouble_of(write("cut", std::string("\177ELF\002\001\001", 7))),
            ProgramProblem::not_a_program);
  EXPECT_EQ(trouble_of(write("loop", "#!" + (folder_ / "loop").string())),
            ProgramProblem::too_nested);
  EXPECT_EQ(trouble_of("/bin/sh"), ProgramProblem::none);
}

}  // namespace
}  // namespace Atoll::record::dbi
