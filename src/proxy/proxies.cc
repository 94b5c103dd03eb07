#include "proxy/proxies.h"

#include <chrono>
#include <future>
#include <sys/resource.h>
#include <utility>

#include "proxy/http_link.h"
#include "proxy/postgres_link.h"

namespace heddle {
namespace {

constexpr std::chrono::milliseconds kRest{100};

// Each connection takes two descriptors, and the usual limit is for programs with a few.
void raise_limit_of_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

class Proxies::Acceptor : public Watcher {
 public:
  Acceptor(Proxies& proxies, std::size_t edge) : proxies_(proxies), edge_(edge) {}

  // Whoever connects once more after an end is taken for one at a time: ends are read first.
  void ready(int, bool, bool) override {
    proxies_.loop_.call_soon([this] {
      if (!proxies_.is_shut_) proxies_.accept(edge_);
    });
  }

 private:
  Proxies& proxies_;
  std::size_t edge_;
};

Proxies::Proxies(std::vector<ProxiedEdge> edges, ProxyObserver& observer, ProxyOptions options)
    : edges_(std::move(edges)), observer_(observer), options_(options) {
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    acceptors_.push_back(std::make_unique<Acceptor>(*this, i));
    loop_.watch(edges_[i].listener->readable(), *acceptors_.back());
  }
  if (options_.controller != nullptr) options_.controller->begin(*this, loop_);
}

std::unique_ptr<Proxies> Proxies::start(std::vector<ProxiedEdge> edges, ProxyObserver& observer,
                                        ProxyOptions options) {
  raise_limit_of_descriptors();
  std::unique_ptr<Proxies> proxies(new Proxies(std::move(edges), observer, options));
  proxies->thread_ = std::thread([loop = &proxies->loop_] { loop->run(); });
  return proxies;
}

Proxies::~Proxies() {
  call([this] { shut_down(); });
  loop_.stop();
  thread_.join();
  links_.clear();  // whose clients have not read their last words
}

void Proxies::shut_down() {
  is_shut_ = true;
  for (const ProxiedEdge& each : edges_) loop_.forget(each.listener->readable());
  std::vector<Link*> open;
  for (const auto& [number, link] : links_) open.push_back(link.get());
  for (Link* const link : open) link->refuse("heddle has ended");
}

void Proxies::call(const std::function<void()>& task) {
  std::promise<void> done;
  loop_.post([&] {
    task();
    done.set_value();
  });
  done.get_future().wait();
}

std::size_t Proxies::use_database(std::size_t edge, const std::optional<std::string>& database,
                                  std::string_view why) {
  std::size_t count = 0;
  call([&] {
    edges_[edge].edge.database = database;
    std::vector<Link*> open;
    for (const auto& [number, link] : links_) {
      if (link->number().edge == edge) open.push_back(link.get());
    }
    count = open.size();
    for (Link* const link : open) link->refuse(why);
  });
  return count;
}

std::size_t Proxies::connections() {
  std::size_t count = 0;
  call([&] { count = links_.size(); });
  return count;
}

void Proxies::accept(std::size_t edge) {
  bool has_come = false;
  while (std::unique_ptr<Stream> client = edges_[edge].listener->accept_now()) {
    const ProxiedConnection number{.edge = edge, .number = next_connection_++};
    std::unique_ptr<Link> link = make_link(edges_[edge].edge, number, std::move(client));
    Link& started = *link;
    links_[number.number] = std::move(link);
    started.start();
    has_come = true;
  }
  if (!has_come) rest(edge);
}

// Somebody waits, and cannot be let in: there are too many connections for this process. Some may
// end in a while.
void Proxies::rest(std::size_t edge) {
  if (!std::exchange(is_full_, true)) {
    observer_.remark(edge, "no further connection can be opened: raise the limit of open files");
  }
  loop_.forget(edges_[edge].listener->readable());
  loop_.call_at(std::chrono::steady_clock::now() + kRest, [this, edge] {
    if (!is_shut_) loop_.watch(edges_[edge].listener->readable(), *acceptors_[edge]);
  });
}

std::unique_ptr<Link> Proxies::make_link(const ProxyEdge& edge, ProxiedConnection number,
                                         std::unique_ptr<Stream> client) {
  LinkHost& host = *this;
  if (edge.protocol == EdgeProtocol::postgres) {
    return std::make_unique<PostgresLink>(host, edge, number, std::move(client), options_.limits);
  }
  return std::make_unique<HttpLink>(host, edge, number, std::move(client), options_.most_body);
}

void Proxies::permit(std::uint64_t connection, std::uint64_t ordinal) {
  const auto found = links_.find(connection);
  if (found != links_.end()) found->second->permit_unit(ordinal);
}

void Proxies::refuse(std::uint64_t connection, std::uint64_t ordinal, std::string_view why) {
  const auto found = links_.find(connection);
  if (found != links_.end()) found->second->refuse_unit(ordinal, why);
}

void Proxies::link_ended(Link& link) {
  // It may be within a call of its own.
  loop_.call_soon([this, number = link.number().number] { links_.erase(number); });
}

bool Proxies::cancel_requested(std::string_view key) {
  const auto found = keys_.find(std::string(key));
  return found != keys_.end() && found->second->cancel();
}

void Proxies::key_known(std::string_view key, Link& link) { keys_[std::string(key)] = &link; }

void Proxies::key_forgotten(std::string_view key) { keys_.erase(std::string(key)); }

}  // namespace heddle
