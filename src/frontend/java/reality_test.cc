// Programs in Java do on PostgreSQL what the interpreter does with what we read of them: the same
// statements with the same values in the same transactions, the same results, the same rows.
#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "frontend/java/reality_testing.h"

namespace heddle::java {
namespace {

// Of two methods of a name, the class tells which.
const Functionality* find_functionality(const Program& program, const RealProgram::Call& call) {
  const std::string type = call.type.substr(call.type.rfind('.') + 1);
  for (const std::string& name :
       {call.method == "run" ? type : call.method, type + "_" + call.method}) {
    const auto found = std::ranges::find(program.functionalities, name, &Functionality::name);
    if (found != program.functionalities.end()) return &*found;
  }
  return nullptr;
}

// An argument in PostgreSQL's text format.
Cell argument_cell(const Json& value) {
  if (value.is_null()) return std::nullopt;
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::vector<std::string> elements;
  for (const Json& element : value) {
    elements.push_back(element.is_null() ? "NULL" : element.dump());
  }
  return "{" + join(elements, ",") + "}";
}

// Without escapes.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      plain += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i] == 'r' ? '\r' : text[i];
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// The elements of a list in one way, as both sides write them: ["a", 1] and {a,1}.
std::string elements_text(std::string_view list) {
  std::string lines;
  bool is_quoted = false;
  for (std::size_t i = 1; i + 1 < list.size(); ++i) {
    if (list[i] == '\\') {
      lines += unescaped(list.substr(i, 2));
      ++i;
    } else if (list[i] == '"') {
      is_quoted = !is_quoted;
    } else if (list[i] == ',' && !is_quoted) {
      lines += " | ";
      if (list[i + 1] == ' ') ++i;
    } else {
      lines += list[i];
    }
  }
  return "[" + lines + "]";
}

// Without what the driver adds to the server's message.
std::string without_additions(std::string message) {
  for (const char* addition : {"\n  Detail: ", "\n  Hint: ", "\n  Position: ", "\n  Where: "}) {
    const std::size_t at = message.find(addition);
    if (at == std::string::npos) continue;
    const std::size_t end = std::min(message.find('\n', at + 1), message.size());
    message.erase(at, end - at);
  }
  // Of a COMMIT that the server answered with ROLLBACK: the error before it.
  const std::size_t cause = message.find(" Transaction failure cause is <<");
  return message.substr(0, cause);
}

// A map's keys and values, which a functionality returns as two arrays, as Java writes them.
std::string entries_text(const std::vector<Cell>& arrays) {
  const auto parts = [](const Cell& array) {
    const std::string text = elements_text(array.value_or("{}"));
    std::string inner = text.substr(1, text.size() - 2);
    std::vector<std::string> found;
    for (std::size_t end = 0; !inner.empty() && end != inner.npos;) {
      end = inner.find(" | ");
      found.push_back(inner.substr(0, end));
      inner.erase(0, end == inner.npos ? end : end + 3);
    }
    return found;
  };
  const std::vector<std::string> keys = parts(arrays.at(0));
  const std::vector<std::string> values = parts(arrays.at(1));
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i) {
    entries.push_back(keys[i] + "=" + values[i]);
  }
  return "{" + join(entries, ", ") + "}";
}

// What the runner says of a call, as far as a functionality says it: not the class of an exception,
// the driver's additions to the server's message, or what holds several values.
std::string comparable(const std::string& result, const Functionality* functionality) {
  if (result.starts_with("threw ")) {
    std::string message = without_additions(unescaped(result.substr(result.find(": ") + 2)));
    const std::size_t error = message.find("ERROR: ");
    const bool is_whole = result.starts_with("threw org.postgresql.") && error == 0;
    if (is_whole || result.starts_with("threw java.sql.BatchUpdateException")) {
      message = message.substr(error + 7, message.find('\n') - error - 7);
    }
    return "threw " + message;
  }
  if (functionality == nullptr || !functionality->returns) return "returned";
  std::string value = result.substr(std::string_view("returned ").size());
  if (value.starts_with('"')) {
    value = without_additions(unescaped(value.substr(1, value.size() - 2)));
  }
  if (result.starts_with("returned [")) value = elements_text(value);
  if (result.starts_with("returned {")) std::erase(value, '"');
  if (*functionality->returns == "boolean") value.resize(1);
  if (value.ends_with(".0") && *functionality->returns == "double precision") {
    value.resize(value.size() - 2);
  }
  return "returned " + value;
}

// The statements from the last that both sent to the first that only one did.
std::string first_difference(const std::vector<std::string>& java,
                             const std::vector<std::string>& heddle) {
  if (java == heddle) return "";
  std::size_t at = 0;
  while (at < java.size() && at < heddle.size() && java[at] == heddle[at]) ++at;
  const auto shown_at = [at](const std::vector<std::string>& statements) {
    return at < statements.size() ? statements[at] : "(nothing)";
  };
  return fmt::format("  after  {}\n  Java   {}\n  heddle {}\n",
                     at == 0 ? "(nothing)" : java[at - 1], shown_at(java), shown_at(heddle));
}

// A database on which the interpreter runs the calls. After a call that does not do what Java does,
// Java's own statements take it to where Java is, so that each difference is told once.
class Interpreted {
 public:
  Interpreted(const RealProgram& program, const Program& read, const RunOutcome& java)
      : program_(program), read_(read), java_(java), database_(make_database(program)) {}

