// Who calls whom, and where heddle stands between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stream/stream_socket.h"

namespace heddle {

enum class EdgeProtocol : std::uint8_t { postgres, http };

// One listener per caller and callee, since the clients of a store all look alike.
struct ProxyEdge {
  std::string caller;
  std::string callee;
  EdgeProtocol protocol = EdgeProtocol::http;
  bool is_outer = false;  // requests come in here
  SocketTarget target;    // where the callee is
  // The database that is used instead of the one that clients name.
  std::optional<std::string> database = {};

  std::string name() const { return caller + ">" + callee; }
};

}  // namespace heddle
