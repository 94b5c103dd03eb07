// A token is a row of numbers, seven bits to a byte and the lowest first, in base 64 with the
// alphabet of RFC 4648, section 5, and begins with a letter: a, p if it holds
// a program, too, or r if it holds a round. The numbers are small
// where the schedule is plain: places are told as what differs from the one before. A check sum
// over all stands at the end.
#include <array>

#include "sched/schedule/schedule.h"

namespace heddle::sched::runtime {

namespace {

constexpr std::uint64_t kUsualSeed = 1;
constexpr char kPlain = 'a';
constexpr char kWithProgram = 'p';
constexpr char kWithRound = 'r';
constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void put_number(std::vector<std::uint8_t>& bytes, std::uint64_t number) {
  while (number >= 0x80) {
    bytes.push_back(static_cast<std::uint8_t>(number | 0x80));
    number >>= 7;
  }
  bytes.push_back(static_cast<std::uint8_t>(number));
}

class Numbers {
 public:
  explicit Numbers(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  std::optional<std::uint64_t> next() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
      const std::uint8_t byte = bytes_[at_++];
      number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return number;
    }
    return std::nullopt;
  }
  bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  const std::vector<std::uint8_t>& bytes_;
  std::size_t at_ = 0;
};

std::string print_bytes(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const std::uint8_t byte : bytes) {
    bits = bits << 8 | byte;
    held += 8;
    while (held >= 6) {
      held -= 6;
      text += kAlphabet[bits >> held & 0x3F];
    }
  }
  if (held > 0) text += kAlphabet[bits << (6 - held) & 0x3F];
  return text;
}

std::optional<std::vector<std::uint8_t>> parse_bytes(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char letter : text) {
    const std::size_t value = kAlphabet.find(letter);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> held));
  }
  // A letter that begins no byte is one too many.
  if (held >= 6 || (bits & ((1U << held) - 1)) != 0) return std::nullopt;
  return bytes;
}

// Tells a token that was cut or mistyped.
std::uint8_t check_byte(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t sum = 0x811C9DC5;
  for (const std::uint8_t byte : bytes) sum = (sum ^ byte) * 0x01000193;
  return static_cast<std::uint8_t>(sum ^ sum >> 8 ^ sum >> 16 ^ sum >> 24);
}

// A choice's first number: its task and its kind.
std::uint64_t head_of(const Choice& choice) {
  return static_cast<std::uint64_t>(choice.place.task) << 1 |
         (choice.kind == Choice::Kind::data ? 1 : 0);
}

// A number says how many follow. False: so many do not.
bool take_numbers(Numbers& numbers, std::vector<std::uint64_t>& taken) {
  const std::optional<std::uint64_t> count = numbers.next();
  if (!count || *count == 0) return false;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const std::optional<std::uint64_t> number = numbers.next();
    if (!number) return false;
    taken.push_back(*number);
  }
  return true;
}

bool has_round(const Token& token) {
  return token.program.empty() && token.schedule.round.starving != 0;
}

void put_round(std::vector<std::uint8_t>& bytes, const Round& round) {
  put_number(bytes, round.choices);
  put_number(bytes, round.starving);
  put_number(bytes, round.operations.size());
  for (const std::uint32_t count : round.operations) put_number(bytes, count);
}

bool take_round(Numbers& numbers, Round& round) {
  const std::optional<std::uint64_t> choices = numbers.next();
  const std::optional<std::uint64_t> starving = choices ? numbers.next() : std::nullopt;
  std::vector<std::uint64_t> operations;
  if (!starving || *choices > UINT32_MAX || *starving == 0) return false;
  if (!take_numbers(numbers, operations) || operations.size() > kMostTasks) return false;
  round.choices = static_cast<std::uint32_t>(*choices);
  round.starving = *starving;
  for (const std::uint64_t count : operations) {
    if (count > UINT32_MAX) return false;
    round.operations.push_back(static_cast<std::uint32_t>(count));
  }
  return true;
}

