// What a client sends, cut where statements can be held: each execution of a statement with what
// the client sent before it, and each Sync.
//
// A driver may send much before it waits for an answer: BEGIN and the first statement of a
// transaction, or all statements of a batch, with one Sync behind them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "wire/postgres/messages.h"

namespace heddle::postgres {

struct ClientUnit {
  enum class Kind : std::uint8_t {
    statement,  // is executed
    more_rows,  // of a statement that was executed before
    sync,       // the client waits for the server to be ready
    flush,      // the client waits for what was answered so far
    leave,      // the client closes its connection
    other,      // data of a COPY, a call by number
  };

  Kind kind = Kind::other;
  std::string bytes;                                    // all of it, with what came before
  std::string text;                                     // of the statement, with $1, $2, ...
  std::vector<std::optional<std::string>> values = {};  // in text
  std::vector<std::uint32_t> types = {};                // of these, as far as the client says
  std::vector<std::uint16_t> result_formats = {};
  bool is_simple = false;  // a Query, which needs no Sync
};

class ClientStatements {
 public:
  // The unit that the message ends, if it ends one. Error: the message is not well-formed.
  Result<std::optional<ClientUnit>> add(const WireMessage& message);

 private:
  struct Portal {
    std::string text;
    std::vector<std::optional<std::string>> values;
    std::vector<std::uint32_t> types;
    std::vector<std::uint16_t> result_formats;
    bool is_executed = false;
  };

  bool bind(const BindMessage& message);
  ClientUnit executed(const std::string& name);

  std::map<std::string, ParseMessage> statements_;
  std::map<std::string, Portal> portals_;
  std::string bytes_;  // since the last unit
};

}  // namespace heddle::postgres
