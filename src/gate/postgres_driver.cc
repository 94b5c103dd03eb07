#include "gate/postgres_driver.h"

#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "wire/postgres/statement_essence.h"

namespace heddle {
namespace {

constexpr std::string_view kReaderSavepoint = "savepoint heddle_";

std::string without_savepoint(const std::string& essence) {
  const std::size_t at = to_lower(essence).find("jdbc_savepoint_");
  if (at == essence.npos || essence.find("savepoint ") == essence.npos) return essence;
  std::string kept = essence.substr(0, at);
  if (kept.ends_with('"')) kept.pop_back();
  return kept;
}

}  // namespace

Result<postgres::StartupMessage> await_startup(CalledProgram& program,
                                               postgres::MessageReader& from_client,
                                               Deadline deadline) {
  while (true) {
    if (auto taken = program.take_words(); !taken) return taken.error();
    if (program.call_end()) return program.early_end({});
    if (!program.has_client()) {
      if (auto came = program.await_client(deadline); !came) return came.error();
      from_client = postgres::MessageReader(true);
    }
    from_client.append(program.read_client());
    auto message = from_client.next();
    if (!message) return message.error();
    if (*message) {
      auto startup = postgres::read_startup((*message)->body);
      if (startup && startup->version == postgres::kProtocolVersion &&
          startup->parameters.contains("user") &&
          startup->parameters.at("user") == program.token()) {
        from_client.started();
        return *std::move(startup);
      }
      const bool asks = startup && (startup->version == postgres::kTlsRequest ||
                                    startup->version == postgres::kGssRequest);
      if (asks) program.write_client("N");
      if (!asks) program.close_client();
    } else if (program.has_client() && !program.wait_for_anything(deadline)) {
      return late("the program's driver did not connect in time");
    }
  }
}

std::string shown_unit(const postgres::ClientUnit& unit) {
  std::string text = shown(unit.text);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < unit.values.size(); ++i) {
    values.push_back(fmt::format("${} = {}", i + 1, unit.values[i].value_or("NULL")));
  }
  if (!values.empty()) text += " (" + join(values, ", ") + ")";
  return text;
}

std::string essence_of(const postgres::ClientUnit& unit) {
  return postgres::statement_essence(unit.text, unit.values);
}

std::string essence_of(const CalledStatement& called) {
  std::vector<std::optional<std::string>> values;
  for (const ClientValue& value : called.values) {
    values.push_back(value.text);
    if (value.type == "boolean" && value.text) {
      values.back() = value.text->starts_with('t') ? "true" : "false";
    }
  }
  return postgres::statement_essence(called.statement, values);
}

bool is_same_statement(const std::string& a, const std::string& b) {
  return a == b || without_savepoint(a) == without_savepoint(b);
}

bool is_reader_savepoint(const std::string& essence) {
  return essence.find(kReaderSavepoint) != essence.npos;
}

}  // namespace heddle
