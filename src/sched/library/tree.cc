// The nodes of std::map, std::set and their kin are linked inside of libstdc++, in code without
// hooks. These functions do the same, and each read and write of a node is an access of the task
// that called: it races with others', and others may go on in between. Red-black trees: Cormen and
// others, Introduction to Algorithms, chapter 13; names and parameters are libstdc++'s
// (bits/stl_tree.h).
#include <map>
#include <utility>

#include "sched/library/ranges.h"
#include "sched/runtime/instrumented.h"

namespace heddle::sched::runtime {

namespace {

using TreeNode = std::_Rb_tree_node_base;
using Child = TreeNode* TreeNode::*;

constexpr Child kLeft = &TreeNode::_M_left;
constexpr Child kRight = &TreeNode::_M_right;

Child opposite(Child side) { return side == kLeft ? kRight : kLeft; }

// For code that is not instrumented: nothing is an access.
struct Unwatched {
  template <class Field>
  Field get(const Field& field) const {
    return field;
  }
  template <class Field>
  void set(Field& field, Field value) const {
    field = value;
  }
};

template <class Memory>
class Tree {
 public:
  explicit Tree(Memory memory) : memory_(memory) {}

  TreeNode* next(TreeNode* node, Child forwards) const {
    const Child back = opposite(forwards);
    if (TreeNode* below = child(node, forwards)) return furthest(below, back);
    TreeNode* above = parent(node);
    while (node == child(above, forwards)) {
      node = above;
      above = parent(above);
    }
    // A tree with nothing but its root: the header is above and below it.
    return child(node, forwards) != above ? above : node;
  }

  // The header counts as red, its parent is the root, whose parent it is.
  TreeNode* previous(TreeNode* node) const {
    if (is_red(node) && parent(parent(node)) == node) return child(node, kRight);
    if (TreeNode* below = child(node, kLeft)) return furthest(below, kRight);
    TreeNode* above = parent(node);
    while (node == child(above, kLeft)) {
      node = above;
      above = parent(above);
    }
    return above;
  }

  void insert(bool left, TreeNode* node, TreeNode* above, TreeNode& header) const {
    TreeNode*& root = header._M_parent;
    memory_.set(node->_M_parent, above);
    memory_.set(node->_M_left, static_cast<TreeNode*>(nullptr));
    memory_.set(node->_M_right, static_cast<TreeNode*>(nullptr));
    colour(node, std::_S_red);
    if (left) {
      memory_.set(above->_M_left, node);
      if (above == &header) {
        memory_.set(root, node);
        memory_.set(header._M_right, node);
      } else if (above == memory_.get(header._M_left)) {
        memory_.set(header._M_left, node);
      }
    } else {
      memory_.set(above->_M_right, node);
      if (above == memory_.get(header._M_right)) memory_.set(header._M_right, node);
    }
    while (node != memory_.get(root) && is_red(parent(node))) node = repair_red(node, root);
    colour(memory_.get(root), std::_S_black);
  }

  // Returns what is to be freed.
  TreeNode* erase(TreeNode* erased, TreeNode& header) const {
    Gap gap = is_null(child(erased, kLeft)) || is_null(child(erased, kRight))
                  ? unlink_leaf(erased, header)
                  : put_next_in_place(erased, header);
    if (is_red(erased)) return erased;
    TreeNode*& root = header._M_parent;
    while (gap.below != memory_.get(root) && is_black(gap.below)) {
      const Child side = gap.below == child(gap.above, kLeft) ? kLeft : kRight;
      if (repair_black(gap, side, root)) break;
    }
    if (gap.below != nullptr) colour(gap.below, std::_S_black);
    return erased;
  }

 private:
  // Where a node was taken away: who came in its place, or nobody, and who is above.
  struct Gap {
    TreeNode* below = nullptr;
    TreeNode* above = nullptr;
  };

  static bool is_null(const TreeNode* node) { return node == nullptr; }
  TreeNode* child(const TreeNode* node, Child side) const { return memory_.get(node->*side); }
  TreeNode* parent(const TreeNode* node) const { return memory_.get(node->_M_parent); }
  bool is_red(const TreeNode* node) const { return memory_.get(node->_M_color) == std::_S_red; }
  bool is_black(const TreeNode* node) const { return node == nullptr || !is_red(node); }
  void colour(TreeNode* node, std::_Rb_tree_color colour) const {
    memory_.set(node->_M_color, colour);
  }
  TreeNode* furthest(TreeNode* node, Child side) const {
    while (TreeNode* below = child(node, side)) node = below;
    return node;
  }

  // What pointed to `old` from above points to `other`.
  void put_in_place(const TreeNode* old, TreeNode* other, TreeNode*& root) const {
    TreeNode* above = parent(old);
    if (memory_.get(root) == old) {
      memory_.set(root, other);
    } else if (child(above, kLeft) == old) {
      memory_.set(above->_M_left, other);
    } else {
      memory_.set(above->_M_right, other);
    }
  }

  // The node goes down to `side`, and its child of the other side comes up.
  void rotate(TreeNode* node, Child side, TreeNode*& root) const {
    const Child other = opposite(side);
    TreeNode* up = child(node, other);
    TreeNode* moved = child(up, side);
    memory_.set(node->*other, moved);
    if (moved != nullptr) memory_.set(moved->_M_parent, node);
    memory_.set(up->_M_parent, parent(node));
    put_in_place(node, up, root);
    memory_.set(up->*side, node);
    memory_.set(node->_M_parent, up);
  }

