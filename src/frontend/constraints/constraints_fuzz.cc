// Any bytes either are constraints or give one error that says where it is.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "heddle/constraints.h"

namespace heddle {
namespace {

void check_formula(const OrderFormula& formula, std::size_t operations) {
  HEDDLE_ASSERT(formula.position.line > 0);
  for (const std::size_t each : formula.operations) HEDDLE_ASSERT(each < operations);
  for (const OrderFormula& part : formula.parts) check_formula(part, operations);
}

void check_constraints(std::string_view text) {
  const Result<Constraints> read = parse_constraints(text, "fuzz.txt");
  if (!read) {
    HEDDLE_ASSERT(!read.error().what.empty());
    HEDDLE_ASSERT(read.error().position.line > 0 && read.error().position.column > 0);
    return;
  }
  for (const OrderAxiom& axiom : read->axioms) {
    check_formula(axiom.formula, axiom.operations.size());
  }
  for (const StoreTables& store : read->stores) {
    HEDDLE_ASSERT(store.tables.size() == store.positions.size());
  }
}

}  // namespace
}  // namespace heddle

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::check_constraints({reinterpret_cast<const char*>(data), size});
  return 0;
}
