CREATE TABLE users (id serial PRIMARY KEY, name text NOT NULL, password_hash text NOT NULL);
CREATE INDEX ON users (name);
CREATE TABLE emails (email text PRIMARY KEY, name text NOT NULL);
CREATE TABLE accounts (name text PRIMARY KEY, balance int NOT NULL);
CREATE TABLE ledger (id serial PRIMARY KEY, account text NOT NULL, amount int NOT NULL);
CREATE TABLE wallets (name text PRIMARY KEY, balance int NOT NULL);
CREATE TABLE savings (id serial PRIMARY KEY, amount int NOT NULL);
CREATE TABLE assets (id serial PRIMARY KEY, cash int NOT NULL, bonds int NOT NULL);
CREATE TABLE moves (asset int NOT NULL, amount int NOT NULL);
