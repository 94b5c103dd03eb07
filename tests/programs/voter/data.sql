INSERT INTO contestants (contestant_number, contestant_name) VALUES
    (1, 'contestant 1'), (2, 'contestant 2'), (3, 'contestant 3');
INSERT INTO area_code_state (area_code, state) VALUES (212, 'NY'), (415, 'CA'), (617, 'MA');
INSERT INTO votes (vote_id, phone_number, state, contestant_number, created) VALUES
    (1, 2125550100, 'NY', 1, '2024-01-01 00:00:00'),
    (2, 2125550100, 'NY', 2, '2024-01-01 00:01:00'),
    (3, 4155550101, 'CA', 3, '2024-01-01 00:02:00');
