// What standard libraries do to memory in code of their own: races with it are found, threads are
// preempted inside of it, and what is locked passes. What stands in place of libstdc++'s functions
// does the same as they do.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Answer;
using heddle::sched::Options;
using heddle::sched::Races;

Answer answer_of(const std::function<void()>& body, Options options) {
  options.quiet = true;
  return heddle::sched::check([&body] { body(); }, options);
}

void passes(const char* what, const std::function<void()>& body) {
  const Answer answer = answer_of(body, {.executions = 1000});
  expect(answer.passed,
         std::string(what) + ": " + answer.failure.kind + ": " + answer.failure.what);
}

void fails(const char* what, const char* kind, const std::function<void()>& body,
           const Options& options = {.executions = 5000}) {
  const Answer answer = answer_of(body, options);
  expect(!answer.passed && answer.failure.kind == kind,
         std::string(what) + ": " + answer.failure.kind + ": " + answer.failure.what);
}

// Two threads on one object: a race as it is, and none when both lock.
template <class Object, class One, class Other>
void needs_a_lock(const char* what, const Object& made, One one, Other other) {
  const auto body = [&](bool locked) {
    auto object = std::make_unique<Object>(made);
    std::mutex mutex;
    const auto guarded = [&](auto& work) {
      std::unique_lock lock(mutex, std::defer_lock);
      if (locked) lock.lock();
      work(*object);
    };
    std::thread thread([&] { guarded(other); });
    guarded(one);
    thread.join();
  };
  fails(what, "data race", [&] { body(false); });
  passes(what, [&] { body(true); });
}

thread_local volatile int sink;

template <class Container>
void look_through(const Container& container) {
  for (const auto& element : container) sink = static_cast<int>(sizeof element);
}

template <class Container>
void look_back(const Container& container) {
  for (auto at = container.rbegin(); at != container.rend(); ++at) sink = 1;
}

// ---------------------------------------------------------------------------- containers

using Numbers = std::set<int>;
using List = std::list<int>;
using Table = std::unordered_map<std::string, int>;

// Iterators alone read the links of nodes, which are changed inside of the library.
void trees() {
  const Numbers three{1, 5, 9};
  needs_a_lock("a set is looked through, another inserts", three, look_through<Numbers>,
               [](Numbers& set) { set.insert(7); });
  needs_a_lock("a set is looked through backwards, another inserts", three, look_back<Numbers>,
               [](Numbers& set) { set.insert(3); });
  needs_a_lock("a set is looked through, another erases", three, look_through<Numbers>,
               [](Numbers& set) { set.erase(set.begin()); });
  needs_a_lock(
      "a map gets two entries", std::map<int, int>{}, [](auto& map) { map[1] = 1; },
      [](auto& map) { map.emplace(2, 2); });
  needs_a_lock(
      "a multimap's node is taken out", std::multimap<int, int>{{1, 1}, {2, 2}, {3, 3}},
      [](auto& map) { (void)map.extract(map.begin()); }, look_through<std::multimap<int, int>>);
}

void lists() {
  const List three{1, 2, 3};
  needs_a_lock("a list is looked through, another appends", three, look_through<List>,
               [](List& list) { list.push_back(4); });
  needs_a_lock("a list is looked through, another erases", three, look_through<List>,
               [](List& list) { list.pop_front(); });
  needs_a_lock("a list is looked through, another reverses", three, look_through<List>,
               [](List& list) { list.reverse(); });
  needs_a_lock("a list is looked through, another moves a node", three, look_through<List>,
               [](List& list) { list.splice(list.begin(), list, std::prev(list.end())); });
  needs_a_lock("a list is looked through, another exchanges it", three, look_through<List>,
               [](List& list) { List{7, 8}.swap(list); });
  needs_a_lock("a list is looked through, another sorts", three, look_back<List>,
               [](List& list) { list.sort(std::greater<>()); });
}

