"""heddle race: what it takes, what it refuses, and how it ends."""

import json
import unittest

import program

HEAD = {"heddle": "trace/1", "version": "0.1.0", "begun": "2026-01-31T12:00:00Z", "command": [],
        "edges": [{"caller": "client", "callee": "shop", "outer": True},
                  {"caller": "shop", "callee": "db", "store": True}]}


def request(unit, flow):
    return {"is": "request", "unit": unit, "edge": 0, "connection": 1, "ordinal": unit,
            "flow": flow, "by": "traceparent", "arrived": unit * 10, "answered": unit * 10 + 9,
            "method": "POST", "target": "/orders/7", "headers": [], "status": 200,
            "response_headers": []}


def statement(unit, flow, at, text):
    return {"is": "statement", "unit": unit, "edge": 1, "connection": 2, "ordinal": unit,
            "flow": flow, "by": "only", "arrived": at, "answered": at + 1, "kind": "query",
            "text": text, "transaction": {"before": "I", "after": "I"}, "results": [{}]}


def trace_lines():
    lines = [HEAD]
    for flow, unit in ((1, 1), (2, 11)):
        lines += [statement(unit + 1, flow, unit * 10 + 1, "SELECT n FROM stock WHERE id = 7"),
                  statement(unit + 2, flow, unit * 10 + 3, "UPDATE stock SET n = 2 WHERE id = 7"),
                  request(unit, flow)]
    lines.append({"is": "end", "reason": "the command has ended", "units": 6, "unsure": 0})
    return [json.dumps(line) + "\n" for line in lines]


class Race(program.ProgramTest):
    def race(self, *words, text=None):
        self.write("trace.jsonl", "".join(trace_lines()) if text is None else text)
        return self.heddle("race", *words, "trace.jsonl")

    def test_candidates(self):
        run = self.race()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("1 candidate", run.stdout)
        self.assertIn("POST shop/orders/*, two of them", run.stdout)
        self.assertRegex(run.stdout, "w +3 UPDATE stock SET n = 2 WHERE id = 7")

    def test_a_document(self):
        document = json.loads(self.race("--format=json").stdout)
        self.assertEqual(document["heddle"], "race/1")
        [candidate] = document["candidates"]
        self.assertEqual(candidate["pattern"], "lost-update")
        self.assertEqual([(pair["first"], pair["second"]) for pair in candidate["pairs"]],
                         [(1, 11)])

    def test_why_not(self):
        self.assertIn("to test: candidate 1", self.race("--why-not=1,11").stdout)
        self.assertIn("no random pair", self.race("--why-not=1,1").stdout)
        run = self.race("--why-not=1,99")
        self.assertEqual(run.returncode, 2)
        self.assertIn("there is no request 99 in the trace", run.stderr)
        run = self.race("--why-not=1")
        self.assertEqual(run.returncode, 2)
        self.assertIn("expected two units of requests", run.stderr)

    def test_why_not_as_a_document(self):
        def answer(units):
            done = self.race(f"--why-not={units}", "--format=json")
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            return json.loads(done.stdout)
        document = answer("1,11")
        self.assertEqual(("race-why-not/1", "trace.jsonl", "to-test", []),
                         tuple(document[key] for key in ("heddle", "trace", "answer", "left_out")))
        self.assertEqual((1, "lost-update"), (document["candidates"][0]["number"],
                                              document["candidates"][0]["pattern"]))
        self.assertEqual({"unit": 1, "request": "POST /orders/7", "edge": "client>shop",
                          "status": 200}, document["first"])
        self.assertEqual("no-random-pair", answer("1,1")["answer"])
        # The second takes what the answer to the first was the only one to tell.
        lines = [json.loads(line) for line in trace_lines()]
        lines[3]["response_body"] = {"size": 23, "text": json.dumps({"key": "k-9f81d2c4b7"})}
        lines[6]["headers"] = [["X-Key", "k-9f81d2c4b7"]]
        done = self.race("--why-not=1,11", "--format=json",
                         text="".join(json.dumps(line) + "\n" for line in lines))
        document = json.loads(done.stdout)
        self.assertEqual(("left-out", []), (document["answer"], document["candidates"]))
        self.assertEqual((1, 11, "flow"), tuple(document["left_out"][0][key]
                                                for key in ("first", "second", "step")))

    def test_a_trace_that_was_cut_off(self):
        text = "".join(trace_lines())
        run = self.race(text=text[:-20])
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("1 candidate", run.stdout)
        self.assertIn("in the middle of a line", run.stdout)
        for lines in range(1, 7):
            run = self.race(text="".join(trace_lines()[:lines]))
            self.assertEqual(run.returncode, 0, run.stderr)

    def test_a_broken_line(self):
        lines = trace_lines()
        lines[2] = lines[2].replace('"flow": 1', '"flow": "x"')
        run = self.race(text="".join(lines))
        self.assertEqual(run.returncode, 2)
        self.assertRegex(run.stderr, r"trace\.jsonl:3:\d+: ")

    # One request that makes two calls, one of them earlier in another recording.
    def test_other_recordings_tell_of_the_order_of_calls(self):
        texts = ["SELECT n FROM stock WHERE id = 7", "UPDATE stock SET n = 2 WHERE id = 7"]

        def trace(first, second):
            lines = [HEAD, statement(2, 1, first, texts[0]), statement(3, 1, second, texts[1]),
                     request(1, 1), {"is": "end", "reason": "", "units": 3, "unsure": 0}]
            return "".join(json.dumps(line) + "\n" for line in lines)

        self.write("same.jsonl", trace(11, 13))
        self.write("turned.jsonl", trace(13, 11))
        for other, count in (([], "no two requests"), (["same.jsonl"], "no two requests"),
                             (["same.jsonl", "turned.jsonl"], "1 candidate")):
            self.write("trace.jsonl", trace(11, 13))
            run = self.heddle("race", "trace.jsonl", *other)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(count, run.stdout)
        self.write("broken.jsonl", "{}\n")
        run = self.heddle("race", "trace.jsonl", "broken.jsonl")
        self.assertEqual(run.returncode, 2)
        self.assertIn("broken.jsonl:1", run.stderr)

    def test_no_trace(self):
        run = self.race(text="")
        self.assertEqual(run.returncode, 2)
        self.assertIn("this is no trace", run.stderr)
        run = self.heddle("race", "missing.jsonl")
        self.assertEqual(run.returncode, 2)


if __name__ == "__main__":
    unittest.main()
