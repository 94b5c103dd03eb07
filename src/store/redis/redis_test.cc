#include <chrono>
#include <poll.h>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "store/open/open.h"
#include "store/redis/database.h"
#include "store/redis/throwaway.h"
#include "store/store.h"
#include "throwaway/child_testing.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint32_t kTimeoutMs = 20'000;

std::string cell_text(const Cell& cell) { return cell.value_or("NULL"); }

// "value=100", "1=a 2=NULL", "no rows", or "WRONGTYPE: Operation against ..."
std::string reply_text(const Reply& reply) {
  if (reply.error) return reply.error->code + ": " + reply.error->message;
  if (reply.result->rows.empty()) return "no rows";
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < reply.result->columns.size(); ++i) {
    cells.push_back(reply.result->columns[i].name + "=" + cell_text(reply.result->rows[0][i]));
  }
  return join(cells, " ");
}

std::vector<std::string> texts_of(const std::vector<Reply>& replies) {
  std::vector<std::string> texts;
  for (const Reply& reply : replies) texts.push_back(reply_text(reply));
  return texts;
}

// All tests share one server; each has a database of its own.
class Redis : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto server = open_server({"redis"});
    ASSERT_TRUE(server) << to_string(server.error());
    shared() = *server;
  }
  static void TearDownTestSuite() { shared().reset(); }

  void SetUp() override {
    ASSERT_NE(shared(), nullptr);
    auto database = server().create_database("");
    ASSERT_TRUE(database) << to_string(database.error());
    database_ = std::move(*database);
  }

  static std::shared_ptr<StoreServer>& shared() {
    static std::shared_ptr<StoreServer> server;
    return server;
  }
  static StoreServer& server() { return *shared(); }

  std::vector<std::string> execute(const std::string& text) const {
    auto replies = database_->execute(text, kTimeoutMs);
    if (!replies) return {to_string(replies.error())};
    return texts_of(*replies);
  }

  void open(std::size_t count) {
    auto sessions = database_->open_sessions(std::vector<SessionOptions>(count, {"a b", {}}));
    ASSERT_TRUE(sessions) << to_string(sessions.error());
    sessions_ = std::move(*sessions);
    backends_.clear();
    for (const auto& session : sessions_) backends_.push_back(session->backend_id());
  }

  StoreSession& session(std::size_t i) const { return *sessions_[i]; }

  // True when the reply is there.
  static bool await(StoreSession& session) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < deadline) {
      const auto busy = session.busy();
      if (!busy || !*busy) return true;
      pollfd wait{session.socket(), POLLIN, 0};
      ::poll(&wait, 1, 10);
    }
    return false;
  }

  std::vector<Reply> replies(std::size_t i, const std::string& text) const {
    EXPECT_TRUE(session(i).send(text));
    EXPECT_TRUE(await(session(i))) << text;
    return session(i).take_replies();
  }

  std::vector<std::string> run(std::size_t i, const std::string& text) const {
    return texts_of(replies(i, text));
  }

  // Sends what will wait, and returns once the store says so.
  WaitState send_and_wait(std::size_t i, const std::string& text) const {
    EXPECT_TRUE(session(i).send(text));
    WaitState state;
    EXPECT_TRUE(eventually([&] {
      const auto states = database_->wait_states({backends_[i]}, backends_);
      if (states) state = states->front();
      return state.blocked;
    })) << text;
    EXPECT_EQ(*database_->is_blocked(backends_[i], backends_), true);
    return state;
  }

  // "key value expires" of each key.
  std::vector<std::string> contents() const {
    const auto catalogue = database_->read_catalogue();
    const auto rows = database_->read_rows({&catalogue->front()}, kTimeoutMs);
    if (!rows) return {to_string(rows.error())};
    std::vector<std::string> texts;
    for (const Row& row : rows->front()) {
      texts.push_back(cell_text(row[0]) + " " + cell_text(row[1]) + " " + cell_text(row[2]));
    }
    return texts;
  }

  std::unique_ptr<StoreDatabase> database_;
  std::vector<std::unique_ptr<StoreSession>> sessions_;
  std::vector<int> backends_;
};
TEST_F(Redis, says_what_it_is) {
  EXPECT_THAT(server().description(), testing::MatchesRegex("Redis [0-9.]+ \\(throwaway\\)"));
  EXPECT_TRUE(server().is_throwaway());
  EXPECT_EQ(server().dialect(), Dialect::redis);
  EXPECT_EQ(server().default_level(), IsolationLevel::serializable);
  EXPECT_TRUE(server().offers(IsolationLevel::serializable));
  const auto refused = server().offers(IsolationLevel::read_committed);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("Redis has no level read-committed"));
}

