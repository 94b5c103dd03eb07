// Values of Jepsen's histories as they stand in the file, EDN or JSON: a tree, flat in one vector
// in the order of the text. One Form is filled again and again, so that reading does not allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/history/forms/plain_transaction.h"

namespace heddle {

enum class FormKind : std::uint8_t {
  nil,
  boolean,
  number,        // an integer of 64 bits: `number`
  other_number,  // any other: 1.5, 1/3, 12345678901234567890
  text,          // a string or a character
  word,          // a keyword with its colon, or a symbol
  numbers,       // a vector that is left as it stands: see Form::leaves_numbers
  vector,        // or list
  set,
  map,  // key, value, key, value, ...
};

struct FormNode {
  FormKind kind = FormKind::nil;
  std::uint32_t size = 1;  // nodes: itself and all that is inside
  std::size_t at = 0;      // the byte of the file at which it begins
  std::int64_t number = 0;
  std::string_view text;  // of scalars; lies in the file or in Form::unescaped

  bool is_container() const { return kind >= FormKind::vector; }
  bool is_name() const { return kind == FormKind::text || kind == FormKind::word; }
  // A keyword without its colon; else the text.
  std::string_view name() const {
    return kind == FormKind::word && text.starts_with(':') ? text.substr(1) : text;
  }
};

// What stands directly inside of a container, for range-based for. FormNode or HistoryTerm.
template <class Node>
class Inside {
 public:
  explicit Inside(const Node& container) : container_(&container) {}

  class Iterator {
   public:
    using value_type = Node;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    explicit Iterator(const Node* node) : node_(node) {}
    const Node& operator*() const { return *node_; }
    Iterator& operator++() {
      node_ += node_->size;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const Node* node_ = nullptr;
  };

  Iterator begin() const { return Iterator(container_ + 1); }
  Iterator end() const { return Iterator(container_ + container_->size); }

 private:
  const Node* container_;
};

// One value, or none when `nodes` is empty; nodes[0] is its root.
struct Form {
  // EDN's vectors behind the first elements of others are not cut into elements where they hold
  // nothing but digits, minus signs, blanks and commas: their `text` is what stands between the
  // brackets. For those who read them by other means.
  bool leaves_numbers = false;
  std::vector<FormNode> nodes;
  std::deque<std::string> unescaped;  // strings whose escapes had to be replaced; never move

  bool is_empty() const { return nodes.empty(); }
  // Nothing there, or nil.
  bool is_nil() const { return nodes.empty() || nodes[0].kind == FormKind::nil; }
  void clear() {
    nodes.clear();
    if (!unescaped.empty()) unescaped.clear();
  }
};

// One event of a history: an invocation or a completion. Fields that are not named here are
// skipped by the readers.
struct JepsenOperation {
  std::size_t at = 0;  // the byte at which it begins
  Form process;
  Form type;
  Form function;
  Form key;
  Form value;
  // For those who read transactions in either form: where the value is a plain one it is here, and
  // `value` is empty.
  bool takes_plain = false;
  std::size_t plain_at = 0;
  std::vector<PlainOperation> plain;

  bool is_plain() const { return !plain.empty(); }
  // The byte at which the value begins.
  std::optional<std::size_t> value_at() const {
    if (is_plain()) return plain_at;
    return value.is_empty() ? std::nullopt : std::optional(value.nodes[0].at);
  }
  bool has_value() const { return is_plain() || !value.is_nil(); }

  void clear() {
    for (Form* form : {&process, &type, &function, &key, &value}) form->clear();
    plain.clear();
  }

  // Where the field of that name goes, or null: nobody asks for it.
  Form* field(std::string_view name) {
    if (name == "value") return &value;
    if (name == "type") return &type;
    if (name == "process") return &process;
    if (name == "f") return &function;
    if (name == "key") return &key;
    return nullptr;
  }
};

}  // namespace heddle
