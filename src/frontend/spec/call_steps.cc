#include "frontend/spec/call_steps.h"

#include <algorithm>
#include <charconv>

#include "program/connections.h"

namespace heddle {

namespace {

using Count = std::optional<std::uint64_t>;

// More are as good as unknown.
constexpr std::uint64_t kMostCounted = 1'000'000;

Count bounded(std::uint64_t count) {
  return count > kMostCounted ? std::nullopt : std::optional(count);
}

std::optional<std::int64_t> integer_of(const Expression& expression) {
  if (expression.kind != ExpressionKind::literal) return std::nullopt;
  const char* const end = expression.text.data() + expression.text.size();
  std::int32_t number = 0;
  const auto [rest, error] = std::from_chars(expression.text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional<std::int64_t>(number) : std::nullopt;
}

// How often the body of the loop runs at most.
Count rounds_of(const CountLoop& loop) {
  const auto first = integer_of(loop.first);
  const auto last = integer_of(loop.last);
  const auto step = loop.step ? integer_of(*loop.step) : std::optional<std::int64_t>(1);
  if (!first || !last || !step || *step <= 0) return std::nullopt;
  const std::int64_t distance = loop.reverse ? *first - *last : *last - *first;
  return distance < 0 ? 0 : static_cast<std::uint64_t>(distance / *step + 1);
}

Count count_block(const Block& block);

struct ActionCount {
  Count operator()(const RunStatement& run) const { return run.statement.is_part ? 0 : 1; }
  Count operator()(const OpenRows& /*open*/) const { return 1; }
  Count operator()(const Branch& branch) const {
    const Count then = count_block(branch.then);
    const Count otherwise = count_block(branch.otherwise);
    return then && otherwise ? std::max(then, otherwise) : std::nullopt;
  }
  Count operator()(const Loop& loop) const { return repeated(loop.body, std::nullopt); }
  Count operator()(const RowLoop& loop) const {
    const Count body = repeated(loop.body, std::nullopt);
    return body ? bounded(*body + 1) : body;
  }
  Count operator()(const CountLoop& loop) const { return repeated(loop.body, rounds_of(loop)); }
  Count operator()(const ElementLoop& loop) const { return repeated(loop.body, std::nullopt); }
  Count operator()(const Attempt& attempt) const {
    Count recovery = 0;
    for (const Recovery& one : attempt.recoveries) {
      const Count count = count_block(one.body);
      if (!count) return count;
      recovery = std::max(recovery, count);
    }
    const Count body = count_block(attempt.body);
    return body ? bounded(*body + *recovery) : body;
  }
  template <class Other>
  Count operator()(const Other& /*other*/) const {
    return 0;
  }

  static Count repeated(const Block& body, Count rounds) {
    const Count once = count_block(body);
    if (once == Count(0)) return once;
    return once && rounds && *rounds <= kMostCounted ? bounded(*once * *rounds) : std::nullopt;
  }
};

// Blocks are nested no deeper than the reader of programs lets them.
Count count_block(const Block& block) {
  std::uint64_t sum = 0;
  for (const Action& action : block) {
    const Count count = std::visit(ActionCount{}, action.what);
    if (!count) return count;
    sum += *count;
  }
  return bounded(sum);
}

}  // namespace

std::optional<std::uint64_t> most_call_steps(const Functionality& functionality) {
  const Count statements = count_block(functionality.body);
  return statements ? Count(*statements + program::connection_count(functionality)) : statements;
}

std::uint32_t call_steps(const Functionality& functionality, std::optional<std::uint32_t> stated) {
  if (stated) return *stated;
  const Count most = most_call_steps(functionality);
  return most && *most <= kUsualCallSteps ? static_cast<std::uint32_t>(*most) : kUsualCallSteps;
}

}  // namespace heddle
