INSERT INTO accounts (custid, name) VALUES
    (1, 'customer-1'), (2, 'customer-2'), (3, 'customer-3'), (4, 'customer-4'),
    (5, 'no-savings'), (6, 'no-checking');
INSERT INTO savings (custid, bal) VALUES
    (1, 1000), (2, 250.5), (3, 0), (4, 40), (6, 10);
INSERT INTO checking (custid, bal) VALUES
    (1, 500), (2, 100.25), (3, 10), (4, 0), (5, 75);
