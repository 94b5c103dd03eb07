#include "store/ring/delivery.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "store/trouble.h"

namespace heddle {

using replicated::DeliverCommand;
using replicated::DeliveryCommand;
using replicated::MoveCommand;
using replicated::PartitionCommand;

namespace {

// As those of the replicated store: an object that is not there, a state that does not allow it.
constexpr const char* kUndefinedObject = "42704";
constexpr const char* kNotInState = "55000";

std::string server_name(std::size_t server) { return fmt::format("r{}", server + 1); }

StepError unknown_session(const std::string& name) {
  return refused_by_ring(kUndefinedObject, fmt::format("there is no session {}", name), false);
}

StepError unknown_server(std::size_t counted) {
  return refused_by_ring(
      kUndefinedObject,
      fmt::format("there is no server r{}: a ring of MariaDB servers has r1 and r2", counted),
      false);
}

StepError not_in_state(const std::string& message) {
  return refused_by_ring(kNotInState, message, true);
}

}  // namespace

StepError refused_by_ring(const std::string& code, const std::string& message, bool ends_session) {
  StepError error;
  error.error_class = ends_session ? ErrorClass::serialization_failure : ErrorClass::other;
  error.code = code;
  error.severity = "ERROR";
  error.message = message;
  error.text = fmt::format("ERROR {}: {}\n", code, message);
  return error;
}

RingDelivery::RingDelivery(std::vector<std::unique_ptr<RingMember>>& members,
                           WaitsForLock waits_for_lock)
    : waits_for_lock_(std::move(waits_for_lock)) {
  HEDDLE_ASSERT(members.size() == kRingSize);
  for (std::size_t to = 0; to < kRingSize; ++to) {
    links_.emplace_back(*members[(to + 1) % kRingSize], *members[to]);
  }
}

RingClient* RingDelivery::find_client(const std::string& name) const {
  // The latest of that name, for sessions may be opened anew.
  RingClient* found = nullptr;
  for (RingClient* const client : clients_) {
    const bool is_better = found == nullptr || client->name == name || found->name != name;
    if (equal_ignoring_case(client->name, name) && is_better) found = client;
  }
  return found;
}

Result<bool> RingDelivery::has_unclaimed(std::size_t server) {
  RingLink& link = links_[(server + 1) % kRingSize];
  if (auto read = link.read_log(); !read) return read.error();
  return std::ranges::any_of(link.log(), [&](const LoggedTransaction& transaction) {
    return std::ranges::none_of(clients_, [&](const RingClient* client) {
      return client->logged[server].contains(transaction.number);
    });
  });
}

Result<std::size_t> RingDelivery::logged_count(std::size_t server) {
  RingLink& link = links_[(server + 1) % kRingSize];
  if (auto read = link.read_log(); !read) return read.error();
  return link.log().size();
}

Result<void> RingDelivery::start_over() {
  for (RingLink& link : links_) {
    if (auto begun = link.start_over(); !begun) return begun;
  }
  return {};
}

Result<std::optional<StepError>> RingDelivery::obey(RingClient& client,
                                                    const replicated::Command& command) {
  std::optional<StepError> refusal;
  if (one_copy_) return refusal;
  if (const auto* move_command = std::get_if<MoveCommand>(&command)) {
    refusal = move(client, *move_command);
  } else if (const auto* deliver_command = std::get_if<DeliverCommand>(&command)) {
    return deliver(*deliver_command);
  } else if (const auto* partition = std::get_if<PartitionCommand>(&command)) {
    refusal = part(*partition);
    if (!refusal) is_parted_ = true;
    // What waits for a lock has not come yet.
    for (RingLink& link : links_) {
      if (refusal) break;
      if (auto held = link.hold(); !held) return held.error();
    }
  } else if (const auto* delivery = std::get_if<DeliveryCommand>(&command)) {
    is_automatic_ = delivery->is_automatic;
  } else {
    is_parted_ = false;
  }
  return refusal;
}

std::optional<StepError> RingDelivery::move(RingClient& client, const MoveCommand& command) const {
  RingClient* const moved = command.session.empty() ? &client : find_client(command.session);
  if (moved == nullptr) return unknown_session(command.session);
  if (command.replica > kRingSize) return unknown_server(command.replica);
  const std::size_t server = command.replica - 1;
  if (moved->server == server) return std::nullopt;
  if (moved->in_transaction) {
    return not_in_state(
        fmt::format("a transaction stays on the server where it began, {}: COMMIT before {} moves",
                    server_name(moved->server), moved->name));
  }
  moved->server = server;
  return std::nullopt;
}

std::optional<StepError> RingDelivery::part(const PartitionCommand& command) const {
  std::set<std::size_t> named;
  for (const std::vector<std::size_t>& side : command.sides) {
    for (const std::size_t server : side) {
      if (server > kRingSize) return unknown_server(server);
      if (!named.insert(server).second) {
        return refused_by_ring("42601", fmt::format("r{} is named twice", server), false);
      }
    }
  }
  return std::nullopt;
}

// The session's statements that the transaction holds, by their first: "s1.2".
std::string RingDelivery::name_of(std::size_t server, std::uint64_t number) const {
  for (const RingClient* const client : clients_) {
    if (!client->logged[server].contains(number)) continue;
    for (std::size_t i = 0; i < client->statements.size(); ++i) {
      const RingStatement& statement = client->statements[i];
      if (statement.server == server && statement.number == number) {
        return fmt::format("{}.{}", client->name, i + 1);
      }
    }
    return "a statement of " + client->name;
  }
  return "a statement of no session";
}

// All that comes before in the log, and has not been delivered, is the session's own.
std::optional<StepError> RingDelivery::check_order(const RingClient& client, std::size_t to,
                                                   std::size_t end) const {
  const std::size_t from = (to + 1) % kRingSize;
  const RingLink& link = links_[to];
  for (std::size_t i = link.wanted(); i < end; ++i) {
    const std::uint64_t number = link.log()[i].number;
    if (client.logged[from].contains(number)) continue;
    return not_in_state(
        fmt::format("{} applies what {} has logged in that order, and there {} comes first: "
                    "deliver it before",
                    server_name(to), server_name(from), name_of(from, number)));
  }
  return std::nullopt;
}

std::optional<StepError> RingDelivery::find_end(const DeliverCommand& command, std::size_t to,
                                                std::size_t& end) const {
  const RingLink& link = links_[to];
  const std::size_t from = (to + 1) % kRingSize;
  end = command.all ? link.log().size() : 0;
  if (command.all) return std::nullopt;
  const RingClient* const client = find_client(command.session);
  if (client == nullptr) return unknown_session(command.session);
  if (command.statement > client->statements.size()) {
    return not_in_state(
        fmt::format("session {} has executed {} statements so far: its statement {} cannot be "
                    "delivered yet",
                    client->name, client->statements.size(), command.statement));
  }
  std::optional<std::uint64_t> last;
  if (command.statement == 0) {
    const std::set<std::uint64_t>& logged = client->logged[from];
    if (!logged.empty()) last = *logged.rbegin();
  } else {
    const RingStatement& statement = client->statements[command.statement - 1];
    if (statement.server != from) return std::nullopt;
    if (statement.is_open) {
      return not_in_state(fmt::format(
          "a server logs a transaction when it commits, and {}.{} is not committed: COMMIT first",
          client->name, command.statement));
    }
    last = statement.number;
  }
  for (std::size_t i = 0; i < link.log().size() && last; ++i) {
    if (link.log()[i].number <= *last) end = i + 1;
  }
  return check_order(*client, to, end);
}

// All of it or nothing.
Result<std::optional<StepError>> RingDelivery::deliver(const DeliverCommand& command) {
  if (command.replica > kRingSize) return std::optional(unknown_server(command.replica));
  std::array<std::size_t, kRingSize> ends{};
  for (std::size_t to = 0; to < kRingSize; ++to) {
    if (command.replica != 0 && command.replica != to + 1) continue;
    if (auto read = links_[to].read_log(); !read) return read.error();
    if (auto refusal = find_end(command, to, ends[to])) return refusal;
    if (is_parted_ && ends[to] > links_[to].wanted()) {
      return std::optional(not_in_state("r1 and r2 are parted; HEAL first"));
    }
  }
  for (std::size_t to = 0; to < kRingSize; ++to) links_[to].want(ends[to]);
  return std::optional<StepError>();
}

Result<LinkState> RingDelivery::advance(std::size_t to) {
  return links_[to].advance([&](int connection) { return waits_for_lock_(to, connection); });
}

Result<void> RingDelivery::settle() {
  for (std::size_t to = 0; to < kRingSize; ++to) {
    if (is_automatic_ && !is_parted_ && !one_copy_) {
      if (auto read = links_[to].read_log(); !read) return read.error();
      links_[to].want(links_[to].log().size());
    }
    if (auto advanced = advance(to); !advanced) return advanced.error();
  }
  return {};
}

Result<void> RingDelivery::deliver_everything() {
  for (std::size_t to = 0; to < kRingSize; ++to) {
    if (auto read = links_[to].read_log(); !read) return read.error();
    links_[to].want(links_[to].log().size());
    const auto advanced = advance(to);
    if (!advanced) return advanced.error();
    if (*advanced == LinkState::waits) {
      return store_trouble(
          fmt::format("{} cannot apply what the other server has logged, because "
                      "it waits for a lock",
                      server_name(to)));
    }
  }
  return {};
}

Result<bool> RingDelivery::return_to_start() {
  is_automatic_ = true;
  is_parted_ = false;
  for (RingClient* const client : clients_) {
    client->server = 0;
    client->statements.clear();
    client->logged = {};
  }
  if (auto delivered = deliver_everything(); !delivered) return delivered.error();
  bool is_done = true;
  for (RingLink& link : links_) {
    if (link.state() != LinkState::failed) {
      link.forget();
    } else {
      is_done = false;
      last_failure_ = link.failure();
      if (auto begun = link.start_over(); !begun) return begun.error();
    }
  }
  return is_done;
}

}  // namespace heddle
