#include "wire/http/http_reader.h"

#include <algorithm>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "wire/http/framing.h"
#include "wire/http/message_parser.h"

namespace heddle {
namespace {

// Bytes that have been given out are dropped when there are so many.
constexpr std::size_t kDropReadAt = std::size_t{1} << 16;
constexpr char kTlsHandshake = 0x16;

bool is_token_character(char c) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return is_letter(c) || is_digit(c) || kOthers.find(c) != kOthers.npos;
}

bool ends_in_cr_lf(std::string_view line) { return line.ends_with(kHttpLineEnd); }

}  // namespace

class HttpReader::Machine {
 public:
  using Next = Result<std::optional<HttpPiece>>;

  explicit Machine(bool is_request) : is_request_(is_request) {}

  void append(std::string_view bytes) { bytes_ += bytes; }
  void end_of_stream() { is_ended_ = true; }
  void expect(std::string_view method) { expected_.emplace_back(method); }
  bool is_waiting() const { return state_ == State::waiting; }
  std::size_t held_bytes() const { return bytes_.size() - at_ + last_.size(); }

  void go_on(bool as_tunnel) {
    waits_ = false;
    becomes_tunnel_ = becomes_tunnel_ || as_tunnel;
    if (state_ == State::waiting || state_ == State::head) begin_message();
  }

  Next next() {
    if (error_) return *error_;
    Next piece = read();
    if (!piece) error_ = piece.error();
    return piece;
  }

 private:
  enum class State : std::uint8_t { head, body, end, waiting, tunnel };

  // Looks at the lines of a head, a chunk's beginning or trailers while they come, so that an error
  // is the same however the bytes are cut.
  struct LineScan {
    std::size_t at = 0;          // up to here all was looked at
    std::size_t line_begin = 0;  // where the current line begins

    // The end of the next line in `text`; npos: it has not come.
    std::size_t next_line(std::string_view text) {
      const std::size_t found = text.find('\n', at);
      at = found == text.npos ? text.size() : found + 1;
      return found == text.npos ? found : at;
    }
  };

  Next read() {
    switch (state_) {
      case State::head:
        return read_head();
      case State::body:
        return length_ == HttpLength::until_close ? read_until_close() : read_body();
      case State::end:
        return read_end();
      case State::tunnel:
        return read_tunnel();
      case State::waiting:
        break;
    }
    return nothing_yet();
  }

  static Next given(HttpPiece piece) { return std::optional<HttpPiece>(std::move(piece)); }
  static Next nothing_yet() { return std::optional<HttpPiece>(); }

  std::string_view pending() const { return std::string_view(bytes_).substr(at_); }
  std::string take(std::size_t count);
  std::string noun() const { return is_request_ ? "request" : "response"; }
  Diagnostic malformed(const std::string& why) const;
  Diagnostic cut_off() const;

  void begin_message();
  Next read_head();
  Result<std::size_t> find_head_end();
  std::string first_line_trouble(std::string_view line) const;
  Next parse_head(std::size_t length);
  void classify();
  bool begins_tunnel() const;
  Next read_until_close();
  Next read_body();
  std::string read_part(HttpPiece& piece, bool& goes_on);
  std::string lines_trouble(std::string_view lines);
  Next read_end();
  Next read_tunnel();
  std::unique_ptr<MessageParser> new_parser() const;

  bool is_request_;
  State state_ = State::head;
  std::string bytes_;
  std::size_t at_ = 0;  // of bytes_: up to here they were given out
  bool is_ended_ = false;
  std::optional<Diagnostic> error_;
  std::deque<std::string> expected_;  // methods of requests without a response

  // The message that is read.
  std::unique_ptr<MessageParser> parser_;
  HttpLength length_ = HttpLength::no_body;
  LineScan scan_;
  std::size_t empty_lines_ = 0;  // bytes of those before a request
  std::string last_;             // the bytes of the last chunk
  bool waits_ = false;           // when the message has ended
  bool becomes_tunnel_ = false;  // as above
};

std::string HttpReader::Machine::take(std::size_t count) {
  std::string taken(pending().substr(0, count));
  at_ += count;
  if (at_ == bytes_.size()) {
    bytes_.clear();
    at_ = 0;
  } else if (at_ >= kDropReadAt && at_ >= bytes_.size() / 2) {
    bytes_.erase(0, at_);
    at_ = 0;
  }
  scan_ = {};
  return taken;
}

