#include "store/ring/session.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "base/assert.h"
#include "store/control.h"
#include "store/replicated/dialect.h"
#include "store/replicated/tokens.h"
#include "store/trouble.h"

namespace heddle {

using replicated::Token;

namespace {

constexpr const char* kSyntaxError = "42601";

// Statements about rows: those that count when DELIVER names one by its number, as on the
// replicated store.
bool is_about_rows(const std::vector<Token>& statement) {
  const std::string kind = replicated::kind_of(statement);
  if (kind == "SELECT") {
    return std::ranges::any_of(statement,
                               [](const Token& token) { return is_word(token, "from"); });
  }
  return kind == "INSERT" || kind == "UPDATE" || kind == "DELETE";
}

// Whether semicolons stand between statements only, and all that is quoted is seen as quoted: what
// MariaDB writes in ways of its own is left to it.
bool can_be_split(std::string_view text, const std::vector<std::vector<Token>>& statements) {
  if (text.find_first_of("\\#") != text.npos) return false;
  return std::ranges::none_of(statements, [](const std::vector<Token>& statement) {
    return std::ranges::any_of(statement, [](const Token& token) {
      return is_word(token, "create") || is_word(token, "atomic");
    });
  });
}

RingPiece read_piece(const std::vector<Token>& statement) {
  RingPiece piece;
  piece.text = to_text(statement);
  auto command = replicated::read_command(statement);
  if (!command) {
    piece.refusal = refused_by_ring(kSyntaxError, to_string(command.error()), false);
  } else if (*command) {
    piece.command = std::move(**command);
  } else if (statement.size() == 2 && is_word(statement[0], "show") &&
             is_word(statement[1], "seen")) {
    piece.refusal =
        refused_by_ring(kSyntaxError, "MariaDB does not tell what a statement has seen", false);
  } else {
    piece.statements = is_about_rows(statement) ? 1 : 0;
  }
  return piece;
}

}  // namespace

std::vector<RingPiece> split_for_ring(const std::string& text) {
  const std::vector<std::vector<Token>> statements = replicated::split_tokens(text);
  std::vector<RingPiece> pieces;
  bool has_commands = false;
  std::size_t about_rows = 0;
  for (const std::vector<Token>& statement : statements) {
    pieces.push_back(read_piece(statement));
    has_commands = has_commands || pieces.back().command || pieces.back().refusal;
    about_rows += pieces.back().statements;
  }
  if (has_commands || can_be_split(text, statements)) return pieces;
  return {RingPiece{.text = text, .command = {}, .refusal = {}, .statements = about_rows}};
}

RingSession::RingSession(std::string name, std::vector<std::unique_ptr<MariadbSession>> connections,
                         RingDelivery& delivery, RingSessions& open)
    : connections_(std::move(connections)), delivery_(delivery), open_(open) {
  HEDDLE_ASSERT(connections_.size() == kRingSize);
  client_.name = std::move(name);
  delivery_.add(client_);
  if (!open_.empty()) number_ = open_.rbegin()->first + 1;
  open_.emplace(number_, this);
}

RingSession::~RingSession() {
  open_.erase(number_);
  delivery_.remove(client_);
}

void RingSession::keep_answers() {
  keeps_answers_ = true;
  for (const auto& connection : connections_) connection->keep_answers();
}

std::vector<int> RingSession::sockets() const {
  std::vector<int> sockets;
  for (const auto& connection : connections_) sockets.push_back(connection->socket());
  return sockets;
}

Result<void> RingSession::send(const std::string& text) {
  HEDDLE_ASSERT(stage_ == Stage::idle);
  replies_.clear();
  answers_.clear();
  pieces_ = split_for_ring(text);
  next_ = 0;
  is_cancelled_ = false;
  return begin_next();
}

void RingSession::answer(const std::string& tag) {
  Reply reply;
  reply.result.emplace();
  reply.result->command_tag = tag;
  replies_.push_back(std::move(reply));
  if (keeps_answers_) answers_.emplace_back();
}

void RingSession::answer(StepError error) {
  // The number is MariaDB's for whatever has none of its own, ER_UNKNOWN_ERROR.
  constexpr unsigned kUnknownError = 1105;
  if (keeps_answers_) {
    MariadbAnswer& answer = answers_.emplace_back();
    answer.error = kUnknownError;
    answer.sqlstate = "HY000";
    answer.message = error.message;
  }
  Reply reply;
  reply.error = std::move(error);
  replies_.push_back(std::move(reply));
}

// Goes on until something has to be waited for. An error ends the text.
Result<void> RingSession::begin_next() {
  stage_ = Stage::idle;
  while (stage_ == Stage::idle && next_ < pieces_.size()) {
    if (!replies_.empty() && replies_.back().error) return {};
    const RingPiece& piece = pieces_[next_++];
    if (piece.refusal) {
      answer(*piece.refusal);
    } else if (piece.command) {
      if (auto begun = begin_command(*piece.command); !begun) return begun;
    } else {
      client_.statements.resize(client_.statements.size() + piece.statements,
                                RingStatement{.server = client_.server, .number = {}});
      stage_ = Stage::executes;
      if (auto sent = connections_[client_.server]->send(piece.text); !sent) return sent;
    }
  }
  return {};
}

Result<void> RingSession::begin_command(const replicated::Command& command) {
  auto refusal = delivery_.obey(client_, command);
  if (!refusal) return refusal.error();
  if (*refusal) {
    answer(std::move(**refusal));
    return {};
  }
  if (auto settled = delivery_.settle(); !settled) return settled;
  const auto* const deliver = std::get_if<replicated::DeliverCommand>(&command);
  if (deliver == nullptr) {
    answer(replicated::tag_of(command));
    return {};
  }
  for (std::size_t to = 0; to < kRingSize; ++to) {
    const bool is_named = deliver->replica == 0 || deliver->replica == to + 1;
    awaited_[to] = is_named ? delivery_.link(to).wanted() : 0;
  }
  stage_ = Stage::delivers;
  return {};
}

Result<bool> RingSession::is_delivered() {
  if (is_cancelled_) {
    StepError error = refused_by_ring("57014", "cancelled while it waited for a delivery", false);
    error.error_class = ErrorClass::cancelled;
    answer(std::move(error));
    return true;
  }
  if (auto settled = delivery_.settle(); !settled) return settled.error();
  for (std::size_t to = 0; to < kRingSize; ++to) {
    const RingLink& link = delivery_.link(to);
    if (link.applied() >= awaited_[to]) continue;
    if (link.wanted() < awaited_[to]) {
      answer(refused_by_ring("55000", "r1 and r2 were parted before it was applied", true));
      return true;
    }
    if (link.state() != LinkState::failed) return false;
    answer(refused_by_ring(
        "HY000", fmt::format("r{} has stopped applying: {}", to + 1, link.failure()), false));
    return true;
  }
  answer("DELIVER");
  return true;
}

// What of its statements is in the log now, and as which transaction.
Result<void> RingSession::note_commit() {
  const std::size_t server = client_.server;
  MariadbSession& connection = *connections_[server];
  const unsigned domain = static_cast<unsigned>(server) + 1;
  std::uint64_t number = number_in_domain(connection.last_gtid(), domain);
  if (number == last_number_[server]) {
    // Behind rows, as those of RETURNING, the server does not tell; asking costs the session its
    // ROW_COUNT() and is left to when it matters.
    auto unclaimed = delivery_.has_unclaimed(server);
    if (!unclaimed) return unclaimed.error();
    if (*unclaimed) {
      auto told = execute_on(connection, "MariaDB", "SELECT @@last_gtid", kOwnQueryTimeoutMs);
      if (!told) return told.error();
      if (told->empty() || !told->front().result) return lost_connection();
      number = number_in_domain(told->front().result->rows.at(0).at(0).value_or(""), domain);
    }
  }
  std::optional<std::uint64_t> logged;
  if (number != last_number_[server]) {
    last_number_[server] = number;
    client_.logged[server].insert(number);
    logged = number;
  }
  for (RingStatement& statement : client_.statements) {
    if (statement.is_open) statement.number = logged;
    statement.is_open = false;
  }
  return {};
}

Result<void> RingSession::finish_execution() {
  MariadbSession& connection = *connections_[client_.server];
  for (Reply& reply : connection.take_replies()) replies_.push_back(std::move(reply));
  for (MariadbAnswer& answer : connection.take_answers()) answers_.push_back(std::move(answer));
  client_.in_transaction = connection.transaction_state() != TransactionState::idle;
  const bool is_lost = !replies_.empty() && replies_.back().error &&
                       replies_.back().error->error_class == ErrorClass::connection_lost;
  if (is_lost) return {};
  if (!client_.in_transaction) {
    if (auto noted = note_commit(); !noted) return noted;
  }
  return delivery_.settle();
}

Result<bool> RingSession::busy() {
  while (stage_ != Stage::idle) {
    if (stage_ == Stage::executes) {
      auto busy = connections_[client_.server]->busy();
      if (!busy || *busy) return busy;
      if (auto finished = finish_execution(); !finished) return finished.error();
    } else {
      auto delivered = is_delivered();
      if (!delivered) return delivered.error();
      if (!*delivered) return true;
    }
    if (auto begun = begin_next(); !begun) return begun.error();
  }
  return false;
}

bool RingSession::cancel() {
  if (stage_ == Stage::executes) return connections_[client_.server]->cancel();
  is_cancelled_ = stage_ == Stage::delivers;
  return is_cancelled_;
}

std::vector<std::pair<std::size_t, int>> RingSession::active_connections() const {
  if (stage_ != Stage::delivers) return {{client_.server, connection_at(client_.server)}};
  std::vector<std::pair<std::size_t, int>> active;
  for (std::size_t to = 0; to < kRingSize; ++to) {
    const RingLink& link = delivery_.link(to);
    if (link.state() == LinkState::waits) active.emplace_back(to, link.applier());
  }
  return active;
}

}  // namespace heddle
