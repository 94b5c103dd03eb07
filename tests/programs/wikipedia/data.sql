INSERT INTO useracct (user_id, user_name, user_touched, user_editcount)
SELECT u, 'user ' || u, '20240101000000', 0 FROM generate_series(1, 4) AS u;
INSERT INTO user_groups (ug_user, ug_group) VALUES (1, 'sysop'), (1, 'editor'), (2, 'editor');
INSERT INTO ipblocks VALUES
    (1, '192.0.2.1', 0, 1, 'spam', '20300101000000'),
    (2, '192.0.2.2', 3, 1, 'edit war', '20300101000000');
INSERT INTO page (page_id, page_namespace, page_title, page_latest, page_len) VALUES
    (1, 0, 'Loom', 1, 10), (2, 0, 'Heddle', 2, 12), (3, 0, 'Without revision', 99, 0),
    (4, 0, 'Without text', 3, 0), (5, 1, 'Loom', 4, 5);
INSERT INTO page_restrictions VALUES (1, 1, 'edit', 'sysop'), (2, 1, 'move', 'sysop');
INSERT INTO text (old_id, old_text, old_flags, old_page) OVERRIDING SYSTEM VALUE VALUES
    (1, 'of looms', 'utf-8', 1), (2, 'of heddles', 'utf-8', 2), (3, 'talk', 'utf-8', 5);
INSERT INTO revision (rev_id, rev_page, rev_text_id, rev_comment, rev_user, rev_user_text,
                      rev_timestamp, rev_len)
OVERRIDING SYSTEM VALUE VALUES
    (1, 1, 1, 'new', 1, 'user 1', '20240101000000', 8),
    (2, 2, 2, 'new', 2, 'user 2', '20240101000000', 10),
    (3, 4, 77, 'lost', 2, 'user 2', '20240101000000', 0),
    (4, 5, 3, 'talk', 1, 'user 1', '20240101000000', 4);
ALTER TABLE text ALTER COLUMN old_id RESTART WITH 100;
ALTER TABLE revision ALTER COLUMN rev_id RESTART WITH 100;
INSERT INTO watchlist VALUES
    (1, 0, 'Heddle', NULL), (3, 0, 'Heddle', NULL), (4, 0, 'Heddle', '20240101000000'),
    (2, 0, 'Loom', NULL), (2, 1, 'Loom', NULL);
