CREATE TABLE cancellations (order_id int NOT NULL, refund int NOT NULL);
CREATE TABLE returned (return_id int PRIMARY KEY, order_id int NOT NULL, was_paid boolean NOT NULL);
CREATE TABLE feedback (id serial PRIMARY KEY, order_id int NOT NULL, text text NOT NULL);
CREATE TABLE reasons (code text PRIMARY KEY, text text NOT NULL);
