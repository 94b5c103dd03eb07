// Requests as they are sent again.
#include "race/requests/replayed_request.h"

#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "race/requests/requests_testing.h"

namespace heddle {
namespace {

const std::string kToken = "<secret:0123456789abcdef>";
const std::string kPassword = "<secret:aaaaaaaaaaaaaaaa>";

// Each request of a trace, sent again one after the other.
class Replay {
 public:
  explicit Replay(const std::string& text, const SecretLookup& lookup = knows_nothing)
      : trace_(TraceText::read(text)),
        dependencies_(find_dependencies(trace_, {})),
        bindings_(trace_, dependencies_, everything(), lookup) {}

  static Result<std::optional<std::string>> knows_nothing(const SecretQuestion&) {
    return std::optional<std::string>();
  }

  // "POST /a {body}", and headers that are not Content-Length, or the message.
  std::string made(std::uint64_t unit) {
    const Result<HttpToSend> request = bindings_.make(unit);
    if (!request) return to_string(request.error());
    std::string text = request->method + " " + request->target;
    if (!request->body.empty()) text += " " + request->body;
    for (const auto& [name, value] : request->headers) {
      if (name != "Content-Length") {
        text += fmt::format(" | {}: {}", name, value);
      } else {
        EXPECT_EQ(value, std::to_string(request->body.size()));
      }
    }
    return text;
  }

  Replay& answered(std::uint64_t unit, const std::string& body, const TraceHeaders& headers = {}) {
    bindings_.take(unit, {.status = 200, .headers = headers, .body = body});
    return *this;
  }

  const std::vector<MadeUpSecret>& made_up() const { return bindings_.made_up(); }
  Trace& trace() { return trace_; }

 private:
  PairPlan everything() const {
    PairPlan plan;
    for (const TraceRequest& each : trace_.requests) plan.before.push_back(each.unit);
    plan.first = plan.second = plan.before.back();
    return plan;
  }

