-- Voter (the telephone voting benchmark of OLTP-Bench)
CREATE TABLE contestants (
    contestant_number integer NOT NULL,
    contestant_name varchar(50) NOT NULL,
    PRIMARY KEY (contestant_number)
);

CREATE TABLE area_code_state (
    area_code smallint NOT NULL,
    state varchar(2) NOT NULL,
    PRIMARY KEY (area_code)
);

CREATE TABLE votes (
    vote_id bigint NOT NULL,
    phone_number bigint NOT NULL,
    state varchar(2) NOT NULL,
    contestant_number integer NOT NULL,
    created timestamp NOT NULL,
    PRIMARY KEY (vote_id),
    FOREIGN KEY (contestant_number) REFERENCES contestants (contestant_number)
);
CREATE INDEX votes_phone_number ON votes (phone_number);
