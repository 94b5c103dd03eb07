// Conversations in a small notation, for tests.
//
// A line holds what one side sends, several messages between " & ": `>` the client, `<` the server.
// The fields of a message stand between bars behind its type:
//
//   > P|name|text|23|25      types of parameters
//   > B|portal|name|5|null|=>|1|1      values, and behind => the formats of columns
//   > D|S|name   > D|P|portal   > C|S|name   > E|portal   > Q|text   > S   > H   > F   > X
//   > d|data   > c   > f|why
//   < t|23|25   < T|id:23|name:25   < n   < D|5|null   < C|UPDATE 1   < I   < s   < Z|T
//   < E|23505   < E|57P01|FATAL   < N|00000   < G   < H   < d|data   < c   < 1   < 2   < 3
//
// A value 0x0005 is one in binary. Each unit that is told is a line:
//
//   2 execution T>E g3: SELECT $1 ($1=5:23) -> [id name] {5 x} SELECT 1; error 23505
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "wire/postgres/conversation.h"
#include "wire/postgres/message_cutter.h"
#include "wire/postgres/messages.h"

namespace heddle::postgres {

struct SentMessage {
  bool is_client = false;
  WireMessage message;
};

inline std::string in_bytes(std::uint64_t number, int count) {
  std::string bytes;
  for (int at = count; at > 0; --at) bytes += static_cast<char>(number >> (8 * (at - 1)) & 0xff);
  return bytes;
}

inline std::string with_zero(std::string_view text) { return std::string(text) + '\0'; }

inline bool is_in_binary(std::string_view value) { return value.starts_with("0x"); }

inline std::string value_bytes(const std::string& value) {
  if (value == "null") return in_bytes(0xffffffff, 4);
  std::string bytes = value;
  if (is_in_binary(value)) {
    bytes.clear();
    for (std::size_t at = 2; at + 1 < value.size(); at += 2) {
      bytes += static_cast<char>(std::stoi(value.substr(at, 2), nullptr, 16));
    }
  }
  return in_bytes(bytes.size(), 4) + bytes;
}

// The body of a Bind, whose fields these are.
inline std::string bind_body(const std::vector<std::string>& fields) {
  std::string formats;
  std::string values;
  std::string columns;
  std::size_t value_count = 0;
  std::size_t column_count = 0;
  bool is_behind = false;
  for (std::size_t i = 3; i < fields.size(); ++i) {
    if (fields[i] == "=>") {
      is_behind = true;
    } else if (is_behind) {
      columns += in_bytes(std::stoul(fields[i]), 2);
      ++column_count;
    } else {
      formats += in_bytes(is_in_binary(fields[i]) ? 1 : 0, 2);
      values += value_bytes(fields[i]);
      ++value_count;
    }
  }
  return with_zero(fields.at(1)) + with_zero(fields.at(2)) + in_bytes(value_count, 2) + formats +
         in_bytes(value_count, 2) + values + in_bytes(column_count, 2) + columns;
}

// Types behind the first fields, counted.
inline std::string types_body(const std::vector<std::string>& fields, std::size_t from) {
  std::string body = in_bytes(fields.size() - from, 2);
  for (std::size_t i = from; i < fields.size(); ++i) body += in_bytes(std::stoul(fields[i]), 4);
  return body;
}

inline std::string columns_body(const std::vector<std::string>& fields) {
  std::string body = in_bytes(fields.size() - 1, 2);
  for (std::size_t i = 1; i < fields.size(); ++i) {
    const std::vector<std::string> parts = split(fields[i], ':');
    body += with_zero(parts.at(0)) + in_bytes(0, 4) + in_bytes(i, 2) +
            in_bytes(std::stoul(parts.at(1)), 4) + in_bytes(4, 2) + in_bytes(0xffffffff, 4) +
            in_bytes(0, 2);
  }
  return body;
}

inline std::string client_body(const std::vector<std::string>& fields) {
  switch (fields.at(0).front()) {
    case 'P':
      return with_zero(fields.at(1)) + with_zero(fields.at(2)) + types_body(fields, 3);
    case 'B':
      return bind_body(fields);
    case 'D':
    case 'C':
      return fields.at(1) + with_zero(fields.at(2));
    case 'E':
      return with_zero(fields.at(1)) + in_bytes(0, 4);
    case 'Q':
    case 'f':
      return with_zero(fields.at(1));
    case 'd':
      return fields.at(1);
    case 'F':
      return in_bytes(1, 4) + in_bytes(0, 6);
    default:
      return "";
  }
}

inline std::string server_body(const std::vector<std::string>& fields) {
  switch (fields.at(0).front()) {
    case 't':
      return types_body(fields, 1);
    case 'T':
      return columns_body(fields);
    case 'D': {
      std::string body = in_bytes(fields.size() - 1, 2);
      for (std::size_t i = 1; i < fields.size(); ++i) body += value_bytes(fields[i]);
      return body;
    }
    case 'C':
      return with_zero(fields.at(1));
    case 'E':
    case 'N':
      return "V" + with_zero(fields.size() > 2 ? fields[2] : "ERROR") + "C" +
             with_zero(fields.at(1)) + "M" + with_zero("it says so") + '\0';
    case 'd':
    case 'Z':
      return fields.at(1);
    case 'S':
      return with_zero(fields.at(1)) + with_zero(fields.at(2));
    case 'A':
      return in_bytes(7, 4) + with_zero("channel") + with_zero("text");
    default:
      return "";
  }
}

inline SentMessage sent_message(bool is_client, std::string_view text) {
  const std::vector<std::string> fields = split(text, '|');
  return {.is_client = is_client,
          .message = {.type = fields.at(0).front(),
                      .body = is_client ? client_body(fields) : server_body(fields)}};
}

inline std::vector<SentMessage> read_conversation(std::string_view text) {
  std::vector<SentMessage> sent;
  for (const std::string& each : split(text, '\n')) {
    std::string_view line = trim(each);
    if (line.empty()) continue;
    const bool is_client = line.front() == '>';
    line.remove_prefix(1);
    while (!line.empty()) {
      const std::size_t end = line.find(" & ");
      sent.push_back(sent_message(is_client, trim(line.substr(0, end))));
      line = end == line.npos ? std::string_view() : line.substr(end + 2);
    }
  }
  return sent;
}

// As a cutter gives it that keeps so many bytes of a body.
inline CutMessage cut_at(const WireMessage& message, std::size_t most_kept) {
  CutMessage cut{.type = message.type,
                 .body = std::string_view(message.body).substr(0, most_kept),
                 .size = message.body.size()};
  if (cut.is_whole()) return cut;
  RunningHash hash;
  hash.add(message.body);
  cut.hash = hash.value();
  return cut;
}

inline std::string value_line(const std::optional<std::string>& value, std::uint16_t format,
                              std::uint32_t type) {
  return value ? value_text(*value, format, type).value_or("(binary)") : "null";
}

inline std::string result_line(const WireResult& result) {
  std::vector<std::string> words;
  if (result.is_described && !result.columns.empty()) {
    std::vector<std::string> names;
    for (const FieldDescription& column : result.columns) names.push_back(column.name);
    words.push_back(fmt::format("[{}]", join(names, " ")));
  }
  for (const std::string& row : result.rows) {
    std::vector<std::string> values;
    const auto read = read_data_row(row);
    for (std::size_t i = 0; read && i < read->size(); ++i) {
      const bool is_known = i < result.columns.size();
      values.push_back(value_line((*read)[i], is_known ? result.columns[i].format : 0,
                                  is_known ? result.columns[i].type : 0));
    }
    words.push_back(fmt::format("{{{}}}", join(values, " ")));
  }
  if (result.row_count > result.rows.size()) {
    words.push_back(fmt::format("of {} rows", result.row_count));
  }
  if (result.copied > 0) {
    words.push_back(fmt::format("copied {}{}/{}", result.is_copied_out ? "out " : "", result.copied,
                                result.copy_size));
  }
  if (result.is_suspended) words.push_back("suspended");
  words.push_back(result.tag.empty() ? "-" : result.tag);
  return join(words, " ");
}

inline std::string unit_line(const WireUnit& unit) {
  constexpr const char* kKinds[] = {"query", "execution", "more_rows", "call", "prepare"};
  std::string line =
      fmt::format("{} {} {}>{} g{}:", unit.ordinal, kKinds[static_cast<std::size_t>(unit.kind)],
                  unit.status_before, unit.status_after, unit.group);
  if (!unit.text->empty()) line += " " + *unit.text;
  if (unit.text_size != unit.text->size()) line += fmt::format("... of {}", unit.text_size);
  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < unit.parameters.size(); ++i) {
    const WireParameter& each = unit.parameters[i];
    parameters.push_back(
        fmt::format("${}={}:{}", i + 1, value_line(each.value, each.format, each.type), each.type));
  }
  if (!parameters.empty()) line += fmt::format(" ({})", join(parameters, " "));
  if (!unit.has_all_parameters) line += " (too long)";
  std::vector<std::string> results;
  for (const WireResult& result : unit.results) results.push_back(result_line(result));
  if (!results.empty()) line += " -> " + join(results, ", ");
  if (!unit.error.empty()) line += "; error " + unit.error.at('C');
  if (unit.notices > 0) line += fmt::format("; notices {}", unit.notices);
  if (unit.is_skipped) line += "; skipped";
  return line;
}

