INSERT INTO product (id, sku, name, category, price, stock, note, rating) VALUES
    (1, 'yarn-red', 'red yarn', 'yarn', 4.50, 100, 'wool', 4.5),
    (2, 'yarn-blue', 'blue yarn', 'yarn', 4.75, 20, NULL, NULL),
    (3, 'yarn-gold', 'gold yarn', 'yarn', 12.00, 0, 'silk', 3.25),
    (4, 'shuttle', 'shuttle', 'tool', 18.00, 7, NULL, 5),
    (5, 'reed', 'reed', 'tool', 35.20, 3, 'steel', NULL),
    (6, 'loom', 'table loom', 'loom', 420.00, 1, NULL, 4);
INSERT INTO purchase (product_id, buyer, quantity, status, bought) VALUES
    (1, 'buyer-1', 10, 'open', '2024-01-01 08:00:00'),
    (1, 'buyer-2', 5, 'sent', '2024-01-02 08:00:00'),
    (2, 'buyer-1', 3, 'open', '2024-01-03 08:00:00'),
    (4, 'buyer-3', 1, 'open', NULL),
    (6, 'buyer-1', 1, 'sent', '2024-01-04 08:00:00');
INSERT INTO counter (name, value) VALUES ('hits', 10), ('misses', 3), ('empty', 0);
INSERT INTO job (id, state, payload) VALUES
    (1, 'new', 'warp'), (2, 'new', 'weave'), (3, 'done', 'wind'), (4, 'new', 'stop'),
    (5, 'new', 'never');
INSERT INTO archive_2023 VALUES (1, 7), (2, 8);
INSERT INTO archive_2024 VALUES (1, 70);
