#include "heddle/session_program.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/plpgsql/routine_body.h"
#include "program/connections.h"

namespace heddle {

namespace {

constexpr std::size_t kMostSessions = 5'000;

struct CalledPart {
  const Functionality* functionality = nullptr;
  std::optional<std::vector<Expression>> arguments = {};
  std::vector<CallRequirement> requirements = {};
};

// With what is given for each name.
Expression with_arguments(const Expression& condition,
                          const std::map<std::string, Expression>& arguments) {
  if (condition.kind == ExpressionKind::variable) {
    const auto given = arguments.find(to_lower(condition.text));
    return given == arguments.end() ? condition : given->second;
  }
  Expression whole = condition;
  for (Expression& operand : whole.operands) operand = with_arguments(operand, arguments);
  return whole;
}

Action end_of_call(std::size_t connection) {
  RunStatement commit;
  commit.statement.connection = connection;
  Result<std::vector<Statement>> read = parse_statements("COMMIT", Dialect::postgres);
  commit.statement.statement = std::move(read->front());
  commit.statement.ends_call = true;
  return {.source = {}, .what = std::move(commit)};
}

// The calls as one functionality.
class SessionBuilder {
 public:
  SessionBuilder(std::string name, const std::vector<CalledPart>& parts, const Schema& schema)
      : parts_(parts), names_({}, schema) {
    session_.name = std::move(name);
    session_.source = parts.front().functionality->source;
    session_.states_boundaries = true;
  }

  // What is required of its calls, by the session's own names.
  std::vector<CallRequirement> take_requirements() { return std::move(requirements_); }

  Functionality build() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      add(parts_[i]);
      if (i + 1 < parts_.size()) end_call(*parts_[i].functionality);
    }
    return std::move(session_);
  }

 private:
  // Its transactions end with the call, on each connection.
  void end_call(const Functionality& called) {
    for (std::size_t i = 0; i < program::connection_count(called); ++i) {
      if (i == 0 || program::leaves_open(called, i)) session_.body.push_back(end_of_call(i));
    }
  }

  void add(const CalledPart& part) {
    const Functionality called = plpgsql::without_results(*part.functionality);
    plpgsql::RoutineBody body = plpgsql::body_of_call(called, {}, true, false, names_);
    const auto own = body.variables.begin() + static_cast<std::ptrdiff_t>(body.given.size());
    std::map<std::string, Expression> given;  // by the names of the call
    for (std::size_t i = 0; i < body.given.size(); ++i) {
      Expression& value = given[to_lower(called.parameters[i].name)];
      value = {.kind = ExpressionKind::variable, .text = body.variables[i].name, .operands = {}};
      if (part.arguments) value = pass(body.variables[i], (*part.arguments)[i], called.source);
    }
    if (!part.arguments) {
      session_.parameters.insert(session_.parameters.end(), body.variables.begin(), own);
    }
    for (const CallRequirement& requirement : part.requirements) {
      requirements_.push_back({.functionality = session_.name,
                               .condition = with_arguments(requirement.condition, given),
                               .parameters = {},
                               .position = requirement.position});
    }
    session_.variables.insert(session_.variables.end(), own, body.variables.end());
    std::ranges::move(body.block, std::back_inserter(session_.body));
  }

  // What is given, by the session's own names: a name that comes for the first time is a parameter
  // of the session.
  Expression pass(const Variable& to, Expression value, const SourceLocation& source) {
    session_.variables.push_back(to);
    if (value.kind == ExpressionKind::variable) {
      auto [known, is_new] = shared_.try_emplace(value.text, "");
      if (is_new) {
        known->second = names_.take(value.text);
        session_.parameters.push_back({known->second, to.type});
      }
      value.text = known->second;
    }
    session_.body.push_back(
        {.source = source,
         .what =
             Assign{.target = {.kind = ExpressionKind::variable, .text = to.name, .operands = {}},
                    .value = value}});
    return value;
  }

  const std::vector<CalledPart>& parts_;
  plpgsql::FreeNames names_;
  Functionality session_;
  std::map<std::string, std::string> shared_;  // names of the user, and of the session
  std::vector<CallRequirement> requirements_;
};

class SessionAdder {
 public:
  SessionAdder(const Program& program, const FindOptions& options)
      : program_(program), whole_{.program = program, .options = options} {}

  Result<SessionProgram> add(std::size_t most) {
    for (const CallSession& session : whole_.options.constraints.sessions) {
      if (auto trouble = add_named(session)) return *std::move(trouble);
    }
    std::size_t sequences = 1;
    for (std::size_t calls = 2; calls <= most; ++calls) {
      if (calls == 2) sequences = program_.functionalities.size();
      sequences *= program_.functionalities.size();
      if (sequences > kMostSessions) {
        return Diagnostic{
            .what = fmt::format("{} functionalities make more than {} sessions of {} calls",
                                program_.functionalities.size(), kMostSessions, calls),
            .what_to_do =
                "name the sessions in --constraints, or choose functionalities by --entry"};
      }
      std::vector<CalledPart> parts;
      add_all(calls, parts);
    }
    return std::move(whole_);
  }