std::optional<Choice> next_choice(Numbers& numbers, std::array<std::uint32_t, kMostTasks>& last) {
  const std::optional<std::uint64_t> head = numbers.next();
  const std::optional<std::uint64_t> advance = head ? numbers.next() : std::nullopt;
  const std::optional<std::uint64_t> value = advance ? numbers.next() : std::nullopt;
  if (!value || *head >= kMostTasks * 2 || *advance > UINT32_MAX || *value > UINT32_MAX) {
    return std::nullopt;
  }
  const auto task = static_cast<TaskId>(*head >> 1);
  const std::uint64_t operation = last[task] + *advance;
  if (operation > UINT32_MAX) return std::nullopt;
  last[task] = static_cast<std::uint32_t>(operation);
  return Choice{.place = {task, last[task]},
                .kind = (*head & 1) != 0 ? Choice::Kind::data : Choice::Kind::task,
                .value = static_cast<std::uint32_t>(*value)};
}

}  // namespace

std::string print_token(const Token& token) {
  std::vector<std::uint8_t> bytes;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<std::uint8_t>(token.events >> shift));
  }
  // One number for both where the seed is the usual one.
  const bool other_seed = token.seed != kUsualSeed;
  put_number(bytes, token.check << 1 | (other_seed ? 1 : 0));
  if (other_seed) put_number(bytes, token.seed);
  if (!token.program.empty()) put_number(bytes, token.program.size());
  for (const std::uint64_t number : token.program) put_number(bytes, number);
  const Round& round = token.schedule.round;
  if (has_round(token)) put_round(bytes, round);
  std::array<std::uint32_t, kMostTasks> last{};
  for (const Choice& choice : token.schedule.choices) {
    put_number(bytes, head_of(choice));
    put_number(bytes, choice.place.operation - last[choice.place.task]);
    put_number(bytes, choice.value);
    last[choice.place.task] = choice.place.operation;
  }
  bytes.push_back(check_byte(bytes));
  const char kind = has_round(token) ? kWithRound : kPlain;
  return (token.program.empty() ? kind : kWithProgram) + print_bytes(bytes);
}

std::optional<Token> parse_token(std::string_view text) {
  const char kind = text.empty() ? '\0' : text.front();
  if (kind != kPlain && kind != kWithProgram && kind != kWithRound) return std::nullopt;
  std::optional<std::vector<std::uint8_t>> bytes = parse_bytes(text.substr(1));
  if (!bytes || bytes->size() < 6) return std::nullopt;
  const std::uint8_t check = bytes->back();
  bytes->pop_back();
  if (check != check_byte(*bytes)) return std::nullopt;

  Token token;
  for (unsigned i = 0; i < 4; ++i) {
    token.events |= static_cast<std::uint32_t>((*bytes)[i]) << (8 * i);
  }
  bytes->erase(bytes->begin(), bytes->begin() + 4);
  Numbers numbers(*bytes);
  const std::optional<std::uint64_t> number = numbers.next();
  if (!number) return std::nullopt;
  token.check = *number >> 1;
  const bool other_seed = (*number & 1) != 0;
  const std::optional<std::uint64_t> seed = other_seed ? numbers.next() : std::optional(kUsualSeed);
  if (!seed || (other_seed && *seed == kUsualSeed)) return std::nullopt;
  token.seed = *seed;
  if (kind == kWithProgram && !take_numbers(numbers, token.program)) return std::nullopt;
  if (kind == kWithRound && !take_round(numbers, token.schedule.round)) return std::nullopt;
  std::array<std::uint32_t, kMostTasks> last{};
  while (!numbers.is_at_end()) {
    const std::optional<Choice> choice = next_choice(numbers, last);
    if (!choice) return std::nullopt;
    token.schedule.choices.push_back(*choice);
  }
  if (token.schedule.round.choices > token.schedule.choices.size()) return std::nullopt;
  return token;
}

}  // namespace heddle::sched::runtime
