/// What the runtime asks of a property, whatever its types are: heddle/sched_property.h answers.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/sched.h"

namespace heddle::sched {

/// How many commands a program has, at most. A program is a prefix, branches that run at once, and
/// a suffix.
struct ProgramSize {
  std::uint32_t prefix = 2;
  std::uint32_t branches = 2;
  std::uint32_t branch = 3;
  std::uint32_t suffix = 1;
  /// Not 0: in place of random programs all of at most so many commands, in at most `branches`
  /// branches, the smallest first, each under all interleavings with at most
  /// `Options::preemptions` preemptions. A fault counts as one.
  std::uint32_t all = 0;
};

namespace entry {

/// One call of a command, as a program and a token hold it.
struct PropertyCall {
  std::uint32_t id = 0;  ///< no other call of the program has it; its place, when it is executed
  std::uint32_t command = 0;
  std::uint32_t seed = 0;  ///< what its argument is generated from
  std::vector<std::uint32_t> simpler =
      {};  ///< how the argument was made simpler, one after the other
  std::vector<std::uint32_t> earlier = {};  ///< ids of the calls whose answers it takes
};

/// How a call ended.
enum class Made : std::uint8_t {
  answered,
  unknown,   ///< it may have happened or not
  left_out,  ///< it was not made: it takes an answer that is not there
};

/// A property without its types. Models are known by numbers: equal numbers, equal models.
class PropertyTest {
 public:
  virtual ~PropertyTest() = default;
  virtual std::uint32_t commands() const = 0;
  virtual std::string name(std::uint32_t command) const = 0;
  /// Of which commands it takes answers.
  virtual std::vector<std::uint32_t> takes(std::uint32_t command) const = 0;
  /// What is wrong with the property as it was told; empty: nothing.
  virtual std::string problem() const = 0;
  /// "add(3)", "close(a)" where `earlier` is what the answers are called that it takes.
  virtual std::string show(const PropertyCall& call,
                           const std::vector<std::string>& earlier) const = 0;
  /// By which numbers `simpler` can go on.
  virtual std::vector<std::uint32_t> simpler(const PropertyCall& call) const = 0;

  /// Whether `is_allowed` may say no.
  virtual bool has_conditions() const = 0;
  virtual std::uint32_t first_model() = 0;
  /// Before anything is executed: answers that are taken are those of the model.
  virtual bool is_allowed(std::uint32_t model, const PropertyCall& call) = 0;
  /// The model after the call, whatever it answers.
  virtual std::uint32_t next_model(std::uint32_t model, const PropertyCall& call) = 0;
  /// Of an execution: as `next_model`, if the model answers what call number `place` was answered;
  /// else false.
  virtual bool agrees(std::uint32_t model, std::size_t place, std::uint32_t& after) = 0;
  /// Of an execution: the model after call number `place`, whatever it was answered.
  virtual std::uint32_t model_after(std::uint32_t model, std::size_t place) = 0;

  /// These calls will be executed, each at its place, again and again.
  virtual void prepare_program(const std::vector<PropertyCall>& calls) = 0;
  /// An execution begins: outside of it, and in it.
  virtual void prepare() = 0;
  virtual void make_object() = 0;
  virtual Made invoke(std::size_t place) = 0;
  virtual void drop_object() = 0;
  /// "2"; empty: the command answers nothing, or has not.
  virtual std::string show_answer(std::size_t place) const = 0;
};

extern "C" void heddle_sched_check_property(PropertyTest* property, const ProgramSize* size,
                                            const Options* options, Answer* answer);

/// What a value looks like in a report.
template <class Value>
std::string show_value(const Value& value) {
  if constexpr (std::is_same_v<Value, std::monostate>) {
    return "";
  } else if constexpr (std::is_same_v<Value, bool>) {
    return value ? "true" : "false";
  } else if constexpr (requires(std::ostream& stream) { stream << value; }) {
    std::ostringstream stream;
    stream << value;
    return stream.str();
  } else if constexpr (requires {
                         value.has_value();
                         *value;
                       }) {
    return value.has_value() ? show_value(*value) : "nothing";
  } else {
    return "?";
  }
}

/// What a function answers: nothing is a value, too.
template <class Function, class... Arguments>
auto answer_of(const Function& function, Arguments&&... arguments) {
  using Returned = std::invoke_result_t<const Function&, Arguments...>;
  if constexpr (std::is_void_v<Returned>) {
    std::invoke(function, std::forward<Arguments>(arguments)...);
    return std::monostate{};
  } else {
    return std::decay_t<Returned>(std::invoke(function, std::forward<Arguments>(arguments)...));
  }
}

/// What a generator of another library is used as; heddle/sched_rapidcheck.h has RapidCheck's.
template <class Generator>
struct AsGenerator {
  using Type = Generator;
};

}  // namespace entry
}  // namespace heddle::sched