TEST_F(Redis, answers_are_rows) {
  open(1);
  EXPECT_THAT(run(0, "SET a 100\nGET a\nINCR a\nGET nothing;"),
              ElementsAre("value=OK", "value=100", "value=101", "value=NULL"));
  EXPECT_THAT(run(0, "RPUSH l x y\nLRANGE l 0 -1\nLRANGE l 5 6\nMGET a nothing"),
              ElementsAre("value=2", "1=x 2=y", "no rows", "1=101 2=NULL"));
  EXPECT_THAT(run(0, "XADD s 1-1 f v\nXRANGE s - +\nXREAD STREAMS s 0"),
              ElementsAre("value=1-1", "1=[1-1, [f, v]]", "1=[s, [[1-1, [f, v]]]]"));
  EXPECT_EQ(replies(0, "SET a 1")[0].result->command_tag, "OK");
  EXPECT_EQ(replies(0, "GET a")[0].result->command_tag, "");
  EXPECT_THAT(run(0, "# nothing\n"), IsEmpty());
}

TEST_F(Redis, what_has_no_order_is_sorted) {
  open(1);
  EXPECT_THAT(
      run(0, "SADD s z b 10 9\nSMEMBERS s\nHSET h b 2 a 1\nHGETALL h\nHKEYS h\nKEYS *"),
      ElementsAre("value=4", "1=10 2=9 3=b 4=z", "value=2", "a=1 b=2", "1=a 2=b", "1=h 2=s"));
  EXPECT_THAT(run(0, "SSCAN s 0"), ElementsAre("1=0 2=[10, 9, b, z]"));
  EXPECT_THAT(run(0, "HSCAN h 0"), ElementsAre("1=0 2={a: 1, b: 2}"));
  EXPECT_THAT(run(0, "RPUSH l b a\nLRANGE l 0 -1"), ElementsAre("value=2", "1=b 2=a"));
}

TEST_F(Redis, an_error_ends_a_text) {
  open(1);
  EXPECT_THAT(run(0, "SET a x\nLPUSH a 1\nSET b 1"),
              ElementsAre("value=OK",
                          "WRONGTYPE: Operation against a key holding the wrong kind "
                          "of value"));
  EXPECT_THAT(run(0, "GET b"), ElementsAre("value=NULL"));
  EXPECT_THAT(run(0, "INCR a"), ElementsAre("ERR: value is not an integer or out of range"));
  EXPECT_THAT(run(0, "NOSUCH a"), ElementsAre(HasSubstr("ERR: unknown command 'NOSUCH'")));
  EXPECT_THAT(run(0, "GET \"a"), ElementsAre("ERR: this quote is not closed on its line"));
  EXPECT_EQ(replies(0, "INCR a")[0].error->error_class, ErrorClass::other);
}

TEST_F(Redis, arguments_are_any_bytes) {
  open(1);
  EXPECT_THAT(run(0, "SET \"a b\" \"\\x00\\n\\xff\"\nSTRLEN \"a b\""),
              ElementsAre("value=OK", "value=3"));
  EXPECT_THAT(contents(), ElementsAre(std::string("a b ") + std::string("\0\n\xff", 3) + " NULL"));
}

TEST_F(Redis, long_answers_and_long_commands_arrive_whole) {
  open(1);
  const std::string value(3'000'000, 'x');
  EXPECT_THAT(run(0, "SET a " + value), ElementsAre("value=OK"));
  const auto answer = run(0, "GET a");
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(answer[0].size(), value.size() + 6);
}

