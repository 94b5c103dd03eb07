#include "wire/postgres/messages.h"

#include <utility>

#include "wire/postgres/big_endian.h"
#include "wire/postgres/binary_value.h"

namespace heddle::postgres {
namespace {

// The server itself takes no larger message than a gigabyte.
constexpr std::uint32_t kLongestMessage = std::uint32_t{1} << 30;
constexpr std::size_t kLengthBytes = 4;
// Bytes that have been read are dropped when there are so many.
constexpr std::size_t kDropAt = std::size_t{1} << 16;

// Goes through a body; what is not there is zero or empty, and told by `is_whole`.
class Fields {
 public:
  explicit Fields(std::string_view body) : rest_(body) {}

  std::uint16_t number16() { return static_cast<std::uint16_t>(big_endian(bytes(2))); }
  std::uint32_t number32() { return static_cast<std::uint32_t>(big_endian(bytes(4))); }
  std::string text() {
    const std::size_t end = rest_.find('\0');
    if (end == rest_.npos) is_whole_ = false;
    std::string found(rest_.substr(0, end));
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    return found;
  }
  // A length, and as many bytes; -1: null.
  std::optional<std::string> value() {
    const auto length = static_cast<std::int32_t>(number32());
    if (length < 0) return std::nullopt;
    return std::string(bytes(static_cast<std::size_t>(length)));
  }
  std::vector<std::uint16_t> numbers16() {
    std::vector<std::uint16_t> numbers;
    for (std::size_t left = number16(); left > 0 && is_whole_; --left) {
      numbers.push_back(number16());
    }
    return numbers;
  }
  std::vector<std::optional<std::string>> values() {
    std::vector<std::optional<std::string>> values;
    for (std::size_t left = number16(); left > 0 && is_whole_; --left) values.push_back(value());
    return values;
  }

  bool is_empty() const { return rest_.empty(); }
  char first() const { return rest_.empty() ? '\0' : rest_.front(); }
  void skip() { bytes(1); }
  // Nothing was missing, and nothing is left.
  bool is_all() const { return is_whole_ && rest_.empty(); }
  bool is_whole() const { return is_whole_; }

