#include "record/redact/redactor.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/must_testing.h"
#include "record/redact/encodings_testing.h"

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::Not;

Redactor redactor_of(std::vector<std::string> masked = {}) {
  RedactSettings settings;
  settings.mask = std::move(masked);
  return {settings, "key"};
}

std::string hidden_text(std::string_view value) {
  return placeholder("key", value, Hiding::secret);
}
std::string masked(std::string_view value) { return placeholder("key", value, Hiding::mask); }

TEST(Redactors, hide_fields_by_name_however_it_is_written) {
  Redactor redactor = redactor_of({"e_mail"});
  for (const char* const name : {"access_token", "accessToken", "Access-Token", "ACCESSTOKEN"}) {
    EXPECT_EQ(redactor.field(name, "value-1"), hidden_text("value-1")) << name;
  }
  EXPECT_EQ(redactor.field("eMail", "ann@example.org"), masked("ann@example.org"));
  EXPECT_EQ(redactor.field("name", "ann"), "ann");
  EXPECT_EQ(redactor.field("note", "mail to ann@example.org"),
            "mail to " + masked("ann@example.org"));
  EXPECT_EQ(redactor.field("token", ""), "");
}

TEST(Redactors, hide_fields_whose_names_end_like_one) {
  Redactor redactor = redactor_of({"*name"});
  for (const char* const name : {"userPassword", "DB_PASSWORD", "x-shop-token", "clientSecret"}) {
    EXPECT_EQ(redactor.field(name, "value-1"), hidden_text("value-1")) << name;
  }
  EXPECT_EQ(redactor.field("first_name", "ann"), masked("ann"));
  EXPECT_EQ(redactor.field("tokens", "value-2"), "value-2");
  EXPECT_EQ(redactor.field("passwordless", "value-2"), "value-2");
  // What ends like a name is no word that stands everywhere.
  EXPECT_EQ(redactor.field("password", "anns-password"), hidden_text("anns-password"));
  EXPECT_EQ(redactor.text("'anns-password'"), "'" + hidden_text("anns-password") + "'");
}

TEST(Redactors, draw_keys_of_their_own) {
  Redactor one = must(Redactor::draw({}));
  Redactor other = must(Redactor::draw({}));
  EXPECT_NE(one.hide("value-1"), other.hide("value-1"));
  EXPECT_EQ(one.hide("value-1"), one.hide("value-1"));
}

TEST(Redactors, short_values_are_hidden_in_their_field_alone) {
  Redactor redactor = redactor_of();
  EXPECT_EQ(redactor.field("pin", "1234"), hidden_text("1234"));
  EXPECT_EQ(redactor.text("in 1234 seconds"), "in 1234 seconds");
}

TEST(Redactors, words_that_name_fields_are_hidden_in_their_field_alone) {
  Redactor redactor = redactor_of();
  EXPECT_EQ(redactor.field("password", "password"), hidden_text("password"));
  EXPECT_EQ(redact_statement(redactor, "SELECT password FROM users"), "SELECT password FROM users");
}

TEST(Redactors, know_web_tokens_by_their_look) {
  const std::string token =
      to_base64(R"({"alg":"HS256"})", true) + "." + to_base64(R"({"sub":"7"})", true) + ".c2ln-_x";
  Redactor redactor = redactor_of();
  EXPECT_EQ(redactor.text("see " + token + ", then"), "see " + hidden_text(token) + ", then");
  EXPECT_THAT(redactor.text(to_base64("x" + token)), Not(HasSubstr(token.substr(0, 10))));
  const std::string unsigned_one = token.substr(0, token.rfind('.') + 1);
  EXPECT_EQ(redactor.text(unsigned_one), hidden_text(unsigned_one));
  for (const char* const other : {"eyJhbGciOi.abc", "ey.a.b", "eyes.are.open", "www.example.org"}) {
    EXPECT_EQ(redactor.text(other), other);
  }
}

TEST(Redactors, tell_when_a_further_value_is_known) {
  Redactor redactor = redactor_of();
  const std::uint64_t before = redactor.known();
  const std::string early = redactor.text("INSERT INTO t VALUES ('token-123')");
  EXPECT_THAT(early, HasSubstr("token-123"));
  redactor.field("token", "token-123");
  EXPECT_GT(redactor.known(), before);
  EXPECT_EQ(redactor.text(early), "INSERT INTO t VALUES ('" + hidden_text("token-123") + "')");
}

TEST(RedactedJson, keeps_all_but_the_values_byte_for_byte) {
  Redactor redactor = redactor_of();
  EXPECT_EQ(
      redact_json(redactor, "{ \"a\" : 1.10e5,\n\t\"token\":\"value-1\", \"b\":[ null , \"x\" ]}"),
      "{ \"a\" : 1.10e5,\n\t\"token\":\"" + hidden_text("value-1") + "\", \"b\":[ null , \"x\" ]}");
}

