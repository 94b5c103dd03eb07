// Which class a name means. A large program has hundreds of classes that are called Builder or
// Mapper, each inside of another, so that nothing here goes through all classes of a name.
#include <cctype>
#include <utility>

#include "frontend/java/classes/classes.h"

namespace heddle::java {

namespace {

bool is_in_name(char c) {
  const auto code = static_cast<unsigned char>(c);
  return std::isalnum(code) != 0 || c == '_' || c == '$' || code >= 0x80;
}

template <class See>
void for_each_word(std::string_view text, See see) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_in_name(text[end])) ++end;
    if (end > at) see(text.substr(at, end - at));
    at = end + 1;
  }
}

std::string joined_name(const std::string& before, const std::string& name) {
  return before.empty() ? name : before + "." + name;
}

}  // namespace

void Classes::keep(std::unique_ptr<Class> added) {
  Class& one = *added;
  one.full_name = joined_name(one.outer == nullptr ? one.package : one.outer->full_name, one.name);
  by_name_[one.name].push_back(&one);
  by_full_name_.emplace(one.full_name, &one);
  if (one.outer != nullptr) inner_.emplace(std::pair(one.outer, one.name), &one);
  classes_.push_back(std::move(added));
}

// What is written with the names around it comes first, then what is declared around the place,
// then imports and the package. Where only one class has the name, it is that.
const Class* Classes::find(std::string_view name, const Class* from) const {
  const std::string plain = plain_type(name);
  const std::size_t dot = plain.rfind('.');
  const bool is_qualified = dot != std::string::npos;
  const std::string simple = is_qualified ? plain.substr(dot + 1) : plain;
  const auto named = by_name_.find(simple);
  if (named == by_name_.end()) return nullptr;
  if (is_qualified) {
    if (const Class* found = find_qualified(plain, from)) return found;
  }
  if (from != nullptr) {
    if (const Class* found = find_visible(simple, *from)) return found;
  }
  return named->second.size() == 1 ? named->second.front() : nullptr;
}

const Class* Classes::find_in(const std::string& full_name) const {
  const auto found = by_full_name_.find(full_name);
  return found == by_full_name_.end() ? nullptr : found->second;
}

const Class* Classes::find_inner(const Class* outer, std::string name) const {
  const auto found = inner_.find({outer, std::move(name)});
  return found == inner_.end() ? nullptr : found->second;
}

// bank.Accounts.Builder, or Accounts.Builder where Accounts is visible.
const Class* Classes::find_qualified(std::string_view qualified, const Class* from) const {
  if (const Class* known = find_in(std::string(qualified))) return known;
  std::size_t dot = qualified.find('.');
  const Class* found = find(qualified.substr(0, dot), from);
  while (found != nullptr && dot != std::string_view::npos) {
    const std::size_t begin = dot + 1;
    dot = qualified.find('.', begin);
    found = find_inner(found, std::string(qualified.substr(begin, dot - begin)));
  }
  return found;
}

const Class* Classes::find_visible(const std::string& simple, const Class& from) const {
  for (const Class* around = &from; around != nullptr; around = around->outer) {
    if (const Class* inner = find_inner(around, simple)) return inner;
    if (around->name == simple) return around;
  }
  if (const auto imported = from.imports.find(simple); imported != from.imports.end()) {
    if (const Class* found = find_in(joined_name(imported->second, simple))) return found;
  }
  return find_in(joined_name(from.package, simple));
}

void Classes::find_implementers() {
  for (const auto& each : classes_) {
    std::set<std::string> names(each->interfaces.begin(), each->interfaces.end());
    if (!each->superclass.empty()) names.insert(each->superclass);
    for (const std::string& name : names) {
      if (const Class* of = find(name, each.get())) implementers_[of].push_back(each.get());
    }
  }
}

const std::vector<const Class*>& Classes::implementers(const Class& of) const {
  static const std::vector<const Class*> kNone;
  const auto found = implementers_.find(&of);
  return found == implementers_.end() ? kNone : found->second;
}

const Class* Classes::find_implementer(const Class& abstract, std::size_t& count) const {
  const std::vector<const Class*>& all = implementers(abstract);
  count = all.size();
  return count == 1 ? all.front() : nullptr;
}

void Classes::find_users() {
  for (const auto& each : classes_) {
    for_each_word(each->node.text(), [&](std::string_view word) {
      std::string name(word);
      if (by_name_.contains(name)) users_[std::move(name)].insert(each.get());
    });
  }
}

const std::unordered_set<const Class*>& Classes::users(const std::string& name) const {
  static const std::unordered_set<const Class*> kNone;
  const auto found = users_.find(name);
  return found == users_.end() ? kNone : found->second;
}

}  // namespace heddle::java
