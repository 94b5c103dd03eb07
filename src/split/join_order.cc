// A part of which one row is named by what is known comes first; of the others, which have to be
// gone through row by row, the one that names most of those that are left.
#include "split/join_order.h"

#include <algorithm>
#include <array>
#include <utility>

namespace heddle::chopping {

namespace {

using Sources = std::set<std::size_t>;

bool is_subset(const std::vector<std::size_t>& some, const Sources& all) {
  return std::ranges::all_of(some, [&](std::size_t one) { return all.contains(one); });
}

const std::vector<Expression>& conditions_of(const JoinQuery& query, std::size_t source) {
  const JoinSource& one = query.sources[source];
  return one.is_optional ? one.on : query.conjuncts;
}

class Orderer {
 public:
  explicit Orderer(const JoinQuery& query) : query_(query) {
    for (std::size_t i = 0; i < query.sources.size(); ++i) {
      if (query.written != i)
        parts_.push_back({.sources = {i}, .is_optional = query.sources[i].is_optional});
    }
    for (const Expression& conjunct : query.conjuncts) join_parts(sources_in(conjunct));
  }

  PartOrder order() {
    PartOrder result;
    while (!parts_.empty()) {
      std::optional<std::size_t> next = next_pinned(parts_, known_);
      const bool is_pinned = next.has_value();
      if (!next) next = best_loop();
      if (!next) {
        result.reason = "its LEFT JOIN may find several rows";
        return result;
      }
      has_loop_ = has_loop_ || !is_pinned;
      OrderedPart part = parts_[*next];
      part.is_pinned = is_pinned;
      known_.insert(part.sources.begin(), part.sources.end());
      parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(*next));
      result.parts.push_back(std::move(part));
    }
    return result;
  }

 private:
  // Tables that their service can join.
  void join_parts(const std::vector<std::size_t>& sources) {
    const bool is_one_service = std::ranges::all_of(sources, [&](std::size_t one) {
      const JoinSource& source = query_.sources[one];
      return source.table != nullptr && !source.is_optional && query_.written != one &&
             source.service == query_.sources[sources[0]].service;
    });
    if (sources.size() < 2 || !is_one_service) return;
    const std::size_t first = part_with(sources[0]);
    for (const std::size_t source : sources) {
      const std::size_t other = part_with(source);
      if (other == first) continue;
      std::vector<std::size_t>& into = parts_[std::min(first, other)].sources;
      const std::vector<std::size_t> more = parts_[std::max(first, other)].sources;
      into.insert(into.end(), more.begin(), more.end());
      std::ranges::sort(into);
      parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(std::max(first, other)));
      return join_parts(sources);
    }
  }

  std::size_t part_with(std::size_t source) const {
    const auto found = std::ranges::find_if(parts_, [&](const OrderedPart& part) {
      return std::ranges::find(part.sources, source) != part.sources.end();
    });
    return static_cast<std::size_t>(found - parts_.begin());
  }

  bool is_part_pinned(const OrderedPart& part, Sources known) const {
    if (part.is_optional) {
      if (known.empty()) return false;
      Sources own = known;
      own.insert(part.sources[0]);
      const bool is_ready = std::ranges::all_of(
          query_.sources[part.sources[0]].on,
          [&](const Expression& one) { return is_subset(sources_in(one), own); });
      if (!is_ready) return false;
    }
    for (std::size_t round = 0; round < part.sources.size(); ++round) {
      for (const std::size_t source : part.sources) {
        if (!known.contains(source) && is_pinned(query_, source, known)) known.insert(source);
      }
    }
    return is_subset(part.sources, known);
  }

  std::optional<std::size_t> next_pinned(const std::vector<OrderedPart>& parts,
                                         const Sources& known) const {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (is_part_pinned(parts[i], known)) return i;
    }
    return std::nullopt;
  }

  // How many of the others are named by one row when this part's row is known.
  std::size_t pinned_after(std::size_t chosen) const {
    std::vector<OrderedPart> left = parts_;
    Sources known = known_;
    std::size_t count = 0;
    std::optional<std::size_t> next = chosen;
    while (next) {
      ++count;
      known.insert(left[*next].sources.begin(), left[*next].sources.end());
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(*next));
      next = next_pinned(left, known);
    }
    return count;
  }

  // How many conditions on it can be asked.
  std::size_t askable(const OrderedPart& part) const {
    Sources known = known_;
    known.insert(part.sources.begin(), part.sources.end());
    return static_cast<std::size_t>(
        std::ranges::count_if(query_.conjuncts, [&](const Expression& one) {
          const std::vector<std::size_t> sources = sources_in(one);
          return is_subset(sources, known) && !is_subset(sources, known_);
        }));
  }

  // Rows come in the order of the outermost part.
  bool has_order(const OrderedPart& part) const {
    if (has_loop_ || query_.order.empty()) return false;
    Sources known = known_;
    known.insert(part.sources.begin(), part.sources.end());
    return std::ranges::all_of(query_.order, [&](const JoinOrder& key) {
      return is_subset(sources_in(key.value), known);
    });
  }

  std::optional<std::size_t> best_loop() const {
    std::optional<std::size_t> best;
    std::array<std::size_t, 3> most = {};
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].is_optional) continue;
      const std::array<std::size_t, 3> worth = {has_order(parts_[i]) ? 1U : 0U, pinned_after(i),
                                                askable(parts_[i])};
      if (best && worth <= most) continue;
      best = i;
      most = worth;
    }
    return best;
  }

  const JoinQuery& query_;
  std::vector<OrderedPart> parts_;
  Sources known_;
  bool has_loop_ = false;
};

}  // namespace

PartOrder order_parts(const JoinQuery& query) { return Orderer(query).order(); }

std::optional<Expression> value_of_column(const Expression& conjunct, std::size_t source,
                                          const std::string& column) {
  if (conjunct.kind != ExpressionKind::call || conjunct.text != "=") return std::nullopt;
  for (std::size_t side = 0; side < 2; ++side) {
    const Expression& one = conjunct.operands[side];
    if (find::source_of(one) == source && one.text == column) return conjunct.operands[1 - side];
  }
  return std::nullopt;
}

bool is_pinned(const JoinQuery& query, std::size_t source, const Sources& known) {
  const Table* table = query.sources[source].table;
  if (table == nullptr) return false;
  const auto is_named = [&](const std::string& column) {
    return std::ranges::any_of(conditions_of(query, source), [&](const Expression& conjunct) {
      const auto value = value_of_column(conjunct, source, column);
      return value && is_subset(sources_in(*value), known);
    });
  };
  const auto names_row = [&](const std::vector<std::string>& columns) {
    return !columns.empty() && std::ranges::all_of(columns, is_named);
  };
  if (names_row(table->primary_key)) return true;
  return std::ranges::any_of(table->unique_constraints, [&](const UniqueConstraint& unique) {
    return unique.check_time == CheckTime::statement && names_row(unique.columns);
  });
}

}  // namespace heddle::chopping
