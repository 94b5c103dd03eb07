INSERT INTO warehouse
SELECT w, 'west-' || w, 'street ' || w, 'block ' || w, 'town', 'AA', '123411111',
       0.0500 + w * 0.01, 300000.00
FROM generate_series(1, 2) AS w;

INSERT INTO district
SELECT w, d, 'dist-' || d, 'street ' || d, 'block ' || d, 'town', 'AA', '123411111',
       0.0100 * d, 30000.00, CASE WHEN d <= 3 THEN 4 ELSE 1 END
FROM generate_series(1, 2) AS w, generate_series(1, 10) AS d;

INSERT INTO customer
SELECT w, d, c, 'first-' || lpad((7 - c)::text, 2, '0'), 'OE',
       CASE WHEN c <= 4 THEN 'BARBARBAR' WHEN c = 5 THEN 'BARBAROUGHT' ELSE 'BARBARABLE' END,
       'street ' || c, 'block ' || c, 'town', 'AA', '123411111', '1234567890123456',
       '2023-01-01 00:00:00', CASE WHEN c IN (2, 6) THEN 'BC' ELSE 'GC' END, 50000.00,
       0.0100 * c, -10.00, 10.00, 1, 0,
       CASE WHEN c = 6 THEN repeat('x', 500) ELSE 'data of customer ' || c END
FROM generate_series(1, 2) AS w, generate_series(1, 10) AS d, generate_series(1, 6) AS c;

INSERT INTO item
SELECT i, i, 'item ' || i, 1.25 * i,
       CASE WHEN i % 2 = 0 THEN 'some ORIGINAL data' ELSE 'plain data' END
FROM generate_series(1, 12) AS i;

-- item 12 exists but has no stock
INSERT INTO stock
SELECT w, i, CASE WHEN i <= 3 THEN 12 ELSE 40 + i END,
       rpad('s' || i || 'd01', 24, '.'), rpad('s' || i || 'd02', 24, '.'),
       rpad('s' || i || 'd03', 24, '.'), rpad('s' || i || 'd04', 24, '.'),
       rpad('s' || i || 'd05', 24, '.'), rpad('s' || i || 'd06', 24, '.'),
       rpad('s' || i || 'd07', 24, '.'), rpad('s' || i || 'd08', 24, '.'),
       rpad('s' || i || 'd09', 24, '.'), rpad('s' || i || 'd10', 24, '.'),
       0, 0, 0, CASE WHEN i % 4 = 0 THEN 'stock ORIGINAL' ELSE 'stock' END
FROM generate_series(1, 2) AS w, generate_series(1, 11) AS i;

-- three orders in each of the districts 1 to 3: the first delivered, two new
INSERT INTO orders
SELECT w, d, o, o, '2024-01-01 10:00:00', CASE WHEN o = 1 THEN 7 END, 2, 1
FROM generate_series(1, 2) AS w, generate_series(1, 3) AS d, generate_series(1, 3) AS o;

INSERT INTO new_order
SELECT w, d, o
FROM generate_series(1, 2) AS w, generate_series(1, 3) AS d, generate_series(2, 3) AS o;

INSERT INTO order_line
SELECT w, d, o, n, o + n, w, CASE WHEN o = 1 THEN timestamp '2024-01-01 12:00:00' END, 5,
       CASE WHEN o = 1 THEN 0 ELSE 10.50 * n END, rpad('line', 24, '.')
FROM generate_series(1, 2) AS w, generate_series(1, 3) AS d, generate_series(1, 3) AS o,
     generate_series(1, 2) AS n;
