// Orders, customers and what belongs to them. Polls its outbox 20 times a second over the pool that
// its requests use, and tells the seat service what is new.
'use strict';

const { context, propagation, ROOT_CONTEXT } = require('@opentelemetry/api');
const { HOST, Service, isRepaired, portOf, refuse } = require('./service');

const POLL_MS = 50;
const orders = new Service('orders', 4);

// --- Orders -----------------------------------------------------------------------------------

function locationOf(id) {
  const isAbsolute = process.env.TICKETS_ABSOLUTE_LOCATION === '1';
  return `${isAbsolute ? `http://${HOST}:${portOf('orders')}` : ''}/orders/${id}`;
}

orders.on('post', '/orders', async (request, response) => {
  await orders.ask('accounts', 'GET', '/session', undefined, request);
  const { customer, price } = request.body;
  const carrier = {};
  propagation.inject(context.active(), carrier);
  const id = await orders.transaction(async (query) => {
    const [order] = await query(
      'INSERT INTO orders (customer, price) VALUES ($1, $2) RETURNING id',
      [customer, price],
    );
    await query('INSERT INTO outbox (order_id, traceparent) VALUES ($1, $2)', [
      order.id,
      carrier.traceparent || null,
    ]);
    return order.id;
  });
  response.set('Location', locationOf(id));
  return [201, { id }];
});

// Look-alike display-read: one row, shown to somebody.
orders.on('get', '/orders/:id', (request) =>
  orders.row('SELECT id, customer, price, status FROM orders WHERE id = $1', [request.params.id]),
);

orders.on('put', '/orders/:id/status', async (request) => {
  await orders.row('UPDATE orders SET status = $2, claim = NULL WHERE id = $1 RETURNING id', [
    request.params.id,
    request.body.status,
  ]);
  return [204];
});

// Repair of payment-cancel: only one at a time has an order, and what it may be then is decided by
// the statement that takes it.
orders.on('put', '/orders/:id/claim', async (request) => {
  const { claim, from } = request.body;
  const [order] = await orders.query(
    `UPDATE orders SET claim = $2
     WHERE id = $1 AND claim IS NULL AND status = ANY ($3) RETURNING price`,
    [request.params.id, claim, from],
  );
  return order || refuse(409, 'the order is not to be had');
});

orders.on('delete', '/orders/:id/claim', async (request) => {
  await orders.query('UPDATE orders SET claim = NULL WHERE id = $1', [request.params.id]);
  return [204];
});

// --- Customers --------------------------------------------------------------------------------

orders.on('put', '/customers/:name', async (request) => {
  await orders.query('INSERT INTO customers (name) VALUES ($1) ON CONFLICT DO NOTHING', [
    request.params.name,
  ]);
  return [204];
});

orders.on('get', '/customers/:name', (request) =>
  orders.row('SELECT name, points, phone, address FROM customers WHERE name = $1', [
    request.params.name,
  ]),
);

// Fault loyalty: the sum is made here, of what was read.
orders.on('post', '/customers/:name/points', async (request) => {
  const { name } = request.params;
  const { add } = request.body;
  if (isRepaired('loyalty')) {
    return orders.row(
      'UPDATE customers SET points = points + $2 WHERE name = $1 RETURNING points',
      [name, add],
    );
  }
  const { points } = await orders.row('SELECT points FROM customers WHERE name = $1', [name]);
  await orders.query('UPDATE customers SET points = $2 WHERE name = $1', [name, points + add]);
  return { points: points + add };
});

// Look-alike disjoint-columns: two requests write one row, but different columns of it.
orders.on('put', '/customers/:name/phone', async (request) => {
  await orders.query('UPDATE customers SET phone = $2 WHERE name = $1', [
    request.params.name,
    request.body.phone,
  ]);
  return [204];
});

orders.on('put', '/customers/:name/address', async (request) => {
  await orders.query('UPDATE customers SET address = $2 WHERE name = $1', [
    request.params.name,
    request.body.address,
  ]);
  return [204];
});

