// A client, proxies and a server within one test: clients connect in memory, the server listens on
// a port of the loopback.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "proxy/observer.h"
#include "proxy/proxies.h"
#include "stream/memory_stream.h"
#include "stream/stream_socket.h"
#include "wire/postgres/conversation_testing.h"

namespace heddle {

inline Deadline soon() { return std::chrono::steady_clock::now() + std::chrono::seconds(20); }

// What proxies have told, a line each.
class Heard : public ProxyObserver {
 public:
  std::vector<std::string> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(lines_, {});
  }

  void connection_opened(ProxiedConnection connection, ProxyTime) override {
    add(fmt::format("{} opened", connection.number));
  }
  void connection_named(ProxiedConnection connection,
                        const std::map<std::string, std::string>& parameters) override {
    std::string line = fmt::format("{} named", connection.number);
    for (const auto& [name, value] : parameters) line += fmt::format(" {}={}", name, value);
    add(line);
  }
  void connection_numbered(ProxiedConnection connection, std::uint32_t backend) override {
    add(fmt::format("{} numbered {}", connection.number, backend));
  }
  void connection_closed(ProxiedConnection connection, ProxyTime) override {
    add(fmt::format("{} closed", connection.number));
  }
  void statement_arrived(ProxiedConnection connection, const postgres::WireUnit& unit,
                         ProxyTime) override {
    add(fmt::format("{} arrived {}", connection.number, unit.ordinal));
  }
  void statement_answered(ProxiedConnection connection, postgres::WireUnit unit,
                          UnitTimes times) override {
    const bool is_timed = times.permitted >= times.arrived;
    add(fmt::format("{} {} {}{}", connection.number, times.answered ? "answered" : "unanswered",
                    postgres::unit_line(unit), is_timed ? "" : " (without times)"));
  }
  void request_arrived(ProxiedConnection connection, std::uint64_t ordinal, const HttpHead& head,
                       const std::string& trace, ProxyTime) override {
    add(fmt::format("{} arrived {} {} {}{}", connection.number, ordinal, head.method, head.target,
                    trace.empty() ? "" : " traced"));
  }
  void request_exempt(ProxiedConnection connection, std::uint64_t ordinal) override {
    add(fmt::format("{} exempt {}", connection.number, ordinal));
  }
  void request_answered(ProxiedConnection connection, HttpExchange exchange) override {
    std::string line =
        fmt::format("{} {} {}", connection.number,
                    exchange.times.answered ? "answered" : "unanswered", exchange.ordinal);
    if (exchange.body.size > 0) line += fmt::format(" [{}]", exchange.body.bytes);
    if (exchange.response) line += fmt::format(" {}", exchange.response->status);
    if (exchange.response_body.size > 0) line += fmt::format(" [{}]", exchange.response_body.bytes);
    add(line);
  }
  void remark(std::size_t, std::string text) override { add("remark: " + text); }

 private:
  void add(std::string line) {
    const std::scoped_lock lock(mutex_);
    lines_.push_back(std::move(line));
  }

  std::mutex mutex_;
  std::vector<std::string> lines_;
};

struct SceneOptions {
  EdgeProtocol protocol = EdgeProtocol::postgres;
  bool is_outer = false;
  std::optional<std::string> database = {};
  std::size_t room = kMemoryRoom;  // for what a client has not read
  bool has_socket = false;         // clients connect over the loopback, too
  ProxyController* controller = nullptr;
  std::chrono::milliseconds end_patience = ProxyOptions{}.end_patience;
};

class Scene {
 public:
  explicit Scene(const SceneOptions& options = {}) {
    auto server = SocketListener::open(kLoopback);
    EXPECT_TRUE(server);
    server_ = std::move(*server);
    address_ = server_->address();
    std::unique_ptr<StreamListener> listener;
    if (options.has_socket) {
      listener = std::move(*SocketListener::open(kLoopback));
      socket_target_ = *SocketTarget::find(listener->address());
    } else {
      auto memory = std::make_unique<MemoryListener>(options.room);
      clients_ = memory.get();
      listener = std::move(memory);
    }
    std::vector<ProxiedEdge> edges;
    edges.push_back({.edge = {.caller = "shop",
                              .callee = "there",
                              .protocol = options.protocol,
                              .is_outer = options.is_outer,
                              .target = *SocketTarget::find(address_),
                              .database = options.database},
                     .listener = std::move(listener)});
    proxies_ = Proxies::start(std::move(edges), heard_,
                              {.controller = options.controller,
                               .end_patience = options.end_patience,
                               .last_bytes_patience = std::chrono::milliseconds(50)});
  }

  std::unique_ptr<Stream> connect() {
    if (clients_ != nullptr) return clients_->connect();
    auto stream = std::move(*socket_target_->connect_now());
    EXPECT_TRUE(*wait_for(stream->writable(), soon()));
    return stream;
  }
  // The proxies' connection to the server.
  std::unique_ptr<Stream> accept() {
    EXPECT_TRUE(*wait_for(server_->readable(), soon()));
    return server_->accept_now();
  }
  // Nobody listens there any more.
  void leave_address() { server_.reset(); }
  void end_proxies() { proxies_.reset(); }
  const std::string& address() const { return address_; }
  Proxies& proxies() { return *proxies_; }

  // What was told since the last call.
  std::vector<std::string> heard() {
    if (proxies_) proxies_->call([] {});
    return heard_.take();
  }
  // Until the proxies have told so many lines.
  std::vector<std::string> heard(std::size_t count) {
    std::vector<std::string> lines;
    for (const Deadline end = soon(); lines.size() < count;) {
      for (std::string& line : heard()) lines.push_back(std::move(line));
      if (std::chrono::steady_clock::now() > end) break;
    }
    return lines;
  }

 private:
  Heard heard_;
  std::unique_ptr<SocketListener> server_;
  std::string address_;
  MemoryListener* clients_ = nullptr;  // null: they have sockets
  std::optional<SocketTarget> socket_target_;
  std::unique_ptr<Proxies> proxies_;
};

inline void send(Stream& stream, std::string_view bytes) {
  EXPECT_TRUE(stream.write_all(bytes, soon()));
}

// So many bytes, or fewer where no more come.
inline std::string receive(Stream& stream, std::size_t size) {
  std::string bytes;
  while (bytes.size() < size) {
    if (!*wait_for(stream.readable(), soon())) break;
    if (!stream.read_some(bytes, size - bytes.size())) break;
  }
  return bytes;
}

// Up to the end of what the other side writes.
inline std::string receive_all(Stream& stream) {
  std::string bytes;
  while (true) {
    if (!*wait_for(stream.readable(), soon())) {
      ADD_FAILURE() << "the other side has not closed the connection";
      return bytes;
    }
    if (!stream.read_available(bytes)) return bytes;
  }
}

inline void expect_received(Stream& stream, std::string_view bytes) {
  EXPECT_EQ(receive(stream, bytes.size()), bytes);
}

// Writes until nothing more goes for a while; the bytes are taken from the front.
inline std::size_t write_until_stuck(Stream& stream, std::string_view& bytes) {
  const std::size_t before = bytes.size();
  while (stream.write_some(bytes) && !bytes.empty()) {
    const auto patience = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    if (!*wait_for(stream.writable(), patience)) break;
  }
  return before - bytes.size();
}

}  // namespace heddle
