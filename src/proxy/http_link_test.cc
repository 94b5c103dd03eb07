#include <future>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "proxy/one_party.h"
#include "proxy/scene_testing.h"
#include "wire/http/http_reader.h"
#include "wire/http/traceparent.h"

namespace heddle {
namespace {

using Lines = std::vector<std::string>;

constexpr SceneOptions kInner{.protocol = EdgeProtocol::http};
constexpr SceneOptions kOuter{.protocol = EdgeProtocol::http, .is_outer = true};

std::string get(const std::string& target, const std::string& headers = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: here\r\n" + headers + "\r\n";
}
std::string post(const std::string& target, const std::string& body,
                 const std::string& headers = "") {
  return fmt::format("POST {} HTTP/1.1\r\nHost: here\r\nContent-Length: {}\r\n{}\r\n{}", target,
                     body.size(), headers, body);
}
std::string ok(const std::string& body) {
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(), body);
}

// A client's connection, and the service's end of it once the first request has come.
struct Pair {
  std::unique_ptr<Stream> client;
  std::unique_ptr<Stream> service;
};

Pair ask(Scene& scene, const std::string& request) {
  Pair pair{.client = scene.connect(), .service = nullptr};
  send(*pair.client, request);
  pair.service = scene.accept();
  expect_received(*pair.service, request);
  return pair;
}

void exchange(Pair& pair, const std::string& request, const std::string& response) {
  send(*pair.client, request);
  expect_received(*pair.service, request);
  send(*pair.service, response);
  expect_received(*pair.client, response);
}

TEST(HttpLink, a_connection_is_kept_for_further_requests) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/a"));
  send(*pair.service, ok("one"));
  expect_received(*pair.client, ok("one"));
  exchange(pair, post("/b", "two"), ok("three"));
  EXPECT_EQ(scene.heard(), (Lines{"1 opened", "1 arrived 1 GET /a", "1 answered 1 200 [one]",
                                  "1 arrived 2 POST /b", "1 answered 2 [two] 200 [three]"}));
  // One who leaves is passed on, whoever it is.
  pair.service->close();
  EXPECT_EQ(receive_all(*pair.client), "");
  EXPECT_EQ(scene.heard(1), Lines{"1 closed"});
}

TEST(HttpLink, a_client_that_leaves_leaves_the_service) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/a"));
  pair.client->close();
  EXPECT_EQ(receive_all(*pair.service), "");
  pair.service->close();
  EXPECT_EQ(scene.heard(4),
            (Lines{"1 opened", "1 arrived 1 GET /a", "1 unanswered 1", "1 closed"}));
  scene.connect()->close();
  EXPECT_EQ(scene.heard(2), (Lines{"2 opened", "2 closed"}));
}

TEST(HttpLink, a_client_may_end_its_side_and_wait) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/a"));
  pair.client->end_writing();
  EXPECT_EQ(receive_all(*pair.service), "");
  send(*pair.service, ok("one"));
  pair.service->close();
  EXPECT_EQ(receive_all(*pair.client), ok("one"));
}

TEST(HttpLink, requests_may_be_sent_before_their_answers) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/a") + post("/b", "two") + get("/c"));
  send(*pair.service, ok("1") + ok("2") + ok("3"));
  expect_received(*pair.client, ok("1") + ok("2") + ok("3"));
  EXPECT_EQ(scene.heard(),
            (Lines{"1 opened", "1 arrived 1 GET /a", "1 arrived 2 POST /b", "1 arrived 3 GET /c",
                   "1 answered 1 200 [1]", "1 answered 2 [two] 200 [2]", "1 answered 3 200 [3]"}));
}

TEST(HttpLink, answers_without_a_body_end_with_their_head) {
  Scene scene(kInner);
  const std::string head = "HEAD /a HTTP/1.1\r\nHost: here\r\n\r\n";
  Pair pair = ask(scene, head);
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
  send(*pair.service, answer);
  expect_received(*pair.client, answer);
  const std::string not_modified = "HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n";
  exchange(pair, get("/b"), not_modified);
  exchange(pair, get("/c"), ok("c"));
  EXPECT_EQ(scene.heard(),
            (Lines{"1 opened", "1 arrived 1 HEAD /a", "1 answered 1 200", "1 arrived 2 GET /b",
                   "1 answered 2 304", "1 arrived 3 GET /c", "1 answered 3 200 [c]"}));
}

TEST(HttpLink, chunks_and_trailers_pass_as_they_are) {
  Scene scene(kInner);
  const std::string chunked =
      "POST /a HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n"
      "0\r\nSum: 7\r\n\r\n";
  Pair pair = ask(scene, chunked);
  const std::string answer =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n1\r\ny\r\n0\r\n\r\n";
  send(*pair.service, answer);
  expect_received(*pair.client, answer);
  EXPECT_EQ(scene.heard().back(), "1 answered 1 [abcde] 200 [xy]");
}

