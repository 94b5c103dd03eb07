// What the Node services share: an express application with its pool of connections, calls to other
// services, switches of repaired faults, health and reset.
'use strict';

const fs = require('fs');
const http = require('http');
const path = require('path');
const express = require('express');
const pg = require('pg');

const HOST = '127.0.0.1';
const PORTS = {
  orders: 42001,
  payments: 42002,
  cancellations: 42003,
  seats: 42004,
  accounts: 42005,
  database: 42010,
};
const repairs = new Set((process.env.TICKETS_REPAIR || '').split(',').filter(Boolean));

const portOf = (name) => Number(process.env[`TICKETS_${name.toUpperCase()}_PORT`] || PORTS[name]);

/** Whether the fault of this name is repaired. */
const isRepaired = (fault) => repairs.has('all') || repairs.has(fault);

/** A refusal that the client is told: status and the reason in a word or two. */
class Refusal extends Error {
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}

function refuse(status, reason) {
  throw new Refusal(status, reason);
}

function parseAnswer(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return text;
  }
}

/** Sends a request and answers {status, body}; the body is JSON in both directions. */
function send(method, url, body, headers) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const all = { ...headers, 'content-length': Buffer.byteLength(text) };
  if (text) all['content-type'] = 'application/json';
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers: all }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({
          status: response.statusCode,
          body: parseAnswer(Buffer.concat(chunks).toString()),
        });
      });
    });
    request.on('error', (error) => {
      reject(new Refusal(502, `${new URL(url).pathname}: ${error.code || error.message}`));
    });
    request.end(text);
  });
}

class Service {
  constructor(name, poolSize) {
    this.name = name;
    this.app = express();
    this.app.disable('x-powered-by');
    this.app.use(express.json());
    const direct = `postgres://tickets:tickets@${HOST}:${portOf('database')}/${name}`;
    this.pool = new pg.Pool({
      connectionString: process.env[`${name.toUpperCase()}_DATABASE_URL`] || direct,
      max: poolSize,
      idleTimeoutMillis: 0,
    });
    // An idle connection that the server ends is replaced by the pool when it is needed.
    this.pool.on('error', (error) => this.log(`connection lost: ${error.message}`));
    this.app.get('/health', async (request, response) => {
      await this.query('SELECT 1');
      response.json({ service: name });
    });
  }

  log(text) {
    process.stderr.write(`${this.name}: ${text}\n`);
  }

  async query(text, parameters) {
    return (await this.pool.query(text, parameters)).rows;
  }

  /** The only row, or a refusal with 404. */
  async row(text, parameters) {
    const [row] = await this.query(text, parameters);
    return row || refuse(404, 'not found');
  }

  /** Runs the work on one connection, between BEGIN (at this level) and COMMIT. */
  async transaction(work, level) {
    const client = await this.pool.connect();
    let broken;
    // Between two statements nobody else hears that the server has ended the connection.
    const note = (error) => (broken = error);
    client.on('error', note);
    const query = async (text, parameters) => (await client.query(text, parameters)).rows;
    try {
      await query(level ? `BEGIN ISOLATION LEVEL ${level}` : 'BEGIN');
      const answer = await work(query);
      await query('COMMIT');
      return answer;
    } catch (error) {
      await query('ROLLBACK').catch(note);
      throw error;
    } finally {
      client.removeListener('error', note);
      client.release(broken);
    }
  }

  /** A serializable transaction, again where the database says that another one came between. */
  async serializable(work) {
    for (let attempt = 1; ; ++attempt) {
      try {
        return await this.transaction(work, 'SERIALIZABLE');
      } catch (error) {
        if (error.code !== '40001' || attempt === 5) throw error;
      }
    }
  }

  /** Calls another service, on behalf of the request whose authorization is passed on. */
  call(callee, method, target, body, request) {
    const address =
      process.env[`${this.name.toUpperCase()}_${callee.toUpperCase()}_URL`] ||
      `http://${HOST}:${portOf(callee)}`;
    const authorization = request && request.get('authorization');
    return send(method, address + target, body, authorization ? { authorization } : {});
  }

  /** The body of an answer; what another service refuses, this one refuses, too. */
  async ask(callee, method, target, body, request) {
    const answer = await this.call(callee, method, target, body, request);
    if (answer.status >= 400) {
      refuse(answer.status >= 500 ? 502 : answer.status, answer.body && answer.body.error);
    }
    return answer.body;
  }

  /** A route whose work answers the body, or [status, body]; lists in bodies hold no numbers. */
  on(method, route, work) {
    this.app[method](route, async (request, response) => {
      const answer = await work(request, response);
      const [status, body] =
        Array.isArray(answer) && Number.isInteger(answer[0]) ? answer : [200, answer];
      if (body === undefined) response.status(status).end();
      else response.status(status).json(body);
    });
  }

  /** Brings the tables back to their first rows, and `forget` the memory of the service. */
  resettable(forget = () => {}) {
    const rows = path.join(__dirname, '..', 'schema', `${this.name}-rows.sql`);
    this.on('post', '/admin/reset', async () => {
      await this.query(fs.readFileSync(rows, 'utf8'));
      forget();
      return [204];
    });
  }

  listen() {
    // express tells an error handler by its four parameters.
    // eslint-disable-next-line no-unused-vars
    this.app.use((error, request, response, next) => {
      const status = error.status || 500;
      if (status >= 500) this.log(`error: ${request.method} ${request.path}: ${error.message}`);
      response.status(status).json({ error: status === 500 ? 'internal error' : error.message });
    });
    const server = this.app.listen(portOf(this.name), HOST, (error) => {
      if (!error) return;
      this.log(`cannot listen at ${HOST}:${portOf(this.name)}: ${error.message}`);
      process.exit(1);
    });
    // Connections outlive the pauses of a test, so that no request meets one that closes.
    server.keepAliveTimeout = 120000;
    process.on('SIGTERM', () => process.exit(0));
    process.on('SIGINT', () => process.exit(0));
  }
}

module.exports = { HOST, Service, isRepaired, portOf, refuse };
