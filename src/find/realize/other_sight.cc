#include "find/realize/other_sight.h"

#include <algorithm>
#include <map>
#include <optional>

#include "smt/replace.h"

namespace heddle::find {

namespace {

using smt::Op;

// The terms as they are where something else is seen. Arrays that were made of it are other ones,
// of which the same was said.
class ElsewhereSeen {
 public:
  using Replacement = smt::Replacer::Replacement;

  ElsewhereSeen(Group& group, Replacement replacement)
      : terms_(group.terms()),
        replacer_(terms_, [this, replacement = std::move(replacement)](Term term) {
          const auto array = arrays_.find(term);
          return array == arrays_.end() ? replacement(term) : std::optional(array->second);
        }) {
    const Evaluator& evaluator = group.evaluator();
    const std::vector<Term>& made = evaluator.made_arrays();
    // Those of the group's own facts: what is said of others below is not looked at again.
    const std::vector<Term> facts = evaluator.facts();
    std::vector<bool> is_other(facts.size());
    for (bool goes_on = !made.empty(); goes_on;) {
      goes_on = false;
      for (std::size_t i = 0; i < facts.size(); ++i) {
        if (is_other[i] || replacer_(facts[i]) == facts[i]) continue;
        is_other[i] = true;
        goes_on = make_others(facts[i], made) || goes_on;
      }
      // What was rebuilt had the arrays as they are.
      if (goes_on) replacer_.forget();
    }
    if (arrays_.empty()) return;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (is_other[i]) said_.push_back(replacer_(facts[i]));
    }
  }

  ElsewhereSeen(const ElsewhereSeen&) = delete;
  ElsewhereSeen& operator=(const ElsewhereSeen&) = delete;
  ~ElsewhereSeen() = default;

  Term operator()(Term term) { return replacer_(term); }

  // What holds of the other arrays.
  const std::vector<Term>& said() const { return said_; }

 private:
  // Whether the fact is about arrays that had no other ones.
  bool make_others(Term fact, const std::vector<Term>& made) {
    const std::size_t before = arrays_.size();
    smt::Replacer look(terms_, [&](Term term) -> std::optional<Term> {
      if (std::ranges::binary_search(made, term) && !arrays_.contains(term)) {
        arrays_.emplace(term, terms_.fresh("other array", Sort::integer));
      }
      return std::nullopt;
    });
    look(fact);
    return arrays_.size() > before;
  }

  Terms& terms_;
  std::map<Term, Term> arrays_;
  smt::Replacer replacer_;
  std::vector<Term> said_;
};

}  // namespace

void OtherSight::see(std::string_view viewer, const RowSource& source, const std::string& column,
                     const RowKey& key, const SqlValue& value) {
  const SqlValue seen = group_.rows().cell(viewer, source, column, key);
  const SqlValue other = group_.evaluator().as(value, terms_.sort(seen.value));
  add_sight(seen.value, key, other.value);
  add_sight(seen.is_null, key, other.is_null);
}

void OtherSight::see_row(std::string_view viewer, const RowSource& source, const RowKey& key,
                         bool exists) {
  add_sight(group_.rows().exists(viewer, source, key), key, terms_.truth(exists));
}

// What is the row's key, or can never be null, is nothing that anybody sees otherwise.
void OtherSight::add_sight(Term seen, const RowKey& key, Term value) {
  const smt::TermNode& node = terms_[seen];
  if (node.op == Op::apply) sights_.push_back({.function = node.text, .key = key, .value = value});
}

Term OtherSight::is_row(const Sight& sight, Term seen) {
  std::vector<Term> equal;
  for (std::size_t i = 0; i < sight.key.size(); ++i) {
    equal.push_back(terms_.equal(terms_[seen].operands[i], sight.key[i].value));
  }
  return terms_.all(equal);
}

