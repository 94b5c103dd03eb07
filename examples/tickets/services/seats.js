// Seats on trains, and who works there. Has a pool of two connections.
'use strict';

const { EventEmitter, once } = require('events');
const { Service, isRepaired, refuse } = require('./service');

const seats = new Service('seats', 2);

// --- Trains and reservations ------------------------------------------------------------------

seats.on('post', '/trains', async (request) => [
  201,
  await seats.row('INSERT INTO trains (capacity, departure) VALUES ($1, $2) RETURNING id', [
    request.body.capacity,
    request.body.departure || '08:00',
  ]),
]);

// Fault last-seat: seats that are taken are counted, then one is taken.
seats.on('post', '/reservations', async (request) => {
  const { train, customer } = request.body;
  await seats.transaction(async (query) => {
    const lock = isRepaired('last-seat') ? ' FOR UPDATE' : '';
    const [found] = await query(`SELECT capacity FROM trains WHERE id = $1${lock}`, [train]);
    if (!found) refuse(404, 'not found');
    const [{ taken }] = await query(
      'SELECT count(*)::int AS taken FROM reservations WHERE train = $1',
      [train],
    );
    if (taken >= found.capacity) refuse(409, 'the train is full');
    await query('INSERT INTO reservations (train, customer) VALUES ($1, $2)', [train, customer]);
  });
  return [201, { train, customer }];
});

seats.on('get', '/reservations', (request) =>
  seats.query('SELECT customer FROM reservations WHERE train = $1 ORDER BY customer', [
    request.query.train,
  ]),
);

// Look-alike healing-cache: what is shown may be of a moment ago, and nobody decides by it.
const FRESH_MS = 100;
const timetable = new Map();

seats.on('get', '/trains/:id/departure', async (request) => {
  const { id } = request.params;
  const known = timetable.get(id);
  if (known && Date.now() - known.since < FRESH_MS) return { departure: known.departure };
  const since = Date.now();
  const { departure } = await seats.row('SELECT departure FROM trains WHERE id = $1', [id]);
  timetable.set(id, { since, departure });
  return { departure };
});

seats.on('put', '/trains/:id/departure', async (request) => {
  await seats.row('UPDATE trains SET departure = $2 WHERE id = $1 RETURNING id', [
    request.params.id,
    request.body.departure,
  ]);
  return [204];
});

// --- Holds ------------------------------------------------------------------------------------

seats.on('post', '/holds', async (request) => {
  const { train, seat } = request.body;
  const hold = await seats.row('INSERT INTO holds (train, seat) VALUES ($1, $2) RETURNING id', [
    train,
    seat,
  ]);
  return [201, hold];
});

/** Fault hold-expiry: whether it is held is looked at, then that ends. */
async function endHold(id) {
  if (isRepaired('hold-expiry')) {
    const [ended] = await seats.query(
      `UPDATE holds SET ended = true WHERE id = $1 AND NOT ended RETURNING train, seat`,
      [id],
    );
    return ended || refuse(409, 'nothing is held');
  }
  const { train, seat, ended } = await seats.row(
    'SELECT train, seat, ended FROM holds WHERE id = $1',
    [id],
  );
  if (ended) refuse(409, 'nothing is held');
  await seats.query('UPDATE holds SET ended = true WHERE id = $1', [id]);
  return { train, seat };
}

seats.on('post', '/holds/:id/confirm', async (request) => {
  const { train, seat } = await endHold(request.params.id);
  await seats.query('INSERT INTO bookings (hold_id, train, seat) VALUES ($1, $2, $3)', [
    request.params.id,
    train,
    seat,
  ]);
  return [201, { train, seat }];
});

seats.on('post', '/holds/:id/release', async (request) => {
  const { train, seat } = await endHold(request.params.id);
  await seats.query('INSERT INTO free_seats (hold_id, train, seat) VALUES ($1, $2, $3)', [
    request.params.id,
    train,
    seat,
  ]);
  return { train, seat };
});

// --- Who works --------------------------------------------------------------------------------

seats.on('post', '/stations', async (request) => {
  const station = await seats.row('INSERT INTO stations (name) VALUES ($1) RETURNING id', [
    request.body.name,
  ]);
  return [201, station];
});

seats.on('post', '/stations/:id/staff', async (request) => [
  201,
  await seats.row('INSERT INTO staff (station, name) VALUES ($1, $2) RETURNING id', [
    request.params.id,
    request.body.name,
  ]),
]);

