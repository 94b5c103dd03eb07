// The rows of languages that run elsewhere than Java.
#include "frontend/marks/technology.h"

namespace heddle::marks {

namespace {

constexpr std::uint32_t kPython = bit(Family::python);
constexpr std::uint32_t kGo = bit(Family::go);
constexpr std::uint32_t kScript = bit(Family::script);
constexpr std::uint32_t kCsharp = bit(Family::csharp);
constexpr std::uint32_t kPhp = bit(Family::php);
constexpr std::uint32_t kRuby = bit(Family::ruby);
constexpr std::uint32_t kRust = bit(Family::rust);
constexpr std::uint32_t kC = bit(Family::c);
constexpr std::uint32_t kPerl = bit(Family::perl);
constexpr std::uint32_t kElixir = bit(Family::elixir);
constexpr std::uint32_t kPrisma = bit(Family::prisma);

constexpr Technology kOtherTechnologies[] = {
    // Python.
    {.name = "SQLAlchemy",
     .use = Use::mapper,
     .families = kPython,
     .imports = "sqlalchemy sqlmodel flask_sqlalchemy aiosqlalchemy",
     .harmless = "sqlalchemy.exc",
     .calls = ".query( .execute( .add( .add_all( .commit( .delete( .scalars( .scalar( .merge( "
              ".flush( .rollback( .get( .query.",
     .words = "db.session."},
    {.name = "Django",
     .use = Use::mapper,
     .families = kPython,
     .imports = "django.db",
     .harmless = "django.db.migrations django.db.utils",
     .calls = ".save( .delete( .execute( atomic( atomic: models.Model",
     .words = ".objects."},
    {.name = "another mapper of Python",
     .use = Use::mapper,
     .families = kPython,
     .imports = "peewee pony tortoise piccolo playhouse mongoengine "
                "alembic.op",
     .calls = ".save( .create( .select( .execute( .get( .filter( .delete("},
    {.name = "drivers of Python",
     .use = Use::driver,
     .families = kPython,
     .imports =
         "psycopg psycopg2 psycopg_pool asyncpg aiopg pg8000 pymysql MySQLdb mysql.connector "
         "aiomysql asyncmy mariadb sqlite3 aiosqlite cx_Oracle oracledb pyodbc pymssql turbodbc "
         "duckdb snowflake.connector clickhouse_driver",
     .calls = ".execute( .executemany( .callproc( .fetch( .fetchrow( .fetchval( .commit( "
              ".copy_from( .copy_expert("},
    {.name = "MongoDB",
     .use = Use::store,
     .families = kPython,
     .imports = "pymongo motor beanie odmantic",
     .harmless = "pymongo.errors",
     .calls = ".find( .find_one( .insert_one( .insert_many( .update_one( .update_many( "
              ".delete_one( .delete_many( .find_one_and_update( .aggregate( .replace_one("},
    {.name = "Cassandra",
     .use = Use::store,
     .families = kPython,
     .imports = "cassandra",
     .calls = ".execute( .execute_async("},
    {.name = "Redis",
     .use = Use::store,
     .families = kPython,
     .imports = "redis aioredis redis_om django_redis rediscluster",
     .harmless = "redis.exceptions",
     .calls = ".get( .set( .hget( .hset( .incr( .decr( .delete( .expire( .setex( .setnx( .lpush( "
              ".rpush( .lpop( .zadd( .sadd( .hgetall( .pipeline( .exists( .hincrby( .eval( .lock("},
    {.name = "another store",
     .use = Use::store,
     .families = kPython,
     .imports = "elasticsearch neo4j boto3 aioboto3 google.cloud.firestore google.cloud.datastore "
                "influxdb couchdb pymemcache minio"},
    {.name = "HTTP clients",
     .use = Use::calls,
     .families = kPython,
     .imports = "requests httpx aiohttp.ClientSession urllib3 urllib.request grpc zeep",
     .harmless = "requests.exceptions requests.auth",
     .calls = "requests.get( requests.post( requests.put( requests.delete( requests.patch( "
              "requests.request( httpx.get( httpx.post( .get( .post( .put( .patch( .delete( "
              ".request( urlopen("},
    {.name = "queues",
     .use = Use::queue,
     .families = kPython,
     .imports = "kafka confluent_kafka aiokafka pika kombu celery aio_pika stomp nats dramatiq rq",
     .calls = ".send( .produce( .poll( .basic_publish( .basic_consume( .publish( .delay( "
              ".apply_async( .send_task("},
    // Go.
    {.name = "database/sql",
     .use = Use::driver,
     .families = kGo,
     .imports = "database/sql",
     .harmless = "database/sql/driver",
     .calls = ".Query( .QueryContext( .QueryRow( .QueryRowContext( .Exec( .ExecContext( .Begin( "
              ".BeginTx( .Prepare( .PrepareContext("},
    {.name = "GORM",
     .use = Use::mapper,
     .families = kGo,
     .imports = "gorm.io github.com/jinzhu/gorm",
     .calls = ".Create( .Save( .First( .Find( .Where( .Updates( .Update( .Delete( .Transaction( "
              ".Raw( .Exec( .Take( .Last( .Begin("},
    {.name = "another driver or mapper of Go",
     .use = Use::mapper,
     .families = kGo,
     .imports =
         "github.com/jmoiron/sqlx github.com/jackc/pgx github.com/lib/pq "
         "github.com/uptrace/bun entgo.io/ent github.com/go-pg/pg xorm.io "
         "github.com/go-xorm/xorm github.com/volatiletech/sqlboiler github.com/aarondl/sqlboiler "
         "github.com/Masterminds/squirrel github.com/upper/db github.com/gocraft/dbr "
         "github.com/mattn/go-sqlite3 github.com/go-sql-driver/mysql github.com/beego/beego "
         "github.com/astaxie/beego/orm github.com/doug-martin/goqu",
     .calls =
         ".Query( .QueryRow( .QueryRowx( .Queryx( .Exec( .NamedExec( .Get( .Select( .MustExec( "
         ".Begin( .BeginTx( .Beginx( .SendBatch( .CopyFrom( .NewSelect( .NewInsert( .NewUpdate( "
         ".NewDelete( .ExecContext( .QueryContext( .GetContext( .SelectContext( "
         ".QueryRowContext("},
    {.name = "MongoDB",
     .use = Use::store,
     .families = kGo,
     .imports = "go.mongodb.org gopkg.in/mgo github.com/globalsign/mgo",
     .calls = ".Find( .FindOne( .InsertOne( .InsertMany( .UpdateOne( .UpdateMany( .DeleteOne( "
              ".DeleteMany( .FindOneAndUpdate( .Aggregate( .ReplaceOne("},
    {.name = "Cassandra",
     .use = Use::store,
     .families = kGo,
     .imports =
         "github.com/gocql github.com/scylladb/gocqlx github.com/apache/cassandra-gocql-driver",
     .calls = ".Query( .ExecuteBatch("},
    {.name = "Redis",
     .use = Use::store,
     .families = kGo,
     .imports = "github.com/go-redis github.com/redis/go-redis github.com/redis/rueidis "
                "github.com/gomodule/redigo gopkg.in/redis",
     .calls = ".Get( .Set( .SetNX( .SetEX( .HGet( .HSet( .HGetAll( .Incr( .IncrBy( .Decr( .Del( "
              ".Expire( .LPush( .RPush( .ZAdd( .SAdd( .TxPipeline( .Pipeline( .Watch( .Do( .Eval("},
    {.name = "another store",
     .use = Use::store,
     .families = kGo,
     .imports = "github.com/elastic github.com/olivere/elastic github.com/neo4j "
                "github.com/bradfitz/gomemcache github.com/aws/aws-sdk-go/service/dynamodb "
                "github.com/aws/aws-sdk-go-v2/service/dynamodb cloud.google.com/go/firestore "
                "cloud.google.com/go/spanner cloud.google.com/go/datastore go.etcd.io "
                "github.com/dgraph-io "
                "github.com/minio"},
    {.name = "HTTP clients",
     .use = Use::calls,
     .families = kGo,
     .imports = "github.com/go-resty google.golang.org/grpc",
     .harmless = "google.golang.org/grpc/codes google.golang.org/grpc/status",
     .calls = "grpc.Dial( grpc.NewClient( .R()",
     .words = "http.Get( http.Post( http.PostForm( http.NewRequest( http.NewRequestWithContext("},
    {.name = "queues",
     .use = Use::queue,
     .families = kGo,
     .imports = "github.com/segmentio/kafka-go github.com/Shopify/sarama github.com/IBM/sarama "
                "github.com/confluentinc/confluent-kafka-go github.com/streadway/amqp "
                "github.com/rabbitmq/amqp091-go github.com/nats-io/nats.go "
                "github.com/aws/aws-sdk-go/service/sqs github.com/aws/aws-sdk-go-v2/service/sqs "
                "cloud.google.com/go/pubsub",
     .calls = ".Publish( .PublishWithContext( .WriteMessages( .ReadMessage( .FetchMessage( "
              ".Consume( .SendMessage( .Produce( .ReceiveMessage( .Subscribe("},
    // JavaScript and TypeScript.
    {.name = "Prisma",
     .use = Use::mapper,
     .families = kScript,
     .imports = "@prisma/client",
     .words = "prisma. .$transaction("},
    {.name = "Prisma", .use = Use::mapper, .families = kPrisma, .words = "datasource"},
    {.name = "TypeORM",
     .use = Use::mapper,
     .families = kScript,
     .imports = "typeorm @nestjs/typeorm",
     .calls = ".save( .findOne( .find( .findBy( .findOneBy( .createQueryBuilder( .query( .insert( "
              ".update( .delete( .remove( .transaction( .increment( .decrement( @Entity("},
    {.name = "Sequelize",
     .use = Use::mapper,
     .families = kScript,
     .imports = "sequelize sequelize-typescript @nestjs/sequelize @sequelize",
     .calls = ".findAll( .findOne( .findByPk( .create( .bulkCreate( .update( .destroy( .query( "
              ".transaction( .define( .findOrCreate( .increment( .upsert( .save("},
    {.name = "another mapper of JavaScript",
     .use = Use::mapper,
     .families = kScript,
     .imports = "knex drizzle-orm kysely @mikro-orm objection bookshelf waterline massive slonik "
                "@databases",
     .calls = ".select( .insert( .update( .delete( .del( .raw( .transaction( .where( .query( "
              ".execute( .findOne( .persistAndFlush("},
    {.name = "drivers of JavaScript",
     .use = Use::driver,
     .families = kScript,
     .imports = "pg pg-promise pg-pool postgres mysql mysql2 mariadb sqlite3 sqlite better-sqlite3 "
                "tedious mssql oracledb @neondatabase/serverless @planetscale/database",
     .calls = ".query( .execute( .run( .get( .all( .exec( .prepare( .one( .none( .any( .oneOrNone( "
              ".manyOrNone( .tx( .beginTransaction("},
    {.name = "MongoDB",
     .use = Use::store,
     .families = kScript,
     .imports = "mongodb mongoose monk @nestjs/mongoose @typegoose",
     .calls = ".find( .findOne( .findById( .findByIdAndUpdate( .findOneAndUpdate( .insertOne( "
              ".insertMany( .updateOne( .updateMany( .deleteOne( .deleteMany( .aggregate( .create( "
              ".save( .replaceOne( .bulkWrite("},
    {.name = "Cassandra",
     .use = Use::store,
     .families = kScript,
     .imports = "cassandra-driver",
     .calls = ".execute( .batch("},
    {.name = "Redis",
     .use = Use::store,
     .families = kScript,
     .imports = "redis ioredis @redis @upstash/redis handy-redis",
     .calls =
         ".get( .set( .setex( .setEx( .setnx( .setNX( .hget( .hset( .hGet( .hSet( .incr( .decr( "
         ".del( .expire( .lpush( .rpush( .lPush( .rPush( .zadd( .sadd( .multi( .exec( .eval( "
         ".hgetall( .hGetAll( .watch("},
    {.name = "another store",
     .use = Use::store,
     .families = kScript,
     .imports = "@elastic/elasticsearch neo4j-driver memcached @aws-sdk/client-dynamodb "
                "@aws-sdk/lib-dynamodb firebase-admin @google-cloud/firestore "
                "@google-cloud/datastore @google-cloud/spanner nano @supabase/supabase-js "
                "@azure/cosmos"},
    {.name = "HTTP clients",
     .use = Use::calls,
     .families = kScript,
     .imports = "axios node-fetch got superagent needle undici request request-promise ky "
                "@nestjs/axios @grpc/grpc-js",
     .calls = "axios( axios.get( axios.post( axios.put( axios.delete( axios.patch( axios.request( "
              ".get( .post( .put( .patch( .delete( fetch( got( request("},
    {.name = "queues",
     .use = Use::queue,
     .families = kScript,
     .imports = "kafkajs amqplib amqp-connection-manager node-rdkafka bull bullmq nats "
                "@aws-sdk/client-sqs sqs-consumer @google-cloud/pubsub stompit mqtt",
     .calls = ".send( .publish( .sendToQueue( .consume( .subscribe( .run( .add( .process("},
    // C#.
    {.name = "Entity Framework",
     .use = Use::mapper,
     .families = kCsharp,
     .imports = "Microsoft.EntityFrameworkCore System.Data.Entity",
     .calls = ".SaveChanges .FromSql .ExecuteSql .Add( .AddAsync( .Remove( .Update( .Find( "
              ".FindAsync( .ToListAsync( .FirstOrDefaultAsync( .SingleOrDefaultAsync( "
              ".SingleAsync( .FirstAsync( .AnyAsync( .BeginTransaction .ExecuteUpdate "
              ".ExecuteDelete",
     .words = ".SaveChanges( .SaveChangesAsync("},
    {.name = "Dapper",
     .use = Use::mapper,
     .families = kCsharp,
     .imports = "Dapper",
     .calls = ".Query( .Query< .QueryAsync .QueryFirst .QuerySingle .Execute( .ExecuteAsync( "
              ".ExecuteScalar .QueryMultiple .ExecuteReader"},
    {.name = "ADO.NET",
     .use = Use::driver,
     .families = kCsharp,
     .imports = "System.Data.SqlClient Microsoft.Data.SqlClient Npgsql MySql.Data MySqlConnector "
                "System.Data.Common System.Data.Odbc System.Data.OleDb System.Data.SQLite "
                "Microsoft.Data.Sqlite Oracle.ManagedDataAccess",
     .calls = ".ExecuteReader .ExecuteNonQuery .ExecuteScalar .BeginTransaction"},
    {.name = "another mapper of C#",
     .use = Use::mapper,
     .families = kCsharp,
     .imports = "NHibernate LinqToDB ServiceStack.OrmLite PetaPoco NPoco SqlSugar FreeSql Marten "
                "IBatisNet RepoDb"},
    {.name = "MongoDB", .use = Use::store, .families = kCsharp, .imports = "MongoDB"},
    {.name = "Cassandra", .use = Use::store, .families = kCsharp, .imports = "Cassandra"},
    {.name = "Redis",
     .use = Use::store,
     .families = kCsharp,
     .imports = "StackExchange.Redis ServiceStack.Redis CSRedis FreeRedis"},
    {.name = "another store",
     .use = Use::store,
     .families = kCsharp,
     .imports = "Elasticsearch Nest Neo4j Amazon.DynamoDBv2 Microsoft.Azure.Cosmos Raven.Client "
                "Google.Cloud.Firestore"},
    {.name = "HTTP clients",
     .use = Use::calls,
     .families = kCsharp,
     .imports = "System.Net.Http RestSharp Refit Flurl Grpc.Net.Client",
     .harmless = "System.Net.Http.Headers",
     .calls = ".GetAsync( .PostAsync( .PutAsync( .DeleteAsync( .SendAsync( .GetStringAsync( "
              ".GetFromJsonAsync .PostAsJsonAsync .ExecuteAsync"},
    {.name = "queues",
     .use = Use::queue,
     .families = kCsharp,
     .imports = "Confluent.Kafka RabbitMQ.Client MassTransit EasyNetQ Azure.Messaging "
                "Microsoft.Azure.ServiceBus Amazon.SQS NServiceBus Apache.NMS"},
    // PHP.
    {.name = "PDO and other drivers of PHP",
     .use = Use::driver,
     .families = kPhp,
     .imports = "PDO",
     .calls = "->query( ->prepare( ->exec( ->execute( ->beginTransaction(",
     .words = "PDO( mysqli_query( mysqli_prepare( mysqli( pg_query( pg_query_params( pg_execute( "
              "sqlite_query( mysql_query( oci_parse( sqlsrv_query("},
    {.name = "Doctrine",
     .use = Use::mapper,
     .families = kPhp,
     .imports = "Doctrine",
     .harmless = "Doctrine\\Common\\Collections",
     .calls = "->persist( ->flush( ->find( ->findBy( ->findOneBy( ->createQuery( "
              "->createQueryBuilder( ->getRepository( ->executeQuery( ->executeStatement( "
              "->fetchAssociative( ->remove( ->transactional("},
    {.name = "Eloquent",
     .use = Use::mapper,
     .families = kPhp,
     .imports = "Illuminate\\Database Illuminate\\Support\\Facades\\DB",
     .harmless = "Illuminate\\Database\\Migrations Illuminate\\Database\\Schema",
     .calls = "::where( ::find( ::findOrFail( ::create( ->save( ->update( ->delete( ->get( "
              "::transaction(",
     .words = "DB::"},
    {.name = "another store",
     .use = Use::store,
     .families = kPhp,
     .imports = "MongoDB Predis Redis Elasticsearch Cassandra Memcached "
                "Illuminate\\Support\\Facades\\Redis Illuminate\\Support\\Facades\\Cache",
     .words = "Redis::"},
    {.name = "HTTP clients",
     .use = Use::calls,
     .families = kPhp,
     .imports = "GuzzleHttp Symfony\\Contracts\\HttpClient Symfony\\Component\\HttpClient "
                "Illuminate\\Support\\Facades\\Http",
     .words = "curl_exec("},
    {.name = "queues",
     .use = Use::queue,
     .families = kPhp,
     .imports = "PhpAmqpLib RdKafka Illuminate\\Support\\Facades\\Queue Enqueue "
                "Symfony\\Component\\Messenger"},
    // Ruby.
    {.name = "ActiveRecord",
     .use = Use::mapper,
     .families = kRuby,
     .imports = "active_record",
     .words =
         "ApplicationRecord ActiveRecord::Base ActiveRecord::Base.transaction .find_by( .find_by! "
         ".update_all( .with_lock .lock! .update!( .save! .create!( .find_or_create_by "
         ".increment!( .decrement!( .update_column .destroy_all .find_each"},
    {.name = "another mapper or driver of Ruby",
     .use = Use::driver,
     .families = kRuby,
     .imports = "pg mysql2 sqlite3 sequel rom-sql rom dm-core tiny_tds",
     .calls = ".exec( .exec_params( .query( .execute( .prepare( .transaction .where( .insert( "
              ".update( .delete"},
    {.name = "another store",
     .use = Use::store,
     .families = kRuby,
     .imports = "mongo mongoid redis elasticsearch cassandra dalli neo4j aws-sdk-dynamodb",
     .words = "Mongoid::Document Redis.new Redis.current"},
    {.name = "HTTP clients",
     .use = Use::calls,
     .families = kRuby,
     .imports = "faraday httparty net/http rest-client typhoeus excon",
     .words = "Faraday. HTTParty. Net::HTTP RestClient."},
    {.name = "queues",
     .use = Use::queue,
     .families = kRuby,
     .imports = "bunny kafka ruby-kafka sneakers sidekiq karafka aws-sdk-sqs",
     .words = ".perform_async( .perform_later("},
    // Rust.
    {.name = "sqlx and other drivers of Rust",
     .use = Use::driver,
     .families = kRust,
     .imports =
         "sqlx tokio_postgres postgres deadpool_postgres rusqlite mysql mysql_async odbc_api "
         "tiberius",
     .calls = ".execute( .query( .query_one( .query_opt( .fetch_one( .fetch_all( .fetch_optional( "
              ".begin( .transaction( .prepare( .exec( .exec_drop( .query_row(",
     .words = "sqlx::query sqlx::query_as sqlx::query_scalar"},
    {.name = "Diesel",
     .use = Use::mapper,
     .families = kRust,
     .imports = "diesel diesel_async",
     .calls = ".execute( .load( .load:: .first( .get_result( .get_results( insert_into( update( "
              "delete( .transaction("},
    {.name = "another mapper of Rust",
     .use = Use::mapper,
     .families = kRust,
     .imports = "sea_orm rbatis ormx quaint cornucopia welds",
     .calls = ".all( .one( .insert( .update( .delete( .save( .exec( .begin("},
    {.name = "another store",
     .use = Use::store,
     .families = kRust,
     .imports =
         "mongodb redis deadpool_redis bb8_redis fred scylla cdrs cassandra_cpp elasticsearch "
         "neo4rs aws_sdk_dynamodb sled rocksdb"},
    {.name = "HTTP clients",
     .use = Use::calls,
     .families = kRust,
     .imports = "reqwest surf ureq isahc tonic hyper::client",
     .words = "reqwest::get"},
    {.name = "queues",
     .use = Use::queue,
     .families = kRust,
     .imports = "rdkafka lapin async_nats pulsar aws_sdk_sqs amqprs"},
    // C and C++.
    {.name = "libpq and other drivers of C and C++",
     .use = Use::driver,
     .families = kC,
     .imports = "libpq-fe.h postgresql/libpq-fe.h pqxx mysql.h mysql/ mariadb/ mysqlx mariadb.h "
                "sqlite3.h sql.h sqlext.h soci odb/ occi.h oci.h cppconn SQLiteCpp sqlpp11 nanodbc "
                "QSqlQuery QtSql QSqlDatabase Poco/Data ecpglib.h sqlite_orm",
     .calls = "PQexec( PQexecParams( PQexecPrepared( PQsendQuery( mysql_query( mysql_real_query( "
              "mysql_stmt_execute( sqlite3_exec( sqlite3_step( SQLExecute( SQLExecDirect( .exec( "
              ".exec0( .exec1( .exec_params( .executeQuery( .executeUpdate( ->executeQuery( "
              "->executeUpdate( ->execute( .execute(",
     .words = "EXEC SQL"},
    {.name = "another store",
     .use = Use::store,
     .families = kC,
     .imports = "hiredis sw/redis++ cpp_redis mongocxx mongoc bsoncxx cassandra.h libmemcached "
                "boost/redis aws/dynamodb leveldb rocksdb",
     .calls = "redisCommand( redisAppendCommand("},
    {.name = "HTTP clients",
     .use = Use::calls,
     .families = kC,
     .imports = "curl/curl.h cpr/ httplib.h cpprest/http_client.h grpcpp QNetworkAccessManager",
     .calls = "curl_easy_perform( cpr::Get( cpr::Post("},
    {.name = "queues",
     .use = Use::queue,
     .families = kC,
     .imports = "librdkafka amqp.h SimpleAmqpClient proton/ zmq.h zmq.hpp nats.h cppkafka",
     .calls = "rd_kafka_produce( amqp_basic_publish("},
    // Others.
    {.name = "DBI", .use = Use::driver, .families = kPerl, .imports = "DBI DBIx DBD"},
    {.name = "Ecto",
     .use = Use::mapper,
     .families = kElixir,
     .imports = "Ecto",
     .harmless = "Ecto.Migration",
     .words = "Repo.insert Repo.insert! Repo.update Repo.update! Repo.delete Repo.delete! Repo.get "
              "Repo.get! Repo.get_by Repo.one Repo.all Repo.transaction Repo.update_all "
              "Repo.query"},
};

}  // namespace

std::span<const Technology> other_technologies() { return kOtherTechnologies; }

}  // namespace heddle::marks
