-- Twitter, as the benchmark is described for OLTP-Bench
CREATE TABLE user_profiles (
    uid integer NOT NULL,
    name varchar(255),
    email varchar(255),
    partitionid integer,
    partitionid2 smallint,
    followers integer,
    PRIMARY KEY (uid)
);

CREATE TABLE followers (
    f1 integer NOT NULL,
    f2 integer NOT NULL,
    PRIMARY KEY (f1, f2),
    FOREIGN KEY (f1) REFERENCES user_profiles (uid),
    FOREIGN KEY (f2) REFERENCES user_profiles (uid)
);

CREATE TABLE follows (
    f1 integer NOT NULL,
    f2 integer NOT NULL,
    PRIMARY KEY (f1, f2),
    FOREIGN KEY (f1) REFERENCES user_profiles (uid),
    FOREIGN KEY (f2) REFERENCES user_profiles (uid)
);

CREATE TABLE tweets (
    id bigint NOT NULL,
    uid integer NOT NULL,
    text varchar(140) NOT NULL,
    createdate timestamp,
    PRIMARY KEY (id),
    FOREIGN KEY (uid) REFERENCES user_profiles (uid)
);
CREATE INDEX tweets_uid ON tweets (uid);

CREATE TABLE added_tweets (
    id bigint GENERATED ALWAYS AS IDENTITY,
    uid integer NOT NULL,
    text varchar(140) NOT NULL,
    createdate timestamp,
    PRIMARY KEY (id),
    FOREIGN KEY (uid) REFERENCES user_profiles (uid)
);
