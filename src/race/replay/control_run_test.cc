#include "race/replay/control_run.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "wire/postgres/statement_essence.h"

namespace heddle {
namespace {

// Two withdrawals as they were recorded; the first of the service asked what is asked once.
class ControlRun : public testing::Test {
 protected:
  ControlRun() {
    trace_.head.edges = {{.caller = "client", .callee = "bank", .is_outer = true},
                         {.caller = "bank", .callee = "bank-db", .is_store = true}};
    record(1, {"SELECT rate FROM fees", "SELECT nextval('ids')", "COMMIT",
               "SELECT balance FROM account WHERE id = 1", "UPDATE account SET balance = 4"});
    record(10, {"SELECT balance FROM account WHERE id = 1", "UPDATE account SET balance = 3"});
    pair_ = {.first = 1, .second = 10, .conflicts = {{.first = 5, .second = 12}}};
  }

  // Unit n is the request, the units behind it its statements.
  void record(std::uint64_t unit, const std::vector<std::string>& texts) {
    TraceRequest request;
    request.unit = unit;
    request.flow.number = unit;
    request.method = "POST";
    request.target = "/withdrawals";
    request.status = 201;
    trace_.requests.push_back(request);
    for (const std::string& text : texts) {
      TraceStatement statement;
      statement.unit = ++unit;
      statement.edge = 1;
      statement.flow.number = request.unit;
      statement.text = text;
      trace_.statements.push_back(statement);
    }
  }

  // What a run says in which the first sends these, and the second what was recorded.
  std::string difference(const std::vector<std::string>& texts) const {
    RacedRun observed;
    for (const TraceRequest& each : trace_.requests) {
      observed.responses.push_back({.request = each.unit, .status = each.status});
    }
    RunRecord run;
    const auto add = [&](Party party, const std::string& text) {
      run.units.push_back(
          {.party = party, .shape = {.edge = 1, .text = postgres::statement_template(text)}});
    };
    for (const std::string& text : texts) add(Party::first, text);
    for (const TraceStatement& each : trace_.statements) {
      if (each.flow.number == 10) add(Party::second, each.text);
    }
    return control_difference(trace_, pair_, observed, run);
  }

  Trace trace_;
  RacePair pair_;
};

const std::string kRead = "SELECT balance FROM account WHERE id = 1";
const std::string kWrite = "UPDATE account SET balance = 4";

TEST_F(ControlRun, may_leave_out_what_services_remember) {
  EXPECT_EQ(difference({kRead, kWrite}), "");
}

TEST_F(ControlRun, may_read_anew_what_the_recorded_one_remembered) {
  EXPECT_EQ(difference({"SELECT name FROM branch", kRead, kWrite, "ROLLBACK"}), "");
}

TEST_F(ControlRun, sends_what_races) {
  EXPECT_EQ(difference({kWrite}),
            "POST /withdrawals never sent \"select balance from account where id = ?\" to bank-db");
}

TEST_F(ControlRun, sends_what_writes_and_locks_and_no_more_of_it) {
  EXPECT_EQ(difference({kRead}),
            "POST /withdrawals never sent \"update account set balance = ?\" to bank-db");
  for (const std::string text :
       {"DELETE FROM account", "SELECT id FROM account FOR UPDATE", "SELECT pg_advisory_lock(1)",
        "WITH gone AS (DELETE FROM account RETURNING id) SELECT id FROM gone"}) {
    const std::string shape = postgres::statement_template(text);
    EXPECT_EQ(difference({kRead, kWrite, text}),
              "POST /withdrawals sent \"" + shape + "\" to bank-db, as it did not");
  }
}

}  // namespace
}  // namespace heddle
