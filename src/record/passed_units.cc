#include "record/passed_units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/running_hash.h"
#include "wire/postgres/messages.h"

namespace heddle {
namespace {

constexpr std::array<std::string_view, 5> kKinds = {"query", "execution", "more_rows", "call",
                                                    "prepare"};

TraceValue trace_value(const std::optional<std::string>& value, std::uint16_t format,
                       std::uint32_t type) {
  if (!value) return {};
  if (auto text = postgres::value_text(*value, format, type)) return {.text = std::move(text)};
  return {.text = value, .is_binary = true};
}

// The count at the end of "INSERT 0 1", "UPDATE 3", "COPY 5"; a SELECT changes nothing, nor does a
// COPY that reads.
std::optional<std::uint64_t> rows_changed(std::string_view tag, bool is_copied_out) {
  if (is_copied_out) return std::nullopt;
  constexpr std::array<std::string_view, 5> kChanging = {"INSERT ", "UPDATE ", "DELETE ", "MERGE ",
                                                         "COPY "};
  const auto begins = [&](std::string_view word) { return tag.starts_with(word); };
  if (std::none_of(kChanging.begin(), kChanging.end(), begins)) return std::nullopt;
  const std::string_view digits = tag.substr(tag.rfind(' ') + 1);
  std::uint64_t count = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return read.ec == std::errc() ? std::optional(count) : std::nullopt;
}

TraceResult trace_result(const postgres::WireResult& result) {
  TraceResult told{.row_count = result.row_count,
                   .rows_changed = rows_changed(result.tag, result.is_copied_out),
                   .copied_bytes = result.copy_size,
                   .hash = result.hash.value(),
                   .tag = result.tag,
                   .is_suspended = result.is_suspended};
  for (const postgres::FieldDescription& column : result.columns) {
    told.columns.push_back(
        {.name = column.name, .table = column.table, .column = column.number, .type = column.type});
  }
  for (const std::string& bytes : result.rows) {
    const auto values = postgres::read_data_row(bytes);
    if (!values) continue;
    std::vector<TraceValue>& row = told.rows.emplace_back();
    for (std::size_t i = 0; i < values->size(); ++i) {
      const bool is_known = i < result.columns.size();
      row.push_back(trace_value((*values)[i], is_known ? result.columns[i].format : 0,
                                is_known ? result.columns[i].type : 0));
    }
  }
  return told;
}

std::string field(const std::map<char, std::string>& fields, char code) {
  const auto found = fields.find(code);
  return found == fields.end() ? "" : found->second;
}

TraceHeaders trace_headers(const std::vector<HttpHeader>& headers) {
  TraceHeaders told;
  for (const HttpHeader& each : headers) told.emplace_back(each.name, each.value);
  return told;
}

TraceBody trace_body(const PassedBody& body) {
  return {.bytes = body.bytes,
          .size = body.size,
          .is_whole = body.is_whole,
          .hash = body.is_whole ? 0 : body.hash.value(),
          .is_decoded = body.is_decoded};
}

}  // namespace

TraceStatement trace_statement(const postgres::WireUnit& unit) {
  TraceStatement told;
  told.ordinal = unit.ordinal;
  told.kind = kKinds[static_cast<std::size_t>(unit.kind)];
  told.text = *unit.text;
  told.text_size = unit.text_size;
  told.has_all_parameters = unit.has_all_parameters;
  for (const postgres::WireParameter& each : unit.parameters) {
    told.parameters.push_back(
        {.value = trace_value(each.value, each.format, each.type), .type = each.type});
  }
  for (const postgres::WireResult& each : unit.results) told.results.push_back(trace_result(each));
  if (!unit.error.empty()) {
    told.error = {.code = field(unit.error, 'C'),
                  .message = field(unit.error, 'M'),
                  .detail = field(unit.error, 'D')};
  }
  told.is_skipped = unit.is_skipped;
  told.state_before = unit.status_before;
  told.state_after = unit.status_after;
  return told;
}

std::uint64_t answer_hash(const postgres::WireUnit& unit) {
  RunningHash hash;
  for (const postgres::WireResult& each : unit.results) {
    const std::uint64_t rows = each.hash.value();
    hash.add({reinterpret_cast<const char*>(&rows), sizeof rows});
    hash.add(each.tag);
  }
  return hash.value();
}

TraceRequest trace_request(TraceRequest place, const HttpExchange& exchange) {
  TraceRequest told = std::move(place);
  told.ordinal = exchange.ordinal;
  told.trace = exchange.trace;
  told.method = exchange.request.method;
  told.target = exchange.request.target;
  told.headers = trace_headers(exchange.request.headers);
  told.body = trace_body(exchange.body);
  if (exchange.response) {
    told.status = exchange.response->status;
    told.response_headers = trace_headers(exchange.response->headers);
    told.response_body = trace_body(exchange.response_body);
  }
  return told;
}

}  // namespace heddle
