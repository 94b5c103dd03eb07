#include "format/trace/trace_lines.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "base/source_tree_testing.h"
#include "base/text.h"
#include "format/trace/random_trace_testing.h"

namespace heddle {
namespace {

const std::string kHead =
    R"({"heddle": "trace/1", "version": "1", "begun": "", "command": [], "edges": [)"
    R"({"caller": "order", "callee": "orders", "store": true}]})"
    "\n";

TEST(TraceLines, what_was_written_is_read_again) {
  for (std::size_t seed = 1; seed <= test_rounds(500); ++seed) {
    const Trace trace = RandomTrace(seed).make();
    const std::string text = trace_text(trace);
    const Result<Trace> read = parse_trace(text, "trace.jsonl");
    ASSERT_TRUE(read) << "seed " << seed << ": " << to_string(read.error()) << "\n" << text;
    EXPECT_EQ(*read == trace, true) << "seed " << seed << "\n" << text << trace_text(*read);
  }
}

TEST(TraceLines, a_file_that_is_cut_off_reads_to_its_last_whole_line) {
  for (std::size_t seed = 1; seed <= 3; ++seed) {
    const std::string text = trace_text(RandomTrace(seed).make());
    for (std::size_t size = 0; size <= text.size(); ++size) {
      const std::string cut = text.substr(0, size);
      const Result<Trace> read = parse_trace(cut, "trace.jsonl");
      const bool has_head = cut.find('\n') != cut.npos;
      ASSERT_EQ(read.has_value(), has_head) << size;
      if (has_head) {
        ASSERT_EQ(trace_text(*read), cut.substr(0, cut.rfind('\n') + 1));
      }
    }
  }
}

TEST(TraceLines, texts_of_any_bytes_and_values_in_binary_are_told_apart) {
  TraceStatement statement{.kind = "query", .text = "a\"\n\x1b\xff"};
  statement.text_size = statement.text.size();
  statement.parameters = {{.value = {.text = "\xff"}},
                          {.value = {.text = std::string("\0\1", 2), .is_binary = true}},
                          {.value = {}, .type = 23}};
  const std::string line = trace_line(statement);
  EXPECT_NE(line.find(R"("text":{"hex":"61220a1bff"})"), line.npos) << line;
  EXPECT_NE(line.find(R"("parameters":[{"hex":"ff"},{"binary":{"hex":"0001"}},null])"), line.npos)
      << line;
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
}

std::string error_of(const std::string& text) {
  const Result<Trace> read = parse_trace(text, "t.jsonl");
  return read ? "no error" : to_string(read.error());
}

TEST(TraceLines, what_is_no_line_is_an_error_with_its_place) {
  EXPECT_EQ(error_of(""),
            "t.jsonl: this is no trace: its first line is missing, write one by: "
            "heddle record");
  EXPECT_EQ(error_of("{\"heddle\": \"history/1\"}\n"),
            "t.jsonl:1:1: this is \"history/1\", not \"trace/1\", record it with this version of "
            "heddle");
  EXPECT_EQ(error_of("{}\n"), "t.jsonl:1:1: the document: the member \"heddle\" is missing");
  EXPECT_EQ(error_of("[]\n"), "t.jsonl:1:1: the document: expected an object");
  EXPECT_EQ(error_of(kHead + "\n"),
            "t.jsonl:2:1: this is not JSON: unexpected end of input; expected '[', '{', or a "
            "literal, give a file that heddle wrote");
}

TEST(TraceLines, a_member_that_is_wrong_is_an_error_with_its_place) {
  const auto error = [](const std::string& line) { return error_of(kHead + "{" + line + "}\n"); };
  const auto of_statement = [&error](const std::string& line) {
    return error(R"("is":"statement","unit":1,"connection":1,"ordinal":1,"arrived":1,)" + line);
  };
  const auto of_connection = [&error](const std::string& line) {
    return error(R"("is":"connection","connection":1,"edge":0,"opened":1,)" + line);
  };
  EXPECT_EQ(error(R"("is":"span")"),
            "t.jsonl:2:7: /is: unknown word, use one of: statement, request, connection, "
            "catalogue, background, remark, end");
  EXPECT_EQ(error(R"("is":"remark")"), "t.jsonl:2:1: the document: the member \"text\" is missing");
  EXPECT_EQ(error(R"("is":"end","reason":"","units":-1,"unsure":0)"),
            "t.jsonl:2:33: /units: expected a number that is not negative");
  EXPECT_EQ(error(R"("is":"end","reason":"","units":1,"unsure":0,"exit_code":256)"),
            "t.jsonl:2:58: /exit_code: expected a number from 0 to below 256");
  EXPECT_EQ(of_statement(R"("edge":1,"by":"only")"),
            "t.jsonl:2:74: /edge: expected a number from 0 to below 1");
  EXPECT_EQ(of_statement(R"("edge":0,"by":"luck")"),
            "t.jsonl:2:81: /by: unknown word, use one of: traceparent, transaction, only, serial, "
            "background, setup, exempt, unsure");
  EXPECT_EQ(of_statement(R"("edge":0,"by":"only","kind":7)"),
            "t.jsonl:2:95: /kind: expected a text, or {\"hex\": \"...\"} with bytes that are not "
            "UTF-8");
  EXPECT_EQ(of_statement(R"("edge":0,"by":"only","kind":"query","text":"",)"
                         R"("transaction":{"before":"IT","after":"I"},"results":[])"),
            "t.jsonl:2:137: /transaction/before: unknown word, use one of: I, T, E, ?");
  EXPECT_EQ(of_statement(R"("edge":0,"by":"only","kind":"query","text":"",)"
                         R"("transaction":{"before":"I","after":"I"},"results":[{"hash":"x"}])"),
            "t.jsonl:2:173: /results/0/hash: expected a hash of hexadecimal digits");
  EXPECT_EQ(of_connection(R"("backend":5000000000,"parameters":[])"),
            "t.jsonl:2:65: /backend: expected a number from 0 to below 4294967296");
  EXPECT_EQ(of_connection(R"("parameters":[["a"]])"),
            "t.jsonl:2:69: /parameters/0: expected the name and the value of a header");
}

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  std::ranges::sort(lines);
  return lines;
}

TEST(TraceLines, the_example_in_the_documentation_is_one) {
  std::ifstream file(source_tree() / "docs" / "formats" / "trace.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  const std::string fence = "```jsonl\n";
  const std::size_t begin = page.find(fence) + fence.size();
  const std::string example = page.substr(begin, page.find("```\n", begin) - begin);
  const Result<Trace> trace = parse_trace(example, "trace.md");
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(sorted_lines(trace_text(*trace)), sorted_lines(example));
  EXPECT_FALSE(trace->statements.empty() || trace->requests.empty() || trace->connections.empty());
  EXPECT_FALSE(trace->catalogues.empty() || trace->background.empty() || trace->remarks.empty());
  EXPECT_TRUE(trace->end);
}

// The keys of all members on the lines.
std::vector<std::string> members_of(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t at = text.find("\":"); at != text.npos; at = text.find("\":", at + 1)) {
    const std::size_t begin = text.rfind('"', at - 1) + 1;
    const std::string name = text.substr(begin, at - begin);
    const bool is_name =
        std::ranges::all_of(name, [](char c) { return c == '_' || std::islower(c); });
    if (is_name && std::ranges::find(found, name) == found.end()) found.push_back(name);
  }
  return found;
}

TEST(TraceLines, every_member_is_described) {
  std::ifstream file(source_tree() / "docs" / "formats" / "trace.md");
  std::stringstream page;
  page << file.rdbuf();
  for (std::size_t seed = 1; seed <= 50; ++seed) {
    for (const std::string& name : members_of(trace_text(RandomTrace(seed).make()))) {
      if (name == "hex" || name == "binary") continue;  // told by examples
      EXPECT_NE(page.str().find("`" + name + "`"), std::string::npos) << name;
    }
  }
}

}  // namespace
}  // namespace heddle