TEST(HttpLink, a_client_may_wait_before_it_sends_its_body) {
  Scene scene(kInner);
  const std::string head =
      "POST /a HTTP/1.1\r\nHost: here\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n";
  Pair pair = ask(scene, head);
  const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
  send(*pair.service, go_on);
  expect_received(*pair.client, go_on);
  exchange(pair, "abc", ok("x"));
  EXPECT_EQ(scene.heard(),
            (Lines{"1 opened", "1 arrived 1 POST /a", "1 answered 1 [abc] 200 [x]"}));
}

TEST(HttpLink, upgrades_become_tunnels) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/a", "Connection: upgrade\r\nUpgrade: websocket\r\n"));
  const std::string answer =
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
  // What the client sends at once waits for the answer.
  send(*pair.client, "early");
  send(*pair.service, answer + "hello");
  expect_received(*pair.client, answer + "hello");
  expect_received(*pair.service, "early");
  send(*pair.client, std::string("\0\xff any", 6));
  expect_received(*pair.service, std::string("\0\xff any", 6));
  EXPECT_EQ(scene.heard(),
            (Lines{"1 opened", "1 arrived 1 GET /a", "1 exempt 1", "1 answered 1 101"}));
  pair.service->close();
  EXPECT_EQ(receive_all(*pair.client), "");
}

TEST(HttpLink, an_upgrade_that_is_declined_is_a_request_like_others) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/a", "Connection: upgrade\r\nUpgrade: websocket\r\n"));
  send(*pair.client, get("/b"));
  send(*pair.service, ok("plain"));
  expect_received(*pair.client, ok("plain"));
  expect_received(*pair.service, get("/b"));
}

TEST(HttpLink, no_client_goes_on_in_HTTP_2) {
  Scene scene(kInner);
  Pair pair{.client = scene.connect(), .service = nullptr};
  send(*pair.client, get("/a",
                         "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                         "HTTP2-Settings: AAMAAABkAAQ\r\n"));
  pair.service = scene.accept();
  expect_received(*pair.service, get("/a", "Connection: Upgrade, HTTP2-Settings\r\n"));
}

TEST(HttpLink, streams_of_events_are_exempt) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/news"));
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
  send(*pair.service, head + "data: 1\n\n");
  expect_received(*pair.client, head + "data: 1\n\n");
  EXPECT_EQ(scene.heard(), (Lines{"1 opened", "1 arrived 1 GET /news", "1 exempt 1"}));
}

TEST(HttpLink, an_answer_may_last_until_the_service_closes) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/a"));
  const std::string answer = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it";
  send(*pair.service, answer);
  pair.service->close();
  EXPECT_EQ(receive_all(*pair.client), answer);
  EXPECT_EQ(scene.heard(4)[2], "1 answered 1 200 [all of it]");
}

TEST(HttpLink, a_service_that_cannot_be_reached_is_a_bad_gateway) {
  Scene scene(kInner);
  scene.leave_address();
  const auto client = scene.connect();
  send(*client, get("/a"));
  const std::string answer = receive_all(*client);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 502 ")) << answer;
  EXPECT_NE(answer.find("heddle: cannot connect to " + scene.address()), std::string::npos);
}

TEST(HttpLink, a_service_that_dies_without_an_answer_is_a_bad_gateway) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/a"));
  pair.service->close();
  EXPECT_TRUE(receive_all(*pair.client).starts_with("HTTP/1.1 502 "));
  EXPECT_EQ(scene.heard(4)[2], "1 unanswered 1");
}

TEST(HttpLink, a_service_that_dies_within_an_answer_ends_the_connection) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/a"));
  const std::string part = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf";
  send(*pair.service, part);
  pair.service->close();
  EXPECT_EQ(receive_all(*pair.client), part);
}

TEST(HttpLink, an_answer_that_cannot_be_read_is_a_bad_gateway) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/a"));
  send(*pair.service, "SSH-2.0-something\r\n");
  EXPECT_TRUE(receive_all(*pair.client).starts_with("HTTP/1.1 502 "));
}

TEST(HttpLink, what_is_no_request_is_a_bad_one) {
  Scene scene(kInner);
  for (const std::string& bytes :
       {std::string("hello\r\n\r\n"), std::string("\x16\3\1\2", 4),
        get("/" + std::string(kLongestHttpHead, 'x')),
        std::string("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n")}) {
    const auto client = scene.connect();
    send(*client, bytes);
    EXPECT_TRUE(receive_all(*client).starts_with("HTTP/1.1 400 ")) << bytes.substr(0, 40);
  }
}

