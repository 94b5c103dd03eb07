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
///
/// A command may take what an earlier call of another was answered: `Earlier<Handle>("open")` in
/// front of its functions.
#pragma once

#include <algorithm>
#include <any>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/sched.h"
#include "heddle/sched_property_entry.h"

namespace heddle::sched {

/// Where generators of arguments take their numbers from. The same numbers come again when a
/// failure is replayed, or simpler ones: nearer to the first that is allowed.
class Source {
 public:
  explicit Source(std::uint64_t seed, const std::vector<std::uint32_t>& simpler = {})
      : state_(seed), simpler_(simpler) {}

  /// One of `first` ... `last`. REQUIRES: first <= last.
  std::int64_t between(std::int64_t first, std::int64_t last) {
    const std::uint64_t count = static_cast<std::uint64_t>(last - first) + 1;
    return first + static_cast<std::int64_t>(made_simpler(count == 0 ? next() : next() % count));
  }
  /// As likely as not; false is the simpler one.
  bool flip() { return made_simpler(next() & 1) != 0; }
  /// For generators that draw themselves.
  std::uint64_t seed() { return next(); }

  /// How what was drawn can be made simpler, each by a number behind those given so far.
  std::vector<std::uint32_t> ways() const {
    std::vector<std::uint32_t> ways;
    for (std::uint32_t i = 0; i < drawn_.size() && i < kMostDraws; ++i) {
      if (drawn_[i] > 0) ways.push_back(i * kWays);
      if (drawn_[i] > 1) ways.push_back(i * kWays + 1);
      if (drawn_[i] > 3) ways.push_back(i * kWays + 2);
    }
    return ways;
  }

 private:
  static constexpr std::uint32_t kWays = 3;  // to the first, half as far, one less
  static constexpr std::uint32_t kMostDraws = 64;

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
    return z ^ z >> 31;
  }
  std::uint64_t made_simpler(std::uint64_t far) {
    for (const std::uint32_t way : simpler_) {
      if (way / kWays != drawn_.size() || far == 0) continue;
      far = way % kWays == 0 ? 0 : way % kWays == 1 ? far / 2 : far - 1;
    }
    drawn_.push_back(far);
    return far;
  }

  std::uint64_t state_;
  std::vector<std::uint32_t> simpler_;
  std::vector<std::uint64_t> drawn_;
};

/// Thrown by a command: it may have happened or not, now or later, and has no answer.
struct Unknown {};

/// What an earlier call of a command was answered, as an argument of another command. `Answer` is
/// exactly what its function returns. In a program it is a call that is over before: of the same
/// branch, or of the prefix; for one of the suffix any. If it ended `Unknown`, the call that takes
/// its answer is left out.
template <class Answer>
struct Earlier {
  const char* command;
  explicit Earlier(const char* of) : command(of) {}
};