  // How many values of conditions were compared.
  std::size_t compared() const { return compared_; }

  // What differs, call by call.
  std::vector<std::string> differences() {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < program_.calls.size(); ++i) {
      const RealProgram::Call& call = program_.calls[i];
      const std::string what = difference(i);
      if (what.empty()) continue;
      found.push_back(fmt::format("{} {}, call {}: {}.{}{}\n{}", program_.name, program_.shape,
                                  i + 1, call.type, call.method, Json(call.arguments).dump(),
                                  what));
      catch_up(i + 1);
    }
    const std::string rows =
        first_difference(split(java_.tables, '\n'), split(tables_text(*database_.session), '\n'));
    if (!rows.empty()) {
      found.push_back(fmt::format("{} {}, rows:\n{}", program_.name, program_.shape, rows));
    }
    return found;
  }

 private:
  std::string difference(std::size_t number) {
    const RealProgram::Call& call = program_.calls[number];
    const Functionality* functionality = find_functionality(read_, call);
    if (functionality == nullptr) return "  there is no such functionality\n";
    const std::string expected = comparable(java_.calls[number].result, functionality);
    unknown_.clear();
    CallOutcome outcome = run(*functionality, call, number + 1);
    if (expected.starts_with("returned {") && !outcome.values.empty()) {
      outcome.result = "returned " + entries_text(outcome.values);
    }
    if (expected.starts_with("returned [") && outcome.result.starts_with("returned {")) {
      outcome.result = "returned " + elements_text(outcome.result.substr(9));
    }
    std::string what =
        first_difference(essential(java_.calls[number].statements), essential(outcome.statements));
    if (expected != outcome.result) {
      what += fmt::format("  Java   {}\n  heddle {}\n", expected, outcome.result);
    }
    what += other_conditions(java_.calls[number].conditions, outcome.conditions);
    return what.empty() ? "" : what + unknown_;
  }

  // A branch that does nothing to the store is not kept, there are some that Java's text does not
  // have, and some whose two blocks have changed places, everywhere.
  std::string other_conditions(const Conditions& java, const Conditions& heddle) {
    std::string what;
    for (const auto& [place, values] : heddle) {
      const auto observed = java.find(place);
      const std::string real = observed == java.end() ? "" : observed->second;
      if (!program_.places.contains(place)) continue;
      std::string turned = values;
      for (char& value : turned) value = value == 'T' ? 'F' : 'T';
      if (!real.empty()) is_turned_.insert({place, real == turned});
      const bool is_turned = is_turned_.contains(place) && is_turned_.at(place);
      compared_ += values.size();
      if (real == (is_turned ? turned : values)) continue;
      what += fmt::format("  condition {}: Java {}, heddle {}\n", place, real, values);
    }
    return what;
  }

