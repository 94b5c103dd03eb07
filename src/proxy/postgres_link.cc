#include "proxy/postgres_link.h"

#include <utility>

#include <fmt/format.h>

namespace heddle {
namespace {

// Enough of a message to know its statement and most parameters.
constexpr std::size_t kMostKept = std::size_t{1} << 20;
constexpr std::size_t kBeginningLengthBytes = 4;
constexpr std::size_t kLongestStartup = 10'000;
constexpr char kTlsRecord = 0x16;
constexpr char kTerminate = 'X';
constexpr std::string_view kSasl("\0\0\0\x0a", 4);

std::uint32_t number_of(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char byte : bytes.substr(0, kBeginningLengthBytes)) {
    number = number << 8 | static_cast<unsigned char>(byte);
  }
  return number;
}

}  // namespace

PostgresLink::PostgresLink(LinkHost& host, const ProxyEdge& edge, ProxiedConnection number,
                           std::unique_ptr<Stream> client, postgres::ConversationLimits limits)
    : Link(host, edge, number, std::move(client)),
      from_client_(kMostKept),
      from_server_(kMostKept),
      conversation_(limits) {
  observer().connection_opened(number, std::chrono::steady_clock::now());
}

PostgresLink::~PostgresLink() {
  if (!key_.empty()) host().key_forgotten(key_);
  tell_unanswered();
  observer().connection_closed(number(), std::chrono::steady_clock::now());
}

void PostgresLink::client_bytes(std::string_view bytes) {
  switch (phase_) {
    case Phase::beginning:
      begin(bytes);
      break;
    case Phase::passing:
      if (is_holding()) {
        hold_client(bytes);
        break;
      }
      to_server(bytes);
      note_client(bytes);
      break;
    case Phase::canceling:
    case Phase::unread:
      to_server(bytes);
      break;
  }
}

void PostgresLink::begin(std::string_view bytes) {
  beginning_ += bytes;
  while (phase_ == Phase::beginning && !is_over() && !beginning_.empty()) {
    if (beginning_.front() == kTlsRecord) {
      remark("a client began with TLS at once: set sslnegotiation=postgres and sslmode=disable");
      fail("08P01", "heddle passes on no TLS: set sslnegotiation=postgres and sslmode=disable");
      return;
    }
    if (beginning_.size() < kBeginningLengthBytes) return;
    const std::uint32_t length = number_of(beginning_);
    if (length < 2 * kBeginningLengthBytes || length > kLongestStartup) {
      remark("a client began with what is no message of PostgreSQL's protocol");
      fail("08P01", "what came is no message of PostgreSQL's protocol 3");
      return;
    }
    if (beginning_.size() < length) return;
    const std::string body =
        beginning_.substr(kBeginningLengthBytes, length - kBeginningLengthBytes);
    beginning_.erase(0, length);
    take_beginning(body);
  }
  if (phase_ == Phase::beginning || is_over() || beginning_.empty()) return;
  const std::string rest = std::exchange(beginning_, {});
  client_bytes(rest);
}

void PostgresLink::take_beginning(std::string_view body) {
  const std::uint32_t version = number_of(body);
  if (version == postgres::kTlsRequest || version == postgres::kGssRequest) {
    has_declined_tls_ = has_declined_tls_ || version == postgres::kTlsRequest;
    to_client("N");
    return;
  }
  if (version == postgres::kCancelRequest) {
    take_cancel(body);
    return;
  }
  auto startup = postgres::read_startup(body);
  if (!startup || !postgres::is_protocol_3(version)) {
    fail("08P01", "heddle speaks PostgreSQL's protocol 3 alone");
    return;
  }
  let_in(std::move(*startup));
}

void PostgresLink::let_in(postgres::StartupMessage startup) {
  has_declined_tls_ = false;
  phase_ = postgres::is_replication(startup) ? Phase::unread : Phase::passing;
  observer().connection_named(number(), startup.parameters);
  if (edge().database) startup.parameters["database"] = *edge().database;
  to_server(postgres::startup_bytes(startup));
  connect();
}

void PostgresLink::take_cancel(std::string_view body) {
  if (host().cancel_requested(body.substr(kBeginningLengthBytes))) {
    end();
    return;
  }
  phase_ = Phase::canceling;
  to_server(postgres::to_bytes({'\0', std::string(body)}));
  connect();
}

// False: it is not well-formed, and nothing more is read. `ended`: the unit that it ends, or 0.
bool PostgresLink::take_client_message(const postgres::CutMessage& message, ProxyTime now,
                                       std::uint64_t& ended) {
  if (message.type == 'p') is_asked_to_log_in_ = false;
  // It may connect anew before its end is read.
  if (message.type == kTerminate) observer().client_left(number());
  const auto unit = conversation_.client_message(message);
  if (!unit) {
    stop_reading(unit.error());
    return false;
  }
  ended = unit->value_or(0);
  if (ended == 0) return true;
  times_.push_back({.arrived = now});
  if (!is_holding()) times_.back().permitted = now;
  // What the server skips is answered as soon as it is asked.
  if (conversation_.is_open(ended)) {
    observer().statement_arrived(number(), conversation_.open_unit(ended), now);
  }
  return true;
}

