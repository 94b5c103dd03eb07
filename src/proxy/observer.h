// What proxies tell of what passes through them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/running_hash.h"
#include "wire/http/http_message.h"
#include "wire/postgres/conversation.h"

namespace heddle {

using ProxyTime = std::chrono::steady_clock::time_point;

// A connection: the number of its edge in the list that the proxies were given, and its own among
// all of the proxies, from 1.
struct ProxiedConnection {
  std::size_t edge = 0;
  std::uint64_t number = 0;
};

struct UnitTimes {
  ProxyTime arrived;                        // all that the client sent of it
  std::optional<ProxyTime> permitted = {};  // and sent on
  std::optional<ProxyTime> answered = {};   // none: it never was
};

// A body, as far as it is kept.
struct PassedBody {
  std::string bytes;  // without the frames of chunks, otherwise as it was sent
  std::uint64_t size = 0;
  RunningHash hash;
  bool is_whole = true;     // false: more was sent than is kept
  bool is_decoded = false;  // it was compressed, and is kept as it was before
};

// A request, and its response as far as there was one.
struct HttpExchange {
  std::uint64_t ordinal = 0;  // of the connection, from 1
  HttpHead request;
  PassedBody body;
  std::optional<HttpHead> response = {};
  PassedBody response_body;
  std::string trace = {};  // the trace's id that the request has, also where a proxy gave it
  UnitTimes times;
};

// All methods are called in the thread of the proxies, one after the other, as things happen. One
// that does not return keeps all clients waiting.
class ProxyObserver {
 public:
  ProxyObserver() = default;
  ProxyObserver(const ProxyObserver&) = delete;
  ProxyObserver& operator=(const ProxyObserver&) = delete;
  virtual ~ProxyObserver() = default;

  virtual void connection_opened(ProxiedConnection connection, ProxyTime at) = 0;
  // With what a client of a database has begun: user, database, application_name, ...
  virtual void connection_named(ProxiedConnection connection,
                                const std::map<std::string, std::string>& parameters) = 0;
  // The server has given the connection that number.
  virtual void connection_numbered(ProxiedConnection connection, std::uint32_t backend) = 0;
  // Its client has said its last word or is gone, perhaps both; the server may still be about to
  // end it.
  virtual void client_left(ProxiedConnection /*connection*/) {}
  virtual void connection_closed(ProxiedConnection connection, ProxyTime at) = 0;

  virtual void statement_arrived(ProxiedConnection connection, const postgres::WireUnit& unit,
                                 ProxyTime at) = 0;
  virtual void statement_answered(ProxiedConnection connection, postgres::WireUnit unit,
                                  UnitTimes times) = 0;

  // Its head has come, and goes on to the service now. The trace is that which it has, also where
  // the proxy gave it that.
  virtual void request_arrived(ProxiedConnection connection, std::uint64_t ordinal,
                               const HttpHead& head, const std::string& trace, ProxyTime at) = 0;
  // It is a stream or a tunnel, whose end nobody waits for.
  virtual void request_exempt(ProxiedConnection connection, std::uint64_t ordinal) = 0;
  virtual void request_answered(ProxiedConnection connection, HttpExchange exchange) = 0;

  // Something that whoever set the system up wants to know: "a client began with TLS at once".
  virtual void remark(std::size_t edge, std::string text) = 0;
};

}  // namespace heddle
