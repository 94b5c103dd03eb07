CREATE TABLE cell (id int PRIMARY KEY, value int NOT NULL);

CREATE PROCEDURE a(v int) LANGUAGE plpgsql AS $$
DECLARE seen int;
BEGIN
  SELECT value INTO seen FROM cell WHERE id = 1;
  UPDATE cell SET value = v WHERE id = 3;
END $$;

CREATE PROCEDURE b(v int) LANGUAGE plpgsql AS $$
DECLARE seen int;
BEGIN
  SELECT value INTO seen FROM cell WHERE id = 2;
  UPDATE cell SET value = v WHERE id = 1;
END $$;

CREATE PROCEDURE c(v int) LANGUAGE plpgsql AS $$
DECLARE seen int;
BEGIN
  SELECT value INTO seen FROM cell WHERE id = 3;
  UPDATE cell SET value = v WHERE id = 2;
END $$;
