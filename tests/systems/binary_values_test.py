"""Values that pass in binary are in the trace as the server's own text for them."""

import ctypes
import ctypes.util
import random
import sys
import unittest

import recorded_clients

# One statement for each, with an expression and its type. TimeZone is UTC.
VALUES = {
    "boolean": ["true", "false"],
    "smallint": ["-32768", "32767"],
    "integer": ["-2147483648", "0"],
    "bigint": ["9223372036854775807", "-1"],
    "oid": ["4294967295"],
    "real": ["1.5", "'NaN'", "'-Infinity'", "123456", "1234567", "1e-4", "1e-5", "'-0'", "3.4e38"],
    "double precision": ["1e14", "1e15", "123456789012345.6", "1e-4", "1e-5", "'Infinity'", "1e300"],
    "numeric": ["0", "0.00", "-1", "10000", "12345678901234567890.123456789", "0.00001234", "1e-20",
                "1e20", "'NaN'", "'Infinity'", "'-Infinity'", "100000000.0001", "-0.5", "99999999"],
    "text": ["''", "'ü \" \\'", "repeat('x', 300)"],
    "varchar(10)": ["'abc'"], "char(5)": ["'ab'"], "name": ["'a name'"], "\"char\"": ["'x'"],
    "json": ["'{\"a\": [1, null]}'"], "jsonb": ["'{\"a\": [1, null]}'"], "xml": ["'<a/>'"],
    "bytea": ["'\\x00ff27'", "''"],
    "uuid": ["'550e8400-e29b-41d4-a716-446655440000'"],
    "date": ["'2024-02-29'", "'0044-03-15 BC'", "'infinity'", "'-infinity'", "'10000-01-01'",
             "'1970-01-01'"],
    "time": ["'00:00'", "'24:00'", "'23:59:59.999999'", "'12:30:00.5'"],
    "timetz": ["'12:30+00'", "'12:30:00.25-03:30'", "'01:02:03+05:45:10'"],
    "timestamp": ["'2024-02-29 23:59:59.123456'", "'1999-12-31 23:59:59.9'", "'0001-01-01 BC'",
                  "'infinity'", "'-infinity'"],
    "timestamptz": ["'2024-02-29 23:59:59+02'", "'1900-01-01'"],
    "interval": ["'0'", "'1 year 2 mons 3 days 04:05:06.7'", "'-1 year'", "'-1 day 2 hours'",
                 "'1 mon -1 day'", "'-1 mon 1 day -00:00:01'", "'400:00:00'", "'-2 years -1 mon'"],
    "inet": ["'192.168.0.1'", "'192.168.0.1/24'", "'::1'", "'2001:db8::/32'"],
    "cidr": ["'10.0.0.0/8'", "'10.1.2.3/32'"],
    "integer[]": ["'{}'", "'{1,NULL,-3}'", "'{{1,2},{3,4}}'", "'[0:1]={5,6}'", "'[2:2][0:1]={{5,6}}'"],
    "text[]": ["'{a,\"b c\",\"\",\"NULL\",NULL,\"x,\\\"y\\\\\\\\\"}'"],
    "uuid[]": ["'{550e8400-e29b-41d4-a716-446655440000}'"],
    "numeric[]": ["'{1.50,NaN}'"], "timestamptz[]": ["'{2024-01-01}'"],
    "bytea[]": ["ARRAY['\\x00ff'::bytea]"], "boolean[]": ["'{t,f}'"],
    "jsonb[]": ["ARRAY['{\"a\": 1}'::jsonb]"], "float8[]": ["'{1.5,1e20}'"],
    "mood": ["'glad'"], "digits": ["42"],
}

SECOND = "'1 second'::interval"


