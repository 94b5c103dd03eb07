"""Every fault of examples/tickets breaks when its requests overlap, and does not when it is repaired; no
look-alike breaks.

A lock in SHARE mode on a table lets everybody read, also FOR UPDATE, and nobody write. Requests are sent
while the test holds one; when all of them wait for a lock, they have read what they decide by, and the
lock is given back. Nothing depends on time: who waits is read from the server."""

import concurrent.futures
import os
import signal
import unittest

import tickets

WAITERS = ("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
           "AND usename = 'tickets' AND wait_event_type = 'Lock'")
LOCKERS = ("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
           "AND usename = 'postgres' AND wait_event_type = 'Lock'")
READER = ("SELECT pid FROM pg_stat_activity WHERE datname = 'accounts' "
          "AND query LIKE 'SELECT id, account, amount FROM ledger%'")

FAULTS = ("payment-cancel,stale-balance,wallet-overlap,last-seat,registration,async-branch,loyalty,"
          "voucher,double-refund,invoice-number,purse-total,hold-expiry,duty")


class ModuleCleanup:
    """What systems that all tests share are cleaned up with."""

    addCleanup = staticmethod(unittest.addModuleCleanup)


SYSTEMS = {}
POOL = concurrent.futures.ThreadPoolExecutor(8)


def setUpModule():
    unittest.addModuleCleanup(POOL.shutdown)
    for repair in ("", FAULTS):
        SYSTEMS[repair] = tickets.start(ModuleCleanup, TICKETS_REPAIR=repair)


class RacesTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.databases = {}
        self.addCleanup(lambda: [each.close() for each in self.databases.values()])

    def use(self, repair):
        """From here on requests go to the system with these repairs, in its first state."""
        self.system = SYSTEMS[repair]
        for database in self.databases.values():
            database.close()
        self.databases = {}
        self.assertEqual(0, self.system.run("reset").returncode)
        self.token = self.system.log_in("ann")

    def database(self, name, use="look"):
        if (name, use) not in self.databases:
            self.databases[name, use] = tickets.Database(self.system, name)
        return self.databases[name, use]

    def ask(self, service, method, path, body=None, key=None):
        return self.system.ask(service, method, path, body, self.token, key)

    def post(self, service, path, body=None, key=None):
        return self.ask(service, "POST", path, body, key)

    def make(self, service, path, body=None):
        """The id of what is made."""
        return self.post(service, path, body)[1]["id"]

    def begin(self, service, path, body=None, key=None, method="POST"):
        return POOL.submit(self.ask, service, method, path, body, key)

    def await_waiters(self, database, count, who=WAITERS):
        tickets.wait_until(lambda: self.database(database).number(who) == count,
                           f"{count} wait for a lock in {database}")

    def lock(self, table, mode="SHARE", use="lock"):
        database, _, name = table.partition(".")
        self.database(database, use).rows("BEGIN")
        self.database(database, use).send(f"LOCK TABLE {name} IN {mode} MODE")
        return self.database(database, use)

    def overlap(self, table, *requests, waiting=2):
        """The answers of requests that have all come to where they wait for the lock, or each other."""
        lock = self.lock(table)
        lock.answer()
        running = []
        for number, request in enumerate(requests, 1):
            running.append(self.begin(*request))
            # One after the other, so that it is known who comes first.
            self.await_waiters(table.partition(".")[0], min(number, waiting))
        lock.rows("COMMIT")
        return [each.result() for each in running]

    def statuses(self, table, *requests, **more):
        """Sorted, because the lock's end lets all of them go at once."""
        return sorted(status for status, _ in self.overlap(table, *requests, **more))

    def check(self, scene, broken, sound):
        """What the scene comes to with the faults, and with all of them repaired."""
        for repair, expected in (("", broken), (FAULTS, sound)):
            with self.subTest(repair=repair):
                self.use(repair)
                self.assertEqual(expected, scene())


