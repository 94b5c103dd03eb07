/// Property-based tests of concurrent objects: random commands in several threads, under chosen
/// interleavings, must answer as they would one after the other in some order.
///
///   struct Counter {
///     std::atomic<int> value = 0;
///     void increment() { value = value + 1; }
///     int get() const { return value; }
///   };
///   heddle::sched::Property<Counter, int> property;  // the object, and its sequential model
///   property
///       .command("increment", [](Counter& counter) { counter.increment(); },
///                [](int& model) { ++model; })
///       .command("get", [](Counter& counter) { return counter.get(); },
///                [](int& model) { return model; });
///   return heddle::sched::test(property);
///
/// A failure is told with as few commands and departures as it needs.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/sched.h"

namespace heddle::sched {

/// Where generators of arguments take their numbers from. The same numbers come again when a
/// failure is replayed.
class Source {
 public:
  explicit Source(std::uint64_t seed) : state_(seed) {}

  /// One of `first` ... `last`. REQUIRES: first <= last.
  std::int64_t between(std::int64_t first, std::int64_t last) {
    const std::uint64_t count = static_cast<std::uint64_t>(last - first) + 1;
    return first + static_cast<std::int64_t>(count == 0 ? next() : next() % count);
  }
  /// As likely as not.
  bool flip() { return (next() & 1) != 0; }

 private:
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
    return z ^ z >> 31;
  }

  std::uint64_t state_;
};

/// Thrown by a command: it may have happened or not, now or later, and has no answer.
struct Unknown {};

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
  std::uint32_t command = 0;
  std::uint32_t seed = 0;     ///< what its argument is generated from
  std::uint32_t simpler = 0;  ///< how often the argument was made simpler
};

/// A property without its types. Models are known by numbers: equal numbers, equal models.
class PropertyTest {
 public:
  virtual ~PropertyTest() = default;
  virtual std::uint32_t commands() const = 0;
  /// "add(3)"
  virtual std::string show(const PropertyCall& call) const = 0;
  virtual bool can_be_simpler(const PropertyCall& call) const = 0;

  /// Whether `is_allowed` may say no.
  virtual bool has_conditions() const = 0;
  virtual std::uint32_t first_model() = 0;
  virtual bool is_allowed(std::uint32_t model, const PropertyCall& call) = 0;
  /// The model after the call, whatever it answers.
  virtual std::uint32_t next_model(std::uint32_t model, const PropertyCall& call) = 0;
  /// As `next_model`, if the model answers what call number `place` of the execution was answered;
  /// else false.
  virtual bool agrees(std::uint32_t model, const PropertyCall& call, std::size_t place,
                      std::uint32_t& after) = 0;

  /// An execution with so many calls begins: outside of it, and in it.
  virtual void prepare(std::size_t calls) = 0;
  virtual void make_object() = 0;
  /// Makes a call, as number `place`. False: how it ended is unknown.
  virtual bool invoke(const PropertyCall& call, std::size_t place) = 0;
  virtual void drop_object() = 0;
  /// "2"; empty: the command answers nothing.
  virtual std::string show_answer(const PropertyCall& call, std::size_t place) const = 0;
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

}  // namespace entry

/// The model of an object that has none: what was done so far is done again to a new object, by one
/// thread.
template <class Object>
class Sequential {
 public:
  /// What the object answers when this is done to it next.
  template <class Response>
  Response then(std::function<Response(Object&)> step) {
    Object object;
    for (const std::function<void(Object&)>& done : done_) done(object);
    Response response = step(object);
    done_.push_back([step = std::move(step)](Object& again) { (void)step(again); });
    return response;
  }

 private:
  std::vector<std::function<void(Object&)>> done_;
};

/// Commands on an object, and what they do to its sequential model. Without a model the object
/// itself, used by one thread, says what is right.
template <class Object, class Model = Sequential<Object>>
class Property final : public entry::PropertyTest {
 public:
  /// How the object and its model begin. Without it: `Object()`, `Model()`.
  Property& starts(std::function<Object*()> object, std::function<Model()> model) {
    make_object_ = std::move(object);
    make_model_ = std::move(model);
    return *this;
  }

  /// A command without an argument. `run` is called by one of several threads; `model` says what it
  /// does and answers. Answers are compared with ==.
  template <class Run, class Says>
  Property& command(std::string name, Run run, Says model) {
    return command(
        std::move(name), [](Source&) { return std::monostate{}; },
        [run](Object& object, std::monostate) { return run(object); },
        [model](Model& state, std::monostate) { return model(state); });
  }

  /// A command without an argument, of a property without a model.
  template <class Run>
  Property& command(std::string name, Run run) {
    using Response = decltype(entry::answer_of(run, std::declval<Object&>()));
    return command(std::move(name), run, [run](Model& state) {
      return state.template then<Response>(
          [run](Object& object) { return entry::answer_of(run, object); });
    });
  }

