-- A program: two actions of the users of a bank.

CREATE TABLE account (id int PRIMARY KEY, owner text NOT NULL, balance numeric(12,2) NOT NULL);

CREATE PROCEDURE transfer(source integer, target integer, amount numeric) LANGUAGE plpgsql AS $$
DECLARE
  available numeric;
BEGIN
  SELECT balance INTO available FROM account WHERE id = source;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no account %', source;
  END IF;
  IF available < amount THEN
    RETURN;
  END IF;
  UPDATE account SET balance = balance - amount WHERE id = source;
  UPDATE account SET balance = balance + amount WHERE id = target;
END $$;

CREATE FUNCTION total() RETURNS numeric LANGUAGE sql AS 'SELECT sum(balance) FROM account WHERE balance > 0';
