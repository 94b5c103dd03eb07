// A client that speaks HTTP/1, and the service behind it.
//
// Each client's connection has one of ours, which ends when the other does: nothing is sent again,
// and who counts on a connection that lasts has one. At an outer edge a request that names no trace
// is given one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/link.h"
#include "wire/http/http_reader.h"

namespace heddle {

class HttpLink final : public Link {
 public:
  HttpLink(LinkHost& host, const ProxyEdge& edge, ProxiedConnection number,
           std::unique_ptr<Stream> client, std::size_t most_body);
  ~HttpLink() override;

  void refuse(std::string_view why) override;

 protected:
  void client_bytes(std::string_view bytes) override;
  void server_bytes(std::string_view bytes) override;
  void client_ended() override;
  void server_ended() override;
  void tell_unanswered() override;
  void connection_failed(const std::string& why) override;
  void send_permitted(const HeldUnit& unit) override;
  void answer_refused(std::string_view why) override;

 private:
  // A request that is not sent yet, as far as it has come.
  struct Waiting {
    std::uint64_t ordinal = 0;
    std::string bytes;
  };

  void pass_to_server(std::string_view bytes);
  void announce();
  void take_requests();
  void limit_client();
  bool has_too_much() const;
  void answer_bad_request();
  void take_request_piece(HttpPiece piece);
  void take_responses();
  void take_response_piece(HttpPiece piece);
  void begin_request(HttpPiece piece);
  std::string passed_head(const HttpPiece& piece, std::string& trace);
  void end_response();
  void add_body(PassedBody& body, std::string_view payload) const;
  void fail(int status, std::string_view text);

  HttpReader requests_ = HttpReader::requests();
  HttpReader responses_ = HttpReader::responses();
  std::deque<HttpExchange> exchanges_;  // that are not answered, as they came
  std::deque<Waiting> waiting_;         // where requests are held
  std::size_t kept_bytes_ = 0;          // of bodies of the exchanges
  std::size_t waiting_bytes_ = 0;
  std::uint64_t next_ordinal_ = 1;
  std::size_t most_body_;
  bool is_within_request_ = false;   // its end has not come
  bool is_full_ = false;             // too much is kept, the client has to wait
  std::string bad_request_;          // what was wrong with it; empty: nothing
  bool is_interim_ = false;          // the response that comes in announces another one
  bool has_begun_response_ = false;  // of the first of these something was passed on
};

}  // namespace heddle
