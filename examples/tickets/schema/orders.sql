CREATE TABLE orders (
  id serial PRIMARY KEY,
  customer text NOT NULL,
  price int NOT NULL,
  status text NOT NULL DEFAULT 'open',
  claim text
);
CREATE TABLE outbox (
  order_id int PRIMARY KEY,
  traceparent text,
  sent boolean NOT NULL DEFAULT false
);
CREATE TABLE customers (
  name text PRIMARY KEY,
  points int NOT NULL DEFAULT 0,
  phone text,
  address text
);
CREATE TABLE settings (name text PRIMARY KEY, language text NOT NULL);
CREATE TABLE profiles (id serial PRIMARY KEY, motto text NOT NULL, version int NOT NULL DEFAULT 1);
CREATE TABLE vouchers (id serial PRIMARY KEY, worth int NOT NULL, used_by text);
CREATE TABLE invoice_years (year int PRIMARY KEY);
CREATE TABLE invoices (year int NOT NULL, number int NOT NULL, amount int NOT NULL);
CREATE TABLE purses (id serial PRIMARY KEY, points int NOT NULL);
CREATE TABLE counters (id serial PRIMARY KEY, reached int NOT NULL);
CREATE TABLE labels (id int PRIMARY KEY, text text NOT NULL);
CREATE TABLE drafts (id serial PRIMARY KEY, text text NOT NULL);
CREATE TABLE returns (id serial PRIMARY KEY, order_id int NOT NULL, fee int NOT NULL);
