#include "frontend/spec/text/asked_relations.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"
#include "frontend/sql/words/mysql_lexer.h"
#include "frontend/sql/words/sqlite_lexer.h"

namespace heddle {

namespace {

// A token of any dialect, as far as names go.
struct NamePiece {
  enum class Kind : std::uint8_t { name, dot, end, other };

  Kind kind = Kind::other;
  std::string name = {};
  std::size_t begin = 0;
  std::size_t stop = 0;
};

// "a""b" -> a"b
std::string without_quotes(std::string_view text) {
  std::string name;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    name += text[i];
    const bool is_doubled = text[i] == text.back() && text[i + 1] == text.back();
    if (is_doubled && i + 2 < text.size()) ++i;
  }
  return name;
}

NamePiece::Kind kind_of_symbol(std::string_view text) {
  if (text == ".") return NamePiece::Kind::dot;
  return text == ";" ? NamePiece::Kind::end : NamePiece::Kind::other;
}

std::vector<NamePiece> pieces_in_postgres(std::string_view sql) {
  std::vector<NamePiece> pieces;
  const sql::Tokens tokens(sql);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    NamePiece& piece = pieces.emplace_back();
    piece.begin = tokens[i].offset;
    piece.stop = tokens[i].offset + tokens[i].size;
    switch (tokens[i].kind) {
      case sql::TokenKind::word:
        piece.kind = NamePiece::Kind::name;
        piece.name = tokens.word(i);
        break;
      case sql::TokenKind::quoted_name:
        piece.kind = NamePiece::Kind::name;
        piece.name = without_quotes(tokens.text(i));
        break;
      default:
        piece.kind = kind_of_symbol(tokens.text(i));
    }
  }
  return pieces;
}

std::vector<NamePiece> pieces_in_others(std::string_view sql, Dialect dialect) {
  std::vector<NamePiece> pieces;
  const bool is_mysql = dialect == Dialect::mysql;
  for (const sql::MysqlToken& token : is_mysql ? sql::lex_mysql(sql) : sql::lex_sqlite(sql)) {
    const std::string_view written = sql.substr(token.offset, token.size);
    NamePiece& piece = pieces.emplace_back();
    piece.begin = token.offset;
    piece.stop = token.offset + token.size;
    switch (token.kind) {
      case sql::MysqlTokenKind::word:
        piece.kind = NamePiece::Kind::name;
        piece.name = token.word;
        break;
      case sql::MysqlTokenKind::name:
        piece.kind = NamePiece::Kind::name;
        piece.name = without_quotes(written);
        break;
      case sql::MysqlTokenKind::end:
        piece.kind = NamePiece::Kind::end;
        break;
      default:
        piece.kind = kind_of_symbol(written);
    }
  }
  return pieces;
}

std::vector<NamePiece> name_pieces(std::string_view sql, Dialect dialect) {
  return dialect == Dialect::postgres ? pieces_in_postgres(sql) : pieces_in_others(sql, dialect);
}

std::string_view word_of(AskedRelation::Kind kind) {
  return kind == AskedRelation::Kind::initial ? "initial" : "calls";
}

bool is_at(const std::vector<NamePiece>& pieces, std::size_t at, NamePiece::Kind kind) {
  return at < pieces.size() && pieces[at].kind == kind;
}

bool is_behind_dot(const std::vector<NamePiece>& pieces, std::size_t at) {
  return at > 0 && pieces[at - 1].kind == NamePiece::Kind::dot;
}

std::vector<AskedRelation> relations_in(const std::vector<NamePiece>& pieces) {
  std::vector<AskedRelation> relations;
  for (const auto kind : {AskedRelation::Kind::initial, AskedRelation::Kind::calls}) {
    std::vector<AskedRelation> found;
    bool is_its_own = false;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const bool is_word =
          pieces[i].kind == NamePiece::Kind::name && pieces[i].name == word_of(kind);
      if (!is_word || is_behind_dot(pieces, i)) continue;
      const bool is_dotted =
          is_at(pieces, i + 1, NamePiece::Kind::dot) && is_at(pieces, i + 2, NamePiece::Kind::name);
      if (!is_dotted) {
        is_its_own = true;
        break;
      }
      found.push_back({kind, pieces[i + 2].name, pieces[i].begin, pieces[i + 2].stop});
    }
    if (!is_its_own) relations.insert(relations.end(), found.begin(), found.end());
  }
  std::ranges::sort(relations, {}, &AskedRelation::begin);
  return relations;
}

