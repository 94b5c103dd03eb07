// Programs as PL/pgSQL.
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "heddle/program.h"
#include "program/statement_text.h"
#include "program/text.h"

namespace heddle {

namespace {

using program::name_text;

class ProgramPrinter {
 public:
  std::string print(const Program& program) {
    text_ = print_schema(program.schema, Dialect::postgres).text;
    if (!text_.empty() && !text_.ends_with('\n')) text_ += '\n';
    for (const Functionality& functionality : program.functionalities) {
      if (!text_.empty()) text_ += '\n';
      print_functionality(functionality);
    }
    return std::move(text_);
  }

 private:
  void print_functionality(const Functionality& functionality) {
    text_ += functionality.returns ? "CREATE FUNCTION " : "CREATE PROCEDURE ";
    text_ += name_text(functionality.name) + "(";
    for (std::size_t i = 0; i < functionality.parameters.size(); ++i) {
      if (i > 0) text_ += ", ";
      const Variable& parameter = functionality.parameters[i];
      text_ += name_text(parameter.name) + " " + parameter.type;
    }
    text_ += ")";
    if (functionality.returns) text_ += " RETURNS " + *functionality.returns;
    std::string before = std::move(text_);
    text_.clear();
    if (!functionality.variables.empty()) text_ += "DECLARE\n";
    for (const Variable& variable : functionality.variables) {
      text_ += "  " + name_text(variable.name) + " " + variable.type + ";\n";
    }
    text_ += "BEGIN\n";
    print_block(functionality.body, 1);
    const std::string quote = free_quote(text_);
    text_ = before + " LANGUAGE plpgsql AS " + quote + "\n" + text_ + "END " + quote + ";\n";
  }

  // A dollar quote that the body does not have.
  static std::string free_quote(const std::string& body) {
    std::string tag;
    while (body.find("$" + tag + "$") != std::string::npos) tag += "q";
    return "$" + tag + "$";
  }

  void line(std::size_t depth, const std::string& text) {
    text_ += std::string(2 * depth, ' ') + text + "\n";
  }

  void print_block(const Block& block, std::size_t depth) {
    if (block.empty()) line(depth, "NULL;");
    for (const Action& action : block) {
      std::visit([&](const auto& what) { print_one(what, depth); }, action.what);
    }
  }

  static std::string text_of(const ProgramStatement& statement) {
    if (statement.made_text) return "EXECUTE " + print_expression(*statement.made_text);
    return named_text(statement.statement.text, statement.arguments);
  }
  static std::string values_of(const ProgramStatement& statement) {
    if (!statement.made_text || statement.arguments.empty()) return "";
    return " USING " + list(statement.arguments);
  }

  static std::string list(const std::vector<Expression>& expressions) {
    std::string text;
    for (const Expression& expression : expressions) {
      if (!text.empty()) text += ", ";
      text += print_expression(expression);
    }
    return text;
  }

  // PL/pgSQL has one connection. Comments of this form are read back.
  void print_connection(const ProgramStatement& statement, std::size_t depth) {
    if (statement.connection == 0) return;
    line(depth, "-- on connection " + std::to_string(statement.connection + 1) + ":");
  }

  void print_one(const RunStatement& run, std::size_t depth) {
    if (run.statement.is_part) return;
    print_connection(run.statement, depth);
    const std::string text = text_of(run.statement);
    const std::string values = values_of(run.statement);
    if (run.returned) {
      line(depth, "RETURN QUERY " + text + values + ";");
    } else if (run.statement.made_text) {
      const std::string into =
          run.into.empty() ? "" : (run.strict ? " INTO STRICT " : " INTO ") + list(run.into);
      line(depth, text + into + values + ";");
    } else if (!run.into.empty()) {
      line(depth, program::with_into(text, (run.strict ? "STRICT " : "") + list(run.into)) + ";");
    } else if (text.starts_with("SELECT ")) {
      line(depth, "PERFORM" + text.substr(std::string_view("SELECT").size()) + ";");
    } else {
      line(depth, text + ";");
    }
  }
  void print_one(const OpenRows& open, std::size_t depth) {
    print_connection(open.statement, depth);
    line(depth, "OPEN " + name_text(open.cursor) + " FOR " + text_of(open.statement) +
                    values_of(open.statement) + ";");
  }
  void print_one(const FetchRow& fetch, std::size_t depth) {
    const std::string cursor = name_text(fetch.cursor);
    line(depth, fetch.into.empty() ? "MOVE " + cursor + ";"
                                   : "FETCH " + cursor + " INTO " + list(fetch.into) + ";");
  }
  void print_one(const CloseRows& close, std::size_t depth) {
    line(depth, "CLOSE " + name_text(close.cursor) + ";");
  }
  void print_one(const Assign& assign, std::size_t depth) {
    line(depth, print_expression(assign.target) + " := " + print_expression(assign.value) + ";");
  }
  void print_one(const CountRows& count, std::size_t depth) {
    line(depth, "GET DIAGNOSTICS " + print_expression(count.target) + " = ROW_COUNT;");
  }

