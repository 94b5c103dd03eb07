INSERT INTO customer (email, name, registered_at, points)
SELECT 'customer' || c || '@example.org', 'customer ' || c, '2024-01-01 00:00:00', 10 * c
FROM generate_series(1, 4) AS c;

INSERT INTO address (customer_id, street, city, zip, country)
SELECT c, 'street ' || c, 'town', '1234' || c, 'AA' FROM generate_series(1, 4) AS c;

INSERT INTO category (name, products) VALUES ('yarn', 3), ('looms', 1);

-- nothing is there of product 5, and it is not offered
INSERT INTO product (category_id, name, price, is_offered, stars_total, reviews) VALUES
    (1, 'wool', 4.50, true, 9, 2),
    (1, 'linen', 7.25, true, 0, 0),
    (1, 'silk', 19.99, true, 0, 0),
    (2, 'table loom', 249.00, true, 0, 0),
    (2, 'floor loom', 1999.00, false, 0, 0);

INSERT INTO inventory
SELECT p, CASE WHEN p = 4 THEN 1 ELSE 40 END, CASE WHEN p = 1 THEN 6 ELSE 0 END,
       '2024-01-02 00:00:00'
FROM generate_series(1, 4) AS p;

INSERT INTO coupon VALUES
    ('SPRING', 0.15, '2024-04-30 00:00:00', 2),
    ('ONCE', 0.50, '2024-12-31 00:00:00', 0);

-- customer 3 has an empty cart, customer 4 none
INSERT INTO cart (customer_id, status, changed_at) VALUES
    (1, 'open', '2024-01-10 00:00:00'),
    (2, 'open', '2024-01-11 00:00:00'),
    (3, 'open', '2024-01-12 00:00:00');
INSERT INTO cart_line VALUES (1, 1, 3), (1, 3, 2), (2, 4, 2);

-- order 1 is sent, 2 paid, 3 placed
INSERT INTO orders (customer_id, address_id, coupon_code, status, total, placed_at) VALUES
    (1, 1, NULL, 'shipped', 9.00, '2024-01-05 00:00:00'),
    (2, 2, 'SPRING', 'paid', 22.44, '2024-01-06 00:00:00'),
    (2, 2, NULL, 'placed', 9.00, '2024-01-07 00:00:00');
INSERT INTO order_line VALUES
    (1, 1, 2, 4.50),
    (2, 1, 2, 4.50), (2, 2, 1, 7.25),
    (3, 1, 2, 4.50);
INSERT INTO payment VALUES
    (1, 9.00, 'card', 'paid', 'r-1'), (2, 22.44, 'card', 'paid', 'r-2'),
    (3, 9.00, 'transfer', 'open', NULL);
INSERT INTO shipment (order_id, carrier, tracking_code, shipped_at) VALUES
    (1, 'mail', 't-1', '2024-01-08 00:00:00');
INSERT INTO review VALUES
    (1, 2, 4, 'warm', '2024-01-09 00:00:00'), (1, 3, 5, 'soft', '2024-01-09 00:00:00');
