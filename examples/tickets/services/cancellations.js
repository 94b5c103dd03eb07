// Cancellations of orders, returns of tickets, and what customers say about them.
'use strict';

const { Service, isRepaired } = require('./service');

const cancellations = new Service('cancellations', 2);

/** Fault payment-cancel, with the payment service: the order is looked at, not claimed. */
async function beginCancellation(order) {
  if (isRepaired('payment-cancel')) {
    return cancellations.call('orders', 'PUT', `/orders/${order}/claim`, {
      claim: 'cancellation',
      from: ['open', 'paid'],
    });
  }
  const answer = await cancellations.call('orders', 'GET', `/orders/${order}`);
  const isGone = answer.status === 200 && answer.body.status === 'cancelled';
  return isGone ? { status: 409, body: { error: 'the order is cancelled' } } : answer;
}

/** Refunds what was paid; zero where nothing was, or somebody was faster. */
async function refundPayments(request, order) {
  const paid = await cancellations.ask('payments', 'GET', `/payments?order=${order}`);
  let sum = 0;
  for (const payment of paid.filter((each) => !each.refunded)) {
    const answer = await cancellations.call(
      'payments',
      'POST',
      '/refunds',
      { payment: payment.id },
      request,
    );
    if (answer.status === 201) sum += answer.body.amount;
  }
  return sum;
}

cancellations.on('post', '/cancellations', async (request) => {
  const { order } = request.body;
  const begun = await beginCancellation(order);
  if (begun.status >= 400) return [begun.status, begun.body];
  const refund = await refundPayments(request, order);
  await cancellations.query('INSERT INTO cancellations (order_id, refund) VALUES ($1, $2)', [
    order,
    refund,
  ]);
  await cancellations.ask('orders', 'PUT', `/orders/${order}/status`, { status: 'cancelled' });
  return [201, { order, refund }];
});

cancellations.on('get', '/cancellations', (request) =>
  cancellations.query('SELECT refund FROM cancellations WHERE order_id = $1', [
    request.query.order,
  ]),
);

// Fault async-branch: the fee for the inspection is added on the side, and has mostly arrived when
// the one for the label is added.
cancellations.on('post', '/returns', async (request) => {
  const { order } = request.body;
  const { id } = await cancellations.ask('orders', 'POST', '/returns', { order });
  const addFee = (add) => cancellations.ask('orders', 'POST', `/returns/${id}/fees`, { add });
  const inspected = addFee(5).catch((error) => cancellations.log(`inspection: ${error.message}`));
  if (isRepaired('async-branch')) await inspected;
  const paid = await cancellations.ask('payments', 'GET', `/payments?order=${order}`);
  await cancellations.query(
    'INSERT INTO returned (return_id, order_id, was_paid) VALUES ($1, $2, $3)',
    [id, order, paid.length > 0],
  );
  await addFee(3);
  return [202, { id }];
});

// Look-alike append-only: everybody adds a row of their own.
cancellations.on('post', '/feedback', async (request) => {
  await cancellations.query('INSERT INTO feedback (order_id, text) VALUES ($1, $2)', [
    request.body.order,
    request.body.text,
  ]);
  return [204];
});

// Look-alike insert-if-absent: whoever comes second finds what they wanted.
cancellations.on('put', '/reasons/:code', async (request) => {
  await cancellations.query(
    'INSERT INTO reasons (code, text) VALUES ($1, $2) ON CONFLICT (code) DO NOTHING',
    [request.params.code, request.body.text],
  );
  return [204];
});

cancellations.resettable();
cancellations.listen();
