// All proxies of a system: listens for each edge, and one thread serves whatever connects.
//
//   auto proxies = Proxies::open(std::move(edges), observer);
//   (*proxies)->address(0)                  // where clients of the first edge connect
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "heddle/result.h"
#include "proxy/edge.h"
#include "proxy/event_loop.h"
#include "proxy/link.h"
#include "proxy/observer.h"
#include "stream/stream.h"

namespace heddle {

// An edge, and where it listens.
struct ProxiedEdge {
  ProxyEdge edge;
  std::unique_ptr<StreamListener> listener;
};

struct ProxyOptions {
  postgres::ConversationLimits limits = {};              // of the rows that are kept
  std::size_t most_body = std::size_t{1} << 20;          // bytes of a body that are kept
  ProxyController* controller = nullptr;                 // null: everything goes at once
  std::chrono::milliseconds end_patience{30'000};        // with a client that does not read its end
  std::chrono::milliseconds last_bytes_patience{2'000};  // with one that does not close then
};

class Proxies : private LinkHost, private UnitHolder {
 public:
  // REQUIRES: observer and controller outlive them.
  static std::unique_ptr<Proxies> start(std::vector<ProxiedEdge> edges, ProxyObserver& observer,
                                        ProxyOptions options = {});
  // Ends all connections; each client is told by its protocol.
  ~Proxies() override;

  std::string address(std::size_t edge) const { return edges_[edge].listener->address(); }
  const std::vector<ProxiedEdge>& edges() const { return edges_; }
  // Calls it in the thread of the proxies, and waits until it was called.
  void call(const std::function<void()>& task);
  // Clients of the edge that connect from now on get this database, none: the one that they name;
  // those that are connected are told that their connection has ended (57P01). Returns how many
  // these were.
  std::size_t use_database(std::size_t edge, const std::optional<std::string>& database,
                           std::string_view why);
  // Connections at the moment.
  std::size_t connections();

 private:
  class Acceptor;

  Proxies(std::vector<ProxiedEdge> edges, ProxyObserver& observer, ProxyOptions options);

  EventLoop& loop() override { return loop_; }
  ProxyObserver& observer() override { return observer_; }
  ProxyController* controller() override { return options_.controller; }
  std::chrono::milliseconds end_patience() const override { return options_.end_patience; }
  std::chrono::milliseconds last_bytes_patience() const override {
    return options_.last_bytes_patience;
  }
  void permit(std::uint64_t connection, std::uint64_t ordinal) override;
  void refuse(std::uint64_t connection, std::uint64_t ordinal, std::string_view why) override;
  void link_ended(Link& link) override;
  bool cancel_requested(std::string_view key) override;
  void key_known(std::string_view key, Link& link) override;
  void key_forgotten(std::string_view key) override;

  void accept(std::size_t edge);
  void rest(std::size_t edge);
  std::unique_ptr<Link> make_link(const ProxyEdge& edge, ProxiedConnection number,
                                  std::unique_ptr<Stream> client);
  void shut_down();

  std::vector<ProxiedEdge> edges_;
  ProxyObserver& observer_;
  ProxyOptions options_;
  EventLoop loop_;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;
  std::unordered_map<std::string, Link*> keys_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Link>> links_;
  std::uint64_t next_connection_ = 1;
  bool is_full_ = false;
  bool is_shut_ = false;
  std::thread thread_;
};

}  // namespace heddle
