// Payments, refunds, gift cards. Keeps idempotency keys in memory.
'use strict';

const { Service, isRepaired, refuse } = require('./service');

const payments = new Service('payments', 4);

// --- Payments ---------------------------------------------------------------------------------

// By key, the promise of the answer: whoever comes with a key that is being worked on waits for it.
const answers = new Map();

/** Fault payment-cancel, with the cancellation service: the order is looked at, not claimed. */
async function beginPayment(order) {
  if (isRepaired('payment-cancel')) {
    return payments.ask('orders', 'PUT', `/orders/${order}/claim`, {
      claim: 'payment',
      from: ['open'],
    });
  }
  const { status, price } = await payments.ask('orders', 'GET', `/orders/${order}`);
  if (status !== 'open') refuse(409, 'the order is not open');
  return { price };
}

/** Fault stale-balance: the balance is looked up where it is behind, and taken elsewhere. */
async function takeMoney(request, account, amount) {
  if (!isRepaired('stale-balance')) {
    const { balance } = await payments.ask(
      'accounts',
      'GET',
      `/balances/${account}`,
      undefined,
      request,
    );
    if (balance < amount) refuse(402, 'not enough money');
  }
  await payments.ask(
    'accounts',
    'POST',
    `/accounts/${account}/entries`,
    { amount: -amount },
    request,
  );
}

async function pay(request, key) {
  const { order, account } = request.body;
  const { price } = await beginPayment(order);
  try {
    await takeMoney(request, account, price);
  } catch (error) {
    if (isRepaired('payment-cancel'))
      await payments.ask('orders', 'DELETE', `/orders/${order}/claim`);
    throw error;
  }
  await payments.query(
    'INSERT INTO payments (id, order_id, account, amount) VALUES ($1, $2, $3, $4)',
    [key, order, account, price],
  );
  await payments.ask('orders', 'PUT', `/orders/${order}/status`, { status: 'paid' });
  return { payment: key, amount: price };
}

// Look-alike idempotency-key: the second with a key gets what the first got.
payments.on('post', '/payments', async (request) => {
  const key =
    request.get('idempotency-key') || refuse(400, 'the header Idempotency-Key is missing');
  if (!answers.has(key)) {
    const answer = pay(request, key);
    answers.set(key, answer);
    // What was refused may be tried again.
    answer.catch(() => answers.delete(key));
  }
  return [201, await answers.get(key)];
});

payments.on('get', '/payments', (request) =>
  payments.query('SELECT id, amount, refunded FROM payments WHERE order_id = $1 ORDER BY id', [
    request.query.order,
  ]),
);

// --- Refunds ----------------------------------------------------------------------------------

/** Fault double-refund: whether it was refunded is looked at, then written. */
async function noteRefund(payment) {
  if (isRepaired('double-refund')) {
    const [taken] = await payments.query(
      `UPDATE payments SET refunded = true
       WHERE id = $1 AND NOT refunded RETURNING account, amount`,
      [payment],
    );
    return taken || refuse(409, 'the payment was refunded');
  }
  const { account, amount, refunded } = await payments.row(
    'SELECT account, amount, refunded FROM payments WHERE id = $1',
    [payment],
  );
  if (refunded) refuse(409, 'the payment was refunded');
  await payments.query('UPDATE payments SET refunded = true WHERE id = $1', [payment]);
  return { account, amount };
}

payments.on('post', '/refunds', async (request) => {
  const { payment } = request.body;
  const { account, amount } = await noteRefund(payment);
  await payments.query('INSERT INTO refunds (payment_id, amount) VALUES ($1, $2)', [
    payment,
    amount,
  ]);
  await payments.ask('accounts', 'POST', `/accounts/${account}/entries`, { amount }, request);
  return [201, { payment, amount }];
});

payments.on('get', '/refunds', (request) =>
  payments.query('SELECT amount FROM refunds WHERE payment_id = $1', [request.query.payment]),
);

// --- Gift cards -------------------------------------------------------------------------------

// Fault wallet-overlap: the wallet is looked at in another service, then charged there.
payments.on('post', '/gift-cards', async (request) => {
  const { code, customer, amount } = request.body;
  if (!isRepaired('wallet-overlap')) {
    const { balance } = await payments.ask('accounts', 'GET', `/wallets/${customer}`);
    if (balance < amount) refuse(402, 'not enough money');
  }
  await payments.ask('accounts', 'POST', `/wallets/${customer}/charges`, { amount });
  await payments.query('INSERT INTO gift_cards (code, customer, amount) VALUES ($1, $2, $3)', [
    code,
    customer,
    amount,
  ]);
  return [201, { code }];
});

// --- Look-alikes ------------------------------------------------------------------------------

payments.on('post', '/tills', async () => [
  201,
  await payments.row('INSERT INTO tills (cash) VALUES (0) RETURNING id'),
]);

// By till, the end of what was begun last: a mutex inside this one service.
const queues = new Map();

function oneAfterTheOther(id, work) {
  const turn = (queues.get(id) || Promise.resolve()).then(work, work);
  queues.set(
    id,
    turn.catch(() => {}),
  );
  return turn;
}

// Look-alike mutex: read and written back, while everybody else waits in this service.
payments.on('post', '/tills/:id/cash', (request) =>
  oneAfterTheOther(request.params.id, async () => {
    const { id } = request.params;
    const { cash } = await payments.row('SELECT cash FROM tills WHERE id = $1', [id]);
    await payments.query('UPDATE tills SET cash = $2 WHERE id = $1', [id, cash + request.body.add]);
    return { cash: cash + request.body.add };
  }),
);

payments.on('post', '/funds', async () => [
  201,
  await payments.row('INSERT INTO funds (total) VALUES (0) RETURNING id'),
]);

// Look-alike atomic-add: the database makes the sum.
payments.on('post', '/funds/:id/donations', async (request) => {
  await payments.row('UPDATE funds SET total = total + $2 WHERE id = $1 RETURNING id', [
    request.params.id,
    request.body.amount,
  ]);
  return [204];
});

// Look-alike single-statement-report: what is summed up is of one snapshot.
payments.on('get', '/funds/total', (request) =>
  payments.row('SELECT coalesce(sum(total), 0)::int AS total FROM funds WHERE id IN ($1, $2)', [
    request.query.one,
    request.query.other,
  ]),
);

payments.resettable(() => {
  answers.clear();
  queues.clear();
});
payments.listen();
