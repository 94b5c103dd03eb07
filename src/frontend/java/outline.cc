#include "frontend/java/outline.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "program/connections.h"
#include "program/visit.h"

namespace heddle::java {

namespace {

constexpr std::size_t kTooMany = 1'000'000'000;

Expression variable(std::string name) {
  return {.kind = ExpressionKind::variable, .text = std::move(name), .operands = {}};
}

// The number of the call that was cut here.
std::optional<std::size_t> cut_call_at(const Action& action) {
  const auto* assign = std::get_if<Assign>(&action.what);
  if (assign == nullptr || !(assign->target == call_place())) return std::nullopt;
  return static_cast<std::size_t>(to_number(assign->value).value_or(0));
}

// Gives what an outline declares names that the functionality does not have yet.
class Instance {
 public:
  Instance(const Outline& outline, Functionality& into, std::set<std::string>& taken,
           std::map<std::string, std::size_t>& numbers)
      : outline_(outline), into_(into), taken_(taken), numbers_(numbers) {}

  // The outline's actions, between the beginning and the end of a loop that runs once: where the
  // method returns, the loop is left.
  Block make(const std::string& method, bool stops_at_errors) {
    stops_at_errors_ = stops_at_errors;
    label_ = new_name(method);
    Block block;
    const SourceLocation& source = outline_.functionality.source;
    for (const Variable& parameter : outline_.functionality.parameters) {
      declare(parameter);
      block.push_back({.source = source,
                       .what = Assign{.target = variable(names_[parameter.name]),
                                      .value = unknown(parameter.name + " of " + method + "()")}});
    }
    for (const Variable& each : outline_.functionality.variables) declare(each);
    Block body = outline_.functionality.body;
    apply(body);
    std::ranges::move(body, std::back_inserter(block));
    return block;
  }

  const std::string& label() const { return label_; }

 private:
  std::string new_name(const std::string& base) {
    std::string name;
    do {
      name = fmt::format("{}_{}", base, ++numbers_[base] + 1);
    } while (!taken_.insert(name).second);
    return name;
  }

  void declare(const Variable& variable) {
    std::string name = new_name(variable.name);
    into_.variables.push_back({name, variable.type});
    names_[variable.name] = std::move(name);
  }

  void replace(std::string& name) {
    if (const auto known = names_.find(name); known != names_.end()) name = known->second;
  }
  void replace_label(std::string& label) {
    if (label.empty()) return;
    std::string& name = labels_[label];
    if (name.empty()) name = new_name(label);
    label = name;
  }
  void replace(Expression& expression) {
    if (expression.kind == ExpressionKind::variable) replace(expression.text);
    for (Expression& operand : expression.operands) replace(operand);
  }

  void apply(Block& block) {
    for (Action& action : block) {
      const auto both = [&](Expression& expression) { replace(expression); };
      program::for_each_expression(action, both, both);
      if (auto* open = std::get_if<OpenRows>(&action.what)) replace(open->cursor);
      if (auto* fetch = std::get_if<FetchRow>(&action.what)) replace(fetch->cursor);
      if (auto* close = std::get_if<CloseRows>(&action.what)) replace(close->cursor);
      if (auto* count = std::get_if<CountLoop>(&action.what)) replace(count->variable);
      if (auto* elements = std::get_if<ElementLoop>(&action.what)) replace(elements->variable);
      apply_labels(action);
      const bool ends = std::holds_alternative<Return>(action.what) ||
                        (stops_at_errors_ && std::holds_alternative<Raise>(action.what));
      if (ends) action.what = LeaveLoop{.next = false, .label = label_};
      program::for_each_block(action, [&](Block& inner) { apply(inner); });
    }
  }
  void apply_labels(Action& action) {
    if (auto* loop = std::get_if<Loop>(&action.what)) replace_label(loop->label);
    if (auto* rows = std::get_if<RowLoop>(&action.what)) replace_label(rows->label);
    if (auto* count = std::get_if<CountLoop>(&action.what)) replace_label(count->label);
    if (auto* elements = std::get_if<ElementLoop>(&action.what)) replace_label(elements->label);
    if (auto* leave = std::get_if<LeaveLoop>(&action.what)) replace_label(leave->label);
  }

  const Outline& outline_;
  Functionality& into_;
  std::set<std::string>& taken_;
  std::map<std::string, std::size_t>& numbers_;
  std::map<std::string, std::string> names_;
  std::map<std::string, std::string> labels_;
  std::string label_;
  bool stops_at_errors_ = false;
};

// One functionality that is put together.
class Composer {
 public:
  Composer(Outlines& outlines, Functionality& functionality, std::size_t most_actions,
           std::vector<Diagnostic>& notes)
      : outlines_(outlines), into_(functionality), most_(most_actions), notes_(notes) {
    for (const Variable& each : into_.parameters) taken_.insert(each.name);
    for (const Variable& each : into_.variables) taken_.insert(each.name);
  }

