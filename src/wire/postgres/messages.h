// PostgreSQL's protocol 3.0 (manual, chapter "Frontend/Backend Protocol"): bytes to messages and
// back, and what those say that matter for holding statements. No sockets here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle::postgres {

struct WireMessage {
  char type = 0;     // 0: one of those without, with which a client begins
  std::string body;  // behind the length

  friend bool operator==(const WireMessage&, const WireMessage&) = default;
};

std::string to_bytes(const WireMessage& message);

// Cuts a stream of bytes into messages.
class MessageReader {
 public:
  // `begins`: the stream is a client's, whose first message has no type.
  explicit MessageReader(bool begins = false) : begins_(begins) {}

  void append(std::string_view bytes) { bytes_ += bytes; }
  // The next message; none: it has not come whole. Error: no message begins so. Of messages without
  // a type there may be several, until `started` is told.
  Result<std::optional<WireMessage>> next();
  void started() { begins_ = false; }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
  bool begins_ = false;
};

// The numbers that say what a message without a type is.
inline constexpr std::uint32_t kProtocolVersion = 196608;  // 3.0; minor versions follow it
inline constexpr std::uint32_t kTlsRequest = 80877103;
inline constexpr std::uint32_t kGssRequest = 80877104;
inline constexpr std::uint32_t kCancelRequest = 80877102;

// Whether it is a version of the protocol 3.
inline bool is_protocol_3(std::uint32_t version) { return version >> 16 == 3; }

// With what a client begins.
struct StartupMessage {
  std::uint32_t version = 0;
  std::map<std::string, std::string> parameters;  // user, database, ...
};

struct ParseMessage {
  std::string statement;  // its name; empty: the unnamed one
  std::string text;
  std::vector<std::uint32_t> types;  // of parameters, as far as the client says
};

struct BindMessage {
  std::string portal;
  std::string statement;
  std::vector<std::uint16_t> formats;  // 0 text, 1 binary; one for all, or each
  std::vector<std::optional<std::string>> values;
  std::vector<std::uint16_t> result_formats;
};

// What a client wants described or closed.
struct TargetMessage {
  bool is_portal = false;  // else a statement
  std::string name;
};

struct ExecuteMessage {
  std::string portal;
  std::uint32_t most_rows = 0;  // 0: all
};

struct FieldDescription {
  std::string name;
  std::uint32_t table = 0;
  std::uint16_t number = 0;
  std::uint32_t type = 0;
  std::int32_t modifier = -1;
  std::uint16_t format = 0;
};

// None: the message is not well-formed.
std::optional<StartupMessage> read_startup(std::string_view body);
std::string startup_bytes(const StartupMessage& message);
// Whether it asks for a connection that replicates, of a database or of the server.
bool is_replication(const StartupMessage& message);
// An ErrorResponse of the severity "FATAL" or "ERROR".
std::string error_bytes(std::string_view severity, std::string_view code, std::string_view message);
std::optional<ParseMessage> read_parse(std::string_view body);
std::optional<BindMessage> read_bind(std::string_view body);
std::optional<TargetMessage> read_target(std::string_view body);
std::optional<ExecuteMessage> read_execute(std::string_view body);
std::optional<std::vector<FieldDescription>> read_row_description(std::string_view body);
// The types of a statement's parameters.
std::optional<std::vector<std::uint32_t>> read_parameter_description(std::string_view body);
std::optional<std::vector<std::optional<std::string>>> read_data_row(std::string_view body);
// Of an error or a notice: the fields by their codes.
std::map<char, std::string> read_fields(std::string_view body);
// The text up to the first zero byte.
std::string read_text(std::string_view body);

// What a client sends to execute a text of one statement, under names of its own that it closes
// again, with Sync at the end.
std::string execution_bytes(std::string_view name, std::string_view text);
std::string sync_bytes();
std::string ready_bytes(char status);
// What a server says of a statement: what it gives, the types of its parameters, a row, that it is
// done.
std::string row_description_bytes(const std::vector<FieldDescription>& fields);
std::string parameter_description_bytes(const std::vector<std::uint32_t>& types);
std::string data_row_bytes(const std::vector<std::optional<std::string>>& values);
std::string complete_bytes(std::string_view tag);
// What a server sends after a client's beginning, when it lets it in.
std::string welcome_bytes(const std::map<std::string, std::string>& parameters, int backend);

// A value as text, where it is that, or in binary of a type that is known (binary_value.h); none:
// it cannot be read.
std::optional<std::string> value_text(const std::string& value, std::uint16_t format,
                                      std::uint32_t type);
// The format of the value at that place.
std::uint16_t format_at(const std::vector<std::uint16_t>& formats, std::size_t index);

// PostgreSQL's number of the type.
inline constexpr std::uint32_t kBooleanType = 16;

}  // namespace heddle::postgres