// Look-alike idempotent-upsert: whoever comes last has written what both wrote.
orders.on('put', '/settings/:name', async (request) => {
  await orders.query(
    `INSERT INTO settings (name, language) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET language = excluded.language`,
    [request.params.name, request.body.language],
  );
  return [204];
});

// Look-alike version-column: the second of two that read one version is refused.
orders.on('post', '/profiles', async (request) => [
  201,
  await orders.row('INSERT INTO profiles (motto) VALUES ($1) RETURNING id, version', [
    request.body.motto,
  ]),
]);

orders.on('put', '/profiles/:id', async (request) => {
  const { motto } = request.body;
  const { version } = await orders.row('SELECT version FROM profiles WHERE id = $1', [
    request.params.id,
  ]);
  const [changed] = await orders.query(
    `UPDATE profiles SET motto = $2, version = version + 1 WHERE id = $1 AND version = $3
     RETURNING version`,
    [request.params.id, motto, version],
  );
  return changed || refuse(409, 'somebody else was faster');
});

// --- Vouchers, invoices, purses ---------------------------------------------------------------

orders.on('post', '/vouchers', async (request) => [
  201,
  await orders.row('INSERT INTO vouchers (worth) VALUES ($1) RETURNING id, worth', [
    request.body.worth,
  ]),
]);

// Fault voucher: looked at, then used.
orders.on('post', '/vouchers/:id/redeem', async (request) => {
  const { id } = request.params;
  const { customer } = request.body;
  if (isRepaired('voucher')) {
    const [voucher] = await orders.query(
      'UPDATE vouchers SET used_by = $2 WHERE id = $1 AND used_by IS NULL RETURNING worth',
      [id, customer],
    );
    return voucher || refuse(409, 'the voucher is used');
  }
  const voucher = await orders.row('SELECT worth, used_by FROM vouchers WHERE id = $1', [id]);
  if (voucher.used_by !== null) refuse(409, 'the voucher is used');
  await orders.query('UPDATE vouchers SET used_by = $2 WHERE id = $1', [id, customer]);
  return { worth: voucher.worth };
});

// Fault invoice-number: the highest number and one more, of each year's own.
orders.on('post', '/invoices', async (request) => {
  const { year, amount } = request.body;
  const number = await orders.transaction(async (query) => {
    if (isRepaired('invoice-number')) {
      // The lock is a statement before the one that reads, whose snapshot is taken after it.
      await query('INSERT INTO invoice_years (year) VALUES ($1) ON CONFLICT DO NOTHING', [year]);
      await query('SELECT year FROM invoice_years WHERE year = $1 FOR UPDATE', [year]);
    }
    const [{ next }] = await query(
      'SELECT coalesce(max(number), 0) + 1 AS next FROM invoices WHERE year = $1',
      [year],
    );
    await query('INSERT INTO invoices (year, number, amount) VALUES ($1, $2, $3)', [
      year,
      next,
      amount,
    ]);
    return next;
  });
  return [201, { number }];
});

orders.on('get', '/invoices', (request) =>
  orders.query('SELECT number, amount FROM invoices WHERE year = $1 ORDER BY number, amount', [
    request.query.year,
  ]),
);

orders.on('post', '/purses', async (request) => [
  201,
  await orders.row('INSERT INTO purses (points) VALUES ($1) RETURNING id', [request.body.points]),
]);

orders.on('post', '/purse-transfers', async (request) => {
  const { from, to, points } = request.body;
  await orders.transaction(async (query) => {
    // The lower id first, so that two transfers in opposite directions do not wait for each other.
    const steps = [
      [from, -points],
      [to, points],
    ].sort((one, other) => one[0] - other[0]);
    for (const step of steps) {
      await query('UPDATE purses SET points = points + $2 WHERE id = $1', step);
    }
  });
  return [204];
});

