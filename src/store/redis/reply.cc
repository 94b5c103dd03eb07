#include "store/redis/reply.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace {

constexpr const char* kValue = "value";

std::string nested_text(const redisReply& answer, RedisAnswer shape);

// Fields and values in turn.
using Fields = std::vector<std::pair<std::string, const redisReply*>>;

Fields fields_of(const redisReply& answer) {
  const auto elements = elements_of(answer);
  Fields fields;
  for (std::size_t i = 0; i + 1 < elements.size(); i += 2) {
    fields.emplace_back(text_of(*elements[i]), elements[i + 1]);
  }
  std::ranges::sort(fields, {}, &Fields::value_type::first);
  return fields;
}

// The shape of an element of an array of this shape.
RedisAnswer inner_shape(RedisAnswer shape, std::size_t index) {
  if (shape == RedisAnswer::entries) return shape;
  if (index != 1) return RedisAnswer::as_it_is;
  if (shape == RedisAnswer::scanned_set) return RedisAnswer::set;
  return shape == RedisAnswer::scanned_map ? RedisAnswer::map : RedisAnswer::as_it_is;
}

std::string map_text(const redisReply& answer) {
  std::vector<std::string> texts;
  for (const auto& [field, value] : fields_of(answer)) {
    texts.push_back(fmt::format("{}: {}", field, nested_text(*value, RedisAnswer::as_it_is)));
  }
  return "{" + join(texts, ", ") + "}";
}

// Nothing is nested more than a few levels deep: hiredis refuses what is.
std::string nested_text(const redisReply& answer, RedisAnswer shape) {
  if (answer.type == REDIS_REPLY_NIL) return "nil";
  if (answer.type != REDIS_REPLY_ARRAY) {
    const std::string text = text_of(answer);
    return shape == RedisAnswer::entries ? shown_entry(text) : text;
  }
  if (shape == RedisAnswer::map) return map_text(answer);
  std::vector<std::string> texts;
  for (const redisReply* element : elements_of(answer)) {
    texts.push_back(nested_text(*element, inner_shape(shape, texts.size())));
  }
  if (shape == RedisAnswer::set) std::ranges::sort(texts);
  return "[" + join(texts, ", ") + "]";
}

Cell to_cell(const redisReply& answer, RedisAnswer shape) {
  if (answer.type == REDIS_REPLY_NIL) return std::nullopt;
  return nested_text(answer, shape);
}

ResultSet one_row(std::vector<std::string> names, Row row) {
  ResultSet result;
  result.has_rows = true;
  for (std::string& name : names) result.columns.push_back({std::move(name), "", ""});
  result.rows.push_back(std::move(row));
  return result;
}

// An array without elements is a result without rows.
ResultSet numbered(Row cells) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= cells.size(); ++i) names.push_back(fmt::format("{}", i));
  if (!cells.empty()) return one_row(std::move(names), std::move(cells));
  ResultSet result = one_row({kValue}, {});
  result.rows.clear();
  return result;
}

ResultSet to_result(const redisReply& answer, RedisAnswer shape) {
  if (answer.type != REDIS_REPLY_ARRAY) {
    ResultSet result = one_row({kValue}, {to_cell(answer, shape)});
    if (answer.type == REDIS_REPLY_STATUS) result.command_tag = text_of(answer);
    return result;
  }
  if (shape == RedisAnswer::map && answer.elements > 0) {
    std::vector<std::string> names;
    Row cells;
    for (const auto& [field, value] : fields_of(answer)) {
      names.push_back(field);
      cells.push_back(to_cell(*value, RedisAnswer::as_it_is));
    }
    return one_row(std::move(names), std::move(cells));
  }
  Row cells;
  for (const redisReply* element : elements_of(answer)) {
    cells.push_back(to_cell(*element, inner_shape(shape, cells.size())));
  }
  if (shape == RedisAnswer::set) std::ranges::sort(cells);
  return numbered(std::move(cells));
}

Reply with_error(StepError error) {
  Reply reply;
  reply.error = std::move(error);
  return reply;
}

Reply with_result(ResultSet result) {
  Reply reply;
  reply.result = std::move(result);
  return reply;
}

StepError changed_watch() {
  StepError error;
  error.error_class = ErrorClass::serialization_failure;
  error.code = "WATCH";
  error.message = "a watched key has changed, so that EXEC did nothing";
  return error;
}

}  // namespace

Reply to_reply(const redisReply& answer, const RedisCommandRow* row) {
  if (is_error(answer)) return with_error(to_redis_error(text_of(answer)));
  return with_result(to_result(answer, row == nullptr ? RedisAnswer::as_it_is : row->answer));
}

Reply to_exec_reply(const redisReply& answer, const QueuedCommands& queued) {
  if (is_error(answer)) return with_error(to_redis_error(text_of(answer)));
  if (answer.type == REDIS_REPLY_NIL) return with_error(changed_watch());
  Row cells;
  for (const redisReply* element : elements_of(answer)) {
    const RedisCommandRow* const row =
        cells.size() < queued.size() ? queued[cells.size()] : nullptr;
    const bool is_hidden = row != nullptr && row->generated && element->type == REDIS_REPLY_STRING;
    const RedisAnswer shape = row == nullptr ? RedisAnswer::as_it_is : row->answer;
    cells.push_back(is_hidden ? shown_entry(text_of(*element)) : to_cell(*element, shape));
  }
  return with_result(numbered(std::move(cells)));
}

// A first word in capitals is the code.
StepError to_redis_error(std::string_view text) {
  StepError error;
  const std::string_view first = text.substr(0, text.find(' '));
  const bool is_code = !first.empty() && std::ranges::all_of(first, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  error.code = is_code ? first : "ERR";
  error.severity = error.code;
  error.message = is_code ? trim(text.substr(first.size())) : text;
  error.text = fmt::format("{}\n", text);
  // CLIENT UNBLOCK, by which a command is cancelled.
  if (error.code == "UNBLOCKED") error.error_class = ErrorClass::cancelled;
  return error;
}

std::string shown_entry(const std::string& identifier) {
  constexpr std::size_t kDigitsOfTime = 13;  // milliseconds since 1970, since the year 2001
  const std::size_t dash = identifier.find('-');
  const bool has_digits = dash != identifier.npos && dash + 1 < identifier.size() &&
                          identifier.find_first_not_of("0123456789", dash + 1) == identifier.npos &&
                          identifier.find_first_not_of("0123456789") == dash;
  return has_digits && dash >= kDigitsOfTime ? "*" : identifier;
}

}  // namespace heddle
