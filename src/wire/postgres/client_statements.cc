#include "wire/postgres/client_statements.h"

#include <utility>

#include <fmt/format.h>

namespace heddle::postgres {
namespace {

// What stands for a value that cannot be read. It is equal to no text.
constexpr const char* kUnreadable = "\x01(binary)";

ClientUnit::Kind kind_of(char type) {
  using Kind = ClientUnit::Kind;
  switch (type) {
    case 'S':
      return Kind::sync;
    case 'H':
      return Kind::flush;
    case 'X':
      return Kind::leave;
    default:
      return Kind::other;
  }
}

}  // namespace

Result<std::optional<ClientUnit>> ClientStatements::add(const WireMessage& message) {
  bytes_ += to_bytes(message);
  bool is_read = true;
  ClientUnit unit;
  switch (message.type) {
    case 'P':
      if (auto parse = read_parse(message.body)) {
        std::string name = parse->statement;
        statements_[std::move(name)] = std::move(*parse);
        return std::optional<ClientUnit>();
      }
      is_read = false;
      break;
    case 'B': {
      const auto bound = read_bind(message.body);
      is_read = bound && bind(*bound);
      if (is_read) return std::optional<ClientUnit>();
      break;
    }
    case 'D':
    case 'C':
      return std::optional<ClientUnit>();
    case 'E':
      unit = executed(read_text(message.body));
      break;
    case 'Q':
      unit.kind = ClientUnit::Kind::statement;
      unit.text = read_text(message.body);
      unit.is_simple = true;
      break;
    default:
      unit.kind = kind_of(message.type);
  }
  if (!is_read) {
    return Diagnostic{
        .what = fmt::format("a client's message '{}' is not well-formed", message.type),
        .trouble = Trouble::bad_input};
  }
  unit.bytes = std::exchange(bytes_, {});
  return std::optional(std::move(unit));
}

// False: it takes other parameters than it may have.
bool ClientStatements::bind(const BindMessage& message) {
  const ParseMessage& statement = statements_[message.statement];
  Portal portal{.text = statement.text,
                .values = {},
                .types = statement.types,
                .result_formats = message.result_formats,
                .is_executed = false};
  if (message.formats.size() > 1 && message.formats.size() != message.values.size()) return false;
  for (std::size_t i = 0; i < message.values.size(); ++i) {
    const std::uint32_t type = i < statement.types.size() ? statement.types[i] : 0;
    std::optional<std::string>& value = portal.values.emplace_back(message.values[i]);
    if (!value) continue;
    value = value_text(*value, format_at(message.formats, i), type).value_or(kUnreadable);
    if (type == kBooleanType) {
      const bool is_true = *value == "1" || *value == "t" || *value == "TRUE" || *value == "true";
      value = is_true ? "true" : "false";
    }
  }
  portals_[message.portal] = std::move(portal);
  return true;
}

ClientUnit ClientStatements::executed(const std::string& name) {
  Portal& portal = portals_[name];
  ClientUnit unit;
  unit.kind = portal.is_executed ? ClientUnit::Kind::more_rows : ClientUnit::Kind::statement;
  unit.text = portal.text;
  unit.values = portal.values;
  unit.types = portal.types;
  unit.result_formats = portal.result_formats;
  portal.is_executed = true;
  return unit;
}

}  // namespace heddle::postgres
