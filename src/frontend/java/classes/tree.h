// The syntax tree of a Java file; the only user of tree-sitter.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tree_sitter/api.h>
#include <vector>

#include "heddle/program.h"

namespace heddle::java {

class SourceFile;

// A node of a file's tree; cheap to copy. A missing child is a node too: all its questions are
// answered with nothing. Lives as long as its file.
class Node {
 public:
  Node() = default;
  Node(TSNode node, const SourceFile* file) : node_(node), file_(file) {}

  bool is_present() const { return file_ != nullptr && !ts_node_is_null(node_); }
  std::string_view kind() const;
  bool is(std::string_view kind) const { return this->kind() == kind; }
  std::string_view text() const;
  Node field(std::string_view name) const;
  std::string_view field_text(std::string_view name) const { return field(name).text(); }
  // The named children; comments are none.
  std::vector<Node> children() const;
  // The first named child of a kind.
  Node child(std::string_view kind) const;
  Node first_child() const;
  // Whether there is a child of that text that has no name: a keyword or symbol.
  bool has_token(std::string_view token) const;
  SourceLocation location() const;
  std::size_t offset() const;
  const SourceFile& file() const { return *file_; }

  friend bool operator==(const Node& a, const Node& b) {
    return a.file_ == b.file_ && (a.file_ == nullptr || ts_node_eq(a.node_, b.node_));
  }

 private:
  TSNode node_ = {};
  const SourceFile* file_ = nullptr;
};

// A file with its tree. Not to be copied or moved: nodes point to it.
class SourceFile {
 public:
  SourceFile(std::string name, std::string text);
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  Node root() const;
  // Where the text is not Java, if it is not.
  std::optional<Diagnostic> find_error() const;

 private:
  struct TreeDeleter {
    void operator()(TSTree* tree) const { ts_tree_delete(tree); }
  };
  std::string name_;
  std::string text_;
  std::unique_ptr<TSTree, TreeDeleter> tree_;
};

// Where a check stands that the code does not write: not where a condition may begin.
Node place_of_call(const Node& invocation);
// What a string, text block or character literal says.
std::string literal_text(const Node& literal);

}  // namespace heddle::java
