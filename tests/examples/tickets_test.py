"""examples/tickets comes up, answers as its functional test says, and leaves nothing behind."""

import os
import pathlib
import re
import signal
import socket
import sys
import tempfile
import unittest

import tickets


class TicketsTest(unittest.TestCase):
    def assert_nothing_left(self, system):
        tickets.wait_until(system.is_gone, "no process is left")
        tickets.wait_until(lambda: not system.leftovers(), "no directory is left")

    def assert_passes(self, system, **variables):
        done = system.run("test", **variables)
        self.assertEqual(0, done.returncode, done.stderr + system.complaints())

    def test_answers_as_it_should_again_and_again_and_leaves_nothing(self):
        system = tickets.start(self)
        self.assertEqual(tickets.SERVICES + ("PostgreSQL",),
                         tuple(line.split()[0] for line in system.lines))
        self.assertGreaterEqual(len(system.family), len(tickets.SERVICES) + 1)
        self.assertEqual(0, system.run("start", "--health").returncode)
        self.assert_passes(system)
        self.assert_passes(system)
        for _ in range(2):
            self.assertEqual(0, system.run("reset").returncode)
            self.assert_passes(system, TICKETS_RUN="1")
        self.assertEqual(1, system.run("test", TICKETS_RUN="1").returncode)
        self.assertEqual(0, system.stop(), system.complaints())
        self.assertEqual("", system.complaints())
        self.assert_nothing_left(system)

    def test_answers_as_it_should_with_every_fault_repaired(self):
        system = tickets.start(self, TICKETS_REPAIR="all", TICKETS_PAYMENTS_TRACE="1")
        self.assert_passes(system)
        self.assert_passes(system)
        self.assertEqual(0, system.stop(signal.SIGINT), system.complaints())
        self.assert_nothing_left(system)

    def test_ends_with_any_of_its_services(self):
        system = tickets.start(self)
        victim = next(process for process in system.family
                      if b"services/seats.js" in self.command_of(process))
        os.kill(victim, signal.SIGKILL)
        self.assertEqual(1, system.process.wait(tickets.SECONDS))
        self.assertIn("tickets: seats has ended", system.complaints())
        self.assert_nothing_left(system)

    def test_leaves_nothing_when_it_is_killed(self):
        system = tickets.start(self)
        system.stop(signal.SIGKILL)
        self.assert_nothing_left(system)

    def test_says_which_port_is_in_use(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            done = self.refused(TICKETS_SEATS_PORT=str(port))
        self.assertRegex(done, rf"\Atickets: port {port} for seats: .*\n\Z")

    def test_says_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(sys.executable, f"{folder}/python3")
            self.assertEqual("tickets: node is missing: install nodejs, 18.19 or later\n",
                             self.refused(PATH=folder))
            node = pathlib.Path(folder, "node")
            node.write_text("#!/bin/sh\necho v16.20.2\n")
            node.chmod(0o755)
            self.assertEqual("tickets: node is too old: v16.20.2, at least 18.19 is needed\n",
                             self.refused(PATH=folder))

    def test_refuses_ports_that_are_none(self):
        for text in ("", "4x", "80", "70000"):
            self.assertRegex(self.refused(TICKETS_SEATS_PORT=text), rf'\Atickets: .*"{text}".*\n\Z')

    def test_refuses_repairs_of_faults_that_there_are_none(self):
        self.assertRegex(self.refused(TICKETS_REPAIR="last-seat,seat"),
                         r'\Atickets: TICKETS_REPAIR: there is no fault "seat": all, .*\n\Z')

    def test_its_page_lists_the_faults_that_can_be_repaired(self):
        page = (tickets.FOLDER / "README.md").read_text()
        faults = page.partition("## Faults")[2].partition("\n## ")[0]
        listed = re.findall(r"^\| ([a-z]+(?:-[a-z]+)*) \|", faults, re.MULTILINE)
        known = self.refused(TICKETS_REPAIR="none").strip().partition(": all, ")[2].split(", ")
        self.assertEqual(known, listed[1:])

    def test_hands_out_its_own_address_only_when_told_so(self):
        for switch, expected in (("0", "/orders/"), ("1", "http://127.0.0.1:")):
            system = tickets.start(self, TICKETS_ABSOLUTE_LOCATION=switch)
            token = system.log_in("ann")
            system.ask("orders", "POST", "/orders", {"customer": "ann", "price": 1}, token)
            self.assertTrue(system.headers["Location"].startswith(expected), system.headers)
            system.stop()

    def refused(self, **variables):
        """What `start` complains of."""
        system = tickets.System(**variables)
        self.addCleanup(system.folder.cleanup)
        self.assertEqual(1, system.stop())
        return system.complaints()

    @staticmethod
    def command_of(process):
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read()


if __name__ == "__main__":
    unittest.main()
