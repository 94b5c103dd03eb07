// Whatever bytes a client or server may send: messages written again are the bytes that were read,
// and no statement is made of a message that is not well-formed.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "wire/postgres/client_statements.h"
#include "wire/postgres/messages.h"
#include "wire/postgres/statement_essence.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::postgres;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  MessageReader reader;
  // In pieces, as they come from a socket.
  const std::size_t piece = size == 0 ? 1 : 1 + data[0] % 7;
  ClientStatements statements;
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
      const auto unit = statements.add(**message);
      if (!unit) return 0;
      if (!*unit) continue;
      units += (*unit)->bytes;
      HEDDLE_ASSERT(again == units);
      statement_essence((*unit)->text, (*unit)->values);
    }
  }
  return 0;
}