Diagnostic HttpReader::Machine::malformed(const std::string& why) const {
  return {.what = fmt::format("malformed HTTP {}: {}", noun(), why)};
}

Diagnostic HttpReader::Machine::cut_off() const {
  return {.what = fmt::format("the connection ends in the middle of an HTTP {}", noun()),
          .trouble = Trouble::environment};
}

std::unique_ptr<MessageParser> HttpReader::Machine::new_parser() const {
  if (is_request_) return MessageParser::of_request();
  return MessageParser::of_response(!expected_.empty() && expected_.front() == "HEAD");
}

void HttpReader::Machine::begin_message() {
  parser_.reset();
  scan_ = {};
  empty_lines_ = 0;
  state_ = becomes_tunnel_ ? State::tunnel : waits_ ? State::waiting : State::head;
}

HttpReader::Machine::Next HttpReader::Machine::read_head() {
  const Result<std::size_t> length = find_head_end();
  if (!length) return length.error();
  if (*length > 0) return parse_head(*length);
  const bool is_begun = pending().size() > empty_lines_;
  if (is_ended_ && is_begun) return cut_off();
  return nothing_yet();
}

// Zero: it has not come.
Result<std::size_t> HttpReader::Machine::find_head_end() {
  const std::string_view bytes = pending();
  // RFC 9112, section 2.2: there may be an empty line before a request.
  while (is_request_ && bytes.substr(empty_lines_).starts_with(kHttpLineEnd)) {
    empty_lines_ += kHttpLineEnd.size();
  }
  if (empty_lines_ > kLongestHttpHead) return malformed("only empty lines come");
  const std::string_view head = bytes.substr(empty_lines_);
  if (head.empty() || (is_request_ && head == "\r")) return 0;
  if (is_request_ && head.front() == kTlsHandshake) return malformed("it begins like TLS");
  if (is_request_ && !is_token_character(head.front())) return malformed("its method is malformed");
  constexpr std::string_view kVersion = "HTTP/";
  if (!is_request_ && head.substr(0, kVersion.size()) != kVersion.substr(0, head.size())) {
    return malformed("it does not begin with a version of HTTP");
  }
  while (true) {
    const std::size_t end = scan_.next_line(head);
    if (scan_.at > kLongestHttpHead) {
      return malformed(fmt::format("its head is longer than {} KiB", kLongestHttpHead >> 10));
    }
    if (end == head.npos) return 0;
    const std::string_view line = head.substr(scan_.line_begin, end - scan_.line_begin);
    if (!ends_in_cr_lf(line)) return malformed("its lines do not end in CR LF");
    if (scan_.line_begin == 0) {
      if (std::string why = first_line_trouble(line); !why.empty()) return malformed(why);
    }
    if (line == kHttpLineEnd) return empty_lines_ + end;
    scan_.line_begin = end;
  }
}

// Before the others have come, because one who speaks another protocol may wait for an answer.
std::string HttpReader::Machine::first_line_trouble(std::string_view line) const {
  return new_parser()->put(line).trouble;
}

HttpReader::Machine::Next HttpReader::Machine::parse_head(std::size_t length) {
  parser_ = new_parser();
  const std::string_view head = pending().substr(empty_lines_, length - empty_lines_);
  const MessageParser::Step step = parser_->put(head);
  if (!step.trouble.empty()) return malformed(step.trouble);
  if (step.needs_more || step.bytes != head.size()) return malformed("its head is malformed");
  if (std::string why = framing_trouble(parser_->head); !why.empty()) return malformed(why);
  classify();
  HttpPiece piece{.kind = HttpPiece::Kind::head, .bytes = take(length)};
  length_ = parser_->head.length;
  piece.head = std::move(parser_->head);
  return given(std::move(piece));
}

// What comes behind the head.
void HttpReader::Machine::classify() {
  HttpHead& head = parser_->head;
  waits_ = is_request_ && (head.method == "CONNECT" || asks_for_upgrade(head));
  if (begins_tunnel()) {
    head.length = HttpLength::tunnel;
    head.body_bytes = 0;
    head.keep_alive = false;
    becomes_tunnel_ = true;
  }
  const bool has_body = head.length != HttpLength::no_body && head.length != HttpLength::tunnel;
  state_ = has_body ? State::body : State::end;
  if (!is_request_ && !is_interim(head) && !expected_.empty()) expected_.pop_front();
}

bool HttpReader::Machine::begins_tunnel() const {
  const int status = parser_->head.status;
  if (status == kSwitchingProtocols) return true;
  return status / 100 == 2 && !expected_.empty() && expected_.front() == "CONNECT";
}

