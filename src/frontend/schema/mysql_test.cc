// MySQL's definitions, text in, text out.
#include <gtest/gtest.h>

#include "frontend/schema/rendering.h"

namespace heddle::sql {
namespace {

void expect_schema(const SchemaCase& one) {
  EXPECT_EQ(render(parse_schema(one.sql, Dialect::mysql)), one.expected) << one.sql;
}

constexpr SchemaCase kTypes[] = {
    {R"(CREATE TABLE t (a tinyint, b smallint(6), c mediumint, d int(11), e bigint, f tinyint(1), g bool, h year, i bit(3)))",
     R"(table t
  a integer16 [tinyint]
  b integer16 [smallint(6)]
  c integer32 [mediumint]
  d integer32 [int(11)]
  e integer64 [bigint]
  f boolean [tinyint(1)]
  g boolean [bool]
  h integer16 [year]
  i bits(3) [bit(3)]
)"},
    {R"(CREATE TABLE t (a tinyint unsigned, b smallint unsigned, c int(10) UNSIGNED ZEROFILL, d bigint unsigned, e decimal(8,2) unsigned))",
     R"(table t
  a integer32 unsigned [tinyint unsigned]
  b integer32 unsigned [smallint unsigned]
  c integer64 unsigned [int(10) UNSIGNED ZEROFILL]
  d numeric(20) unsigned [bigint unsigned]
  e numeric(8,2) unsigned [decimal(8,2) unsigned]
)"},
    {R"(CREATE TABLE t (a decimal(10,2), b dec, c float, d double(8,2), e double precision, f real))",
     R"(table t
  a numeric(10,2) [decimal(10,2)]
  b numeric [dec]
  c real32 [float]
  d real64 [double(8,2)]
  e real64 [double precision]
  f real64 [real]
)"},
    {R"(CREATE TABLE t (a char(3), b varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, c national varchar(4), d longtext, e tinyblob, f varbinary(5), g text CHARSET latin1))",
     R"(table t
  a padded_text(3) [char(3)]
  b varying(10) [varchar(10)]
  c varying(4) [national varchar(4)]
  d text [longtext]
  e bytes [tinyblob]
  f bytes(5) [varbinary(5)]
  g text [text]
)"},
    {R"(CREATE TABLE t (a enum('x','it''s', "q") NOT NULL DEFAULT 'x', b set('a','b'), c date, d time(3), e datetime(6), f timestamp, g json, h point))",
     R"(table t
  a enumeration(x,it's,q) [enum('x','it''s', "q")] not-null default 'x'
  b text [set('a','b')]
  c date [date]
  d time(3) [time(3)]
  e timestamp(6) [datetime(6)]
  f timestamp_with_zone [timestamp]
  g json [json]
  h unknown [point]
note 1:135 the type of t.h is not known: point
)"},
    {R"(CREATE TABLE t (id SERIAL, a int))",
     R"(table t
  id numeric(20) unsigned [bigint unsigned] not-null identity
  a integer32 [int]
  unique (id)
)"},
};

TEST(MysqlSchema, ReadsTypes) {
  for (const SchemaCase& one : kTypes) expect_schema(one);
}

constexpr SchemaCase kColumns[] = {
    {R"(CREATE TABLE `Order` (`Id` int(10) unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY COMMENT 'a; b, c', `a``b` int NULL DEFAULT NULL))",
     R"(table Order
  Id integer64 unsigned [int(10) unsigned] not-null identity
  a`b integer32 [int] default NULL
  key (Id)
)"},
    {R"(CREATE TABLE t (a timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, b datetime(3) DEFAULT now(3) ON UPDATE now(3), c varchar(9) DEFAULT "it's", d int DEFAULT -1, e bit(1) DEFAULT b'0', f int DEFAULT (1 + 2)))",
     R"(table t
  a timestamp_with_zone [timestamp] not-null default CURRENT_TIMESTAMP on-update
  b timestamp(3) [datetime(3)] default now(3) on-update
  c varying(9) [varchar(9)] default 'it''s'
  d integer32 [int] default -1
  e bits(1) [bit(1)] default b'0'
  f integer32 [int] default 1 + 2
)"},
    {R"(CREATE TABLE t (a int, b int GENERATED ALWAYS AS (`a` + 1) VIRTUAL, c int AS (a * 2) STORED UNIQUE, d int INVISIBLE COLUMN_FORMAT FIXED STORAGE DISK))",
     R"(table t
  a integer32 [int]
  b integer32 [int] is "a" + 1
  c integer32 [int] is a * 2
  d integer32 [int]
  unique (c)
)"},
    {R"(CREATE TABLE t (a int oops, b int REFERENCES, c int))",
     R"(table t
  a unknown [int oops]
  c integer32 [int]
error 1:45 column b of table t cannot be read at ,
note 1:17 the type of t.a is not known: int oops
)"},
};

TEST(MysqlSchema, ReadsColumns) {
  for (const SchemaCase& one : kColumns) expect_schema(one);
}

constexpr SchemaCase kConstraints[] = {
    {R"(CREATE TABLE t (a int, b int, c text, PRIMARY KEY (a), UNIQUE KEY `u` (`b` DESC,`a`) USING BTREE, KEY k (b), INDEX (a), FULLTEXT KEY ft (c), UNIQUE INDEX pre (c(10)), UNIQUE ex ((lower(c))), CONSTRAINT cc CHECK (`A` > 0 AND a <> 5)) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8 COMMENT='x')",
     R"(table t
  a integer32 [int] not-null
  b integer32 [int]
  c text [text]
  key (a)
  unique u (b,a)
  check cc "a" > 0 AND a <> 5 <- (a)
note 1:149 a unique key of table t is on expressions or on the start of values, and is not followed
note 1:175 a unique key of table t is on expressions or on the start of values, and is not followed
)"},
    {R"(CREATE TABLE P (Id int PRIMARY KEY); CREATE TABLE c (a int, b int REFERENCES p (id), CONSTRAINT `fk` FOREIGN KEY (a) REFERENCES `p` (`id`) ON DELETE CASCADE ON UPDATE SET NULL, FOREIGN KEY ix (b) REFERENCES p (ID) MATCH SIMPLE ON DELETE NO ACTION))",
     R"(table P
  Id integer32 [int] not-null
  key (Id)
table c
  a integer32 [int]
  b integer32 [int]
  foreign (b) -> P(Id)
  foreign fk (a) -> P(Id) delete:cascade update:set-null
  foreign ix (b) -> P(Id)
)"},
    {R"(CREATE TABLE c (a int, FOREIGN KEY (z) REFERENCES c (a), FOREIGN KEY (a) REFERENCES nowhere (x)))",
     R"(table c
  a integer32 [int]
error 1:24 a foreign key of table c names the unknown column z
error 1:58 a foreign key of table c refers to the unknown table nowhere
)"},
    {R"(CREATE TABLE t (a int CHECK (a > 0) NOT ENFORCED, b json CHECK (json_valid(b)), c int CHECK (c MEMBER OF ('[1]'))))",
     R"(table t
  a integer32 [int]
  b json [json]
  c integer32 [int]
  check json_valid(b) <- (b)
note 1:94 a check of table t cannot be read and is left out: c MEMBER OF ('[1]')
)"},
};

TEST(MysqlSchema, ReadsConstraints) {
  for (const SchemaCase& one : kConstraints) expect_schema(one);
}

constexpr SchemaCase kStatements[] = {
    {R"(/*!40101 SET @saved_cs_client = @@character_set_client */;
DROP TABLE IF EXISTS `t`;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `t` (
  `a` int(11) NOT NULL,
  `b` varchar(5) DEFAULT NULL,
  PRIMARY KEY (`a`)
) /*!50100 PARTITION BY HASH (a) */ ENGINE=InnoDB;
LOCK TABLES `t` WRITE;
/*!40000 ALTER TABLE `t` DISABLE KEYS */;
INSERT INTO `t` VALUES (1,'CREATE TABLE x (a int);');
UNLOCK TABLES;)",
     R"(table t
  a integer32 [int(11)] not-null
  b varying(5) [varchar(5)] default NULL
  key (a)
)"},
    {R"(CREATE TABLE t (a int UNIQUE NOT NULL); CREATE TABLE u LIKE t; CREATE TABLE v (LIKE t); CREATE TABLE w AS SELECT 1; CREATE TABLE x (a int) SELECT 2 AS b; CREATE OR REPLACE TABLE t (z int))",
     R"(table u
  a integer32 [int] not-null
  unique (a)
table v
  a integer32 [int] not-null
  unique (a)
table w of unknown columns
table x of unknown columns
  a integer32 [int]
table t
  z integer32 [int]
note 1:104 the columns of table w are those of a query
note 1:140 the columns of table x are those of a query
)"},
    {R"(CREATE TABLE t (a int, b int); CREATE UNIQUE INDEX i USING BTREE ON t (a, b); CREATE INDEX j ON t (b); CREATE UNIQUE INDEX k ON t (a(3)); DROP INDEX i ON t; RENAME TABLE t TO x, x TO y; CREATE SEQUENCE s)",
     R"(sequence s
table y
  a integer32 [int]
  b integer32 [int]
note 1:129 the unique index on table t is on some rows or on expressions, and is not followed
)"},
    {R"(DELIMITER //
CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW BEGIN SET NEW.a = 1; END//
DELIMITER ;
CREATE TABLE t (a int); CREATE TABLE T (b int); CREATE TABLE u (a int; DROP TABLE nowhere)",
     R"(table t
  a integer32 [int]
error 4:38 table T is defined before, too
error 4:70 a parenthesis of CREATE TABLE is not closed
note 4:83 no table nowhere is defined before, so this changes nothing
)"},
    {R"(CREATE OR REPLACE ALGORITHM=UNDEFINED DEFINER=`root`@`%` SQL SECURITY DEFINER VIEW `v` (`a`, b) AS select 1, `x` from t where x > 1 WITH LOCAL CHECK OPTION; CREATE VIEW w AS SELECT 1; CREATE DEFINER=me@h PROCEDURE view() SELECT 1; DROP VIEW IF EXISTS w)",
     R"(view v(a,b) is select 1, `x` from t where x > 1
)"},
};

TEST(MysqlSchema, ReadsStatements) {
  for (const SchemaCase& one : kStatements) expect_schema(one);
}

constexpr SchemaCase kAlterations[] = {
    {R"(CREATE TABLE t (a int); ALTER TABLE t ADD COLUMN b int FIRST, ADD c int AFTER b, ADD (d int, e int UNIQUE), ADD PRIMARY KEY (a), ADD UNIQUE KEY u (b), ADD KEY (c), ADD CONSTRAINT k CHECK (a > 0), ADD CONSTRAINT f FOREIGN KEY (b) REFERENCES t (a), ENGINE=InnoDB)",
     R"(table t
  b integer32 [int]
  c integer32 [int]
  a integer32 [int] not-null
  d integer32 [int]
  e integer32 [int]
  key (a)
  unique (e)
  unique u (b)
  foreign f (b) -> t(a)
  check k a > 0 <- (a)
)"},
    {R"(CREATE TABLE t (a int, b int, c int CHECK (c > b), PRIMARY KEY (a, b)); ALTER TABLE t MODIFY COLUMN a bigint NOT NULL DEFAULT 3 AFTER c, CHANGE b `B2` varchar(5) FIRST, ALTER c SET DEFAULT 5; ALTER TABLE t ALTER COLUMN c DROP DEFAULT, RENAME COLUMN c TO d)",
     R"(table t
  B2 varying(5) [varchar(5)] not-null
  d integer32 [int]
  a integer64 [bigint] not-null default 3
  key (a,B2)
  check d > "B2" <- (B2,d)
)"},
    {R"(CREATE TABLE t (a int PRIMARY KEY, b int, c int, UNIQUE KEY u (b, c), CONSTRAINT f FOREIGN KEY (b) REFERENCES t (a), CONSTRAINT k CHECK (c > 0)); ALTER TABLE t DROP PRIMARY KEY, DROP FOREIGN KEY f, DROP COLUMN c, DROP CONSTRAINT IF EXISTS zz; ALTER TABLE t RENAME INDEX u TO v, DROP INDEX w; ALTER TABLE t RENAME TO x)",
     R"(table x
  a integer32 [int] not-null
  b integer32 [int]
  unique v (b)
)"},
    {R"(ALTER TABLE nowhere ADD a int; CREATE TABLE t (a int); ALTER TABLE t ADD a int, DROP COLUMN z, MODIFY q int)",
     R"(table t
  a integer32 [int]
error 1:74 column a is defined twice
error 1:93 table t has no column z
error 1:103 table t has no column q
note 1:13 no table nowhere is defined before, so this changes nothing
)"},
};

TEST(MysqlSchema, ReadsAlterations) {
  for (const SchemaCase& one : kAlterations) expect_schema(one);
}

}  // namespace
}  // namespace heddle::sql
