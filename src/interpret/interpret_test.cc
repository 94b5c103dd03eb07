// Routines in PL/pgSQL are run by PostgreSQL itself and by the interpreter, from the same tables:
// what they return, the errors they end with and the tables they leave must agree. So must what
// PostgreSQL does with the text that print_program makes of them.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "interpret/routine_testing.h"

namespace heddle::interpreter {
namespace {

struct Case {
  std::string_view name;
  std::string_view routine;  // all of it, or declarations and body of "f(a integer, b text)"
  std::vector<std::vector<Cell>> arguments;
};

std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

std::string routine_of(const Case& one) {
  if (one.routine.starts_with("CREATE")) return std::string(one.routine);
  return fmt::format(
      "CREATE FUNCTION f(a integer, b text) RETURNS text LANGUAGE plpgsql AS $$\nDECLARE\n"
      "  n integer; m numeric(6,2); t text; r record; k varchar(3); xs integer[]; i "
      "integer;\n{}\nEND $$;",
      one.routine);
}

class Routine : public testing::TestWithParam<Case> {};

TEST_P(Routine, does_what_postgres_does) {
  const std::string text = routine_of(GetParam());
  for (const std::vector<Cell>& arguments : GetParam().arguments) expect_same(text, arguments);
}

const std::vector<Case> kControl = {
    {"branches",
     "BEGIN IF a > 1 THEN t := 'more'; ELSIF a = 1 THEN t := 'one'; ELSE t := 'less'; END IF;"
     "RETURN t || coalesce(b, '-');",
     {{"2", "x"}, {"1", {}}, {{}, "y"}, {"0", ""}}},
    {"a case that nothing fits",
     "BEGIN CASE a WHEN 1, 2 THEN RETURN 'few'; WHEN 3 THEN RETURN 'three'; END CASE;",
     {{"2", "x"}, {"3", "x"}, {"4", "x"}, {{}, "x"}}},
    {"while and exit",
     "BEGIN n := 0; t := ''; WHILE n < a LOOP n := n + 1; CONTINUE WHEN n % 2 = 0; "
     "EXIT WHEN n > 6; t := t || n; END LOOP; RETURN t || found::text;",
     {{"5", "x"}, {"20", "x"}, {"0", "x"}}},
    {"labels",
     "BEGIN n := 0; <<outer>> FOR i IN 1 .. a LOOP FOR j IN REVERSE 5 .. i LOOP n := n + j; "
     "CONTINUE outer WHEN j = 3; EXIT outer WHEN n > 40; END LOOP; n := n + 100; END LOOP;"
     "RETURN n || ' ' || found::text;",
     {{"1", "x"}, {"9", "x"}, {"0", "x"}}},
    {"counting",
     "BEGIN t := ''; FOR i IN a .. 10 BY 3 LOOP t := t || i || ','; i := i + 50; END LOOP; "
     "FOR i IN REVERSE 3 .. a BY 2 LOOP t := t || i; END LOOP;"
     "FOR i IN 2147483646 .. 2147483647 LOOP t := t || '!'; END LOOP; RETURN t;",
     {{"1", "x"}, {"30", "x"}, {{}, "x"}}},
    {"counting with a bad step",
     "BEGIN FOR i IN 1 .. 3 BY a LOOP t := i; END LOOP; RETURN t;",
     {{"1", "x"}, {"0", "x"}, {"-1", "x"}, {{}, "x"}}},
    {"elements",
     "BEGIN xs := array[3, null, 5]; xs[5] := a; n := 0; t := ''; FOREACH n IN ARRAY xs LOOP "
     "t := t || coalesce(n::text, '-'); END LOOP; xs[0] := 9; RETURN t || xs::text || found::text;",
     {{"1", "x"}, {{}, "x"}}},
    {"elements of nothing",
     "BEGIN FOREACH n IN ARRAY xs LOOP NULL; END LOOP; RETURN 'x';",
     {{"1", "x"}}},
    {"what is assigned is cast",
     "BEGIN m := a / 3.0; k := b; n := m; t := m; RETURN t || ' ' || n || ' ' || k || (n = "
     "m)::text;",
     {{"10", "abc"}, {"-10", "ab   "}, {"100000", "abc"}, {"1", "abcd"}, {{}, {}}}},
    {"what does not fit",
     "BEGIN n := b; m := b; k := n; RETURN n + a;",
     {{"1", "12"}, {"1", "1.5"}, {"1", "99999"}, {"2147483647", "1"}, {"1", "x"}, {"1", {}}}},
    {"conditions that are no booleans",
     "BEGIN IF b THEN RETURN 'yes'; END IF; RETURN 'no';",
     {{"1", "true"}, {"1", "off"}, {"1", {}}, {"1", "maybe"}}},
    {"division",
     "BEGIN RETURN a / (a - 1) || ' ' || a % 2 || ' ' || 1.0 / a;",
     {{"3", "x"}, {"-7", "x"}, {"1", "x"}, {"0", "x"}}},
    {"no end", "BEGIN IF a = 1 THEN RETURN 'x'; END IF;", {{"1", "x"}, {"2", "x"}}},
};

const std::vector<Case> kStatements = {
    {"a text that is made",
     "BEGIN t := 'acc' || b; EXECUTE 'SELECT owner FROM ' || t || ' WHERE id = $1' INTO t USING a; "
     "GET DIAGNOSTICS n = ROW_COUNT; EXECUTE 'UPDATE acc' || b || ' SET note = ''x'' WHERE id > ' "
     "|| a; GET DIAGNOSTICS i = ROW_COUNT; RETURN coalesce(t, '-') || n || i || found::text;",
     {{"1", "ount"}, {"9", "ount"}, {"1", "ounts"}, {"1", {}}, {{}, "ount"}}},
    {"rows of a text that is made",
     "DECLARE c refcursor; BEGIN t := ''; FOR r IN EXECUTE 'SELECT id FROM account WHERE ' || b || "
     "' ORDER BY id' LOOP t := t || r.id; OPEN c FOR EXECUTE 'SELECT $1 + ' || r.id USING r.id; "
     "FETCH c INTO n; CLOSE c; t := t || '=' || n || ' '; END LOOP; RETURN t || found::text;",
     {{"1", "true"}, {"1", "id > 1"}, {"1", "false"}, {"1", "nothing"}}},
    {"states of errors",
     "BEGIN BEGIN INSERT INTO account VALUES (a, 'x', 1); t := 'inserted'; EXCEPTION WHEN "
     "unique_violation THEN t := SQLSTATE; BEGIN n := 1 / 0; EXCEPTION WHEN others THEN t := t || "
     "sqlstate || SQLERRM; END; t := t || sqlstate; IF sqlstate = '23505' THEN UPDATE account SET "
     "note = sqlstate WHERE id = a; END IF; END; RETURN t;",
     {{"1", "x"}, {"7", "x"}}},
    {"into",
     "BEGIN SELECT balance, owner INTO m, t FROM account WHERE id = a; "
     "RETURN coalesce(t, '?') || coalesce(m, -1) || found::text;",
     {{"1", "x"}, {"9", "x"}}},
    {"into strict",
     "BEGIN SELECT id INTO STRICT n FROM account WHERE id >= a; RETURN n;",
     {{"3", "x"}, {"2", "x"}, {"9", "x"}}},
    {"into a record",
     "BEGIN SELECT * INTO r FROM account WHERE id = a; IF r.id IS NULL THEN RETURN 'none'; END IF; "
     "r.balance := r.balance / 3; UPDATE account SET balance = r.balance, note = r.kind "
     "WHERE id = r.id; GET DIAGNOSTICS n = ROW_COUNT; "
     "RETURN r.owner || r.balance || n || '[' || r.kind || ']';",
     {{"1", "x"}, {"2", "x"}, {"9", "x"}}},
    {"a record without a row", "BEGIN t := r.id; RETURN t;", {{"1", "x"}}},
    {"a record without that field",
     "BEGIN SELECT id INTO r FROM account WHERE id = 1; t := r.ids; RETURN t;",
     {{"1", "x"}}},
    {"returning",
     "BEGIN UPDATE account SET balance = balance + a WHERE balance > 10 AND owner LIKE b "
     "RETURNING balance INTO m; RETURN coalesce(m::text, 'none') || found::text;",
     {{"1", "ann"}, {"1", "zoe"}, {"1", "%"}, {"-200", "ann"}}},
    {"row counts",
     "BEGIN DELETE FROM entry WHERE amount > a; GET DIAGNOSTICS n = ROW_COUNT; t := n || "
     "found::text;"
     "SELECT id INTO i FROM account; GET DIAGNOSTICS n = ROW_COUNT; t := t || n;"
     "PERFORM 1 FROM account WHERE id <> a; GET DIAGNOSTICS n = ROW_COUNT; RETURN t || n;",
     {{"1", "x"}, {"6", "x"}, {"100", "x"}}},
    {"rows",
     "BEGIN t := ''; FOR r IN SELECT id, balance * 2 AS twice FROM account WHERE id > a ORDER BY "
     "id "
     "LOOP UPDATE account SET note = r.twice WHERE id = r.id; t := t || r.twice || ';'; "
     "EXIT WHEN r.id = 2; END LOOP; RETURN t || found::text || coalesce(r.id, -1);",
     {{"0", "x"}, {"2", "x"}, {"7", "x"}}},
    {"rows into variables",
     "BEGIN t := ''; FOR n, m IN SELECT account_id, sum(amount) FROM entry GROUP BY 1 ORDER BY 1 "
     "LOOP t := t || n || ':' || m || ' '; END LOOP; RETURN t;",
     {{"0", "x"}}},
    {"cursors",
     "DECLARE c CURSOR (least int) FOR SELECT id, owner FROM account WHERE id >= least ORDER BY "
     "id; "
     "d refcursor; BEGIN OPEN c(a); FETCH c INTO n, t; MOVE c; FETCH c INTO r; "
     "IF found THEN t := t || r.owner; ELSE t := t || '-'; END IF; CLOSE c; "
     "OPEN d FOR SELECT 7; FETCH d INTO i; CLOSE d; GET DIAGNOSTICS n = ROW_COUNT; "
     "RETURN coalesce(t, 'null') || i || n || found::text;",
     {{"1", "x"}, {"2", "x"}, {"9", "x"}}},
    {"a closed cursor",
     "DECLARE c CURSOR FOR SELECT id FROM account; BEGIN OPEN c; IF a = 1 THEN OPEN c; END IF; "
     "CLOSE c; FETCH c INTO n; RETURN n;",
     {{"1", "x"}, {"2", "x"}}},
    {"arrays of rows",
     "BEGIN SELECT array_agg(id ORDER BY id) INTO xs FROM account WHERE id <= a; "
     "RETURN coalesce(cardinality(xs), -1) || coalesce(xs[2]::text, '-') || (xs || 7)::text;",
     {{"1", "x"}, {"3", "x"}, {"0", "x"}}},
    {"dynamic",
     "BEGIN EXECUTE 'UPDATE account SET note = $2 WHERE id = $1' USING a, b; "
     "EXECUTE 'SELECT note FROM account WHERE id = $1' INTO t USING a; RETURN t;",
     {{"1", "new"}, {"9", "new"}, {"1", "much too long for it"}}},
    {"values of the store",
     "BEGIN n := (SELECT count(*) FROM entry WHERE account_id = a); "
     "IF EXISTS (SELECT 1 FROM account WHERE id = a AND balance > 60) THEN t := 'rich'; "
     "ELSE t := 'poor'; END IF; WHILE (SELECT count(*) FROM entry) > 1 LOOP "
     "DELETE FROM entry WHERE id = (SELECT max(id) FROM entry); END LOOP; RETURN t || n;",
     {{"1", "x"}, {"2", "x"}, {"9", "x"}}},
    {"a type of a column",
     "DECLARE w account.note%TYPE; q account%ROWTYPE; BEGIN SELECT * INTO q FROM account WHERE id "
     "= a; "
     "q.note := b; w := q.owner || b; q.balance := 1.239; RETURN w || q.note || q.balance;",
     {{"1", "ok"}, {"1", "eleven long"}, {"9", "x"}}},
};

const std::vector<Case> kErrors = {
    {"raise",
     "BEGIN IF a = 1 THEN RAISE EXCEPTION 'no % and %%: %', a, b; ELSIF a = 2 THEN "
     "RAISE division_by_zero; ELSIF a = 3 THEN RAISE SQLSTATE '22012'; ELSIF a = 4 THEN "
     "RAISE EXCEPTION 'x' USING ERRCODE = 'unique_violation'; ELSIF a = 5 THEN "
     "RAISE unique_violation USING MESSAGE = 'y'; ELSIF a = 6 THEN RAISE; END IF; RETURN 'fine';",
     {{"1", "it"},
      {"1", {}},
      {"2", "x"},
      {"3", "x"},
      {"4", "x"},
      {"5", "x"},
      {"6", "x"},
      {"7", "x"}}},
    {"an error undoes all",
     "BEGIN UPDATE account SET note = b; INSERT INTO account VALUES (a, b, a - 5); RETURN 'ok';",
     {{"7", "n"}, {"1", "n"}, {"4", "n"}, {"9", "eleven long"}}},
    {"handled",
     "BEGIN t := 'a'; UPDATE account SET note = 'before'; BEGIN t := 'b'; n := 5; "
     "UPDATE account SET note = 'in'; INSERT INTO account VALUES (a, b, 10 / (a - 4)); t := 'c'; "
     "EXCEPTION WHEN unique_violation OR check_violation THEN t := t || 'known'; "
     "UPDATE account SET balance = 1 WHERE id = 2; WHEN SQLSTATE '22012' THEN t := t || 'zero'; "
     "WHEN others THEN t := t || 'other'; END; RETURN t || n;",
     {{"7", "n"}, {"1", "n"}, {"4", "n"}, {"-1", "n"}, {"8", {}}}},
    {"nested",
     "BEGIN BEGIN INSERT INTO account VALUES (10, 'x', 1); BEGIN INSERT INTO account VALUES (11, "
     "'y', 1); IF a = 1 THEN RAISE EXCEPTION 'inner'; ELSIF a = 2 THEN n := 1 / 0; ELSIF a = 3 "
     "THEN RETURN 'early'; END IF; EXCEPTION WHEN raise_exception THEN INSERT INTO account VALUES "
     "(12, 'z', 1); RAISE; END; EXCEPTION WHEN others THEN INSERT INTO account VALUES (13, 'o', "
     "1); "
     "END; RETURN 'end';",
     {{"0", "x"}, {"1", "x"}, {"2", "x"}, {"3", "x"}}},
    {"what others do not handle",
     "BEGIN BEGIN IF a = 1 THEN RAISE query_canceled; END IF; ASSERT a > 5; RETURN 'none'; "
     "EXCEPTION WHEN others THEN RETURN 'others'; END;",
     {{"1", "x"}, {"2", "x"}, {"7", "x"}}},
    {"an error in a recovery",
     "BEGIN BEGIN n := 1 / 0; EXCEPTION WHEN division_by_zero THEN INSERT INTO account VALUES "
     "(20, 'a', a); n := 1 / (a - 1); RETURN n; END; EXCEPTION WHEN others THEN RETURN 'outer';",
     {{"1", "x"}, {"2", "x"}, {"-1", "x"}}},
    {"classes",
     "BEGIN BEGIN IF a = 1 THEN INSERT INTO account VALUES (1, 'a', 1); ELSE n := b; END IF; "
     "EXCEPTION WHEN integrity_constraint_violation THEN RETURN 'integrity'; WHEN data_exception "
     "THEN RETURN 'data'; END; RETURN 'none';",
     {{"1", "1"}, {"2", "x"}, {"2", "99999999999"}, {"2", "5"}}},
    {"leaving a handled block",
     "BEGIN n := 0; LOOP n := n + 1; BEGIN INSERT INTO entry (account_id, amount) VALUES (1, n); "
     "EXIT WHEN n > a; CONTINUE WHEN n = 2; UPDATE entry SET amount = amount + 1 WHERE id > 3; "
     "IF n = 3 THEN RAISE EXCEPTION 'three'; END IF; EXCEPTION WHEN raise_exception THEN NULL; END;"
     " END LOOP; RETURN n;",
     {{"1", "x"}, {"5", "x"}}},
    {"cursors that are undone",
     "DECLARE c refcursor; BEGIN BEGIN OPEN c FOR SELECT 1; RAISE EXCEPTION 'x'; EXCEPTION WHEN "
     "others THEN NULL; END; BEGIN FETCH c INTO n; EXCEPTION WHEN invalid_cursor_name THEN "
     "RETURN 'gone'; WHEN others THEN RETURN 'other'; END; RETURN n;",
     {{"1", "x"}}},
    {"a constraint that is checked at the end",
     "BEGIN INSERT INTO entry (account_id, amount) VALUES (a, 1); RETURN 'inserted';",
     {{"1", "x"}, {"77", "x"}}},
};

const std::vector<Case> kKinds = {
    {"commits",
     "CREATE PROCEDURE p(a integer, b integer) LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN "
     "UPDATE account SET balance = balance - a WHERE id = 1; COMMIT; "
     "FOR r IN SELECT id FROM account ORDER BY id LOOP UPDATE account SET note = 'n' || r.id WHERE "
     "id = r.id; IF r.id = b THEN ROLLBACK; ELSE COMMIT; END IF; END LOOP; "
     "UPDATE account SET balance = balance - a WHERE id = 2; END $$;",
     {{"1", "2"}, {"60", "3"}, {"200", "1"}}},
    {"a commit where none may be",
     "CREATE PROCEDURE p(a integer) LANGUAGE plpgsql AS $$ BEGIN DELETE FROM entry; COMMIT; BEGIN "
     "DELETE FROM account; IF a = 1 THEN COMMIT; ELSE ROLLBACK; END IF; EXCEPTION WHEN "
     "invalid_transaction_termination THEN UPDATE account SET note = 'no'; END; END $$;",
     {{"1"}, {"2"}}},
    {"a cursor after a commit",
     "CREATE PROCEDURE p(a integer) LANGUAGE plpgsql AS $$ DECLARE c CURSOR FOR SELECT id FROM "
     "account; n integer; BEGIN OPEN c; FETCH c INTO n; UPDATE account SET note = 'c' WHERE id = n;"
     "COMMIT; FETCH c INTO n; DELETE FROM account; END $$;",
     {{"1"}}},
    {"returns a set",
     "CREATE FUNCTION f(a integer) RETURNS SETOF integer LANGUAGE plpgsql AS $$ BEGIN RETURN NEXT "
     "a; RETURN QUERY SELECT id FROM account WHERE id > a ORDER BY id; IF NOT found THEN RETURN; "
     "END IF; RETURN NEXT a / 2.0; END $$;",
     {{"1"}, {"3"}}},
    {"returns rows",
     "CREATE FUNCTION f(a integer) RETURNS SETOF account LANGUAGE plpgsql AS $$ DECLARE q "
     "account%ROWTYPE; BEGIN FOR q IN SELECT * FROM account WHERE id >= a ORDER BY id LOOP "
     "q.balance := q.balance + 0.005; RETURN NEXT q; END LOOP; END $$;",
     {{"1"}, {"3"}, {"9"}}},
    {"returns a smallint",
     "CREATE FUNCTION f(a numeric) RETURNS smallint LANGUAGE plpgsql AS $$ BEGIN RETURN a; END $$;",
     {{"1.5"}, {"2.4999"}, {"32768"}, {{}}}},
    {"returns nothing",
     "CREATE FUNCTION f(a integer) RETURNS void LANGUAGE plpgsql AS $$ BEGIN UPDATE account SET "
     "note = a; END $$;",
     {{"1"}}},
    {"is in SQL",
     "CREATE PROCEDURE p(a integer, b text) LANGUAGE sql AS $$ UPDATE account SET note = b WHERE "
     "id "
     "= a; INSERT INTO entry (account_id, amount) VALUES (a, length(b)) $$;",
     {{"1", "new"}, {"1", "much too long for it"}, {"50", "x"}}},
    {"forgets the lengths of parameters",
     "CREATE FUNCTION f(a varchar(2), b numeric(3,1)) RETURNS varchar(3) LANGUAGE plpgsql AS $$ "
     "BEGIN RETURN a || b; END $$;",
     {{"abcdef", "12345.678"}}},
};

INSTANTIATE_TEST_SUITE_P(Control, Routine, testing::ValuesIn(kControl));
INSTANTIATE_TEST_SUITE_P(Statements, Routine, testing::ValuesIn(kStatements));
INSTANTIATE_TEST_SUITE_P(Errors, Routine, testing::ValuesIn(kErrors));
INSTANTIATE_TEST_SUITE_P(Kinds, Routine, testing::ValuesIn(kKinds));

}  // namespace
}  // namespace heddle::interpreter