void other_containers() {
  needs_a_lock(
      "a table gets two entries", Table{}, [](Table& table) { table["one"] = 1; },
      [](Table& table) { table.emplace("two", 2); });
  needs_a_lock(
      "a table is asked, another inserts", Table{{"one", 1}},
      [](Table& table) { sink = table.contains("two") ? 1 : 0; },
      [](Table& table) { table["two"] = 2; });
  needs_a_lock(
      "a string's bytes are hashed", std::string("abc"),
      [](std::string& text) { sink = static_cast<int>(std::hash<std::string>()(text)); },
      [](std::string& text) { text[1] = 'x'; });
  needs_a_lock(
      "a string grows, another reads", std::string("abc"),
      [](std::string& text) { text.append(40, 'x'); },
      [](std::string& text) { sink = text.back(); });
  needs_a_lock(
      "a string is compared", std::string("abc"), [](std::string& text) { sink = text < "abd"; },
      [](std::string& text) { text += "de"; });
  needs_a_lock(
      "a wide string is compared", std::wstring(L"abc"),
      [](std::wstring& text) { sink = text == L"abc"; },
      [](std::wstring& text) { text.replace(1, 1, L"xy"); });
  needs_a_lock(
      "a deque's ends", std::deque<int>{1, 2}, [](auto& deque) { deque.push_back(3); },
      [](auto& deque) { deque.pop_back(); });
  needs_a_lock(
      "a vector grows", std::vector<int>{1, 2}, [](auto& vector) { vector.push_back(3); },
      [](auto& vector) { sink = vector.back(); });
  needs_a_lock(
      "a shared pointer is set anew", std::make_shared<int>(1),
      [](auto& pointer) { pointer = std::make_shared<int>(2); },
      [](auto& pointer) { const auto copy = pointer; });
}

// What has a count of its own needs no lock.
void shared_counts() {
  passes("copies of a shared pointer in two threads", [] {
    auto shared = std::make_shared<std::string>("value");
    std::weak_ptr<std::string> weak = shared;
    std::thread one([copy = shared] { sink = static_cast<int>(copy->size()); });
    std::thread other([weak] {
      if (const auto locked = weak.lock()) sink = static_cast<int>(locked->size());
    });
    shared.reset();
    one.join();
    other.join();
  });
  passes("many readers of a map", [] {
    std::map<int, std::string> map{{1, "one"}, {2, "two"}};
    std::list<int> list{1, 2, 3};
    std::unordered_set<std::string> table{"one", "two"};
    std::shared_mutex mutex;
    const auto read = [&] {
      const std::shared_lock lock(mutex);
      look_through(map);
      look_through(list);
      sink = table.contains("one") ? 1 : 0;
    };
    std::thread one(read);
    std::thread other(read);
    {
      const std::unique_lock lock(mutex);
      map[3] = "three";
      list.push_front(0);
      table.insert("three");
    }
    one.join();
    other.join();
  });
}

// ---------------------------------------------------------------- preempted in their middle