TEST_F(Redis, what_leaves_the_database_or_has_no_end_is_not_sent) {
  open(1);
  for (const char* text :
       {"SELECT 3", "FLUSHALL", "swapdb 0 1", "MOVE a 1", "COPY a b DB 1", "SUBSCRIBE c", "MONITOR",
        "CLIENT REPLY OFF", "HELLO 3", "SHUTDOWN NOSAVE"}) {
    EXPECT_THAT(run(0, text), ElementsAre(HasSubstr("heddle does not send"))) << text;
  }
  EXPECT_THAT(run(0, "SET a 1\nCOPY a b\nHELLO 2\nPING"),
              ElementsAre("value=OK", "value=1", testing::_, "value=PONG"));
}

TEST_F(Redis, transactions_happen_at_exec) {
  open(2);
  EXPECT_THAT(run(0, "MULTI\nSET a 1\nINCR a\nSMEMBERS s"),
              ElementsAre("value=OK", "value=QUEUED", "value=QUEUED", "value=QUEUED"));
  EXPECT_EQ(session(0).transaction_state(), TransactionState::open);
  EXPECT_THAT(run(1, "GET a\nSADD s c b"), ElementsAre("value=NULL", "value=2"));
  EXPECT_THAT(run(0, "EXEC"), ElementsAre("1=OK 2=2 3=[b, c]"));
  EXPECT_EQ(session(0).transaction_state(), TransactionState::idle);
  EXPECT_THAT(run(0, "MULTI\nSET a 5\nDISCARD\nGET a"),
              ElementsAre("value=OK", "value=QUEUED", "value=OK", "value=2"));
  EXPECT_EQ(session(0).transaction_state(), TransactionState::idle);
  EXPECT_THAT(run(0, "MULTI\nLPUSH a 1\nGET a\nEXEC").back(), HasSubstr("1=WRONGTYPE Operation"));
  EXPECT_THAT(run(0, "MULTI\nEXEC").back(), "no rows");
}

TEST_F(Redis, what_is_refused_before_exec_fails_the_transaction) {
  open(1);
  EXPECT_THAT(run(0, "MULTI\nNOSUCH\nSET a 1").size(), 2U);
  EXPECT_EQ(session(0).transaction_state(), TransactionState::failed);
  EXPECT_THAT(run(0, "EXEC"), ElementsAre(HasSubstr("EXECABORT: ")));
  EXPECT_EQ(session(0).transaction_state(), TransactionState::idle);
  EXPECT_THAT(run(0, "MULTI\nMULTI").back(), HasSubstr("can not be nested"));
  EXPECT_EQ(session(0).transaction_state(), TransactionState::open);
  EXPECT_THAT(run(0, "SET a 1\nEXEC"), ElementsAre("value=QUEUED", "1=OK"));
  EXPECT_THAT(run(0, "EXEC"), ElementsAre("ERR: EXEC without MULTI"));
}

TEST_F(Redis, a_watched_key_that_changed_is_concurrency_control) {
  open(2);
  run(0, "WATCH a\nGET a\nMULTI\nSET a 1");
  run(1, "SET a 2");
  const auto replies = this->replies(0, "EXEC");
  ASSERT_EQ(replies.size(), 1U);
  ASSERT_TRUE(replies[0].error);
  EXPECT_EQ(replies[0].error->error_class, ErrorClass::serialization_failure);
  EXPECT_EQ(replies[0].error->code, "WATCH");
  EXPECT_EQ(session(0).transaction_state(), TransactionState::idle);
  EXPECT_THAT(run(0, "GET a"), ElementsAre("value=2"));
  EXPECT_THAT(run(0, "WATCH a\nMULTI\nSET a 3\nEXEC").back(), "1=OK");
}

