#include "race/replay/request_sender.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "stream/stream_socket.h"
#include "wire/http/http_reader.h"

namespace heddle {
namespace {

constexpr std::size_t kMostAnswerRead = std::size_t{1} << 16;
// Of the span that stands for the client: any will do.
constexpr std::string_view kClientSpan = "00000000000000f1";

Diagnostic no_answer(const HttpToSend& request, std::string_view why) {
  return {.what = fmt::format("{} {} {}", request.method, request.target, why),
          .trouble = Trouble::environment};
}

Result<std::unique_ptr<SocketStream>> connect_to(const std::string& address, Deadline deadline) {
  const auto target = SocketTarget::find(address);
  if (!target) return target.error();
  auto stream = target->connect_now();
  if (!stream) return stream.error();
  const auto decided = wait_for((*stream)->writable(), deadline);
  if (!decided) return decided.error();
  if (!*decided || (*stream)->connection_trouble() != 0) {
    return Diagnostic{.what = fmt::format("nobody listens at {}", address),
                      .trouble = Trouble::environment};
  }
  return std::move(*stream);
}

std::string request_bytes(const std::string& address, const HttpToSend& request,
                          const std::string& trace) {
  HttpHead head;
  head.method = request.method;
  head.target = request.target;
  head.headers = {{"Host", address}, {"Connection", "close"}};
  for (const auto& [name, value] : request.headers) head.headers.push_back({name, value});
  head.headers.push_back({"traceparent", fmt::format("00-{}-{}-01", trace, kClientSpan)});
  return head_bytes(head) + request.body;
}

// Takes pieces into the answer; whether its end was among them.
Result<bool> take_pieces(HttpReader& reader, HttpAnswer& answer) {
  while (true) {
    auto piece = reader.next();
    if (!piece) return piece.error();
    if (!*piece) return false;
    switch ((**piece).kind) {
      case HttpPiece::Kind::head:
        if (is_interim((**piece).head)) break;
        answer.status = (**piece).head.status;
        for (HttpHeader& each : (**piece).head.headers) {
          answer.headers.emplace_back(std::move(each.name), std::move(each.value));
        }
        break;
      case HttpPiece::Kind::body:
        answer.body += (**piece).payload;
        break;
      case HttpPiece::Kind::end:
        if (answer.status != 0) return true;
        break;
      case HttpPiece::Kind::tunnel:
        return true;
      case HttpPiece::Kind::trailers:
        break;
    }
  }
}

}  // namespace

Result<HttpAnswer> send_request(const std::string& address, const HttpToSend& request,
                                const std::string& trace, Deadline deadline) {
  auto stream = connect_to(address, deadline);
  if (!stream) return stream.error();
  if (!(*stream)->write_all(request_bytes(address, request, trace), deadline)) {
    return no_answer(request, "was not taken");
  }
  HttpReader reader = HttpReader::responses();
  reader.expect(request.method);
  HttpAnswer answer;
  while (true) {
    const auto ready = wait_for((*stream)->readable(), deadline);
    if (!ready) return ready.error();
    if (!*ready) return no_answer(request, "was not answered in time");
    std::string bytes;
    const bool goes_on = (*stream)->read_some(bytes, kMostAnswerRead);
    reader.append(bytes);
    if (!goes_on) reader.end_of_stream();
    const auto is_whole = take_pieces(reader, answer);
    if (!is_whole) return no_answer(request, is_whole.error().what);
    if (*is_whole) return answer;
    if (!goes_on) return no_answer(request, "was answered by the end of the connection");
  }
}

}  // namespace heddle