template <class Container, class Add>
void loses_nodes(const char* what, Add add) {
  const auto broken = [&] {
    auto container = std::make_unique<Container>();
    std::thread other([&] { add(*container, 1); });
    add(*container, 2);
    other.join();
    std::size_t count = 0;
    for (auto at = container->begin(); at != container->end() && count < 3; ++at) ++count;
    if (count != 2) heddle::sched::fail("an element is lost");
  };
  fails(what, "assertion failed", broken, {.executions = 20'000, .races = Races::find});
  fails(what, "assertion failed", broken, {.executions = 20'000, .races = Races::ignore});
}

void inside_of_containers() {
  loses_nodes<std::set<int>>("a set", [](auto& set, int value) { set.insert(value); });
  loses_nodes<List>("a list", [](auto& list, int value) { list.push_back(value); });
  loses_nodes<std::deque<int>>("a deque", [](auto& deque, int value) { deque.push_back(value); });
}

struct Wide {
  std::array<std::uint64_t, 4> words{};
};

void copies_are_torn() {
  for (const Races races : {Races::find, Races::ignore}) {
    fails("a struct that is copied by memcpy", "assertion failed",
          [] {
            auto shared = std::make_unique<Wide>();
            std::thread other([&] {
              const Wide ones{{1, 1, 1, 1}};
              std::memcpy(static_cast<void*>(shared.get()), &ones, sizeof ones);
            });
            Wide seen;
            std::memcpy(static_cast<void*>(&seen), shared.get(), sizeof seen);
            other.join();
            if (seen.words[0] != seen.words[3]) heddle::sched::fail("half of it is new");
          },
          {.executions = 5000, .races = races});
    fails("a text that is copied by strcpy", "assertion failed",
          [] {
            auto text = std::make_unique<std::array<char, 32>>();
            std::strcpy(text->data(), "aaaaaaaaaaaaaaaaaaaa");
            std::thread other([&] { std::strcpy(text->data(), "bbbbbbbbbbbbbbbbbbbb"); });
            const std::string seen(text->data());
            other.join();
            if (seen.front() != seen.back()) heddle::sched::fail("half of it is new");
          },
          {.executions = 5000, .races = races});
  }
  passes("what was copied before the other thread began", [] {
    auto shared = std::make_unique<Wide>();
    const Wide ones{{1, 1, 1, 1}};
    std::memcpy(static_cast<void*>(shared.get()), &ones, sizeof ones);
    std::thread other([&] { std::memset(static_cast<void*>(shared.get()), 0, sizeof *shared); });
    other.join();
    sink = std::memcmp(shared.get(), &ones, sizeof ones);
  });
}

// ---------------------------------------------------------------------- functions of memory

struct Text {
  alignas(8) char bytes[64] = "abcdefgh";
  alignas(8) char other[64] = "abcdefgh";
  alignas(8) wchar_t wide[16] = L"abcd";
};

using Call = void (*)(Text&);

struct Function {
  const char* name;
  Call call;
  std::size_t touched;    // this byte, or one of the wide characters
  std::size_t untouched;  // and this one not
};

void use(const void* pointer) { sink = pointer == nullptr ? 0 : 1; }

// No compiler knows that the copy is not used.
void give_back(char* copy) {
  char* volatile kept = copy;
  std::free(kept);
}

const Function kFunctions[] = {
    {"memcpy to", [](Text& t) { std::memcpy(t.bytes, t.other, 5); }, 4, 5},
    {"memcpy from", [](Text& t) { std::memcpy(t.other, t.bytes, 5); }, 4, 5},
    {"memmove", [](Text& t) { std::memmove(t.bytes + 1, t.bytes, 12); }, 12, 13},
    {"mempcpy", [](Text& t) { use(mempcpy(t.bytes, t.other, 5)); }, 4, 5},
    {"memset", [](Text& t) { std::memset(t.bytes, 1, 5); }, 4, 5},
    {"bzero", [](Text& t) { bzero(t.bytes, 5); }, 4, 5},
    {"memcmp", [](Text& t) { sink = std::memcmp(t.bytes, t.other, 9); }, 8, 9},
    {"memcmp that differs", [](Text& t) { sink = std::memcmp(t.bytes, "abX", 3); }, 2, 3},
    {"memchr", [](Text& t) { use(std::memchr(t.bytes, 'd', 8)); }, 3, 4},
    {"memrchr", [](Text& t) { use(memrchr(t.bytes, 'd', 8)); }, 3, 2},
    {"strlen", [](Text& t) { sink = static_cast<int>(std::strlen(t.bytes)); }, 8, 9},
    {"strnlen", [](Text& t) { sink = static_cast<int>(strnlen(t.bytes, 3)); }, 2, 3},
    {"strcmp", [](Text& t) { sink = std::strcmp(t.bytes, t.other); }, 8, 9},
    {"strncmp", [](Text& t) { sink = std::strncmp(t.bytes, t.other, 3); }, 2, 3},
    {"strcasecmp", [](Text& t) { sink = strcasecmp(t.bytes, t.other); }, 8, 9},
    {"strchr", [](Text& t) { use(std::strchr(t.bytes, 'd')); }, 3, 4},
    {"strrchr", [](Text& t) { use(std::strrchr(t.bytes, 'd')); }, 8, 9},
    {"strstr", [](Text& t) { use(std::strstr(t.bytes, "cd")); }, 3, 4},
    {"strcpy to", [](Text& t) { std::strcpy(t.bytes, t.other); }, 8, 9},
    {"strcpy from", [](Text& t) { std::strcpy(t.other, t.bytes); }, 8, 9},
    {"stpcpy", [](Text& t) { use(stpcpy(t.bytes, t.other)); }, 8, 9},
    {"strncpy", [](Text& t) { std::strncpy(t.bytes, "ab", 5); }, 4, 5},
    {"strcat", [](Text& t) { std::strcat(t.bytes, "ij"); }, 10, 11},
    {"strncat", [](Text& t) { std::strncat(t.bytes, "ijkl", 1); }, 9, 10},
    {"strdup", [](Text& t) { give_back(strdup(t.bytes)); }, 8, 9},
    {"strndup", [](Text& t) { give_back(strndup(t.bytes, 3)); }, 2, 3},
};

const Function kWideFunctions[] = {
    {"wcslen", [](Text& t) { sink = static_cast<int>(std::wcslen(t.wide)); }, 4, 5},
    {"wmemcpy", [](Text& t) { std::wmemcpy(t.wide, L"xyz", 3); }, 2, 3},
    {"wmemmove", [](Text& t) { std::wmemmove(t.wide + 1, t.wide, 3); }, 3, 4},
    {"wmemset", [](Text& t) { std::wmemset(t.wide, L'x', 3); }, 2, 3},
    {"wmemcmp", [](Text& t) { sink = std::wmemcmp(t.wide, L"abX", 3); }, 2, 3},
    {"wmemchr", [](Text& t) { use(std::wmemchr(t.wide, L'c', 4)); }, 2, 3},
};

// Another thread writes the last character that the function touches, and one that it does not.
template <class Write>
void touches(const Function& function, Write write) {
  for (const bool touched : {true, false}) {
    const auto body = [&] {
      auto text = std::make_unique<Text>();
      std::thread other([&] { write(*text, touched ? function.touched : function.untouched); });
      function.call(*text);
      other.join();
    };
    if (touched) {
      fails(function.name, "data race", body);
    } else {
      passes(function.name, body);
    }
  }
}

void functions_of_memory() {
  const auto write_byte = [](Text& text, std::size_t at) {
    static_cast<volatile char*>(text.bytes)[at] = text.bytes[at];
  };
  const auto write_wide = [](Text& text, std::size_t at) {
    static_cast<volatile wchar_t*>(text.wide)[at] = text.wide[at];
  };
  for (const Function& function : kFunctions) touches(function, write_byte);
  for (const Function& function : kWideFunctions) touches(function, write_wide);
}

// ------------------------------------------------------------------ the same as the libraries'

using Tree = std::_Rb_tree<int, int, std::_Identity<int>, std::less<int>>;

bool change_and_compare(unsigned seed) {
  std::mt19937 random(seed);
  Tree tree;
  std::list<int> list;
  std::vector<int> sorted;
  std::vector<int> in_order;
  for (int i = 0; i < 300; ++i) {
    const int value = static_cast<int>(random() % 100);
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), value);
    if (random() % 3 != 0) {
      tree._M_insert_equal(value);
      sorted.insert(found, value);
      list.push_front(value);
      in_order.insert(in_order.begin(), value);
    } else if (found != sorted.end() && *found == value) {
      tree.erase(tree.find(value));
      sorted.erase(found);
      list.erase(std::find(list.begin(), list.end(), value));
      in_order.erase(std::find(in_order.begin(), in_order.end(), value));
    }
    if (i % 50 == 0) {
      list.reverse();
      std::reverse(in_order.begin(), in_order.end());
      std::list<int> other;
      other.swap(list);
      list.splice(list.end(), other, other.begin(), other.end());
    }
    if (!tree.__rb_verify()) return false;
  }
  return std::equal(tree.begin(), tree.end(), sorted.begin(), sorted.end()) &&
         std::equal(tree.rbegin(), tree.rend(), sorted.rbegin(), sorted.rend()) &&
         std::equal(list.begin(), list.end(), in_order.begin(), in_order.end());
}

void the_same_as_libraries() {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    expect(change_and_compare(seed), "outside of tests, seed " + std::to_string(seed));
    const heddle::sched::Outcome outcome = heddle::sched::run(seed, [seed] {
      if (!change_and_compare(seed)) heddle::sched::fail("it is another");
    });
    expect(outcome.passed, "in a test, seed " + std::to_string(seed) + ": " + outcome.failure.what);
  }
  // As GCC's own library answers.
  std::unordered_set<int> set;
  std::vector<std::size_t> sizes{set.bucket_count()};
  for (int i = 0; i < 3000; ++i) {
    set.insert(i);
    if (set.bucket_count() != sizes.back()) sizes.push_back(set.bucket_count());
  }
  expect(sizes == std::vector<std::size_t>{1, 13, 29, 59, 127, 257, 541, 1109, 2357, 5087},
         "a table grows as GCC's does");
  expect(std::hash<std::string>()("heddle") == std::_Hash_bytes("heddle", 6, 0xc70f6907UL),
         "bytes are hashed");
}

}  // namespace

int main() {
  trees();
  lists();
  other_containers();
  shared_counts();
  inside_of_containers();
  copies_are_torn();
  functions_of_memory();
  the_same_as_libraries();
  return expectations_met();
}
