// The rows of Java, its neighbours, and their documents.
#include "frontend/marks/technology.h"

namespace heddle::marks {

namespace {

constexpr std::uint32_t kJvm = bit(Family::java) | bit(Family::jvm);
constexpr std::uint32_t kOtherJvm = bit(Family::jvm);
constexpr std::uint32_t kXml = bit(Family::xml);

constexpr Technology kJavaTechnologies[] = {
    // Java and its neighbours: mappers.
    {.name = "MyBatis",
     .use = Use::mapper,
     .families = kJvm,
     .imports = "org.apache.ibatis org.mybatis com.baomidou.mybatisplus tk.mybatis com.ibatis "
                "com.mybatisflex",
     .harmless = "org.apache.ibatis.annotations.Param org.apache.ibatis.type "
                 "com.baomidou.mybatisplus.annotation com.baomidou.mybatisplus.core.metadata "
                 "org.apache.ibatis.logging",
     .types = "SqlSession SqlSessionTemplate SqlMapClient BaseMapper",
     .annotations = "Select Insert Update Delete SelectProvider InsertProvider UpdateProvider "
                    "DeleteProvider"},
    {.name = "MyBatis",
     .use = Use::mapper,
     .families = kXml,
     .root = "mapper",
     .elements = "select insert update delete"},
    {.name = "iBATIS",
     .use = Use::mapper,
     .families = kXml,
     .root = "sqlMap",
     .elements = "select insert update delete statement procedure"},
    {.name = "JPA",
     .use = Use::mapper,
     .families = kJvm,
     .imports =
         "javax.persistence jakarta.persistence io.quarkus.hibernate org.eclipse.persistence "
         "org.apache.openjpa javax.jdo org.datanucleus",
     .harmless =
         "javax.persistence.EntityNotFoundException jakarta.persistence.EntityNotFoundException "
         "javax.persistence.OptimisticLockException jakarta.persistence.OptimisticLockException "
         "javax.persistence.PersistenceException jakarta.persistence.PersistenceException",
     .types = "EntityManager Query TypedQuery StoredProcedureQuery PersistenceManager",
     .annotations = "Entity NamedQuery NamedQueries NamedNativeQuery NamedNativeQueries "
                    "NamedStoredProcedureQuery"},
    {.name = "JPA",
     .use = Use::mapper,
     .families = kXml,
     .root = "entity-mappings",
     .elements = "entity named-query named-native-query"},
    {.name = "Hibernate",
     .use = Use::mapper,
     .families = kJvm,
     .imports = "org.hibernate",
     .harmless = "org.hibernate.validator org.hibernate.annotations org.hibernate.exception "
                 "org.hibernate.HibernateException org.hibernate.StaleObjectStateException "
                 "org.hibernate.dialect org.hibernate.cfg org.hibernate.boot",
     .types = "Session SessionFactory StatelessSession Query NativeQuery SQLQuery Criteria "
              "HibernateTemplate"},
    {.name = "Hibernate",
     .use = Use::mapper,
     .families = kXml,
     .root = "hibernate-mapping",
     .elements = "class query sql-query"},
    {.name = "Spring Data",
     .use = Use::mapper,
     .families = kJvm,
     .imports = "org.springframework.data io.micronaut.data androidx.room jakarta.data",
     .harmless =
         "org.springframework.data.domain org.springframework.data.web "
         "org.springframework.data.annotation org.springframework.data.repository.query.Param "
         "org.springframework.data.util org.springframework.data.auditing",
     .types = "JpaRepository CrudRepository PagingAndSortingRepository ReactiveCrudRepository "
              "JdbcAggregateTemplate R2dbcEntityTemplate",
     .annotations = "Query NamedQuery Procedure"},
    {.name = "JdbcTemplate",
     .use = Use::mapper,
     .families = kJvm,
     .imports = "org.springframework.jdbc org.springframework.orm org.springframework.r2dbc",
     .harmless = "org.springframework.jdbc.datasource org.springframework.jdbc.support "
                 "org.springframework.jdbc.core.RowMapper "
                 "org.springframework.jdbc.core.BeanPropertyRowMapper "
                 "org.springframework.jdbc.core.ResultSetExtractor "
                 "org.springframework.jdbc.UncategorizedSQLException "
                 "org.springframework.jdbc.CannotGetJdbcConnectionException "
                 "org.springframework.jdbc.BadSqlGrammarException",
     .types = "JdbcTemplate JdbcOperations NamedParameterJdbcTemplate NamedParameterJdbcOperations "
              "SimpleJdbcInsert SimpleJdbcCall SimpleJdbcTemplate JdbcClient HibernateTemplate "
              "JpaTemplate DatabaseClient"},
    {.name = "jOOQ",
     .use = Use::mapper,
     .families = kJvm,
     .imports = "org.jooq",
     .types = "DSLContext DSL"},
    {.name = "JDBI",
     .use = Use::mapper,
     .families = kJvm,
     .imports = "org.jdbi org.skife.jdbi",
     .types = "Jdbi Handle DBI",
     .annotations = "SqlQuery SqlUpdate SqlBatch SqlCall SqlScript"},
    {.name = "Apache DbUtils",
     .use = Use::mapper,
     .families = kJvm,
     .imports = "org.apache.commons.dbutils",
     .harmless = "org.apache.commons.dbutils.DbUtils",
     .types = "QueryRunner AsyncQueryRunner"},
    {.name = "Querydsl",
     .use = Use::mapper,
     .families = kJvm,
     .imports = "com.querydsl com.mysema.query",
     .types = "JPAQueryFactory JPAQuery SQLQueryFactory"},
    {.name = "another mapper of Java",
     .use = Use::mapper,
     .families = kJvm,
     .imports =
         "io.ebean com.avaje.ebean org.sql2o com.j256.ormlite org.javalite.activejdbc "
         "org.apache.cayenne net.java.ao com.github.davidmoten io.requery "
         "org.seasar.doma org.dbflute com.speedment cn.hutool.db com.jfinal.plugin.activerecord "
         "org.beetl.sql org.nutz.dao com.alibaba.druid.sql com.blazebit.persistence "
         "org.simpleflatmapper org.jdbcdslog"},
    {.name = "Exposed",
     .use = Use::mapper,
     .families = kOtherJvm,
     .imports = "org.jetbrains.exposed",
     .calls = ".select .selectAll( .insert .insertAndGetId .update .deleteWhere .findById( .find "
              ".new transaction"},
    {.name = "a mapper of Kotlin or Scala",
     .use = Use::mapper,
     .families = kOtherJvm,
     .imports = "org.ktorm app.cash.sqldelight com.squareup.sqldelight kotliquery slick doobie "
                "anorm scalikejdbc io.getquill zio.sql groovy.sql"},
    {.name = "JDBC outside of Java",
     .use = Use::driver,
     .families = kOtherJvm,
     .imports = "java.sql javax.sql",
     .calls = ".prepareStatement( .executeQuery( .executeUpdate( .execute( .prepareCall( "
              ".executeBatch("},
    {.name = "reactive drivers of Java",
     .use = Use::driver,
     .families = kJvm,
     .imports = "io.r2dbc io.vertx.sqlclient io.vertx.pgclient io.vertx.mysqlclient "
                "io.vertx.ext.jdbc io.vertx.ext.sql com.github.jasync",
     .types = "ConnectionFactory SqlClient SqlConnection PgPool MySQLPool JDBCClient"},
    // Java and its neighbours: stores.
    {.name = "MongoDB",
     .use = Use::store,
     .families = kJvm,
     .imports =
         "com.mongodb org.springframework.data.mongodb dev.morphia org.mongodb org.bson.Document "
         "org.litote.kmongo",
     .harmless = "com.mongodb.MongoException",
     .types = "MongoCollection MongoTemplate MongoOperations ReactiveMongoTemplate DBCollection "
              "Datastore MongoRepository",
     .annotations = "Document Query Aggregation"},
    {.name = "Cassandra",
     .use = Use::store,
     .families = kJvm,
     .imports = "com.datastax org.springframework.data.cassandra org.apache.cassandra",
     .types = "CqlSession Session CassandraTemplate CassandraOperations CassandraRepository",
     .annotations = "Query"},
    {.name = "Redis",
     .use = Use::store,
     .families = kJvm,
     .imports = "redis.clients io.lettuce org.redisson org.springframework.data.redis",
     .harmless = "org.springframework.data.redis.serializer redis.clients.jedis.exceptions",
     .types = "Jedis JedisPool JedisCluster JedisPooled UnifiedJedis Transaction Pipeline "
              "RedisTemplate StringRedisTemplate ReactiveRedisTemplate RedisCommands "
              "RedisAsyncCommands RedissonClient RLock RMap RBucket ValueOperations HashOperations "
              "ListOperations SetOperations ZSetOperations"},
    {.name = "another store",
     .use = Use::store,
     .families = kJvm,
     .imports =
         "org.elasticsearch co.elastic.clients org.springframework.data.elasticsearch "
         "org.apache.solr org.neo4j org.springframework.data.neo4j net.spy.memcached "
         "com.hazelcast org.apache.ignite org.infinispan com.couchbase org.apache.hadoop.hbase "
         "software.amazon.awssdk.services.dynamodb com.amazonaws.services.dynamodbv2 "
         "software.amazon.awssdk.services.s3 com.amazonaws.services.s3 io.minio "
         "com.google.cloud.firestore com.google.cloud.datastore com.google.cloud.spanner "
         "org.influxdb com.influxdb io.etcd org.apache.zookeeper org.apache.curator "
         "com.azure.cosmos"},
    {.name = "HTTP clients",
     .use = Use::calls,
     .families = kJvm,
     .imports =
         "org.springframework.web.client org.springframework.web.reactive.function.client "
         "org.springframework.cloud.openfeign org.springframework.cloud.netflix.feign feign "
         "okhttp3 com.squareup.okhttp retrofit2 org.apache.http.client org.apache.http.impl.client "
         "org.apache.hc.client5 org.apache.commons.httpclient "
         "java.net.http java.net.HttpURLConnection javax.ws.rs.client jakarta.ws.rs.client "
         "kong.unirest com.mashape.unirest io.ktor.client io.grpc io.micronaut.http.client "
         "org.asynchttpclient com.github.kevinsawicki cn.hutool.http org.apache.dubbo "
         "com.alibaba.dubbo sttp.client org.eclipse.microprofile.rest.client",
     .harmless = "org.springframework.web.client.HttpClientErrorException "
                 "org.springframework.web.client.HttpServerErrorException "
                 "org.springframework.web.client.RestClientException "
                 "org.springframework.web.client.ResourceAccessException io.grpc.Status "
                 "io.grpc.stub.StreamObserver feign.FeignException "
                 "org.springframework.cloud.openfeign.EnableFeignClients",
     .types = "RestTemplate RestOperations RestClient WebClient OkHttpClient HttpClient "
              "CloseableHttpClient Client AsyncRestTemplate ManagedChannel HttpURLConnection",
     .annotations = "FeignClient DubboReference Reference RegisterRestClient"},
    {.name = "queues",
     .use = Use::queue,
     .families = kJvm,
     .imports = "org.apache.kafka org.springframework.kafka com.rabbitmq org.springframework.amqp "
                "javax.jms jakarta.jms org.springframework.jms software.amazon.awssdk.services.sqs "
                "com.amazonaws.services.sqs io.awspring.cloud.sqs org.springframework.cloud.stream "
                "org.springframework.cloud.aws.messaging org.apache.rocketmq org.apache.activemq "
                "org.apache.pulsar io.nats org.eclipse.microprofile.reactive.messaging "
                "io.smallrye.reactive.messaging software.amazon.awssdk.services.sns "
                "com.google.cloud.pubsub org.springframework.integration",
     .types = "KafkaTemplate KafkaProducer KafkaConsumer Producer Consumer RabbitTemplate "
              "AmqpTemplate Channel JmsTemplate JMSContext MessageProducer MessageConsumer "
              "SqsClient SqsAsyncClient AmazonSQS SqsTemplate StreamBridge RocketMQTemplate "
              "DefaultMQProducer",
     .annotations = "KafkaListener RabbitListener JmsListener SqsListener StreamListener Incoming "
                    "Outgoing RocketMQMessageListener"},
};

}  // namespace

std::span<const Technology> java_technologies() { return kJavaTechnologies; }

}  // namespace heddle::marks