void PostgresLink::note_client(std::string_view bytes) {
  const ProxyTime now = std::chrono::steady_clock::now();
  while (!bytes.empty()) {
    auto message = from_client_.take(bytes);
    if (!message) {
      stop_reading(message.error());
      return;
    }
    std::uint64_t ended = 0;
    if (!*message || !take_client_message(**message, now, ended)) return;
  }
}

void PostgresLink::server_bytes(std::string_view bytes) {
  if (replacement_) {
    pass_replaced(bytes);
    return;
  }
  to_client(bytes);
  if (phase_ == Phase::passing && !is_over()) note_server(bytes);
}

void PostgresLink::note_server(std::string_view bytes) {
  while (!bytes.empty()) {
    auto message = from_server_.take(bytes);
    if (!message) {
      stop_reading(message.error());
      return;
    }
    if (*message) note_server_message(**message);
  }
  tell_answered();
  if (is_holding()) advance();
}

void PostgresLink::note_server_message(const postgres::CutMessage& message) {
  if (!conversation_.is_ready()) {
    if (message.type == 'R') is_asked_to_log_in_ = message.body.starts_with(kSasl);
    if (message.type == 'K' && message.is_whole()) {
      key_ = message.body;
      host().key_known(key_, *this);
      backend_ = number_of(key_);
      observer().connection_numbered(number(), backend_);
    }
  }
  conversation_.server_message(message);
  if (conversation_.completed() == noted_answers_) return;
  const ProxyTime now = std::chrono::steady_clock::now();
  while (noted_answers_ < conversation_.completed()) {
    ++noted_answers_;
    const std::uint64_t at = noted_answers_ - first_time_;
    if (at < times_.size()) times_[static_cast<std::size_t>(at)].answered = now;
  }
}

void PostgresLink::tell_answered() {
  for (postgres::WireUnit& unit : conversation_.take_answered()) {
    const UnitTimes times = times_.empty() ? UnitTimes{} : times_.front();
    if (!times_.empty()) times_.pop_front();
    first_time_ = unit.ordinal + 1;
    observer().statement_answered(number(), std::move(unit), times);
  }
}

void PostgresLink::tell_unanswered() {
  tell_answered();
  std::vector<postgres::WireUnit> unanswered = conversation_.take_unanswered();
  tell_answered();
  for (postgres::WireUnit& unit : unanswered) {
    UnitTimes times = times_.empty() ? UnitTimes{} : times_.front();
    if (!times_.empty()) times_.pop_front();
    times.answered.reset();
    observer().statement_answered(number(), std::move(unit), times);
  }
}

// What passes is still passed on, but nothing more is understood of it.
void PostgresLink::stop_reading(const Diagnostic& trouble) {
  if (is_holding()) {
    remark(fmt::format("connection {}: {}", number().number, trouble.what));
    fail("08P01", "heddle: " + trouble.what);
    return;
  }
  remark(fmt::format("connection {}: {}; what follows on it is not recorded", number().number,
                     trouble.what));
  phase_ = Phase::unread;
  tell_unanswered();
}

void PostgresLink::client_ended() {
  if (has_declined_tls_ && phase_ == Phase::beginning) {
    remark(
        "a client left when TLS was declined: unless it comes back without, set sslmode=disable or "
        "sslmode=prefer");
  }
  if (is_asked_to_log_in_) {
    remark(
        "a client left when it was asked for its password without channel binding: set "
        "channel_binding=disable or channel_binding=prefer");
  }
  // What is held goes with its client, and has not run.
  if (phase_ == Phase::beginning || held() || !pieces_.empty()) {
    abort();
    return;
  }
  end_to_server();
}

void PostgresLink::server_ended() {
  const bool is_between = phase_ == Phase::passing && !from_server_.is_within();
  if (is_between && !conversation_.has_said_why() && conversation_.has_open_units()) {
    fail("08006",
         fmt::format("heddle: the server at {} closed the connection", edge().target.text()));
    return;
  }
  end();
}

void PostgresLink::connection_failed(const std::string& why) { fail("08001", "heddle: " + why); }

void PostgresLink::refuse(std::string_view why) {
  if (from_server_.is_within()) {
    abort();
    return;
  }
  fail("57P01", why);
}

void PostgresLink::fail(std::string_view code, std::string_view message) {
  to_client(postgres::error_bytes("FATAL", code, message));
  end();
}

}  // namespace heddle
