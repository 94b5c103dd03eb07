INSERT INTO country VALUES (1, 'Country One', 'C1', 'CO1'), (2, 'Country Two', 'C2', 'CO2');
INSERT INTO airport (ap_id, ap_code, ap_name, ap_city, ap_co_id, ap_longitude, ap_latitude)
SELECT a, 'AP' || a, 'airport ' || a, 'city ' || a, 1 + a % 2, 10.5 * a, 5.25 * a
FROM generate_series(1, 5) AS a;
INSERT INTO airport_distance VALUES (2, 3, 40), (2, 4, 90), (2, 5, 500), (1, 2, 1000);
INSERT INTO airline (al_id, al_name, al_co_id, al_iattr00, al_iattr01) VALUES
    (1, 'airline 1', 1, 11, 12), (2, 'airline 2', 2, 21, 22);
INSERT INTO customer (c_id, c_id_str, c_base_ap_id, c_balance, c_sattr00, c_iattr00, c_iattr10,
                      c_iattr11)
SELECT c, 'C' || lpad(c::text, 5, '0'), 1 + c % 5, 100.5 * c, 'attribute ' || c, c, 5, 5
FROM generate_series(1, 6) AS c;
INSERT INTO frequent_flyer (ff_c_id, ff_al_id, ff_c_id_str, ff_iattr10) VALUES
    (1, 1, 'C00001', 3), (1, 2, 'C00001', 4), (2, 1, 'C00002', 2), (4, 1, 'FF4', 1);
INSERT INTO flight (f_id, f_al_id, f_depart_ap_id, f_depart_time, f_arrive_ap_id, f_arrive_time,
                    f_status, f_base_price, f_seats_total, f_seats_left) VALUES
    (1, 1, 1, '2024-03-01 08:00:00', 2, '2024-03-01 10:00:00', 0, 200, 20, 16),
    (2, 2, 1, '2024-03-01 12:00:00', 3, '2024-03-01 15:00:00', 0, 150, 20, 20),
    (3, 1, 1, '2024-03-01 14:00:00', 4, '2024-03-01 18:00:00', 0, 175, 20, 0),
    (4, 2, 5, '2024-03-02 08:00:00', 1, '2024-03-02 10:00:00', 0, 99, 10, 9);
INSERT INTO reservation (r_id, r_c_id, r_f_id, r_seat, r_price, r_iattr00, r_created) VALUES
    (1, 1, 1, 3, 250, 9, '2024-02-01 00:00:00'),
    (2, 2, 1, 11, 200, 8, '2024-02-01 00:00:00'),
    (3, 3, 1, 12, 200, 7, '2024-02-01 00:00:00'),
    (4, 4, 1, 13, 200, 6, '2024-02-01 00:00:00'),
    (5, 2, 4, 4, 99, 5, '2024-02-02 00:00:00');
