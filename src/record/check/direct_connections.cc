#include "record/check/direct_connections.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "record/system_edges.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRemote = 2;  // columns of proc(5)'s net/tcp
constexpr std::size_t kState = 3;
constexpr std::size_t kSocket = 9;
constexpr std::string_view kEstablished = "01";
// 127.x.x.x, ::1 and ::ffff:127.x.x.x as the kernel writes them: each 32 bits in the machine's
// order.
constexpr std::string_view kLoopback6 = "00000000000000000000000001000000";
constexpr std::string_view kMapped = "0000000000000000FFFF0000";
constexpr std::string_view kLoopbackEnd = "7F";

bool is_this_machine(std::string_view address) {
  if (address == kLoopback6) return true;
  const bool is_mapped = address.starts_with(kMapped);
  const std::string_view four = is_mapped ? address.substr(kMapped.size()) : address;
  return four.size() == 8 && four.ends_with(kLoopbackEnd);
}

// Of a service that listens at a name of this machine.
std::optional<std::uint16_t> local_port(const std::string& address) {
  const std::string server = server_part(address);
  const std::size_t colon = server.rfind(':');
  if (colon == server.npos) return std::nullopt;
  const std::string host = server.substr(0, colon);
  if (host != "localhost" && host != "[::1]" && !host.starts_with("127.")) return std::nullopt;
  std::uint16_t port = 0;
  std::from_chars(server.data() + colon + 1, server.data() + server.size(), port);
  return port == 0 ? std::nullopt : std::optional(port);
}

std::string table_of(const std::string& path) {
  auto text = read_file(path);
  return text ? std::move(*text) : std::string();
}

std::set<std::uint64_t> own_sockets() {
  constexpr std::string_view kBegin = "socket:[";
  std::set<std::uint64_t> sockets;
  std::error_code error;
  for (const fs::directory_entry& each : fs::directory_iterator("/proc/self/fd", error)) {
    const std::string target = fs::read_symlink(each.path(), error).string();
    if (!target.starts_with(kBegin)) continue;
    std::uint64_t number = 0;
    std::from_chars(target.data() + kBegin.size(), target.data() + target.size(), number);
    sockets.insert(number);
  }
  return sockets;
}

}  // namespace

std::set<std::uint64_t> connections_to(std::string_view table, std::uint16_t port) {
  const std::string wanted = fmt::format(":{:04X}", port);
  std::set<std::uint64_t> sockets;
  for (const std::string& line : split(table, '\n')) {
    std::vector<std::string> cells = split(line, ' ');
    std::erase(cells, "");
    if (cells.size() <= kSocket || cells[kState] != kEstablished) continue;
    const std::string& remote = cells[kRemote];
    if (!remote.ends_with(wanted)) continue;
    if (!is_this_machine(std::string_view(remote).substr(0, remote.size() - wanted.size()))) {
      continue;
    }
    std::uint64_t number = 0;
    std::from_chars(cells[kSocket].data(), cells[kSocket].data() + cells[kSocket].size(), number);
    if (number != 0) sockets.insert(number);
  }
  return sockets;
}

DirectConnections::DirectConnections(const SystemSettings& system) {
  for (const ServiceSettings& each : system.services) {
    if (each.address.empty()) continue;
    if (const auto port = local_port(each.address.front().text)) ports_[each.name.text] = *port;
  }
}

void DirectConnections::look() {
  const std::string table = table_of("/proc/net/tcp") + table_of("/proc/net/tcp6");
  const std::set<std::uint64_t> own = own_sockets();
  for (const auto& [service, port] : ports_) {
    std::set<std::uint64_t> open = connections_to(table, port);
    std::erase_if(open, [&](std::uint64_t each) { return own.contains(each); });
    std::set<std::uint64_t>& before = before_[service];
    if (std::ranges::any_of(open, [&](std::uint64_t each) { return before.contains(each); })) {
      called_.insert(service);
    }
    before = std::move(open);
  }
}

}  // namespace heddle
