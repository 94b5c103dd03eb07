// What the driver of a gated session of the replicated store is told: how it is let in, what its
// statements gave, and what it asks for itself.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "gate/gated_replicated_session.h"
#include "gate/postgres_driver.h"
#include "gate/served_values.h"
#include "heddle/isolation.h"
#include "store/replicated/level_rules.h"
#include "wire/postgres/statement_essence.h"

namespace heddle {
namespace {

using UnitKind = postgres::ClientUnit::Kind;

// What the server says of itself.
const std::map<std::string, std::string>& server_parameters() {
  static const std::map<std::string, std::string> kParameters = {
      {"server_version", "15.0"},  {"server_encoding", "UTF8"},
      {"client_encoding", "UTF8"}, {"DateStyle", "ISO, MDY"},
      {"TimeZone", "UTC"},         {"IntervalStyle", "postgres"},
      {"integer_datetimes", "on"}, {"standard_conforming_strings", "on"},
      {"is_superuser", "on"},      {"session_authorization", "heddle"}};
  return kParameters;
}

// Settings that make no difference to a store that has neither waits nor plans nor schemas.
constexpr std::array<std::string_view, 9> kIdleSettings = {
    "extra_float_digits", "application_name", "client_encoding",
    "statement_timeout",  "lock_timeout",     "idle_in_transaction_session_timeout",
    "search_path",        "datestyle",        "client_min_messages"};

postgres::StatementResult text_row(const std::string& name, const std::string& value) {
  postgres::FieldDescription field;
  field.name = name;
  constexpr std::uint32_t kTextType = 25;
  field.type = kTextType;
  return {.columns = std::vector{field}, .rows = {{value}}, .tag = "SHOW"};
}

// SET [SESSION | LOCAL] name ...
std::string name_of_setting(const std::string& essence) {
  std::string_view rest = essence;
  for (const std::string_view word : {"set ", "session ", "local "}) {
    if (rest.starts_with(word)) rest.remove_prefix(word.size());
  }
  return std::string(rest.substr(0, rest.find(' ')));
}

}  // namespace

Result<void> GatedReplicatedSession::serve_startup(Deadline deadline) {
  const auto startup = await_startup(*program_, from_client_, deadline);
  if (!startup) return startup.error();
  program_->write_client(postgres::welcome_bytes(server_parameters(), backend_id()));
  return {};
}

std::optional<std::string> GatedReplicatedSession::next_held() {
  if (units_.empty() || units_.front().kind != UnitKind::statement) return std::nullopt;
  const std::string essence = essence_of(units_.front());
  if (essence.empty() || postgres::is_of_driver(essence)) return std::nullopt;
  return shown_unit(units_.front());
}

Result<bool> GatedReplicatedSession::pass() {
  const postgres::ClientUnit unit = std::move(units_.front());
  units_.pop_front();
  switch (unit.kind) {
    case UnitKind::statement:
      pass_statement(unit);
      break;
    case UnitKind::sync:
      pass_sync(unit);
      break;
    default:
      answer_unit(unit, {});
  }
  return true;
}

// What the driver sent at once ends here: its reply, where that was a transaction.
Reply GatedReplicatedSession::pass_sync(const postgres::ClientUnit& unit) {
  const postgres::UnitAnswer said = answers_.answer(unit, {});
  std::string bytes = said.bytes;
  Reply reply = done_reply("COMMIT");
  if (std::exchange(is_implicit_, false)) {
    reply = run_on_store("COMMIT");
    if (reply.error) {
      bytes += postgres::error_bytes("ERROR", reply.error->code, reply.error->message);
    }
  }
  end_unit(unit, std::move(bytes), false);
  return reply;
}

// Returns what the driver was refused; empty: nothing.
std::string GatedReplicatedSession::answer_unit(const postgres::ClientUnit& unit,
                                                const postgres::StatementResult& result) {
  postgres::UnitAnswer said = answers_.answer(unit, result);
  if (!said.refusal.empty()) lacking_ = said.refusal;
  end_unit(unit, std::move(said.bytes), !said.refusal.empty());
  return said.refusal;
}

void GatedReplicatedSession::refuse_unit(const postgres::ClientUnit& unit, std::string_view code,
                                         std::string_view message) {
  if (code == postgres::kNotSupported) lacking_ = message;
  end_unit(unit, postgres::error_bytes("ERROR", code, message), true);
}

void GatedReplicatedSession::end_unit(const postgres::ClientUnit& unit, std::string bytes,
                                      bool has_failed) {
  const bool is_end = unit.is_simple || unit.kind == UnitKind::sync;
  if (is_end) bytes += postgres::ready_bytes(is_transaction_open() ? 'T' : 'I');
  program_->write_client(bytes);
  skips_to_sync_ = skips_to_sync_ || (has_failed && !is_end);
}

Result<GatedReplicatedSession::Described> GatedReplicatedSession::describe(
    const std::string& text) const {
  const Reply reply = replicated_->describe(text);
  if (reply.error) {
    return Diagnostic{.what = reply.error->message, .trouble = Trouble::bad_input};
  }
  if (!reply.result->has_rows) return Described();
  auto columns = served_columns(reply.result->columns);
  if (!columns) return columns.error();
  return Described(*std::move(columns));
}

// ---- What the driver asks for itself.

void GatedReplicatedSession::pass_statement(const postgres::ClientUnit& unit) {
  constexpr std::string_view kShow = "show ";
  const std::string essence = essence_of(unit);
  if (essence.empty()) {
    answer_unit(unit, {});
  } else if (essence.starts_with("set ")) {
    pass_setting(unit, essence);
  } else if (essence.starts_with(kShow)) {
    pass_question(unit, essence.substr(kShow.size()));
  } else if (essence.find("pg_catalog . ") != essence.npos) {
    refuse_unit(unit, postgres::kNotSupported,
                "the replicated store has no catalogue that a program could ask");
  } else {
    pass_to_store(unit);
  }
}

void GatedReplicatedSession::pass_setting(const postgres::ClientUnit& unit,
                                          const std::string& essence) {
  constexpr std::string_view kLevel = "isolation level ";
  const bool is_of_session = essence.starts_with(kSetSessionLevel);
  if (!is_of_session && essence.starts_with(kSetLevel)) {
    reads_only_ = reads_only_ || essence.find("read only") != essence.npos;
    return pass_to_store(unit);
  }
  if (is_of_session) {
    const std::string set = essence.substr(kSetSessionLevel.size());
    if (set.starts_with(kLevel)) return pass_level(unit, set.substr(kLevel.size()));
    session_reads_only_ = set == "read only";
  } else if (const std::string name = name_of_setting(essence);
             std::ranges::find(kIdleSettings, name) == kIdleSettings.end()) {
    return refuse_unit(unit, postgres::kNotSupported,
                       fmt::format("the replicated store has no setting {}", name));
  }
  answer_unit(unit, {.columns = {}, .rows = {}, .tag = "SET"});
}

void GatedReplicatedSession::pass_level(const postgres::ClientUnit& unit,
                                        const std::string& level) {
  const auto known = find_isolation_level(level);
  if (!known || replicated::find_rule(*known) == nullptr) {
    return refuse_unit(unit, postgres::kNotSupported,
                       fmt::format("the replicated store has no level {}, use one of {}", level,
                                   replicated::offered_levels()));
  }
  level_ = level;
  answer_unit(unit, {.columns = {}, .rows = {}, .tag = "SET"});
}

void GatedReplicatedSession::pass_question(const postgres::ClientUnit& unit,
                                           const std::string& asked) {
  if (asked == "transaction isolation level") {
    const Reply reply = run_on_store("SHOW TRANSACTION ISOLATION LEVEL");
    std::string level = reply.result ? reply.result->rows.at(0).at(0).value_or("") : "";
    if (!level_.empty() && !is_transaction_open()) level = level_;
    // As PostgreSQL writes it.
    std::ranges::replace(level, '-', ' ');
    answer_unit(unit, text_row("transaction_isolation", level));
    return;
  }
  for (const auto& [name, value] : server_parameters()) {
    if (to_lower(name) == asked) {
      answer_unit(unit, text_row(name, value));
      return;
    }
  }
  refuse_unit(unit, postgres::kNotSupported,
              fmt::format("the replicated store has no setting {}", asked));
}

void GatedReplicatedSession::pass_to_store(const postgres::ClientUnit& unit) {
  const auto reply = run_statement(unit, essence_of(unit));
  if (!reply) return refuse_unit(unit, postgres::kNotSupported, reply.error().what);
  if (reply->error) return refuse_unit(unit, reply->error->code, reply->error->message);
  const auto served = served_result(*reply->result);
  if (!served) return refuse_unit(unit, postgres::kNotSupported, served.error().what);
  answer_unit(unit, *served);
}

}  // namespace heddle
