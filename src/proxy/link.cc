#include "proxy/link.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace heddle {
namespace {

// So much is read at once, and so much may wait to be written before reading stops.
constexpr std::size_t kMostRead = std::size_t{1} << 16;
constexpr std::size_t kMostWaiting = std::size_t{1} << 18;

}  // namespace

Link::Link(LinkHost& host, const ProxyEdge& edge, ProxiedConnection number,
           std::unique_ptr<Stream> client)
    : host_(host), edge_(edge), number_(number) {
  client_.stream = std::move(client);
}

Link::~Link() {
  units_are_gone();
  close_both();
}

void Link::start() { watch_reading(client_, true); }

void Link::watch_reading(Side& side, bool is_read) {
  if (side.is_read == is_read || !side.stream) return;
  side.is_read = is_read;
  if (is_read) {
    host_.loop().watch(side.stream->readable(), *this);
  } else {
    host_.loop().forget(side.stream->readable());
  }
}

void Link::watch_writing(Side& side, bool is_blocked) {
  if (side.is_blocked == is_blocked || !side.stream) return;
  side.is_blocked = is_blocked;
  if (is_blocked) {
    host_.loop().watch(side.stream->writable(), *this);
  } else {
    host_.loop().forget(side.stream->writable());
  }
}

void Link::ready(int descriptor, bool is_readable, bool is_writable) {
  if (is_over_) return;
  if (is_connecting_ && server_.stream && descriptor == server_.stream->writable().descriptor) {
    connection_decided();
    return;
  }
  for (Side* const side : {&client_, &server_}) {
    Side& other = side == &client_ ? server_ : client_;
    if (!side->stream || is_over_) continue;
    if (side->is_blocked && descriptor == side->stream->writable().descriptor &&
        (is_writable || side->stream->writable().events == side->stream->readable().events)) {
      flush(*side, other);
      if (is_over_ || !side->stream) return;
    }
    if (side->is_read && is_readable && descriptor == side->stream->readable().descriptor) {
      read(*side, other);
    }
  }
}

void Link::read(Side& from, Side& to) {
  std::string bytes;
  const bool goes_on = from.stream->read_some(bytes, kMostRead);
  const bool is_client = &from == &client_;
  if (!bytes.empty() && !is_ending_) {
    if (is_client) {
      client_bytes(bytes);
    } else {
      server_bytes(bytes);
    }
  }
  if (is_over_) return;
  // Not for ever, whatever the client goes on sending.
  const bool is_patient = std::chrono::steady_clock::now() < waits_until_;
  if (is_ending_ && goes_on && !bytes.empty() && is_patient) {
    abort_later(host_.last_bytes_patience());
  }
  if (!goes_on) {
    watch_reading(from, false);
    from.has_ended = true;
    if (is_client) observer().client_left(number());
    if (is_ending_) {
      if (is_client && client_.backlog() == 0) abort();
      return;
    }
    if (is_client) {
      client_ended();
    } else {
      server_ended();
    }
    return;
  }
  if (to.backlog() > kMostWaiting) watch_reading(from, false);
}

void Link::write(Side& to, Side& from, std::string_view bytes) {
  if (is_over() || bytes.empty()) return;
  const bool is_open = to.stream && !(is_connecting_ && &to == &server_);
  if (is_open && to.backlog() == 0 && !to.stream->write_some(bytes)) {
    // What the other side had still sent is of no use to who has gone.
    abort();
    return;
  }
  if (bytes.empty()) return;
  to.waiting += bytes;
  if (is_open) watch_writing(to, true);
  if (to.backlog() > kMostWaiting) watch_reading(from, false);
}

void Link::flush(Side& to, Side& from) {
  std::string_view left = std::string_view(to.waiting).substr(to.written);
  const std::size_t before = left.size();
  if (!to.stream->write_some(left)) {
    abort();
    return;
  }
  to.written += before - left.size();
  if (left.empty()) {
    to.waiting.clear();
    if (to.waiting.capacity() > kMostWaiting) to.waiting.shrink_to_fit();
    to.written = 0;
    watch_writing(to, false);
    if (to.ends_writing) to.stream->end_writing();
    if (is_ending_ && &to == &client_) {
      await_client_end();
      return;
    }
  } else if (is_ending_ && left.size() < before) {
    abort_later(host_.end_patience());
  }
  if (to.written > kMostWaiting) {
    to.waiting.erase(0, std::exchange(to.written, 0));
  }
  const bool is_paused = &from == &client_ && is_client_paused_;
  if (to.backlog() <= kMostWaiting / 4 && from.stream && !from.has_ended && !is_paused &&
      !is_ending_) {
    watch_reading(from, true);
  }
  if (&to == &server_) tell_running();
}