Term OtherSight::changes(const Instance& instance) {
  ElsewhereSeen other(group_, [&](Term term) -> std::optional<Term> {
    if (terms_[term].op != Op::apply) return std::nullopt;
    const std::string& function = terms_[term].text;
    const auto sight = std::ranges::find(sights_, function, &Sight::function);
    if (sight == sights_.end()) return std::nullopt;
    return terms_.choose(is_row(*sight, term), sight->value, term);
  });
  const auto differs = [&](const SqlValue& value) {
    const Term is_null = other(value.is_null);
    return terms_.any(terms_.negate(terms_.equal(value.is_null, is_null)),
                      terms_.all({terms_.negate(is_null), terms_.negate(value.is_null),
                                  terms_.negate(terms_.equal(value.value, other(value.value)))}));
  };
  RowEffects effects(group_.evaluator(), group_.rows());
  std::vector<Term> changes;
  for (const Event& event : instance.unfolding->events) {
    if (!event.form->writes()) continue;
    const Term there = lasts(event, terms_);
    changes.push_back(terms_.negate(terms_.equal(there, other(there))));
    std::vector<Term> written;
    for (const SqlValue& argument : event.arguments) written.push_back(differs(argument));
    for (std::size_t i = 0; event.is_pinned && i < event.form->sources.size(); ++i) {
      const RowSource& source = event.form->sources[i];
      if (!source.is_written) continue;
      for (const std::string& column : source.written_columns) {
        const auto value = effects.written(event, i, column, event.result[i]);
        if (value) written.push_back(differs(*value));
      }
    }
    changes.push_back(terms_.all(there, terms_.any(written)));
  }
  std::vector<Term> all = other.said();
  all.push_back(terms_.any(changes));
  return terms_.all(all);
}

namespace {

// A dependency of a reader on a writer, whatever its direction.
struct ReadVersion {
  const Instance* reader = nullptr;
  const Event* read = nullptr;
  std::size_t read_source = 0;
  const Event* write = nullptr;
  std::size_t write_source = 0;
  bool is_missed = false;  // the version was written when the reader had looked
};

ReadVersion read_version(const Group& group, const PlacedEdge& edge) {
  const Conflict& conflict = *edge.conflict;
  const Event& from = group.event(edge.from, edge.from_event);
  const Event& to = group.event(edge.to, edge.to_event);
  if (conflict.kind == DependencyKind::rw) {
    return {.reader = &group.instances()[edge.from],
            .read = &from,
            .read_source = conflict.from_source,
            .write = &to,
            .write_source = conflict.to_source,
            .is_missed = true};
  }
  return {.reader = &group.instances()[edge.to],
          .read = &to,
          .read_source = conflict.to_source,
          .write = &from,
          .write_source = conflict.from_source};
}

Term matters(Group& group, const ReadVersion& version, const std::vector<std::string>& columns,
             const RowKey& key) {
  RowEffects effects(group.evaluator(), group.rows());
  OtherSight other(group);
  const Event& write = *version.write;
  const RowSource& written = write.form->sources[version.write_source];
  const RowSource& source = version.read->form->sources[version.read_source];
  const std::string viewer = viewer_at(*version.read, version.read_source);
  const auto see_written = [&](const std::string& column) {
    const std::optional<SqlValue> value =
        version.is_missed ? effects.written(write, version.write_source, column, key)
                          : group.rows().cell(write.viewer, written, column, key);
    if (value) other.see(viewer, source, column, key, *value);
  };
  if (columns.empty()) {
    const bool makes = write.form->makes(version.write_source);
    other.see_row(viewer, source, key, makes == version.is_missed);
    for (const std::string& column : written.written_columns) {
      if (makes && version.is_missed) see_written(column);
    }
  } else {
    for (const std::string& column : columns) see_written(column);
  }
  return other.changes(*version.reader);
}

}  // namespace

std::vector<Term> reads_that_matter(Group& group, const std::vector<PlacedEdge>& edges,
                                    const std::vector<RowKey>& keys) {
  std::vector<Term> found;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].conflict->kind == DependencyKind::ww) continue;
    found.push_back(
        matters(group, read_version(group, edges[i]), edges[i].conflict->columns, keys[i]));
  }
  return found;
}

}  // namespace heddle::find