  // What the calls that were cut do, as a whole.
  std::size_t size_of(const Block& block, const std::vector<CutCall>& calls) {
    std::size_t size = 0;
    for_each_call(block, calls, [&](const CutCall& call) {
      size = std::min(kTooMany, size + std::min(tree_size(*call.method), flat_size(*call.method)));
    });
    return size;
  }

  void put_in_place(Block& block, const std::vector<CutCall>& calls, bool stops_at_errors) {
    Block filled;
    for (Action& action : block) {
      const std::optional<std::size_t> number = cut_call_at(action);
      if (!number) {
        program::for_each_block(action,
                                [&](Block& inner) { put_in_place(inner, calls, stops_at_errors); });
        filled.push_back(std::move(action));
        continue;
      }
      const CutCall& call = calls[*number];
      const bool stops = stops_at_errors || call.is_in_try;
      const bool is_tree = tree_size(*call.method) <= kLargestTree &&
                           tree_size(*call.method) <= flat_size(*call.method) * 4;
      Block body = is_tree ? tree(*call.method, stops) : flat(*call.method, stops);
      std::ranges::move(body, std::back_inserter(filled));
    }
    block = std::move(filled);
  }

  // All that can be reached, once, in a loop that runs any of them.
  Block flat(const Method& root, bool stops_at_errors) {
    const std::vector<const Method*>& all = closure(root);
    Loop loop;
    loop.condition = unknown("whether more of " + root.name + "() is done");
    std::size_t size = 0;
    bool is_cut = cut_closures_.contains(&root);
    for (const Method* method : all) {
      const Outline& outline = use(*method);
      size += outline.actions + 1;
      is_cut = is_cut || (size > most_ && method != all.front());
      if (size > most_ && method != all.front()) break;
      Block body = instance(*method, outline, stops_at_errors);
      drop_calls(body);
      loop.body.push_back(
          {.source = outline.functionality.source,
           .what = Branch{.condition = unknown("whether " + method->name + "() is called"),
                          .then = std::move(body),
                          .otherwise = {}}});
    }
    if (is_cut) {
      // Nobody has looked whether the rest reaches the store: it may.
      result_.is_whole = false;
      result_.reached_store = true;
      loop.body.push_back(anything(root));
    }
    if (all.size() == 1) {
      auto& only = std::get<Branch>(loop.body.front().what);
      Block body = std::move(only.then);
      loop.body = std::move(body);
    }
    Block block;
    block.push_back({.source = root.node.location(), .what = std::move(loop)});
    return block;
  }

  std::size_t flat_size(const Method& root) {
    std::size_t size = 0;
    for (const Method* method : closure(root)) size += outlines_.of(*method).actions + 2;
    return std::min(size, most_ + 2);
  }

  const PutTogether& result() const { return result_; }

 private:
  static constexpr std::size_t kLargestTree = 400;
  static constexpr std::size_t kMostMethods = 2'000;
  static constexpr std::size_t kDeepest = 40;

  template <class See>
  void for_each_call(const Block& block, const std::vector<CutCall>& calls, See see) {
    for (const Action& action : block) {
      if (const auto number = cut_call_at(action)) see(calls[*number]);
      program::for_each_block(const_cast<Action&>(action),
                              [&](Block& inner) { for_each_call(inner, calls, see); });
    }
  }

  // The method with what it calls in the places of the calls; too many where it calls itself.
  std::size_t tree_size(const Method& method, std::size_t depth = 0) {
    if (const auto known = tree_sizes_.find(&method); known != tree_sizes_.end()) {
      return known->second;
    }
    if (depth >= kDeepest || !open_.insert(&method).second) return kTooMany;
    const Outline& outline = outlines_.of(method);
    std::size_t size = outline.actions + 1;
    for_each_call(outline.functionality.body, outline.calls, [&](const CutCall& call) {
      if (size < kTooMany) size = std::min(kTooMany, size + tree_size(*call.method, depth + 1));
    });
    open_.erase(&method);
    tree_sizes_[&method] = size;
    return size;
  }

  Block tree(const Method& method, bool stops_at_errors) {
    const Outline& outline = use(method);
    Block body = instance(method, outline, stops_at_errors);
    Loop& loop = std::get<Loop>(body.front().what);
    put_in_place(loop.body, outline.calls, stops_at_errors);
    return body;
  }

