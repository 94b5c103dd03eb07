// Whatever bytes a client or server may send: messages written again are the bytes that were read,
// no statement is made of a message that is not well-formed, and what a server answers to one is
// well-formed messages.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "wire/postgres/client_statements.h"
#include "wire/postgres/messages.h"
#include "wire/postgres/statement_essence.h"
#include "wire/postgres/unit_answers.h"

namespace {

using namespace heddle::postgres;

// Every message of the answer is one, and nothing is left.
void check_answer(const UnitAnswer& answer) {
  MessageReader reader;
  reader.append(answer.bytes);
  std::string again;
  while (true) {
    const auto message = reader.next();
    HEDDLE_ASSERT(message);
    if (!*message) break;
    again += to_bytes(**message);
    HEDDLE_ASSERT((*message)->type != 'D' || read_data_row((*message)->body));
    HEDDLE_ASSERT((*message)->type != 'T' || read_row_description((*message)->body));
    HEDDLE_ASSERT((*message)->type != 't' || read_parameter_description((*message)->body));
  }
  HEDDLE_ASSERT(again == answer.bytes);
  HEDDLE_ASSERT(answer.refusal.empty() || !answer.bytes.empty());
}

// Whether a statement gives rows hangs on the length of its text.
std::optional<std::vector<FieldDescription>> columns_of(const std::string& text) {
  if (text.size() % 2 == 0) return std::nullopt;
  FieldDescription field;
  field.name = text;
  return std::vector{field};
}

StatementResult result_of(const ClientUnit& unit) {
  StatementResult result;
  result.columns = columns_of(unit.text);
  if (result.columns) result.rows = {{unit.text}, {std::nullopt}, {""}};
  if (!unit.text.empty()) result.tag = "DONE";
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  MessageReader reader;
  // In pieces, as they come from a socket.
  const std::size_t piece = size == 0 ? 1 : 1 + data[0] % 7;
  ClientStatements statements;
  UnitAnswers answers([](const std::string& text) {
    return heddle::Result<std::optional<std::vector<FieldDescription>>>(columns_of(text));
  });
  std::string again;
  std::string units;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.append(bytes.substr(at, piece));
    while (true) {
      auto message = reader.next();
      if (!message) return 0;
      if (!*message) break;
      again += to_bytes(**message);
      HEDDLE_ASSERT(bytes.starts_with(again));
      read_startup((*message)->body);
      read_row_description((*message)->body);
      read_data_row((*message)->body);
      read_fields((*message)->body);
      read_target((*message)->body);
      read_execute((*message)->body);
      const auto unit = statements.add(**message);
      if (!unit) return 0;
      if (!*unit) continue;
      units += (*unit)->bytes;
      HEDDLE_ASSERT(again == units);
      statement_essence((*unit)->text, (*unit)->values);
      check_answer(answers.answer(**unit, result_of(**unit)));
    }
  }
  return 0;
}
