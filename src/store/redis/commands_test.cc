// The table of commands is compared with what the server itself says of each.
#include "frontend/redis/commands.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "frontend/redis/parse.h"
#include "store/redis/connection.h"
#include "store/redis/throwaway.h"

namespace heddle {
namespace {

// Data commands that are left out, so that they may do anything.
constexpr std::array<std::string_view, 8> kLeftOut = {
    "move", "swapdb", "migrate", "restore-asking", "pfdebug", "pfselftest", "script", "function",
};
// The server counts on scripts to use what they declare, and says otherwise of what may store.
constexpr std::array<std::string_view, 5> kOtherwise = {"sort", "georadius", "georadiusbymember",
                                                        "watch", "copy"};

bool is_among(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// As COMMAND tells it.
struct Told {
  std::string name;
  bool is_data = false;
  bool writes = false;
  bool reads_only = false;
  bool moves_keys = false;  // their places are not told
  long long first = 0;
  long long last = 0;
  long long step = 0;
};

std::vector<Told> ask_commands() {
  std::vector<Told> all;
  const auto server = ThrowawayRedis::start({});
  if (!server) return all;
  RedisAddress address;
  address.socket = (*server)->socket();
  const auto connection = connect_to_redis(address);
  if (!connection) return all;
  const auto replies = ask_redis(**connection, {{"COMMAND"}});
  if (!replies) return all;
  for (const redisReply* command : elements_of(*replies->front())) {
    const auto facts = elements_of(*command);
    Told& told = all.emplace_back();
    told.name = text_of(*facts[0]);
    for (const redisReply* flag : elements_of(*facts[2])) {
      const std::string text = text_of(*flag);
      told.writes = told.writes || text == "write";
      told.reads_only = told.reads_only || text == "readonly";
      told.moves_keys = told.moves_keys || text == "movablekeys";
    }
    told.first = facts[3]->integer;
    told.last = facts[4]->integer;
    told.step = facts[5]->integer;
    told.is_data = told.writes || told.reads_only;
  }
  return all;
}

class RedisCommands : public testing::Test {
 protected:
  static void SetUpTestSuite() { told() = ask_commands(); }
  static void TearDownTestSuite() { told().clear(); }
  void SetUp() override { ASSERT_GT(told().size(), 200U); }

  static std::vector<Told>& told() {
    static std::vector<Told> all;
    return all;
  }
};
TEST_F(RedisCommands, every_data_command_is_in_the_table) {
  for (const Told& told : RedisCommands::told()) {
    if (!told.is_data || is_among(kLeftOut, told.name)) continue;
    EXPECT_NE(find_redis_command({told.name}), nullptr) << told.name;
  }
}

TEST_F(RedisCommands, what_writes_is_known_to) {
  for (const Told& told : RedisCommands::told()) {
    const RedisCommandRow* const row = find_redis_command({told.name});
    if (row == nullptr || is_among(kOtherwise, told.name)) continue;
    const bool writes = row->use != RedisUse::none && row->use != RedisUse::read;
    // Counting a hyperloglog stores the count.
    const bool may_write = told.writes || (told.reads_only && told.name == "pfcount");
    if (told.is_data) {
      EXPECT_EQ(writes, may_write) << told.name;
    }
  }
}

TEST_F(RedisCommands, keys_stand_where_the_server_finds_them) {
  for (const Told& told : RedisCommands::told()) {
    const RedisCommandRow* const row = find_redis_command({told.name});
    const bool is_told = told.is_data && !told.moves_keys && told.first > 0;
    if (row == nullptr || !is_told) continue;
    std::vector<std::string> arguments = {told.name};
    for (int i = 1; i <= 8; ++i) arguments.push_back(fmt::format("a{}", i));
    const auto size = static_cast<long long>(arguments.size());
    const long long last = told.last < 0 ? size + told.last : told.last;
    std::vector<std::string> expected;
    for (long long i = told.first; i <= last; i += told.step) {
      expected.push_back(arguments[static_cast<std::size_t>(i)]);
    }
    EXPECT_EQ(redis_keys(*row, arguments), expected) << told.name;
  }
}

TEST_F(RedisCommands, the_server_agrees_on_keys_that_move) {
  const auto server = ThrowawayRedis::start({});
  ASSERT_TRUE(server);
  RedisAddress address;
  address.socket = (*server)->socket();
  const auto connection = connect_to_redis(address);
  ASSERT_TRUE(connection);
  for (const std::string_view text : {
           "ZUNIONSTORE d 2 a b WEIGHTS 1 2",
           "ZINTER 2 a b WITHSCORES",
           "ZDIFF 1 a",
           "SINTERCARD 2 a b LIMIT 1",
           "LMPOP 2 a b LEFT",
           "ZMPOP 1 a MIN",
           "BLMPOP 0 2 a b LEFT",
           "BZMPOP 0 1 a MIN COUNT 2",
           "XREAD COUNT 1 BLOCK 0 STREAMS s t 0 0",
           "XREADGROUP GROUP g c STREAMS s t > >",
           "GEORADIUS g 1 2 3 m STORE d",
           "GEORADIUSBYMEMBER g m 3 km STOREDIST d",
           "SORT l STORE d",
           "SORT l LIMIT 0 1",
           "ZINTERSTORE d 1 a",
           "ZDIFFSTORE d 2 a b",
           "GEORADIUS g 1 2 3 m",
       }) {
    RedisArguments command = split(text, ' ');
    const auto keys = redis_keys(*find_redis_command(command), command);
    command.insert(command.begin(), {"COMMAND", "GETKEYS"});
    const auto replies = ask_redis(**connection, {command});
    ASSERT_TRUE(replies);
    std::vector<std::string> expected;
    for (const redisReply* key : elements_of(*replies->front())) expected.push_back(text_of(*key));
    EXPECT_EQ(keys, expected) << text;
  }
}

}  // namespace
}  // namespace heddle
