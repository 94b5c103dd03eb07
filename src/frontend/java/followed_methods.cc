#include "frontend/java/followed_methods.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/text.h"
#include "program/chance.h"
#include "program/simplify.h"
#include "program/visit.h"

namespace heddle::java {

namespace {

constexpr std::size_t kMostSteps = 20'000;  // of one method that is followed
constexpr std::size_t kLeastSteps = 300;
constexpr std::size_t kMostActions = 4'000;  // of one functionality that is put together
constexpr std::size_t kLeastActions = 100;

ReadLimits limits_of_outlines(const JavaOptions& options) {
  return {.depth = options.depth,
          .steps = kMostSteps,
          .steps_per_byte = 4,
          .cuts_when_late = false,
          .cuts_always = true,
          .autocommit = options.autocommit};
}

// bank.Accounts$Inner.pay(Connection, int)
std::string method_text(const Class& of, const Method& method) {
  std::string type = of.name;
  const Class* outermost = &of;
  for (const Class* outer = of.outer; outer != nullptr; outer = outer->outer) {
    type = outer->name + "$" + type;
    outermost = outer;
  }
  if (!outermost->package.empty()) type = outermost->package + "." + type;
  std::vector<std::string> types;
  for (const Parameter& parameter : method.parameters) {
    types.push_back(simple_type(parameter.type));
  }
  return fmt::format("{}.{}({})", type, method.name, join(types, ", "));
}

void note_unknown_in(const Expression& value, const SourceLocation& source,
                     std::vector<Diagnostic>& notes) {
  if (value.kind == ExpressionKind::unknown) {
    std::string what = value.text;
    std::ranges::replace(what, '\n', ' ');
    notes.push_back({.what = fmt::format("the value of \"{}\" is not known", what),
                     .what_to_do = "any value is taken for it",
                     .file = source.file,
                     .position = source.position});
  }
  for (const Expression& operand : value.operands) note_unknown_in(operand, source, notes);
}

// Values that reach a statement, a branch or the caller without being understood.
void note_unknown(Block& block, std::vector<Diagnostic>& notes) {
  for (Action& action : block) {
    if (std::holds_alternative<Raise>(action.what)) continue;  // only a message
    const auto note = [&](Expression& value) { note_unknown_in(value, action.source, notes); };
    program::for_each_expression(action, note, [](Expression&) {});
    program::for_each_block(action, [&](Block& inner) { note_unknown(inner, notes); });
  }
}

Diagnostic note_of(const ReadMethod& one, const PutTogether& how) {
  const SourceLocation place = one.method->node.location();
  return {
      .what = fmt::format("what this method does is too long to be followed in its places: {}()",
                          one.method->name),
      .what_to_do = fmt::format(
          "what {} methods do is taken to happen with any values, in any order and number{}",
          how.methods, how.is_whole ? "" : ", and the rest to read and write anything"),
      .file = place.file,
      .position = place.position};
}

}  // namespace

FollowedMethods::FollowedMethods(const Classes& classes, const Schema& schema,
                                 const JavaOptions& options)
    : classes_(classes),
      schema_(schema),
      options_(options),
      outlines_(classes, schema, limits_of_outlines(options)) {}

void FollowedMethods::read(std::vector<ReadMethod>& methods) {
  if (methods.empty()) return;
  known_ = methods.size();
  const std::size_t share =
      std::clamp(options_.most_steps / methods.size(), kLeastSteps, kMostSteps);
  const bool is_enough = share == kMostSteps;
  std::vector<std::size_t> open(methods.size());
  const ReadLimits first{.depth = options_.depth,
                         .steps = share,
                         .cuts_when_late = is_enough,
                         .autocommit = options_.autocommit};
  run_parallel(methods.size(), options_.jobs,
               [&](std::size_t i) { open[i] = read_one(methods[i], first, kMostActions) ? 0 : 1; });
  std::vector<ReadMethod*> longer;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    if (open[i] == 1) longer.push_back(&methods[i]);
  }
  if (longer.empty()) return;
  const auto shared = [&](std::size_t all, std::size_t used, std::size_t least, std::size_t most) {
    return std::clamp((all > used ? all - used : 0) / longer.size(), least, most);
  };
  const ReadLimits second{.depth = options_.depth,
                          .steps = shared(options_.most_steps, steps_, kLeastSteps, kMostSteps),
                          .autocommit = options_.autocommit};
  const std::size_t actions = shared(options_.most_actions, actions_, kLeastActions, kMostActions);
  run_parallel(longer.size(), options_.jobs,
               [&](std::size_t i) { read_one(*longer[i], second, actions); });
}

