// A token begins with a letter that says what it holds: t, a schedule; p, a program, too; r, a
// round in place of a program. Numbers follow as letters, and two letters that are a check sum over
// all before them. The numbers are small where the schedule is plain: places are told as what
// differs from the one before.
#include <array>

#include "sched/schedule/letters.h"
#include "sched/schedule/schedule.h"

namespace heddle::sched::runtime {

namespace {

constexpr std::uint64_t kUsualSeed = 1;
constexpr char kPlain = 't';
constexpr char kWithProgram = 'p';
constexpr char kWithRound = 'r';
constexpr unsigned kEventsBits = 32;
constexpr unsigned kCheckBits = 12;
constexpr std::size_t kCheckLetters = 2;

// The kinds of numbers in a token, with what they are about in a small test.
struct NumberKinds {
  NumberKind test{0};
  NumberKind seed{1U << 16};
  NumberKind count{2};  // of what follows
  NumberKind program{2};
  NumberKind task{1};
  NumberKind advance{12};  // operations of a task, since its last choice
  NumberKind value{1};
  NumberKind starving{4};
  NumberKind operations{4};  // in a round
};

// Where the next choice of a schedule may well be: who goes on by one is the likeliest to be
// preempted next. Tasks are told as what they are behind that.
class LikelyTask {
 public:
  std::uint64_t distance_to(std::uint64_t task) const { return (task - task_) % kMostTasks; }
  std::uint64_t at(std::uint64_t distance) const { return (task_ + distance) % kMostTasks; }
  void follow(const Choice& choice) {
    const bool goes_on = choice.kind == Choice::Kind::task && choice.value < kMostTasks;
    task_ = goes_on ? choice.value : choice.place.task;
  }

 private:
  std::uint64_t task_ = 0;
};

// A choice among tasks is told as how far behind the one it preempts, if it is of a task at all.
std::uint64_t told_value(const Choice& choice) {
  const bool is_task = choice.kind == Choice::Kind::task && choice.value < kMostTasks;
  return is_task ? (choice.value + kMostTasks - choice.place.task) % kMostTasks : choice.value;
}

void set_value(Choice& choice, std::uint32_t told) {
  const bool is_task = choice.kind == Choice::Kind::task && told < kMostTasks;
  choice.value = is_task ? (told + choice.place.task) % kMostTasks : told;
}

// Tells a token that was cut or mistyped.
std::string check_letters(std::string_view text) {
  std::uint32_t sum = 0x811C9DC5;
  for (const char letter : text) sum = (sum ^ static_cast<std::uint8_t>(letter)) * 0x01000193;
  LetterWriter letters;
  letters.put_bits(sum ^ sum >> 12 ^ sum >> 24, kCheckBits);
  return letters.letters();
}

bool has_round(const Token& token) {
  return token.program.empty() && token.schedule.round.starving != 0;
}

void put_round(LetterWriter& letters, NumberKinds& kinds, const Round& round) {
  letters.put(kinds.count, round.choices);
  letters.put(kinds.starving, round.starving);
  letters.put(kinds.count, round.operations.size());
  for (const std::uint32_t count : round.operations) letters.put(kinds.operations, count);
}

void put_choices(LetterWriter& letters, NumberKinds& kinds, const std::vector<Choice>& choices) {
  std::array<std::uint32_t, kMostTasks> last{};
  LikelyTask likely;
  letters.put(kinds.count, choices.size());
  for (const Choice& choice : choices) {
    letters.put(kinds.task, likely.distance_to(choice.place.task));
    letters.put(kinds.advance, choice.place.operation - last[choice.place.task]);
    letters.put(kinds.value, told_value(choice) << 1 | (choice.kind == Choice::Kind::data ? 1 : 0));
    last[choice.place.task] = choice.place.operation;
    likely.follow(choice);
  }
}

// None: there is no number, or a larger one.
std::optional<std::uint64_t> take_at_most(LetterReader& letters, NumberKind& kind,
                                          std::uint64_t most) {
  const std::optional<std::uint64_t> number = letters.take(kind);
  return number && *number <= most ? number : std::nullopt;
}

bool take_program(LetterReader& letters, NumberKinds& kinds, std::vector<std::uint64_t>& program) {
  const std::optional<std::uint64_t> count = letters.take(kinds.count);
  if (!count || *count == 0) return false;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const std::optional<std::uint64_t> number = letters.take(kinds.program);
    if (!number) return false;
    program.push_back(*number);
  }
  return true;
}

bool take_round(LetterReader& letters, NumberKinds& kinds, Round& round) {
  const auto choices = take_at_most(letters, kinds.count, UINT32_MAX);
  const auto starving = letters.take(kinds.starving);
  const auto tasks = take_at_most(letters, kinds.count, kMostTasks);
  if (!choices || !starving || *starving == 0 || !tasks || *tasks == 0) return false;
  round.choices = static_cast<std::uint32_t>(*choices);
  round.starving = *starving;
  for (std::uint64_t i = 0; i < *tasks; ++i) {
    const auto count = take_at_most(letters, kinds.operations, UINT32_MAX);
    if (!count) return false;
    round.operations.push_back(static_cast<std::uint32_t>(*count));
  }
  return true;
}

bool take_choices(LetterReader& letters, NumberKinds& kinds, std::vector<Choice>& choices) {
  std::array<std::uint32_t, kMostTasks> last{};
  LikelyTask likely;
  const std::optional<std::uint64_t> count = letters.take(kinds.count);
  for (std::uint64_t i = 0; count && i < *count; ++i) {
    const auto distance = take_at_most(letters, kinds.task, kMostTasks - 1);
    if (!distance) return false;
    const auto task = static_cast<TaskId>(likely.at(*distance));
    std::uint32_t& operation = last[task];
    const auto advance = take_at_most(letters, kinds.advance, UINT32_MAX - operation);
    const auto value = take_at_most(letters, kinds.value, std::uint64_t{UINT32_MAX} << 1 | 1);
    if (!advance || !value) return false;
    operation += static_cast<std::uint32_t>(*advance);
    Choice& choice = choices.emplace_back();
    choice.place = {task, operation};
    choice.kind = (*value & 1) != 0 ? Choice::Kind::data : Choice::Kind::task;
    set_value(choice, static_cast<std::uint32_t>(*value >> 1));
    likely.follow(choice);
  }
  return count.has_value();
}

bool take_test(LetterReader& letters, NumberKinds& kinds, Token& token) {
  const std::optional<std::uint64_t> events = letters.take_bits(kEventsBits);
  const std::optional<std::uint64_t> test = letters.take(kinds.test);
  const std::optional<std::uint64_t> other_seed = letters.take_bits(1);
  if (!events || !test || !other_seed) return false;
  token.events = static_cast<std::uint32_t>(*events);
  token.check = *test;
  token.seed = kUsualSeed;
  if (*other_seed == 0) return true;
  const std::optional<std::uint64_t> seed = letters.take(kinds.seed);
  if (!seed || *seed == kUsualSeed) return false;
  token.seed = *seed;
  return true;
}

}  // namespace

