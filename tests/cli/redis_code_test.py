"""Redis in Java beside a database: what is read, searched, and executed on both stores."""

import json
import os
import pathlib
import random
import re
import shutil
import unittest

import program

TABLES = "CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL);\n"

HEAD = """package bank;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
{imports}

public class Accounts {{
  private final DataSource database;
  private final {client} redis;
  public Accounts(DataSource database, {client} redis) {{
    this.database = database;
    this.redis = redis;
  }}
{methods}}}
"""

READ = """  public String balance(int id) throws SQLException {{
    String cached = {get};
    if (cached != null) {{
      return cached;
    }}
    try (Connection connection = database.getConnection();
        PreparedStatement select =
            connection.prepareStatement("SELECT balance FROM account WHERE id = ?")) {{
      select.setInt(1, id);
      ResultSet rows = select.executeQuery();
      if (!rows.next()) {{
        return null;
      }}
      String balance = String.valueOf(rows.getInt(1));
      {fill}
      return balance;
    }}
  }}
"""

WRITE = """  public void deposit(int id, int sum) throws SQLException {{
    try (Connection connection = database.getConnection();
        PreparedStatement update =
            connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?")) {{
      update.setInt(1, sum);
      update.setInt(2, id);
      update.executeUpdate();
    }}
    {forget};
  }}
"""

KEY = '"account:" + id'

# Client, imports, the cache's value, how it is filled, how it is forgotten.
STYLES = {
    "jedis": ("JedisPooled", "import redis.clients.jedis.JedisPooled;", f"redis.get({KEY})",
              f"redis.set({KEY}, balance);", f"redis.del({KEY})"),
    "lettuce": ("StatefulRedisConnection<String, String>",
                "import io.lettuce.core.api.StatefulRedisConnection;",
                f"redis.sync().get({KEY})", f"redis.sync().setex({KEY}, 60, balance);",
                f"redis.sync().del({KEY})"),
    "spring": ("StringRedisTemplate",
               "import org.springframework.data.redis.core.StringRedisTemplate;",
               f"redis.opsForValue().get({KEY})",
               f"redis.opsForValue().set({KEY}, balance, Duration.ofMinutes(1));",
               f"redis.delete({KEY})"),
}


def has_redis_server():
    """As heddle looks for it."""
    names = ("redis-server", "redis-check-rdb")
    folder = os.environ.get("HEDDLE_REDIS_BIN")
    if folder:
        return any((pathlib.Path(folder) / name).exists() for name in names)
    places = [pathlib.Path("/usr/bin"), pathlib.Path("/usr/local/bin")]
    return any(shutil.which(name) or any((place / name).exists() for place in places)
               for name in names)


def java(style, methods):
    client, imports, *_ = STYLES[style]
    return HEAD.format(client=client, imports=imports, methods=methods)


class RedisTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("schema.sql", TABLES)

    def find(self, text, *words, code=None):
        self.write("Accounts.java", text)
        done = self.heddle("find", *words, ".")
        if code is not None:
            self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done

    def causes(self, text, *words):
        done = self.find(text, "--format=json", *words)
        self.assertIn(done.returncode, (program.FOUND, program.NOTHING_FOUND), done.stderr)
        return json.loads(done.stdout)["causes"]


class StoreTest(RedisTest):
    def setUp(self):
        super().setUp()
        if not has_redis_server():
            self.skipTest("there is no redis-server and no redis-check-rdb on this machine")


def stale(style):
    _, _, get, fill, forget = STYLES[style]
    return java(style, READ.format(get=get, fill=fill) + WRITE.format(forget=forget))


