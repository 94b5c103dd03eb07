INSERT INTO subscriber (s_id, sub_nbr, bit_1, hex_1, byte2_1, msc_location, vlr_location)
SELECT s, lpad(s::text, 15, '0'), s % 2, s % 16, s % 256, 1000 + s, 2000 + s
FROM generate_series(1, 5) AS s;

INSERT INTO access_info
SELECT s, t, 10 * s + t, 20 * s + t, 'ABC', 'ABCDE'
FROM generate_series(1, 5) AS s, generate_series(1, 2) AS t;

INSERT INTO special_facility
SELECT s, t, CASE WHEN t = 3 THEN 0 ELSE 1 END, 1, 100 + t, 'FGHIJ'
FROM generate_series(1, 4) AS s, generate_series(1, 3) AS t;

INSERT INTO call_forwarding VALUES
    (1, 1, 0, 8, '000000000000002'),
    (1, 1, 8, 16, '000000000000003'),
    (1, 3, 0, 8, '000000000000004'),
    (2, 2, 16, 24, '000000000000005');
