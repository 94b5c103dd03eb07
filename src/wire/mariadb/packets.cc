#include "wire/mariadb/packets.h"

#include <algorithm>

namespace heddle::mariadb {
namespace {

constexpr std::size_t kHeadSize = 4;
// A packet of this size goes on in the next one.
constexpr std::size_t kLongest = 0xffffff;

// What we offer. Results end in the old way, with packets of their own; who offers the first of
// these has none of MariaDB's own extensions.
constexpr std::uint32_t kLongPassword = 1;
constexpr std::uint32_t kFoundRows = 1U << 1;
constexpr std::uint32_t kLongFlag = 1U << 2;
constexpr std::uint32_t kConnectWithDatabase = 1U << 3;
constexpr std::uint32_t kProtocol41 = 1U << 9;
constexpr std::uint32_t kTls = 1U << 11;
constexpr std::uint32_t kTransactions = 1U << 13;
constexpr std::uint32_t kSecureConnection = 1U << 15;
constexpr std::uint32_t kMultiStatements = 1U << 16;
constexpr std::uint32_t kMultiResults = 1U << 17;
constexpr std::uint32_t kPluginAuth = 1U << 19;
constexpr std::uint32_t kOffered = kLongPassword | kFoundRows | kLongFlag | kConnectWithDatabase |
                                   kProtocol41 | kTransactions | kSecureConnection |
                                   kMultiStatements | kMultiResults | kPluginAuth;

constexpr std::uint8_t kUtf8mb4 = 45;  // utf8mb4_general_ci
constexpr const char* kPlugin = "mysql_native_password";

std::string little_endian(std::uint64_t number, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

std::uint64_t read_number(std::string_view bytes, std::size_t at, int count) {
  std::uint64_t number = 0;
  for (int i = 0; i < count; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
    number |= static_cast<std::uint64_t>(byte) << (8 * i);
  }
  return number;
}

// A number in as many bytes as it needs.
std::string encoded(std::uint64_t number) {
  if (number < 0xfb) return little_endian(number, 1);
  if (number <= 0xffff) return '\xfc' + little_endian(number, 2);
  if (number <= 0xffffff) return '\xfd' + little_endian(number, 3);
  return '\xfe' + little_endian(number, 8);
}

std::string encoded(std::string_view text) { return encoded(text.size()) + std::string(text); }

}  // namespace

std::optional<Packet> PacketReader::next() {
  Packet packet;
  std::size_t at = 0;
  while (true) {
    if (bytes_.size() < at + kHeadSize) return std::nullopt;
    const std::size_t size = read_number(bytes_, at, 3);
    if (bytes_.size() < at + kHeadSize + size) return std::nullopt;
    packet.sequence = static_cast<std::uint8_t>(bytes_[at + 3]);
    packet.body.append(bytes_, at + kHeadSize, size);
    at += kHeadSize + size;
    if (size < kLongest) break;
  }
  bytes_.erase(0, at);
  return packet;
}

void PacketWriter::add(std::string_view body) {
  while (true) {
    const std::size_t size = std::min(body.size(), kLongest);
    bytes_ += little_endian(size, 3);
    bytes_ += static_cast<char>(sequence_++);
    bytes_ += body.substr(0, size);
    body.remove_prefix(size);
    if (size < kLongest) return;
  }
}

bool asks_for(const Packet& packet, Command command) {
  return packet.body.size() == 1 && packet.body.front() == static_cast<char>(command);
}

std::optional<std::string> query_text(const Packet& packet) {
  const bool is_query =
      !packet.body.empty() && packet.body.front() == static_cast<char>(Command::query);
  return is_query ? std::optional(packet.body.substr(1)) : std::nullopt;
}

std::string greeting(std::string_view version, std::uint32_t connection, std::uint16_t status) {
  // Nobody has a password that this would hide.
  const std::string salt(20, 's');
  return '\x0a' + std::string(version) + '\0' + little_endian(connection, 4) + salt.substr(0, 8) +
         '\0' + little_endian(kOffered & 0xffff, 2) + static_cast<char>(kUtf8mb4) +
         little_endian(status, 2) + little_endian(kOffered >> 16, 2) +
         static_cast<char>(salt.size() + 1) + std::string(10, '\0') + salt.substr(8) + '\0' +
         kPlugin + '\0';
}

std::optional<std::string> read_user(std::string_view body) {
  constexpr std::size_t kBeforeUser = 32;
  if (body.size() <= kBeforeUser) return std::nullopt;
  const std::uint64_t capabilities = read_number(body, 0, 4);
  if ((capabilities & kProtocol41) == 0 || (capabilities & kTls) != 0) return std::nullopt;
  const std::string_view rest = body.substr(kBeforeUser);
  const std::size_t end = rest.find('\0');
  if (end == rest.npos) return std::nullopt;
  return std::string(rest.substr(0, end));
}

std::string done_body(const Done& done) {
  return '\0' + encoded(done.affected) + encoded(done.inserted) + little_endian(done.status, 2) +
         little_endian(done.warnings, 2);
}

std::string error_body(std::uint16_t number, std::string_view sqlstate, std::string_view message) {
  return '\xff' + little_endian(number, 2) + '#' + std::string(sqlstate) + std::string(message);
}

std::string column_body(const ColumnDescription& column) {
  return encoded(std::string_view("def")) + encoded(column.database) + encoded(column.table) +
         encoded(column.source_table) + encoded(column.name) + encoded(column.source) + '\x0c' +
         little_endian(column.charset, 2) + little_endian(column.length, 4) +
         little_endian(column.type, 1) + little_endian(column.flags, 2) +
         little_endian(column.decimals, 1) + std::string(2, '\0');
}

std::string count_body(std::size_t columns) { return encoded(columns); }

std::string row_body(const std::vector<std::optional<std::string>>& row) {
  std::string body;
  for (const auto& cell : row) body += cell ? encoded(*cell) : std::string("\xfb");
  return body;
}

std::string end_body(std::uint16_t warnings, std::uint16_t status) {
  return '\xfe' + little_endian(warnings, 2) + little_endian(status, 2);
}

}  // namespace heddle::mariadb
