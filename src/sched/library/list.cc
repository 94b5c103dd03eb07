// As tree.cc, for the nodes of std::list (bits/stl_list.h).
#include <list>

#include "sched/library/ranges.h"
#include "sched/runtime/instrumented.h"

namespace heddle::sched::runtime {

namespace {

using ListNode = std::__detail::_List_node_base;

// Reads and writes of one node after the other: accesses where `ranges` is there.
class Links {
 public:
  explicit Links(const void* caller) : watched_(is_watched(caller)), ranges_(caller) {}

  ListNode* next(const ListNode* node) const { return get(node->_M_next); }
  ListNode* previous(const ListNode* node) const { return get(node->_M_prev); }
  void set_next(ListNode* node, ListNode* other) const { set(node->_M_next, other); }
  void set_previous(ListNode* node, ListNode* other) const { set(node->_M_prev, other); }
  // The one comes before the other.
  void join(ListNode* one, ListNode* other) const {
    set_next(one, other);
    set_previous(other, one);
  }
  void exchange_links(ListNode* node) const {
    ListNode* after = next(node);
    set_next(node, previous(node));
    set_previous(node, after);
  }
  // The ring of `one` alone becomes that of `other`, which has no nodes but itself.
  void move_ring(ListNode* one, ListNode* other) const {
    ListNode* first = next(one);
    ListNode* last = previous(one);
    join(other, first);
    join(last, other);
    join(one, one);
  }

 private:
  ListNode* get(ListNode* const& field) const { return watched_ ? ranges_.get(field) : field; }
  void set(ListNode*& field, ListNode* value) const {
    if (watched_) {
      ranges_.set(field, value);
    } else {
      field = value;
    }
  }

  bool watched_;
  Ranges ranges_;
};

void swap_rings(const Links& links, ListNode& one, ListNode& other) {
  const bool one_empty = links.next(&one) == &one;
  const bool other_empty = links.next(&other) == &other;
  if (one_empty && other_empty) return;
  if (one_empty) return links.move_ring(&other, &one);
  if (other_empty) return links.move_ring(&one, &other);
  ListNode* first = links.next(&one);
  ListNode* last = links.previous(&one);
  ListNode* other_first = links.next(&other);
  ListNode* other_last = links.previous(&other);
  links.join(&one, other_first);
  links.join(other_last, &one);
  links.join(&other, first);
  links.join(last, &other);
}

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the standard library's.
namespace std::__detail {
#pragma GCC visibility push(default)

void _List_node_base::_M_hook(_List_node_base* const position) noexcept {
  const runtime::Links links(__builtin_return_address(0));
  links.set_next(this, position);
  _List_node_base* before = links.previous(position);
  links.set_previous(this, before);
  links.set_next(before, this);
  links.set_previous(position, this);
}

void _List_node_base::_M_unhook() noexcept {
  const runtime::Links links(__builtin_return_address(0));
  _List_node_base* after = links.next(this);
  _List_node_base* before = links.previous(this);
  links.join(before, after);
}

void _List_node_base::_M_transfer(_List_node_base* const first,
                                  _List_node_base* const last) noexcept {
  if (this == last) return;
  const runtime::Links links(__builtin_return_address(0));
  _List_node_base* last_moved = links.previous(last);
  _List_node_base* before_first = links.previous(first);
  _List_node_base* before_this = links.previous(this);
  links.set_next(last_moved, this);
  links.set_next(before_first, last);
  links.set_next(before_this, first);
  links.set_previous(this, last_moved);
  links.set_previous(last, before_first);
  links.set_previous(first, before_this);
}

void _List_node_base::_M_reverse() noexcept {
  const runtime::Links links(__builtin_return_address(0));
  _List_node_base* node = this;
  do {
    _List_node_base* after = links.next(node);
    links.exchange_links(node);
    node = after;
  } while (node != this);
}

void _List_node_base::swap(_List_node_base& one, _List_node_base& other) noexcept {
  runtime::swap_rings(runtime::Links(__builtin_return_address(0)), one, other);
}

#pragma GCC visibility pop
}  // namespace std::__detail
// NOLINTEND
