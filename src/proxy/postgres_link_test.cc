#include <cstring>
#include <random>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "proxy/scene_testing.h"
#include "wire/postgres/messages.h"

namespace heddle {
namespace {

using std::string_literals::operator""s;
using Lines = std::vector<std::string>;

const std::string kTls = "\0\0\0\x08\x04\xd2\x16\x2f"s;
const std::string kGss = "\0\0\0\x08\x04\xd2\x16\x30"s;

std::string startup(std::uint32_t version = postgres::kProtocolVersion) {
  return postgres::startup_bytes(
      {.version = version, .parameters = {{"database", "shop"}, {"user", "me"}}});
}

// The bytes of one line in the notation of conversation_testing.h.
std::string bytes_of(const std::string& line) {
  std::string bytes;
  for (const postgres::SentMessage& sent : postgres::read_conversation(line))
    bytes += postgres::to_bytes(sent.message);
  return bytes;
}

// A client that was let in, and its server.
struct PostgresPair {
  std::unique_ptr<Stream> client;
  std::unique_ptr<Stream> server;
};

PostgresPair let_in(Scene& scene) {
  PostgresPair pair{.client = scene.connect(), .server = nullptr};
  send(*pair.client, startup());
  pair.server = scene.accept();
  expect_received(*pair.server, startup());
  const std::string welcome = postgres::welcome_bytes({{"TimeZone", "UTC"}}, 7);
  send(*pair.server, welcome);
  expect_received(*pair.client, welcome);
  EXPECT_EQ(scene.heard(), (Lines{"1 opened", "1 named database=shop user=me", "1 numbered 7"}));
  return pair;
}

// The server gets what the client sends, and the client what the server answers.
void exchange_messages(PostgresPair& pair, const std::string& asked, const std::string& answered) {
  send(*pair.client, bytes_of(asked));
  expect_received(*pair.server, bytes_of(asked));
  send(*pair.server, bytes_of(answered));
  expect_received(*pair.client, bytes_of(answered));
}

std::map<char, std::string> error_in(std::string_view bytes) {
  postgres::MessageReader reader;
  reader.append(bytes);
  const auto message = reader.next();
  if (!message || !*message || (**message).type != 'E') return {};
  return postgres::read_fields((**message).body);
}

TEST(PostgresLink, passes_what_it_is_given_and_tells_it) {
  Scene scene;
  PostgresPair pair = let_in(scene);
  exchange_messages(pair, "> P||SELECT $1|23 & B|||5 & E| & S", "< 1 & 2 & D|5 & C|SELECT 1 & Z|I");
  EXPECT_EQ(scene.heard(), (Lines{"1 arrived 1",
                                  "1 answered 1 execution I>I g1: SELECT $1 "
                                  "($1=5:23) -> {5} SELECT 1"}));
  exchange_messages(pair, "> Q|UPDATE a", "< C|UPDATE 1 & Z|I");
  EXPECT_EQ(scene.heard(),
            (Lines{"1 arrived 2", "1 answered 2 query I>I g2: UPDATE a -> UPDATE 1"}));
  pair.client->close();
  EXPECT_EQ(receive_all(*pair.server), "");
  pair.server->close();
  EXPECT_EQ(scene.heard(1), Lines{"1 closed"});
}

TEST(PostgresLink, passes_bytes_unchanged_however_they_are_cut) {
  std::mt19937_64 random(11);
  for (std::size_t left = test_rounds(20); left > 0; --left) {
    Scene scene({.room = 1 + random() % 200});
    PostgresPair pair = let_in(scene);
    std::string asked;
    std::string answered;
    const std::size_t count = 1 + random() % 20;
    for (std::size_t i = 0; i < count; ++i) {
      asked += bytes_of("> P||A" + std::string(random() % 300, 'x') + " & B|| & E| & S");
      answered +=
          bytes_of("< 1 & 2 & D|" + std::string(random() % 3000, 'y') + " & C|SELECT 1 & Z|I");
    }
    const auto send_cut = [](Stream& stream, std::string_view bytes, std::uint64_t seed) {
      std::mt19937_64 cuts(seed);
      while (!bytes.empty()) {
        const std::string_view part = bytes.substr(0, 1 + cuts() % 50);
        send(stream, part);
        bytes.remove_prefix(part.size());
      }
    };
    std::thread client([&, seed = random()] { send_cut(*pair.client, asked, seed); });
    EXPECT_EQ(receive(*pair.server, asked.size()), asked);
    client.join();
    std::thread server([&, seed = random()] { send_cut(*pair.server, answered, seed); });
    EXPECT_EQ(receive(*pair.client, answered.size()), answered);
    server.join();
    EXPECT_EQ(scene.heard(2 * count).size(), 2 * count);
  }
}

TEST(PostgresLink, declines_tls_and_gss) {
  Scene scene;
  const auto client = scene.connect();
  send(*client, kGss);
  expect_received(*client, "N");
  send(*client, kTls);
  expect_received(*client, "N");
  send(*client, startup());
  expect_received(*scene.accept(), startup());
}

TEST(PostgresLink, tells_which_settings_ask_for_tls) {
  Scene scene;
  const auto client = scene.connect();
  send(*client, kTls);
  expect_received(*client, "N");
  client->close();
  EXPECT_EQ(scene.heard(3), (Lines{"1 opened",
                                   "remark: a client left when TLS was declined: unless it "
                                   "comes back without, set sslmode=disable or sslmode=prefer",
                                   "1 closed"}));
  const auto direct = scene.connect();
  send(*direct, "\x16\3\1\2\0\1");
  EXPECT_NE(error_in(receive_all(*direct))['M'].find("sslnegotiation=postgres"), std::string::npos);
  EXPECT_EQ(scene.heard(3)[1],
            "remark: a client began with TLS at once: set sslnegotiation=postgres and "
            "sslmode=disable");
}

TEST(PostgresLink, tells_which_setting_asks_for_channel_binding) {
  Scene scene;
  const auto client = scene.connect();
  send(*client, startup());
  const auto server = scene.accept();
  const std::string sasl = postgres::to_bytes({'R', "\0\0\0\x0aSCRAM-SHA-256\0\0"s});
  send(*server, sasl);
  expect_received(*client, sasl);
  client->close();
  EXPECT_EQ(scene.heard(3)[2],
            "remark: a client left when it was asked for its password without channel binding: set "
            "channel_binding=disable or channel_binding=prefer");
}

TEST(PostgresLink, refuses_what_does_not_begin_like_a_client) {
  Scene scene;
  for (const std::string& bytes :
       {"\0\0\0\x04"s, "\0\0\0\0"s, "\x7f\xff\xff\xff"s, "GET / HTTP/1.1\r\n\r\n"s,
        "\0\0\x27\x11"s + std::string(100, 'x'), "\0\0\0\x0c\0\3\0\0user"s,
        "\0\0\0\x08\0\2\0\0"s}) {
    const auto client = scene.connect();
    send(*client, bytes);
    EXPECT_EQ(error_in(receive_all(*client))['C'], "08P01") << bytes;
  }
}

TEST(PostgresLink, its_last_words_reach_a_client_that_goes_on_sending) {
  Scene scene({.has_socket = true});
  for (std::size_t left = test_rounds(20); left > 0; --left) {
    const auto client = scene.connect();
    const std::string bytes(1U << 22, 'x');
    std::thread sender([&] {
      // The other side may be gone before all is sent.
      static_cast<void>(client->write_all(bytes, soon()));
    });
    EXPECT_EQ(error_in(receive_all(*client))['C'], "08P01");
    client->end_writing();
    sender.join();
  }
}

TEST(PostgresLink, waits_for_a_beginning_that_comes_byte_by_byte) {
  Scene scene;
  const auto client = scene.connect();
  const std::string beginning = kTls + startup();
  for (std::size_t i = 0; i < beginning.size(); ++i) {
    send(*client, beginning.substr(i, 1));
    if (i + 1 == kTls.size()) expect_received(*client, "N");
  }
  expect_received(*scene.accept(), startup());
}

TEST(PostgresLink, what_is_no_message_later_is_passed_on_and_no_more_told) {
  Scene scene;
  PostgresPair pair = let_in(scene);
  exchange_messages(pair, "> Q|A", "< C|UPDATE 1 & Z|I");
  scene.heard();
  const std::string bad = "Q\0\0\0\1"s;
  send(*pair.client, bad + "more");
  expect_received(*pair.server, bad + "more");
  send(*pair.server, postgres::error_bytes("FATAL", "08P01", "no"));
  EXPECT_EQ(
      error_in(receive(*pair.client, postgres::error_bytes("FATAL", "08P01", "no").size()))['M'],
      "no");
  const Lines lines = scene.heard();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with("remark: connection 1: what came is no message")) << lines[0];
}

TEST(PostgresLink, changes_the_database_alone) {
  Scene scene({.database = "copy"});
  const auto client = scene.connect();
  send(*client, startup());
  const auto server = scene.accept();
  expect_received(*server,
                  postgres::startup_bytes({.version = postgres::kProtocolVersion,
                                           .parameters = {{"database", "copy"}, {"user", "me"}}}));
  EXPECT_EQ(scene.heard(2)[1], "1 named database=shop user=me");
}

TEST(PostgresLink, passes_newer_versions_of_the_protocol) {
  Scene scene;
  const auto client = scene.connect();
  const std::uint32_t version = postgres::kProtocolVersion + 2;
  send(*client, startup(version));
  const auto server = scene.accept();
  expect_received(*server, startup(version));
  const std::string answer =
      postgres::to_bytes({'v', "\0\3\0\0\0\0\0\0"s}) + postgres::to_bytes({'R', "\0\0\0\0"s}) +
      postgres::to_bytes({'K', "\0\0\0\x09"s + std::string(200, 'k')}) + postgres::ready_bytes('I');
  send(*server, answer);
  expect_received(*client, answer);
  EXPECT_EQ(scene.heard(3)[2], "1 numbered 9");
}

TEST(PostgresLink, passes_requests_to_cancel) {
  Scene scene;
  PostgresPair pair = let_in(scene);
  const std::string cancel = "\0\0\0\x10\x04\xd2\x16\x2e\0\0\0\7\0\0\0\0"s;
  const auto other = scene.connect();
  send(*other, cancel);
  const auto server = scene.accept();
  expect_received(*server, cancel);
  server->close();
  EXPECT_EQ(receive_all(*other), "");
  // One behind a request for TLS, as libpq sends it.
  const auto third = scene.connect();
  send(*third, kTls);
  expect_received(*third, "N");
  send(*third, cancel);
  third->end_writing();
  EXPECT_EQ(receive_all(*scene.accept()), cancel);
}

TEST(PostgresLink, passes_replication_unread) {
  Scene scene;
  const auto client = scene.connect();
  const std::string begin =
      postgres::startup_bytes({.version = postgres::kProtocolVersion,
                               .parameters = {{"replication", "database"}, {"user", "me"}}});
  send(*client, begin);
  const auto server = scene.accept();
  expect_received(*server, begin);
  const std::string bytes = "\0 anything \xff"s;
  send(*server, bytes);
  expect_received(*client, bytes);
  send(*client, bytes);
  expect_received(*server, bytes);
  EXPECT_EQ(scene.heard(), (Lines{"1 opened", "1 named replication=database user=me"}));
}

TEST(PostgresLink, a_server_that_cannot_be_reached_is_an_error) {
  Scene scene;
  scene.leave_address();
  const auto client = scene.connect();
  send(*client, startup());
  auto error = error_in(receive_all(*client));
  EXPECT_EQ(error['C'], "08001");
  EXPECT_NE(error['M'].find("heddle: cannot connect to " + scene.address()), std::string::npos);
}

TEST(PostgresLink, a_server_that_dies_between_messages_is_an_error) {
  Scene scene;
  PostgresPair pair = let_in(scene);
  const std::string part = bytes_of("< T|a:23 & D|1");
  send(*pair.client, bytes_of("> Q|A"));
  expect_received(*pair.server, bytes_of("> Q|A"));
  send(*pair.server, part);
  pair.server->close();
  expect_received(*pair.client, part);
  EXPECT_EQ(error_in(receive_all(*pair.client))['C'], "08006");
  EXPECT_EQ(scene.heard(3),
            (Lines{"1 arrived 1", "1 unanswered 1 query ?>? g1: A -> [a] {1} -", "1 closed"}));
}

TEST(PostgresLink, a_server_that_dies_within_a_message_ends_the_connection) {
  Scene scene;
  PostgresPair pair = let_in(scene);
  send(*pair.client, bytes_of("> Q|A"));
  expect_received(*pair.server, bytes_of("> Q|A"));
  const std::string part = bytes_of("< T|a:23 & D|1");
  send(*pair.server, part.substr(0, part.size() - 1));
  pair.server->close();
  EXPECT_EQ(receive_all(*pair.client), part.substr(0, part.size() - 1));
}

TEST(PostgresLink, a_server_that_says_why_it_leaves_needs_no_other_words) {
  Scene scene;
  PostgresPair pair = let_in(scene);
  send(*pair.client, bytes_of("> Q|A"));
  expect_received(*pair.server, bytes_of("> Q|A"));
  const std::string words = postgres::error_bytes("FATAL", "57P01", "terminating");
  send(*pair.server, words);
  pair.server->close();
  EXPECT_EQ(receive_all(*pair.client), words);
}

TEST(PostgresLink, a_client_that_leaves_is_one_that_leaves_the_server) {
  Scene scene;
  PostgresPair pair = let_in(scene);
  send(*pair.client, bytes_of("> Q|A"));
  pair.client->close();
  EXPECT_EQ(receive_all(*pair.server), bytes_of("> Q|A"));
  pair.server->close();
  EXPECT_EQ(scene.heard(3), (Lines{"1 arrived 1", "1 unanswered 1 query ?>? g1: A", "1 closed"}));
  // And one that never said what it wants leaves nothing behind.
  scene.connect()->close();
  EXPECT_EQ(scene.heard(2), (Lines{"2 opened", "2 closed"}));
}

TEST(PostgresLink, clients_are_told_when_the_proxies_end) {
  Scene scene;
  PostgresPair pair = let_in(scene);
  scene.end_proxies();
  EXPECT_EQ(error_in(receive_all(*pair.client))['C'], "57P01");
}

constexpr std::size_t kLargeAnswer = std::size_t{48} << 20;
// What sockets of the system hold themselves, at most.
constexpr std::size_t kMostHeldBySockets = std::size_t{24} << 20;

TEST(PostgresLink, a_client_that_does_not_read_stops_the_server) {
  Scene scene;
  PostgresPair pair = let_in(scene);
  send(*pair.client, bytes_of("> Q|A"));
  expect_received(*pair.server, bytes_of("> Q|A"));
  const std::string row = postgres::to_bytes(
      {'D', "\0\1"s + postgres::in_bytes(kLargeAnswer, 4) + std::string(kLargeAnswer, 'x')});
  std::string_view left = row;
  EXPECT_LT(write_until_stuck(*pair.server, left), kMostHeldBySockets);
  std::thread server([&] {
    send(*pair.server, left);
    send(*pair.server, bytes_of("< C|SELECT 1 & Z|I"));
  });
  EXPECT_EQ(receive(*pair.client, row.size()) == row, true);
  expect_received(*pair.client, bytes_of("< C|SELECT 1 & Z|I"));
  server.join();
  EXPECT_EQ(scene.heard(2)[1], "1 answered 1 query I>I g1: A -> of 1 rows SELECT 1");
}

TEST(PostgresLink, nobody_waits_long_for_a_client_that_does_not_read_the_end) {
  Scene scene({.room = 1000, .end_patience = std::chrono::milliseconds(20)});
  PostgresPair pair = let_in(scene);
  send(*pair.client, bytes_of("> Q|A"));
  expect_received(*pair.server, bytes_of("> Q|A"));
  send(*pair.server, bytes_of("< D|" + std::string(10'000, 'x')));
  pair.server->close();
  std::size_t connections = 1;
  for (const Deadline end = soon(); connections > 0 && std::chrono::steady_clock::now() < end;) {
    connections = scene.proxies().connections();
  }
  EXPECT_EQ(connections, 0U);
}

TEST(PostgresLink, a_server_that_does_not_read_stops_the_client) {
  Scene scene;
  PostgresPair pair = let_in(scene);
  const std::string query = postgres::to_bytes({'Q', std::string(kLargeAnswer, 'x') + '\0'});
  std::string_view left = query;
  EXPECT_LT(write_until_stuck(*pair.client, left), kMostHeldBySockets);
  std::thread client([&] { send(*pair.client, left); });
  EXPECT_EQ(receive(*pair.server, query.size()) == query, true);
  client.join();
  const Lines lines = scene.heard(1);
  EXPECT_EQ(lines, Lines{"1 arrived 1"});
}

}  // namespace
}  // namespace heddle
