-- SmallBank (Alomari, Cahill, Fekete, Roehm: The Cost of Serializability on Platforms That Use
-- Snapshot Isolation, ICDE 2008)
CREATE TABLE accounts (
    custid bigint NOT NULL,
    name varchar(64) NOT NULL,
    PRIMARY KEY (custid),
    UNIQUE (name)
);

CREATE TABLE savings (
    custid bigint NOT NULL,
    bal double precision NOT NULL,
    PRIMARY KEY (custid),
    FOREIGN KEY (custid) REFERENCES accounts (custid)
);

CREATE TABLE checking (
    custid bigint NOT NULL,
    bal double precision NOT NULL,
    PRIMARY KEY (custid),
    FOREIGN KEY (custid) REFERENCES accounts (custid)
);
