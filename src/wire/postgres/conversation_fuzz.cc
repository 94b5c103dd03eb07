// Whatever both sides of a conversation send, in any order: nothing crashes, no unit is told twice,
// units are told in their order, and what is kept stays small.
//
// The input is read as messages: a byte whose lowest bit says which side sends it, the type, the
// length of the body, and the body.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "wire/postgres/conversation.h"
#include "wire/postgres/message_cutter.h"

namespace {

constexpr std::size_t kMostKept = 64;
constexpr heddle::postgres::ConversationLimits kLimits = {.rows = 3, .row_bytes = 100};

// What was told so far.
class Told {
 public:
  void add(const heddle::postgres::WireUnit& unit) {
    HEDDLE_ASSERT(unit.ordinal > last_);
    last_ = unit.ordinal;
    std::size_t bytes = 0;
    for (const heddle::postgres::WireResult& result : unit.results) {
      HEDDLE_ASSERT(result.rows.size() <= kLimits.rows);
      bytes += result.kept_bytes;
    }
    HEDDLE_ASSERT(bytes <= kLimits.row_bytes);
    HEDDLE_ASSERT(unit.text != nullptr && unit.text->size() <= kMostKept);
  }

 private:
  std::uint64_t last_ = 0;
};

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view left(reinterpret_cast<const char*>(data), size);
  heddle::postgres::Conversation conversation(kLimits);
  Told told;
  std::uint64_t last_ended = 0;
  while (left.size() >= 3) {
    const bool is_client = left[0] % 2 == 0;
    const char type = left[1];
    const std::string_view whole = left.substr(3, static_cast<unsigned char>(left[2]));
    left.remove_prefix(3 + whole.size());
    const heddle::postgres::CutMessage message{.type = type,
                                               .body = whole.substr(0, kMostKept),
                                               .size = whole.size(),
                                               .hash = whole.size()};
    if (is_client) {
      const auto ended = conversation.client_message(message);
      if (!ended) break;
      if (*ended) {
        HEDDLE_ASSERT(**ended == last_ended + 1);
        last_ended = **ended;
        if (conversation.is_open(last_ended)) conversation.open_unit(last_ended);
      }
    } else {
      conversation.server_message(message);
    }
    for (const heddle::postgres::WireUnit& unit : conversation.take_answered()) told.add(unit);
    HEDDLE_ASSERT(conversation.completed() <= last_ended);
  }
  const auto unanswered = conversation.take_unanswered();
  for (const heddle::postgres::WireUnit& unit : conversation.take_answered()) told.add(unit);
  for (const heddle::postgres::WireUnit& unit : unanswered) told.add(unit);
  HEDDLE_ASSERT(!conversation.has_open_units());
  return 0;
}
