CREATE TABLE trains (id serial PRIMARY KEY, capacity int NOT NULL, departure text NOT NULL);
CREATE TABLE reservations (train int NOT NULL, customer text NOT NULL);
CREATE TABLE holds (
  id serial PRIMARY KEY,
  train int NOT NULL,
  seat int NOT NULL,
  ended boolean NOT NULL DEFAULT false
);
CREATE TABLE bookings (hold_id int NOT NULL, train int NOT NULL, seat int NOT NULL);
CREATE TABLE free_seats (hold_id int NOT NULL, train int NOT NULL, seat int NOT NULL);
CREATE TABLE stations (id serial PRIMARY KEY, name text NOT NULL);
CREATE TABLE staff (
  id serial PRIMARY KEY,
  station int NOT NULL,
  name text NOT NULL,
  on_duty boolean NOT NULL DEFAULT true
);
CREATE TABLE depots (id serial PRIMARY KEY, name text NOT NULL);
CREATE TABLE drivers (
  id serial PRIMARY KEY,
  depot int NOT NULL,
  name text NOT NULL,
  awake boolean NOT NULL DEFAULT true
);
-- Serializable transactions lock what they read; without an index that is the whole table, and the
-- ones of one depot would end those of another.
CREATE INDEX ON drivers (depot);
CREATE TABLE gates (id serial PRIMARY KEY, is_open boolean NOT NULL, opened_by text);
CREATE TABLE cleanings (train int, car int, claimed_by text, PRIMARY KEY (train, car));
CREATE TABLE labels (id int PRIMARY KEY, text text NOT NULL);
CREATE TABLE events (order_id int PRIMARY KEY, topic text NOT NULL);
