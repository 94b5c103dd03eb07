CREATE TABLE payments (
  id text PRIMARY KEY,
  order_id int NOT NULL,
  account text NOT NULL,
  amount int NOT NULL,
  refunded boolean NOT NULL DEFAULT false
);
CREATE TABLE refunds (payment_id text NOT NULL, amount int NOT NULL);
CREATE TABLE gift_cards (code text PRIMARY KEY, customer text NOT NULL, amount int NOT NULL);
CREATE TABLE tills (id serial PRIMARY KEY, cash int NOT NULL);
CREATE TABLE funds (id serial PRIMARY KEY, total int NOT NULL);
