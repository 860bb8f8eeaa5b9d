// JSON values: types, order of members, text, limits. Expected texts follow RFC 8259, or the format
// of files from earlier versions.
#include "atoll/base/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "atoll/base/error.hpp"
#include "base/json_text.hpp"

namespace Atoll {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    (void)Json::parse(text);
  } catch (const JsonError& error) {
    return error.what();
  }
  return "";
}

TEST(Json, Types) {
  EXPECT_TRUE(Json().is_null());
  EXPECT_TRUE(Json(nullptr).is_null());
  EXPECT_TRUE(Json(true).is_boolean());
  EXPECT_TRUE(Json(-1).is_number_signed());
  EXPECT_TRUE(Json(1U).is_number_unsigned());
  EXPECT_TRUE(Json(0.5F).is_number_double());
  EXPECT_TRUE(Json("x").is_string());
  EXPECT_TRUE(Json(std::string_view("x")).is_string());
  EXPECT_TRUE(Json::array().is_array());
  EXPECT_TRUE(Json::object().is_object());
  EXPECT_TRUE(Json(std::vector<int>{}).is_array());
  EXPECT_FALSE(Json("x").is_structured());
  EXPECT_EQ(Json().size(), 0);
  EXPECT_EQ(Json(7).size(), 1);
}

TEST(Json, ListsOfPairsAreObjectsAndOthersArrays) {
  EXPECT_EQ((Json{{"a", 1}, {"b", {2, 3}}}).dump(), R"({"a":1,"b":[2,3]})");
  EXPECT_EQ((Json{1, "a", nullptr, true}).dump(), R"([1,"a",null,true])");
  EXPECT_EQ((Json{"a", "b"}).dump(), R"(["a","b"])");
  EXPECT_EQ((Json{{"a", "b"}, {1, 2}}).dump(), R"([["a","b"],[1,2]])");
  EXPECT_EQ((Json{{"a", 1}, {"a", 2}}).dump(), R"({"a":1})");  // the first key wins
  EXPECT_EQ((Json{{"none", {}}, {"inner", {{"x", Json::array()}}}}).dump(),
            R"({"none":null,"inner":{"x":[]}})");
}

TEST(Json, Containers) {
  EXPECT_EQ(Json(std::vector<std::vector<int>>{{1}, {}, {2, 3}}).dump(), "[[1],[],[2,3]]");
  EXPECT_EQ(Json(std::array<bool, 2>{true, false}).dump(), "[true,false]");
  EXPECT_EQ(Json(std::map<std::string, double>{{"b", 1}, {"a", 0.5}}).dump(),
            R"({"a":0.5,"b":1.0})");
  const std::vector<std::string> words{"x", "y"};
  EXPECT_EQ(Json(std::span(words)).dump(), R"(["x","y"])");
  EXPECT_EQ(Json(words).get<std::vector<std::string>>(), words);
}

TEST(Json, MembersKeepTheirOrderUnlessSorted) {
  Json json;
  json["b"] = 1;
  json["a"]["z"] = 2;
  json["a"]["y"].push_back(3);
  json["b"] = 4;
  EXPECT_EQ(json.dump(), R"({"b":4,"a":{"z":2,"y":[3]}})");
  EXPECT_EQ(json.dump_sorted(), R"({"a":{"y":[3],"z":2},"b":4})");
  EXPECT_EQ(json, (Json{{"a", {{"y", Json(std::vector<int>{3})}, {"z", 2}}}, {"b", 4}}));
  EXPECT_EQ(Json::parse(R"({"b":1,"a":2})").dump(), R"({"b":1,"a":2})");
}

TEST(Json, Indentation) {
  const Json json{{"a", {1, 2}}, {"b", Json::object()}, {"c", Json::array()}, {"d", {{"e", 1}}}};
  EXPECT_EQ(json.dump(2),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": [],\n  \"d\": {\n    "
            "\"e\": 1\n  }\n}");
  EXPECT_EQ((Json{1}).dump(0), "[\n1\n]");
}