class ReadTest(RedisTest):
    def test_commands_are_statements_and_every_place_is_read(self):
        for style in STYLES:
            with self.subTest(style=style):
                done = self.find(stale(style), "--list-statements", code=0)
                self.assertRegex(done.stdout, r"GET \w*key\n    store redis\n    kind select")
                self.assertRegex(done.stdout, r"DEL \w*key\n    store redis\n    kind delete")
                self.assertRegex(done.stdout, r"SET(EX)? \w*key ")
                self.assertNotIn("not all of it was read", done.stdout)

    def test_what_is_printed_reads_the_same_again(self):
        printed = self.find(stale("jedis"), "--print-program", code=0).stdout
        self.write("printed.sql", printed)
        again = self.heddle("find", "--print-program", "printed.sql")
        self.assertEqual(printed, again.stdout)
        listed = self.heddle("find", "--list-statements", "printed.sql").stdout
        self.assertIn("store redis", listed)

    def test_keys_of_other_beginnings_are_other_keys(self):
        causes = self.causes(java("jedis", """
  public void put(int id) { redis.set("a:" + id, redis.get("a:" + id) + "x"); }
  public String look(int id) { return redis.get("c:" + id); }
"""))
        self.assertNotEqual([], causes)
        self.assertNotIn('"look"', json.dumps(causes))

    def test_what_is_not_followed_may_use_any_key_and_is_said(self):
        done = self.find(java("jedis", """
  public String look(int id) { return redis.get("c:" + id) + redis.get("c:" + id); }
  public void rename(int id) { redis.rename("a:" + id, "b:" + id); }
"""), "--warnings=all", code=program.FOUND)
        self.assertIn("the command RENAME of Redis is not followed", done.stderr + done.stdout)
        self.assertIn("look and rename", done.stdout)

    def test_clients_that_are_not_followed_are_places_that_are_not_read(self):
        done = self.find("""import org.redisson.api.RedissonClient;
public class Counters {
  private final RedissonClient redis;
  public Counters(RedissonClient redis) { this.redis = redis; }
  public void count(String name) { redis.getAtomicLong(name).incrementAndGet(); }
}
""", code=program.UNKNOWN)
        self.assertIn("Redis", done.stdout)

    def test_a_table_of_that_name_leaves_redis_unread(self):
        self.write("schema.sql", TABLES + "CREATE TABLE redis (key text PRIMARY KEY);\n")
        done = self.find(stale("jedis"))
        self.assertEqual(program.UNKNOWN, done.returncode, done.stdout + done.stderr)
        self.assertIn("places that use a store were not", done.stdout)

    def test_split_does_not_take_redis_for_a_table(self):
        self.write("Accounts.java", stale("jedis"))
        self.write("cut.yaml", "services:\n  one: [account]\n")
        done = self.heddle("split", "--services=cut.yaml", ".")
        self.assertNotIn("redis (", done.stdout)

    def test_the_reference_engine_knows_one_store(self):
        done = self.find(stale("jedis"), "--engine=reference", "--isolation=eventual",
                         code=program.TROUBLE)
        self.assertIn("uses Redis", done.stderr)

    def test_repairs_leave_commands_alone(self):
        done = self.find(stale("jedis"), "--repair")
        self.assertNotIn("FOR UPDATE to the SELECT at Accounts.java:17", done.stdout)


def tables_of(cause):
    return {one["table"] for cycle in cause["cores"] for one in cycle["dependencies"]}


class SearchTest(RedisTest):
    def test_the_stale_cache_at_every_level_of_the_database(self):
        for style in STYLES:
            for level in ("postgres:read-committed", "postgres:serializable",
                          "mariadb:repeatable-read", "snapshot", "serializable"):
                with self.subTest(style=style, level=level):
                    causes = self.causes(stale(style), f"--isolation={level}")
                    self.assertTrue(any({"account", "redis"} <= tables_of(cause)
                                        for cause in causes), level)

    def test_a_command_is_of_no_transaction_around_it(self):
        """Between two reads of one snapshot the database stays as it is, Redis does not."""
        two = """  public String both(int id) throws SQLException {{
    try (Connection connection = database.getConnection()) {{
      connection.setAutoCommit(false);
      {first}
      {second}
      connection.commit();
      return "" + a + b;
    }}
  }}
  public void change(int id) throws SQLException {{ {change} }}
"""
        sql = """PreparedStatement s{n} =
          connection.prepareStatement("SELECT balance FROM account WHERE id = ?");
      s{n}.setInt(1, id);
      ResultSet r{n} = s{n}.executeQuery();
      r{n}.next();
      int {v} = r{n}.getInt(1);"""
        update = """try (Connection c = database.getConnection();
        PreparedStatement u = c.prepareStatement("UPDATE account SET balance = 0 WHERE id = ?")) {
      u.setInt(1, id);
      u.executeUpdate();
    }"""
        of_database = two.format(first=sql.format(n=1, v="a"), second=sql.format(n=2, v="b"),
                                 change=update)
        of_redis = two.format(first=f"String a = redis.get({KEY});",
                              second=f"String b = redis.get({KEY});",
                              change=f'redis.set({KEY}, "0");')
        level = "--isolation=postgres:repeatable-read"
        self.assertEqual([], self.causes(java("jedis", of_database), level))
        self.assertNotEqual([], self.causes(java("jedis", of_redis), level))

    def test_commands_alone_are_atomic(self):
        one = java("jedis", """
  public long count(int id) { return redis.incr("n:" + id); }
  public boolean take(int id) { return redis.setnx("t:" + id, "1") == 1; }
  public String swap(int id) { return redis.getSet("s:" + id, "new"); }
""")
        self.assertEqual([], self.causes(one))
        several = java("jedis", """
  public void count(int id) {
    String n = redis.get("n:" + id);
    redis.set("n:" + id, String.valueOf(n == null ? 1 : Integer.parseInt(n) + 1));
  }
""")
        self.assertNotEqual([], self.causes(several))

    def test_what_is_between_multi_and_exec_is_one(self):
        text = """
  public void move(int id) {{
    {begin}
    {on}.incrBy("a:" + id, -1);
    {on}.incrBy("b:" + id, 1);
    {end}
  }}
"""
        client, imports = "Jedis", "import redis.clients.jedis.*;"
        one = text.format(begin="Transaction t = redis.multi();", on="t", end="t.exec();")
        apart = text.format(begin="", on="redis", end="")
        asks = """
  public long look(int id) {
    Transaction t = redis.multi();
    t.get("a:" + id);
    t.get("b:" + id);
    t.exec();
    return 0;
  }
"""
        def causes(methods):
            return self.causes(HEAD.format(client=client, imports=imports, methods=methods))

        self.assertEqual([], causes(one + asks))
        self.assertNotEqual([], causes(apart + asks))


