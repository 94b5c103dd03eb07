#include "store/connected_session.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "base/assert.h"

namespace heddle {

namespace {

// What a store would say to what is not sent to it yet, or never.
Reply answer_to(const std::string& text) {
  Reply reply;
  reply.result.emplace();
  reply.result->command_tag = text.substr(0, text.find_first_of(" ;\n"));
  for (char& c : reply.result->command_tag) {
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return reply;
}

}  // namespace

ConnectedSession::ConnectedSession(std::vector<std::unique_ptr<StoreSession>> parts,
                                   std::vector<std::string> schemas,
                                   std::shared_ptr<std::size_t> place, int number)
    : parts_(std::move(parts)),
      schemas_(std::move(schemas)),
      place_(std::move(place)),
      number_(number) {
  HEDDLE_ASSERT(!parts_.empty());
}

std::optional<std::size_t> ConnectedSession::with_transaction() const {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    if (parts_[k]->transaction_state() != TransactionState::idle) return k;
  }
  return std::nullopt;
}

void ConnectedSession::plan(const ConnectionTurn& turn, const std::string& text) {
  using Kind = ConnectionTurn::Kind;
  const std::optional<std::size_t> open = with_transaction();
  switch (turn.kind) {
    case Kind::one:
      for (std::string& held : std::exchange(held_, {})) {
        queue_.push_back(
            {.connection = turn.connection, .text = std::move(held), .is_told = false});
      }
      queue_.push_back({.connection = turn.connection, .text = text});
      return;
    case Kind::all:
      held_.clear();
      for (std::size_t k = 0; k < parts_.size(); ++k) {
        if (open && parts_[k]->transaction_state() == TransactionState::idle) continue;
        queue_.push_back({.connection = k, .text = text, .is_told = queue_.empty()});
      }
      return;
    case Kind::next:
      if (open) break;
      held_.push_back(text);
      replies_.push_back(answer_to(text));
      return;
    case Kind::end:
      if (open || held_.empty()) break;
      held_.clear();
      replies_.push_back(answer_to(text));
      return;
    case Kind::current:
      break;
  }
  queue_.push_back({.connection = open.value_or(*place_), .text = text});
}

Result<void> ConnectedSession::send(const std::string& text) {
  HEDDLE_ASSERT(queue_.empty());
  replies_.clear();
  plan(std::exchange(turn_, {}), text);
  return queue_.empty() ? Result<void>() : send_first();
}

Result<void> ConnectedSession::send_first() {
  *place_ = queue_.front().connection;
  auto sent = parts_[*place_]->send(queue_.front().text);
  if (!sent) queue_.clear();
  return sent;
}

Result<bool> ConnectedSession::busy() {
  while (!queue_.empty()) {
    StoreSession& part = *parts_[queue_.front().connection];
    auto busy = part.busy();
    if (!busy || *busy) return busy;
    std::vector<Reply> replies = part.take_replies();
    const bool is_refused =
        std::ranges::any_of(replies, [](const Reply& reply) { return reply.error.has_value(); });
    if (queue_.front().is_told || is_refused) {
      std::ranges::move(replies, std::back_inserter(replies_));
    }
    queue_.pop_front();
    if (is_refused) queue_.clear();
    if (queue_.empty()) break;
    if (auto sent = send_first(); !sent) return sent.error();
  }
  return false;
}

std::vector<Reply> ConnectedSession::take_replies() {
  for (Reply& reply : replies_) {
    if (!reply.result) continue;
    for (Column& column : reply.result->columns) {
      for (const std::string& schema : schemas_) {
        if (!column.table.starts_with(schema)) continue;
        column.table.erase(0, schema.size());
        break;
      }
    }
  }
  return std::exchange(replies_, {});
}

std::vector<std::string> ConnectedSession::take_notices() {
  std::vector<std::string> all;
  for (const auto& part : parts_) std::ranges::move(part->take_notices(), std::back_inserter(all));
  return all;
}

std::vector<Notification> ConnectedSession::take_notifications() {
  std::vector<Notification> all;
  for (const auto& part : parts_) {
    std::ranges::move(part->take_notifications(), std::back_inserter(all));
  }
  return all;
}

TransactionState ConnectedSession::transaction_state() const {
  TransactionState state = held_.empty() ? TransactionState::idle : TransactionState::open;
  for (const auto& part : parts_) state = std::max(state, part->transaction_state());
  return state;
}

bool ConnectedSession::cancel() {
  // What would come behind it is given up, too.
  if (queue_.size() > 1) queue_.erase(queue_.begin() + 1, queue_.end());
  return parts_[*place_]->cancel();
}

}  // namespace heddle
