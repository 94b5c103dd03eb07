// A plain relay, the least that anything between a client and a server can cost: bytes go from one
// socket to the other as they come, a thread for each direction.
//
//   relay PORT TO_PORT      on 127.0.0.1; prints a line when it listens
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace {

sockaddr_in loopback(const char* port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void send_at_once(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void pass(int from, int to) {
  std::array<char, 65536> bytes;
  while (true) {
    const ssize_t count = ::recv(from, bytes.data(), bytes.size(), 0);
    if (count <= 0) break;
    for (ssize_t at = 0; at < count;) {
      const auto left = static_cast<std::size_t>(count - at);
      const ssize_t sent = ::send(to, bytes.data() + at, left, MSG_NOSIGNAL);
      if (sent <= 0) break;
      at += sent;
    }
  }
  ::shutdown(to, SHUT_WR);
}

void serve(int client, const char* to_port) {
  const int server = ::socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = loopback(to_port);
  if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    send_at_once(client);
    send_at_once(server);
    std::thread back(pass, server, client);
    pass(client, server);
    back.join();
  }
  ::close(server);
  ::close(client);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const sockaddr_in address = loopback(words[1]);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return 2;
  if (::listen(listener, SOMAXCONN) != 0) return 2;
  std::puts("listening");
  std::fflush(stdout);
  while (true) {
    const int client = ::accept(listener, nullptr, nullptr);
    if (client >= 0) std::thread(serve, client, words[2]).detach();
  }
}
