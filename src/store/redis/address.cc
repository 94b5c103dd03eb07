#include "store/redis/address.h"

#include <charconv>

#include <fmt/format.h>

#include "store/address_text.h"
#include "store/percent.h"

namespace heddle {

namespace {

constexpr std::string_view kUsualRedisAddress =
    "redis, redis://user:password@host:port/ or redis://?socket=/path";
constexpr std::string_view kScheme = "redis://";
constexpr std::string_view kUnixScheme = "unix:";

// Each part takes what it knows off the end or the beginning of `rest`; the text of the trouble, or
// nothing.
class AddressReader {
 public:
  explicit AddressReader(std::string_view rest) : rest_(rest) {}

  std::string read() {
    for (const auto part : {&AddressReader::read_query, &AddressReader::read_login,
                            &AddressReader::read_path, &AddressReader::read_place}) {
      if (std::string why = (this->*part)(); !why.empty()) return why;
    }
    return "";
  }

  RedisAddress take() { return std::move(parsed_); }

 private:
  static bool decode(std::string_view text, std::string& into) {
    auto decoded = percent_decoded(text);
    if (decoded) into = std::move(*decoded);
    return decoded.has_value();
  }

  std::string read_query() {
    const std::size_t query = rest_.find('?');
    if (query == rest_.npos) return "";
    const std::string_view option = rest_.substr(query + 1);
    rest_ = rest_.substr(0, query);
    if (option.starts_with("socket=") && decode(option.substr(7), parsed_.socket) &&
        parsed_.socket.starts_with('/')) {
      return "";
    }
    return "behind ? there can only be socket=/path";
  }

  std::string read_login() {
    const std::size_t at = rest_.rfind('@');
    if (at == rest_.npos) return "";
    const std::string_view login = rest_.substr(0, at);
    rest_.remove_prefix(at + 1);
    const std::size_t colon = login.find(':');
    if (colon == login.npos) return "a user needs a password, as in user:password@";
    if (decode(login.substr(0, colon), parsed_.user) &&
        decode(login.substr(colon + 1), parsed_.password)) {
      return "";
    }
    return "the user or the password has a % without two hexadecimal digits";
  }

  std::string read_path() {
    const std::size_t slash = rest_.find('/');
    const std::string_view path = slash == rest_.npos ? "" : rest_.substr(slash + 1);
    rest_ = rest_.substr(0, slash);
    if (path.empty()) return "";
    return fmt::format("it names the logical database {}, but heddle takes an empty one", path);
  }

  // An address of IPv6 stands in brackets.
  std::string read_place() {
    std::size_t colon = rest_.rfind(':');
    if (rest_.starts_with('[')) {
      const std::size_t bracket = rest_.find(']');
      if (bracket == rest_.npos) return "the [ before the host is not closed";
      parsed_.host = rest_.substr(1, bracket - 1);
      colon = bracket + 1 < rest_.size() ? bracket + 1 : rest_.npos;
    } else {
      parsed_.host = rest_.substr(0, colon);
    }
    if (parsed_.host.empty() && parsed_.socket.empty()) parsed_.host = "127.0.0.1";
    if (colon == rest_.npos) return "";
    const std::string_view port = rest_.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), parsed_.port);
    const bool is_port = rest_[colon] == ':' && error == std::errc() &&
                         end == port.data() + port.size() && parsed_.port > 0 &&
                         parsed_.port <= 65535;
    return is_port ? "" : fmt::format("{} is no port", port);
  }

  std::string_view rest_;
  RedisAddress parsed_;
};

}  // namespace

Result<RedisAddress> parse_redis_address(const std::string& address) {
  if (address.starts_with(kUnixScheme)) {
    std::string_view path = std::string_view(address).substr(kUnixScheme.size());
    if (path.starts_with("//")) path.remove_prefix(2);
    RedisAddress parsed;
    parsed.socket = path;
    if (path.starts_with('/')) return parsed;
    return unreadable_address(address, "behind unix: there must be the path of a socket",
                              std::string(kUsualRedisAddress));
  }
  AddressReader reader(std::string_view(address).substr(kScheme.size()));
  if (const std::string why = reader.read(); !why.empty()) {
    return unreadable_address(address, why, std::string(kUsualRedisAddress));
  }
  return reader.take();
}

std::string to_text(const RedisAddress& address) {
  std::string text(kScheme);
  if (!address.password.empty() || !address.user.empty()) {
    text += percent_encoded(address.user) + ":" + percent_encoded(address.password) + "@";
  }
  const bool is_ipv6 = address.host.find(':') != address.host.npos;
  text += is_ipv6 ? "[" + address.host + "]" : address.host;
  text += fmt::format(":{}/", address.port);
  if (!address.socket.empty()) text += "?socket=" + percent_encoded(address.socket);
  return text;
}

}  // namespace heddle