void Link::end_writing(Side& to) {
  if (!to.stream || is_over()) return;
  to.ends_writing = true;
  const bool is_open = !(is_connecting_ && &to == &server_);
  if (is_open && to.backlog() == 0) to.stream->end_writing();
}

void Link::pause_client() {
  is_client_paused_ = true;
  watch_reading(client_, false);
}

void Link::continue_client() {
  is_client_paused_ = false;
  if (!client_.has_ended && server_.backlog() <= kMostWaiting) watch_reading(client_, true);
}

void Link::connect() {
  address_ = 0;
  try_address();
}

void Link::try_address() {
  auto made = edge_.target.connect_now(address_);
  if (!made) {
    if (++address_ < edge_.target.addresses()) {
      try_address();
      return;
    }
    connection_failed(fmt::format("{} ({})", made.error().what, edge_.target.text()));
    return;
  }
  connecting_ = made->get();
  server_.stream = std::move(*made);
  is_connecting_ = true;
  host_.loop().watch(server_.stream->writable(), *this);
}

void Link::connection_decided() {
  host_.loop().forget(server_.stream->writable());
  is_connecting_ = false;
  const int trouble = connecting_->connection_trouble();
  connecting_ = nullptr;
  if (trouble != 0) {
    server_.stream.reset();
    if (++address_ < edge_.target.addresses()) {
      try_address();
      return;
    }
    connection_failed(
        fmt::format("cannot connect to {}: {}", edge_.target.text(), std::strerror(trouble)));
    return;
  }
  watch_reading(server_, true);
  server_connected();
  if (is_over_ || !server_.stream) return;
  if (server_.backlog() == 0) {
    if (server_.ends_writing) server_.stream->end_writing();
    return;
  }
  flush(server_, client_);
  if (!is_over_ && server_.stream && server_.backlog() > 0) watch_writing(server_, true);
}

void Link::hold(HeldUnit unit) {
  held_ = std::move(unit);
  host_.controller()->arrived(*held_);
}

void Link::permit_unit(std::uint64_t ordinal) {
  if (!held_ || held_->ordinal != ordinal || is_over()) return;
  running_ = std::exchange(held_, std::nullopt);
  is_sending_ = true;
  send_permitted(*running_);
  tell_running();
}

void Link::tell_running() {
  if (!is_sending_ || !running_ || is_over_ || is_connecting_ || server_.backlog() > 0) return;
  is_sending_ = false;
  host_.controller()->changed(*running_, UnitState::running);
}

void Link::refuse_unit(std::uint64_t ordinal, std::string_view why) {
  if (!held_ || held_->ordinal != ordinal || is_over()) return;
  answer_refused(why);
}

void Link::running_was_answered() {
  if (!running_) return;
  const HeldUnit answered = *std::exchange(running_, std::nullopt);
  host_.controller()->ended(answered, HeldEnd::answered);
}

void Link::units_are_gone() {
  if (running_) host_.controller()->ended(*std::exchange(running_, std::nullopt), HeldEnd::gone);
  if (held_) host_.controller()->ended(*std::exchange(held_, std::nullopt), HeldEnd::gone);
}

void Link::end() {
  if (is_over()) return;
  is_ending_ = true;
  tell_unanswered();
  watch_reading(server_, false);
  watch_reading(client_, false);
  if (client_.backlog() == 0) {
    await_client_end();
    return;
  }
  watch_writing(client_, true);
  abort_later(host_.end_patience());
}

// All was said. To close while the client still sends would have its system throw away what it has
// not read (RFC 9112, section 9.6), so that what comes is read, for nothing.
void Link::await_client_end() {
  if (client_.has_ended) {
    abort();
    return;
  }
  close_side(server_);
  client_.stream->end_writing();
  waits_until_ = std::chrono::steady_clock::now() + host_.end_patience();
  watch_reading(client_, true);
  abort_later(host_.last_bytes_patience());
}

// Unless the client reads or sends something before that.
void Link::abort_later(std::chrono::milliseconds patience) {
  if (end_timer_) host_.loop().cancel(*end_timer_);
  end_timer_ = host_.loop().call_at(std::chrono::steady_clock::now() + patience, [this] {
    end_timer_.reset();
    abort();
  });
}

void Link::abort() {
  if (is_over_) return;
  close_both();
  host_.link_ended(*this);
}

void Link::close_both() {
  if (is_over_) return;
  is_over_ = true;
  if (end_timer_) host_.loop().cancel(*std::exchange(end_timer_, std::nullopt));
  close_side(client_);
  close_side(server_);
}

void Link::close_side(Side& side) {
  if (!side.stream) return;
  if (&side == &server_ && std::exchange(is_connecting_, false)) {
    host_.loop().forget(side.stream->writable());
    connecting_ = nullptr;
  }
  watch_reading(side, false);
  watch_writing(side, false);
  side.stream.reset();
}

}  // namespace heddle