HttpReader::Machine::Next HttpReader::Machine::read_until_close() {
  if (pending().empty()) {
    if (is_ended_) state_ = State::end;
    return is_ended_ ? read_end() : nothing_yet();
  }
  HttpPiece piece{.kind = HttpPiece::Kind::body, .bytes = take(pending().size())};
  piece.payload = piece.bytes;
  return given(std::move(piece));
}

HttpReader::Machine::Next HttpReader::Machine::read_body() {
  HttpPiece piece{.kind = HttpPiece::Kind::body, .bytes = ""};
  bool goes_on = true;
  while (goes_on && state_ == State::body && !pending().empty()) {
    const std::string why = read_part(piece, goes_on);
    if (why.empty()) continue;
    // What came before the trouble is well-formed and may be passed on.
    if (piece.bytes.empty()) return malformed(why);
    error_ = malformed(why);
    return given(std::move(piece));
  }
  if (!piece.bytes.empty()) return given(std::move(piece));
  if (state_ == State::end) return read_end();
  if (is_ended_) return cut_off();
  return nothing_yet();
}

// Adds the next part of the body, if it has come, and tells what is wrong with it.
std::string HttpReader::Machine::read_part(HttpPiece& piece, bool& goes_on) {
  const bool is_counted = length_ == HttpLength::counted;
  const bool is_frame = !is_counted && parser_->chunk_left == 0;
  goes_on = !is_frame || pending().size() >= kShortestChunk;
  if (!goes_on) return "";
  const MessageParser::Step step = parser_->put(pending());
  if (!step.trouble.empty()) return step.trouble;
  goes_on = !step.needs_more;
  if (is_frame) {
    const auto lines = pending().substr(0, step.needs_more ? pending().size() : step.bytes);
    if (std::string why = lines_trouble(lines); !why.empty()) return why;
  }
  if (step.needs_more) return "";
  if (parser_->is_done()) state_ = State::end;
  if (is_frame && parser_->is_done()) {
    last_ = take(step.bytes);
    return "";
  }
  piece.bytes += take(step.bytes);
  piece.payload += std::exchange(parser_->payload, {});
  return "";
}

// The parser takes lines of any length, and any character between quotes.
std::string HttpReader::Machine::lines_trouble(std::string_view lines) {
  while (true) {
    const std::size_t end = scan_.next_line(lines);
    if (scan_.at > kLongestHttpHead) return "a chunk's beginning or the trailers are too long";
    if (end == lines.npos) return "";
    if (!ends_in_cr_lf(lines.substr(0, end))) return "a chunk of its body is malformed";
  }
}

HttpReader::Machine::Next HttpReader::Machine::read_end() {
  if (!parser_->trailers.empty()) {
    HttpPiece piece{.kind = HttpPiece::Kind::trailers, .bytes = std::exchange(last_, {})};
    piece.trailers = std::exchange(parser_->trailers, {});
    return given(std::move(piece));
  }
  HttpPiece piece{.kind = HttpPiece::Kind::end, .bytes = std::exchange(last_, {})};
  begin_message();
  return given(std::move(piece));
}

HttpReader::Machine::Next HttpReader::Machine::read_tunnel() {
  if (pending().empty()) return nothing_yet();
  return given({.kind = HttpPiece::Kind::tunnel, .bytes = take(pending().size())});
}

HttpReader HttpReader::requests() { return HttpReader(std::make_unique<Machine>(true)); }
HttpReader HttpReader::responses() { return HttpReader(std::make_unique<Machine>(false)); }

HttpReader::HttpReader(std::unique_ptr<Machine> machine) : machine_(std::move(machine)) {}
HttpReader::HttpReader(HttpReader&& other) noexcept = default;
HttpReader& HttpReader::operator=(HttpReader&& other) noexcept = default;
HttpReader::~HttpReader() = default;

void HttpReader::append(std::string_view bytes) { machine_->append(bytes); }
void HttpReader::end_of_stream() { machine_->end_of_stream(); }
Result<std::optional<HttpPiece>> HttpReader::next() { return machine_->next(); }
void HttpReader::expect(std::string_view method) { machine_->expect(method); }
bool HttpReader::is_waiting() const { return machine_->is_waiting(); }
void HttpReader::go_on(bool as_tunnel) { machine_->go_on(as_tunnel); }
std::size_t HttpReader::held_bytes() const { return machine_->held_bytes(); }

}  // namespace heddle
