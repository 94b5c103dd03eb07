#include "frontend/plpgsql/scope.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/text.h"

namespace heddle::plpgsql {

Expression variable(const std::string& name) {
  return {.kind = ExpressionKind::variable, .text = name, .operands = {}};
}

Expression call(std::string name, std::vector<Expression> operands) {
  return {.kind = ExpressionKind::call, .text = std::move(name), .operands = std::move(operands)};
}

void Names::enter(std::string label) {
  blocks_.push_back({.label = std::move(label), .names = {}});
}

const Declared& Names::declare(const std::string& name, const std::string& type,
                               std::vector<Variable>& variables) {
  std::string unique = name;
  for (std::size_t number = 2; !taken_.insert(unique).second; ++number) {
    unique = name + "_" + std::to_string(number);
  }
  variables.push_back({unique, type});
  const std::string folded = to_lower(type);
  Declared& declared = blocks_.back().names[name];
  declared = {.unique = unique};
  declared.is_row = folded == "record" || folded.ends_with("%rowtype");
  declared.is_cursor = folded == "refcursor" || folded == "cursor";
  return declared;
}

void Names::alias(const std::string& name, const Declared& meant) {
  blocks_.back().names[name] = meant;
}

Declared* Names::find(const std::string& name) {
  return const_cast<Declared*>(std::as_const(*this).find(name));  // NOLINT(*-const-cast)
}

const Declared* Names::find(const std::string& name) const {
  for (const BlockNames& block : std::views::reverse(blocks_)) {
    if (const auto known = block.names.find(name); known != block.names.end()) {
      return &known->second;
    }
  }
  return nullptr;
}

std::optional<Expression> Names::resolve(const std::vector<std::string>& path) const {
  for (const BlockNames& block : std::views::reverse(blocks_)) {
    if (auto found = resolve_in(block, path, 0)) return found;
    if (path.size() < 2 || block.label.empty() || block.label != path.front()) continue;
    if (auto found = resolve_in(block, path, 1)) return found;
  }
  return std::nullopt;
}

std::optional<Expression> Names::resolve_in(const BlockNames& block,
                                            const std::vector<std::string>& path,
                                            std::size_t first) {
  const std::size_t parts = path.size() - first;
  const auto known = block.names.find(path[first]);
  if (known == block.names.end()) return std::nullopt;
  Expression found = variable(known->second.unique);
  if (parts == 1) return found;
  if (parts > 2 || !known->second.is_row) return std::nullopt;
  return Expression{
      .kind = ExpressionKind::field, .text = path.back(), .operands = {std::move(found)}};
}

}  // namespace heddle::plpgsql
