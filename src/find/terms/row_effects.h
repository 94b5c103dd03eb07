// Which rows a statement reads and changes, and to what, as conditions on a row.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "find/terms/rows.h"
#include "find/terms/unfold.h"

namespace heddle::find {

// A row as somebody sees it, some of it replaced.
struct RowView {
  std::string viewer;
  RowKey key;
  std::map<std::string, SqlValue> replaced = {};  // cells
  std::optional<Term> exists = {};
};

class RowEffects {
 public:
  RowEffects(Evaluator& evaluator, Rows& rows)
      : evaluator_(evaluator), terms_(evaluator.terms()), rows_(rows) {}

  // The predicate holds of these rows, one of each source, which exist.
  Term matches(const Event& event, const std::vector<RowKey>& keys);
  // It holds of this row of one source, and of some rows of the others.
  Term matches(const Event& event, std::size_t source, const RowView& view);
  // The same, whether or not there is that row.
  Term looks_for(const Event& event, std::size_t source, const RowView& view);
  // The predicate holds of these rows, those that are looked at in it and not made are there; but
  // for those that must not be there, which meet what is looked for by that one.
  Term selects(const Event& event, const std::vector<RowKey>& keys);
  // The row of a source that may be missing is there, and joined.
  Term joins(const Event& event, std::size_t source, const std::vector<RowKey>& keys);
  // A row of the source of an inner value is one that it is of.
  Term counts(const Event& event, std::size_t source, const RowView& view);
  Term is_met_by(const Event& event, std::vector<RowKey> keys, std::size_t absence,
                 const RowKey& row);
  // The row to which a written row comes to refer; none: it is not named by its key.
  std::optional<RowKey> referred_key(const Event& event, std::size_t source);
  // Where it is, the statement leaves it out, because somebody else has locked it.
  Term passes_over(const Event& event, std::size_t source, const RowKey& key);
  // What a statement that takes some of the rows that match has taken.
  Term have_been_taken(const Event& event, const std::vector<RowKey>& keys);
  // The statement reads that row: a query for the first row reads no other that matches.
  Term takes(const Event& event, std::size_t source, const RowView& view);
  // It would, if the row were like this: it would come before the first one that was found.
  Term would_take(const Event& event, std::size_t source, const RowView& view);
  // The statement writes that row.
  Term touches(const Event& event, std::size_t source, const RowKey& key);
  // Of an INSERT that writes it: it changes the row in its way. That the row is gone, which it has
  // not seen, it changes no more than an UPDATE does.
  Term changes_instead(const Event& event, std::size_t source, const RowKey& key);
  // What it leaves in a column of a row that it writes; none: it leaves the column alone.
  std::optional<SqlValue> written(const Event& event, std::size_t source, const std::string& column,
                                  const RowKey& key);
  // The only row that a statement on one table may read or change; none: there may be several.
  std::optional<RowKey> pinned_key(const Event& event);
  // The row that an INSERT makes; none: it is not known which.
  std::optional<RowKey> inserted_key(const Event& event, std::size_t source);
  // Those of all rows that it makes; empty: it is not known which these are.
  std::vector<RowKey> inserted_keys(const Event& event, std::size_t source);
  // Of an INSERT that does nothing then: a row is in its way that is not the one of its key, by
  // another unique one; none: only its own row can be.
  std::optional<Term> is_in_its_way(const Event& event);
  // Where that row is, it is in its way, has a key that another one would come to have, or keeps
  // the statement from deleting one that it refers to.
  Term stops(const Event& event, std::size_t source, const RowKey& key);
  // Whether what it writes into the only row that it may write breaks a check of the table.
  Term breaks_checks(const Event& event);
  // Whether it makes its row; none: it is not known which, or what is in its way.
  std::optional<Term> makes_its_row(const Event& event);
  // Whether a key of it comes from a sequence, so that no other INSERT makes the same row.
  bool makes_new_row(const Event& event, std::size_t source);

 private:
  Term perhaps(const Event& event, std::string_view what, const RowKey& key);
  Term is_among_taken(const Event& event, std::size_t source, const RowKey& key);
  Term comes_first(const Event& event, const RowView& view);
  static std::string viewer_beside(const Event& event, std::size_t source, const RowView& view);
  SqlValue cell_in(const RowSource& source, const RowView& view, const Expression& leaf,
                   const Lookup& in_rows);
  RowKey row_beside(const Event& event, std::size_t source, std::size_t other, const RowView& view);
  Lookup lookup(const Event& event, std::size_t source, const RowView& view,
                const std::vector<RowKey>& others);
  std::optional<SqlValue> made_cell(const Event& event, std::size_t source,
                                    const std::string& column, const RowKey& key);
  Term holds_of_reference(const Event& event, std::size_t source, const RowView& view);

  Evaluator& evaluator_;
  Terms& terms_;
  Rows& rows_;
};

}  // namespace heddle::find
