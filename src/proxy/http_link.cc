#include "proxy/http_link.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "wire/http/traceparent.h"

namespace heddle {
namespace {

// So much may wait of what one client has sent; then no more is read. The same of bodies that were
// sent on, and are kept until they are answered.
constexpr std::size_t kMostHeldRequest = std::size_t{16} << 20;
// Requests of one client that were not answered yet; then no more is read.
constexpr std::size_t kMostUnanswered = 100;
constexpr int kBadRequest = 400;
constexpr int kBadGateway = 502;
constexpr int kUnavailable = 503;
// Bytes of requests that may wait to be understood.
constexpr std::size_t kMostHeld = std::size_t{1} << 18;

// A response that goes on as long as there is news.
bool is_stream(const HttpHead& response) {
  const auto type = only_header(response.headers, "content-type");
  return type && to_lower(*type).starts_with("text/event-stream");
}

}  // namespace

HttpLink::HttpLink(LinkHost& host, const ProxyEdge& edge, ProxiedConnection number,
                   std::unique_ptr<Stream> client, std::size_t most_body)
    : Link(host, edge, number, std::move(client)), most_body_(most_body) {
  observer().connection_opened(number, std::chrono::steady_clock::now());
}

HttpLink::~HttpLink() {
  tell_unanswered();
  observer().connection_closed(number(), std::chrono::steady_clock::now());
}

void HttpLink::tell_unanswered() {
  for (HttpExchange& each : std::exchange(exchanges_, {})) {
    observer().request_answered(number(), std::move(each));
  }
}

void HttpLink::client_bytes(std::string_view bytes) {
  requests_.append(bytes);
  take_requests();
}

void HttpLink::take_requests() {
  while (!is_over() && bad_request_.empty()) {
    auto piece = requests_.next();
    if (!piece) {
      remark(fmt::format("connection {}: {}", number().number, piece.error().what));
      bad_request_ = piece.error().what;
      pause_client();
      answer_bad_request();
      return;
    }
    if (!*piece) break;
    take_request_piece(std::move(**piece));
  }
  if (!is_over() && bad_request_.empty()) limit_client();
}

// What waits for the answer to an upgrade is kept, and what waits to be permitted, and whatever was
// sent behind a request that is not answered. The rest of that one alone is always read: the
// service may want all of it before it answers.
bool HttpLink::has_too_much() const {
  const bool is_pipelined = exchanges_.size() > 1 && kept_bytes_ > kMostHeldRequest;
  return requests_.held_bytes() > kMostHeld || waiting_bytes_ > kMostHeldRequest || is_pipelined ||
         exchanges_.size() > kMostUnanswered;
}

void HttpLink::limit_client() {
  const bool is_full = has_too_much();
  if (std::exchange(is_full_, is_full) == is_full) return;
  if (is_full) {
    pause_client();
  } else {
    continue_client();
  }
}

// Those before it are answered first.
void HttpLink::answer_bad_request() {
  const std::size_t own = is_within_request_ ? 1 : 0;
  if (!bad_request_.empty() && exchanges_.size() <= own) fail(kBadRequest, bad_request_);
}

void HttpLink::take_request_piece(HttpPiece piece) {
  switch (piece.kind) {
    case HttpPiece::Kind::head:
      begin_request(std::move(piece));
      return;
    case HttpPiece::Kind::body:
      if (!exchanges_.empty()) {
        PassedBody& body = exchanges_.back().body;
        kept_bytes_ -= body.bytes.size();
        add_body(body, piece.payload);
        kept_bytes_ += body.bytes.size();
      }
      break;
    case HttpPiece::Kind::end:
      is_within_request_ = false;
      break;
    case HttpPiece::Kind::trailers:
    case HttpPiece::Kind::tunnel:
      break;
  }
  pass_to_server(piece.bytes);
}

// Behind what waits, or at once.
void HttpLink::pass_to_server(std::string_view bytes) {
  if (waiting_.empty()) {
    to_server(bytes);
    return;
  }
  waiting_.back().bytes += bytes;
  waiting_bytes_ += bytes.size();
}

void HttpLink::begin_request(HttpPiece piece) {
  const ProxyTime now = std::chrono::steady_clock::now();
  HttpExchange& exchange = exchanges_.emplace_back();
  exchange.ordinal = next_ordinal_++;
  is_within_request_ = true;
  exchange.times = {.arrived = now, .permitted = now};
  const std::string bytes = passed_head(piece, exchange.trace);
  exchange.request = std::move(piece.head);
  responses_.expect(exchange.request.method);
  const std::uint64_t ordinal = exchange.ordinal;
  const bool is_held = is_holding();
  if (is_held) exchange.times.permitted.reset();
  // While it is held nobody has been asked anything.
  if (!is_held) {
    observer().request_arrived(number(), ordinal, exchange.request, exchange.trace, now);
  }
  if (ordinal == 1) connect();
  if (is_over()) return;
  if (!is_held) {
    to_server(bytes);
    return;
  }
  waiting_.push_back({.ordinal = ordinal, .bytes = bytes});
  waiting_bytes_ += bytes.size();
  announce();
}

// The first request that waits, where all before it are answered.
void HttpLink::announce() {
  if (waiting_.empty() || held() || is_over()) return;
  if (exchanges_.empty() || exchanges_.front().ordinal != waiting_.front().ordinal) return;
  const HttpExchange& exchange = exchanges_.front();
  hold({.connection = number(),
        .ordinal = exchange.ordinal,
        .is_request = true,
        .text = std::make_shared<const std::string>(exchange.request.method + " " +
                                                    exchange.request.target),
        .trace = exchange.trace});
}

void HttpLink::send_permitted(const HeldUnit& unit) {
  HttpExchange& exchange = exchanges_.front();
  exchange.times.permitted = std::chrono::steady_clock::now();
  observer().request_arrived(number(), unit.ordinal, exchange.request, exchange.trace,
                             *exchange.times.permitted);
  const std::string bytes = std::move(waiting_.front().bytes);
  waiting_.pop_front();
  waiting_bytes_ -= bytes.size();
  to_server(bytes);
  if (!is_over() && bad_request_.empty()) limit_client();
}

void HttpLink::answer_refused(std::string_view why) { fail(kUnavailable, why); }

// The bytes of the head, with a trace where it had none and its flow begins here. HTTP/2 is not
// offered: of what followed nothing could be read.
std::string HttpLink::passed_head(const HttpPiece& piece, std::string& trace) {
  std::string bytes = piece.bytes;
  const auto upgrade = only_header(piece.head.headers, "upgrade");
  if (upgrade && to_lower(*upgrade).starts_with("h2c")) {
    bytes = without_header(without_header(bytes, "upgrade"), "http2-settings");
  }
  if (const auto named = traceparent_of(piece.head.headers)) {
    trace = named->trace_id;
    return bytes;
  }
  if (!edge().is_outer) return bytes;
  const auto drawn = draw_traceparent();
  if (!drawn) return bytes;
  trace = drawn->trace_id;
  return with_header(bytes, {std::string(kTraceparentName), traceparent_text(*drawn)});
}

void HttpLink::add_body(PassedBody& body, std::string_view payload) const {
  body.size += payload.size();
  body.hash.add(payload);
  const std::size_t room = most_body_ - std::min(most_body_, body.bytes.size());
  body.bytes += payload.substr(0, room);
  if (payload.size() > room) body.is_whole = false;
}

void HttpLink::server_bytes(std::string_view bytes) {
  responses_.append(bytes);
  take_responses();
}

void HttpLink::take_responses() {
  while (!is_over()) {
    auto piece = responses_.next();
    if (!piece) {
      remark(fmt::format("connection {}: the response of {}: {}", number().number,
                         edge().target.text(), piece.error().what));
      fail(kBadGateway, fmt::format("heddle: the response of {} cannot be read: {}",
                                    edge().target.text(), piece.error().what));
      return;
    }
    if (!*piece) return;
    take_response_piece(std::move(**piece));
  }
}

void HttpLink::take_response_piece(HttpPiece piece) {
  to_client(piece.bytes);
  if (is_over()) return;
  has_begun_response_ = piece.kind != HttpPiece::Kind::end;
  if (is_interim_) {
    is_interim_ = has_begun_response_;
    return;
  }
  if (exchanges_.empty()) return;
  HttpExchange& exchange = exchanges_.front();
  switch (piece.kind) {
    case HttpPiece::Kind::head: {
      if (is_interim(piece.head)) {
        has_begun_response_ = false;
        is_interim_ = true;
        break;
      }
      const bool is_tunnel = piece.head.length == HttpLength::tunnel;
      const bool is_exempt = is_tunnel || is_stream(piece.head);
      exchange.response = std::move(piece.head);
      if (is_exempt) observer().request_exempt(number(), exchange.ordinal);
      if (requests_.is_waiting()) requests_.go_on(is_tunnel);
      if (is_tunnel) take_requests();
      break;
    }
    case HttpPiece::Kind::body:
      add_body(exchange.response_body, piece.payload);
      break;
    case HttpPiece::Kind::end:
      end_response();
      break;
    case HttpPiece::Kind::trailers:
    case HttpPiece::Kind::tunnel:
      break;
  }
}

void HttpLink::end_response() {
  HttpExchange exchange = std::move(exchanges_.front());
  exchanges_.pop_front();
  kept_bytes_ -= exchange.body.bytes.size();
  exchange.times.answered = std::chrono::steady_clock::now();
  observer().request_answered(number(), std::move(exchange));
  running_was_answered();
  announce();
  answer_bad_request();
  take_requests();
}

void HttpLink::client_ended() {
  if (next_ordinal_ == 1 || !waiting_.empty()) {
    abort();
    return;
  }
  // A client may close its side and still wait for the answer.
  end_to_server();
}

void HttpLink::server_ended() {
  responses_.end_of_stream();
  const bool was_within = has_begun_response_;
  while (!is_over()) {
    auto piece = responses_.next();
    if (!piece || !*piece) break;
    take_response_piece(std::move(**piece));
  }
  if (is_over()) return;
  const bool is_tunnel = !exchanges_.empty() && exchanges_.front().response &&
                         exchanges_.front().response->length == HttpLength::tunnel;
  if (exchanges_.empty() || is_tunnel) {
    end();
  } else if (was_within) {
    abort();  // the client sees that the response ends in the middle
  } else {
    fail(kBadGateway, fmt::format("heddle: {} closed the connection and has not answered",
                                  edge().target.text()));
  }
}

void HttpLink::connection_failed(const std::string& why) { fail(kBadGateway, "heddle: " + why); }

void HttpLink::refuse(std::string_view why) {
  if (exchanges_.empty()) {
    abort();
    return;
  }
  fail(kUnavailable, why);
}

void HttpLink::fail(int status, std::string_view text) {
  if (has_begun_response_) {
    abort();
    return;
  }
  const std::string method = exchanges_.empty() ? "GET" : exchanges_.front().request.method;
  to_client(plain_response(status, text, method));
  end();
}

}  // namespace heddle