  Trace trace_;
  RequestDependencies dependencies_;
  ReplayBindings bindings_;
};

TEST(ReplayBindings, values_of_the_new_answers_stand_in_place_of_the_recorded_ones) {
  Replay replay(
      "POST shop/orders {\"price\": 3} -> 201 {\"id\": 7, \"code\": \"ORD-0017-x\"}\n"
      "PUT shop/orders/7/lines?order=7 {\"of\": {\"order\": 7}, \"code\": \"ORD-0017-x\", "
      "\"n\": 7} -> 200\n"
      "POST shop/notes {\"text\": \"about ORD-0017-x!\"} -> 204\n");
  EXPECT_EQ(replay.made(1), "POST /orders {\"price\": 3}");
  replay.answered(1, "{\"id\": 12, \"code\": \"O\\\"D\"}");
  EXPECT_EQ(replay.made(2),
            "PUT /orders/12/lines?order=12 {\"of\": {\"order\": 12}, \"code\": "
            "\"O\\\"D\", \"n\": 7}");
  EXPECT_EQ(replay.made(3), "POST /notes {\"text\": \"about O\\\"D!\"}");
}

TEST(ReplayBindings, values_are_encoded_as_their_place_asks_for) {
  Replay replay(
      "POST shop/files {} -> 201 {\"name\": \"file-0017\"}\n"
      "GET shop/files/file-0017?as=file-0017 -> 200\n"
      "POST shop/form a=file-0017 -> 200\n"
      "  > Content-Type: application/x-www-form-urlencoded\n"
      "POST shop/nested {\"json\": \"{\\\"name\\\": \\\"file-0017\\\"}\"} -> 200\n");
  replay.answered(1, R"({"name": "a/b c\"&é"})");
  EXPECT_EQ(replay.made(2), "GET /files/a%2Fb%20c%22%26%C3%A9?as=a/b%20c%22%26%C3%A9");
  EXPECT_EQ(replay.made(3),
            "POST /form a=a/b%20c%22%26%C3%A9 | Content-Type: application/x-www-form-urlencoded");
  EXPECT_EQ(replay.made(4), R"(POST /nested {"json": "{\"name\": \"a/b c\\\"&é\"}"})");
}

TEST(ReplayBindings, a_text_in_place_of_a_number_has_quotes) {
  Replay replay(
      "POST shop/orders {} -> 201 {\"id\": 123456}\n"
      "POST shop/pay {\"order\": 123456, \"as\": \"123456\"} -> 201\n");
  replay.answered(1, "{\"id\": \"u-1\"}");
  EXPECT_EQ(replay.made(2), "POST /pay {\"order\": \"u-1\", \"as\": \"u-1\"}");
  replay.answered(1, "{\"id\": 5}");
  EXPECT_EQ(replay.made(2), "POST /pay {\"order\": 5, \"as\": \"5\"}");
}

TEST(ReplayBindings, tokens_cookies_and_words_of_texts) {
  Replay replay("POST shop/login {} -> 200 {\"token\": \"" + kToken +
                "\"}\n"
                "  < Set-Cookie: sid=<secret:bbbbbbbbbbbbbbbb>; Path=/\n"
                "GET shop/form -> 200 <input name=\"csrf\" value=\"<secret:cccccccccccccccc>\">\n"
                "  > Authorization: Bearer " +
                kToken +
                "\n"
                "  > Cookie: theme=dark; sid=<secret:bbbbbbbbbbbbbbbb>\n"
                "POST shop/form csrf=<secret:cccccccccccccccc>&a=b -> 204\n"
                "  > Content-Type: application/x-www-form-urlencoded\n");
  replay.answered(1, "{\"token\": \"new.token\"}", {{"set-cookie", "sid=fresh; Path=/"}});
  EXPECT_EQ(replay.made(2),
            "GET /form | Authorization: Bearer new.token | Cookie: theme=dark; sid=fresh");
  replay.answered(2, "<input name=\"csrf\" value=\"x+y\">");
  EXPECT_EQ(replay.made(3),
            "POST /form csrf=x&a=b | Content-Type: application/x-www-form-urlencoded");
}

TEST(ReplayBindings, a_number_that_was_hidden_is_a_number_again) {
  Replay replay("POST shop/cards {} -> 201 {\"pin\": \"" + kToken +
                "\"}\n"
                "POST shop/use {\"pin\": \"" +
                kToken + "\"} -> 204\n");
  replay.answered(1, "{\"pin\": 1234}");
  EXPECT_EQ(replay.made(2), "POST /use {\"pin\": 1234}");
  replay.answered(1, "{\"pin\": \"1234\"}");
  EXPECT_EQ(replay.made(2), "POST /use {\"pin\": \"1234\"}");
}

TEST(ReplayBindings, an_answer_that_is_needed_and_not_there) {
  Replay replay(
      "POST shop/orders {} -> 201 {\"id\": 123456}\n"
      "GET shop/orders/123456 -> 200\n");
  EXPECT_EQ(replay.made(2),
            "GET shop/orders/123456 (unit 2) needs /body/id of the answer of unit 1, which there "
            "is not in this run, send that request before");
  replay.answered(1, "{\"error\": \"no\"}");
  EXPECT_EQ(replay.made(2),
            "the answer of POST shop/orders (unit 1) has nothing at /body/id, which GET "
            "shop/orders/123456 (unit 2) needs, look at that answer: it differs from the recorded "
            "one");
}

TEST(ReplayBindings, what_only_seemed_to_come_from_an_answer_stays) {
  Replay replay(
      "GET shop/profiles/5 -> 200 {\"version\": 3}\n"
      "PUT shop/profiles/5 {\"version\": 3} -> 200\n");
  EXPECT_EQ(replay.made(2), "PUT /profiles/5 {\"version\": 3}");
  replay.answered(1, "{\"version\": 4}");
  EXPECT_EQ(replay.made(2), "PUT /profiles/5 {\"version\": 4}");
  replay.answered(1, "");
  EXPECT_EQ(replay.made(2), "PUT /profiles/5 {\"version\": 3}");
}

TEST(ReplayBindings, elements_of_lists_are_found_again_by_what_is_beside_them) {
  const std::string list = "[{\"id\": 100001, \"name\": \"a\"}, {\"id\": 100002, \"name\": \"b\"}]";
  Replay replay("GET shop/trains -> 200 " + list + "\nGET shop/trains/100002 -> 200\n");
  replay.answered(1, "[{\"id\": 5, \"name\": \"a\"}, {\"id\": 6, \"name\": \"b\"}]");
  EXPECT_EQ(replay.made(2), "GET /trains/6");
  replay.answered(1, "[{\"id\": 7, \"name\": \"b\"}]");
  EXPECT_EQ(replay.made(2), "GET /trains/7");
  replay.answered(1, "[{\"id\": 8, \"name\": \"x\"}, {\"id\": 9, \"name\": \"y\"}]");
  EXPECT_EQ(replay.made(2), "GET /trains/9");
  replay.answered(1, "[]");
  EXPECT_EQ(replay.made(2).substr(0, 66),
            "the answer of GET shop/trains (unit 1) has nothing at /body/1/id, ");
}

TEST(ReplayBindings, passwords_that_the_client_chose_are_made_up) {
  Replay replay("POST shop/users {\"name\": \"a\", \"password\": \"" + kPassword +
                "\", \"email\": \"<masked:00000000000000ab>\"} -> 201\n"
                "POST shop/login {\"name\": \"a\", \"pwd\": \"" +
                kPassword + "\"} -> 200\n");
  EXPECT_EQ(replay.made(1),
            "POST /users {\"name\": \"a\", \"password\": \"Hd1-aaaaaaaaaaaaaaaa\", \"email\": "
            "\"u00000000000000ab@example.org\"}");
  EXPECT_EQ(replay.made(2), "POST /login {\"name\": \"a\", \"pwd\": \"Hd1-aaaaaaaaaaaaaaaa\"}");
  ASSERT_EQ(replay.made_up().size(), 2U);
  EXPECT_EQ(replay.made_up()[0].field, "password");
  EXPECT_EQ(replay.made_up()[0].unit, 1U);
}

TEST(ReplayBindings, what_the_file_says_comes_before_what_is_made_up) {
  const auto lookup = [](const SecretQuestion& question) -> Result<std::optional<std::string>> {
    if (question.is_credential) return std::optional<std::string>("given.token");
    EXPECT_EQ(question.endpoint, "POST shop/login");
    return question.field == "password" ? std::optional<std::string>("from the file")
                                        : std::nullopt;
  };
  Replay replay("POST shop/login {\"password\": \"" + kPassword +
                    "\"} -> 200\n"
                    "  > Authorization: Basic " +
                    kToken + "\n",
                lookup);
  EXPECT_EQ(replay.made(1),
            "POST /login {\"password\": \"from the file\"} | Authorization: Basic given.token");
  EXPECT_TRUE(replay.made_up().empty());
}

TEST(ReplayBindings, secrets_that_nobody_knows_name_the_line_to_add) {
  EXPECT_EQ(Replay("GET shop/me -> 200\n  > Authorization: Bearer " + kToken + "\n").made(1),
            "GET shop/me (unit 1) needs a secret, \"authorization\", which no trace has and no "
            "answer of this run has told, say in heddle.yaml where it comes from: race: {token: "
            "{command: [./token]}}");
  EXPECT_EQ(Replay("GET shop/me?api_key=" + kToken + " -> 200\n").made(1),
            "GET shop/me (unit 1) needs a secret, \"api_key\", which no trace has and no answer of "
            "this run has told, say in heddle.yaml where it comes from: race: {secrets: {api_key: "
            "{environment: VARIABLE}}}");
  EXPECT_EQ(Replay("GET shop/me -> 200\n  > Cookie: sid=" + kToken + "\n").made(1).substr(0, 43),
            "GET shop/me (unit 1) needs a secret, \"sid\",");
  const auto broken = [](const SecretQuestion&) -> Result<std::optional<std::string>> {
    return Diagnostic{.what = "the command failed"};
  };
  EXPECT_EQ(Replay("GET shop/me?pin=" + kToken + " -> 200\n", broken).made(1),
            "the command failed");
}

TEST(ReplayBindings, what_concerns_the_connection_is_left_out) {
  Replay replay(
      "POST shop/a -> 200\n  > Host: x\n  > Connection: keep-alive, X-Hop\n"
      "  > Keep-Alive: 5\n  > X-Hop: 1\n  > TE: trailers\n  > Transfer-Encoding: chunked\n"
      "  > Expect: 100-continue\n  > traceparent: 00-1-2-01\n  > tracestate: a\n"
      "  > Accept: */*\n  > X-Kept: 1\n");
  EXPECT_EQ(replay.made(1), "POST /a | Accept: */* | X-Kept: 1");
}

TEST(ReplayBindings, a_body_of_which_only_the_beginning_is_there) {
  Replay replay("POST shop/a {} -> 200\n");
  replay.trace().requests[0].body = {.bytes = "{", .size = 70000, .is_whole = false};
  EXPECT_EQ(replay.made(1),
            "only 1 of 70000 bytes of the body of POST shop/a (unit 1) were recorded, record again "
            "with --max-body=70000 or more");
}

TEST(ReplayBindings, targets_with_a_host_go_to_the_listener) {
  Replay replay("GET shop/x -> 200\n");
  replay.trace().requests[0].target = "http://shop:80/a?b=http://c/d";
  EXPECT_EQ(replay.made(1), "GET /a?b=http://c/d");
  replay.trace().requests[0].target = "http://shop:80";
  EXPECT_EQ(replay.made(1), "GET /");
}

// Makes traces up in which values of answers come again.
class RandomTrace {
 public:
  explicit RandomTrace(unsigned seed) : random_(seed) {}