  /// A command with an argument, which `generate` makes from a Source.
  template <class Generate, class Run, class Says>
  Property& command(std::string name, Generate generate, Run run, Says model) {
    using Argument = std::invoke_result_t<Generate, Source&>;
    using Response =
        decltype(entry::answer_of(run, std::declval<Object&>(), std::declval<const Argument&>()));
    Command made;
    made.name = std::move(name);
    made.generate = [generate](const entry::PropertyCall& call) -> std::any {
      Source source(call.seed);
      Argument argument = generate(source);
      if constexpr (std::is_integral_v<Argument>) {
        for (std::uint32_t i = 0; i < call.simpler; ++i)
          argument = static_cast<Argument>(argument / 2);
      }
      return argument;
    };
    made.can_be_simpler = [generate](const entry::PropertyCall& call) {
      (void)generate;  // Unused for arguments that are no numbers.
      if constexpr (std::is_integral_v<Argument>) {
        Source source(call.seed);
        Argument argument = generate(source);
        for (std::uint32_t i = 0; i < call.simpler; ++i)
          argument = static_cast<Argument>(argument / 2);
        return argument != 0;
      }
      return false;
    };
    made.run = [run](Object& object, const std::any& argument) -> std::any {
      return entry::answer_of(run, object, *std::any_cast<Argument>(&argument));
    };
    made.model = [model](Model& state, const std::any& argument) -> std::any {
      return Response(entry::answer_of(model, state, *std::any_cast<Argument>(&argument)));
    };
    made.equal = [](const std::any& one, const std::any& other) {
      return *std::any_cast<Response>(&one) == *std::any_cast<Response>(&other);
    };
    made.show_argument = [](const std::any& argument) {
      return entry::show_value(*std::any_cast<Argument>(&argument));
    };
    made.show_answer = [](const std::any& answer) {
      return entry::show_value(*std::any_cast<Response>(&answer));
    };
    commands_.push_back(std::move(made));
    return *this;
  }

  /// The command named last is called only when this is so in the model, whatever order the
  /// branches come in.
  Property& when(std::function<bool(const Model&)> allowed) {
    commands_.back().allowed = std::move(allowed);
    return *this;
  }

  // What the runtime asks.
  std::uint32_t commands() const override { return static_cast<std::uint32_t>(commands_.size()); }
  std::string show(const entry::PropertyCall& call) const override {
    const Command& command = commands_[call.command];
    return command.name + "(" + command.show_argument(command.generate(call)) + ")";
  }
  bool can_be_simpler(const entry::PropertyCall& call) const override {
    return commands_[call.command].can_be_simpler(call);
  }
  bool has_conditions() const override {
    for (const Command& command : commands_) {
      if (command.allowed != nullptr) return true;
    }
    return false;
  }
  std::uint32_t first_model() override {
    models_.clear();
    return number_of(make_model_());
  }
  bool is_allowed(std::uint32_t model, const entry::PropertyCall& call) override {
    const Command& command = commands_[call.command];
    return command.allowed == nullptr || command.allowed(models_[model]);
  }
  std::uint32_t next_model(std::uint32_t model, const entry::PropertyCall& call) override {
    Model state = models_[model];
    const Command& command = commands_[call.command];
    command.model(state, command.generate(call));
    return number_of(std::move(state));
  }
  bool agrees(std::uint32_t model, const entry::PropertyCall& call, std::size_t place,
              std::uint32_t& after) override {
    Model state = models_[model];
    const Command& command = commands_[call.command];
    const std::any answer = command.model(state, command.generate(call));
    if (!command.equal(answer, answers_[place])) return false;
    after = number_of(std::move(state));
    return true;
  }
  void prepare(std::size_t calls) override {
    // What an execution has left is in memory that is handed out again: it is dropped, not
    // destroyed.
    if (answers_size_ < calls) {
      answers_ = static_cast<std::any*>(::operator new(calls * sizeof(std::any)));
      answers_size_ = calls;
    }
    for (std::size_t i = 0; i < calls; ++i) new (&answers_[i]) std::any();
    object_ = nullptr;
  }
  void make_object() override { object_ = make_object_(); }
  bool invoke(const entry::PropertyCall& call, std::size_t place) override {
    const Command& command = commands_[call.command];
    try {
      answers_[place] = command.run(*object_, command.generate(call));
    } catch (const Unknown&) {
      return false;
    }
    return true;
  }
  void drop_object() override { delete object_; }
  std::string show_answer(const entry::PropertyCall& call, std::size_t place) const override {
    return answers_[place].has_value() ? commands_[call.command].show_answer(answers_[place]) : "";
  }

 private:
  /// A command without its argument's and answer's types.
  struct Command {
    std::string name;
    std::function<std::any(const entry::PropertyCall&)> generate;
    std::function<bool(const entry::PropertyCall&)> can_be_simpler;
    std::function<std::any(Object&, const std::any&)> run;
    std::function<std::any(Model&, const std::any&)> model;
    std::function<bool(const std::any&, const std::any&)> equal;
    std::function<std::string(const std::any&)> show_argument;
    std::function<std::string(const std::any&)> show_answer;
    std::function<bool(const Model&)> allowed;
  };

  std::uint32_t number_of(Model model) {
    if constexpr (requires { model == model; }) {
      for (std::size_t i = 0; i < models_.size(); ++i) {
        if (models_[i] == model) return static_cast<std::uint32_t>(i);
      }
    }
    models_.push_back(std::move(model));
    return static_cast<std::uint32_t>(models_.size() - 1);
  }

  std::function<Object*()> make_object_ = [] { return new Object(); };
  std::function<Model()> make_model_ = [] { return Model(); };
  std::vector<Command> commands_;
  std::vector<Model> models_;
  std::any* answers_ = nullptr;
  std::size_t answers_size_ = 0;
  Object* object_ = nullptr;
};

/// Generates programs of commands and executes each under many interleavings, until one answers as
/// no order of its calls would, or fails in another way, or the limits are reached.
template <class Object, class Model>
Answer check(Property<Object, Model>& property, const ProgramSize& size = {},
             const Options& options = {}) {
  Answer answer;
  entry::heddle_sched_verify_build(entry::sample<int>);
  entry::heddle_sched_check_property(&property, &size, &options, &answer);
  return answer;
}

/// `check`, and what `main` returns: 0 if it passed, else 1.
template <class Object, class Model>
int test(Property<Object, Model>& property, const ProgramSize& size = {},
         const Options& options = {}) {
  return entry::tell(check(property, size, options));
}

}  // namespace heddle::sched
