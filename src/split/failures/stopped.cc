#include "split/failures/stopped.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "program/visit.h"

namespace heddle::failures {

namespace {

bool is_loop(const Action& action) {
  return std::holds_alternative<Loop>(action.what) ||
         std::holds_alternative<RowLoop>(action.what) ||
         std::holds_alternative<CountLoop>(action.what) ||
         std::holds_alternative<ElementLoop>(action.what);
}

Expression variable(const std::string& name) {
  return {.kind = ExpressionKind::variable, .text = name, .operands = {}};
}

Expression number(std::size_t value) {
  return {.kind = ExpressionKind::literal, .text = fmt::format("{}", value), .operands = {}};
}

Expression call(std::string name, Expression a, Expression b) {
  return {.kind = ExpressionKind::call,
          .text = std::move(name),
          .operands = {std::move(a), std::move(b)}};
}

// RAISE takes a % for the place of a value.
std::string as_format(const std::string& text) {
  std::string format;
  for (const char c : text) format += c == '%' ? "%%" : std::string(1, c);
  return format;
}

// Puts the end behind the COMMIT. Loops around it count their rounds.
class Stopper {
 public:
  Stopper(Functionality& functionality, const PlacedStatement& commit, std::string message)
      : functionality_(functionality), rounds_(commit.rounds), message_(std::move(message)) {
    target_ = list_statements(functionality)[commit.statement].statement;
  }

  void stop() { stop_in(functionality_.body, 0, false); }

 private:
  // Whether the COMMIT was in the block.
  bool stop_in(Block& block, std::size_t depth, bool is_handled) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      const auto* run = std::get_if<RunStatement>(&block[i].what);
      if (run != nullptr && &run->statement == target_) {
        block.insert(at(block, i + 1), end(block[i].source, is_handled));
        return true;
      }
      const auto* attempt = std::get_if<Attempt>(&block[i].what);
      const bool handles = is_handled || (attempt != nullptr && !attempt->by_client);
      const bool counts = is_loop(block[i]);
      bool is_found = false;
      program::for_each_block(block[i], [&](Block& inner) {
        if (is_found || !stop_in(inner, depth + (counts ? 1 : 0), handles)) return;
        is_found = true;
        if (counts) inner.insert(inner.begin(), next_round(depth, block[i].source));
      });
      if (!is_found) continue;
      if (counts) {
        block.insert(at(block, i), set(depth, number(0), SourceLocation(block[i].source)));
      }
      return true;
    }
    return false;
  }

  static Block::iterator at(Block& block, std::size_t place) {
    return block.begin() + static_cast<std::ptrdiff_t>(place);
  }

  // The counter of the loops at that depth.
  const std::string& counter(std::size_t depth) {
    while (counters_.size() <= depth) {
      std::string name = fmt::format("heddle_round_{}", counters_.size() + 1);
      const auto is_taken = [&](const Variable& other) { return other.name == name; };
      while (std::ranges::any_of(functionality_.variables, is_taken) ||
             std::ranges::any_of(functionality_.parameters, is_taken)) {
        name += "_";
      }
      functionality_.variables.push_back({.name = name, .type = "integer"});
      counters_.push_back(std::move(name));
    }
    return counters_[depth];
  }

  Action set(std::size_t depth, Expression value, SourceLocation source) {
    return {.source = std::move(source),
            .what = Assign{.target = variable(counter(depth)), .value = std::move(value)}};
  }

  Action next_round(std::size_t depth, const SourceLocation& source) {
    return set(depth, call("+", variable(counter(depth)), number(1)), source);
  }

  Action end(const SourceLocation& source, bool is_handled) {
    Action stop{.source = source,
                .what = Raise{.condition = {}, .message = message_, .values = {}}};
    if (is_handled) {
      Return nothing;
      if (functionality_.returns) nothing.values.emplace_back();
      stop.what = std::move(nothing);
    }
    if (rounds_.empty()) return stop;
    Expression condition = call("=", variable(counter(0)), number(rounds_[0] + 1));
    for (std::size_t i = 1; i < rounds_.size(); ++i) {
      condition = call("and", std::move(condition),
                       call("=", variable(counter(i)), number(rounds_[i] + 1)));
    }
    Branch branch{.condition = std::move(condition), .then = {}, .otherwise = {}};
    branch.then.push_back(std::move(stop));
    return {.source = source, .what = std::move(branch)};
  }

  Functionality& functionality_;
  const std::vector<std::size_t>& rounds_;
  std::string message_;
  const ProgramStatement* target_ = nullptr;
  std::vector<std::string> counters_;  // by depth
};

}  // namespace

Functionality stopped_at(const PlacedStatement& commit, const Functionality& whole,
                         std::string name) {
  Functionality stopped = whole;
  stopped.name = std::move(name);
  stopped.method.clear();
  stopped.states_boundaries = true;
  Stopper(stopped, commit, as_format(whole.name) + " stops here").stop();
  return stopped;
}

}  // namespace heddle::failures