  std::string text() {
    std::string text;
    for (int i = 0; i < 8; ++i) text += request();
    return text;
  }

 private:
  unsigned pick(unsigned end) { return random_() % end; }

  std::string new_value() {
    switch (pick(4)) {
      case 0:
        return std::to_string(pick(20));
      case 1:
        return "v" + std::to_string(random_());
      case 2:
        return fmt::format("<secret:{:016x}>", random_());
      default:
        return fmt::format("a%20{}\\u00e9b{}", pick(10), random_());
    }
  }

  std::string value() {
    if (!known_.empty() && pick(3) > 0) return known_[pick(static_cast<unsigned>(known_.size()))];
    known_.push_back(new_value());
    return known_.back();
  }

  std::string name() { return std::vector<std::string>{"id", "order", "name", "token"}[pick(4)]; }

  std::string json() {
    switch (pick(5)) {
      case 0:
        return fmt::format("{{\"{}\":\"{}\"}}", name(), value());
      case 1:
        return fmt::format("[{{\"{}\":\"x {} y\"}},{}]", name(), value(), pick(9));
      case 2:
        return fmt::format("{{\"{}\":{},\"b\":\"/orders/{}\"}}", name(), pick(20), value());
      case 3:
        return fmt::format("{{\"in\":\"{{\\\"{}\\\":\\\"{}\\\"}}\"}}", name(), pick(99999999));
      default:
        return fmt::format("plain_{}_text", value());
    }
  }