TEST_F(Redis, blocking_commands_wait_for_all_who_do_not) {
  open(3);
  const WaitState first = send_and_wait(0, "BLPOP l 0");
  EXPECT_THAT(first.blockers, ElementsAre(backends_[1], backends_[2]));
  const WaitState second = send_and_wait(1, "XREAD BLOCK 0 STREAMS s $");
  EXPECT_THAT(second.blockers, ElementsAre(backends_[2]));
  EXPECT_EQ(*database_->is_blocked(backends_[2], backends_), false);
  EXPECT_THAT(run(2, "RPUSH l x\nXADD s 1-1 f v"), ElementsAre("value=1", "value=1-1"));
  ASSERT_TRUE(await(session(0)));
  EXPECT_THAT(texts_of(session(0).take_replies()), ElementsAre("1=l 2=x"));
  ASSERT_TRUE(await(session(1)));
  EXPECT_THAT(texts_of(session(1).take_replies()), ElementsAre("1=[s, [[1-1, [f, v]]]]"));
  EXPECT_THAT(run(0, "BLPOP l 0.01"), ElementsAre("value=NULL"));
}

TEST_F(Redis, what_waits_can_be_cancelled) {
  open(2);
  send_and_wait(0, "BRPOP l 0\nSET a 1");
  EXPECT_TRUE(session(0).cancel());
  ASSERT_TRUE(await(session(0)));
  const auto replies = session(0).take_replies();
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].error->error_class, ErrorClass::cancelled);
  EXPECT_FALSE(session(0).cancel());
}

TEST_F(Redis, a_script_that_does_not_end_is_killed) {
  auto replies = database_->execute("EVAL \"while true do end\" 0", 300);
  ASSERT_FALSE(replies);
  EXPECT_EQ(replies.error().trouble, Trouble::bound);
  EXPECT_THAT(execute("PING"), ElementsAre("value=PONG"));
}

TEST_F(Redis, a_lost_connection_is_an_error_of_its_own) {
  open(2);
  run(1, fmt::format("CLIENT KILL ID {}", backends_[0]));
  const auto replies = this->replies(0, "GET a\nGET b");
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].error->error_class, ErrorClass::connection_lost);
  EXPECT_EQ(this->replies(0, "PING")[0].error->error_class, ErrorClass::connection_lost);
}

constexpr const char* kAllTypes =
    "SET text \"a b\"\nSET soon 1 EX 1000\nRPUSH list b a\nSADD set b a\nHSET hash b 2 a 1\n"
    "ZADD sorted 2 a 1 b\nXADD stream 1-1 f v g w\nXADD stream * f v\nXADD groups 1-1 f v\n"
    "XGROUP CREATE groups g 0\nXREADGROUP GROUP g c STREAMS groups >\nPFADD log a";

TEST_F(Redis, the_catalogue_is_one_table) {
  const auto catalogue = database_->read_catalogue();
  ASSERT_TRUE(catalogue);
  ASSERT_EQ(catalogue->size(), 1U);
  EXPECT_EQ(catalogue->front().name, "redis");
  EXPECT_THAT(catalogue->front().key, ElementsAre("key"));
  ASSERT_EQ(catalogue->front().columns.size(), 3U);
  EXPECT_EQ(catalogue->front().columns[2].name, "expires");
}

TEST_F(Redis, keys_of_all_types_are_read) {
  EXPECT_EQ(execute(kAllTypes).size(), 12U);
  const auto rows = contents();
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_EQ(rows[0], "groups [(1-1) {f: v}] pending {g: 1} NULL");
  EXPECT_EQ(rows[1], "hash {a: 1, b: 2} NULL");
  EXPECT_EQ(rows[2], "list [b, a] NULL");
  EXPECT_THAT(rows[3], HasSubstr("log HYLL"));
  EXPECT_EQ(rows[4], "set {a, b} NULL");
  EXPECT_EQ(rows[5], "soon 1 yes");
  EXPECT_EQ(rows[6], "sorted {b: 1, a: 2} NULL");
  EXPECT_EQ(rows[7], "stream [(1-1) {f: v, g: w}, (*) {f: v}] NULL");
  EXPECT_EQ(rows[8], "text a b NULL");
}