class ExecutionTest(StoreTest):
    LEVELS = {"postgres": "postgres:read-committed", "mariadb": "mariadb:read-committed"}

    def test_the_stale_cache_is_confirmed_on_both_stores(self):
        for style in STYLES:
            for store, level in self.LEVELS.items():
                with self.subTest(style=style, store=store):
                    done = self.find(stale(style), f"--on={store}", f"--isolation={level}",
                                     "--details=1", code=program.FOUND)
                    self.assertRegex(done.stdout, r"account, redis +confirmed +internal")
                    self.assertRegex(done.stdout, r"cache: GET account:\d")
                    self.assertRegex(done.stdout, r"cache: DEL account:\d")
                    self.assertIn("final rows of cache.redis", done.stdout)

    def test_a_cache_that_nobody_fills_is_never_stale(self):
        _, _, get, _, forget = STYLES["jedis"]
        text = java("jedis", READ.format(get=get, fill="") + WRITE.format(forget=forget))
        for store, level in self.LEVELS.items():
            with self.subTest(store=store):
                done = self.find(text, f"--on={store}", f"--isolation={level}", "--internal")
                self.assertNotIn("internal\n", done.stdout)

    def test_a_writer_that_fills_under_the_lock_of_the_row_is_safe(self):
        """Who writes both under one lock, and reads no more than one of them, is in no cycle."""
        text = java("jedis", """  public void deposit(int id, int sum) throws SQLException {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      PreparedStatement select =
          connection.prepareStatement("SELECT balance FROM account WHERE id = ? FOR UPDATE");
      select.setInt(1, id);
      ResultSet rows = select.executeQuery();
      if (!rows.next()) {
        connection.rollback();
        return;
      }
      int balance = rows.getInt(1) + sum;
      PreparedStatement update =
          connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?");
      update.setInt(1, balance);
      update.setInt(2, id);
      update.executeUpdate();
      redis.set("account:" + id, String.valueOf(balance));
      connection.commit();
    }
  }
  public String cached(int id) { return redis.get("account:" + id); }
""")
        for store, level in self.LEVELS.items():
            with self.subTest(store=store):
                done = self.find(text, f"--on={store}", f"--isolation={level}",
                                 code=program.NOTHING_FOUND)
                self.assertNotIn("confirmed", done.stdout)
        unsafe = text.replace(" FOR UPDATE", "")
        done = self.find(unsafe, "--on=postgres", code=program.FOUND)
        self.assertIn("confirmed", done.stdout)

    def test_a_rollback_undoes_nothing_in_redis(self):
        text = java("jedis", """  public void fill(int id) throws SQLException {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      redis.set("account:" + id, "1");
      PreparedStatement update =
          connection.prepareStatement("UPDATE account SET balance = 1 WHERE id = ?");
      update.setInt(1, id);
      update.executeUpdate();
      redis.set("account:" + id, "2");
      connection.rollback();
    }
  }
  public String look(int id) { return redis.get("account:" + id); }
""")
        done = self.find(text, "--on=postgres", "--details=1", code=program.FOUND)
        self.assertRegex(done.stdout, r"redis +confirmed +external")

    def test_saved_runs_are_replayed_and_explored(self):
        self.find(stale("jedis"), "--on=postgres", "--save=kept", code=program.FOUND)
        found = sorted((self.folder / "kept").glob("*.json"))
        self.assertTrue(found)
        replayed = self.heddle("replay", str(found[0]))
        self.assertEqual(program.FOUND, replayed.returncode, replayed.stdout + replayed.stderr)
        spec = sorted((self.folder / "kept").glob("*.spec"))[0]
        explored = self.heddle("explore", str(spec))
        self.assertEqual(program.FOUND, explored.returncode, explored.stdout + explored.stderr)

    def test_rows_that_are_given_leave_redis_empty(self):
        self.write("rows.sql", "INSERT INTO account VALUES (1, 50);\n")
        for store, level in self.LEVELS.items():
            with self.subTest(store=store):
                done = self.find(stale("jedis"), f"--on={store}", f"--isolation={level}",
                                 "--rows=rows.sql", code=program.FOUND)
                self.assertRegex(done.stdout, r"account, redis +confirmed +internal")

    def test_other_stores_run_no_redis_beside(self):
        done = self.find(stale("jedis"), "--on=replicated", "--isolation=causal")
        self.assertIn("beside PostgreSQL and MariaDB alone", done.stdout)


