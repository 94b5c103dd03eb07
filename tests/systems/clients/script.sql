-- psql: several statements at once, errors and savepoints, copies both ways, cursors, notifications.
SELECT 1 AS one\; SELECT 2 AS two;
BEGIN;
INSERT INTO item VALUES (1, 'first');
SAVEPOINT before;
INSERT INTO item VALUES (1, 'again');
ROLLBACK TO before;
INSERT INTO item VALUES (2, NULL);
COMMIT;
\copy item FROM stdin
3	third
4	a tab \t and a \\
\.
COPY (SELECT * FROM item ORDER BY id) TO STDOUT;
\copy item FROM stdin
5	fifth
5	twice
\.
\set FETCH_COUNT 2
SELECT id FROM item ORDER BY id;
\unset FETCH_COUNT
LISTEN news;
NOTIFY news, 'something';
SELECT count(*), sum(length(repeat(n::text, 5000))) FROM generate_series(1, 2000) n;
SELECT repeat('x', 100000) AS long \gset
SELECT length(:'long');
SELECT no_such_column FROM item;
DO $$BEGIN RAISE NOTICE 'noticed'; END$$;
PREPARE two (int) AS SELECT $1 + 2;
EXECUTE two (40);
SELECT id, name FROM item WHERE id < 3 ORDER BY id \gdesc
SELECT 'done';
