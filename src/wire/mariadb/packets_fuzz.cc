// Whatever bytes a driver may send, in pieces of any size: packets written again are the bytes that
// were read, and what nobody understands is no statement.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "wire/mariadb/packets.h"
#include "wire/mariadb/statement_essence.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::mariadb;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t piece = size == 0 ? 1 : 1 + data[0] % 7;
  PacketReader reader;
  std::size_t read = 0;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.append(bytes.substr(at, piece));
    while (const auto packet = reader.next()) {
      PacketWriter writer(packet->sequence);
      writer.add(packet->body);
      const std::string again = writer.take();
      HEDDLE_ASSERT(bytes.substr(read).starts_with(again));
      read += again.size();
      read_user(packet->body);
      asks_for(*packet, Command::quit);
      const auto text = query_text(*packet);
      if (!text) continue;
      HEDDLE_ASSERT(text->size() + 1 == packet->body.size());
      const std::string essence = statement_essence(*text);
      HEDDLE_ASSERT(!(is_begin(essence) && is_end(essence)));
      is_of_driver(essence);
    }
  }
  return 0;
}
