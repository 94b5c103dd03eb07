#include "wire/postgres/unit_answers.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace heddle::postgres {
namespace {

// Messages without a body.
std::string bare_bytes(char type) { return to_bytes({type, ""}); }

void fail(const std::string& what, UnitAnswer& answer) {
  answer.bytes += error_bytes("ERROR", kNotSupported, what);
  answer.refusal = what;
}

std::string description_bytes(const std::optional<std::vector<FieldDescription>>& columns) {
  return columns ? row_description_bytes(*columns) : bare_bytes('n');
}

std::string result_bytes(const StatementResult& result) {
  if (!result.columns && result.tag.empty()) return bare_bytes('I');
  std::string bytes = result.columns ? row_description_bytes(*result.columns) : "";
  for (const DataRow& row : result.rows) bytes += data_row_bytes(row);
  return bytes + complete_bytes(result.tag);
}

std::vector<WireMessage> messages_of(const std::string& bytes) {
  std::vector<WireMessage> messages;
  MessageReader reader;
  reader.append(bytes);
  while (auto message = reader.next()) {
    if (!*message) break;
    messages.push_back(std::move(**message));
  }
  return messages;
}

}  // namespace

UnitAnswer UnitAnswers::answer(const ClientUnit& unit, const StatementResult& result) {
  UnitAnswer answer;
  if (unit.is_simple) {
    answer.bytes = result_bytes(result);
    return answer;
  }
  const std::vector<WireMessage> messages = messages_of(unit.bytes);
  find_executed(unit, messages);
  for (const WireMessage& message : messages) {
    if (answer.refusal.empty()) answer_message(message, result, answer);
  }
  return answer;
}

// What is described within the unit comes before it is executed.
void UnitAnswers::find_executed(const ClientUnit& unit, const std::vector<WireMessage>& messages) {
  executed_.reset();
  if (unit.kind != ClientUnit::Kind::statement) return;
  std::string portal;
  for (const WireMessage& message : messages) {
    if (message.type == 'E') portal = read_text(message.body);
  }
  const auto known = portals_.find(portal);
  executed_.emplace().portal = portal;
  if (known != portals_.end()) executed_->statement = known->second.statement;
  for (const WireMessage& message : messages) {
    const auto bound = message.type == 'B' ? read_bind(message.body) : std::nullopt;
    if (bound && bound->portal == portal) executed_->statement = bound->statement;
  }
}

void UnitAnswers::answer_message(const WireMessage& message, const StatementResult& result,
                                 UnitAnswer& answer) {
  switch (message.type) {
    case 'P':
      if (auto parse = read_parse(message.body)) {
        std::string name = parse->statement;
        statements_[std::move(name)] = std::move(*parse);
        answer.bytes += bare_bytes('1');
        return;
      }
      break;
    case 'B':
      if (const auto bound = read_bind(message.body)) return bind(*bound, answer);
      break;
    case 'D':
      if (const auto target = read_target(message.body)) return describe(*target, result, answer);
      break;
    case 'C':
      if (const auto target = read_target(message.body)) {
        if (target->is_portal) portals_.erase(target->name);
        if (!target->is_portal) statements_.erase(target->name);
        answer.bytes += bare_bytes('3');
        return;
      }
      break;
    case 'E':
      if (const auto execution = read_execute(message.body)) {
        return execute(*execution, result, answer);
      }
      break;
    case 'S':
    case 'H':
      return;
    default:
      return fail("heddle serves no COPY and no calls by number", answer);
  }
  fail("a message of the client is not well-formed", answer);
}

void UnitAnswers::bind(const BindMessage& message, UnitAnswer& answer) {
  constexpr std::uint16_t kBinary = 1;
  if (std::ranges::count(message.result_formats, kBinary) > 0) {
    return fail("heddle gives no rows in binary: set binaryTransfer=false", answer);
  }
  Portal portal;
  portal.statement = message.statement;
  portals_[message.portal] = std::move(portal);
  answer.bytes += bare_bytes('2');
}

// What the unit itself executes has been executed by now.
void UnitAnswers::describe(const TargetMessage& target, const StatementResult& result,
                           UnitAnswer& answer) {
  const auto portal = portals_.find(target.name);
  if (target.is_portal && portal == portals_.end()) {
    return fail("the client has something described that is not there", answer);
  }
  const std::string& name = target.is_portal ? portal->second.statement : target.name;
  if (!target.is_portal) {
    answer.bytes += parameter_description_bytes(statements_[name].types);
  } else if (portal->second.is_executed) {
    answer.bytes += description_bytes(portal->second.columns);
    return;
  }
  if (executed_ && target.name == (target.is_portal ? executed_->portal : executed_->statement)) {
    answer.bytes += description_bytes(result.columns);
    return;
  }
  const auto columns = describe_(statements_[name].text);
  if (!columns) return fail(columns.error().what, answer);
  answer.bytes += description_bytes(*columns);
}

void UnitAnswers::execute(const ExecuteMessage& message, const StatementResult& result,
                          UnitAnswer& answer) {
  Portal& portal = portals_[message.portal];
  if (!portal.is_executed) {
    portal.is_executed = true;
    portal.columns = result.columns;
    portal.rows.assign(result.rows.begin(), result.rows.end());
    portal.tag = result.tag;
  }
  if (!portal.columns && portal.tag.empty()) {
    answer.bytes += bare_bytes('I');
    return;
  }
  const std::size_t most = message.most_rows == 0 ? portal.rows.size() : message.most_rows;
  const bool is_all = portal.rows.size() <= most || !portal.columns;
  for (std::size_t i = 0; i < most && !portal.rows.empty(); ++i) {
    answer.bytes += data_row_bytes(portal.rows.front());
    portal.rows.pop_front();
  }
  answer.bytes += is_all ? complete_bytes(portal.tag) : bare_bytes('s');
}

}  // namespace heddle::postgres
