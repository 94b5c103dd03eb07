CREATE TABLE account (
  id integer PRIMARY KEY,
  owner text NOT NULL,
  balance numeric(12,2) NOT NULL
);