bool FollowedMethods::read_one(ReadMethod& one, const ReadLimits& limits,
                               std::size_t most_actions) {
  one.is_unread = interrupted();
  if (one.is_unread) return true;
  FunctionalityReader reader(classes_, schema_, limits);
  Result<Functionality> read = reader.read(*one.of, *one.method);
  one.is_unread = !read && interrupted();
  if (one.is_unread) return true;
  {
    const std::scoped_lock lock(mutex_);
    steps_ += reader.steps();
    followed_.insert(reader.followed().begin(), reader.followed().end());
  }
  if (!read && !limits.cuts_when_late) return false;
  one.notes = reader.notes();
  one.passed_over = reader.passed_over();
  one.redis_places = reader.redis_places();
  one.assumes_transaction = reader.assumes_transaction();
  bool reached_store = reader.reached_store();
  bool is_composed = !read || !reader.cut_calls().empty();
  if (read && is_composed) {
    std::vector<Diagnostic> notes;
    const PutTogether how = outlines_.complete(*read, reader.cut_calls(), most_actions, notes);
    reached_store = reached_store || how.reached_store;
    if (count_actions(read->body) > most_actions) {
      read = Diagnostic{};
    } else if (how.methods > 0) {
      one.notes.push_back(note_of(one, how));
      one.notes.insert(one.notes.end(), notes.begin(), notes.end());
    }
  }
  if (!read) {
    read_from_outlines(one, most_actions);
  } else if (reached_store) {
    finish(one, *std::move(read), is_composed, reader.chance_names());
  }
  tell_progress();
  return true;
}

void FollowedMethods::read_from_outlines(ReadMethod& one, std::size_t most_actions) {
  Functionality functionality;
  one.notes.clear();
  std::vector<Diagnostic> notes;
  const PutTogether how = outlines_.from_outlines(*one.method, functionality, most_actions, notes);
  if (!how.reached_store) return;
  one.notes.push_back(note_of(one, how));
  one.notes.insert(one.notes.end(), notes.begin(), notes.end());
  finish(one, std::move(functionality), true, {});
}

void FollowedMethods::finish(ReadMethod& one, Functionality functionality, bool is_composed,
                             const std::map<std::string, std::string>& chance_names) {
  const Class& of = *one.of;
  const Method& method = *one.method;
  const bool is_procedure = method.name == "run" && classes_.extends(of.name, "Procedure", &of);
  functionality.name = is_procedure ? of.name : method.name;
  functionality.method = method_text(of, method);
  program::simplify(functionality);
  program::choose_chance(functionality, chance_names);
  program::rename_variables(functionality, schema_);
  if (is_composed) {
    one.passed_over.emplace_back(ReadingReason::too_long, method.node.location());
  } else {
    note_unknown(functionality.body, one.notes);
  }
  const std::size_t kept = count_actions(functionality.body);
  one.functionality = std::move(functionality);
  const std::scoped_lock lock(mutex_);
  actions_ += kept;
}

void FollowedMethods::tell_progress() {
  const std::scoped_lock lock(mutex_);
  ++done_;
  if (options_.progress) options_.progress(done_, known_);
}

}  // namespace heddle::java
