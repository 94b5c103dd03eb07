"""Users and their money. Issues and checks tokens, and keeps balances in memory."""

import hashlib
import json
import logging
import os
import pathlib
import sys
import threading
import urllib.error
import urllib.request

import flask
import psycopg2.errors
from werkzeug.exceptions import HTTPException

import tokens
from balances import Balances
from pool import REPEATABLE_READ, Pool

PORT = int(os.environ.get("TICKETS_ACCOUNTS_PORT", "42005"))
ORDERS_PORT = os.environ.get("TICKETS_ORDERS_PORT", "42001")
DATABASE_PORT = os.environ.get("TICKETS_DATABASE_PORT", "42010")
REPAIRS = os.environ.get("TICKETS_REPAIR", "").split(",")
ROWS = pathlib.Path(__file__).resolve().parents[1] / "schema" / "accounts-rows.sql"
DATABASE = os.environ.get("ACCOUNTS_DATABASE_URL",
                          f"postgres://tickets:tickets@127.0.0.1:{DATABASE_PORT}/accounts")
ORDERS = os.environ.get("ACCOUNTS_ORDERS_URL", f"http://127.0.0.1:{ORDERS_PORT}")
WAIT_SECONDS = 10

app = flask.Flask("accounts")
pool = Pool(DATABASE, 5)
# The reader of the ledger has a connection of its own.
balances = Balances(Pool(DATABASE, 1))


class Refusal(Exception):
    """What the client is told: a status and the reason."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


@app.errorhandler(Exception)
def tell(error):
    if isinstance(error, Refusal):
        return {"error": str(error)}, error.status
    if isinstance(error, HTTPException):
        return {"error": error.description}, error.code
    print(f"accounts: error: {flask.request.method} {flask.request.path}: {error}".strip(),
          file=sys.stderr, flush=True)
    return {"error": "internal error"}, 500


def is_repaired(fault):
    return fault in REPAIRS or "all" in REPAIRS


def found(row):
    if row is None:
        raise Refusal(404, "not found")
    return row


def check_token():
    """The user whose token came with the request."""
    kind, _, token = flask.request.headers.get("Authorization", "").partition(" ")
    user = tokens.user_of(token) if kind == "Bearer" else None
    if user is None:
        raise Refusal(401, "no valid token")
    return user


def field(name):
    """A field of the request's body."""
    body = flask.request.get_json()
    if name not in body:
        raise Refusal(400, f"{name} is missing")
    return body[name]


@app.get("/health")
def health():
    pool.rows("SELECT 1")
    return {"service": "accounts"}


@app.post("/admin/reset")
def reset():
    balances.reset(lambda: pool.rows(ROWS.read_text()))
    return "", 204


# --- Users -------------------------------------------------------------------------------------

def hash_of(name, password):
    # The name is the salt, so that a registration leaves the same row each time it is replayed.
    return hashlib.pbkdf2_hmac("sha256", password.encode(), name.encode(), 1000).hex()


@app.post("/users")
def register():
    """Fault registration: whether the name is taken is looked at, then it is taken."""
    name, password = field("name"), field("password")
    with pool.transaction() as cursor:
        if is_repaired("registration"):
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (name,))
        cursor.execute("SELECT id FROM users WHERE name = %s", (name,))
        if cursor.fetchone():
            raise Refusal(409, "the name is taken")
        cursor.execute("INSERT INTO users (name, password_hash) VALUES (%s, %s) RETURNING id",
                       (name, hash_of(name, password)))
        return {"id": cursor.fetchone()[0], "name": name}, 201


@app.post("/login")
def login():
    name, password = field("user"), field("password")
    row = pool.row("SELECT password_hash FROM users WHERE name = %s ORDER BY id LIMIT 1", (name,))
    if row is None or row[0] != hash_of(name, password):
        raise Refusal(401, "wrong name or password")
    token = tokens.issue(name)
    response = flask.jsonify(token=token, expires_in=tokens.LIFETIME_SECONDS)
    response.set_cookie("session", token, httponly=True, samesite="Strict")
    return response


@app.get("/session")
def session():
    return {"user": check_token()}


@app.post("/emails")
def add_email():
    """Look-alike unique-key: looked at, then inserted, but the key refuses the second."""
    email, name = field("email"), field("name")
    if pool.row("SELECT name FROM emails WHERE email = %s", (email,)):
        raise Refusal(409, "the address is taken")
    try:
        pool.rows("INSERT INTO emails (email, name) VALUES (%s, %s)", (email, name))
    except psycopg2.errors.UniqueViolation as error:
        raise Refusal(409, "the address is taken") from error
    return {"email": email}, 201


@app.get("/users/<name>/overview")
def overview(name):
    """What this service and the order service know of somebody."""
    request = urllib.request.Request(f"{ORDERS}/customers/{name}")
    if "traceparent" in flask.request.headers:
        request.add_header("traceparent", flask.request.headers["traceparent"])
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            customer = json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            raise Refusal(404 if error.code == 404 else 502, "no such customer") from error
    row = pool.row("SELECT balance FROM wallets WHERE name = %s", (name,))
    return {"name": name, "points": customer["points"], "wallet": row[0] if row else 0}