  // The node and its parent are red. Returns the node for which the same may be so then.
  TreeNode* repair_red(TreeNode* node, TreeNode*& root) const {
    TreeNode* above = parent(node);
    TreeNode* top = parent(above);
    const Child side = above == child(top, kLeft) ? kLeft : kRight;
    TreeNode* uncle = child(top, opposite(side));
    if (uncle != nullptr && is_red(uncle)) {
      colour(above, std::_S_black);
      colour(uncle, std::_S_black);
      colour(top, std::_S_red);
      return top;
    }
    if (node == child(above, opposite(side))) {
      node = above;
      rotate(node, side, root);
    }
    colour(parent(node), std::_S_black);
    colour(top, std::_S_red);
    rotate(top, opposite(side), root);
    return node;
  }

  // It has one child at most.
  Gap unlink_leaf(TreeNode* erased, TreeNode& header) const {
    TreeNode* left = child(erased, kLeft);
    TreeNode* below = left == nullptr ? child(erased, kRight) : left;
    TreeNode* above = parent(erased);
    if (below != nullptr) memory_.set(below->_M_parent, above);
    put_in_place(erased, below, header._M_parent);
    if (memory_.get(header._M_left) == erased) {
      memory_.set(header._M_left, below == nullptr ? above : furthest(below, kLeft));
    }
    if (memory_.get(header._M_right) == erased) {
      memory_.set(header._M_right, below == nullptr ? above : furthest(below, kRight));
    }
    return {below, above};
  }

  // It has two children: the next node takes its place and its colour, and it gets that one's.
  Gap put_next_in_place(TreeNode* erased, TreeNode& header) const {
    TreeNode* right = child(erased, kRight);
    TreeNode* next = furthest(right, kLeft);
    Gap gap{child(next, kRight), next};
    TreeNode* left = child(erased, kLeft);
    memory_.set(left->_M_parent, next);
    memory_.set(next->_M_left, left);
    if (next != right) {
      gap.above = parent(next);
      if (gap.below != nullptr) memory_.set(gap.below->_M_parent, gap.above);
      memory_.set(gap.above->_M_left, gap.below);
      memory_.set(next->_M_right, right);
      memory_.set(right->_M_parent, next);
    }
    put_in_place(erased, next, header._M_parent);
    memory_.set(next->_M_parent, parent(erased));
    const std::_Rb_tree_color kept = memory_.get(next->_M_color);
    colour(next, memory_.get(erased->_M_color));
    colour(erased, kept);
    return gap;
  }

  // One black node too few on this side. True: there is none any more.
  bool repair_black(Gap& gap, Child side, TreeNode*& root) const {
    const Child other = opposite(side);
    TreeNode* sibling = child(gap.above, other);
    if (is_red(sibling)) {
      colour(sibling, std::_S_black);
      colour(gap.above, std::_S_red);
      rotate(gap.above, side, root);
      sibling = child(gap.above, other);
    }
    if (is_black(child(sibling, side)) && is_black(child(sibling, other))) {
      colour(sibling, std::_S_red);
      gap = {gap.above, parent(gap.above)};
      return false;
    }
    if (is_black(child(sibling, other))) {
      colour(child(sibling, side), std::_S_black);
      colour(sibling, std::_S_red);
      rotate(sibling, other, root);
      sibling = child(gap.above, other);
    }
    colour(sibling, memory_.get(gap.above->_M_color));
    colour(gap.above, std::_S_black);
    if (TreeNode* last = child(sibling, other)) colour(last, std::_S_black);
    rotate(gap.above, side, root);
    return true;
  }

  Memory memory_;
};

template <class Work>
auto with_tree(const void* caller, Work work) {
  return is_watched(caller) ? work(Tree(Ranges(caller))) : work(Tree(Unwatched()));
}

TreeNode* following(const TreeNode* node, const void* caller) {
  return with_tree(
      caller, [&](const auto& tree) { return tree.next(const_cast<TreeNode*>(node), kRight); });
}

TreeNode* preceding(const TreeNode* node, const void* caller) {
  return with_tree(caller,
                   [&](const auto& tree) { return tree.previous(const_cast<TreeNode*>(node)); });
}

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the standard library's.
namespace std {
#pragma GCC visibility push(default)

_Rb_tree_node_base* _Rb_tree_increment(_Rb_tree_node_base* node) throw() {
  return runtime::following(node, __builtin_return_address(0));
}
const _Rb_tree_node_base* _Rb_tree_increment(const _Rb_tree_node_base* node) throw() {
  return runtime::following(node, __builtin_return_address(0));
}
_Rb_tree_node_base* _Rb_tree_decrement(_Rb_tree_node_base* node) throw() {
  return runtime::preceding(node, __builtin_return_address(0));
}
const _Rb_tree_node_base* _Rb_tree_decrement(const _Rb_tree_node_base* node) throw() {
  return runtime::preceding(node, __builtin_return_address(0));
}

void _Rb_tree_insert_and_rebalance(const bool left, _Rb_tree_node_base* node,
                                   _Rb_tree_node_base* above, _Rb_tree_node_base& header) throw() {
  runtime::with_tree(__builtin_return_address(0),
                     [&](const auto& tree) { tree.insert(left, node, above, header); });
}

_Rb_tree_node_base* _Rb_tree_rebalance_for_erase(_Rb_tree_node_base* const node,
                                                 _Rb_tree_node_base& header) throw() {
  return runtime::with_tree(__builtin_return_address(0),
                            [&](const auto& tree) { return tree.erase(node, header); });
}

unsigned _Rb_tree_black_count(const _Rb_tree_node_base* node,
                              const _Rb_tree_node_base* root) throw() {
  unsigned count = 0;
  for (; node != nullptr; node = node->_M_parent) {
    if (node->_M_color == _S_black) ++count;
    if (node == root) break;
  }
  return count;
}

#pragma GCC visibility pop
}  // namespace std
// NOLINTEND
