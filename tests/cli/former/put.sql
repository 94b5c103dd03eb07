CREATE TABLE setting (id int PRIMARY KEY, value int NOT NULL);

CREATE PROCEDURE put(k int, v int) LANGUAGE plpgsql AS $$
DECLARE
  seen int;
BEGIN
  UPDATE setting SET value = v WHERE id = k;
  SELECT value INTO seen FROM setting WHERE id = k;
END $$;
