#include "frontend/marks/marks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heddle::marks {
namespace {

struct NamedText {
  std::string file;
  std::string text;
};

// "technology line" of each place of the last text; the others are declared beside it.
std::string places(const std::vector<NamedText>& texts) {
  Declared declared;
  for (const NamedText& one : texts) {
    const Language& language = *language_of(one.file);
    const ScannedText scanned = scan(one.text, language);
    if (language.family == Family::java || language.family == Family::jvm) {
      declare_types(scanned, language, declared);
    }
    if (language.family == Family::xml) declare_mapped(scanned, declared);
  }
  const Language& language = *language_of(texts.back().file);
  const ScannedText scanned = scan(texts.back().text, language);
  std::string found;
  for (const Place& one : find_places(scanned, language, declared)) {
    found += fmt::format("{}{} {}", found.empty() ? "" : ", ", one.technology, one.line);
  }
  return found;
}
std::string places(const std::string& file, const std::string& text) {
  return places({{file, text}});
}

TEST(Marks, mappers_of_java_by_annotations) {
  EXPECT_EQ("MyBatis 3, MyBatis 5",
            places("Orders.java",
                   "import org.apache.ibatis.annotations.*;\ninterface Orders {\n"
                   "  @Select(\"SELECT * FROM orders\")\n  List<Order> all();\n"
                   "  @Update(\"UPDATE orders SET a = 1\") int touch();\n}"));
  EXPECT_EQ("JDBI 3",
            places("Dao.java",
                   "import org.jdbi.v3.sqlobject.statement.SqlUpdate;\ninterface Dao {\n"
                   "  @SqlUpdate(\"insert into t (a) values (:a)\") void add(int a);\n}"));
  EXPECT_EQ("JPA 2", places("Owner.java",
                            "import jakarta.persistence.*;\n@Entity\nclass Owner { @Id int id; }"));
}

TEST(Marks, repositories_and_who_calls_them) {
  const NamedText repository = {
      "Owners.java",
      "import org.springframework.data.jpa.repository.JpaRepository;\n"
      "interface Owners extends JpaRepository<Owner, Long> {\n  Owner findByName(String n);\n}"};
  EXPECT_EQ("Spring Data 2", places({repository}));
  EXPECT_EQ("Spring Data 5", places({repository,
                                     {"Service.java",
                                      "class Service {\n  private final Owners owners;\n"
                                      "  Service(Owners owners) { this.owners = owners; }\n"
                                      "  void f() {\n    owners.findByName(\"x\");\n  }\n}"}}));
  // No file declares it, but its name says what it is.
  EXPECT_EQ("classes for data access without source here 3",
            places("Service.java",
                   "import shop.OrderRepository;\nclass Service { OrderRepository r;\n"
                   "  void f(Order o) { r.save(o); }\n}"));
  EXPECT_EQ("", places("Service.java",
                       "class Service { ObjectMapper mapper;\n"
                       "  void f(Order o) { mapper.map(o); }\n}"));
}

TEST(Marks, documents_of_mappers_and_interfaces_that_they_are_for) {
  const NamedText mapper = {"OrderMapper.xml",
                            "<?xml version=\"1.0\"?>\n<mapper namespace=\"shop.OrderMapper\">\n"
                            "  <select id=\"a\">SELECT 1</select>\n  <!-- <insert id=\"b\"/> -->\n"
                            "  <update id=\"c\">UPDATE t SET a = 1</update>\n</mapper>"};
  EXPECT_EQ("MyBatis 3, MyBatis 5", places({mapper}));
  EXPECT_EQ("MyBatis 2", places({mapper,
                                 {"Shop.java",
                                  "class Shop { OrderMapper orders;\n"
                                  "  void f() { orders.c(); }\n}"}}));
  EXPECT_EQ("", places("config.xml",
                       "<configuration>\n<mappers>\n<mapper resource=\"a.xml\"/>\n"
                       "</mappers>\n</configuration>"));
  EXPECT_EQ("", places("pom.xml", "<project><select/></project>"));
  EXPECT_EQ("iBATIS 2",
            places("a.xml", "<sqlMap namespace=\"A\">\n<procedure id=\"p\"/>\n</sqlMap>"));
}

TEST(Marks, templates_and_clients_by_the_types_of_variables) {
  EXPECT_EQ(
      "JdbcTemplate 4, JdbcTemplate 6",
      places("Bank.java",
             "import org.springframework.jdbc.core.JdbcTemplate;\nclass Bank {\n"
             "  private JdbcTemplate template;\n  void a() { template.update(\"UPDATE t SET a = "
             "1\"); }\n"
             "  void b() {\n    this.template\n        .queryForObject(\"SELECT 1\", x);\n  }\n}"));
  EXPECT_EQ("jOOQ 3", places("A.java",
                             "import org.jooq.DSLContext;\nclass A { DSLContext db;\n"
                             "  void f() { db.selectFrom(T).fetch(); }\n}"));
  EXPECT_EQ("Redis 3", places("A.java",
                              "import redis.clients.jedis.*;\nclass A {\n"
                              "  void f(Jedis jedis) { jedis.incr(\"n\"); }\n}"));
  EXPECT_EQ(
      "HTTP clients 3",
      places("A.java",
             "import org.springframework.web.client.RestTemplate;\nclass A { RestTemplate rest;\n"
             "  void f() { rest.postForObject(\"http://b\", 1, X.class); }\n}"));
  EXPECT_EQ("queues 2, queues 3",
            places("A.java",
                   "import org.springframework.kafka.core.KafkaTemplate;import "
                   "org.springframework.kafka.annotation.KafkaListener;\n"
                   "class A { KafkaTemplate<K, V> out; void f() { out.send(\"t\", 1); }\n"
                   "  @KafkaListener(topics = \"t\") void g() {}\n}"));
  EXPECT_EQ("MongoDB 2", places("A.java",
                                "import com.mongodb.client.MongoCollection;\n"
                                "class A { void f(MongoCollection<D> c) { c.insertOne(d); } }"));
  // Where nothing more is known, the import is the place; if it is used.
  EXPECT_EQ("another mapper of Java 1",
            places("A.java", "import org.sql2o.Sql2o;\nclass A { Sql2o x; }"));
  EXPECT_EQ("", places("A.java", "import org.sql2o.Sql2o;\nclass A {}"));
}

TEST(Marks, what_does_no_harm_is_none) {
  EXPECT_EQ("", places("A.java",
                       "import org.springframework.data.domain.Page;\n"
                       "class A { void f(Page<X> page) { page.getContent(); } }"));
  EXPECT_EQ(
      "", places("A.java",
                 "import org.hibernate.validator.constraints.Length;\nclass A { @Length int x; }"));
  EXPECT_EQ("", places("A.java",
                       "import org.springframework.jdbc.datasource.DataSourceUtils;\n"
                       "class A { void f() { DataSourceUtils.getConnection(d); } }"));
  EXPECT_EQ("", places("A.java", "import java.sql.*;\nclass A { void f(Connection c) {} }"));
  EXPECT_EQ("", places("A.java",
                       "// import org.jooq.DSLContext; DSLContext db; db.select();\nclass A {}"));
  EXPECT_EQ("", places("a.py", "import json\nprint('Select one from the list')\n"));
  EXPECT_EQ(
      "", places("a.ts", "import { Component } from '@angular/core';\nconst x = items.find(1);\n"));
}

TEST(Marks, other_languages_of_the_jvm) {
  EXPECT_EQ("Exposed 3", places("Bank.kt",
                                "import org.jetbrains.exposed.sql.*\nfun f() {\n"
                                "  transaction { }\n}"));
  EXPECT_EQ("JDBC outside of Java 2",
            places("A.kt",
                   "import java.sql.Connection\nfun f(c: Connection) = c.prepareStatement(\"SELECT "
                   "1 FROM t\").executeQuery()"));
  EXPECT_EQ("Spring Data 2, Spring Data 3",
            places("R.kt",
                   "import org.springframework.data.repository.CrudRepository\n"
                   "interface R : CrudRepository<Order, Long> {}\nfun f(r: R) { r.save(1) }\n"));
  EXPECT_EQ("a mapper of Kotlin or Scala 1",
            places("A.scala", "import doobie._\nobject A { val x = 1 }"));
}

TEST(Marks, python) {
  EXPECT_EQ("SQLAlchemy 3, SQLAlchemy 4",
            places("bank.py",
                   "from sqlalchemy.orm import Session\ndef f(s: Session):\n"
                   "    a = s.query(Account).one()\n    s.commit()\n"));
  EXPECT_EQ("Django 2",
            places("views.py", "from .models import Order\nx = Order.objects.get(id=1)\n"));
  EXPECT_EQ("drivers of Python 3",
            places("a.py", "import psycopg2\nc = conn.cursor()\nc.execute('SELECT 1')\n"));
  EXPECT_EQ("Redis 3", places("a.py", "import redis\nr = redis.Redis()\nr.incr('n')\n"));
  EXPECT_EQ("SQL in Python 2", places("a.py", "from .db import run\nrun('SELECT a FROM t')\n"));
  EXPECT_EQ("HTTP clients 2",
            places("a.py", "import requests\nrequests.post('http://b', json={})\n"));
}

TEST(Marks, languages_that_are_compiled) {
  EXPECT_EQ("database/sql 7", places("a.go",
                                     "package a\nimport (\n  \"database/sql\"\n  \"fmt\"\n)\n"
                                     "func f(db *sql.DB) {\n  db.Exec(`UPDATE t SET a = 1`)\n}\n"));
  EXPECT_EQ(
      "GORM 3",
      places("a.go", "package a\nimport \"gorm.io/gorm\"\nfunc f(d *gorm.DB) { d.Save(x) }\n"));
  EXPECT_EQ("another driver or mapper of Go 4",
            places("a.go",
                   "package a\nimport \"github.com/jackc/pgx/v5\"\nfunc f() {\n  "
                   "pool.QueryRow(ctx, q)\n}\n"));
  EXPECT_EQ("sqlx and other drivers of Rust 3",
            places("a.rs",
                   "use sqlx::PgPool;\nasync fn f(p: &PgPool) {\n"
                   "  sqlx::query(\"UPDATE t SET a = 1\").execute(p).await;\n}"));
  EXPECT_EQ("Diesel 2",
            places("a.rs", "use diesel::prelude::*;\nfn f() { update(t).set(x).execute(c); }"));
  EXPECT_EQ("libpq and other drivers of C and C++ 2",
            places("a.c", "#include <libpq-fe.h>\nvoid f(PGconn *c) { PQexec(c, \"BEGIN\"); }"));
  EXPECT_EQ(
      "libpq and other drivers of C and C++ 2",
      places("a.cc",
             "#include <pqxx/pqxx>\nvoid f(pqxx::work& w) { w.exec(\"UPDATE t SET a = 1\"); }"));
  EXPECT_EQ("Entity Framework 3",
            places("A.cs",
                   "using Microsoft.EntityFrameworkCore;\nclass A { void F() {\n"
                   "  context.SaveChanges();\n} }"));
  EXPECT_EQ(
      "Dapper 2",
      places("A.cs", "using Dapper;\nclass A { void F() { c.Execute(\"UPDATE t SET a = 1\"); } }"));
  EXPECT_EQ("ADO.NET 2",
            places("A.cs", "using Npgsql;\nclass A { void F() { cmd.ExecuteNonQuery(); } }"));
}

TEST(Marks, languages_of_scripts) {
  EXPECT_EQ("drivers of JavaScript 2",
            places("a.js", "const { Pool } = require('pg');\npool.query('SELECT 1');\n"));
  EXPECT_EQ("Prisma 2", places("a.ts",
                               "import { PrismaClient } from '@prisma/client';\n"
                               "await prisma.order.update({});\n"));
  EXPECT_EQ("TypeORM 2",
            places("a.ts", "import { Repository } from \"typeorm\";\nthis.orders.save(x);\n"));
  EXPECT_EQ("HTTP clients 2", places("a.js", "import axios from 'axios'\naxios.get('/x')\n"));
  EXPECT_EQ("ActiveRecord 1", places("order.rb", "class Order < ApplicationRecord\nend\n"));
  EXPECT_EQ("ActiveRecord 2", places("a.rb", "def f\n  Order.find_by(id: 1)\nend\n"));
  EXPECT_EQ("another mapper or driver of Ruby 2",
            places("a.rb", "require 'pg'\nconn.exec('SELECT 1')\n"));
  EXPECT_EQ("PDO and other drivers of PHP 2", places("a.php", "<?php\n$d = new PDO($x);\n"));
  EXPECT_EQ("Eloquent 3",
            places("a.php", "<?php\nuse Illuminate\\Support\\Facades\\DB;\nDB::update('x');\n"));
  EXPECT_EQ("Ecto 2", places("a.ex", "def f do\n  Repo.insert!(x)\nend\n"));
}

}  // namespace
}  // namespace heddle::marks
