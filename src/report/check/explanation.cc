// The sentences are the edges of the cycle, each with what makes it, so that the contradiction can
// be followed with a finger on the file. An order of two writes that no list shows is derived: who
// reads the second one and comes after the first would otherwise have read something else.

#include "report/check/explanation.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace {

std::vector<std::string> keys_of(const Counterexample& counterexample,
                                 const TransactionHistory& history) {
  std::vector<KeyId> keys;
  const auto add = [&](const std::vector<RecordedEdge>& cycle) {
    for (const RecordedEdge& edge : cycle) {
      if (edge.kind != DependencyKind::so && edge.kind != DependencyKind::rt)
        keys.push_back(edge.key);
    }
  };
  add(counterexample.cycle);
  for (const CounterexampleCase& each : counterexample.cases) add(each.cycle);
  if (counterexample.operation) {
    keys.push_back(history.operations[*counterexample.operation].key);
  }
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<std::string> names;
  for (const KeyId key : keys) names.push_back(key_text(history, key));
  return names;
}

std::string on_keys(const Counterexample& counterexample, const TransactionHistory& history) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> keys = keys_of(counterexample, history);
  if (keys.empty()) return "";
  const std::size_t more = keys.size() - std::min(keys.size(), kMost);
  keys.resize(keys.size() - more);
  return " on " + join(keys, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string names_in_books(const AnomalyDefinition& kind) {
  std::vector<std::string> names;
  if (!kind.adya.empty()) names.push_back("Adya: " + std::string(kind.adya));
  if (!kind.berenson.empty()) names.push_back("Berenson: " + std::string(kind.berenson));
  return names.empty() ? "" : " (" + join(names, ", ") + ")";
}

class Explainer {
 public:
  Explainer(const Counterexample& counterexample, const CheckNames& names)
      : counterexample_(counterexample), names_(names), history_(names.history()) {}

  CheckExplanation explain() {
    const AnomalyDefinition& kind = definition(counterexample_.kind);
    result_.title = capitalized(std::string(kind.name)) + names_in_books(kind) +
                    on_keys(counterexample_, history_);
    for (const TransactionId id : names_.transactions()) {
      result_.let.push_back({names_.name(id), names_.place(id), names_.notation(id)});
    }
    if (names_.left_out() > 0) {
      result_.let.push_back({"", "", fmt::format("and {} more transactions", names_.left_out())});
    }
    if (counterexample_.operation) {
      explain_operation();
    } else if (!counterexample_.cases.empty()) {
      explain_cases();
    } else if (counterexample_.cycle.empty()) {
      result_.then.emplace_back("a search went through the orders that they can have.");
      result_.however = "none of these orders explains what all of them read.";
    } else {
      for (const RecordedEdge& edge : counterexample_.cycle) explain_edge(edge, 0);
      result_.however = contradiction(counterexample_.cycle) + ": there is no such order.";
    }
    return std::move(result_);
  }

 private:
  // Once in each case.
  void say(std::string sentence) {
    const auto begin = result_.then.begin() + static_cast<std::ptrdiff_t>(case_begin_);
    if (std::find(begin, result_.then.end(), sentence) == result_.then.end()) {
      result_.then.push_back(std::move(sentence));
    }
  }

  // Each case supposes what the ones before leave open, and ends in a contradiction of its own.
  void explain_cases() {
    for (const CounterexampleCase& each : counterexample_.cases) {
      std::vector<std::string> suppositions;
      for (const RecordedEdge& edge : each.supposed) {
        suppositions.push_back(fmt::format("the {} of {} is older than that of {}", key(edge.key),
                                           names_.name_or_start(edge.from), names_.name(edge.to)));
      }
      case_begin_ = result_.then.size();
      say((case_begin_ == 0 ? "suppose that " : "Or suppose that ") + join(suppositions, " and ") +
          ".");
      for (const RecordedEdge& edge : each.cycle) explain_edge(edge, 0);
      say("So " + contradiction(each.cycle) + ", which cannot be.");
    }
    result_.however = "one of these cases must hold: there is no order.";
  }

  const KeyOperation& operation(std::uint32_t index) const { return history_.operations[index]; }
  std::string told(std::uint32_t index) const { return told_text(history_, operation(index)); }
  std::string key(KeyId id) const { return key_text(history_, id); }
  std::string owner(std::uint32_t index) const { return names_.name(names_.owner(index)); }

  // "T1 reads x = 0", "T1 writes x = 1", "T1 appends 2 to x".
  std::string does(std::uint32_t index) const {
    const KeyOperation& current = operation(index);
    const std::string name = owner(index);
    if (current.action == KeyAction::append) {
      return fmt::format("{} appends {} to {}", name, told(index), key(current.key));
    }
    const bool reads = current.action != KeyAction::write;
    return fmt::format("{} {} {} = {}", name, reads ? "reads" : "writes", key(current.key),
                       told(index));
  }

  std::string reads(const RecordedEdge& edge, TransactionId reader,
                    const std::optional<std::uint32_t>& read) const {
    return read ? does(*read) : fmt::format("{} reads {}", names_.name(reader), key(edge.key));
  }

  std::string writes(const RecordedEdge& edge, std::optional<TransactionId> writer,
                     const std::optional<std::uint32_t>& write) const {
    if (write) return does(*write);
    if (!writer) return fmt::format("{} was there before all transactions", key(edge.key));
    return fmt::format("{} writes {}", names_.name(*writer), key(edge.key));
  }

  std::string before(const RecordedEdge& edge) const {
    return edge.from
               ? fmt::format("{} comes before {}", names_.name(*edge.from), names_.name(edge.to))
               : "that is before all transactions";
  }

  void explain_edge(const RecordedEdge& edge, std::uint32_t depth) {
    if (depth < kDeepestBecause) {
      for (const RecordedEdge& cause : edge.because) explain_edge(cause, depth + 1);
    }
    say(capitalized(sentence(edge)) + ": " + before(edge) + ".");
  }

  std::string sentence(const RecordedEdge& edge) const {
    switch (edge.kind) {
      case DependencyKind::wr:
        return seen_sentence(edge);
      case DependencyKind::ww:
        return edge.because.empty() ? overwritten_sentence(edge) : older_sentence(edge);
      case DependencyKind::rw:
        return edge.because.empty() ? replaced_sentence(edge) : outdated_sentence(edge);
      case DependencyKind::so:
        return fmt::format("{} follows {} in session {}", names_.name(edge.to),
                           names_.name_or_start(edge.from),
                           session_text(history_, history_.transactions[edge.to.index()].session));
      case DependencyKind::rt:
        return fmt::format("{} ended before {} began", names_.name_or_start(edge.from),
                           names_.name(edge.to));
    }
    return "";
  }

  std::string seen_sentence(const RecordedEdge& edge) const {
    const std::string read = reads(edge, edge.to, edge.to_operation);
    if (!edge.from) return read + ", which was there before all transactions";
    if (edge.from_operation && operation(*edge.from_operation).action == KeyAction::append) {
      return fmt::format("{}, and {} appended {}", read, names_.name(*edge.from),
                         told(*edge.from_operation));
    }
    return fmt::format("{}, which {} wrote", read, names_.name(*edge.from));
  }

  // What follows "which T2 overwrites": " with 3".
  std::string with_value(const std::optional<std::uint32_t>& write) const {
    return write ? " with " + told(*write) : "";
  }

  bool appends(const std::optional<std::uint32_t>& write) const {
    return write && operation(*write).action == KeyAction::append;
  }

  std::string overwritten_sentence(const RecordedEdge& edge) const {
    const std::string write = writes(edge, edge.from, edge.from_operation);
    if (appends(edge.to_operation)) {
      return fmt::format("{}, and {} appends {} behind it", write, names_.name(edge.to),
                         told(*edge.to_operation));
    }
    return fmt::format("{}, which {} overwrites{}", write, names_.name(edge.to),
                       with_value(edge.to_operation));
  }

  std::string replaced_sentence(const RecordedEdge& edge) const {
    const std::string read =
        edge.from ? reads(edge, *edge.from, edge.from_operation) : writes(edge, edge.from, {});
    if (appends(edge.to_operation)) {
      return fmt::format("{}, to which {} then appends {}", read, names_.name(edge.to),
                         told(*edge.to_operation));
    }
    return fmt::format("{}, which {} then overwrites{}", read, names_.name(edge.to),
                       with_value(edge.to_operation));
  }

  // A transaction reads the one write and comes after the other one.
  std::string older_sentence(const RecordedEdge& edge) const {
    const TransactionId reader = edge.because.back().to;
    if (reader == edge.to) {
      return fmt::format(
          "{} begins before {} commits, and of two snapshots that write {} one must commit before "
          "the other begins",
          names_.name_or_start(edge.from), names_.name(edge.to), key(edge.key));
    }
    return fmt::format("{}, which comes after {}, reads{} from {}, so that the {} of {} is older",
                       names_.name(reader), names_.name_or_start(edge.from), value_written(edge),
                       names_.name(edge.to), key(edge.key), names_.name_or_start(edge.from));
  }

  std::string outdated_sentence(const RecordedEdge& edge) const {
    const TransactionId reader = edge.because.back().to;
    const std::optional<TransactionId> seen = edge.because.front().from;
    const std::string read =
        edge.from ? reads(edge, *edge.from, edge.from_operation) : writes(edge, edge.from, {});
    if (reader == edge.to) {
      return fmt::format("{}, which {} wrote; {} comes after {} and writes{}", read,
                         names_.name_or_start(seen), names_.name(edge.to),
                         names_.name_or_start(seen), value_written(edge));
    }
    return fmt::format(
        "{}, which {} wrote; {}, which comes after {}, reads{} from {}, which is "
        "therefore newer",
        read, names_.name_or_start(seen), names_.name(reader), names_.name_or_start(seen),
        value_written(edge), names_.name(edge.to));
  }

  // " x = 2", or " x" where the operation is not known.
  std::string value_written(const RecordedEdge& edge) const {
    return edge.to_operation ? value_read(edge.to_operation) : " " + key(edge.key);
  }

  // " x = 2"
  std::string value_read(const std::optional<std::uint32_t>& write) const {
    if (!write) return "";
    return fmt::format(" {} = {}", key(operation(*write).key), told(*write));
  }

  std::string contradiction(const std::vector<RecordedEdge>& cycle) const {
    std::vector<std::string> parts;
    for (const RecordedEdge& edge : cycle) {
      const std::string from = names_.name_or_start(edge.from);
      parts.push_back(parts.empty()
                          ? fmt::format("{} would come before {}", from, names_.name(edge.to))
                          : fmt::format("{} before {}", from, names_.name(edge.to)));
    }
    std::string text = parts.back();
    if (parts.size() > 1) {
      parts.pop_back();
      text = join(parts, ", ") + " and " + text;
    }
    return text;
  }

  void explain_operation() {
    const std::uint32_t index = *counterexample_.operation;
    const std::optional<std::uint32_t> other = counterexample_.other;
    const std::string name = key(operation(index).key);
    const bool reads_first = counterexample_.kind == AnomalyKind::future_read;
    if (other && !reads_first) say(capitalized(does(*other)) + ".");
    say(capitalized(does(index)) + ".");
    if (other && reads_first) say(capitalized(does(*other)) + ", after that.");
    const std::string writer = other ? owner(*other) : "its writer";
    switch (counterexample_.kind) {
      case AnomalyKind::aborted_read:
        result_.however = writer + " aborted: nobody may see what it wrote.";
        return;
      case AnomalyKind::intermediate_read:
        result_.however = fmt::format(
            "{} changes {} again before it ends: nobody may see what was there in between.", writer,
            name);
        return;
      case AnomalyKind::unwritten_read:
        result_.however = nobody_wrote(index);
        return;
      case AnomalyKind::future_read:
        result_.however = "nobody can read what is not written yet, and nobody else writes it.";
        return;
      case AnomalyKind::internal_inconsistency:
        result_.however = owner(index) + " must find what it wrote itself.";
        return;
      default:
        result_.however = "no one order of the elements of " + name + " explains both.";
    }
  }

  std::string nobody_wrote(std::uint32_t index) const {
    const std::string name = key(operation(index).key);
    if (operation(index).action == KeyAction::read_list) {
      return "not every element of it was ever appended to " + name + ".";
    }
    std::string text = "nobody ever wrote that to " + name;
    if (history_.initial) {
      text += ", which held " + value_text(history_.texts, *history_.initial) + " at first";
    }
    return text + ".";
  }

  const Counterexample& counterexample_;
  const CheckNames& names_;
  const TransactionHistory& history_;
  CheckExplanation result_;
  std::size_t case_begin_ = 0;  // in result_.then
};

}  // namespace

CheckExplanation explain(const Counterexample& counterexample, const CheckNames& names) {
  return Explainer(counterexample, names).explain();
}

std::string counterexample_title(const Counterexample& counterexample,
                                 const TransactionHistory& history) {
  return std::string(definition(counterexample.kind).name) + on_keys(counterexample, history);
}

}  // namespace heddle
