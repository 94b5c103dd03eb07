#include "frontend/config/system_template.h"

namespace heddle {

namespace {

constexpr std::string_view kTemplate =
    R"yaml(# What heddle has to know of this system. Replace the shop below by your own
# services and stores, then look whether all of it passes through heddle: heddle record --check
#
# Texts may have variables of the environment in them: ${NAME} has to be set, ${NAME:-value} need
# not.
system:
  # The command that starts everything, in the folder of this file; its words as a list, no shell.
  # It may go on running or leave others behind. [] where the system runs already, or where each
  # service has a start of its own.
  start: [./start]
  # The command that stops it; heddle then ends what is left of what it started.
  stop: [./stop]
  # The command that brings all data back to the beginning, for runs that are repeated. Recording
  # alone never runs it.
  reset: [./reset]
  # How heddle knows that the system is up: a URL that answers with a status below 400, or a
  # command that ends with exit code 0.
  health: ["http://127.0.0.1:${SHOP_PORT:-8080}/health"]
  # A command that ends with exit code 0 when the system does nothing any more, where heddle
  # cannot see that from outside. [] where it can.
  rest: []

  # The services, by names of yours.
  services:
    shop:
      # Where it listens: HOST:PORT. heddle connects to it there.
      address: 127.0.0.1:${SHOP_PORT:-8080}
      # Its own start command, where there is none for everything.
      start: []
      # As above, for this service alone. [] waits until somebody listens at its address.
      health: []
      # Files that it writes its log to. Recording does not read them yet.
      logs: []
    payments:
      address: 127.0.0.1:${PAYMENTS_PORT:-8081}

  # The stores, by names of yours.
  stores:
    shop-db:
      # What it is: postgres is what heddle has a proxy for.
      kind: postgres
      # Where it listens: HOST:PORT/DATABASE, or the path of a socket.
      address: 127.0.0.1:${SHOP_DATABASE_PORT:-5432}/shop
      # Other names of this store, where several stores above are one. Recording does not use them
      # yet.
      aliases: []
      # The variable of the environment that holds heddle's own way to the database, past the
      # proxies, as in HEDDLE_SHOP_DB=postgres://me:secret@127.0.0.1:5432/shop; it is for looking
      # up the names of tables and who else is connected, and it keeps the password out of this
      # file.
      own: HEDDLE_SHOP_DB

  # Who calls whom. For each edge heddle listens, and the caller has to connect there instead: it
  # is started with the variables of its edges. Started without heddle, it goes the direct way.
  edges:
    # An outer edge: requests come in here. The command that you record gets its variables.
    # The caller of an outer edge is no service, and may be called anything; else it is a service.
    - caller: client
      # The service or store that is called.
      callee: shop
      # Whether requests come in here from outside.
      outer: true
      # Where heddle listens; port 0 is any that is free.
      listen: 127.0.0.1:0
      # What tells the caller so: {address} becomes HOST:PORT; there are {host} and {port}, too.
      environment:
        SHOP_URL: "http://{address}"

    # An inner edge: one service calls another one.
    - caller: shop
      callee: payments
      listen: 127.0.0.1:0
      environment:
        PAYMENTS_URL: "http://{address}"

    # A service uses a store. Each service that does has an edge of its own.
    - caller: shop
      callee: shop-db
      listen: 127.0.0.1:0
      environment:
        SHOP_DATABASE_URL: "postgres://shop:${SHOP_DATABASE_PASSWORD:-shop}@{address}/shop"
      # The database that connections get whatever they ask for; without the key what they ask for.
      # database: shop

record:
  # Names of fields, headers and columns whose values are secrets, besides cookies, authorization
  # and those that usually are, such as password. The trace has placeholders, equal for equal
  # values.
  redact: [pin, "*_key"]
  # Names of those whose values are somebody's own affair; placeholders as well.
  mask: [email, phone]
  # Requests that last until there is news (long polls): nobody waits for their end.
  exempt: ["GET /events/*"]

# What heddle should know of requests that overlap. Recording does not read this section.
race:
  # Endpoints whose answers may differ when requests overlap; what they do to the stores may not.
  benign: ["GET /news/*"]
  # What holds whatever overlaps: all values that each query returns are true.
  invariants:
    - name: no account has less than nothing
      store: shop-db
      sql: "SELECT balance >= 0 FROM accounts"
  # What a field of an answer has to be: equals: VALUE or [VALUE, ...], at_least: or at_most:.
  # A field is a JSON pointer, or status.
  expect:
    - {endpoint: "GET /accounts/*", field: /balance, at_least: 0}
  # Statements that take a lock of your own and give it back, with * for what differs. Without a
  # release it goes with its transaction. Locks of the database itself are known.
  locks:
    - {acquire: "INSERT INTO locks*", release: "DELETE FROM locks*"}
  # Endpoints, or statements with * for what differs, whose parts may overlap although they never
  # did in a recording.
  async: []
  # Names of columns that tell rows apart, besides keys and the usual names (id, *_id, uuid, key).
  identities: ["*_no"]
  # How a store or a service gets back to where it was, where heddle should not find out by trying.
  # A store: clone, rows (changed rows are put back), fresh (nothing goes back, and the requests
  # before are sent with new names). A service: restart, fresh.
  restore:
    shop-db: rows
  # Where the credentials behind "Authorization: Bearer" come from, if not from an answer of the
  # system itself; those that were recorded have expired. {command: [...]} prints them; there are
  # {environment: VARIABLE} and {file: PATH}, too.
  token: {environment: SHOP_TOKEN}
  # The same for other secrets of requests, by names of fields. What a client chose for a user that
  # it creates itself, heddle makes up.
  secrets:
    admin_password: {environment: SHOP_ADMIN_PASSWORD}
  # Where the system is not on this machine, requests are sent again only if this is here.
  # replay: allowed
  # For how long a statement is held back at most, and how many runs one candidate is worth.
  hold: 5s
  budget: 20
)yaml";

}  // namespace

std::string_view system_template() { return kTemplate; }

}  // namespace heddle
