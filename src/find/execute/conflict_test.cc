// INSERTs that do nothing where a unique key is taken, in programs whose anomalies are made to
// happen on a real PostgreSQL.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "heddle/find.h"
#include "heddle/program.h"

namespace heddle {
namespace {

FindReport execute(const std::string& sql, const std::string& level) {
  const Result<Program> program = parse_program({{"p.sql", sql}});
  if (!program) {
    ADD_FAILURE() << to_string(program.error());
    return {};
  }
  EXPECT_TRUE(program->notes.empty());
  FindOptions options;
  options.level = find_isolation_level(level);
  Result<FindReport> report = find_anomalies(*program, options);
  ExecuteOptions execution;
  execution.on.texts = {"postgres"};
  const Result<void> executed = execute_findings(*program, options, execution, *report);
  EXPECT_TRUE(executed) << to_string(executed.error());
  return std::move(*report);
}

// Whether a cause of that kind on that table happened.
bool is_confirmed(const FindReport& report, AnomalyKind kind, const std::string& table) {
  return std::ranges::any_of(report.causes, [&](const FoundCause& cause) {
    const auto is_on = [&](const FoundEdge& edge) { return edge.table == table; };
    return cause.kind == kind && cause.execution->status == FindingStatus::confirmed &&
           std::ranges::all_of(cause.cores.front().edges, is_on);
  });
}

// A name is taken by a row of another key, which goes before it is looked at.
constexpr const char* kClaim = R"(
CREATE TABLE member (id int PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE refusal (id int PRIMARY KEY, owner int);
CREATE PROCEDURE claim(p_id int, p_name text) LANGUAGE plpgsql AS $$
DECLARE found_owner int;
BEGIN
  INSERT INTO member (id, name) VALUES (p_id, p_name) ON CONFLICT DO NOTHING;
  IF FOUND THEN RETURN; END IF;
  SELECT id INTO found_owner FROM member WHERE name = p_name;
  UPDATE refusal SET owner = found_owner WHERE id = p_id;
END $$;
CREATE PROCEDURE leave(p_id int) LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM member WHERE id = p_id;
END $$;
)";

TEST(Conflict, a_name_that_was_taken_is_nobodys) {
  const FindReport report = execute(kClaim, "postgres:read-committed");
  EXPECT_TRUE(std::ranges::any_of(report.causes, [](const FoundCause& cause) {
    return cause.execution->status == FindingStatus::confirmed &&
           cause.cores.front().edges.front().table == "member";
  }));
}

// Requests with other tokens are done at once, each with the balance that it read before.
constexpr const char* kPay = R"(
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE request (id int PRIMARY KEY, token text NOT NULL UNIQUE);
CREATE PROCEDURE pay(p_id int, p_token text, p_account int, amount int) LANGUAGE plpgsql AS $$
DECLARE available int;
BEGIN
  SELECT balance INTO available FROM account WHERE id = p_account;
  INSERT INTO request VALUES (p_id, p_token) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE account SET balance = available - amount WHERE id = p_account;
END $$;
)";

TEST(Conflict, a_payment_that_is_done_once_loses_an_update) {
  const FindReport report = execute(kPay, "postgres:read-committed");
  EXPECT_TRUE(is_confirmed(report, AnomalyKind::lost_update, "account"));
}

// A row is made where there is none, and then counted up.
constexpr const char* kHit = R"(
CREATE TABLE page (id int PRIMARY KEY, path text NOT NULL, site int NOT NULL, hits int NOT NULL);
CREATE UNIQUE INDEX page_of_site ON page (site, path);
CREATE PROCEDURE hit(p_id int, p_site int, p_path text) LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  INSERT INTO page (id, site, path, hits) VALUES (p_id, p_site, p_path, 0)
  ON CONFLICT DO NOTHING;
  SELECT hits INTO n FROM page WHERE site = p_site AND path = p_path;
  UPDATE page SET hits = n + 1 WHERE site = p_site AND path = p_path;
END $$;
)";

TEST(Conflict, a_row_that_is_made_where_there_is_none_loses_an_update) {
  const FindReport report = execute(kHit, "postgres:read-committed");
  EXPECT_TRUE(is_confirmed(report, AnomalyKind::lost_update, "page"));
}

// A unique index knows that a row is gone which the snapshot still has.
constexpr const char* kGone = R"(
CREATE TABLE account (id int PRIMARY KEY, mail text NOT NULL UNIQUE);
CREATE TABLE log (id int PRIMARY KEY, n int NOT NULL);
CREATE PROCEDURE put(p_id int, p_mail text) LANGUAGE plpgsql AS $$
DECLARE m int;
BEGIN
  SELECT n INTO m FROM log WHERE id = 1;
  INSERT INTO account (id, mail) VALUES (p_id, p_mail) ON CONFLICT DO NOTHING;
  UPDATE log SET n = m WHERE id = 2;
END $$;
CREATE PROCEDURE drop_one(p_mail text) LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM account WHERE mail = p_mail;
  IF FOUND THEN UPDATE log SET n = n + 1 WHERE id = 1; END IF;
END $$;
)";

TEST(Conflict, a_row_is_made_in_the_place_of_one_that_the_snapshot_has) {
  const FindReport report = execute(kGone, "postgres:repeatable-read");
  EXPECT_TRUE(std::ranges::any_of(report.causes, [](const FoundCause& cause) {
    return cause.execution->status == FindingStatus::confirmed;
  }));
}

}  // namespace
}  // namespace heddle