namespace entry {
/// Whether that is what a command takes, and no function.
template <class Type>
struct TakenAnswers : std::false_type {};
template <class Answer>
struct TakenAnswers<Earlier<Answer>> : std::true_type {};
template <class... Answers>
struct TakenAnswers<std::tuple<Earlier<Answers>...>> : std::true_type {};

/// As the commands of a property take them.
template <class Answer>
std::tuple<Earlier<Answer>> as_tuple(Earlier<Answer> one) {
  return {one};
}
template <class... Answers>
std::tuple<Earlier<Answers>...> as_tuple(std::tuple<Earlier<Answers>...> all) {
  return all;
}

/// A generator of arguments, which may know itself how to make them simpler.
template <class Generator>
auto argument_of(const Generator& generator, const PropertyCall& call) {
  if constexpr (requires { generator.make(call.seed, call.simpler); }) {
    return generator.make(call.seed, call.simpler);
  } else {
    Source source(call.seed, call.simpler);
    return std::decay_t<std::invoke_result_t<const Generator&, Source&>>(generator(source));
  }
}
template <class Generator>
std::vector<std::uint32_t> simpler_arguments(const Generator& generator, const PropertyCall& call) {
  if constexpr (requires { generator.ways(call.seed, call.simpler); }) {
    return generator.ways(call.seed, call.simpler);
  } else {
    Source source(call.seed, call.simpler);
    (void)generator(source);
    return source.ways();
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
  /// does and answers. Answers are compared with ==. Of a property without a model: a command whose
  /// argument the first function generates.
  template <class One, class Other>
    requires(!entry::TakenAnswers<One>::value)
  Property& command(std::string name, One one, Other other) {
    return command(std::move(name), std::tuple<>(), std::move(one), std::move(other));
  }

  /// A command without an argument, of a property without a model.
  template <class Run>
  Property& command(std::string name, Run run) {
    return command(std::move(name), std::tuple<>(), std::move(run));
  }

  /// A command with an argument, which `generate` makes from a Source.
  template <class Generate, class Run, class Says>
    requires(!entry::TakenAnswers<Generate>::value)
  Property& command(std::string name, Generate generate, Run run, Says model) {
    return command(std::move(name), std::tuple<>(), std::move(generate), std::move(run),
                   std::move(model));
  }

  /// A command that takes what earlier calls were answered, `Earlier<int>("open")` or a tuple of up
  /// to four of these, and then the argument that is generated, if there is one. The functions are
  /// as above.
  template <class Taken, class... Functions>
    requires(entry::TakenAnswers<Taken>::value)
  Property& command(std::string name, Taken taken, Functions... functions) {
    return add_command(std::move(name), entry::as_tuple(taken), std::move(functions)...);
  }

  /// The command named last is called only when this is so in the model, whatever order the
  /// branches come in.
  Property& when(std::function<bool(const Model&)> allowed) {
    commands_.back().allowed = [allowed = std::move(allowed)](const Model& model, const std::any&,
                                                              const Answers&) {
      return allowed(model);
    };
    return *this;
  }
  /// As above, by its arguments, too: `.when<int>([](const Model& model, int handle) { ... })`.
  /// They are those that the command's own functions have, all or the first of them.
  template <class... Arguments>
    requires(sizeof...(Arguments) > 0)
  Property& when(
      std::type_identity_t<std::function<bool(const Model&, const Arguments&...)>> allowed) {
    Command& command = commands_.back();
    const std::vector<const std::type_info*> wanted{&typeid(Arguments)...};
    if (wanted.size() > command.arguments.size() ||
        !std::equal(wanted.begin(), wanted.end(), command.arguments.begin(),
                    [](auto* one, auto* other) { return *one == *other; })) {
      problem_ = "the condition of command " + command.name + " has other arguments than it";
      return *this;
    }
    command.allowed = [allowed = std::move(allowed), taken = command.taken.size()](
                          const Model& model, const std::any& argument, const Answers& answers) {
      return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return allowed(
            model, *std::any_cast<Arguments>(i < taken ? answers[i % kMostTaken] : &argument)...);
      }(std::index_sequence_for<Arguments...>{});
    };
    return *this;
  }

  // What the runtime asks.
  std::uint32_t commands() const override { return static_cast<std::uint32_t>(commands_.size()); }
  std::string name(std::uint32_t command) const override { return commands_[command].name; }
  std::vector<std::uint32_t> takes(std::uint32_t command) const override {
    std::vector<std::uint32_t> numbers;
    for (const Taken& taken : commands_[command].taken) numbers.push_back(number_of(taken.command));
    return numbers;
  }
  std::string problem() const override {
    if (!problem_.empty()) return problem_;
    for (const Command& command : commands_) {
      for (const Taken& taken : command.taken) {
        const std::uint32_t of = number_of(taken.command);
        const std::string what =
            "command " + command.name + " takes the answer of " + taken.command + ", which ";
        if (of == commands()) return what + "is no command";
        if (*commands_[of].answer != *taken.type) return what + "answers another type";
      }
    }
    return "";
  }
  std::string show(const entry::PropertyCall& call,
                   const std::vector<std::string>& earlier) const override {
    const Command& command = commands_[call.command];
    std::string text = command.name + "(";
    for (const std::string& answer : earlier) text += answer + ", ";
    const std::string argument = command.show_argument(command.generate(call));
    if (argument.empty() && !earlier.empty()) text.resize(text.size() - 2);
    return text + argument + ")";
  }
  std::vector<std::uint32_t> simpler(const entry::PropertyCall& call) const override {
    return commands_[call.command].simpler(call);
  }
  bool has_conditions() const override {
    return std::any_of(commands_.begin(), commands_.end(), [](const Command& command) {
      return command.allowed != nullptr || !command.taken.empty();
    });
  }
  std::uint32_t first_model() override {
    states_.clear();
    return number_of(State{make_model_(), {}});
  }
  bool is_allowed(std::uint32_t model, const entry::PropertyCall& call) override {
    const Command& command = commands_[call.command];
    Answers answers{};
    if (!find_answers(states_[model], call, answers)) return false;
    return command.allowed == nullptr ||
           command.allowed(states_[model].model, command.generate(call), answers);
  }
  std::uint32_t next_model(std::uint32_t model, const entry::PropertyCall& call) override {
    State state = states_[model];
    const Command& command = commands_[call.command];
    Answers answers{};
    find_answers(states_[model], call, answers);
    std::any answer = command.model(state.model, command.generate(call), answers);
    if (is_taken(command.name)) {
      const auto place = std::find_if(state.answers.begin(), state.answers.end(),
                                      [&](const auto& one) { return one.id > call.id; });
      state.answers.insert(place, {call.id, call.command, std::move(answer)});
    }
    return number_of(std::move(state));
  }
  bool agrees(std::uint32_t model, std::size_t place, std::uint32_t& after) override {
    State state = states_[model];
    const Command& command = commands_[calls_[place].command];
    const std::any answer = command.model(state.model, arguments_[place], made_answers(place));
    if (!command.equal(answer, answers_[place])) return false;
    after = number_of(std::move(state));
    return true;
  }
  std::uint32_t model_after(std::uint32_t model, std::size_t place) override {
    State state = states_[model];
    const Command& command = commands_[calls_[place].command];
    command.model(state.model, arguments_[place], made_answers(place));
    return number_of(std::move(state));
  }
  void prepare_program(const std::vector<entry::PropertyCall>& calls) override {
    calls_ = calls;
    arguments_.clear();
    for (const entry::PropertyCall& call : calls) {
      arguments_.push_back(commands_[call.command].generate(call));
    }
  }
  void prepare() override {
    // What an execution has left is in memory that is handed out again: it is dropped, not
    // destroyed.
    if (answers_size_ < calls_.size()) {
      answers_ = static_cast<std::any*>(::operator new(calls_.size() * sizeof(std::any)));
      answers_size_ = calls_.size();
    }
    for (std::size_t i = 0; i < calls_.size(); ++i) new (&answers_[i]) std::any();
    object_ = nullptr;
  }
  void make_object() override { object_ = make_object_(); }
  entry::Made invoke(std::size_t place) override {
    const Command& command = commands_[calls_[place].command];
    const Answers earlier = made_answers(place);
    for (std::size_t i = 0; i < command.taken.size(); ++i) {
      if (!earlier[i]->has_value()) return entry::Made::left_out;
    }
    // Generators are no part of the execution, and so the memory of what they have made is not.
    entry::heddle_sched_begin_ignore();
    const std::any argument = arguments_[place];
    entry::heddle_sched_end_ignore();
    try {
      answers_[place] = command.run(*object_, argument, earlier);
    } catch (const Unknown&) {
      return entry::Made::unknown;
    }
    return entry::Made::answered;
  }
  void drop_object() override { delete object_; }
  std::string show_answer(std::size_t place) const override {
    return answers_[place].has_value()
               ? commands_[calls_[place].command].show_answer(answers_[place])
               : "";
  }

 private:
  static constexpr bool kHasModel = !std::is_same_v<Model, Sequential<Object>>;
  static constexpr std::size_t kMostTaken = 4;
  using Answers = std::array<const std::any*, kMostTaken>;

  struct Taken {
    std::string command;
    const std::type_info* type;
  };
  /// A command without its argument's and answer's types.
  struct Command {
    std::string name;
    std::vector<Taken> taken;
    std::vector<const std::type_info*> arguments;
    const std::type_info* answer = nullptr;
    std::function<std::any(const entry::PropertyCall&)> generate;
    std::function<std::vector<std::uint32_t>(const entry::PropertyCall&)> simpler;
    std::function<std::any(Object&, const std::any&, const Answers&)> run;
    std::function<std::any(Model&, const std::any&, const Answers&)> model;
    std::function<bool(const std::any&, const std::any&)> equal;
    std::function<std::string(const std::any&)> show_argument;
    std::function<std::string(const std::any&)> show_answer;
    std::function<bool(const Model&, const std::any&, const Answers&)> allowed;
  };
  /// A model, and what it has answered to calls whose answers others take.
  struct State {
    struct Kept {
      std::uint32_t id;
      std::uint32_t command;
      std::any answer;
    };
    Model model;
    std::vector<Kept> answers;  // by ids
  };

  static std::monostate nothing(Source& /*source*/) { return {}; }

  // The functions, as many as there are: run; run and model, or generate and run; all three.
  template <class Tuple, class Run>
  Property& add_command(std::string name, const Tuple& taken, Run run) {
    return add_without_model(std::move(name), taken, nothing, std::move(run));
  }
  template <class Tuple, class One, class Other>
  Property& add_command(std::string name, const Tuple& taken, One one, Other other) {
    if constexpr (kHasModel) {
      return add(std::move(name), taken, nothing, std::move(one), std::move(other));
    } else {
      return add_without_model(std::move(name), taken, std::move(one), std::move(other));
    }
  }
  template <class Tuple, class Generate, class Run, class Says>
  Property& add_command(std::string name, const Tuple& taken, Generate generate, Run run,
                        Says model) {
    return add(std::move(name), taken, std::move(generate), std::move(run), std::move(model));
  }
  template <class Tuple, class Generate, class Run>
  Property& add_without_model(std::string name, const Tuple& taken, Generate generate, Run run) {
    const auto again = [run](Model& state, const auto&... arguments) {
      using Response = decltype(entry::answer_of(run, std::declval<Object&>(), arguments...));
      return state.template then<Response>([run, ... kept = arguments](Object& object) {
        return entry::answer_of(run, object, kept...);
      });
    };
    return add(std::move(name), taken, std::move(generate), run, again);
  }

  template <class... Answered, class Generate, class Run, class Says>
  Property& add(std::string name, const std::tuple<Earlier<Answered>...>& taken, Generate generate,
                Run run, Says model) {
    static_assert(sizeof...(Answered) <= kMostTaken,
                  "a command takes four earlier answers at most");
    using Generator = typename entry::AsGenerator<Generate>::Type;
    const Generator generator(std::move(generate));
    using Argument =
        std::decay_t<decltype(entry::argument_of(generator, std::declval<entry::PropertyCall>()))>;
    // Calls a function on a model or the object with what the command takes.
    const auto apply = [](const auto& function, auto& on, [[maybe_unused]] const std::any& argument,
                          const Answers& answers) {
      return [&]<std::size_t... i>(std::index_sequence<i...>) {
        if constexpr (std::is_same_v<Argument, std::monostate>) {
          return entry::answer_of(function, on, *std::any_cast<Answered>(answers[i])...);
        } else {
          return entry::answer_of(function, on, *std::any_cast<Answered>(answers[i])...,
                                  *std::any_cast<Argument>(&argument));
        }
      }(std::index_sequence_for<Answered...>{});
    };
    using Response = decltype(apply(run, std::declval<Object&>(), std::declval<const std::any&>(),
                                    std::declval<const Answers&>()));
    Command made;
    made.name = std::move(name);
    std::apply(
        [&](const auto&... each) {
          (made.taken.push_back({each.command, &typeid(Answered)}), ...);
        },
        taken);
    made.arguments = {&typeid(Answered)..., &typeid(Argument)};
    made.answer = &typeid(Response);
    made.generate = [generator](const entry::PropertyCall& call) -> std::any {
      return entry::argument_of(generator, call);
    };
    made.simpler = [generator](const entry::PropertyCall& call) {
      return entry::simpler_arguments(generator, call);
    };
    made.run = [run, apply](Object& object, const std::any& argument,
                            const Answers& answers) -> std::any {
      return apply(run, object, argument, answers);
    };
    made.model = [model, apply](Model& state, const std::any& argument,
                                const Answers& answers) -> std::any {
      return Response(apply(model, state, argument, answers));
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

  // How many there are: none is called so.
  std::uint32_t number_of(const std::string& name) const {
    const auto found = std::find_if(commands_.begin(), commands_.end(),
                                    [&](const Command& command) { return command.name == name; });
    return static_cast<std::uint32_t>(found - commands_.begin());
  }
  bool is_taken(const std::string& name) const {
    for (const Command& command : commands_) {
      for (const Taken& taken : command.taken) {
        if (taken.command == name) return true;
      }
    }
    return false;
  }
  // False: one of them is not there.
  bool find_answers(const State& state, const entry::PropertyCall& call, Answers& answers) const {
    for (std::size_t i = 0; i < call.earlier.size(); ++i) {
      const auto found = std::find_if(state.answers.begin(), state.answers.end(),
                                      [&](const auto& one) { return one.id == call.earlier[i]; });
      if (found == state.answers.end()) return false;
      answers[i] = &found->answer;
    }
    return true;
  }
  Answers made_answers(std::size_t place) const {
    Answers answers{};
    const std::vector<std::uint32_t>& earlier = calls_[place].earlier;
    for (std::size_t i = 0; i < earlier.size(); ++i) answers[i] = &answers_[earlier[i]];
    return answers;
  }
  bool are_equal(const State& one, const State& other) const {
    if (one.answers.size() != other.answers.size()) return false;
    for (std::size_t i = 0; i < one.answers.size(); ++i) {
      const auto& here = one.answers[i];
      const auto& there = other.answers[i];
      if (here.id != there.id || !commands_[here.command].equal(here.answer, there.answer)) {
        return false;
      }
    }
    return true;
  }
  std::uint32_t number_of(State state) {
    if constexpr (requires { state.model == state.model; }) {
      for (std::size_t i = 0; i < states_.size(); ++i) {
        if (states_[i].model == state.model && are_equal(states_[i], state)) {
          return static_cast<std::uint32_t>(i);
        }
      }
    }
    states_.push_back(std::move(state));
    return static_cast<std::uint32_t>(states_.size() - 1);
  }

  std::function<Object*()> make_object_ = [] { return new Object(); };
  std::function<Model()> make_model_ = [] { return Model(); };
  std::string problem_;
  std::vector<Command> commands_;
  std::vector<State> states_;
  std::vector<entry::PropertyCall> calls_;  // that are executed
  std::vector<std::any> arguments_;         // of these
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
