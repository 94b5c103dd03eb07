// The protocol between clients and servers of MariaDB and MySQL (MariaDB's documentation,
// "Client/Server Protocol"): what a server that lets one driver in has to understand and to say.
// Neither TLS nor compression, values as text. No sockets here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::mariadb {

struct Packet {
  std::uint8_t sequence = 0;  // of its last part
  std::string body;
};

// Cuts a stream of bytes into packets, and puts those together that were too long for one.
class PacketReader {
 public:
  void append(std::string_view bytes) { bytes_ += bytes; }
  // None: it has not come whole.
  std::optional<Packet> next();

 private:
  std::string bytes_;
};

// The bytes of packets that follow each other.
class PacketWriter {
 public:
  // `sequence`: of the first one.
  explicit PacketWriter(std::uint8_t sequence) : sequence_(sequence) {}

  void add(std::string_view body);
  std::string take() { return std::move(bytes_); }

 private:
  std::uint8_t sequence_;
  std::string bytes_;
};

// The first byte of what a client asks for.
enum class Command : std::uint8_t {
  quit = 0x01,
  query = 0x03,
  ping = 0x0e,
};

// Whether the client asks for that and says nothing more.
bool asks_for(const Packet& packet, Command command);
// The text that a client wants executed; none: it asks for something else.
std::optional<std::string> query_text(const Packet& packet);

// With what a server begins: an account that needs no password.
std::string greeting(std::string_view version, std::uint32_t connection, std::uint16_t status);
// Whom a client says it is in its answer to that; none: it is not well-formed, or asks for TLS.
std::optional<std::string> read_user(std::string_view body);

// Bits of `status`.
inline constexpr std::uint16_t kMoreResults = 0x0008;

// What is said of a statement without rows.
struct Done {
  std::uint64_t affected = 0;
  std::uint64_t inserted = 0;
  std::uint16_t status = 0;
  std::uint16_t warnings = 0;
};
std::string done_body(const Done& done);
std::string error_body(std::uint16_t number, std::string_view sqlstate, std::string_view message);

struct ColumnDescription {
  std::string database;
  std::string table;
  std::string source_table;
  std::string name;
  std::string source;
  std::uint16_t charset = 0;
  std::uint32_t length = 0;
  std::uint8_t type = 0;
  std::uint16_t flags = 0;
  std::uint8_t decimals = 0;
};
std::string column_body(const ColumnDescription& column);
std::string count_body(std::size_t columns);
std::string row_body(const std::vector<std::optional<std::string>>& row);
// Behind the columns and behind the rows.
std::string end_body(std::uint16_t warnings, std::uint16_t status);

}  // namespace heddle::mariadb
