"""psycopg2: transactions and errors, cursors on the server, copies, notifications, cancellation."""

import io
import os
import select
import threading

import psycopg2
import psycopg2.extensions
import psycopg2.extras

ONE = psycopg2.connect(os.environ["DATABASE_URL"])
TWO = psycopg2.connect(os.environ["DATABASE_URL"])
TWO.autocommit = True


def rows(connection, sql, *values):
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


with ONE, ONE.cursor() as writer:
    psycopg2.extras.execute_values(writer, "INSERT INTO item VALUES %s",
                                   [(number, f"item {number}") for number in range(1, 6)])
    writer.execute("INSERT INTO item VALUES (%s, %s)", (6, "ü'\\ \"quoted\""))
    print("unseen before the commit:", rows(TWO, "SELECT count(*) FROM item"))
print("seen behind it:", rows(TWO, "SELECT id, name FROM item WHERE id > %s ORDER BY id", 4))

try:
    with ONE, ONE.cursor() as writer:
        writer.execute("UPDATE item SET name = 'lost' WHERE id = 1")
        writer.execute("INSERT INTO item VALUES (1, 'again')")
except psycopg2.IntegrityError as error:
    print("refused:", error.pgcode)
print("rolled back:", rows(TWO, "SELECT name FROM item WHERE id = 1"))

with ONE, ONE.cursor("portal") as on_server:
    on_server.itersize = 2
    on_server.execute("SELECT id FROM item ORDER BY id")
    print("by twos:", [number for number, in on_server])

with ONE, ONE.cursor() as copier:
    copier.copy_expert("COPY item FROM STDIN", io.StringIO("7\tseventh\n8\t\\N\n"))
    copy = io.StringIO()
    copier.copy_expert("COPY (SELECT * FROM item WHERE id > 6 ORDER BY id) TO STDOUT", copy)
    print("copied:", copy.getvalue().splitlines())

with TWO.cursor() as listener:
    listener.execute("LISTEN news")
with ONE, ONE.cursor() as notifier:
    notifier.execute("SELECT pg_notify('news', 'to whom it may concern')")
while not TWO.notifies:
    select.select([TWO], [], [], 30)
    TWO.poll()
print("notified:", TWO.notifies.pop().payload)

ONE.set_session(isolation_level="SERIALIZABLE", readonly=True)
with ONE:
    print("level:", rows(ONE, "SHOW transaction_isolation"))

# The statement runs as soon as somebody waits for the lock that the other session has.
with TWO.cursor() as keeper:
    keeper.execute("SELECT pg_advisory_lock(1)")


def cancel_who_waits():
    while not rows(TWO, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"):
        pass
    ONE.cancel()


canceller = threading.Thread(target=cancel_who_waits)
canceller.start()
try:
    rows(ONE, "SELECT pg_advisory_lock(1)")
except psycopg2.extensions.QueryCanceledError as error:
    print("cancelled:", error.pgcode)
canceller.join()
ONE.rollback()
print("goes on:", rows(ONE, "SELECT 42"))
ONE.close()
TWO.close()