TEST(HttpLink, a_bad_request_behind_others_waits_for_their_answers) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/a") + get("/b"));
  send(*pair.client, "bad\r\n\r\n");
  send(*pair.service, ok("1"));
  expect_received(*pair.client, ok("1"));
  send(*pair.service, ok("2"));
  const std::string answers = receive_all(*pair.client);
  EXPECT_TRUE(answers.starts_with(ok("2") + "HTTP/1.1 400 ")) << answers;
}

TEST(HttpLink, a_request_whose_body_is_bad_is_one) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/a"));
  send(*pair.client,
       "POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nno number\r\n");
  send(*pair.service, ok("1"));
  const std::string answers = receive_all(*pair.client);
  EXPECT_TRUE(answers.starts_with(ok("1") + "HTTP/1.1 400 ")) << answers;
}

TEST(HttpLink, its_last_words_reach_a_client_that_goes_on_sending) {
  Scene scene({.protocol = EdgeProtocol::http, .has_socket = true});
  for (std::size_t left = test_rounds(20); left > 0; --left) {
    const auto client = scene.connect();
    const std::string bytes = "GET /a HTTP/1.1\r\nLong: " + std::string(1U << 22, 'x');
    std::thread sender([&] {
      // The other side may be gone before all is sent.
      static_cast<void>(client->write_all(bytes, soon()));
    });
    EXPECT_TRUE(receive_all(*client).starts_with("HTTP/1.1 400 "));
    client->end_writing();
    sender.join();
  }
}

TEST(HttpLink, clients_are_told_when_the_proxies_end) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/a"));
  scene.end_proxies();
  EXPECT_TRUE(receive_all(*pair.client).starts_with("HTTP/1.1 503 "));
}

// The traces that the request names.
std::vector<std::string> traces_in(std::string_view bytes) {
  HttpReader reader = HttpReader::requests();
  reader.append(bytes);
  const auto piece = reader.next();
  std::vector<std::string> traces;
  if (!piece || !*piece) return traces;
  for (const HttpHeader& each : (*piece)->head.headers) {
    if (equal_ignoring_case(each.name, "traceparent")) traces.push_back(each.value);
  }
  return traces;
}

// The head of a request, as the service gets it.
std::string receive_head(Stream& stream) {
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    const std::string byte = receive(stream, 1);
    if (byte.empty()) break;
    head += byte;
  }
  return head;
}

TEST(HttpLink, traces_begin_at_outer_edges) {
  Scene scene(kOuter);
  const auto client = scene.connect();
  send(*client, get("/a"));
  const auto service = scene.accept();
  const std::vector<std::string> first = traces_in(receive_head(*service));
  ASSERT_EQ(first.size(), 1U);
  EXPECT_TRUE(read_traceparent(first[0]));
  EXPECT_EQ(scene.heard(), (Lines{"1 opened", "1 arrived 1 GET /a traced"}));
  // Each has its own, and one that names a trace keeps it.
  send(*service, ok("x"));
  expect_received(*client, ok("x"));
  send(*client, get("/b"));
  const std::vector<std::string> second = traces_in(receive_head(*service));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_NE(second[0], first[0]);
  send(*service, ok("x"));
  expect_received(*client, ok("x"));
  const std::string own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  send(*client, get("/c", "Traceparent: " + own + "\r\n"));
  EXPECT_EQ(traces_in(receive_head(*service)), std::vector<std::string>{own});
}

TEST(HttpLink, a_trace_that_is_none_gives_way_to_one) {
  Scene scene(kOuter);
  const auto client = scene.connect();
  send(*client, get("/a", "traceparent: nonsense\r\n"));
  const auto service = scene.accept();
  const std::vector<std::string> traces = traces_in(receive_head(*service));
  ASSERT_EQ(traces.size(), 1U);
  EXPECT_TRUE(read_traceparent(traces[0]));
}

TEST(HttpLink, inner_edges_give_no_traces) {
  Scene scene(kInner);
  const Pair pair = ask(scene, get("/a"));
  EXPECT_EQ(scene.heard(), (Lines{"1 opened", "1 arrived 1 GET /a"}));
}

TEST(HttpLink, passes_bytes_unchanged_however_they_are_cut) {
  std::mt19937_64 random(13);
  for (std::size_t left = test_rounds(20); left > 0; --left) {
    SceneOptions options = kInner;
    options.room = 1 + random() % 200;
    Scene scene(options);
    std::string asked;
    std::string answered;
    const std::size_t count = 1 + random() % 10;
    for (std::size_t i = 0; i < count; ++i) {
      asked += post("/a", std::string(random() % 300, 'x'));
      answered += ok(std::string(random() % 3000, 'y'));
    }
    const auto send_cut = [](Stream& stream, std::string_view bytes, std::uint64_t seed) {
      std::mt19937_64 cuts(seed);
      while (!bytes.empty()) {
        const std::string_view part = bytes.substr(0, 1 + cuts() % 50);
        send(stream, part);
        bytes.remove_prefix(part.size());
      }
    };
    const auto client = scene.connect();
    std::thread sender([&, seed = random()] { send_cut(*client, asked, seed); });
    const auto service = scene.accept();
    EXPECT_EQ(receive(*service, asked.size()), asked);
    sender.join();
    std::thread answerer([&, seed = random()] { send_cut(*service, answered, seed); });
    EXPECT_EQ(receive(*client, answered.size()), answered);
    answerer.join();
    EXPECT_EQ(scene.heard(2 * count + 1).size(), 2 * count + 1);
  }
}