class FaultsTest(RacesTest):
    def deposit(self, account, amount):
        self.post("accounts", f"/accounts/{account}/entries", {"amount": amount})
        self.ask("accounts", "GET", f"/balances/{account}?settled=true")

    def order(self, price):
        return self.make("orders", "/orders", {"customer": "ann", "price": price})

    def really_has(self, account):
        return self.ask("accounts", "GET", f"/accounts/{account}")[1]["balance"]

    def test_payment_and_cancellation(self):
        def scene():
            self.deposit("ann", 100)
            order = self.order(100)
            lock = self.lock("payments.payments")
            lock.answer()
            paying = self.begin("payments", "/payments", {"order": order, "account": "ann"}, "k")
            self.await_waiters("payments", 1)
            cancelled, _ = self.post("cancellations", "/cancellations", {"order": order})
            lock.rows("COMMIT")
            paid, _ = paying.result()
            refunds = self.ask("cancellations", "GET", f"/cancellations?order={order}")[1]
            return paid, cancelled, refunds, self.really_has("ann")

        self.check(scene, (201, 201, [{"refund": 0}], 0), (201, 409, [], 0))

    def pay_twice(self):
        self.deposit("ann", 100)
        bodies = [{"order": self.order(100), "account": "ann"} for _ in range(2)]
        return [("payments", "/payments", body, f"key-{number}") for number, body in enumerate(bodies)]

    def test_balance_checked_by_two_that_overlap(self):
        def scene():
            answers = self.statuses("accounts.accounts", *self.pay_twice())
            return answers, self.really_has("ann")

        self.check(scene, ([201, 201], -100), ([201, 402], 0))

    def test_balance_read_after_an_answer_before_the_poll(self):
        def scene():
            requests = self.pay_twice()
            reader = self.database("accounts").number(READER)
            os.kill(reader, signal.SIGSTOP)
            try:
                answers = [self.post(*request)[0] for request in requests]
            finally:
                os.kill(reader, signal.SIGCONT)
            return answers, self.really_has("ann")

        self.check(scene, ([201, 201], -100), ([201, 402], 0))

    def test_balance_that_has_settled(self):
        def scene():
            first, second = self.pay_twice()
            answers = [self.post(*first)[0]]
            self.ask("accounts", "GET", "/balances/ann?settled=true")
            return answers + [self.post(*second)[0]]

        self.check(scene, [201, 402], [201, 402])

    def test_wallet(self):
        def cards():
            self.post("accounts", "/wallets/ann/topups", {"amount": 100})
            return [("payments", "/gift-cards", {"code": code, "customer": "ann", "amount": 80})
                    for code in "xy"]

        def scene():
            answers = self.statuses("accounts.wallets", *cards())
            return answers, self.ask("accounts", "GET", "/wallets/ann")[1]["balance"]

        self.check(scene, ([201, 201], -60), ([201, 402], 20))
        # Nothing is remembered: one after the other is in order also where it is not repaired.
        self.use("")
        self.assertEqual([201, 402], [self.post(*card)[0] for card in cards()])

    def test_last_seat(self):
        def scene():
            train = self.make("seats", "/trains", {"capacity": 1})
            answers = self.statuses("seats.reservations", *[
                ("seats", "/reservations", {"train": train, "customer": name}) for name in "xy"])
            return answers, len(self.ask("seats", "GET", f"/reservations?train={train}")[1])

        self.check(scene, ([201, 201], 2), ([201, 409], 1))

    def test_registration(self):
        def scene():
            user = {"name": "kim", "password": "secret"}
            answers = self.statuses("accounts.users", *[("accounts", "/users", user)] * 2)
            return answers, self.database("accounts").number(
                "SELECT count(*) FROM users WHERE name = 'kim'")

        self.check(scene, ([201, 201], 2), ([201, 409], 1))

    def test_branch_of_one_request(self):
        # The first lock lets the row be made when the second one stands in line for the table, so that
        # neither branch writes before both have read, unless one waits for the other.
        def scene(waiting):
            order = self.order(10)
            first = self.lock("orders.returns", use="first")
            first.answer()
            returning = self.begin("cancellations", "/returns", {"order": order})
            self.await_waiters("orders", 1)
            second = self.lock("orders.returns", use="second")
            self.await_waiters("orders", 1, LOCKERS)
            first.rows("COMMIT")
            second.answer()
            self.await_waiters("orders", waiting)
            second.rows("COMMIT")
            made = returning.result()[1]["id"]
            self.await_waiters("orders", 0)
            return self.settled_fee(made)

        for repair, waiting, expected in (("", 2, (3, 5)), (FAULTS, 1, (8,))):
            with self.subTest(repair=repair):
                self.use(repair)
                self.assertIn(scene(waiting), expected)

    def settled_fee(self, made):
        """The fee when the branch on the side has ended, too: no statement of orders runs."""
        busy = ("SELECT count(*) FROM pg_stat_activity WHERE datname = 'orders' "
                "AND usename = 'tickets' AND query LIKE '%returns%' AND state <> 'idle'")
        tickets.wait_until(lambda: self.database("orders").number(busy) == 0, "all fees are written")
        return self.ask("orders", "GET", f"/returns/{made}")[1]["fee"]

    def test_loyalty(self):
        def scene():
            self.ask("orders", "PUT", "/customers/ann", {})
            self.overlap("orders.customers", ("orders", "/customers/ann/points", {"add": 10}),
                         ("orders", "/customers/ann/points", {"add": 10}))
            return self.ask("orders", "GET", "/customers/ann")[1]["points"]

        self.check(scene, 10, 20)

    def test_voucher(self):
        def scene():
            voucher = self.make("orders", "/vouchers", {"worth": 25})
            return self.statuses("orders.vouchers", *[
                ("orders", f"/vouchers/{voucher}/redeem", {"customer": name}) for name in "xy"])

        self.check(scene, [200, 200], [200, 409])

    def test_double_refund(self):
        def scene():
            self.deposit("ann", 100)
            self.post("payments", "/payments", {"order": self.order(100), "account": "ann"}, "paid")
            answers = self.statuses("payments.payments",
                                    *[("payments", "/refunds", {"payment": "paid"})] * 2)
            return answers, self.really_has("ann")

        self.check(scene, ([201, 201], 200), ([201, 409], 100))

    def test_invoice_number(self):
        def scene():
            answers = self.overlap("orders.invoices", *[
                ("orders", "/invoices", {"year": 2020, "amount": amount}) for amount in (1, 2)])
            return sorted(body["number"] for _, body in answers)

        self.check(scene, [1, 1], [1, 2])

    def test_hold_expiry(self):
        def scene():
            hold = self.make("seats", "/holds", {"train": 1, "seat": 1})
            answers = self.statuses("seats.holds", ("seats", f"/holds/{hold}/confirm"),
                                    ("seats", f"/holds/{hold}/release"))
            return answers.count(409)

        self.check(scene, 0, 1)

    def test_duty(self):
        def scene():
            station = self.make("seats", "/stations", {"name": "north"})
            staff = [self.make("seats", f"/stations/{station}/staff", {"name": name})
                     for name in "xy"]
            return self.statuses("seats.staff", *[
                ("seats", f"/stations/{station}/staff/{each}/leave") for each in staff])

        self.check(scene, [204, 204], [204, 409])

    def test_purse_total(self):
        # In line for the table: the first read, a lock, the transfer, a lock, and then the second read.
        def scene():
            one, other = (self.make("orders", "/purses", {"points": points}) for points in (70, 30))
            exclusive = "ACCESS EXCLUSIVE"
            locks = [self.lock("orders.purses", exclusive, "0")]
            locks[0].answer()
            total = self.begin("orders", f"/purse-total?one={one}&other={other}", method="GET")
            self.await_waiters("orders", 1)
            locks.append(self.lock("orders.purses", exclusive, "1"))
            self.await_waiters("orders", 1, LOCKERS)
            moving = self.begin("orders", "/purse-transfers", {"from": one, "to": other, "points": 20})
            self.await_waiters("orders", 2)
            locks.append(self.lock("orders.purses", exclusive, "2"))
            self.await_waiters("orders", 2, LOCKERS)
            locks[0].rows("COMMIT")
            locks[1].answer()
            if self.system.environment["TICKETS_REPAIR"] == "":
                self.await_waiters("orders", 2)
            locks[1].rows("COMMIT")
            locks[2].answer()
            locks[2].rows("COMMIT")
            return moving.result()[0], total.result()[1]["total"]

        self.check(scene, (204, 120), (204, 100))


