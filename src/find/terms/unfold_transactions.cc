// Which transaction a statement is in, and where transactions end.
#include <algorithm>
#include <map>
#include <vector>

#include "find/terms/unfolder.h"

namespace heddle::find {

// Which is open there.
std::size_t& Unfolder::transaction_on(std::size_t connection) {
  if (connection == 0) return now_.transaction;
  const auto [open, is_new] = now_.others.try_emplace(connection);
  if (is_new) open->second = ++transactions_;
  return open->second;
}

// The one or the other is open, and what comes is taken to be of a third one.
std::size_t Unfolder::joined_transaction(std::size_t a, std::size_t b) {
  if (a == b) return a;
  parted_.insert({a, b});
  return ++transactions_;
}

void Unfolder::note_spans() {
  std::vector<Event>& events = result_.events;
  std::map<std::size_t, Span> spans;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Span unended = {.begins = i, .ends_first = events.size(), .ends_last = events.size()};
    Span& span = spans.try_emplace(events[i].transaction, unended).first->second;
    if (!ends_transaction(events[i].form->kind)) continue;
    span.ends_first = std::min(span.ends_first, i);
    if (!parted_.contains(events[i].transaction)) span.ends_last = i;
  }
  for (Event& event : events) event.span = spans.at(event.transaction);
}

// What the transaction wrote so far.
void Unfolder::undo(std::size_t transaction, Term when) {
  for (Event& event : result_.events) {
    const bool is_meant = event.transaction == transaction && event.form->writes();
    if (is_meant) event.undone = bounded(terms_.any(event.undone, when));
  }
}

// Whether a statement comes behind a COMMIT among the events from there on.
bool Unfolder::commits_in_the_middle(std::size_t first) const {
  bool has_committed = false;
  for (std::size_t i = first; i < result_.events.size(); ++i) {
    const Event& event = result_.events[i];
    const StatementKind kind = event.form->kind;
    if (has_committed && !ends_transaction(kind)) return true;
    const bool commits = event.is_redis && event.form->writes();
    has_committed = has_committed || commits || kind == StatementKind::commit;
  }
  return false;
}

}  // namespace heddle::find
