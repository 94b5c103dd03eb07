INSERT INTO user_profiles (uid, name, email, followers)
SELECT u, 'user ' || u, 'user' || u || '@example.org', u FROM generate_series(1, 6) AS u;
INSERT INTO follows (f1, f2) VALUES (1, 2), (1, 3), (1, 4), (2, 1), (3, 5);
INSERT INTO followers (f1, f2) VALUES (2, 1), (3, 1), (4, 1), (1, 2), (5, 3), (1, 6);
INSERT INTO tweets (id, uid, text, createdate)
SELECT t, 1 + t % 4, 'tweet ' || t, timestamp '2024-01-01' + t * interval '1 hour'
FROM generate_series(1, 14) AS t;