constexpr std::size_t kLarge = std::size_t{48} << 20;
// What sockets of the system hold themselves, at most.
constexpr std::size_t kMostHeld = std::size_t{24} << 20;

TEST(HttpLink, who_does_not_read_stops_the_other_side) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/a"));
  const std::string answer = ok(std::string(kLarge, 'y'));
  std::string_view left = answer;
  EXPECT_LT(write_until_stuck(*pair.service, left), kMostHeld);
  std::thread service([&] { send(*pair.service, left); });
  EXPECT_EQ(receive(*pair.client, answer.size()) == answer, true);
  service.join();
  const std::string request = post("/b", std::string(kLarge, 'x'));
  left = request;
  EXPECT_LT(write_until_stuck(*pair.client, left), kMostHeld);
  std::thread client([&] { send(*pair.client, left); });
  EXPECT_EQ(receive(*pair.service, request.size()) == request, true);
  client.join();
}

TEST(HttpLink, bodies_of_requests_without_answers_stop_the_client) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/slow"));
  const std::string body(std::size_t{1} << 20, 'b');
  std::string posts;
  for (int i = 0; i < 30; ++i) posts += post("/all", body);
  std::thread service([&] { EXPECT_TRUE(receive(*pair.service, posts.size()) == posts); });
  std::string_view left = posts;
  const std::size_t written = write_until_stuck(*pair.client, left);
  EXPECT_GT(written, 16 * body.size());
  EXPECT_LT(written, 20 * body.size());
  // What is answered is kept no longer.
  std::string answers;
  for (int i = 0; i < 17; ++i) answers += ok("");
  send(*pair.service, answers);
  send(*pair.client, left);
  service.join();
  expect_received(*pair.client, answers);
}

TEST(HttpLink, requests_without_answers_stop_the_client) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/slow"));
  constexpr int kRequests = 1000;
  const std::string request = get("/all", "X-Long: " + std::string(1000, 'x') + "\r\n");
  std::string requests;
  for (int i = 0; i < kRequests; ++i) requests += request;
  std::promise<void> answering;
  std::thread service([&, begins = answering.get_future()] {
    for (int i = 0; i < 100; ++i) expect_received(*pair.service, request);
    begins.wait();
    for (int i = 0; i < 100; ++i) send(*pair.service, ok(""));
    for (int i = 100; i < kRequests; ++i) {
      expect_received(*pair.service, request);
      send(*pair.service, ok(""));
    }
  });
  std::string_view left = requests;
  EXPECT_LT(write_until_stuck(*pair.client, left), requests.size() / 2);
  answering.set_value();
  std::thread client([&] { send(*pair.client, left); });
  for (int i = 0; i < kRequests; ++i) expect_received(*pair.client, ok(""));
  client.join();
  service.join();
}

TEST(HttpLink, a_held_request_that_is_long_waits_with_its_client) {
  OnePartyController controller([](const HeldUnit&) { return "A"; });
  Scene scene({.protocol = EdgeProtocol::http, .controller = &controller});
  const std::unique_ptr<Stream> client = scene.connect();
  const std::string request = post("/long", std::string(std::size_t{20} << 20, 'b'));
  std::string_view left = request;
  EXPECT_LT(write_until_stuck(*client, left), request.size());
  scene.proxies().call([&] { controller.turn_to("A"); });
  std::thread sender([&] { send(*client, left); });
  const std::unique_ptr<Stream> service = scene.accept();
  EXPECT_TRUE(receive(*service, request.size()) == request);
  sender.join();
}

TEST(HttpLink, what_waits_for_an_upgrade_stops_the_client) {
  Scene scene(kInner);
  Pair pair = ask(scene, get("/a", "Connection: upgrade\r\nUpgrade: websocket\r\n"));
  const std::string bytes(kLarge, 'x');
  std::string_view left = bytes;
  EXPECT_LT(write_until_stuck(*pair.client, left), kMostHeld);
  send(*pair.service,
       "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n");
  std::thread client([&] { send(*pair.client, left); });
  EXPECT_EQ(receive(*pair.service, bytes.size()) == bytes, true);
  client.join();
}

}  // namespace
}  // namespace heddle