  CallOutcome run(const Functionality& functionality, const RealProgram::Call& call,
                  std::size_t number) {
    std::vector<Cell> arguments;
    for (const Json& argument : call.arguments) arguments.push_back(argument_cell(argument));
    const std::size_t offset = server_log().size();
    execute(*database_.session, fmt::format("SET application_name = 'call {}'", number));
    // What we do not know is null: it need not matter.
    const auto source = [this](const UnknownValue& value) -> Result<Cell> {
      unknown_ += fmt::format("  unknown {}\n", print_expression(*value.expression));
      return Cell();
    };
    const auto run = interpret(read_, functionality, arguments, *database_.session,
                               {.unknown_value = source, .max_steps = 10000});
    execute(*database_.session, "SET application_name = ''");
    return {.statements = logged_statements(database_.name, offset)[number],
            .result = run ? shown(*run) : to_string(run.error()),
            .conditions = run ? taken(*run) : Conditions(),
            .values = run && !run->returned.empty() && run->returned[0].size() == 2
                          ? run->returned[0]
                          : std::vector<Cell>()};
  }

  static Conditions taken(const Interpretation& run) {
    Conditions conditions;
    for (const TraceEvent& event : run.trace) {
      if (const auto* branch = std::get_if<TakenBranch>(&event)) {
        conditions[place_text(branch->source)] += branch->condition.value_or(false) ? 'T' : 'F';
      }
    }
    return conditions;
  }

  static std::string shown(const Interpretation& run) {
    if (run.error) return "threw " + run.error->message;
    if (run.returned.empty()) return "returned";
    const std::string value = run.returned.at(0).at(0).value_or("null");
    return "returned " + value;
  }

  void catch_up(std::size_t calls) {
    database_ = make_database(program_);
    for (std::size_t i = 0; i < calls; ++i) {
      for (const std::string& statement : java_.calls[i].statements) {
        static_cast<void>(must(database_.session->execute(statement, {})));
      }
    }
  }

  const RealProgram& program_;
  const Program& read_;
  const RunOutcome& java_;
  Database database_;
  std::string unknown_;                    // values, of the last call
  std::map<std::string, bool> is_turned_;  // by place
  std::size_t compared_ = 0;               // conditions
};

class Reality : public testing::TestWithParam<Shape> {};

TEST_P(Reality, is_what_heddle_reads) {
  const RealProgram program = load_program(GetParam().program, GetParam().shape);
  const Program read = read_program(program);
  const RunOutcome java = run_java(program);
  Interpreted interpreted(program, read, java);
  for (const std::string& difference : interpreted.differences()) ADD_FAILURE() << difference;
  EXPECT_GT(interpreted.compared(), 0U);
  std::set<const Functionality*> called;
  for (const RealProgram::Call& call : program.calls) called.insert(find_functionality(read, call));
  for (const Functionality& functionality : read.functionalities) {
    const bool is_java = functionality.source.file.ends_with(".java");
    EXPECT_TRUE(!is_java || called.contains(&functionality)) << functionality.name;
  }
}

// What a reader that got one thing wrong would do.
std::size_t differences_when_read_as(const std::string& name, const std::string& original,
                                     const std::string& mistaken) {
  RealProgram program = load_program(name, "class");
  const RunOutcome java = run_java(program);
  std::string& text = program.sources.at(0).text;
  const std::size_t at = text.find(original);
  if (at == text.npos) throw std::runtime_error(original + " is not in the program");
  text.replace(at, original.size(), mistaken);
  return Interpreted(program, read_program(program), java).differences().size();
}

TEST(RealityCanary, notices_another_column) {
  EXPECT_GT(differences_when_read_as("smallbank", "UPDATE savings SET bal = bal + ? WHERE custid",
                                     "UPDATE savings SET bal = bal + ? WHERE bal"),
            0U);
}

TEST(RealityCanary, notices_another_condition) {
  EXPECT_GT(differences_when_read_as("smallbank", "balance < amount", "balance > amount"), 0U);
}

TEST(RealityCanary, notices_another_branch) {
  const RealProgram program = load_program("smallbank", "class");
  RunOutcome java = run_java(program);
  for (auto& [place, values] : java.calls.at(7).conditions) {
    for (char& value : values) value = value == 'T' ? 'F' : 'T';
  }
  EXPECT_EQ(Interpreted(program, read_program(program), java).differences().size(), 1U);
}

TEST(RealityCanary, notices_another_order) {
  EXPECT_GT(differences_when_read_as("smallbank", "update.setDouble(1, -amount)",
                                     "update.setDouble(1, amount)"),
            0U);
}

INSTANTIATE_TEST_SUITE_P(Programs, Reality, testing::ValuesIn(kShapes), [](const auto& shape) {
  return std::string(shape.param.program) + "_" + shape.param.shape;
});

}  // namespace
}  // namespace heddle::java