 private:
  std::string_view bytes(std::size_t count) {
    if (count > rest_.size()) {
      is_whole_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view found = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return found;
  }

  std::string_view rest_;
  bool is_whole_ = true;
};

std::string bytes16(std::uint16_t number) {
  return {static_cast<char>(number >> 8), static_cast<char>(number & 0xff)};
}

std::string bytes32(std::uint32_t number) {
  return bytes16(static_cast<std::uint16_t>(number >> 16)) +
         bytes16(static_cast<std::uint16_t>(number & 0xffff));
}

std::string with_end(std::string_view text) { return std::string(text) + '\0'; }

// What stands for the size of a type without one, and for the length of null.
constexpr std::uint16_t kAnySize = 0xffff;
constexpr std::uint32_t kNull = 0xffffffff;

}  // namespace

std::string to_bytes(const WireMessage& message) {
  std::string bytes;
  if (message.type != 0) bytes += message.type;
  bytes += bytes32(static_cast<std::uint32_t>(message.body.size() + kLengthBytes));
  return bytes + message.body;
}

Result<std::optional<WireMessage>> MessageReader::next() {
  const std::size_t head = begins_ ? 0 : 1;
  if (bytes_.size() - at_ < head + kLengthBytes) return std::optional<WireMessage>();
  const std::string_view rest = std::string_view(bytes_).substr(at_);
  const auto length = static_cast<std::uint32_t>(big_endian(rest.substr(head, kLengthBytes)));
  const bool has_type = begins_ || rest.front() != '\0';
  if (length < kLengthBytes || length > kLongestMessage || !has_type) {
    return Diagnostic{.what = "what came is no message of PostgreSQL's protocol",
                      .trouble = Trouble::bad_input};
  }
  if (rest.size() < head + length) return std::optional<WireMessage>();
  WireMessage message;
  message.type = begins_ ? '\0' : rest.front();
  message.body = rest.substr(head + kLengthBytes, length - kLengthBytes);
  at_ += head + length;
  if (at_ == bytes_.size() || at_ > kDropAt) {
    bytes_.erase(0, at_);
    at_ = 0;
  }
  return std::optional(std::move(message));
}

std::optional<StartupMessage> read_startup(std::string_view body) {
  Fields fields(body);
  StartupMessage message;
  message.version = fields.number32();
  if (!is_protocol_3(message.version)) {
    return fields.is_whole() ? std::optional(message) : std::nullopt;
  }
  while (fields.is_whole() && !fields.is_empty() && fields.first() != '\0') {
    std::string name = fields.text();
    message.parameters[std::move(name)] = fields.text();
  }
  fields.skip();
  if (!fields.is_all()) return std::nullopt;
  return message;
}

std::optional<ParseMessage> read_parse(std::string_view body) {
  Fields fields(body);
  ParseMessage message{.statement = fields.text(), .text = fields.text(), .types = {}};
  for (std::size_t left = fields.number16(); left > 0 && fields.is_whole(); --left) {
    message.types.push_back(fields.number32());
  }
  if (!fields.is_all()) return std::nullopt;
  return message;
}

std::optional<BindMessage> read_bind(std::string_view body) {
  Fields fields(body);
  BindMessage message;
  message.portal = fields.text();
  message.statement = fields.text();
  message.formats = fields.numbers16();
  message.values = fields.values();
  message.result_formats = fields.numbers16();
  if (!fields.is_all()) return std::nullopt;
  return message;
}

std::optional<TargetMessage> read_target(std::string_view body) {
  Fields fields(body);
  const char kind = fields.first();
  fields.skip();
  TargetMessage message{.is_portal = kind == 'P', .name = fields.text()};
  if (!fields.is_all() || (kind != 'P' && kind != 'S')) return std::nullopt;
  return message;
}

std::optional<ExecuteMessage> read_execute(std::string_view body) {
  Fields fields(body);
  ExecuteMessage message{.portal = fields.text(), .most_rows = fields.number32()};
  if (!fields.is_all()) return std::nullopt;
  return message;
}

std::optional<std::vector<FieldDescription>> read_row_description(std::string_view body) {
  Fields fields(body);
  std::vector<FieldDescription> found;
  for (std::size_t left = fields.number16(); left > 0 && fields.is_whole(); --left) {
    FieldDescription field;
    field.name = fields.text();
    field.table = fields.number32();
    field.number = fields.number16();
    field.type = fields.number32();
    fields.number16();  // its size
    field.modifier = static_cast<std::int32_t>(fields.number32());
    field.format = fields.number16();
    found.push_back(std::move(field));
  }
  if (!fields.is_all()) return std::nullopt;
  return found;
}

std::optional<std::vector<std::uint32_t>> read_parameter_description(std::string_view body) {
  Fields fields(body);
  std::vector<std::uint32_t> types;
  for (std::size_t left = fields.number16(); left > 0 && fields.is_whole(); --left) {
    types.push_back(fields.number32());
  }
  if (!fields.is_all()) return std::nullopt;
  return types;
}

std::optional<std::vector<std::optional<std::string>>> read_data_row(std::string_view body) {
  Fields fields(body);
  auto values = fields.values();
  if (!fields.is_all()) return std::nullopt;
  return values;
}

std::map<char, std::string> read_fields(std::string_view body) {
  Fields fields(body);
  std::map<char, std::string> found;
  while (fields.first() != '\0') {
    const char code = fields.first();
    fields.skip();
    found[code] = fields.text();
  }
  return found;
}

bool is_replication(const StartupMessage& message) {
  const auto found = message.parameters.find("replication");
  if (found == message.parameters.end()) return false;
  return found->second != "0" && found->second != "false" && found->second != "off" &&
         found->second != "no";
}

std::string startup_bytes(const StartupMessage& message) {
  std::string body = bytes32(message.version);
  for (const auto& [name, value] : message.parameters) body += with_end(name) + with_end(value);
  return to_bytes({'\0', body + '\0'});
}

std::string error_bytes(std::string_view severity, std::string_view code,
                        std::string_view message) {
  std::string body;
  const auto add = [&body](char field, std::string_view text) { body += field + with_end(text); };
  add('S', severity);
  add('V', severity);
  add('C', code);
  add('M', message);
  return to_bytes({'E', body + '\0'});
}

std::string row_description_bytes(const std::vector<FieldDescription>& fields) {
  std::string body = bytes16(static_cast<std::uint16_t>(fields.size()));
  for (const FieldDescription& field : fields) {
    body += with_end(field.name) + bytes32(field.table) + bytes16(field.number);
    body += bytes32(field.type) + bytes16(kAnySize);
    body += bytes32(static_cast<std::uint32_t>(field.modifier)) + bytes16(field.format);
  }
  return to_bytes({'T', body});
}

std::string parameter_description_bytes(const std::vector<std::uint32_t>& types) {
  std::string body = bytes16(static_cast<std::uint16_t>(types.size()));
  for (const std::uint32_t type : types) body += bytes32(type);
  return to_bytes({'t', body});
}

std::string data_row_bytes(const std::vector<std::optional<std::string>>& values) {
  std::string body = bytes16(static_cast<std::uint16_t>(values.size()));
  for (const auto& value : values) {
    body += bytes32(value ? static_cast<std::uint32_t>(value->size()) : kNull);
    body += value.value_or("");
  }
  return to_bytes({'D', body});
}

std::string complete_bytes(std::string_view tag) { return to_bytes({'C', with_end(tag)}); }

std::string read_text(std::string_view body) { return Fields(body).text(); }

std::string execution_bytes(std::string_view name, std::string_view text) {
  const std::string own = with_end(name);
  const std::string none = bytes16(0);
  return to_bytes({'P', own + with_end(text) + none}) +
         to_bytes({'B', own + own + none + none + none}) + to_bytes({'D', "P" + own}) +
         to_bytes({'E', own + bytes32(0)}) + to_bytes({'C', "P" + own}) +
         to_bytes({'C', "S" + own}) + sync_bytes();
}

std::string sync_bytes() { return to_bytes({'S', ""}); }

std::string ready_bytes(char status) { return to_bytes({'Z', std::string(1, status)}); }

std::string welcome_bytes(const std::map<std::string, std::string>& parameters, int backend) {
  std::string bytes = to_bytes({'R', bytes32(0)});
  for (const auto& [name, value] : parameters) {
    bytes += to_bytes({'S', with_end(name) + with_end(value)});
  }
  bytes += to_bytes({'K', bytes32(static_cast<std::uint32_t>(backend)) + bytes32(0)});
  return bytes + ready_bytes('I');
}

std::optional<std::string> value_text(const std::string& value, std::uint16_t format,
                                      std::uint32_t type) {
  return format == 0 ? std::optional(value) : binary_value_text(value, type);
}

std::uint16_t format_at(const std::vector<std::uint16_t>& formats, std::size_t index) {
  if (formats.empty()) return 0;
  if (formats.size() == 1) return formats.front();
  return index < formats.size() ? formats[index] : 0;
}

}  // namespace heddle::postgres
