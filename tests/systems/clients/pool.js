// pg: a pool, prepared statements by name, types in both directions, errors, notifications.
const { Client, Pool } = require('pg');

const connectionString = process.env.DATABASE_URL;

async function main() {
  const pool = new Pool({ connectionString, max: 3 });
  const client = await pool.connect();
  await client.query('BEGIN');
  for (let id = 1; id <= 5; id++) {
    await client.query({ name: 'add', text: 'INSERT INTO item VALUES ($1, $2)', values: [id, `item ${id}`] });
  }
  await client.query('COMMIT');
  client.release();

  const atOnce = [1, 2, 3, 4, 5, 6, 7, 8].map((id) =>
    pool.query('SELECT name FROM item WHERE id = $1::int', [id]));
  console.log((await Promise.all(atOnce)).map((each) => each.rows.map((row) => row.name).join()).join(' | '));

  const types = await pool.query(
    'SELECT $1::bytea AS bytes, $2::int[] AS numbers, $3::jsonb AS json, $4::text AS text, $5::float8 AS pi, $6::bool AS yes',
    [Buffer.from([0, 255, 10]), [1, 2, 3], { a: [null, 'ü'] }, null, Math.PI, true]);
  console.log(JSON.stringify(types.rows[0]));

  try {
    await pool.query('INSERT INTO item VALUES ($1, $2)', [1, 'again']);
  } catch (error) {
    console.log('refused:', error.code, error.constraint);
  }

  const several = await pool.query('SELECT 1 AS a; SELECT 2 AS b');
  console.log(several.map((each) => JSON.stringify(each.rows)).join(' '));

  const listener = new Client({ connectionString });
  await listener.connect();
  await listener.query('LISTEN news');
  const heard = new Promise((resolve) => listener.once('notification', resolve));
  await pool.query("SELECT pg_notify('news', $1)", ['to whom it may concern']);
  console.log('notified:', (await heard).payload);
  await listener.end();

  const long = await pool.query("SELECT repeat('x', $1) AS long", [3000000]);
  console.log(long.rows[0].long.length);
  await pool.end();
}

main();