TEST(RedactedJson, all_that_is_in_a_named_member) {
  Redactor redactor = redactor_of();
  EXPECT_EQ(
      redact_json(redactor, R"({"token":{"value":"value-1","n":[12345678,true,null]},"c":2})"),
      R"({"token":{"value":")" + hidden_text("value-1") + R"(","n":[")" + hidden_text("12345678") +
          R"(",true,null]},"c":2})");
  // A number that is known must not break the document.
  EXPECT_EQ(redact_json(redactor, "[12345678]"), "[\"" + hidden_text("12345678") + "\"]");
}

TEST(RedactedJson, in_arrays_of_objects_and_in_strings) {
  Redactor redactor = redactor_of();
  EXPECT_EQ(redact_json(redactor, R"([[{"x":{"password":"p\u0041ss\"word"}}]])"),
            R"([[{"x":{"password":")" + hidden_text("pAss\"word") + R"("}}]])");
  EXPECT_EQ(redact_json(redactor,
                        R"({"payload":"{\"token\":\"value-1\",\"n\":\"{\\\"pin\\\":1234}\"}"})"),
            R"({"payload":"{\"token\":\")" + hidden_text("value-1") +
                R"(\",\"n\":\"{\\\"pin\\\":\\\")" + hidden_text("1234") + R"(\\\"}\"}"})");
  EXPECT_EQ(redact_json(redactor, R"({"next":"http://pay/x?token=a%2Bb-cd&n=1"})"),
            R"({"next":"http://pay/x?token=)" + hidden_text("a+b-cd") + R"(&n=1"})");
}

TEST(RedactedJson, values_whose_name_stands_beside_them) {
  Redactor redactor = redactor_of();
  EXPECT_EQ(
      redact_json(redactor,
                  R"([{"name":"pin","value":"1"},{"name":"seat","value":"2"},{"value":"3"}])"),
      R"([{"name":"pin","value":")" + hidden_text("1") +
          R"("},{"name":"seat","value":"2"},{"value":"3"}])");
}