// "initial.customer" as one name, in quotes.
std::string flat_name(const AskedRelation& relation, Dialect dialect) {
  const char mark = dialect == Dialect::mysql ? '`' : '"';
  std::string name(1, mark);
  for (const char c : fmt::format("{}.{}", word_of(relation.kind), relation.name)) {
    name += c;
    if (c == mark) name += c;
  }
  return name + mark;
}

// The pieces [begin, end) are one statement.
struct StatementPieces {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<StatementPieces> statements_in(const std::vector<NamePiece>& pieces) {
  std::vector<StatementPieces> statements;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= pieces.size(); ++i) {
    if (i < pieces.size() && pieces[i].kind != NamePiece::Kind::end) continue;
    if (begin < i) statements.push_back({begin, i});
    begin = i + 1;
  }
  return statements;
}

struct Change {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

// The queries for the relations of a statement, where its first word or its own WITH is.
Change queries_before(const std::vector<NamePiece>& pieces, const StatementPieces& statement,
                      const std::vector<std::string>& queries) {
  const auto is_word = [&](std::size_t at, std::string_view word) {
    return at < statement.end && pieces[at].kind == NamePiece::Kind::name &&
           pieces[at].name == word;
  };
  if (!is_word(statement.begin, "with")) {
    const std::size_t at = pieces[statement.begin].begin;
    return {at, at, fmt::format("WITH {} ", join(queries, ", "))};
  }
  const std::size_t last =
      is_word(statement.begin + 1, "recursive") ? statement.begin + 1 : statement.begin;
  const std::size_t at = pieces[last].stop;
  return {at, at, fmt::format(" {},", join(queries, ", "))};
}

}  // namespace

std::vector<AskedRelation> asked_relations(std::string_view sql, Dialect dialect) {
  return relations_in(name_pieces(sql, dialect));
}

std::string with_asked_relations(
    std::string_view sql, Dialect dialect,
    const std::function<std::string(const AskedRelation&)>& definition) {
  const std::vector<NamePiece> pieces = name_pieces(sql, dialect);
  const std::vector<AskedRelation> relations = relations_in(pieces);
  if (relations.empty()) return std::string(sql);
  std::vector<Change> changes;
  for (const StatementPieces& statement : statements_in(pieces)) {
    const std::size_t begin = pieces[statement.begin].begin;
    const std::size_t end = pieces[statement.end - 1].stop;
    std::set<std::string> known;
    std::vector<std::string> queries;
    std::vector<Change> names;
    for (const AskedRelation& relation : relations) {
      if (relation.begin < begin || relation.begin >= end) continue;
      const std::string name = flat_name(relation, dialect);
      names.push_back({relation.begin, relation.end, name});
      if (known.insert(name).second) queries.push_back(name + definition(relation));
    }
    if (queries.empty()) continue;
    changes.push_back(queries_before(pieces, statement, queries));
    changes.insert(changes.end(), names.begin(), names.end());
  }
  std::string text;
  std::size_t done = 0;
  for (const Change& change : changes) {
    text += sql.substr(done, change.begin - done);
    text += change.text;
    done = change.end;
  }
  return text + std::string(sql.substr(done));
}

std::vector<std::size_t> meant_by(const std::string& asked, const std::vector<std::string>& names) {
  const auto last_part = [](const std::string& name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string::npos ? name : name.substr(dot + 1);
  };
  const std::array<std::function<bool(const std::string&)>, 4> ways = {
      [&](const std::string& name) { return name == asked; },
      [&](const std::string& name) { return last_part(name) == asked; },
      [&](const std::string& name) { return to_lower(name) == to_lower(asked); },
      [&](const std::string& name) { return to_lower(last_part(name)) == to_lower(asked); }};
  for (const auto& is_meant : ways) {
    std::vector<std::size_t> meant;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (is_meant(names[i])) meant.push_back(i);
    }
    if (!meant.empty()) return meant;
  }
  return {};
}

}  // namespace heddle