# --- Accounts: a ledger, and what is known of it in memory -------------------------------------

@app.get("/balances/<name>")
def balance(name):
    """The balance in memory; with ?settled=true, as soon as it has all the ledger has now."""
    check_token()
    if flask.request.args.get("settled") == "true":
        newest = pool.row("SELECT coalesce(max(id), 0) FROM ledger WHERE account = %s", (name,))
        if not balances.wait_for(newest[0], WAIT_SECONDS):
            raise Refusal(503, "the ledger was not read in time")
    return {"balance": balances.of(name)}


@app.get("/accounts/<name>")
def account(name):
    """What is really there, unlike the balance in memory."""
    check_token()
    row = found(pool.row("SELECT balance FROM accounts WHERE name = %s", (name,)))
    return {"balance": row[0]}


# Entry and account change in one statement, in which the id is drawn when the account is locked. So
# the ids of one account are committed in their order, however long anybody waits before.
ENTER = """\
WITH changed AS (
  INSERT INTO accounts (name, balance) VALUES (%(name)s, %(amount)s)
  ON CONFLICT (name) DO UPDATE SET balance = accounts.balance + excluded.balance
  RETURNING name)
INSERT INTO ledger (account, amount) SELECT name, %(amount)s FROM changed RETURNING id"""
ENTER_IF_COVERED = """\
WITH changed AS (
  UPDATE accounts SET balance = balance + %(amount)s
  WHERE name = %(name)s AND balance + %(amount)s >= 0
  RETURNING name)
INSERT INTO ledger (account, amount) SELECT name, %(amount)s FROM changed RETURNING id"""


@app.post("/accounts/<name>/entries")
def enter(name):
    """Fault stale-balance, with the payment service: whoever asks has looked before."""
    check_token()
    amount = field("amount")
    is_checked = amount < 0 and is_repaired("stale-balance")
    row = pool.row(ENTER_IF_COVERED if is_checked else ENTER, {"name": name, "amount": amount})
    if row is None:
        raise Refusal(402, "not enough money")
    return {"amount": amount}, 201


# --- Wallets: no memory, no token --------------------------------------------------------------

@app.post("/wallets/<name>/topups")
def top_up(name):
    amount = field("amount")
    pool.rows("INSERT INTO wallets (name, balance) VALUES (%s, %s) ON CONFLICT (name) "
              "DO UPDATE SET balance = wallets.balance + excluded.balance", (name, amount))
    return "", 204


@app.get("/wallets/<name>")
def wallet(name):
    return {"balance": found(pool.row("SELECT balance FROM wallets WHERE name = %s", (name,)))[0]}


@app.post("/wallets/<name>/charges")
def charge(name):
    """Fault wallet-overlap, with the payment service: whoever asks has looked before."""
    amount = field("amount")
    condition = "AND balance >= %(amount)s " if is_repaired("wallet-overlap") else ""
    row = pool.row("UPDATE wallets SET balance = balance - %(amount)s WHERE name = %(name)s "
                   f"{condition}RETURNING name", {"name": name, "amount": amount})
    if row is None:
        raise Refusal(402, "not enough money")
    return "", 204


# --- Further look-alikes -----------------------------------------------------------------------

@app.post("/savings")
def open_savings():
    row = pool.row("INSERT INTO savings (amount) VALUES (0) RETURNING id")
    return {"id": row[0]}, 201


@app.post("/savings/<int:number>/deposits")
def deposit(number):
    """Look-alike for-update: read and written back, but locked from the read on."""
    add = field("amount")
    with pool.transaction() as cursor:
        cursor.execute("SELECT amount FROM savings WHERE id = %s FOR UPDATE", (number,))
        amount = found(cursor.fetchone())[0] + add
        cursor.execute("UPDATE savings SET amount = %s WHERE id = %s", (amount, number))
    return {"amount": amount}


@app.post("/assets")
def open_assets():
    row = pool.row("INSERT INTO assets (cash, bonds) VALUES (%s, 0) RETURNING id", (field("cash"),))
    return {"id": row[0]}, 201


@app.post("/assets/<int:number>/bonds")
def buy_bonds(number):
    amount = field("amount")
    with pool.transaction() as cursor:
        cursor.execute("UPDATE assets SET cash = cash - %s, bonds = bonds + %s WHERE id = %s",
                       (amount, amount, number))
        cursor.execute("INSERT INTO moves (asset, amount) VALUES (%s, %s)", (number, amount))
    return "", 204


@app.get("/assets/<int:number>")
def show_assets(number):
    """Look-alike snapshot-report: two reads, but of one snapshot."""
    with pool.transaction(REPEATABLE_READ) as cursor:
        cursor.execute("SELECT cash, bonds FROM assets WHERE id = %s", (number,))
        cash, bonds = found(cursor.fetchone())
        cursor.execute("SELECT coalesce(sum(amount), 0)::int FROM moves WHERE asset = %s",
                       (number,))
        return {"cash": cash, "bonds": bonds, "moved": cursor.fetchone()[0]}


if __name__ == "__main__":
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    flask.cli.show_server_banner = lambda *_: None
    threading.Thread(target=balances.follow, daemon=True).start()
    app.run("127.0.0.1", PORT, threaded=True)