TEST(RedactedJson, that_is_cut_off_or_none) {
  Redactor redactor = redactor_of();
  EXPECT_EQ(redact_json(redactor, R"({"token":"value-1)"),
            R"({"token":")" + hidden_text("value-1"));
  EXPECT_EQ(redact_json(redactor, R"({"token":"value-1\)").find("value-1"), std::string::npos);
  EXPECT_EQ(redact_json(redactor, "{\"token\":\"a\"}\n{\"token\":\"a\"}\n"),
            "{\"token\":\"" + hidden_text("a") + "\"}\n{\"token\":\"" + hidden_text("a") + "\"}\n");
  for (const char* const text : {"", "}", "]]", "{,:}", "[INFO] nothing", "{\"a\"", "\"", "\"\\"}) {
    EXPECT_EQ(redact_json(redactor, text), text);
  }
  EXPECT_EQ(redact_json(redactor, std::string(100'000, '[')), std::string(100'000, '['));
}

TEST(RedactedForms, fields_by_name) {
  Redactor redactor = redactor_of();
  EXPECT_EQ(redact_form(redactor, "user=ann&password=a+b%26c-d&x=1&y&=&"),
            "user=ann&password=" + hidden_text("a b&c-d") + "&x=1&y&=&");
  EXPECT_EQ(redact_form(redactor, "user%5Bpassword%5D=abc&login.pin=1&tokens=1&token[]=2"),
            "user%5Bpassword%5D=" + hidden_text("abc") + "&login.pin=" + hidden_text("1") +
                "&tokens=1&token[]=" + hidden_text("2"));
  EXPECT_EQ(redact_form(redactor, "data=%7B%22pin%22%3A%221%22%7D"),
            "data={\"pin\":\"" + hidden_text("1") + "\"}");
}

TEST(RedactedUrls, queries_fragments_and_passwords) {
  Redactor redactor = redactor_of();
  EXPECT_EQ(redact_url(redactor, "/a?token=value-1&b=c"),
            "/a?token=" + hidden_text("value-1") + "&b=c");
  EXPECT_EQ(redact_url(redactor, "http://h/cb#access_token=value-1&t=x"),
            "http://h/cb#access_token=" + hidden_text("value-1") + "&t=x");
  EXPECT_EQ(redact_url(redactor, "postgres://me:p%40ss@db/x"),
            "postgres://me:" + hidden_text("p@ss") + "@db/x");
  EXPECT_EQ(redact_url(redactor, "</a?pin=1>; rel=next, </b?pin=2>"),
            "</a?pin=" + hidden_text("1") + ">; rel=next, </b?pin=" + hidden_text("2") + ">");
  EXPECT_EQ(redact_url(redactor, "/login?next=%2Fpay%3Ftoken%3Dvalue-1"),
            "/login?next=/pay?token%3D" + hidden_text("value-1"));
  const std::string once = redact_url(redactor, "/a?token=value-1&b=c");
  EXPECT_EQ(redact_url(redactor, once), once);
  EXPECT_EQ(redact_url(redactor, "/users/value-1/x"), "/users/" + hidden_text("value-1") + "/x");
}

TEST(RedactedMarkup, inputs_attributes_and_elements) {
  Redactor redactor = redactor_of();
  EXPECT_EQ(
      redact_markup(redactor,
                    "<p a='>'>hi</p><input type=hidden name=\"csrf_token\" value=\"a&amp;b-cd\"/>"),
      "<p a='>'>hi</p><input type=hidden name=\"csrf_token\" value=\"" + hidden_text("a&b-cd") +
          "\"/>");
  EXPECT_EQ(redact_markup(redactor, "<meta content=value-1 name=csrf-token><i data=1>"),
            "<meta content=" + hidden_text("value-1") + " name=csrf-token><i data=1>");
  EXPECT_EQ(redact_markup(redactor, "<s:Token id=\"1\"> value-2 </s:Token><a>value-2</a>"),
            "<s:Token id=\"1\"> " + hidden_text("value-2") + " </s:Token><a>" +
                hidden_text("value-2") + "</a>");
  EXPECT_EQ(redact_markup(redactor, "<script>var it's = {\"pin\": 12};</script><b>\"pin\": 12"),
            "<script>var it's = {\"pin\": \"" + hidden_text("12") + "\"};</script><b>\"pin\": 12");
  EXPECT_EQ(redact_markup(redactor, "<a href=\"/x?pin=1\" disabled>"),
            "<a href=\"/x?pin=" + hidden_text("1") + "\" disabled>");
  for (const char* const text :
       {"", "<", "<a", "<a b", "<a b=", "<a b=\"", "a < b > c", "<>", "<a =>"}) {
    EXPECT_EQ(redact_markup(redactor, text), text);
  }
}

TEST(RedactedStatements, literals_of_named_columns) {
  Redactor redactor = redactor_of();
  const std::string secret = "'" + hidden_text("it's it") + "'";
  const auto redacted = [&redactor](const char* sql) { return redact_statement(redactor, sql); };
  EXPECT_EQ(redacted("SELECT * FROM u WHERE u.password = 'it''s it' AND x = 'a'"),
            "SELECT * FROM u WHERE u.password = " + secret + " AND x = 'a'");
  EXPECT_EQ(redacted("UPDATE u SET \"password\"=E'it\\'s it', n = 2"),
            "UPDATE u SET \"password\"=" + secret + ", n = 2");
  EXPECT_EQ(redacted("ALTER USER me PASSWORD $$it's it$$"), "ALTER USER me PASSWORD " + secret);
  EXPECT_EQ(redacted("SELECT 1 WHERE password = crypt('it''s it', salt)"),
            "SELECT 1 WHERE password = crypt(" + secret + ", salt)");
  EXPECT_EQ(redacted("SELECT 1 WHERE d->>'token' = 'it''s it'"),
            "SELECT 1 WHERE d->>'token' = " + secret);
  EXPECT_EQ(redacted("SELECT password, 5, $1 FROM u WHERE pin = 12"),
            "SELECT password, 5, $1 FROM u WHERE pin = '" + hidden_text("12") + "'");
}

TEST(RedactedStatements, rows_that_are_inserted) {
  Redactor redactor = redactor_of();
  EXPECT_EQ(
      redact_statement(redactor,
                       "INSERT INTO u (id, pin, name) VALUES (1, 12, 'a'), (2, f('34', 5), 'b') "
                       "ON CONFLICT (id) DO UPDATE SET name = 'c'"),
      "INSERT INTO u (id, pin, name) VALUES (1, '" + hidden_text("12") + "', 'a'), (2, f('" +
          hidden_text("34") + "', '" + hidden_text("5") +
          "'), 'b') ON CONFLICT (id) DO UPDATE SET name = 'c'");
  EXPECT_EQ(redact_statement(redactor, "INSERT INTO u (pin) SELECT 12; INSERT INTO v VALUES ('x')"),
            "INSERT INTO u (pin) SELECT 12; INSERT INTO v VALUES ('x')");
  EXPECT_EQ(redact_statement(redactor, "SELECT '{\"pin\": 12}' -- 'x"),
            "SELECT '{\"pin\": \"" + hidden_text("12") + "\"}' -- 'x");
}

}  // namespace
}  // namespace heddle
