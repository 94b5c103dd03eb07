// Made-up findings of races, for tests of what writes and draws them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/race_finding.h"

namespace heddle::sample {

// Writes down a run unit by unit, in the order in which units are sent and answered.
class RaceRunNotes {
 public:
  // Sends a unit of a party (0, 1, none for background), and gives its place.
  std::size_t send(std::optional<std::size_t> party, const std::string& caller,
                   const std::string& callee, const std::string& text) {
    RaceRunStep step;
    step.party = party;
    step.caller = caller;
    step.callee = callee;
    step.text = text;
    step.connection = party ? *party + 3 : 9;
    step.sent = ++now_;
    steps_.push_back(std::move(step));
    return steps_.size() - 1;
  }

  std::size_t request(std::size_t party, const std::string& caller, const std::string& callee,
                      const std::string& text) {
    const std::size_t place = send(party, caller, callee, text);
    steps_[place].is_request = true;
    steps_[place].is_outer = caller == "tests";
    return place;
  }

  void answer(std::size_t place, const std::string& outcome) {
    steps_[place].outcome = outcome;
    steps_[place].answered = ++now_;
  }

  // A statement that is answered at once.
  std::size_t statement(std::optional<std::size_t> party, const std::string& caller,
                        const std::string& text, const std::string& outcome) {
    const std::size_t place = send(party, caller, caller + "-db", text);
    answer(place, outcome);
    return place;
  }

  std::size_t conflicting(std::size_t party, const std::string& caller, const std::string& text,
                          const std::string& outcome) {
    const std::size_t place = statement(party, caller, text, outcome);
    steps_[place].conflicts = true;
    return place;
  }

  RaceRunStep& at(std::size_t place) { return steps_[place]; }
  std::vector<RaceRunStep> take() { return std::move(steps_); }