struct TellOptions {
  ConversationLimits limits = {};
  std::size_t most_kept = 1U << 20;
};

// A line of each unit in the order in which they were told, and behind "unanswered:" of those that
// were not answered. A server that lets the client in comes before all else.
inline std::string told(std::string_view text, const TellOptions& options = {}) {
  Conversation conversation(options.limits);
  std::string lines;
  const auto tell = [&lines](const std::vector<WireUnit>& units) {
    for (const WireUnit& unit : units) lines += unit_line(unit) + "\n";
  };
  conversation.server_message({.type = 'Z', .body = "I", .size = 1});
  for (const SentMessage& sent : read_conversation(text)) {
    const CutMessage message = cut_at(sent.message, options.most_kept);
    if (!sent.is_client) {
      conversation.server_message(message);
    } else if (!conversation.client_message(message)) {
      lines += "malformed\n";
    }
    tell(conversation.take_answered());
  }
  const std::vector<WireUnit> left = conversation.take_unanswered();
  tell(conversation.take_answered());
  if (!left.empty()) lines += "unanswered:\n";
  tell(left);
  if (!conversation.last_words().empty()) {
    lines += fmt::format("last words {}\n", conversation.last_words().at('C'));
  }
  return lines;
}

}  // namespace heddle::postgres