TEST(Json, TextIsEscaped) {
  const std::string text = "\"\\\b\f\n\r\t\x01\x7f/\u00e4\u20ac\U0001f600";
  const std::string escaped = R"("\"\\\b\f\n\r\t\u0001)"
                              "\x7f/\u00e4\u20ac\U0001f600\"";
  EXPECT_EQ(Json(text).dump(), escaped);
  EXPECT_EQ((Json{{text, text}}).dump(), "{" + escaped + ":" + escaped + "}");
  EXPECT_EQ(Json::parse(escaped).string(), text);
  EXPECT_EQ(Json::parse(R"("\u00e4\ud83d\ude00\/")").string(), "\u00e4\U0001f600/");
  // Texts with one escaped character. Texts without any take another path in the printer.
  EXPECT_EQ(Json("a\"b").dump(), R"("a\"b")");
  EXPECT_EQ(Json("a\\b").dump(), R"("a\\b")");
  EXPECT_EQ(Json("a\tb").dump(), R"("a\tb")");
  EXPECT_EQ(Json(std::string("a\0b", 3)).dump(), R"("a\u0000b")");
  const std::string replaced =
      "\"a\xEF\xBF\xBD"
      "b\"";  // the invalid byte is replaced by U+FFFD
  EXPECT_EQ(Json("a\xff"
                 "b")
                .dump(),
            replaced);
  EXPECT_EQ(Json("a\xc3"
                 "b")
                .dump(),
            replaced);
  EXPECT_EQ(Json(std::string(5000, 'x')).dump().size(), 5002);
  EXPECT_EQ(Json(std::string(5000, '\n')).dump().size(), 10002);
}

TEST(Json, IntegersAreExact) {
  constexpr auto kGreatest = std::numeric_limits<std::uint64_t>::max();
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(Json(kGreatest).dump(), "18446744073709551615");
  EXPECT_EQ(Json(kLeast).dump(), "-9223372036854775808");
  EXPECT_EQ(Json::parse("18446744073709551615").get<std::uint64_t>(), kGreatest);
  EXPECT_EQ(Json::parse("-9223372036854775808").get<std::int64_t>(), kLeast);
  EXPECT_TRUE(Json::parse("18446744073709551615").is_number_unsigned());
  EXPECT_TRUE(Json::parse("-1").is_number_signed());
  EXPECT_TRUE(Json::parse("18446744073709551616").is_number_double());  // 2^64: no integer
  EXPECT_NE(Json(kGreatest), Json(-1));
  EXPECT_EQ(Json(7), Json(7U));
  EXPECT_EQ(Json(7), Json(7.0));
}

TEST(Json, DoublesArePrintedShortest) {
  const std::pair<double, std::string> cases[] = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1.0, "1.0"},
      {0.1, "0.1"},
      {1e15, "1e+15"},
      {123456789012345.0, "123456789012345.0"},
      {1e-5, "1e-05"},
      {0.0001, "0.0001"},
      {1.0 / 3, "0.3333333333333333"},
      {5e-324, "5e-324"},
      {1e300, "1e+300"},
      {std::numeric_limits<double>::max(), "1.7976931348623157e+308"}};
  for (const auto& [value, text] : cases) {
    EXPECT_EQ(Json(value).dump(), text);
    EXPECT_EQ(Json::parse(text).get<double>(), value);
  }
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  EXPECT_EQ(Json(-std::numeric_limits<double>::infinity()).dump(), "null");
}

TEST(Json, ComesBackEqual) {
  const std::string text =
      R"({"b":[1,-2,0.5,"x",null,true,{"y":[[],{}]}],"a":{"c":18446744073709551615}})";
  const Json json = Json::parse(text);
  EXPECT_EQ(json.dump(), text);
  EXPECT_EQ(Json::parse(json.dump(3)), json);
  const Json copy = json;
  EXPECT_EQ(copy, json);
  Json other = json;
  other["a"]["c"] = 1;
  EXPECT_NE(other, json);
  EXPECT_EQ(copy.dump(), text);  // a change of one copy doesn't affect the other
}

