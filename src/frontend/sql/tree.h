// PostgreSQL's parse tree as plain nodes. This is the only place that knows libpg_query, and that
// it hands out its tree as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle::sql {

// A field, a list, an element of a list or a scalar. A node of PostgreSQL's is an unnamed (or
// field) node with one child that bears the type: {"ColumnRef": {"fields": [...], "location": 7}}.
class Node {
 public:
  class Iterator {
   public:
    explicit Iterator(const Node* node) : node_(node) {}
    const Node& operator*() const { return *node_; }
    const Node* operator->() const { return node_; }
    Iterator& operator++() {
      node_ = node_->next;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const Node* node_;
  };

  std::string name;    // of the field or type; empty: an element of a list
  std::string scalar;  // the value of a scalar as text
  const Node* first = nullptr;
  Node* last = nullptr;
  const Node* next = nullptr;

  Iterator begin() const { return Iterator(first); }
  Iterator end() const { return Iterator(nullptr); }

  // Whether the field was there: absent ones read as one empty node, so that paths can be chained.
  bool is_present() const;
  const Node& operator[](std::string_view field) const;
  const std::string& text(std::string_view field) const { return (*this)[field].scalar; }
  bool is_true(std::string_view field) const { return text(field) == "true"; }
  // "ColumnRef" of {"ColumnRef": {...}}; empty when it is no such node.
  std::string_view type() const;
  // {...} of {"ColumnRef": {...}}.
  const Node& content() const;
};

struct RawStatement {
  const Node* node = nullptr;  // {"SelectStmt": {...}}
  std::size_t offset = 0;      // as the parser says: blanks and comments before it are included
  std::size_t size = 0;
};

struct ParseTree {
  std::deque<Node> nodes;  // owns them all; the tree is nowhere torn down by recursion
  std::vector<RawStatement> statements;
};

// What PostgreSQL's parser refused, and where.
struct ParseTrouble {
  std::string message;
  std::size_t offset = 0;  // in bytes
  Trouble trouble = Trouble::bad_input;
};

// Either a tree, or trouble.
struct ParseOutcome {
  ParseTree tree;
  bool is_ok = true;
  ParseTrouble trouble;
};

// Refuses what would need more stack than threads have; see the comment in tree.cc.
ParseOutcome parse_tree(std::string_view sql);

// The size of the well-formed UTF-8 character at `at`, or 0. Surrogates and overlong forms are not.
std::size_t valid_character_size(std::string_view text, std::size_t at);

// Where the first token of an expression may stand: the smallest location in it. Opening
// parentheses before it are not part of the tree. kNoOffset when the tree names none.
std::size_t first_location(const Node& node);

}  // namespace heddle::sql