TEST_F(Redis, a_snapshot_is_gone_back_to) {
  execute(kAllTypes);
  const auto before = contents();
  ASSERT_TRUE(database_->take_snapshot());
  execute("DEL list\nSET text changed\nSET new 1\nPERSIST soon\nHSET hash a 7");
  EXPECT_NE(contents(), before);
  ASSERT_TRUE(database_->restore_snapshot({"redis"}));
  EXPECT_EQ(contents(), before);
  EXPECT_THAT(execute("TTL soon"), ElementsAre("value=1000"));
  ASSERT_TRUE(database_->wipe());
  EXPECT_THAT(contents(), IsEmpty());
}

TEST_F(Redis, many_keys_are_read) {
  open(1);
  std::string text;
  for (int i = 0; i < 3000; ++i) text += fmt::format("SET k{:04} {}\n", i, i);
  EXPECT_EQ(run(0, text).size(), 3000U);
  const auto rows = contents();
  ASSERT_EQ(rows.size(), 3000U);
  EXPECT_EQ(rows[2999], "k2999 2999 NULL");
}

TEST_F(Redis, predicates_choose_versions) {
  execute("SET a 1\nSET b 2\nSET \"it's\" 3");
  const auto catalogue = database_->read_catalogue();
  const CatalogueTable& table = catalogue->front();
  const auto rows = database_->watch_rows({&table});
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->front().size(), 3U);
  EXPECT_EQ(rows->front()[0].value, "1");
  EXPECT_THAT(rows->front()[0].key, ElementsAre("a"));
  std::vector<WatchedVersion> versions;
  for (std::size_t i = 0; i < 3; ++i) versions.push_back({i + 7, rows->front()[i].text});
  const auto matching = [&](const std::string& predicate) {
    return *database_->matching(table, "redis", predicate, versions);
  };
  EXPECT_THAT(matching("key = 'b'"), ElementsAre(8U));
  EXPECT_THAT(matching("key IN ('a', 'it''s')"), ElementsAre(7U, 9U));
  EXPECT_THAT(matching("key = 'c'"), IsEmpty());
  EXPECT_THAT(matching("value = '1'"), ElementsAre(7U, 8U, 9U));
  EXPECT_THAT(*database_->writers({1, 2}), ElementsAre(std::nullopt, std::nullopt));
}

TEST_F(Redis, databases_keep_apart_and_are_emptied) {
  auto other = server().create_database("preferred");
  ASSERT_TRUE(other);
  execute("SET a 1");
  EXPECT_EQ((*other)->execute("GET a", kTimeoutMs)->front().result->rows[0][0], std::nullopt);
  database_.reset();
  // The number is used again.
  auto again = server().create_database("");
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->execute("DBSIZE", kTimeoutMs)->front().result->rows[0][0], "0");
}

TEST_F(Redis, a_transaction_that_a_block_leaves_open_is_discarded) {
  EXPECT_THAT(execute("MULTI\nSET a 1"), ElementsAre("value=OK", "value=QUEUED"));
  EXPECT_THAT(execute("GET a"), ElementsAre("value=NULL"));
}

TEST_F(Redis, truth) {
  EXPECT_TRUE(database_->is_true("1"));
  EXPECT_TRUE(database_->is_true("OK"));
  EXPECT_FALSE(database_->is_true("0"));
  EXPECT_FALSE(database_->is_true(""));
  EXPECT_FALSE(database_->is_true(std::nullopt));
}

// A server of few logical databases that plays the given one.
class GivenRedis : public testing::Test {
 protected:
  void SetUp() override {
    ThrowawayRedisOptions options;
    options.databases = 4;
    auto started = ThrowawayRedis::start(options);
    ASSERT_TRUE(started) << to_string(started.error());
    throwaway_ = std::move(*started);
    address_ = "unix:" + throwaway_->socket();
  }

  // Of the logical database; -1: it does not tell.
  long long count_keys(int number) const {
    const auto connection = connect_to_redis(*parse_redis_address(address_));
    if (!connection) return -1;
    const auto replies =
        order_redis(**connection, {{"SELECT", fmt::format("{}", number)}, {"DBSIZE"}});
    return replies ? replies->back()->integer : -1;
  }

