// What a client's units go through where they are held.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "proxy/controller.h"
#include "proxy/scene_testing.h"
#include "wire/postgres/messages.h"

namespace heddle {
namespace {

using std::string_literals::operator""s;
using Lines = std::vector<std::string>;

// Holds everything until the test says otherwise, and remembers what it was told.
class Holds : public ProxyController {
 public:
  void begin(UnitHolder& holder, EventLoop&) override { holder_ = &holder; }
  void arrived(const HeldUnit& unit) override {
    std::string line =
        fmt::format("{}.{} {} {}", unit.connection.number, unit.ordinal, unit.state, *unit.text);
    for (const postgres::WireParameter& each : unit.parameters)
      line += " " + each.value.value_or("null");
    lines_.push_back(std::move(line));
  }
  void changed(const HeldUnit& unit, UnitState state) override {
    if (state == UnitState::running) running_ = unit.ordinal;
  }
  void ended(const HeldUnit& unit, HeldEnd how) override {
    constexpr std::string_view kHow[] = {"answered", "gone", "canceled"};
    lines_.push_back(fmt::format("{}.{} {}", unit.connection.number, unit.ordinal,
                                 kHow[static_cast<std::size_t>(how)]));
  }

  UnitHolder& holder() { return *holder_; }
  Lines take() { return std::exchange(lines_, {}); }
  // The last unit that the server has had.
  std::uint64_t running() const { return running_; }

 private:
  UnitHolder* holder_ = nullptr;
  std::uint64_t running_ = 0;
  Lines lines_;
};

std::string in_bytes(const std::string& line) {
  std::string bytes;
  for (const postgres::SentMessage& sent : postgres::read_conversation(line))
    bytes += postgres::to_bytes(sent.message);
  return bytes;
}

class HeldLink : public testing::Test {
 protected:
  HeldLink() : scene_({.controller = &holds_}) {
    client_ = scene_.connect();
    const std::string startup = postgres::startup_bytes(
        {.version = postgres::kProtocolVersion, .parameters = {{"user", "me"}}});
    send(*client_, startup);
    server_ = scene_.accept();
    expect_received(*server_, startup);
    const std::string welcome = postgres::welcome_bytes({}, 7);
    send(*server_, welcome);
    expect_received(*client_, welcome);
  }

  // What the controller is told, once there are so many lines.
  Lines told(std::size_t count) {
    Lines lines;
    for (const Deadline end = soon(); lines.size() < count;) {
      scene_.proxies().call([&] {
        for (std::string& line : holds_.take()) lines.push_back(std::move(line));
      });
      if (std::chrono::steady_clock::now() > end) break;
    }
    return lines;
  }
  void permit(std::uint64_t ordinal) {
    scene_.proxies().call([&] { holds_.holder().permit(1, ordinal); });
  }
  void ask(const std::string& line) { send(*client_, in_bytes(line)); }
  void answer(const std::string& line) { send(*server_, in_bytes(line)); }
  void server_gets(const std::string& line) { expect_received(*server_, in_bytes(line)); }
  void client_gets(const std::string& line) { expect_received(*client_, in_bytes(line)); }
  // Nothing has come: the proxies have dealt with all that was sent.
  bool has_come(Stream& stream) {
    scene_.proxies().call([] {});
    return *wait_for(stream.readable(), std::chrono::steady_clock::now());
  }
  // The fields of the error that the client gets next.
  std::map<char, std::string> client_error() {
    postgres::MessageReader reader;
    while (true) {
      auto message = reader.next();
      if (!message) return {};
      if (*message)
        return (**message).type == 'E' ? postgres::read_fields((**message).body)
                                       : std::map<char, std::string>();
      const std::string byte = receive(*client_, 1);
      if (byte.empty()) return {};
      reader.append(byte);
    }
  }
  postgres::WireMessage server_message() {
    postgres::MessageReader reader;
    while (true) {
      auto message = reader.next();
      if (!message) return {};
      if (*message) return std::move(**message);
      const std::string byte = receive(*server_, 1);
      if (byte.empty()) return {};
      reader.append(byte);
    }
  }