 private:
  void add_all(std::size_t calls, std::vector<CalledPart>& parts) {
    if (calls == 0) {
      std::vector<std::string> names;
      for (const CalledPart& part : parts) names.push_back(part.functionality->name);
      add_session(join(names, " then "), parts);
      return;
    }
    for (const Functionality& functionality : program_.functionalities) {
      if (!parts.empty() && !has_same_level(*parts.front().functionality, functionality)) continue;
      parts.push_back(
          {.functionality = &functionality, .requirements = requirements_of(functionality)});
      add_all(calls - 1, parts);
      parts.pop_back();
    }
  }

  void add_session(const std::string& name, const std::vector<CalledPart>& parts) {
    const auto level = whole_.options.levels.find(parts.front().functionality->name);
    if (level != whole_.options.levels.end()) whole_.options.levels.emplace(name, level->second);
    std::vector<std::string>& only = whole_.options.only;
    const bool is_asked_for = std::ranges::any_of(parts, [&](const CalledPart& part) {
      return std::ranges::find(only, part.functionality->name) != only.end();
    });
    if (is_asked_for) only.push_back(name);
    SessionBuilder builder(name, parts, program_.schema);
    whole_.program.functionalities.push_back(builder.build());
    for (CallRequirement& requirement : builder.take_requirements()) {
      whole_.options.constraints.requirements.push_back(std::move(requirement));
    }
    std::vector<std::size_t>& calls = whole_.calls.emplace_back();
    for (const CalledPart& part : parts) {
      calls.push_back(
          static_cast<std::size_t>(part.functionality - program_.functionalities.data()));
    }
  }

  std::optional<Diagnostic> add_named(const CallSession& session) {
    if (find(session.name) != nullptr) {
      return trouble(session.position,
                     fmt::format("the session \"{}\" is called as a functionality", session.name),
                     "give it another name");
    }
    std::vector<CalledPart> parts;
    for (const SessionCall& call : session.calls) {
      const Functionality* called = find(call.functionality);
      if (called == nullptr) {
        return trouble(call.position,
                       fmt::format("there is no functionality \"{}\"", call.functionality),
                       "--list-statements shows their names");
      }
      const std::size_t takes = called->parameters.size();
      if (call.arguments && call.arguments->size() != takes) {
        return trouble(call.position,
                       fmt::format("{} takes {} {}, not {}", called->name, takes,
                                   takes == 1 ? "argument" : "arguments", call.arguments->size()),
                       "give it as many, or none and no brackets: then they may be any");
      }
      if (!parts.empty() && !has_same_level(*parts.front().functionality, *called)) {
        return trouble(call.position,
                       fmt::format("{} and {} run at different levels",
                                   parts.front().functionality->name, called->name),
                       "a session has one level");
      }
      parts.push_back({.functionality = called,
                       .arguments = call.arguments,
                       .requirements = requirements_of(*called)});
    }
    add_session(session.name, parts);
    return std::nullopt;
  }

  // Those of the user.
  std::vector<CallRequirement> requirements_of(const Functionality& functionality) const {
    std::vector<CallRequirement> own;
    for (const CallRequirement& one : whole_.options.constraints.requirements) {
      if (find(one.functionality) == &functionality) own.push_back(one);
    }
    return own;
  }

  const Functionality* find(const std::string& name) const {
    for (const std::string& one : {name, to_lower(name)}) {
      const auto found = std::ranges::find(program_.functionalities, one, &Functionality::name);
      if (found != program_.functionalities.end()) return &*found;
    }
    return nullptr;
  }

  Diagnostic trouble(SourcePosition where, std::string what, std::string what_to_do) const {
    return {.what = std::move(what),
            .what_to_do = std::move(what_to_do),
            .file = whole_.options.constraints.file,
            .position = where};
  }

  bool has_same_level(const Functionality& a, const Functionality& b) const {
    const auto given = [&](const Functionality& of) -> std::optional<IsolationLevel> {
      const auto known = whole_.options.levels.find(of.name);
      if (known != whole_.options.levels.end()) return known->second;
      return whole_.options.level;
    };
    if (given(a) || given(b)) return given(a) == given(b);
    return stated_level(a) == stated_level(b);
  }

  static std::string stated_level(const Functionality& functionality) {
    for (const ListedStatement& listed : list_statements(functionality)) {
      if (const auto& level = listed.statement->statement.isolation) return *level;
    }
    return "";
  }

  const Program& program_;
  SessionProgram whole_;
};

}  // namespace

Result<SessionProgram> with_sessions(const Program& program, const FindOptions& options,
                                     std::size_t most) {
  return SessionAdder(program, options).add(most);
}

}  // namespace heddle
