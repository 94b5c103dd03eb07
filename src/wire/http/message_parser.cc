#include "wire/http/message_parser.h"

#include <boost/beast/http/basic_parser.hpp>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "wire/http/http_reader.h"

namespace heddle {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

// Two more than what a head may have, so that its length is the reader's to judge.
constexpr std::uint32_t kParserLimit = kLongestHttpHead + 2;

constexpr int kLowestStatus = 100;

constexpr std::pair<http::error, const char*> kTroubles[] = {
    {http::error::header_limit, "a header of it is folded to more than 4 KiB"},
    {http::error::bad_line_ending, "its lines do not end in CR LF"},
    {http::error::bad_method, "its method is malformed"},
    {http::error::bad_target, "its target is malformed"},
    {http::error::bad_version, "it is not of HTTP/1.0 or HTTP/1.1"},
    {http::error::bad_status, "its status is malformed"},
    {http::error::bad_reason, "its reason is malformed"},
    {http::error::bad_field, "the name of a header is malformed"},
    {http::error::bad_value, "the value of a header is malformed"},
    {http::error::bad_content_length,
     "its Content-Length is malformed, or contradicts another or a Transfer-Encoding"},
    {http::error::bad_transfer_encoding,
     "its Transfer-Encoding is repeated or contradicts a Content-Length"},
    {http::error::bad_chunk, "a chunk of its body is malformed"},
    {http::error::bad_chunk_extension, "a chunk of its body has a malformed extension"},
};

std::string trouble_of(const beast::error_code& code) {
  for (const auto& [error, trouble] : kTroubles) {
    if (code == error) return trouble;
  }
  return "it is malformed: " + code.message();
}

template <bool is_request>
class BeastParser final : public MessageParser, private http::basic_parser<is_request> {
  using Base = http::basic_parser<is_request>;
  using Text = beast::string_view;

 public:
  explicit BeastParser(bool has_no_body) {
    Base::header_limit(kParserLimit);
    // Without a limit Beast 1.74 takes every length for one that is above it.
    Base::body_limit(std::numeric_limits<std::uint64_t>::max());
    Base::skip(has_no_body);
  }

  Step put(std::string_view bytes) override {
    const bool had_head = Base::is_header_done();
    beast::error_code code;
    Step step;
    step.bytes = Base::put(boost::asio::const_buffer(bytes.data(), bytes.size()), code);
    step.needs_more = code == http::error::need_more;
    if (has_too_many_) {
      step.trouble = fmt::format("it has more than {} headers", kMostHttpHeaders);
    } else if (code && !step.needs_more) {
      step.trouble = trouble_of(code);
    } else if (!had_head && Base::is_header_done()) {
      describe_body();
    }
    return step;
  }

  bool is_done() const override { return Base::is_done(); }

 private:
  void describe_body() {
    head.keep_alive = Base::keep_alive();
    if (Base::is_done()) return;
    if (Base::chunked()) {
      head.length = HttpLength::chunked;
    } else if (Base::need_eof()) {
      head.length = HttpLength::until_close;
    } else {
      head.length = HttpLength::counted;
      head.body_bytes = Base::content_length().value_or(0);
    }
  }

  void on_request_impl(http::verb, Text method, Text target, int version,
                       beast::error_code&) override {
    head.method = std::string(method);
    head.target = std::string(target);
    head.version = version;
  }

  void on_response_impl(int code, Text reason, int version, beast::error_code& error) override {
    if (code < kLowestStatus) error = http::error::bad_status;
    head.status = code;
    head.reason = std::string(reason);
    head.version = version;
  }

  void on_field_impl(http::field, Text name, Text value, beast::error_code& code) override {
    std::vector<HttpHeader>& fields = is_in_body_ ? trailers : head.headers;
    if (fields.size() >= kMostHttpHeaders) {
      has_too_many_ = true;
      code = http::error::header_limit;
      return;
    }
    fields.push_back({std::string(name), std::string(value)});
  }

  void on_header_impl(beast::error_code&) override { is_in_body_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, beast::error_code&) override {}
  void on_finish_impl(beast::error_code&) override {}

  std::size_t on_body_impl(Text body, beast::error_code&) override {
    payload.append(body.data(), body.size());
    return body.size();
  }

  void on_chunk_header_impl(std::uint64_t size, Text, beast::error_code&) override {
    chunk_left = size;
  }

  std::size_t on_chunk_body_impl(std::uint64_t, Text body, beast::error_code&) override {
    payload.append(body.data(), body.size());
    chunk_left -= body.size();
    return body.size();
  }

  bool is_in_body_ = false;
  bool has_too_many_ = false;
};

}  // namespace

std::unique_ptr<MessageParser> MessageParser::of_request() {
  return std::make_unique<BeastParser<true>>(false);
}

std::unique_ptr<MessageParser> MessageParser::of_response(bool has_no_body) {
  return std::make_unique<BeastParser<false>>(has_no_body);
}

}  // namespace heddle