  void set_key(int number) const {
    const auto connection = connect_to_redis(*parse_redis_address(address_));
    ASSERT_TRUE(connection);
    ASSERT_TRUE(order_redis(**connection,
                            {{"SELECT", fmt::format("{}", number)}, {"SET", "user", "data"}}));
  }

  std::unique_ptr<ThrowawayRedis> throwaway_;
  std::string address_;
};

TEST_F(GivenRedis, only_what_is_empty_and_unclaimed_is_taken) {
  set_key(2);
  auto server = open_server({address_});
  ASSERT_TRUE(server) << to_string(server.error());
  EXPECT_THAT((*server)->description(), HasSubstr("(given)"));
  EXPECT_FALSE((*server)->is_throwaway());
  auto first = (*server)->create_database("");
  auto second = (*server)->create_database("");
  ASSERT_TRUE(first && second);
  ASSERT_TRUE((*first)->execute("SET mine 1", kTimeoutMs));
  ASSERT_TRUE((*second)->execute("SET mine 1", kTimeoutMs));
  EXPECT_EQ(count_keys(3), 1);
  EXPECT_EQ(count_keys(1), 1);
  EXPECT_EQ(count_keys(0), 0);
  auto third = (*server)->create_database("");
  ASSERT_FALSE(third);
  EXPECT_THAT(third.error().what, HasSubstr("none of the 4 logical databases"));
  first->reset();
  EXPECT_EQ(count_keys(3), 0);
  EXPECT_EQ(count_keys(2), 1);
  EXPECT_TRUE((*server)->create_database(""));
}

TEST_F(GivenRedis, a_claim_is_seen_by_others) {
  const auto address = *parse_redis_address(address_);
  auto one = connect_to_redis(address);
  auto other = connect_to_redis(address);
  ASSERT_TRUE(one && other);
  EXPECT_TRUE(*claim_redis_database(**one, 3));
  EXPECT_FALSE(*claim_redis_database(**other, 3));
  EXPECT_TRUE(*claim_redis_database(**other, 2));
  one->reset();
  EXPECT_TRUE(eventually([&] { return *claim_redis_database(**other, 3); }));
}

TEST_F(GivenRedis, keys_go_when_heddle_is_killed) {
  set_key(1);
  {
    Child child([&](const Child::Say& say) {
      auto server = open_server({address_});
      if (!server) return 1;
      auto database = (*server)->create_database("");
      if (!database || !(*database)->execute("SET mine 1", kTimeoutMs)) return 2;
      say("made");
      ::pause();
      return 0;
    });
    EXPECT_EQ(child.hear(), "made");
    EXPECT_EQ(count_keys(3), 1);
    child.wait_after(SIGKILL);
  }
  EXPECT_TRUE(eventually([&] { return count_keys(3) == 0; }));
  EXPECT_EQ(count_keys(1), 1);
}

TEST_F(GivenRedis, a_password_is_given) {
  auto connection = connect_to_redis(*parse_redis_address(address_));
  ASSERT_TRUE(connection);
  ASSERT_TRUE(order_redis(**connection, {{"CONFIG", "SET", "requirepass", "p@ss"}}));
  const auto refused = open_server({"redis://?socket=" + throwaway_->socket()});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("Redis refuses the connection: NOAUTH"));
  const auto wrong = open_server({"redis://:no@?socket=" + throwaway_->socket()});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().what, HasSubstr("WRONGPASS"));
  const auto server = open_server({"redis://:p%40ss@?socket=" + throwaway_->socket()});
  ASSERT_TRUE(server) << to_string(server.error());
  EXPECT_TRUE((*server)->create_database(""));
}

TEST_F(GivenRedis, a_server_that_is_not_there_is_named) {
  const auto server = open_server({"unix:/nonexistent/socket"});
  ASSERT_FALSE(server);
  EXPECT_THAT(to_string(server.error()), HasSubstr("cannot connect to Redis: No such file"));
  EXPECT_EQ(server.error().trouble, Trouble::environment);
}

}  // namespace
}  // namespace heddle