 private:
  std::vector<RaceRunStep> steps_;
  std::size_t now_ = 0;
};

// Sends the request for a charge up to its first statement.
inline std::size_t begin_charge(RaceRunNotes& notes, std::size_t party) {
  const std::size_t inner =
      notes.request(party, "payments", "accounts", "POST /wallets/ann/charge {\"by\": 60}");
  notes.statement(party, "accounts", "BEGIN", "BEGIN");
  return inner;
}

inline void end_charge(RaceRunNotes& notes, std::size_t party, std::size_t inner) {
  const std::size_t update = notes.conflicting(
      party, "accounts", "UPDATE wallet SET balance = 40 WHERE owner = 'ann'", "UPDATE 1");
  notes.at(update).was_held = party == 0;
  notes.statement(party, "accounts", "INSERT INTO charge (owner, amount) VALUES ('ann', 60)",
                  "INSERT 0 1");
  notes.statement(party, "accounts", "COMMIT", "COMMIT");
  notes.answer(inner, "200 {\"balance\": 40}");
}

inline std::size_t look(RaceRunNotes& notes, std::size_t party) {
  const std::size_t outer = notes.request(
      party, "tests", "payments", "POST /gift-cards {\"customer\": \"ann\", \"amount\": 60}");
  const std::size_t inner = notes.request(party, "payments", "accounts", "GET /wallets/ann");
  notes.statement(party, "accounts",
                  "SELECT id, name FROM session WHERE token = '<secret:1ee132fc>'",
                  "1 row: 4, ann");
  notes.statement(party, "accounts", "SELECT closed FROM account WHERE owner = 'ann'", "1 row: f");
  notes.statement(party, "accounts", "SELECT value FROM setting WHERE name = 'limit'",
                  "1 row: 500");
  notes.conflicting(party, "accounts", "SELECT balance FROM wallet WHERE owner = 'ann'",
                    "1 row: 100");
  notes.answer(inner, "200 {\"balance\": 100}");
  return outer;
}

// Both requests read a balance over another service, and both write what it was less 60.
inline RaceFinding race_of_two_services() {
  RaceRunNotes notes;
  const std::size_t first = look(notes, 0);
  const std::size_t first_charge = begin_charge(notes, 0);
  const std::size_t second = look(notes, 1);
  notes.statement({}, "orders", "SELECT id FROM outbox WHERE NOT done", "0 rows");
  end_charge(notes, 1, begin_charge(notes, 1));
  notes.answer(second, "201 {\"card\": 18}");
  end_charge(notes, 0, first_charge);
  notes.answer(first, "201 {\"card\": 17}");

  RaceFinding finding;
  finding.id = "5f3a90c15b7e";
  finding.result = RaceResult::confirmed;
  finding.why = "no serial order has this outcome";
  finding.pattern = RacePattern::lost_update;
  finding.first_endpoint = "POST payments/gift-cards";
  finding.second_endpoint = "POST payments/gift-cards";
  finding.conflicts = {{.first = 31,
                        .second = 47,
                        .store = "accounts-db",
                        .table = "wallet",
                        .entity = "wallet(owner=ann)",
                        .columns = {"balance"},
                        .first_writes = false,
                        .second_writes = true,
                        .is_coarse = false},
                       {.first = 35,
                        .second = 47,
                        .store = "accounts-db",
                        .table = "wallet",
                        .entity = "wallet(owner=ann)",
                        .columns = {"balance"},
                        .first_writes = true,
                        .second_writes = true,
                        .is_coarse = false}};
  for (const char* card : {"17", "18"}) {
    finding.requests.push_back(
        "curl -X POST -H 'Authorization: Bearer '\"$TOKEN_ANN\" -H 'Content-Type: "
        "application/json' "
        "-d '{\"customer\": \"ann\", \"amount\": 60, \"key\": \"" +
        std::string(card) + "\"}' http://127.0.0.1:42002/gift-cards");
  }
  finding.restored = "rows";
  finding.schedule = "A until update wallet set balance = ? where owner = ?; B; A";
  finding.turns = {{.party = 0,
                    .caller = "accounts",
                    .callee = "accounts-db",
                    .shape = "update wallet set balance = ? where owner = ?",
                    .occurrence = 1},
                   {.party = 1},
                   {.party = 0}};
  finding.steps = notes.take();
  finding.differences = {{"rows of payments-db: card", "(17, ann, 60), (18, ann, 60)",
                          "(17, ann, 60)", "(18, ann, 60)"},
                         {"status of A", "201", "", "402"},
                         {"status of B", "201", "402", ""}};
  finding.broken = {"no wallet is overdrawn: (ann, 40, 120 charged)"};
  finding.explanation = {
      "wallet(owner=ann) of accounts-db hold balance = 100.",
      "A reads the balance in step 6, B reads it and writes 40, and A writes 40 "
      "over it, from what it had read before.",
      "if A comes first B is answered 402, and if B comes first A is: one wallet "
      "of 100 does not pay for 120."};
  finding.runs = 7;
  finding.left = 2;
  finding.masked = {"payments-db: card.created_at", "accounts-db: charge.id"};
  return finding;
}

// The second request comes right after the first one's answer, before a poll has brought what the
// first one wrote.
inline RaceFinding stale_read() {
  RaceRunNotes notes;
  for (const std::size_t party : {0U, 1U}) {
    const std::string order = party == 0 ? "7" : "8";
    const std::size_t outer =
        notes.request(party, "tests", "payments", "POST /payments {\"order\": " + order + "}");
    const std::size_t inner = notes.request(party, "payments", "accounts", "GET /balances/ann");
    notes.at(inner).conflicts = true;
    notes.answer(inner, "200 {\"balance\": 100}");
    notes.conflicting(party, "payments", "INSERT INTO ledger (owner, amount) VALUES ('ann', -100)",
                      "INSERT 0 1");
    notes.answer(outer, "201 {\"id\": " + std::to_string(party + 3) + "}");
  }
  const std::size_t poll =
      notes.send({}, "accounts", "payments-db", "SELECT owner, amount FROM ledger WHERE id > 11");
  notes.at(poll).conflicts = true;
  notes.answer(poll, "2 rows: (ann, -100), (ann, -100)");
  RaceFinding finding;
  finding.id = "0c11d2e3f405";
  finding.result = RaceResult::stale_read;
  finding.why = "B does not see what A was answered for";
  finding.what_helps = "read the balance from the ledger itself";
  finding.pattern = RacePattern::check_then_act;
  finding.first_endpoint = "POST payments/payments";
  finding.second_endpoint = "POST payments/payments";
  finding.requests = {"curl -X POST -d '{\"order\": 7}' http://127.0.0.1:42002/payments",
                      "curl -X POST -d '{\"order\": 8}' http://127.0.0.1:42002/payments"};
  finding.restored = "restart";
  finding.schedule = "A; B as soon as A is answered";
  finding.turns = {{.party = 0}, {.party = 1}};
  finding.steps = notes.take();
  finding.wrong_step = 4;
  finding.differences = {{"status of B", "201", "402", "402"}};
  finding.explanation = {"ann have 100.", "A pays 100, and B is sent as soon as A is answered.",
                         "the balance that B is told is still 100."};
  finding.runs = 1;
  return finding;
}

// The store makes the first wait for the second, which inserts the same key.
inline RaceFinding refused_by_a_key() {
  RaceRunNotes notes;
  const std::size_t first =
      notes.request(0, "tests", "accounts", "POST /users {\"name\": \"ann\"}");
  const std::size_t second =
      notes.request(1, "tests", "accounts", "POST /users {\"name\": \"ann\"}");
  notes.statement(1, "accounts", "BEGIN", "BEGIN");
  notes.conflicting(1, "accounts", "INSERT INTO users (name) VALUES ('ann')", "INSERT 0 1");
  const std::size_t waiting =
      notes.send(0, "accounts", "accounts-db", "INSERT INTO users (name) VALUES ('ann')");
  notes.at(waiting).conflicts = true;
  notes.at(waiting).has_waited = true;
  notes.statement(1, "accounts", "COMMIT", "COMMIT");
  notes.answer(waiting, "23505 duplicate key value violates unique constraint \"users_name_key\"");
  notes.at(waiting).is_error = true;
  notes.answer(second, "201 {\"id\": 5}");
  notes.answer(first, "409 {\"error\": \"this name is taken\"}");
  notes.at(first).is_error = true;
  RaceFinding finding;
  finding.id = "77aa01bc23de";
  finding.result = RaceResult::refused;
  finding.why = "A ended with 409, and nothing of it remained";
  finding.pattern = RacePattern::creation;
  finding.first_endpoint = "POST accounts/users";
  finding.second_endpoint = "POST accounts/users";
  finding.steps = notes.take();
  finding.runs = 6;
  return finding;
}

// A mutex inside of a service: the second never gets to its statements.
inline RaceFinding not_feasible() {
  RaceFinding finding;
  finding.id = "d00dfeed0123";
  finding.result = RaceResult::not_feasible;
  finding.why = "B waits in seats while A is held, and goes on when A is let go";
  finding.pattern = RacePattern::lost_update;
  finding.first_endpoint = "POST seats/upgrades";
  finding.second_endpoint = "POST seats/upgrades";
  finding.runs = 3;
  return finding;
}

// The two branches of a request race; the services answer with an error that nobody expects.
inline RaceFinding error_of_branches() {
  RaceRunNotes notes;
  const std::size_t outer =
      notes.request(0, "tests", "cancellations", "POST /returns {\"order\": 7}");
  const std::size_t fee =
      notes.conflicting(0, "cancellations", "SELECT fee FROM returned WHERE id = 7", "1 row: 0");
  notes.at(fee).text = "SELECT fee\n  FROM returned -- of the order\n WHERE id = 7;";
  notes.conflicting(1, "cancellations", "DELETE FROM returned WHERE id = 7", "DELETE 1");
  const std::size_t update =
      notes.conflicting(0, "cancellations", "UPDATE returned SET fee = 5 WHERE id = 7", "UPDATE 0");
  notes.at(update).was_held = true;
  notes.answer(outer, "500 {\"error\": \"no row\"}");
  notes.at(outer).is_error = true;
  RaceFinding finding;
  finding.id = "abcabcabcabc";
  finding.result = RaceResult::error_under_overlap;
  finding.why = "A ends with 500, which no serial order gives";
  finding.pattern = RacePattern::check_then_act;
  finding.first_endpoint = "POST cancellations/returns";
  finding.second_endpoint = "POST cancellations/returns";
  finding.is_between_branches = true;
  finding.requests = {"curl -X POST -d '{\"order\": 7}' http://127.0.0.1:42003/returns"};
  finding.schedule = "A until update returned set fee = ? where id = ?; B; A";
  finding.steps = notes.take();
  finding.restored = "again";
  finding.runs = 2;
  finding.left = 18;
  return finding;
}

// A finding of which there is no more to say than a line.
inline RaceFinding short_finding(RaceResult result, const std::string& first,
                                 const std::string& second, const std::string& why,
                                 const std::string& what_helps = "") {
  RaceFinding finding;
  finding.id = "e" + std::to_string(static_cast<int>(result)) + "00112233ff";
  finding.result = result;
  finding.why = why;
  finding.what_helps = what_helps;
  finding.pattern = RacePattern::check_then_act;
  finding.first_endpoint = first;
  finding.second_endpoint = second;
  return finding;
}

// Every result once at least.
inline RaceReport race_report() {
  RaceReport report;
  report.trace = "trace.jsonl";
  report.table = {.request_spans = 131,
                  .data_spans = 517,
                  .flows = 131,
                  .random_pairs = 2140,
                  .by_instance = 610,
                  .by_flow = 1290,
                  .by_locks = 58,
                  .early_validated = 12,
                  .to_test = 170};
  report.findings = {
      race_of_two_services(),
      stale_read(),
      error_of_branches(),
      refused_by_a_key(),
      short_finding(RaceResult::order_dependent, "POST payments/payments",
                    "POST cancellations/cancellations", "status of A: 201 and 409"),
      short_finding(RaceResult::nothing, "GET orders/orders", "POST orders/orders",
                    "each overlap that was tried came out as a serial order does"),
      not_feasible(),
      short_finding(RaceResult::inconclusive, "POST orders/orders",
                    "POST orders/vouchers/:id/redeem", "the system does not come to rest",
                    "give record a command for rest in heddle.yaml"),
      short_finding(RaceResult::not_replayable, "POST orders/invoices", "POST orders/invoices",
                    "status of POST /invoices: 401 where 201 was recorded",
                    "name the log-in under token in heddle.yaml"),
      short_finding(RaceResult::not_reached, "POST seats/reservations",
                    "DELETE seats/reservations/:id", ""),
      short_finding(RaceResult::not_reached, "POST seats/reservations", "POST seats/reservations",
                    "")};
  report.findings.back().id = "f00112233445";
  report.unseen = {"cache"};
  report.remarks = {"connection 3 carries replication, of which nothing is recorded"};
  return report;
}

}  // namespace heddle::sample
