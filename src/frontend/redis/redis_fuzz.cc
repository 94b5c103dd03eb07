// Any bytes: the splitter answers with commands that quoting makes into the same again, or a place;
// the parser with statements whose predicates name the keys they were made of.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "frontend/redis/parse.h"
#include "frontend/redis/split.h"

namespace {

std::string quoted(std::string_view argument) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : argument) {
    const auto byte = static_cast<unsigned char>(c);
    text += {'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return text + "\"";
}

void check_split(std::string_view text) {
  const auto commands = heddle::split_redis(text);
  if (!commands) {
    HEDDLE_ASSERT(!commands.error().what.empty());
    HEDDLE_ASSERT(commands.error().position.line > 0);
    return;
  }
  for (const heddle::RedisCommand& command : *commands) {
    HEDDLE_ASSERT(!command.arguments.empty());
    HEDDLE_ASSERT(text.find(command.text) != std::string_view::npos);
    std::string again;
    for (const std::string& argument : command.arguments) again += quoted(argument) + " ";
    const auto same = heddle::split_redis(again);
    HEDDLE_ASSERT(same && same->size() == 1 && same->front().arguments == command.arguments);
  }
}

void check_parse(std::string_view text) {
  const auto statements = heddle::parse_redis(text);
  if (!statements) return;
  for (const heddle::Statement& statement : *statements) {
    HEDDLE_ASSERT(statement.single_table_predicate == !statement.predicate.empty());
    if (statement.predicate.empty()) continue;
    const auto keys = heddle::keys_of_redis_predicate(statement.predicate);
    HEDDLE_ASSERT(keys && heddle::redis_predicate(*keys) == statement.predicate);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_split(text);
  check_parse(text);
  static_cast<void>(heddle::keys_of_redis_predicate(text));
  return 0;
}
