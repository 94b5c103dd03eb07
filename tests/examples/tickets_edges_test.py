"""Whatever the services of examples/tickets ask of each other and of their databases goes to the
addresses in their environment, one for each caller and callee, and carries the trace it belongs to."""

import http.client
import http.server
import re
import select
import socket
import threading
import unittest

import tickets

# Callers and callees, as heddle.yaml has them.
EDGE = re.compile(r"\{caller: (\w+), callee: ([\w-]+),\s*environment:\s*\{(\w+): \"([^\"]*)\"\}\}")
TERMINATE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'tickets'"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def edges():
    """(caller, callee, variable, value) of the edges between services and stores."""
    found = EDGE.findall((tickets.FOLDER / "heddle.yaml").read_text())
    return [edge for edge in found if edge[0] != "client"]


class HttpRelay(http.server.ThreadingHTTPServer):
    """Passes requests on and keeps the traceparent of each."""

    daemon_threads = True

    def __init__(self, port):
        super().__init__(("127.0.0.1", 0), HttpRelayed)
        self.port = port
        self.seen = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class HttpRelayed(http.server.BaseHTTPRequestHandler):
    def pass_on(self):
        self.server.seen.append((f"{self.command} {self.path}", self.headers["traceparent"]))
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        callee = http.client.HTTPConnection("127.0.0.1", self.server.port)
        callee.request(self.command, self.path, body, dict(self.headers))
        response = callee.getresponse()
        text = response.read()
        callee.close()
        self.send_response(response.status)
        self.send_header("Content-Type", response.headers.get("Content-Type", "text/plain"))
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_DELETE = pass_on

    def log_message(self, *_):
        pass


class BytesRelay:
    """Passes bytes both ways and counts the connections that are open."""

    def __init__(self, port):
        self.port = port
        self.open = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.server_address = self.listener.getsockname()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.open += 1
            threading.Thread(target=self.relay, args=(client,), daemon=True).start()

    def relay(self, client):
        with client, socket.create_connection(("127.0.0.1", self.port)) as store:
            other = {client: store, store: client}
            while True:
                for ready in select.select(list(other), [], [])[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    other[ready].sendall(data)

    def server_close(self):
        self.listener.close()


class EdgesTest(unittest.TestCase):
    def start(self, **variables):
        ports = dict(zip(tickets.NAMES, tickets.free_ports(len(tickets.NAMES))))
        self.relays = {}
        for caller, callee, variable, value in edges():
            is_store = callee.endswith("-db")
            kind = BytesRelay if is_store else HttpRelay
            relay = kind(ports["database" if is_store else callee])
            self.addCleanup(relay.server_close)
            self.relays[caller, callee] = relay
            address = "{}:{}".format(*relay.server_address)
            variables[variable] = value.replace("{address}", address)
        return tickets.start(self, ports, **variables)

    def traces_of(self, system, payments_trace):
        """By edge, what the requests carried that came of requests with one trace."""
        headers = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
        token = system.log_in("ann")
        system.ask("orders", "PUT", "/customers/ann", {})
        system.ask("accounts", "POST", "/accounts/ann/entries", {"amount": 100}, token)
        system.ask("accounts", "GET", "/balances/ann?settled=true", None, token)
        for relay in self.relays.values():
            relay.seen = []
        made = system.ask("orders", "POST", "/orders", {"customer": "ann", "price": 5}, token, **headers)
        order = made[1]["id"]
        payment = {"order": order, "account": "ann"}
        system.ask("payments", "POST", "/payments", payment, token, "key", **headers)
        system.ask("cancellations", "POST", "/cancellations", {"order": order}, token, **headers)
        system.ask("accounts", "GET", "/users/ann/overview", None, token, **headers)
        # The outbox tells the seat service later, in the same trace.
        system.ask("seats", "GET", f"/events/{order}")
        for edge, relay in self.relays.items():
            if not edge[1].endswith("-db"):
                carried = {trace is not None and trace.split("-")[1] == TRACE for _, trace in relay.seen}
                expected = {payments_trace} if edge[0] == "payments" else {True}
                self.assertEqual(expected, carried, (edge, relay.seen))

    def test_all_edges_are_used_and_nobody_goes_another_way(self):
        system = self.start()
        done = system.run("test")
        self.assertEqual(0, done.returncode, done.stderr + system.complaints())
        open_at_server = self.connections(system)
        for (caller, callee), relay in self.relays.items():
            if callee.endswith("-db"):
                self.assertEqual(open_at_server[caller], relay.open, caller)
                self.assertGreater(relay.open, 0)
            else:
                self.assertTrue(relay.seen, (caller, callee))
        self.traces_of(system, payments_trace=False)

    def test_the_payment_service_passes_traces_on_when_told_so(self):
        self.traces_of(self.start(TICKETS_PAYMENTS_TRACE="1"), payments_trace=True)

    def connections(self, system):
        """By service, how many connections its database has."""
        answer = system.query("postgres", "SELECT datname, count(*) FROM pg_stat_activity "
                              "WHERE usename = 'tickets' GROUP BY datname")
        return {name: int(count) for name, count in (line.split("|") for line in answer)}

    def test_a_service_survives_the_end_of_a_transaction_that_waits_for_another(self):
        system = tickets.start(self)
        lock = tickets.Database(system, "seats")
        self.addCleanup(lock.close)
        lock.rows("BEGIN; LOCK TABLE events IN SHARE MODE")
        token = system.log_in("ann")
        made = system.ask("orders", "POST", "/orders", {"customer": "ann", "price": 5}, token)
        waits = ("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                 "AND usename = 'tickets'")
        tickets.wait_until(lambda: system.query("seats", waits) == ["1"], "the outbox is told of")
        system.query("postgres", TERMINATE + " AND datname = 'orders'")
        lock.rows("COMMIT")
        tickets.wait_until(lambda: self.is_healthy(system), "healthy again")
        order = made[1]["id"]
        self.assertEqual((200, [{"topic": "ordered"}]),
                         system.ask("seats", "GET", f"/events/{order}"))
        unsent = "SELECT count(*) FROM outbox WHERE NOT sent"
        tickets.wait_until(lambda: system.query("orders", unsent) == ["0"], "all is sent")

    def is_healthy(self, system):
        self.assertIsNone(system.process.poll(), system.complaints())
        return system.run("start", "--health").returncode == 0

    def test_services_come_back_when_their_connections_are_ended(self):
        system = tickets.start(self)
        self.assertEqual(0, system.run("test").returncode)
        system.query("postgres", TERMINATE)
        tickets.wait_until(lambda: self.is_healthy(system), "healthy again")
        done = system.run("test")
        self.assertEqual(0, done.returncode, done.stderr + system.complaints())


if __name__ == "__main__":
    unittest.main()