/** Leaves if somebody else stays. */
async function leave(query, station, id) {
  const [{ present }] = await query(
    'SELECT count(*)::int AS present FROM staff WHERE station = $1 AND on_duty',
    [station],
  );
  if (present < 2) refuse(409, 'somebody has to stay');
  await query('UPDATE staff SET on_duty = false WHERE id = $1', [id]);
}

// Fault duty: a write skew. Each of two leaves because the other is there.
seats.on('post', '/stations/:station/staff/:id/leave', async (request) => {
  const { station, id } = request.params;
  if (isRepaired('duty')) {
    await seats.transaction(async (query) => {
      await query('SELECT id FROM stations WHERE id = $1 FOR UPDATE', [station]);
      await leave(query, station, id);
    });
  } else {
    await seats.transaction((query) => leave(query, station, id), 'REPEATABLE READ');
  }
  return [204];
});

seats.on('get', '/stations/:id/staff', (request) =>
  seats.query('SELECT name, on_duty FROM staff WHERE station = $1 ORDER BY name', [
    request.params.id,
  ]),
);

seats.on('post', '/depots', async (request) => [
  201,
  await seats.row('INSERT INTO depots (name) VALUES ($1) RETURNING id', [request.body.name]),
]);

seats.on('post', '/depots/:id/drivers', async (request) => [
  201,
  await seats.row('INSERT INTO drivers (depot, name) VALUES ($1, $2) RETURNING id', [
    request.params.id,
    request.body.name,
  ]),
]);

// Look-alike serializable-retry: the same rule as that of duty, at a level that keeps it.
seats.on('post', '/depots/:depot/drivers/:id/rest', async (request) => {
  const { depot, id } = request.params;
  await seats.serializable(async (query) => {
    const [{ awake }] = await query(
      'SELECT count(*)::int AS awake FROM drivers WHERE depot = $1 AND awake',
      [depot],
    );
    if (awake < 2) refuse(409, 'somebody has to stay awake');
    await query('UPDATE drivers SET awake = false WHERE id = $1', [id]);
  });
  return [204];
});

// --- Further look-alikes ----------------------------------------------------------------------

seats.on('post', '/gates', async () => [
  201,
  await seats.row('INSERT INTO gates (is_open) VALUES (false) RETURNING id'),
]);

// Look-alike compare-and-set: the statement that opens decides whether it was closed.
seats.on('post', '/gates/:id/open', async (request) => {
  const [opened] = await seats.query(
    'UPDATE gates SET is_open = true, opened_by = $2 WHERE id = $1 AND NOT is_open RETURNING id',
    [request.params.id, request.body.by],
  );
  return opened || refuse(409, 'the gate is open');
});

// Look-alike skip-locked: two that look for work find different work.
seats.on('post', '/cleanings', async (request) => {
  const { train, cars } = request.body;
  await seats.query(
    'INSERT INTO cleanings (train, car) SELECT $1, car FROM generate_series(1, $2) car',
    [train, cars],
  );
  return [204];
});

seats.on('post', '/cleanings/claim', async (request) => {
  const { train, by } = request.body;
  const [claimed] = await seats.query(
    `UPDATE cleanings SET claimed_by = $2
     WHERE train = $1 AND car = (SELECT car FROM cleanings WHERE train = $1 AND claimed_by IS NULL
                                 ORDER BY car LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING car`,
    [train, by],
  );
  return claimed || refuse(404, 'nothing to clean');
});

// Look-alike equal-ids: the order service has labels, too, with the same ids.
seats.on('put', '/labels/:id', async (request) => {
  await seats.query(
    `INSERT INTO labels (id, text) VALUES ($1, $2)
     ON CONFLICT (id) DO UPDATE SET text = labels.text || $2`,
    [request.params.id, request.body.text],
  );
  return [204];
});

// Who waits for the event of an order, as a long poll does.
const WAIT_MS = 10000;
const arrivals = new EventEmitter();

// What the order service tells; twice is once.
seats.on('put', '/events/:order', async (request) => {
  await seats.query(
    'INSERT INTO events (order_id, topic) VALUES ($1, $2) ON CONFLICT (order_id) DO NOTHING',
    [request.params.order, request.body.topic],
  );
  arrivals.emit(request.params.order);
  return [204];
});

seats.on('get', '/events/:order', async (request) => {
  const { order } = request.params;
  const arrival = once(arrivals, order, { signal: AbortSignal.timeout(WAIT_MS) }).catch(() => {});
  const read = () => seats.query('SELECT topic FROM events WHERE order_id = $1', [order]);
  const found = await read();
  if (found.length > 0) return found;
  await arrival;
  return read();
});

seats.resettable(() => timetable.clear());
seats.listen();