// Fault purse-total: a sum of two reads, between which points move.
orders.on('get', '/purse-total', async (request) => {
  const { one, other } = request.query;
  if (isRepaired('purse-total')) {
    return orders.row('SELECT sum(points)::int AS total FROM purses WHERE id IN ($1, $2)', [
      one,
      other,
    ]);
  }
  const first = await orders.row('SELECT points FROM purses WHERE id = $1', [one]);
  const second = await orders.row('SELECT points FROM purses WHERE id = $1', [other]);
  return { total: first.points + second.points };
});

// --- Further look-alikes ----------------------------------------------------------------------

orders.on('post', '/counters', async () => [
  201,
  await orders.row('INSERT INTO counters (reached) VALUES (0) RETURNING id'),
]);

// Look-alike advisory-lock: read and written back, but nobody else does it meanwhile.
orders.on('post', '/counters/:id/bump', (request) =>
  orders.transaction(async (query) => {
    const { id } = request.params;
    await query('SELECT pg_advisory_xact_lock($1, $2)', [42, id]);
    const [counter] = await query('SELECT reached FROM counters WHERE id = $1', [id]);
    if (!counter) refuse(404, 'not found');
    await query('UPDATE counters SET reached = $2 WHERE id = $1', [id, counter.reached + 1]);
    return { reached: counter.reached + 1 };
  }),
);

// Look-alike equal-ids: the seat service has labels, too, with the same ids.
orders.on('put', '/labels/:id', async (request) => {
  await orders.query(
    `INSERT INTO labels (id, text) VALUES ($1, $2)
     ON CONFLICT (id) DO UPDATE SET text = labels.text || $2`,
    [request.params.id, request.body.text],
  );
  return [204];
});

// Look-alike repeated-delete: gone is gone.
orders.on('post', '/drafts', async (request) => [
  201,
  await orders.row('INSERT INTO drafts (text) VALUES ($1) RETURNING id', [request.body.text]),
]);

orders.on('delete', '/drafts/:id', async (request) => {
  await orders.query('DELETE FROM drafts WHERE id = $1', [request.params.id]);
  return [204];
});

// --- Returns ----------------------------------------------------------------------------------

orders.on('post', '/returns', async (request) => [
  201,
  await orders.row('INSERT INTO returns (order_id, fee) VALUES ($1, 0) RETURNING id', [
    request.body.order,
  ]),
]);

orders.on('get', '/returns/:id', (request) =>
  orders.row('SELECT id, order_id, fee FROM returns WHERE id = $1', [request.params.id]),
);

// Called for one return by one request only, which may call it twice at once.
orders.on('post', '/returns/:id/fees', async (request) => {
  const { id } = request.params;
  const { fee } = await orders.row('SELECT fee FROM returns WHERE id = $1', [id]);
  await orders.query('UPDATE returns SET fee = $2 WHERE id = $1', [id, fee + request.body.add]);
  return [204];
});

// --- The outbox -------------------------------------------------------------------------------

/** Tells the seat service of an order, in the trace of the request that made it. */
function deliver(entry) {
  const origin = propagation.extract(ROOT_CONTEXT, { traceparent: entry.traceparent || undefined });
  return context.with(origin, () =>
    orders.ask('seats', 'PUT', `/events/${entry.order_id}`, { topic: 'ordered' }),
  );
}

async function emptyOutbox() {
  await orders.transaction(async (query) => {
    const entries = await query(
      `SELECT order_id, traceparent FROM outbox WHERE NOT sent ORDER BY order_id LIMIT 10
       FOR UPDATE SKIP LOCKED`,
    );
    for (const entry of entries) {
      await deliver(entry);
      await query('UPDATE outbox SET sent = true WHERE order_id = $1', [entry.order_id]);
    }
  });
}

async function poll() {
  try {
    await emptyOutbox();
  } catch (error) {
    orders.log(`outbox: ${error.message}`);
  }
  setTimeout(poll, POLL_MS);
}

orders.resettable();
orders.listen();
poll();
