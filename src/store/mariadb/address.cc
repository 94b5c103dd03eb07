#include "store/mariadb/address.h"

#include <charconv>

#include <fmt/format.h>

#include "store/address_text.h"
#include "store/mariadb/environment.h"
#include "store/percent.h"

namespace heddle {

namespace {

constexpr std::string_view kUsualMariadbAddress = "mariadb or mysql://user:password@host:port/";

}  // namespace

// scheme://[user[:password]@][host][:port][/[database]][?socket=path]
Result<MariadbAddress> parse_mariadb_address(const std::string& address) {
  const auto refuse = [&](const std::string& why) {
    return unreadable_address(address, why, std::string(kUsualMariadbAddress));
  };
  std::string_view rest = address;
  rest.remove_prefix(rest.find("://") + 3);
  MariadbAddress parsed;
  const auto decode = [](std::string_view text, std::string& into) {
    auto decoded = percent_decoded(text);
    if (decoded) into = std::move(*decoded);
    return decoded.has_value();
  };
  if (const std::size_t query = rest.find('?'); query != rest.npos) {
    const std::string_view option = rest.substr(query + 1);
    if (!option.starts_with("socket=") || !decode(option.substr(7), parsed.socket)) {
      return refuse("behind ? there can only be socket=/path");
    }
    rest = rest.substr(0, query);
  }
  if (const std::size_t at = rest.rfind('@'); at != rest.npos) {
    const std::string_view login = rest.substr(0, at);
    const std::size_t colon = login.find(':');
    const bool has_password = colon != login.npos;
    if (!decode(login.substr(0, colon), parsed.user) ||
        (has_password && !decode(login.substr(colon + 1), parsed.password))) {
      return refuse("the user or the password has a % without two hexadecimal digits");
    }
    rest.remove_prefix(at + 1);
  }
  const std::size_t slash = rest.find('/');
  const std::string_view place = rest.substr(0, slash);
  if (slash != rest.npos && !decode(rest.substr(slash + 1), parsed.database)) {
    return refuse("the database has a % without two hexadecimal digits");
  }
  const std::size_t colon = place.rfind(':');
  parsed.host = place.substr(0, colon);
  if (colon != place.npos) {
    const std::string_view port = place.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), parsed.port);
    if (error != std::errc() || end != port.data() + port.size() || parsed.port > 65535) {
      return refuse(fmt::format("{} is no port", port));
    }
  }
  // The connector takes localhost for the socket of this machine's own server.
  if (parsed.host.empty() && parsed.socket.empty()) parsed.host = "127.0.0.1";
  add_environment(parsed);
  return parsed;
}

std::string to_text(const MariadbAddress& address) {
  std::string text = "mysql://" + percent_encoded(address.user);
  if (!address.password.empty()) text += ":" + percent_encoded(address.password);
  text += "@" + address.host;
  if (address.port != 0) text += fmt::format(":{}", address.port);
  text += "/";
  if (!address.socket.empty()) text += "?socket=" + percent_encoded(address.socket);
  return text;
}

}  // namespace heddle