class LookAlikesTest(RacesTest):
    def setUp(self):
        super().setUp()
        self.use("")

    def test_display_read(self):
        self.post("accounts", "/accounts/ann/entries", {"amount": 100})
        self.ask("accounts", "GET", "/balances/ann?settled=true")
        order = self.make("orders", "/orders", {"customer": "ann", "price": 10})
        lock = self.lock("payments.payments")
        lock.answer()
        payment = {"order": order, "account": "ann"}
        paying = self.begin("payments", "/payments", payment, "key")
        self.await_waiters("payments", 1)
        seen = [self.ask("orders", "GET", f"/orders/{order}")[1]["status"]]
        lock.rows("COMMIT")
        self.assertEqual(201, paying.result()[0])
        seen.append(self.ask("orders", "GET", f"/orders/{order}")[1]["status"])
        self.assertEqual(["open", "paid"], seen)

    def test_equal_ids(self):
        labels = [(service, "/labels/7", {"text": service}, None, "PUT")
                  for service in ("orders", "seats")]
        self.assertEqual([204, 204], self.statuses("orders.labels", *labels, waiting=1))
        for service in ("orders", "seats"):
            self.assertEqual([service], self.database(service).rows("SELECT text FROM labels"))

    def test_repeated_delete_and_append_only(self):
        draft = self.make("orders", "/drafts", {"text": "none"})
        delete = ("orders", f"/drafts/{draft}", None, None, "DELETE")
        self.assertEqual([204, 204], self.statuses("orders.drafts", delete, delete))
        feedback = [("cancellations", "/feedback", {"order": 1, "text": text}) for text in "xy"]
        self.assertEqual([204, 204], self.statuses("cancellations.feedback", *feedback))
        self.assertEqual(["x", "y"], self.database("cancellations").rows(
            "SELECT text FROM feedback ORDER BY text"))

    def test_snapshot_report(self):
        # The first read has its snapshot; the second one waits for a table until bonds are bought.
        assets = self.make("accounts", "/assets", {"cash": 100})
        lock = self.lock("accounts.moves", "ACCESS EXCLUSIVE")
        lock.answer()
        buying = self.begin("accounts", f"/assets/{assets}/bonds", {"amount": 30})
        self.await_waiters("accounts", 1)
        showing = self.begin("accounts", f"/assets/{assets}", method="GET")
        self.await_waiters("accounts", 2)
        lock.rows("COMMIT")
        self.assertEqual(204, buying.result()[0])
        self.assertEqual((200, {"cash": 100, "bonds": 0, "moved": 0}), showing.result())
        self.assertEqual((200, {"cash": 70, "bonds": 30, "moved": 30}),
                         self.ask("accounts", "GET", f"/assets/{assets}"))

    def test_healing_cache(self):
        train = self.make("seats", "/trains", {"capacity": 1})
        place = f"/trains/{train}/departure"
        self.ask("seats", "GET", place)
        self.ask("seats", "PUT", place, {"departure": "08:05"})
        tickets.wait_until(lambda: self.ask("seats", "GET", place)[1]["departure"] == "08:05",
                           "the new time is shown")

    def test_version_column(self):
        profile = self.make("orders", "/profiles", {"motto": "none"})
        self.assertEqual([200, 409], self.statuses("orders.profiles", *[
            ("orders", f"/profiles/{profile}", {"motto": name}, None, "PUT") for name in "xy"]))

    def test_disjoint_columns(self):
        self.ask("orders", "PUT", "/customers/ann", {})
        self.overlap("orders.customers",
                     ("orders", "/customers/ann/phone", {"phone": "555-0100"}, None, "PUT"),
                     ("orders", "/customers/ann/address", {"address": "here"}, None, "PUT"))
        self.assertEqual({"name": "ann", "points": 0, "phone": "555-0100", "address": "here"},
                         self.ask("orders", "GET", "/customers/ann")[1])

    def sums(self, table, service, path, body, field, waiting=2):
        answers = self.overlap(table, *[(service, path, body)] * 2, waiting=waiting)
        return sorted(answer[field] for _, answer in answers)

    def test_locks_of_the_database_and_of_a_service(self):
        counter, till = self.make("orders", "/counters"), self.make("payments", "/tills")
        savings = self.make("accounts", "/savings")
        self.assertEqual([1, 2], self.sums("orders.counters", "orders", f"/counters/{counter}/bump",
                                           None, "reached"))
        self.assertEqual([1, 2], self.sums("payments.tills", "payments", f"/tills/{till}/cash",
                                           {"add": 1}, "cash", waiting=1))
        self.assertEqual([1, 2], self.sums("accounts.savings", "accounts",
                                           f"/savings/{savings}/deposits", {"amount": 1}, "amount"))

    def test_idempotency_key(self):
        self.post("accounts", "/accounts/ann/entries", {"amount": 100})
        self.ask("accounts", "GET", "/balances/ann?settled=true")
        order = self.make("orders", "/orders", {"customer": "ann", "price": 10})
        payment = ("payments", "/payments", {"order": order, "account": "ann"}, "key")
        self.assertEqual([201, 201], self.statuses("payments.payments", payment, payment, waiting=1))
        self.assertEqual({"balance": 90}, self.ask("accounts", "GET", "/accounts/ann")[1])

    def test_atomic_add(self):
        fund = self.make("payments", "/funds")
        donation = ("payments", f"/funds/{fund}/donations", {"amount": 5})
        self.overlap("payments.funds", donation, donation)
        total = self.ask("payments", "GET", f"/funds/total?one={fund}&other=0")[1]
        self.assertEqual({"total": 10}, total)

    def test_insert_if_absent_and_upsert(self):
        reason = ("cancellations", "/reasons/snow", {"text": "Snow"}, None, "PUT")
        self.assertEqual([204, 204], self.statuses("cancellations.reasons", reason, reason))
        setting = ("orders", "/settings/ann", {"language": "en"}, None, "PUT")
        self.assertEqual([204, 204], self.statuses("orders.settings", setting, setting))

    def test_serializable_retry(self):
        depot = self.make("seats", "/depots", {"name": "north"})
        drivers = [self.make("seats", f"/depots/{depot}/drivers", {"name": name}) for name in "xy"]
        self.assertEqual([204, 409], self.statuses("seats.drivers", *[
            ("seats", f"/depots/{depot}/drivers/{each}/rest") for each in drivers]))

    def test_compare_and_set(self):
        gate = self.make("seats", "/gates")
        self.assertEqual([200, 409], self.statuses("seats.gates", *[
            ("seats", f"/gates/{gate}/open", {"by": name}) for name in "xy"]))

    def test_skip_locked(self):
        self.post("seats", "/cleanings", {"train": 1, "cars": 2})
        claim = ("seats", "/cleanings/claim", {"train": 1, "by": "bob"})
        answers = self.overlap("seats.cleanings", claim, claim)
        self.assertEqual([1, 2], sorted(body["car"] for _, body in answers))

    def test_unique_key(self):
        email = ("accounts", "/emails", {"email": "ann@example.org", "name": "ann"})
        self.assertEqual([201, 409], self.statuses("accounts.emails", email, email))


if __name__ == "__main__":
    unittest.main()