  // loop <the method> exit; end loop
  Block instance(const Method& method, const Outline& outline, bool stops_at_errors) {
    Instance one(outline, into_, taken_, numbers_);
    Loop loop;
    loop.body = one.make(method.name, stops_at_errors);
    loop.label = one.label();
    const SourceLocation& source = outline.functionality.source;
    loop.body.push_back({.source = source, .what = LeaveLoop{.next = false, .label = one.label()}});
    Block block;
    block.push_back({.source = source, .what = std::move(loop)});
    return block;
  }

  const std::vector<const Method*>& closure(const Method& root) {
    std::vector<const Method*>& all = closures_[&root];
    if (!all.empty()) return all;
    std::set<const Method*> seen = {&root};
    all.push_back(&root);
    std::size_t looked_at = 0;
    for (; looked_at < all.size() && all.size() < kMostMethods; ++looked_at) {
      const Outline& outline = outlines_.of(*all[looked_at]);
      for_each_call(outline.functionality.body, outline.calls, [&](const CutCall& call) {
        if (seen.insert(call.method).second) all.push_back(call.method);
      });
    }
    if (looked_at < all.size()) cut_closures_.insert(&root);
    return all;
  }

  const Outline& use(const Method& method) {
    const Outline& outline = outlines_.of(method);
    result_.reached_store = result_.reached_store || outline.reached_store;
    into_.states_boundaries = into_.states_boundaries || outline.functionality.states_boundaries;
    if (used_.insert(&method).second) {
      ++result_.methods;
      notes_.insert(notes_.end(), outline.notes.begin(), outline.notes.end());
    }
    return outline;
  }

  static void drop_calls(Block& block) {
    std::erase_if(block, [](const Action& action) { return cut_call_at(action).has_value(); });
    for (Action& action : block) program::for_each_block(action, drop_calls);
  }

  static Action anything(const Method& method) {
    const SourceLocation source = method.node.location();
    RunStatement run{.statement = anything_statement("the rest of " + method.name + "()", source),
                     .into = {}};
    return {.source = source, .what = std::move(run)};
  }

  Outlines& outlines_;
  Functionality& into_;
  std::size_t most_;
  std::vector<Diagnostic>& notes_;
  PutTogether result_;
  std::set<std::string> taken_;
  std::map<std::string, std::size_t> numbers_;
  std::map<const Method*, std::size_t> tree_sizes_;
  std::set<const Method*> open_;
  std::map<const Method*, std::vector<const Method*>> closures_;
  std::set<const Method*> cut_closures_;  // whose list does not have all
  std::set<const Method*> used_;
};

// Of one whose parts are read apart from each other.
Diagnostic note_of_joined(const Functionality& functionality) {
  return {.what = "two connections have transactions open at the same time",
          .what_to_do = "they are taken for one, which ends with each of them",
          .file = functionality.source.file,
          .position = functionality.source.position};
}

}  // namespace

std::size_t count_actions(const Block& block) {
  std::size_t count = block.size();
  for (const Action& action : block) {
    program::for_each_block(const_cast<Action&>(action),
                            [&](Block& inner) { count += count_actions(inner); });
  }
  return count;
}

const Outline& Outlines::of(const Method& method) {
  Place* place = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<Place>& known = places_[&method];
    if (known == nullptr) known = std::make_unique<Place>();
    place = known.get();
  }
  std::call_once(place->once, [&] {
    Outline& outline = place->outline;
    FunctionalityReader reader(classes_, schema_, limits_);
    Result<Functionality> read = reader.read(*method.owner, method);
    if (!read) read = reader.opaque(method, read.error());
    outline.functionality = *std::move(read);
    const bool were_several = program::join_connections(outline.functionality);
    outline.calls = reader.cut_calls();
    outline.notes = reader.notes();
    if (were_several) outline.notes.push_back(note_of_joined(outline.functionality));
    outline.reached_store = reader.reached_store();
    outline.actions = count_actions(outline.functionality.body);
    const std::scoped_lock lock(mutex_);
    followed_.insert(reader.followed().begin(), reader.followed().end());
  });
  return place->outline;
}

PutTogether Outlines::complete(Functionality& functionality, const std::vector<CutCall>& calls,
                               std::size_t most_actions, std::vector<Diagnostic>& notes) {
  if (program::join_connections(functionality)) notes.push_back(note_of_joined(functionality));
  Composer composer(*this, functionality, most_actions, notes);
  composer.put_in_place(functionality.body, calls, false);
  return composer.result();
}

PutTogether Outlines::from_outlines(const Method& method, Functionality& functionality,
                                    std::size_t most_actions, std::vector<Diagnostic>& notes) {
  functionality = {};
  functionality.source = method.node.location();
  functionality.states_boundaries = false;
  Composer composer(*this, functionality, most_actions, notes);
  functionality.body = composer.flat(method, false);
  return composer.result();
}

}  // namespace heddle::java