TEST(Json, EqualKeysOfText) {
  EXPECT_EQ(Json::parse(R"({"a":1,"b":2,"a":3})").dump_sorted(), R"({"a":3,"b":2})");
  EXPECT_EQ(Json::parse(R"({"a":1,"a":2})").dump(), R"({"a":2})");
  EXPECT_THROW((void)detail::parse_json(R"({"a":1,"b":{"a":2},"a":3})", "f", "fix it"), Error);
  EXPECT_EQ(detail::parse_json(R"({"a":1,"b":{"a":2}})", "f", "fix it")["b"]["a"], 2);
}

TEST(Json, ErrorsOfTextHaveAPosition) {
  EXPECT_THAT(refusal("[1,\n 2,]"), HasSubstr("line 2, column 4"));
  EXPECT_THAT(refusal(""), HasSubstr("unexpected end of input"));
  EXPECT_THAT(refusal("1 2"), HasSubstr("line 1, column 3"));
  for (const char* const text : {"nan", "NaN", "01", "1.", "'a'", "{\"a\"}", "[1 2]", "\"\xff\"",
                                 "\"\n\"", "1e400", "tru", "{1:2}", "// x\n1"})
    EXPECT_NE(refusal(text), "") << text;
  try {
    (void)detail::parse_json("{\n  \"a\": x}", "f.json", "see the docs");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("f.json:2:8: not JSON: "));
    EXPECT_THAT(error.what(), HasSubstr("; see the docs"));
  }
}

TEST(Json, ErrorsOfTypes) {
  const Json json{{"a", 1}, {"list", {1, 2}}};
  EXPECT_THROW((void)json.at("b"), JsonError);
  EXPECT_THROW((void)json["b"], JsonError);
  EXPECT_THROW((void)json.at("list").at(2), JsonError);
  EXPECT_THROW((void)json.at("a").string(), JsonError);
  EXPECT_THROW((void)json.at("a").get<bool>(), JsonError);
  EXPECT_THROW((void)Json("1").get<int>(), JsonError);
  EXPECT_THROW((void)json.at("a").find("b"), JsonError);
  EXPECT_THROW((void)json.begin(), JsonError);
  EXPECT_THROW((void)json.at("list").items(), JsonError);
  EXPECT_THROW(Json(1).push_back(2), JsonError);
  EXPECT_THROW(Json(1)["a"] = 2, JsonError);
  EXPECT_EQ(json.find("b"), nullptr);
  EXPECT_EQ(json.value("a", 5), 1);
  EXPECT_EQ(json.value("b", 5), 5);
}

TEST(Json, NestingIsLimitedByMemoryAlone) {
  constexpr std::size_t kDepth = 1'000'000;
  EXPECT_NE(refusal(std::string(kDepth, '[')), "");
  Json json = Json::parse(std::string(kDepth, '[') + std::string(kDepth, ']'));
  EXPECT_EQ(json.size(), 1);
  std::string objects;
  for (std::size_t i = 0; i < kDepth / 10; ++i) objects += R"({"a":)";
  json = Json::parse(objects + "1" + std::string(kDepth / 10, '}'));
  EXPECT_TRUE(json.is_object());
}

TEST(Json, FilesHaveShortValuesOnALine) {
  const Json json{{"name", "x"}, {"list", std::vector<std::string>(3, std::string(40, 'y'))}};
  const std::string word = '"' + std::string(40, 'y') + '"';
  EXPECT_EQ(detail::format_json(json), "{\n  \"name\": \"x\",\n  \"list\": [\n    " + word +
                                           ",\n    " + word + ",\n    " + word + "\n  ]\n}\n");
  EXPECT_EQ(detail::format_json({{"a", {1, 2}}, {"b", Json::object()}}),
            "{\"a\": [1, 2], \"b\": {}}\n");
}

}  // namespace
}  // namespace Atoll