def random_values(count):
    draw = random.Random(4)
    for _ in range(count):
        digits = draw.randrange(1, 40)
        number = draw.randrange(-10**digits, 10**digits)
        yield "numeric", f"{number}e-{draw.randrange(45)}"
        yield "double precision", f"{number}e{draw.randrange(-60, 60)}"
        yield "real", f"{draw.uniform(-1, 1)}e{draw.randrange(-30, 30)}"
        yield "timestamp", f"'2000-01-01'::timestamp + {draw.randrange(-10**11, 10**11)} * {SECOND}"
        yield "timestamptz", (f"'2000-01-01'::timestamptz + "
                              f"{draw.randrange(-10**16, 10**16) / 1000000} * {SECOND}")
        yield "date", f"'2000-01-01'::date + {draw.randrange(-700000, 700000)}"
        yield "interval", (f"make_interval(months => {draw.randrange(-50, 50)}, "
                           f"days => {draw.randrange(-5, 5)}, "
                           f"secs => {draw.randrange(-10**6, 10**6) / 1000})")


class Libpq:
    """One connection, by which all passes in binary."""

    def __init__(self):
        self.library = ctypes.CDLL(ctypes.util.find_library("pq") or "libpq.so.5")
        for name in ("PQconnectdb", "PQexec", "PQexecParams", "PQgetResult"):
            getattr(self.library, name).restype = ctypes.c_void_p
        for name in ("PQerrorMessage", "PQresultErrorMessage", "PQgetvalue"):
            getattr(self.library, name).restype = ctypes.c_void_p
        self.connection = ctypes.c_void_p(self.library.PQconnectdb(b"dbname=postgres"))
        self.ask("SET TimeZone = 'UTC'")

    def ask(self, sql, parameter=None):
        """The first value, and its type."""
        count = 0 if parameter is None else 1
        value, kind = parameter or (b"", 0)
        buffer = ctypes.create_string_buffer(value, len(value))
        result = ctypes.c_void_p(self.library.PQexecParams(
            self.connection, sql.encode(), count, (ctypes.c_uint * 1)(kind),
            (ctypes.c_void_p * 1)(ctypes.addressof(buffer)), (ctypes.c_int * 1)(len(value)),
            (ctypes.c_int * 1)(1), 1))
        if self.library.PQresultStatus(result) not in (1, 2):
            message = ctypes.string_at(self.library.PQresultErrorMessage(result)).decode()
            raise AssertionError(f"{sql}: {message}")
        found = None
        if self.library.PQntuples(result) > 0:
            size = self.library.PQgetlength(result, 0, 0)
            found = (ctypes.string_at(self.library.PQgetvalue(result, 0, 0), size),
                     self.library.PQftype(result, 0))
        self.library.PQclear(result)
        return found


def send_all():
    """What runs through the proxies: each value comes, and goes back as a parameter."""
    client = Libpq()
    each_value = [(kind, value) for kind, values in VALUES.items() for value in values]
    for kind, value in each_value + list(random_values(40)):
        found = client.ask(f"SELECT v, format('%s', v) FROM (SELECT ({value})::{kind} AS v) AS s")
        client.ask("SELECT $1", found)


class BinaryValuesTest(recorded_clients.RecordedClients):
    def test_each_is_the_server_s_own_text(self):
        self.server.ask("CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE DOMAIN digits AS int")
        done, statements = self.record("observed", sys.executable, __file__, "send")
        asked = [each for each in statements if each["text"].startswith("SELECT v")]
        sent = [each for each in statements if each["text"].startswith("SELECT $1")]
        self.assertEqual(sum(map(len, VALUES.values())) + 280, len(asked), done.stderr)
        for one, other in zip(asked, sent):
            (value, text), = one["results"][0]["rows"]
            with self.subTest(one["text"]):
                self.assertEqual(text, value)
                self.assertEqual([text], other["parameters"])
                self.assertEqual(text, other["results"][0]["rows"][0][0])


if __name__ == "__main__":
    if sys.argv[1:] == ["send"]:
        send_all()
    else:
        unittest.main()
