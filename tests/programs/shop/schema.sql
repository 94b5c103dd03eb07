-- A web shop: what customers see, what they put into carts, what they order, and what is in stock
CREATE TABLE customer (
    id serial PRIMARY KEY,
    email varchar(120) NOT NULL UNIQUE,
    name varchar(80) NOT NULL,
    registered_at timestamp NOT NULL,
    points integer NOT NULL DEFAULT 0
);

CREATE TABLE address (
    id serial PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES customer (id),
    street varchar(120) NOT NULL,
    city varchar(80) NOT NULL,
    zip varchar(12) NOT NULL,
    country char(2) NOT NULL
);

CREATE TABLE category (
    id serial PRIMARY KEY,
    name varchar(60) NOT NULL,
    products integer NOT NULL DEFAULT 0
);

CREATE TABLE product (
    id serial PRIMARY KEY,
    category_id integer NOT NULL REFERENCES category (id),
    name varchar(120) NOT NULL,
    price numeric(10, 2) NOT NULL,
    is_offered boolean NOT NULL,
    stars_total integer NOT NULL DEFAULT 0,
    reviews integer NOT NULL DEFAULT 0
);

CREATE TABLE inventory (
    product_id integer PRIMARY KEY REFERENCES product (id),
    on_hand integer NOT NULL,
    reserved integer NOT NULL,
    counted_at timestamp NOT NULL
);

CREATE TABLE coupon (
    code varchar(20) PRIMARY KEY,
    discount numeric(3, 2) NOT NULL,
    valid_until timestamp NOT NULL,
    uses_left integer NOT NULL
);

CREATE TABLE cart (
    id serial PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES customer (id),
    status varchar(10) NOT NULL,
    changed_at timestamp NOT NULL
);

CREATE TABLE cart_line (
    cart_id integer NOT NULL REFERENCES cart (id),
    product_id integer NOT NULL REFERENCES product (id),
    quantity integer NOT NULL,
    PRIMARY KEY (cart_id, product_id)
);

CREATE TABLE orders (
    id serial PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES customer (id),
    address_id integer NOT NULL REFERENCES address (id),
    coupon_code varchar(20) REFERENCES coupon (code),
    status varchar(10) NOT NULL,
    total numeric(10, 2) NOT NULL,
    placed_at timestamp NOT NULL
);

CREATE TABLE order_line (
    order_id integer NOT NULL REFERENCES orders (id),
    product_id integer NOT NULL REFERENCES product (id),
    quantity integer NOT NULL,
    unit_price numeric(10, 2) NOT NULL,
    PRIMARY KEY (order_id, product_id)
);

CREATE TABLE payment (
    order_id integer PRIMARY KEY REFERENCES orders (id),
    amount numeric(10, 2) NOT NULL,
    method varchar(20) NOT NULL,
    status varchar(10) NOT NULL,
    reference varchar(40)
);

CREATE TABLE shipment (
    id serial PRIMARY KEY,
    order_id integer NOT NULL REFERENCES orders (id),
    carrier varchar(40) NOT NULL,
    tracking_code varchar(40) NOT NULL,
    shipped_at timestamp NOT NULL
);

CREATE TABLE review (
    product_id integer NOT NULL REFERENCES product (id),
    customer_id integer NOT NULL REFERENCES customer (id),
    stars integer NOT NULL CHECK (stars BETWEEN 1 AND 5),
    text varchar(1000) NOT NULL,
    written_at timestamp NOT NULL,
    PRIMARY KEY (product_id, customer_id)
);