STEPS = [
    'String v{n} = redis.get("k:" + id);',
    'redis.set("k:" + id, "{n}");',
    'redis.del("k:" + id);',
    'redis.incr("n:" + id);',
    'redis.setnx("k:" + id, "{n}");',
    'String w{n} = redis.get("n:" + id);',
    """PreparedStatement s{n} =
          connection.prepareStatement("SELECT balance FROM account WHERE id = ?");
      s{n}.setInt(1, id);
      ResultSet r{n} = s{n}.executeQuery();
      int b{n} = r{n}.next() ? r{n}.getInt(1) : 0;""",
    """PreparedStatement u{n} =
          connection.prepareStatement("UPDATE account SET balance = {n} WHERE id = ?");
      u{n}.setInt(1, id);
      u{n}.executeUpdate();""",
]


def without_redis(text):
    lines = [re.sub(r"= redis\.get\(.*\);", '= "";', line) for line in text.split("\n")]
    return "\n".join(line for line in lines if not line.strip().startswith("redis."))


class AgreementTest(StoreTest):
    """What any interleaving of two calls does wrong is found by the search."""

    def method(self, name, chance):
        steps, shown, number = [], [], 0
        for _ in range(chance.randint(2, 3)):
            number += 1
            step = chance.choice(STEPS).replace("{n}", f"{ord(name[0]) % 10}{number}")
            steps.append("      " + step)
            shown += re.findall(r"(?:String|int) (\w+) =", step)
        if chance.random() < 0.4:
            steps.insert(chance.randint(0, len(steps)), "      connection.commit();")
        result = " + \"/\" + ".join(['""'] + shown)
        return f"""  public String {name}(int id) throws SQLException {{
    try (Connection connection = database.getConnection()) {{
      connection.setAutoCommit(false);
{chr(10).join(steps)}
      connection.commit();
      return {result};
    }}
  }}
"""

    def goes_wrong(self, text, warm):
        """Whether some interleaving of both methods on one key ends as no serial order does."""
        printed = self.find(text, "--print-program", code=0).stdout
        routines = printed[printed.index("CREATE FUNCTION"):]
        self.write("all.spec", f"""store db postgres
store cache redis
setup {{ {TABLES} INSERT INTO account VALUES (1, 5); }}
{'setup on cache { SET k:1 7 }' if warm else ''}
program {{
{routines}}}
session one call {{ alpha(1) }}
session two call {{ beta(1) }}
""")
        done = self.heddle("explore", "all.spec")
        self.assertIn(done.returncode, (program.FOUND, program.NOTHING_FOUND),
                      done.stdout + done.stderr)
        return done.returncode == program.FOUND

    def test_random_programs(self):
        rounds = int(os.environ.get("HEDDLE_REDIS_ROUNDS", "12"))
        seed = int(os.environ.get("HEDDLE_REDIS_SEED", "1"))
        wrong = through_redis = 0
        for number in range(rounds):
            chance = random.Random(seed * 1000 + number)
            text = java("jedis", self.method("alpha", chance) + self.method("beta", chance))
            with self.subTest(seed=seed * 1000 + number):
                if not any(self.goes_wrong(text, warm) for warm in (False, True)):
                    continue
                wrong += 1
                self.assertNotEqual([], self.causes(text), text)
                through_redis += not self.causes(without_redis(text))
        self.assertGreater(wrong, rounds // 4)
        # A search that passed over the commands would have been noticed.
        self.assertGreater(through_redis, rounds // 8)


if __name__ == "__main__":
    unittest.main()
