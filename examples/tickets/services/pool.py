"""A pool of connections: whoever comes when all are in use waits for one."""

import contextlib
import queue

import psycopg2
import psycopg2.extensions

REPEATABLE_READ = psycopg2.extensions.ISOLATION_LEVEL_REPEATABLE_READ


class Pool:
    def __init__(self, address, size):
        self.address = address
        # The one that was given back last is taken first; None is a connection still to be made.
        self.free = queue.LifoQueue()
        for _ in range(size):
            self.free.put(None)

    @contextlib.contextmanager
    def connection(self):
        """A connection that is not in a transaction; one that breaks is not used again."""
        connection = self.free.get()
        try:
            if connection is None or connection.closed:
                connection = None
                connection = psycopg2.connect(self.address)
            connection.autocommit = True
            yield connection
        finally:
            is_broken = connection is None or connection.closed
            if is_broken:
                self.drop_free()
            self.free.put(None if is_broken else connection)

    def drop_free(self):
        """Where the server has ended one connection it has mostly ended all of them."""
        dropped = 0
        with contextlib.suppress(queue.Empty):
            while True:
                connection = self.free.get_nowait()
                dropped += 1
                if connection is not None:
                    connection.close()
        for _ in range(dropped):
            self.free.put(None)

    @contextlib.contextmanager
    def transaction(self, level=None):
        """A cursor between BEGIN and COMMIT, or ROLLBACK where the work raises."""
        with self.connection() as connection:
            connection.autocommit = False
            connection.isolation_level = level
            try:
                with connection, connection.cursor() as cursor:
                    yield cursor
            finally:
                if not connection.closed:
                    connection.isolation_level = None

    def rows(self, text, parameters=()):
        """Runs one statement in a transaction of its own; without a result there are no rows."""
        with self.connection() as connection, connection.cursor() as cursor:
            cursor.execute(text, parameters)
            return cursor.fetchall() if cursor.description else []

    def row(self, text, parameters=()):
        """The first row, or None."""
        found = self.rows(text, parameters)
        return found[0] if found else None
