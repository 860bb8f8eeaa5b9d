// Errors are printed as one line; units are parsed in the notations that people use.
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <system_error>

#include "atoll/base/error.hpp"
#include "atoll/base/exit_code.hpp"
#include "atoll/base/numbers.hpp"
#include "atoll/base/units.hpp"

namespace Atoll {
namespace {

TEST(Error, IsOneLineWithPlaceAndWayOut) {
  const Error error = Error::input("graph.el:3", "'x\ny' is not a node", "write a number");
  EXPECT_STREQ(error.what(), "graph.el:3: 'x y' is not a node; write a number");
  EXPECT_EQ(error.kind(), Error::Kind::input);
  EXPECT_STREQ(Error::system("f", "opening", 2).what(), "f: opening: No such file or directory");
}

TEST(Error, HasThePartsOfItsLine) {
  const auto check = [](const Error& error, const char* place, const char* problem,
                        const char* way_out) {
    EXPECT_EQ(error.place(), place);
    EXPECT_EQ(error.problem(), problem);
    EXPECT_EQ(error.way_out(), way_out);
  };
  check(Error::input("a.el: 3", "'x: y; z' is\nno node", "write; a: number"), "a.el: 3",
        "'x: y; z' is no node", "write; a: number");
  check(Error::input("", "out of memory"), "", "out of memory", "");
  check(Error::input("", "no command", "give one"), "", "no command", "give one");
  check(Error::failed("disk", "is full"), "disk", "is full", "");
  const Error longest = Error::input(std::string(5000, 'p'), std::string(5000, 'q'), "r");
  EXPECT_EQ(longest.place().front(), 'p');
  EXPECT_EQ(longest.problem().back(), 'q');
  EXPECT_EQ(longest.way_out(), "r");
}

TEST(Error, LongValuesAreShortened) {
  const std::string value(5000, 'x');
  const std::string line = Error::input("--policy", "'" + value + "' is no policy", "os").what();
  EXPECT_LT(line.size(), 300U);
  EXPECT_EQ(line.substr(0, 15), "--policy: 'xxxx");
  EXPECT_TRUE(line.ends_with("xxx' is no policy; os")) << line;
  std::string words;
  for (int i = 0; i < 5000; ++i) words += "w ";
  EXPECT_LT(std::string_view(Error::input(words, words, words).what()).size(), 7000U);
  // A long text is shortened between characters, never within a multi-byte character.
  std::string umlauts = ".";
  for (int i = 0; i < 5000; ++i) umlauts += "ä";
  const std::string shown = Error::input("", umlauts).what();
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (shown[i] == '\xc3')
      EXPECT_EQ(shown[++i], '\xa4') << i;
    else
      EXPECT_EQ(shown[i], '.') << i;
  // Paths of ordinary length aren't shortened.
  const std::string path = "/" + std::string(200, 'p');
  EXPECT_EQ(Error::input(path, "is a directory").what(), path + ": is a directory");
}

int code_and_line(const std::function<void()>& work, std::string& line) {
  testing::internal::CaptureStderr();
  const int code = exit_code_of(work);
  line = testing::internal::GetCapturedStderr();
  return code;
}

TEST(ExitCode, IsInTheErrorsJson) {
  EXPECT_EQ(error_json("a\"b", "x", "", 2),
            "{\n  \"error\": {\n    \"what\": \"x\",\n    \"place\": \"a\\\"b\",\n"
            "    \"way_out\": \"\"\n  },\n  \"exit_code\": 2\n}");
  EXPECT_NE(error_json("\xff", "", "", 1).find("\xef\xbf\xbd"), std::string::npos);
}

TEST(ExitCode, OfTheSystemsRefusalsIsNoInternalError) {
  std::string line;
  const std::string loop = testing::TempDir() + "atoll-loop";
  std::filesystem::remove(loop);
  std::filesystem::create_symlink(loop, loop);
  EXPECT_EQ(code_and_line([&] { (void)std::filesystem::is_directory(loop); }, line), 2);
  EXPECT_EQ(line, "atoll: " + loop + ": Too many levels of symbolic links\n");
  std::filesystem::remove(loop);
  EXPECT_EQ(code_and_line([] { throw std::system_error(EAGAIN, std::generic_category()); }, line),
            1);
  EXPECT_NE(line.find("ulimit -u"), std::string::npos) << line;
  EXPECT_EQ(code_and_line([] { throw std::logic_error("x"); }, line), 1);
  EXPECT_EQ(line, "atoll: internal error: x\n");
}

TEST(Numbers, AreReadStrictly) {
  EXPECT_EQ(parse_whole<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_whole<std::int64_t>("-5"), -5);
  for (const char* wrong : {"", "-1", "+1", " 1", "1 ", "0x10", "1e3", "18446744073709551616"})
    EXPECT_EQ(parse_whole<std::uint64_t>(wrong), std::nullopt) << wrong;
  EXPECT_EQ(parse_real("-2.5e-3"), -2.5e-3);
  for (const char* wrong : {"", "nan", "NAN", "-nan", "inf", "infinity", "1e999", "1,5", "0x1p3"})
    EXPECT_EQ(parse_real(wrong), std::nullopt) << wrong;
}

TEST(Units, Bytes) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(4096), "4 KiB");
  EXPECT_EQ(format_bytes(kGiB * 3 / 2), "1.5 GiB");
  EXPECT_EQ(format_bytes(UINT64_MAX), "16 EiB");
  EXPECT_EQ(parse_bytes("64 KiB", "x"), 65536U);
  EXPECT_EQ(parse_bytes("1.5g", "x"), kGiB * 3 / 2);
  EXPECT_EQ(parse_bytes("2GB", "x"), 2000000000U);
  for (const char* wrong : {"", "x", "-1", "4 apples", "1e30", "nan"})
    EXPECT_THROW(static_cast<void>(parse_bytes(wrong, "x")), Error) << wrong;
}

TEST(Units, Others) {
  EXPECT_EQ(format_count(64000000), "64,000,000");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_seconds(85e-9), "85 ns");
  EXPECT_EQ(format_seconds(0.00124), "1.24 ms");
  EXPECT_EQ(format_seconds(3.1), "3.1 s");
  EXPECT_EQ(format_bandwidth(102.4e9), "102 GB/s");
}

}  // namespace
}  // namespace Atoll
