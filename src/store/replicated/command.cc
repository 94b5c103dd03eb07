#include "store/replicated/command.h"

#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace heddle::replicated {

namespace {

constexpr std::string_view kMoveForm = "MOVE [SESSION name] TO r2";
constexpr std::string_view kDeliverForm =
    "DELIVER name.k TO r2, DELIVER name TO r2, or DELIVER ALL [TO r2]";
constexpr std::string_view kDeliveryForm = "DELIVERY MANUAL or DELIVERY AUTOMATIC";
constexpr std::string_view kPartitionForm = "PARTITION r1, r2 FROM r3";
constexpr std::string_view kHealForm = "HEAL";

std::optional<std::size_t> to_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) return std::nullopt;
  return number;
}

class CommandReader {
 public:
  explicit CommandReader(const std::vector<Token>& tokens) : tokens_(tokens) {}

  Result<std::optional<Command>> read() {
    if (take("move")) return finish(kMoveForm, read_move());
    if (take("deliver")) return finish(kDeliverForm, read_deliver());
    if (take("delivery")) return finish(kDeliveryForm, read_delivery());
    if (take("partition")) return finish(kPartitionForm, read_partition());
    if (take("heal")) return finish(kHealForm, HealCommand());
    return std::optional<Command>();
  }

 private:
  Result<std::optional<Command>> finish(std::string_view form, std::optional<Command> command) {
    if (command && at_ == tokens_.size()) return command;
    std::string what = fmt::format("cannot read \"{}\"", to_text(tokens_));
    if (!bad_replica_.empty()) {
      what += fmt::format(": \"{}\" is no replica, which are called r1 to r{}", bad_replica_,
                          kMostReplicas);
    }
    return Diagnostic{.what = std::move(what), .what_to_do = fmt::format("write {}", form)};
  }

  bool take(std::string_view word) {
    if (at_ >= tokens_.size() || !is_word(tokens_[at_], word)) return false;
    ++at_;
    return true;
  }

  bool take_symbol(std::string_view symbol) {
    if (at_ >= tokens_.size() || !is_symbol(tokens_[at_], symbol)) return false;
    ++at_;
    return true;
  }

  // As written, for sessions may differ in case.
  std::optional<std::string> take_name() {
    if (at_ >= tokens_.size() || !is_name(tokens_[at_])) return std::nullopt;
    const Token& token = tokens_[at_++];
    return token.kind == TokenKind::word ? token.text : token.word;
  }

  std::optional<std::size_t> take_replica() {
    if (at_ >= tokens_.size()) return std::nullopt;
    const Token& token = tokens_[at_++];
    const bool has_form = is_name(token) && (token.word.starts_with('r') || token.word[0] == 'R');
    const auto number = has_form ? to_number(std::string_view(token.word).substr(1)) : std::nullopt;
    if (number && *number <= kMostReplicas) return number;
    bad_replica_ = token.text;
    return std::nullopt;
  }

  std::optional<Command> read_move() {
    MoveCommand command;
    if (take("session")) {
      auto name = take_name();
      if (!name) return std::nullopt;
      command.session = *name;
    }
    if (!take("to")) return std::nullopt;
    auto replica = take_replica();
    if (!replica) return std::nullopt;
    command.replica = *replica;
    return command;
  }

  std::optional<Command> read_deliver() {
    DeliverCommand command;
    // A session may be called "all", too: in quotes.
    command.all = take("all");
    if (!command.all) {
      auto name = take_name();
      if (!name) return std::nullopt;
      command.session = *name;
      if (take_symbol(".")) {
        if (at_ >= tokens_.size()) return std::nullopt;
        auto statement = to_number(tokens_[at_++].text);
        if (!statement) return std::nullopt;
        command.statement = *statement;
      }
    }
    if (command.all && at_ == tokens_.size()) return command;
    if (!take("to")) return std::nullopt;
    auto replica = take_replica();
    if (!replica) return std::nullopt;
    command.replica = *replica;
    return command;
  }

  std::optional<Command> read_delivery() {
    if (take("manual")) return DeliveryCommand{.is_automatic = false};
    if (take("automatic")) return DeliveryCommand{.is_automatic = true};
    return std::nullopt;
  }

  std::optional<Command> read_partition() {
    PartitionCommand command;
    do {
      std::vector<std::size_t>& side = command.sides.emplace_back();
      do {
        auto replica = take_replica();
        if (!replica) return std::nullopt;
        side.push_back(*replica);
      } while (take_symbol(",") || take("and"));
    } while (take("from"));
    if (command.sides.size() < 2) return std::nullopt;
    return command;
  }

  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
  std::string bad_replica_;
};

struct TagOf {
  std::string operator()(const MoveCommand& /*command*/) const { return "MOVE"; }
  std::string operator()(const DeliverCommand& /*command*/) const { return "DELIVER"; }
  std::string operator()(const DeliveryCommand& /*command*/) const { return "DELIVERY"; }
  std::string operator()(const PartitionCommand& /*command*/) const { return "PARTITION"; }
  std::string operator()(const HealCommand& /*command*/) const { return "HEAL"; }
};

}  // namespace

Result<std::optional<Command>> read_command(const std::vector<Token>& statement) {
  return CommandReader(statement).read();
}

std::string tag_of(const Command& command) { return std::visit(TagOf(), command); }

}  // namespace heddle::replicated