  void print_one(const Branch& branch, std::size_t depth) {
    line(depth, "IF " + print_expression(branch.condition) + " THEN");
    print_block(branch.then, depth + 1);
    const Block* rest = &branch.otherwise;
    while (const Branch* next = only_branch(*rest)) {
      line(depth, "ELSIF " + print_expression(next->condition) + " THEN");
      print_block(next->then, depth + 1);
      rest = &next->otherwise;
    }
    if (!rest->empty()) {
      line(depth, "ELSE");
      print_block(*rest, depth + 1);
    }
    line(depth, "END IF;");
  }

  static const Branch* only_branch(const Block& block) {
    return block.size() == 1 ? std::get_if<Branch>(&block.front().what) : nullptr;
  }

  void print_loop(const std::string& head, const Block& body, const std::string& label,
                  std::size_t depth) {
    if (!label.empty()) line(depth, "<<" + name_text(label) + ">>");
    line(depth, head + "LOOP");
    print_block(body, depth + 1);
    line(depth, "END LOOP;");
  }
  void print_one(const Loop& loop, std::size_t depth) {
    const std::string head =
        loop.condition ? "WHILE " + print_expression(*loop.condition) + " " : "";
    print_loop(head, loop.body, loop.label, depth);
  }
  void print_one(const RowLoop& loop, std::size_t depth) {
    print_connection(loop.statement, depth);
    print_loop("FOR " + list(loop.into) + " IN " + text_of(loop.statement) +
                   values_of(loop.statement) + " ",
               loop.body, loop.label, depth);
  }
  void print_one(const CountLoop& loop, std::size_t depth) {
    std::string head = "FOR " + name_text(loop.variable) + " IN " +
                       (loop.reverse ? "REVERSE " : "") + print_expression(loop.first) + " .. " +
                       print_expression(loop.last);
    if (loop.step) head += " BY " + print_expression(*loop.step);
    print_loop(head + " ", loop.body, loop.label, depth);
  }
  void print_one(const ElementLoop& loop, std::size_t depth) {
    print_loop(
        "FOREACH " + name_text(loop.variable) + " IN ARRAY " + print_expression(loop.array) + " ",
        loop.body, loop.label, depth);
  }

  void print_one(const LeaveLoop& leave, std::size_t depth) {
    const std::string label = leave.label.empty() ? "" : " " + name_text(leave.label);
    line(depth, (leave.next ? "CONTINUE" : "EXIT") + label + ";");
  }
  void print_one(const Return& end, std::size_t depth) {
    line(depth, (end.values.empty() ? "RETURN" : "RETURN " + row(end.values)) + ";");
  }
  void print_one(const ReturnRow& next, std::size_t depth) {
    line(depth, "RETURN NEXT" + (next.values.empty() ? "" : " " + row(next.values)) + ";");
  }
  static std::string row(const std::vector<Expression>& values) {
    return values.size() == 1 ? print_expression(values.front()) : "(" + list(values) + ")";
  }
  void print_one(const Raise& raise, std::size_t depth) {
    std::string text = "RAISE";
    const bool is_state = raise.condition.size() == 5 && raise.condition != "raise";
    if (!raise.message.empty()) {
      text += " EXCEPTION " + program::string_text(raise.message);
      if (!raise.values.empty()) text += ", " + list(raise.values);
      std::vector<std::string> options;
      if (!raise.condition.empty()) {
        options.push_back("ERRCODE = " + program::string_text(raise.condition));
      }
      // PL/pgSQL has no place for the class of an exception.
      if (!raise.exception.empty()) {
        options.push_back("HINT = " + program::string_text(raise.exception));
      }
      if (!options.empty()) text += " USING " + join(options, ", ");
    } else if (!raise.condition.empty()) {
      text += is_state ? " SQLSTATE " + program::string_text(raise.condition)
                       : " " + name_text(raise.condition);
    }
    line(depth, text + ";");
  }
  void print_one(const Attempt& attempt, std::size_t depth) {
    if (attempt.by_client) line(depth, "<<" + std::string(program::kClientLabel) + ">>");
    line(depth, "BEGIN");
    print_block(attempt.body, depth + 1);
    line(depth, "EXCEPTION");
    for (const Recovery& recovery : attempt.recoveries) {
      line(depth, "WHEN " + join(recovery.conditions, " OR ") + " THEN");
      print_block(recovery.body, depth + 1);
    }
    line(depth, "END;");
  }

  std::string text_;
};

}  // namespace

std::string print_program(const Program& program) { return ProgramPrinter().print(program); }

}  // namespace heddle
