// How a client's units are held: cut off, announced one at a time, and sent when they are
// permitted.
#include <utility>

#include <fmt/format.h>

#include "proxy/postgres_link.h"

namespace heddle {
namespace {

// A portal, or a text, that no client has: the server answers with an error as it would where the
// statement itself failed, so that its transaction has failed, too.
constexpr std::string_view kRefused = "a statement that heddle held and did not let go";
constexpr char kFlush = 'H';
constexpr std::size_t kHeadBytes = 5;
// So much may wait of what one client has sent; then no more is read.
constexpr std::size_t kMostHeldPieces = std::size_t{16} << 20;
// A message is held once all of it has come, so that a longer one is refused.
constexpr std::uint64_t kLongestHeld = std::uint64_t{256} << 20;

bool is_unit_kind_held(postgres::WireUnitKind kind) {
  return kind != postgres::WireUnitKind::prepare;
}

}  // namespace

void PostgresLink::hold_client(std::string_view bytes) {
  const ProxyTime now = std::chrono::steady_clock::now();
  while (!bytes.empty() && phase_ == Phase::passing) {
    const std::string_view before = bytes;
    auto message = from_client_.take(bytes);
    piece_ += before.substr(0, before.size() - bytes.size());
    if (!message) {
      stop_reading(message.error());
      break;
    }
    if (*message) hold_message(**message, now);
  }
  if (phase_ != Phase::passing || is_over()) return;
  if (from_client_.is_within() && from_client_.size() > kLongestHeld) {
    fail("54000",
         fmt::format("heddle holds back no message of more than {} MB", kLongestHeld >> 20));
    return;
  }
  advance();
  limit_client();
}

// What waits goes on once the pieces before it are permitted. Where there are none, the rest of the
// message that comes is needed.
void PostgresLink::limit_client() {
  const bool is_full = !pieces_.empty() && held_bytes_ + piece_.size() > kMostHeldPieces;
  if (std::exchange(is_full_, is_full) == is_full) return;
  if (is_full) {
    pause_client();
  } else {
    continue_client();
  }
}

void PostgresLink::hold_message(const postgres::CutMessage& message, ProxyTime now) {
  std::uint64_t ended = 0;
  if (!take_client_message(message, now, ended)) return;
  const bool is_within = ended == 0 && (message.type == 'P' || message.type == 'B' ||
                                        message.type == 'D' || message.type == 'C');
  if (is_within) return;
  Piece piece{.bytes = std::exchange(piece_, {}),
              .last = message.type,
              .last_size = static_cast<std::size_t>(message.size) + kHeadBytes};
  if (ended != 0 && conversation_.is_open(ended) &&
      is_unit_kind_held(conversation_.open_unit(ended).kind)) {
    piece.unit = ended;
  }
  held_bytes_ += piece.bytes.size();
  if (pieces_.empty() && piece.unit == 0) {
    send(piece);
  } else {
    pieces_.push_back(std::move(piece));
  }
}

// Sends what can go, and announces the unit that cannot.
void PostgresLink::advance() {
  if (running() && !conversation_.is_open(running()->ordinal)) running_was_answered();
  while (!pieces_.empty() && !is_over()) {
    Piece& next = pieces_.front();
    // A unit that the server skips needs no permission.
    const bool is_held = next.unit != 0 && !next.is_permitted && conversation_.is_open(next.unit);
    if (is_held) {
      const bool is_next = conversation_.first_open() == next.unit && !running();
      if (is_next && !held()) announce(next);
      // The server answers what it was sent before when it is asked to.
      if (!is_next && std::exchange(needs_flush_, false))
        to_server(postgres::to_bytes({kFlush, ""}));
      return;
    }
    const Piece piece = std::move(next);
    pieces_.pop_front();
    send(piece);
  }
}

void PostgresLink::announce(const Piece& piece) {
  const postgres::WireUnit& unit = conversation_.open_unit(piece.unit);
  hold({.connection = number(),
        .ordinal = piece.unit,
        .text = unit.text,
        .parameters = unit.parameters,
        .state = conversation_.running_status(),
        .backend = backend_});
}

void PostgresLink::send(const Piece& piece) {
  held_bytes_ -= piece.bytes.size();
  needs_flush_ = piece.last == 'E';
  to_server(piece.bytes);
  if (!is_over()) limit_client();
}

void PostgresLink::send_permitted(const HeldUnit& unit) {
  pieces_.front().is_permitted = true;
  const std::uint64_t at = unit.ordinal - first_time_;
  if (at < times_.size()) {
    times_[static_cast<std::size_t>(at)].permitted = std::chrono::steady_clock::now();
  }
  advance();
}

void PostgresLink::answer_refused(std::string_view why) {
  take_held();
  replace_held("57014", why);
}

bool PostgresLink::cancel() {
  if (!held() || is_over()) return false;
  const HeldUnit canceled = take_held();
  replace_held("57014", "canceling statement due to user request");
  host().controller()->ended(canceled, HeldEnd::canceled);
  return true;
}

// In place of the unit that was held the server gets one that fails, and the client gets our error
// for its.
void PostgresLink::replace_held(std::string_view code, std::string_view why) {
  Piece& piece = pieces_.front();
  std::string failing;
  if (piece.last == 'Q') {
    failing = postgres::to_bytes({'Q', std::string(kRefused) + '\0'});
  } else if (piece.last == 'E') {
    // What was prepared and bound for it stays: its answers are expected.
    failing = piece.bytes.substr(0, piece.bytes.size() - piece.last_size) +
              postgres::to_bytes({'E', std::string(kRefused) + std::string(5, '\0')});
  } else {
    failing = postgres::to_bytes({'F', std::string(10, '\0')});  // there is no function 0
  }
  held_bytes_ -= piece.bytes.size();
  piece.bytes = std::move(failing);
  held_bytes_ += piece.bytes.size();
  piece.is_permitted = true;
  replacement_ = postgres::error_bytes("ERROR", code, why);
  advance();
}

// Whole messages, of which the first error is replaced.
void PostgresLink::pass_replaced(std::string_view bytes) {
  while (!bytes.empty() && replacement_) {
    const std::string_view before = bytes;
    auto message = from_server_.take(bytes);
    replaced_bytes_ += before.substr(0, before.size() - bytes.size());
    if (!message) {
      stop_reading(message.error());
      break;
    }
    if (!*message) continue;
    if ((**message).type != 'E') {
      note_server_message(**message);
      to_client(std::exchange(replaced_bytes_, {}));
      continue;
    }
    const std::string error = *std::exchange(replacement_, std::nullopt);
    const std::string_view body = std::string_view(error).substr(kHeadBytes);
    note_server_message({.type = 'E', .body = body, .size = body.size()});
    to_client(error);
    replaced_bytes_.clear();
  }
  if (!replacement_ && !bytes.empty()) {
    server_bytes(bytes);
    return;
  }
  tell_answered();
  if (!is_over()) advance();
}

}  // namespace heddle