  Holds holds_;
  Scene scene_;
  std::unique_ptr<Stream> client_;
  std::unique_ptr<Stream> server_;
};

TEST_F(HeldLink, a_query_waits_until_it_is_permitted) {
  ask("> Q|UPDATE a");
  EXPECT_EQ(told(1), Lines{"1.1 I UPDATE a"});
  EXPECT_FALSE(has_come(*server_));
  permit(1);
  server_gets("> Q|UPDATE a");
  answer("< C|UPDATE 1 & Z|I");
  client_gets("< C|UPDATE 1 & Z|I");
  EXPECT_EQ(told(1), Lines{"1.1 answered"});
}

TEST_F(HeldLink, a_unit_runs_once_the_server_has_been_sent_all_of_it) {
  const std::string text(std::size_t{48} << 20, 'x');  // more than the system keeps for a socket
  ask("> Q|" + text);
  EXPECT_EQ(told(1).size(), 1U);
  permit(1);
  std::uint64_t running = 0;
  scene_.proxies().call([&] { running = holds_.running(); });
  EXPECT_EQ(running, 0U);
  server_gets("> Q|" + text);
  for (const Deadline end = soon(); running == 0 && std::chrono::steady_clock::now() < end;) {
    scene_.proxies().call([&] { running = holds_.running(); });
  }
  EXPECT_EQ(running, 1U);
}

TEST_F(HeldLink, a_statement_is_announced_with_what_was_bound) {
  ask("> P||UPDATE a SET b = $1 WHERE c = $2 & B|||7|null & E| & S");
  EXPECT_EQ(told(1), Lines{"1.1 I UPDATE a SET b = $1 WHERE c = $2 7 null"});
}

TEST_F(HeldLink, statements_of_one_pipeline_are_held_one_by_one) {
  ask("> P|a|INSERT a & B||a & E| & P|b|INSERT b & B||b & E| & S");
  EXPECT_EQ(told(1), Lines{"1.1 I INSERT a"});
  permit(1);
  // The Flush makes the server answer, and asks for no answer itself.
  server_gets("> P|a|INSERT a & B||a & E| & H");
  EXPECT_FALSE(has_come(*server_));
  answer("< 1 & 2 & C|INSERT 0 1");
  client_gets("< 1 & 2 & C|INSERT 0 1");
  EXPECT_EQ(told(2), (Lines{"1.1 answered", "1.2 I INSERT b"}));
  permit(2);
  server_gets("> P|b|INSERT b & B||b & E| & S");
  answer("< 1 & 2 & C|INSERT 0 1 & Z|I");
  client_gets("< 1 & 2 & C|INSERT 0 1 & Z|I");
  EXPECT_EQ(told(1), Lines{"1.2 answered"});
}

TEST_F(HeldLink, a_statement_sent_later_makes_the_server_answer_the_one_before) {
  ask("> P|a|INSERT a & B||a & E|");
  EXPECT_EQ(told(1), Lines{"1.1 I INSERT a"});
  permit(1);
  server_gets("> P|a|INSERT a & B||a & E|");
  ask("> B||a & E| & S");
  server_gets("> H");
  answer("< 1 & 2 & C|INSERT 0 1");
  client_gets("< 1 & 2 & C|INSERT 0 1");
  EXPECT_EQ(told(2), (Lines{"1.1 answered", "1.2 I INSERT a"}));
}

TEST_F(HeldLink, what_is_only_prepared_is_not_held) {
  ask("> P|a|SELECT 1 & D|S|a & S");
  server_gets("> P|a|SELECT 1 & D|S|a & S");
  answer("< 1 & Z|I");
  client_gets("< 1 & Z|I");
  EXPECT_EQ(told(0), Lines{});
}

TEST_F(HeldLink, what_the_server_skips_after_an_error_is_not_held) {
  ask("> P|a|INSERT a & B||a & E| & B||a & E| & S");
  EXPECT_EQ(told(1), Lines{"1.1 I INSERT a"});
  permit(1);
  server_gets("> P|a|INSERT a & B||a & E| & H");
  const std::string error = postgres::error_bytes("ERROR", "23505", "there already");
  send(*server_, in_bytes("< 1 & 2") + error);
  expect_received(*client_, in_bytes("< 1 & 2") + error);
  server_gets("> B||a & E| & S");
  answer("< Z|I");
  client_gets("< Z|I");
  EXPECT_EQ(told(1), Lines{"1.1 answered"});
}

TEST_F(HeldLink, a_client_that_leaves_takes_its_statement_with_it) {
  ask("> Q|UPDATE a");
  EXPECT_EQ(told(1), Lines{"1.1 I UPDATE a"});
  client_->close();
  EXPECT_EQ(told(1), Lines{"1.1 gone"});
  EXPECT_EQ(receive_all(*server_), "");
}

TEST_F(HeldLink, a_request_to_cancel_a_held_statement_is_not_passed_on) {
  ask("> Q|UPDATE a");
  EXPECT_EQ(told(1), Lines{"1.1 I UPDATE a"});
  const std::unique_ptr<Stream> other = scene_.connect();
  send(*other, "\0\0\0\x10\x04\xd2\x16\x2e"s + "\0\0\0\x07\0\0\0\0"s);
  EXPECT_EQ(told(1), Lines{"1.1 canceled"});
  EXPECT_EQ(receive_all(*other), "");
  // The server gets something that fails, so that a transaction has failed for it, too.
  const postgres::WireMessage failing = server_message();
  EXPECT_EQ(failing.type, 'Q');
  EXPECT_EQ(failing.body.find("UPDATE"), std::string::npos);
  send(*server_, postgres::error_bytes("ERROR", "42601", "no statement") + in_bytes("< Z|E"));
  EXPECT_EQ(client_error().at('C'), "57014");
  client_gets("< Z|E");
}

TEST_F(HeldLink, a_refused_execution_fails_and_ends_its_pipeline) {
  ask("> P|a|INSERT a & B||a & E| & B||a & E| & S");
  EXPECT_EQ(told(1), Lines{"1.1 I INSERT a"});
  scene_.proxies().call([&] { holds_.holder().refuse(1, 1, "not now"); });
  server_gets("> P|a|INSERT a & B||a");
  EXPECT_EQ(server_message().type, 'E');
  answer("< 1 & 2");
  client_gets("< 1 & 2");
  send(*server_, postgres::error_bytes("ERROR", "34000", "no such portal"));
  const auto error = client_error();
  EXPECT_EQ(error.at('C'), "57014");
  EXPECT_EQ(error.at('M'), "not now");
}

TEST_F(HeldLink, a_statement_may_be_longer_than_what_may_wait) {
  const std::string text(std::size_t{20} << 20, 'x');
  ask("> Q|UPDATE a");
  std::thread sender([&] { ask("> Q|" + text); });
  EXPECT_EQ(told(1), Lines{"1.1 I UPDATE a"});
  permit(1);
  server_gets("> Q|UPDATE a");
  answer("< C|UPDATE 1 & Z|I");
  client_gets("< C|UPDATE 1 & Z|I");
  EXPECT_EQ(told(2).size(), 2U);
  permit(2);
  server_gets("> Q|" + text);
  sender.join();
}

TEST_F(HeldLink, a_message_that_is_too_long_to_be_held_is_refused) {
  send(*client_, "Q\x20\0\0\0SELECT"s);
  EXPECT_EQ(client_error().at('C'), "54000");
  EXPECT_EQ(receive_all(*server_), "");
}

TEST_F(HeldLink, the_data_of_a_copy_pass_unheld) {
  ask("> Q|COPY a FROM STDIN");
  EXPECT_EQ(told(1), Lines{"1.1 I COPY a FROM STDIN"});
  permit(1);
  server_gets("> Q|COPY a FROM STDIN");
  answer("< G");
  client_gets("< G");
  ask("> d|1 & d|2 & c");
  server_gets("> d|1 & d|2 & c");
}

TEST_F(HeldLink, the_end_of_the_proxies_lets_nothing_go) {
  ask("> Q|UPDATE a");
  EXPECT_EQ(told(1), Lines{"1.1 I UPDATE a"});
  scene_.end_proxies();
  EXPECT_EQ(client_error().at('C'), "57P01");
  EXPECT_EQ(receive_all(*server_), "");
}

}  // namespace
}  // namespace heddle