  std::string request() {
    std::string text = fmt::format("POST shop/orders/{}?{}={}", value(), name(), value());
    text += fmt::format(" {} -> 200 {}\n", json(), json());
    text += fmt::format("  > X-Of: {}\n  < Location: /orders/{}\n", value(), value());
    return text;
  }

  std::mt19937 random_;
  std::vector<std::string> known_ = {};
};

// With the recorded answers every request is the recorded one, byte for byte.
TEST(ReplayBindings, unchanged_answers_make_the_recorded_requests) {
  std::size_t links = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    const Trace trace = TraceText::read(RandomTrace(seed).text());
    const RequestDependencies dependencies = find_dependencies(trace, {});
    links += dependencies.links.size();
    PairPlan plan;
    for (const TraceRequest& each : trace.requests) plan.before.push_back(each.unit);
    plan.first = plan.second = plan.before.back();
    std::string asked;
    ReplayBindings bindings(trace, dependencies, plan, [&](const SecretQuestion&) {
      return Result<std::optional<std::string>>(std::optional(asked));
    });
    for (const TraceRequest& each : trace.requests) {
      // A secret that nobody knows is what the trace has, too.
      const std::string all = each.target + each.body.bytes + each.headers[0].second;
      const std::size_t hidden = all.find("<secret:");
      asked = hidden == all.npos ? "" : all.substr(hidden, 25);
      const auto count = [&](const std::string& text) {
        std::set<std::string> secrets;
        for (std::size_t at = text.find("<secret:"); at != text.npos;
             at = text.find("<secret:", at + 1)) {
          secrets.insert(text.substr(at, 25));
        }
        return secrets.size();
      };
      if (count(all) <= 1) {
        const Result<HttpToSend> made = bindings.make(each.unit);
        ASSERT_TRUE(made) << seed << ": " << to_string(made.error());
        EXPECT_EQ(made->target, each.target) << seed;
        EXPECT_EQ(made->body, each.body.bytes) << seed;
        EXPECT_EQ(made->headers[0], each.headers[0]) << seed;
      }
      bindings.take(each.unit, {.status = each.status,
                                .headers = each.response_headers,
                                .body = each.response_body.bytes});
    }
  }
  EXPECT_GT(links, 400U);
}

