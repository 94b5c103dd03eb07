"""Balances in memory, as the ledger was when somebody last looked: every 100 ms."""

import collections
import sys
import threading

POLL_SECONDS = 0.1


class Balances:
    def __init__(self, pool):
        self.pool = pool
        # Held by whoever reads news or forgets; what was read is guarded by the condition alone, so
        # that nobody who asks for a balance waits for the database.
        self.turn = threading.Lock()
        self.changed = threading.Condition()
        self.highest_id = 0
        self.amounts = collections.Counter()

    def of(self, account):
        with self.changed:
            return self.amounts[account]

    def wait_for(self, entry, seconds):
        """Whether the entry of the ledger has been read before so much time is over."""
        with self.changed:
            return self.changed.wait_for(lambda: self.highest_id >= entry, seconds)

    def reset(self, empty_tables):
        """Nobody reads the ledger while its rows go and their sum is forgotten."""
        with self.turn:
            empty_tables()
            with self.changed:
                self.highest_id = 0
                self.amounts.clear()

    def read_news(self):
        with self.turn:
            news = self.pool.rows("SELECT id, account, amount FROM ledger WHERE id > %s "
                                  "ORDER BY id", (self.highest_id,))
            with self.changed:
                for entry, account, amount in news:
                    self.amounts[account] += amount
                    self.highest_id = entry
                self.changed.notify_all()

    def follow(self):
        """Reads for ever; trouble with the database is said, and it is asked again."""
        pause = threading.Event()
        while not pause.wait(POLL_SECONDS):
            try:
                self.read_news()
            except Exception as error:  # pylint: disable=broad-except
                print(f"accounts: ledger: {error}".strip(), file=sys.stderr, flush=True)
