#include "record/passed_units.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace heddle {
namespace {

using std::string_literals::operator""s;

postgres::WireUnit unit_of(postgres::WireUnitKind kind, const std::string& text) {
  postgres::WireUnit unit{
      .ordinal = 7, .kind = kind, .text = std::make_shared<const std::string>(text)};
  unit.text_size = text.size();
  return unit;
}

// A row of these values, as the server sends it.
std::string row_bytes(std::initializer_list<std::string> values) {
  std::string bytes = {'\0', static_cast<char>(values.size())};
  for (const std::string& value : values) {
    bytes += "\0\0\0"s + static_cast<char>(value.size()) + value;
  }
  return bytes;
}

TEST(PassedUnits, have_names_for_their_kinds) {
  EXPECT_EQ(trace_statement(unit_of(postgres::WireUnitKind::query, "A")).kind, "query");
  EXPECT_EQ(trace_statement(unit_of(postgres::WireUnitKind::execution, "A")).kind, "execution");
  EXPECT_EQ(trace_statement(unit_of(postgres::WireUnitKind::more_rows, "A")).kind, "more_rows");
  EXPECT_EQ(trace_statement(unit_of(postgres::WireUnitKind::call, "A")).kind, "call");
  EXPECT_EQ(trace_statement(unit_of(postgres::WireUnitKind::prepare, "A")).kind, "prepare");
}

TEST(PassedUnits, parameters_are_texts_where_their_types_are_known) {
  postgres::WireUnit unit = unit_of(postgres::WireUnitKind::execution, "A");
  unit.parameters = {{.value = "7", .type = 23},
                     {.value = "\0\0\0\7"s, .type = 23, .format = 1},
                     {.value = "\0\1"s, .type = 1700, .format = 1},
                     {.value = "\0\0\0\7"s, .format = 1},
                     {.value = {}, .type = 25}};
  unit.has_all_parameters = false;
  const TraceStatement told = trace_statement(unit);
  ASSERT_EQ(told.parameters.size(), 5U);
  EXPECT_EQ(told.parameters[0], (TraceParameter{.value = {.text = "7"}, .type = 23}));
  EXPECT_EQ(told.parameters[1], (TraceParameter{.value = {.text = "7"}, .type = 23}));
  EXPECT_EQ(told.parameters[2],
            (TraceParameter{.value = {.text = "\0\1"s, .is_binary = true}, .type = 1700}));
  EXPECT_EQ(told.parameters[3],
            (TraceParameter{.value = {.text = "\0\0\0\7"s, .is_binary = true}, .type = 0}));
  EXPECT_EQ(told.parameters[4], (TraceParameter{.value = {}, .type = 25}));
  EXPECT_FALSE(told.has_all_parameters);
}

TEST(PassedUnits, rows_are_read_as_their_columns_say) {
  postgres::WireUnit unit = unit_of(postgres::WireUnitKind::query, "A");
  postgres::WireResult& result = unit.results.emplace_back();
  result.columns = {{.name = "id", .table = 16'385, .number = 1, .type = 23, .format = 1},
                    {.name = "name", .type = 25}};
  result.rows = {row_bytes({"\0\0\0\7"s, "x"}), row_bytes({"\0\0\0\7"s, "x", "more"}), "no row"};
  result.row_count = 9;
  result.tag = "SELECT 9";
  const TraceStatement told = trace_statement(unit);
  ASSERT_EQ(told.results.size(), 1U);
  const TraceResult& read = told.results[0];
  EXPECT_EQ(read.columns,
            (std::vector<TraceColumn>{{.name = "id", .table = 16'385, .column = 1, .type = 23},
                                      {.name = "name", .type = 25}}));
  // What is no row is left out, but counted.
  ASSERT_EQ(read.rows.size(), 2U);
  EXPECT_EQ(read.rows[0], (std::vector<TraceValue>{{.text = "7"}, {.text = "x"}}));
  EXPECT_EQ(read.rows[1],
            (std::vector<TraceValue>{{.text = "7"}, {.text = "x"}, {.text = "more"}}));
  EXPECT_EQ(read.row_count, 9U);
  EXPECT_EQ(read.hash, result.hash.value());
}

TEST(PassedUnits, tags_tell_how_many_rows_were_changed) {
  const auto changed = [](const std::string& tag) {
    postgres::WireUnit unit = unit_of(postgres::WireUnitKind::query, "A");
    unit.results.emplace_back().tag = tag;
    return trace_statement(unit).results[0].rows_changed;
  };
  EXPECT_EQ(changed("INSERT 0 12"), 12U);
  EXPECT_EQ(changed("UPDATE 0"), 0U);
  EXPECT_EQ(changed("DELETE 3"), 3U);
  EXPECT_EQ(changed("MERGE 4"), 4U);
  EXPECT_EQ(changed("COPY 5"), 5U);
  for (const char* tag : {"", "SELECT 5", "BEGIN", "UPDATE", "UPDATE x", "CREATE TABLE"}) {
    EXPECT_FALSE(changed(tag)) << tag;
  }
}

TEST(PassedUnits, rows_that_a_copy_reads_are_not_changed) {
  postgres::WireUnit unit = unit_of(postgres::WireUnitKind::query, "COPY t TO STDOUT");
  unit.results.emplace_back().tag = "COPY 5";
  unit.results.back().is_copied_out = true;
  EXPECT_FALSE(trace_statement(unit).results[0].rows_changed);
}

TEST(PassedUnits, errors_are_in_the_words_of_the_store) {
  postgres::WireUnit unit = unit_of(postgres::WireUnitKind::query, "A");
  unit.error = {{'C', "23505"}, {'M', "duplicate key"}, {'D', "Key (id)=(7)"}, {'L', "1"}};
  unit.status_before = 'T';
  unit.status_after = 'E';
  const TraceStatement told = trace_statement(unit);
  EXPECT_EQ(told.error,
            (TraceError{.code = "23505", .message = "duplicate key", .detail = "Key (id)=(7)"}));
  EXPECT_EQ(told.state_before, 'T');
  EXPECT_EQ(told.state_after, 'E');
}

TEST(PassedUnits, requests_have_no_status_where_they_have_no_response) {
  HttpExchange exchange;
  exchange.ordinal = 3;
  exchange.trace = "0af7";
  exchange.request.method = "POST";
  exchange.request.target = "/a";
  exchange.request.headers = {{"Host", "x"}, {"Cookie", "a"}, {"Cookie", "b"}};
  exchange.body.bytes = "abc";
  exchange.body.size = 10;
  const TraceRequest silent = trace_request({}, exchange);
  EXPECT_EQ(silent.status, 0);
  EXPECT_EQ(silent.headers, (TraceHeaders{{"Host", "x"}, {"Cookie", "a"}, {"Cookie", "b"}}));
  EXPECT_EQ(silent.body.bytes, "abc");
  EXPECT_EQ(silent.body.size, 10U);
  exchange.response.emplace().status = 204;
  EXPECT_EQ(trace_request({}, exchange).status, 204);
}

}  // namespace
}  // namespace heddle