// A system with other values in its answers: @1@ is the first that it makes up, #1# the first of
// the client's, which is the same in all runs.
std::string with_values(std::string text, const std::string& beginning) {
  for (const auto& [mark, front] :
       {std::pair('@', beginning), std::pair('#', std::string("c9-"))}) {
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark)) {
      const std::size_t end = text.find(mark, at + 1);
      const std::string number = text.substr(at + 1, end - at - 1);
      text.replace(at, end + 1 - at, fmt::format("{}{:06}", front, 7919 * std::stoul(number)));
    }
  }
  return text;
}

// A client that uses what it was told: what the system tells first is marked with @.
class MarkedTrace {
 public:
  explicit MarkedTrace(unsigned seed) : random_(seed) {}

  std::string text() {
    std::string text;
    for (int i = 0; i < 10; ++i) {
      // The request comes before its answer tells anything.
      const std::string target = fmt::format("{}/{}?{}={}", word(), used(), word(), used());
      const std::string body = json(used());
      const std::string headers =
          fmt::format("  > X-Of: {}\n  > Cookie: a=b; c={}\n", used(), used());
      const std::string answer = json(told());
      text += fmt::format("POST shop/{} {} -> 200 {}\n{}  < Set-Cookie: {}={}\n", target, body,
                          answer, headers, word(), told());
    }
    return text;
  }

 private:
  std::string word() { return std::vector<std::string>{"orders", "name", "token"}[random_() % 3]; }

  std::string used() {
    if (!told_.empty() && random_() % 4 > 0) return told_[random_() % told_.size()];
    return fmt::format("#{}#", random_() % 50);
  }

  std::string told() {
    const bool is_new = told_.empty() || random_() % 3 > 0;
    if (is_new) told_.push_back(fmt::format("@{}@", told_.size() + 1));
    return is_new ? told_.back() : told_[random_() % told_.size()];
  }

  std::string json(const std::string& value) {
    switch (random_() % 4) {
      case 0:
        return fmt::format("{{\"{}\": \"{}\"}}", word(), value);
      case 1:
        return fmt::format("{{\"a\": [1, {{\"b\": \"see {}!\"}}]}}", value);
      case 2:
        return fmt::format("{{\"in\": \"{{\\\"{}\\\": \\\"{}\\\"}}\"}}", word(), value);
      default:
        return fmt::format("{{\"link\": \"http://shop/{}/{}?x=1\"}}", word(), value);
    }
  }

  std::mt19937 random_;
  std::vector<std::string> told_ = {};
};

// With the answers of a second run the requests are those that the client would send in that run.
TEST(ReplayBindings, answers_of_another_run_make_the_requests_of_that_run) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const std::string marked = MarkedTrace(seed).text();
    const Trace trace = TraceText::read(with_values(marked, "s1-"));
    const Trace other = TraceText::read(with_values(marked, "other.run-"));
    const RequestDependencies dependencies = find_dependencies(trace, {});
    PairPlan plan;
    for (const TraceRequest& each : trace.requests) plan.before.push_back(each.unit);
    plan.first = plan.second = plan.before.back();
    ReplayBindings bindings(trace, dependencies, plan, Replay::knows_nothing);
    for (const TraceRequest& each : other.requests) {
      const Result<HttpToSend> made = bindings.make(each.unit);
      ASSERT_TRUE(made) << seed << ": " << to_string(made.error());
      const auto shown = [](const std::string& target, const TraceHeaders& headers,
                            const std::string& body) {
        std::string all;
        for (const MessageValue& value : values_of({target, headers, body}, "")) {
          all += value.path + "=" + value.text() + "\n";
        }
        return all;
      };
      EXPECT_EQ(shown(made->target, made->headers, made->body),
                shown(each.target, each.headers, each.body.bytes))
          << seed << "\n"
          << marked;
      bindings.take(each.unit, {.status = each.status,
                                .headers = each.response_headers,
                                .body = each.response_body.bytes});
    }
  }
}

}  // namespace
}  // namespace heddle
