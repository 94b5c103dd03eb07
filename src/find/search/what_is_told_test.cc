// What is known of arguments and of unique keys, held against programs that see to it themselves
// and against facts of the rows.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "find/search/find_testing.h"
#include "find/search/random_program_testing.h"
#include "heddle/constraints.h"
#include "heddle/find.h"

namespace heddle::find {
namespace {

constexpr std::array kToldLevels = {
    IsolationLevel::eventual,        IsolationLevel::causal,
    IsolationLevel::read_committed,  IsolationLevel::repeatable_read_axiom,
    IsolationLevel::repeatable_read, IsolationLevel::snapshot,
};

Constraints told(std::string_view text) {
  Result<Constraints> read = parse_constraints(text, "told");
  EXPECT_TRUE(read) << (read ? "" : to_string(read.error()));
  return read ? *std::move(read) : Constraints{};
}

// A requirement of callers, and what a procedure does that sees to it itself.
struct Requirement {
  std::string_view required;
  std::string_view otherwise;  // when it is not true
};

constexpr std::array kRequirements = {
    Requirement{"a <> b", "a = b OR a IS NULL OR b IS NULL"},
    Requirement{"a = b", "a <> b OR a IS NULL OR b IS NULL"},
    Requirement{"a IN (1, 2) AND NOT b > 1", "a NOT IN (1, 2) OR a IS NULL OR b > 1 OR b IS NULL"},
    Requirement{"a < b + 1 OR b IS NULL", "b IS NOT NULL AND (a IS NULL OR a >= b + 1)"},
};

std::string guarded(std::string text, std::string_view otherwise) {
  const std::string_view begin = "BEGIN\n";
  for (std::size_t at = 0; (at = text.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    text.insert(at, fmt::format("  IF {} THEN RETURN; END IF;\n", otherwise));
  }
  return text;
}

// What callers keep is as good as what the procedures see to.
std::size_t compare_with_guards(std::uint64_t seed, const Requirement& given,
                                const Requirement& done, std::size_t& removed) {
  RandomPrograms programs(seed, RandomPrograms::Contention::much);
  const std::string text = programs.next(2);
  const Program program = parse(text);
  std::string requirements;
  for (const Functionality& each : program.functionalities) {
    requirements += fmt::format("requires {} {{ {} }}\n", each.name, given.required);
  }
  FindOptions options;
  options.max_instances = 2;
  options.level = kToldLevels[seed % kToldLevels.size()];
  const Found all = cycles_of(program, options);
  const Found by_guards = cycles_of(parse(guarded(text, done.otherwise)), options);
  options.constraints = told(requirements);
  const Found fast = cycles_of(program, options);
  options.engine = FindEngine::reference;
  const Found reference = cycles_of(program, options);
  EXPECT_EQ(fast.cycles, reference.cycles) << seed << "\n" << text;
  removed += all.cycles.size() - fast.cycles.size();
  return fast.cycles == by_guards.cycles ? 0 : 1;
}

TEST(WhatIsTold, requirements_leave_out_what_guards_do) {
  std::size_t removed = 0;
  for (std::uint64_t seed = 0; seed < test_rounds(24); ++seed) {
    const Requirement& one = kRequirements[seed % kRequirements.size()];
    EXPECT_EQ(compare_with_guards(seed, one, one, removed), 0U)
        << one.required << ", seed " << seed;
  }
  EXPECT_GT(removed, 0U);
}

TEST(WhatIsTold, another_requirement_is_noticed) {
  std::size_t differ = 0;
  std::size_t removed = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    differ += compare_with_guards(seed, kRequirements[0], kRequirements[1], removed);
  }
  EXPECT_GT(differ, 0U);
}

// What is found where a user says that no two rows have a value in common, which is asked of whole
// runs, is found where the table does; and nothing is that is not found without both.
TEST(WhatIsTold, unique_keys_leave_out_no_more_than_facts_of_the_rows_do) {
  std::size_t cycles = 0;
  std::size_t removed = 0;
  for (std::uint64_t seed = 0; seed < test_rounds(24); ++seed) {
    RandomPrograms programs(seed, RandomPrograms::Contention::much, RandomPrograms::Borders::none,
                            RandomPrograms::Keys::named);
    const std::string text = programs.next(2);
    std::string plain = text;
    for (std::size_t at = 0; (at = plain.find(RandomPrograms::kUnique, at)) != std::string::npos;) {
      plain.erase(at, std::string_view(RandomPrograms::kUnique).size());
    }
    FindOptions options;
    options.max_instances = 2;
    options.level = kToldLevels[seed % kToldLevels.size()];
    options.max_prefix = 0;
    const Found with_key = cycles_of(parse(text), options);
    const Found without_key = cycles_of(parse(plain), options);
    std::string facts;
    for (const Table& table : parse(text).schema.tables) {
      facts += fmt::format(
          "initially {0} {{ SELECT one.id = other.id FROM {0} one JOIN {0} other ON one.x = "
          "other.x }}\n",
          table.name);
    }
    options.constraints = told(facts);
    const Found with_facts = cycles_of(parse(plain), options);
    for (const std::string& cycle : with_facts.cycles) {
      EXPECT_TRUE(with_key.cycles.contains(cycle)) << cycle << ", seed " << seed << "\n" << text;
    }
    for (const std::string& cycle : with_key.cycles) {
      EXPECT_TRUE(without_key.cycles.contains(cycle)) << cycle << ", seed " << seed << "\n" << text;
    }
    cycles += with_key.cycles.size();
    removed += without_key.cycles.size() - with_key.cycles.size();
  }
  fmt::print("{} cycles, {} removed by unique keys\n", cycles, removed);
  EXPECT_GT(cycles, 0U);
  EXPECT_GT(removed, 0U);
}

}  // namespace
}  // namespace heddle::find
