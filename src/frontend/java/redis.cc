// What clients of Redis do: each command is a statement on the table of keys, which is committed at
// once, whatever transaction of the database is open around it (program/redis_commands.h). What is
// sent between MULTI and EXEC happens at EXEC.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "frontend/java/functionality_reader.h"
#include "frontend/java/sql_text.h"
#include "program/redis_commands.h"
#include "program/text.h"

namespace heddle::java {

struct RedisCall {
  const RedisMethod* method = nullptr;
  std::vector<Value> arguments;
  std::string value_type = {};  // Java's, of what a key holds; empty: String
  bool is_lettuce = false;
};

namespace {

constexpr const char* kGroupType = "$RedisTransaction";
constexpr const char* kPipelineType = "$RedisPipeline";
constexpr const char* kResponseType = "$RedisResponse";  // the answer comes later
constexpr const char* kGroup = "$redis_group";           // whether one is open
constexpr const char* kApart = "$redis_apart";      // whether something else was done meanwhile
constexpr const char* kPiped = "$redis_piped";      // whether a pipeline has some that wait
constexpr const char* kWatched = "$redis_watched";  // whether a key is watched
// Of a time to live that is not known. It is not over within a run anyway.
constexpr const char* kSomeSeconds = "60";

// A whole number as Redis and Java write it, which is that number for whoever reads it.
bool is_whole_number(const std::string& text) {
  const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
  constexpr std::size_t kMost = 15;
  return !digits.empty() && digits.size() <= kMost && (digits[0] != '0' || text == "0") &&
         std::ranges::all_of(digits, is_digit);
}

bool has_call(std::string_view code, std::string_view name) {
  return code.find(std::string(".") + std::string(name) + "(") != std::string_view::npos;
}

// The options of SET, where they are written out in the call.
struct SetOptions {
  bool is_known = false;
  bool if_absent = false;
  bool if_present = false;
  bool expires = false;
};

SetOptions read_options(std::string_view code) {
  SetOptions options;
  const bool is_chain = code.find("SetParams") != code.npos || code.find("SetArgs") != code.npos;
  options.if_absent = has_call(code, "nx");
  options.if_present = has_call(code, "xx");
  for (const std::string_view name : {"ex", "px", "exAt", "pxAt", "exAtTimestamp"}) {
    options.expires = options.expires || has_call(code, name);
  }
  options.is_known = is_chain && !has_call(code, "get") && !has_call(code, "keepTtl") &&
                     !has_call(code, "keepttl");
  return options;
}

bool is_open_slot(const State& state, const std::string& slot) {
  const Value* known = state.locals.find(slot);
  return known != nullptr && !is_false(settled(state, known->expression));
}

// RedisTemplate<String, Integer>: Integer.
std::string value_type_of(std::string_view type) {
  const std::size_t open = type.find('<');
  const std::size_t comma = type.find(',', open == type.npos ? 0 : open);
  if (open == type.npos || comma == type.npos || !type.ends_with('>')) return "";
  return std::string(trim(type.substr(comma + 1, type.size() - comma - 2)));
}

const program::RedisShape& shape_of(std::string_view name) {
  return *program::find_redis_shape(name);
}

// What a variable for it is called: account_key for "account:" + id.
std::string hint_of(const Text& text, bool is_key) {
  std::string hint;
  for (const char c : text.empty() ? std::string() : text.front().words) {
    if (!is_letter(c) && !(is_digit(c) && !hint.empty())) break;
    hint += c;
  }
  return (hint.empty() ? "redis" : to_lower(hint)) + (is_key ? "_key" : "_value");
}

std::string arguments_of_type(std::string_view type) {
  const std::size_t open = type.find('<');
  return open == type.npos ? "" : std::string(type.substr(open));
}

}  // namespace

// Something else is done while commands are queued. When those of a pipeline are sent is not known.
void FunctionalityReader::note_apart_from_redis(const Node& node, Block& out) {
  if (is_open_slot(state_, kGroup)) state_.locals.set(kApart, scalar(literal("true"), "boolean"));
  if (!is_open_slot(state_, kPiped)) return;
  state_.locals.set(kPiped, scalar(literal("false"), "boolean"));
  note(node, "commands of a pipeline of Redis may be sent before or after this",
       "it is taken to read and write anything");
  add(out, node, RunStatement{.statement = opaque_statement("a pipeline", node), .into = {}});
}

// A value as a word of a command. A number is one, and not its digits, so that whoever reads it
// back has that number.
std::string FunctionalityReader::redis_word(const Value& value, std::vector<Expression>& arguments,
                                            const Node& node, Block& out) {
  Value given = settled(state_, value);
  if (given.kind == ValueKind::object) {
    // What a serializer makes of an object: something of all its properties.
    std::vector<std::string> types;
    Text text;
    for (Expression& part : returned_values(given, types)) {
      Expression written = call("coalesce", {cast(std::move(part), "text"), literal("'null'")});
      if (!text.empty()) append(text, words(","));
      append(
          text,
          {Piece{.words = "", .value = std::move(written), .is_string = true, .choice = nullptr}});
    }
    given = string_value(std::move(text));
  }
  if (given.kind == ValueKind::text) {
    if (const auto known = known_words(given.text)) {
      return is_whole_number(*known) ? *known : program::string_text(*known);
    }
    const bool is_number =
        given.text.size() == 1 && given.text[0].value && !given.text[0].is_string;
    if (is_number) given = scalar(*given.text[0].value, "");
  }
  const bool is_text = given.kind == ValueKind::text;
  Expression word = is_single_choice(given) ? to_expression(given) : unknown("a value for Redis");
  const bool is_plain = word.kind == ExpressionKind::literal || word.kind == ExpressionKind::field;
  word = is_text && !is_plain
             ? kept(word, hint_of(given.text, arguments.empty()), "text", node, out)
             : argument(word, given.type, node, out);
  if (word.kind == ExpressionKind::literal) return word.text;
  arguments.push_back(word);
  return "$" + std::to_string(arguments.size());
}

void FunctionalityReader::add_redis(const std::string& sql, std::vector<Expression> arguments,
                                    std::vector<Expression> into, const Node& node, Block& out) {
  auto statements = parse_once(sql);
  if (!statements || statements->size() != 1) {
    note(node, "this command of Redis is not understood", "it is taken to read and write anything");
    add(out, node, RunStatement{.statement = opaque_statement("Redis", node), .into = {}});
    return;
  }
  ProgramStatement statement;
  statement.source = node.location();
  statement.statement = std::move(statements->front());
  statement.arguments = std::move(arguments);
  program::take_for_redis(statement);
  for (const std::string& what : statement.approximated) {
    note(node, what + " is not followed", "it is taken for any use of its keys");
  }
  reached_store_ = true;
  add(out, node, RunStatement{.statement = std::move(statement), .into = std::move(into)});
}

// `given`: the variable that has the value, if there is one.
Value FunctionalityReader::redis_answer(const RedisCall& call, const std::string& given,
                                        const Node& node, Block& out) {
  const Expression variable{.kind = ExpressionKind::variable, .text = given, .operands = {}};
  const Expression found{.kind = ExpressionKind::variable, .text = "found", .operands = {}};
  const auto text = [](Expression value) {
    return string_value(
        {Piece{.words = "", .value = std::move(value), .is_string = true, .choice = nullptr}});
  };
  RedisGives gives = call.method->gives;
  const bool is_of_one = call.method->form == RedisForm::shape;
  if (call.is_lettuce && is_of_one && gives == RedisGives::count) gives = RedisGives::whether;
  if (call.is_lettuce && gives == RedisGives::found) {
    const Expression is_there = kept(found, "is_done", "boolean", node, out);
    return scalar(choice(is_there, number(1), number(0)), "long");
  }
  switch (gives) {
    case RedisGives::text:
      return text(variable);
    case RedisGives::number:
      return scalar(variable, "Long");
    case RedisGives::count: {
      const Expression count{.kind = ExpressionKind::variable,
                             .text = new_variable("count", "integer"),
                             .operands = {}};
      add(out, node, CountRows{.target = count});
      return scalar(count, "long");
    }
    case RedisGives::whether:
    case RedisGives::found:
      return scalar(kept(found, "is_done", "boolean", node, out), "boolean");
    case RedisGives::ok:
      return text(
          choice(kept(found, "is_done", "boolean", node, out), literal("'OK'"), literal("null")));
    case RedisGives::some:
    case RedisGives::nothing:
      break;
  }
  return {};
}

// SET with what makes it another command.
Value FunctionalityReader::set_in_redis(const RedisCall& call, const Node& node, Block& out) {
  const std::vector<Node> nodes = node.field("arguments").children();
  std::string shape(call.method->command);
  bool expires = false;
  const bool is_template = call.method->part == RedisPart::values;
  if (is_template) {
    expires = call.arguments.size() > 2;
  } else if (call.arguments.size() > 2) {
    const SetOptions options =
        nodes.size() > 2 ? read_options(nodes[2].text()) : SetOptions{.is_known = false};
    if (!options.is_known) {
      note(node, "the options of this SET are not known", "it is taken for any use of its keys");
      add_redis(program::redis_sql_of_anything("SET"), {}, {}, node, out);
      return {};
    }
    expires = options.expires;
    shape = options.if_absent ? "setnx" : options.if_present ? "setxx" : "set";
  }
  if (expires) shape += "ex";
  std::vector<Expression> arguments;
  std::vector<std::string> given = {redis_word(call.arguments[0], arguments, node, out)};
  if (expires) given.emplace_back(kSomeSeconds);
  given.push_back(redis_word(call.arguments[1], arguments, node, out));
  add_redis(program::redis_sql(shape_of(shape), given), std::move(arguments), {}, node, out);
  return redis_answer(call, "", node, out);
}

// Commands that are executed as one, unless they are in a group already.
void FunctionalityReader::run_redis_group(const Node& node, Block& out, const Way& commands) {
  const bool is_alone = !is_open_slot(state_, kGroup);
  const auto edge = [&](std::string_view name) {
    if (is_alone) add_redis(program::redis_sql(shape_of(name), {}), {}, {}, node, out);
  };
  edge("multi");
  commands(out);
  edge("exec");
}

Value FunctionalityReader::run_redis(const RedisCall& call, const Node& node, Block& out) {
  const RedisMethod& method = *call.method;
  const bool is_number = method.gives == RedisGives::number;
  const bool has_value =
      is_number || method.gives == RedisGives::text || method.gives == RedisGives::some;
  const std::string column = is_number ? "bigint" : column_type(call.value_type);
  std::string variable;
  std::vector<Expression> into;
  if (has_value) {
    variable = new_variable(is_number ? "number" : "cached", column.empty() ? "text" : column);
    into.push_back({.kind = ExpressionKind::variable, .text = variable, .operands = {}});
  }
  // Of the arguments from there to there.
  const auto run = [&](std::string_view shape, std::size_t first, std::size_t end,
                       const std::vector<Expression>& targets) {
    std::vector<Expression> arguments;
    std::vector<std::string> given;
    for (std::size_t i = first; i < end; ++i) {
      given.push_back(redis_word(call.arguments[i], arguments, node, out));
    }
    const std::string sql =
        method.form == RedisForm::reads || method.form == RedisForm::writes
            ? program::redis_sql_of_other(std::string(method.command),
                                          method.form == RedisForm::writes, given)
            : program::redis_sql(shape_of(shape), given);
    add_redis(sql, std::move(arguments), targets, node, out);
  };
  const std::size_t count = call.arguments.size();
  const std::size_t step = method.form == RedisForm::pairs ? 2 : 1;
  const Way each = [&](Block&) {
    for (std::size_t i = 0; i + step <= count; i += step) run(method.command, i, i + step, {});
  };
  const bool sets = method.form == RedisForm::then_set;
  if (sets || method.form == RedisForm::then_del) {
    run_redis_group(node, out, [&](Block&) {
      run("get", 0, 1, into);
      run(sets ? "set" : "del", 0, sets ? 2 : 1, {});
    });
  } else if (method.form != RedisForm::each && method.form != RedisForm::pairs) {
    run(method.command, 0, count, into);
  } else if (count > step) {
    run_redis_group(node, out, each);
  } else {
    each(out);
  }
  if (method.gives == RedisGives::text && !column.empty() && column != "text") {
    return scalar(into.front(), call.value_type);
  }
  return redis_answer(call, variable, node, out);
}

// EXEC and SYNC: what was sent takes effect. Where something else was done meanwhile, the one is
// not before the other in the order of the text.
void FunctionalityReader::end_redis_group(bool is_discarded, const Node& node, Block& out) {
  const bool is_watched = is_open_slot(state_, kWatched);
  const bool is_doubtful = is_discarded || is_watched || is_open_slot(state_, kApart);
  add_redis(program::redis_sql(shape_of("exec"), {}), {}, {}, node, out);
  if (is_doubtful) {
    note(node,
         is_discarded ? "DISCARD is not followed"
         : is_watched ? "EXEC with watched keys is not followed"
                      : "commands of Redis are queued here while something else is done",
         "it is taken to read and write anything");
    add(out, node, RunStatement{.statement = opaque_statement("EXEC", node), .into = {}});
  }
  for (const char* slot : {kGroup, kApart, kWatched}) {
    state_.locals.set(slot, scalar(literal("false"), "boolean"));
  }
}

// What begins and ends groups of commands; none: the method does not.
std::optional<Value> FunctionalityReader::call_on_redis_group(std::string_view type,
                                                              const std::string& name,
                                                              const Node& node, Block& out) {
  const auto set_slot = [&](const char* slot, bool is_open) {
    state_.locals.set(slot, scalar(literal(is_open ? "true" : "false"), "boolean"));
  };
  if (name == "watch" || name == "unwatch") {
    set_slot(kWatched, name == "watch");
    return Value();
  }
  if (name == "multi" || name == "pipelined") {
    if (name == "multi") {
      add_redis(program::redis_sql(shape_of("multi"), {}), {}, {}, node, out);
      set_slot(kGroup, true);
    }
    Object group;
    group.type = name == "multi" ? kGroupType : kPipelineType;
    const std::string of = group.type;
    return object_value(state_.heap.add(std::move(group)), of);
  }
  const bool is_transaction = type == kGroupType;
  if (name == "exec" || name == "discard") {
    end_redis_group(name == "discard", node, out);
    return Value();
  }
  const bool is_pipeline = type == kPipelineType;
  const bool is_sent = is_pipeline && (name == "sync" || name == "syncAndReturnAll");
  if (is_pipeline) set_slot(kPiped, !is_sent);
  if (is_sent) return Value();
  if (!is_transaction && !is_pipeline) note_apart_from_redis(node, out);
  return std::nullopt;
}

// A method of a command.
Value FunctionalityReader::call_redis_method(RedisPart part, std::string_view type,
                                             const std::string& name, const Arguments& arguments,
                                             const Node& node, Block& out) {
  const RedisMethod* method = find_redis_method(part, name);
  const bool is_set = method != nullptr && method->form == RedisForm::set;
  const bool has_two = is_set || (method != nullptr && (method->form == RedisForm::pairs ||
                                                        method->form == RedisForm::then_set));
  const bool has_list = std::ranges::any_of(arguments, [&](const Value& value) {
    return value.kind == ValueKind::object && state_.heap.at(value.object).kind == ObjectKind::list;
  });
  if (method == nullptr || has_list || arguments.size() < (has_two ? 2 : 1)) {
    add_redis(program::redis_sql_of_anything(program::keyword_text(name)), {}, {}, node, out);
    return {};
  }
  RedisCall call{.method = method,
                 .arguments = arguments,
                 .value_type = part == RedisPart::values ? value_type_of(type) : "",
                 .is_lettuce = simple_type(type) == "RedisCommands"};
  if (is_set) return set_in_redis(call, node, out);
  if (method->form == RedisForm::shape) {
    const std::size_t taken = shape_of(method->command).arguments;
    if (taken > call.arguments.size()) call.arguments.push_back(scalar(number(1), "int"));
    if (call.arguments.size() > taken) call.arguments.resize(taken);
  }
  return run_redis(call, node, out);
}

std::optional<Value> FunctionalityReader::call_on_redis(const Value& object,
                                                        const std::string& name,
                                                        const Arguments& arguments,
                                                        const Node& node, Block& out) {
  if (object.kind == ValueKind::null) return std::nullopt;
  const std::string type =
      object.kind == ValueKind::object ? state_.heap.at(object.object).type : object.type;
  if (type == kResponseType && name == "get") return property(object, "$value");
  const bool is_group = type == kGroupType || type == kPipelineType;
  const RedisPart part = is_group ? RedisPart::group : redis_part(simple_type(type));
  const bool is_meant = is_group || (part != RedisPart::none && part != RedisPart::group &&
                                     classes_.find(type, frame().owner) == nullptr);
  if (!is_meant || !program::has_redis_table(schema_)) return std::nullopt;
  redis_places_.push_back(node.location());
  if (const std::string_view gives = type_given_by(part, name); !gives.empty()) {
    Object one;
    one.type = std::string(gives) + arguments_of_type(type);
    const std::string of = one.type;
    return object_value(state_.heap.add(std::move(one)), of);
  }
  if (is_harmless_redis_method(name)) return Value();
  if (std::optional<Value> known = call_on_redis_group(type, name, node, out)) return known;
  Value value = call_redis_method(part, type, name, arguments, node, out);
  if (!is_group) return value;
  Object response;
  response.type = kResponseType;
  response.fields["$value"] = std::move(value);
  return object_value(state_.heap.add(std::move(response)), kResponseType);
}

}  // namespace heddle::java