std::string print_token(const Token& token) {
  LetterWriter letters;
  NumberKinds kinds;
  letters.put_bits(token.events, kEventsBits);
  letters.put(kinds.test, token.check);
  const bool other_seed = token.seed != kUsualSeed;
  letters.put_bits(other_seed ? 1 : 0, 1);
  if (other_seed) letters.put(kinds.seed, token.seed);
  if (!token.program.empty()) letters.put(kinds.count, token.program.size());
  for (const std::uint64_t number : token.program) letters.put(kinds.program, number);
  if (has_round(token)) put_round(letters, kinds, token.schedule.round);
  put_choices(letters, kinds, token.schedule.choices);
  const char kind = has_round(token) ? kWithRound : kPlain;
  const std::string text = (token.program.empty() ? kind : kWithProgram) + letters.letters();
  return text + check_letters(text);
}

std::optional<Token> parse_token(std::string_view text) {
  const char kind = text.empty() ? '\0' : text.front();
  if (kind != kPlain && kind != kWithProgram && kind != kWithRound) return std::nullopt;
  if (text.size() < 1 + kCheckLetters) return std::nullopt;
  const std::string_view told = text.substr(0, text.size() - kCheckLetters);
  if (check_letters(told) != text.substr(told.size())) return std::nullopt;
  std::optional<LetterReader> letters = LetterReader::of(told.substr(1));
  if (!letters) return std::nullopt;

  Token token;
  NumberKinds kinds;
  Round& round = token.schedule.round;
  if (!take_test(*letters, kinds, token)) return std::nullopt;
  if (kind == kWithProgram && !take_program(*letters, kinds, token.program)) return std::nullopt;
  if (kind == kWithRound && !take_round(*letters, kinds, round)) return std::nullopt;
  if (!take_choices(*letters, kinds, token.schedule.choices)) return std::nullopt;
  if (!letters->is_at_end() || round.choices > token.schedule.choices.size()) return std::nullopt;
  return token;
}

}  // namespace heddle::sched::runtime
