-- A small shop, for one JDBC idiom per method
CREATE TABLE product (
    id integer NOT NULL,
    sku varchar(20) NOT NULL,
    name varchar(60) NOT NULL,
    category varchar(20) NOT NULL,
    price numeric(10, 2) NOT NULL,
    stock integer NOT NULL,
    note varchar(200),
    rating double precision,
    PRIMARY KEY (id),
    UNIQUE (sku),
    CHECK (price >= 0),
    CHECK (stock >= 0)
);

CREATE TABLE purchase (
    id bigint GENERATED ALWAYS AS IDENTITY,
    product_id integer NOT NULL,
    buyer varchar(30) NOT NULL,
    quantity integer NOT NULL,
    status varchar(10) NOT NULL DEFAULT 'open',
    bought timestamp,
    PRIMARY KEY (id),
    FOREIGN KEY (product_id) REFERENCES product (id),
    CHECK (quantity > 0)
);

CREATE TABLE counter (
    name varchar(30) NOT NULL,
    value bigint NOT NULL,
    PRIMARY KEY (name)
);

CREATE TABLE job (
    id integer NOT NULL,
    state varchar(10) NOT NULL,
    payload varchar(60) NOT NULL,
    worker varchar(30),
    PRIMARY KEY (id)
);

CREATE TABLE audit (
    id bigint GENERATED ALWAYS AS IDENTITY,
    message varchar(100) NOT NULL,
    PRIMARY KEY (id)
);

CREATE TABLE archive_2023 (
    product_id integer NOT NULL,
    quantity integer NOT NULL,
    PRIMARY KEY (product_id)
);

CREATE TABLE archive_2024 (
    product_id integer NOT NULL,
    quantity integer NOT NULL,
    PRIMARY KEY (product_id)
);

CREATE FUNCTION restock(p_id integer, p_amount integer) RETURNS integer
LANGUAGE sql
AS 'UPDATE product SET stock = stock + p_amount WHERE id = p_id RETURNING stock';
