#include "record/http_question.h"

#include <memory>
#include <utility>

#include "record/system_edges.h"
#include "stream/stream_socket.h"
#include "wire/http/http_reader.h"

namespace heddle {
namespace {

constexpr int kFirstError = 400;
constexpr std::size_t kMostRead = std::size_t{1} << 16;

// Null: nobody accepts a connection in time.
Result<std::unique_ptr<SocketStream>> connect(const std::string& address, Deadline deadline) {
  const auto target = SocketTarget::find(server_part(address));
  if (!target) return target.error();
  for (std::size_t i = 0; i < target->addresses(); ++i) {
    auto stream = target->connect_now(i);
    if (!stream) continue;
    const auto decided = wait_for((*stream)->writable(), deadline);
    if (!decided) return decided.error();
    if (*decided && (*stream)->connection_trouble() == 0) return std::move(*stream);
  }
  return std::unique_ptr<SocketStream>();
}

}  // namespace

Result<bool> accepts_connections(const std::string& address, Deadline deadline) {
  const auto stream = connect(address, deadline);
  if (!stream) return stream.error();
  return *stream != nullptr;
}

Result<bool> answers_well(const std::string& url, Deadline deadline) {
  const auto stream = connect(url, deadline);
  if (!stream) return stream.error();
  if (!*stream) return false;
  const std::size_t path = url.find('/', url.find("://") + 3);
  HttpHead head;
  head.method = "GET";
  head.target = path == url.npos ? "/" : url.substr(path);
  head.headers = {{"Host", server_part(url)}, {"Connection", "close"}, {"User-Agent", "heddle"}};
  if (!(*stream)->write_all(head_bytes(head), deadline)) return false;
  HttpReader reader = HttpReader::responses();
  reader.expect("GET");
  while (true) {
    const auto ready = wait_for((*stream)->readable(), deadline);
    if (!ready) return ready.error();
    if (!*ready) return false;
    std::string bytes;
    const bool goes_on = (*stream)->read_some(bytes, kMostRead);
    reader.append(bytes);
    if (!goes_on) reader.end_of_stream();
    auto piece = reader.next();
    while (piece && *piece && (**piece).kind == HttpPiece::Kind::head &&
           is_interim((**piece).head)) {
      piece = reader.next();
    }
    if (!piece) return false;
    if (*piece && (**piece).kind == HttpPiece::Kind::head) {
      return (**piece).head.status < kFirstError;
    }
    if (!goes_on) return false;
  }
}

}  // namespace heddle
