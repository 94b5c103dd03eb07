import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/** JDBC behind HikariCP: batches, cursors, statements that the server prepares, copies, timeouts. */
public class HikariClient {
    public static void main(String[] arguments) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(System.getenv("JDBC_URL"));
        config.setUsername("postgres");
        config.setMaximumPoolSize(4);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            insertInBatches(pool);
            readInParts(pool);
            failAndGoOn(pool);
            executeOften(pool);
            copy(pool);
            beToldInTime(pool);
            addAtOnce(pool);
        }
    }

    private static void insertInBatches(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO item VALUES (?, ?)")) {
                for (int id = 1; id <= 100; ++id) {
                    insert.setInt(1, id);
                    insert.setString(2, id % 10 == 0 ? null : "item " + id);
                    insert.addBatch();
                }
                System.out.println("batch: " + insert.executeBatch().length);
            }
            connection.commit();
        }
    }

    /** A portal with a limit of rows. */
    private static void readInParts(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            int rows = 0;
            int nulls = 0;
            try (PreparedStatement select = connection.prepareStatement("SELECT * FROM item")) {
                select.setFetchSize(7);
                try (ResultSet found = select.executeQuery()) {
                    while (found.next()) {
                        ++rows;
                        nulls += found.getString(2) == null ? 1 : 0;
                    }
                }
            }
            System.out.println("by sevens: " + rows + ", " + nulls + " of them null");
            connection.rollback();
        }
    }

    private static void failAndGoOn(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeUpdate("UPDATE item SET name = 'lost' WHERE id = 1");
            try {
                statement.executeUpdate("INSERT INTO item VALUES (1, 'again')");
            } catch (SQLException refused) {
                System.out.println("refused: " + refused.getSQLState());
            }
            connection.rollback();
            try (ResultSet found = statement.executeQuery("SELECT name FROM item WHERE id = 1")) {
                found.next();
                System.out.println("rolled back: " + found.getString(1));
            }
            connection.rollback();
        }
    }

    /** From the fifth time on the server has it prepared, and values come in binary. */
    private static void executeOften(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement select = connection.prepareStatement(
                        "SELECT id * 2, id::float8 / 2, now() > ? FROM item WHERE id = ?")) {
            StringBuilder seen = new StringBuilder();
            for (int id = 1; id <= 12; ++id) {
                select.setObject(1, java.time.OffsetDateTime.parse("2020-01-01T00:00:00Z"));
                select.setInt(2, id);
                try (ResultSet found = select.executeQuery()) {
                    found.next();
                    seen.append(found.getInt(1)).append(':').append(found.getDouble(2));
                    seen.append(found.getBoolean(3) ? ' ' : '!');
                }
            }
            System.out.println("prepared: " + seen.toString().trim());
        }
    }

    private static void copy(HikariDataSource pool) throws Exception {
        try (Connection connection = pool.getConnection()) {
            CopyManager copies = connection.unwrap(PGConnection.class).getCopyAPI();
            long in = copies.copyIn("COPY item FROM STDIN", new StringReader("101\tcopied\n102\t\\N\n"));
            java.io.StringWriter out = new java.io.StringWriter();
            copies.copyOut("COPY (SELECT id FROM item WHERE id > 99 ORDER BY id) TO STDOUT", out);
            System.out.println("copied: " + in + ", " + out.toString().trim().replace('\n', ' '));
        }
    }

    /** The driver asks the server to cancel on another connection; the pool then looks who lives. */
    private static void beToldInTime(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(1);
            try {
                statement.execute("SELECT pg_sleep(60)");
            } catch (SQLException cancelled) {
                System.out.println("cancelled: " + cancelled.getSQLState());
            }
        }
    }

    private static void addAtOnce(HikariDataSource pool) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Future<Integer>> running = new ArrayList<>();
        for (int number = 0; number < 200; ++number) {
            running.add(threads.submit(() -> {
                try (Connection connection = pool.getConnection();
                        PreparedStatement add = connection.prepareStatement(
                                "UPDATE total SET amount = amount + ?")) {
                    add.setInt(1, 1);
                    return add.executeUpdate();
                }
            }));
        }
        int changed = 0;
        for (Future<Integer> each : running) {
            changed += each.get();
        }
        threads.shutdown();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT amount FROM total")) {
            found.next();
            System.out.println("at once: " + changed + ", " + found.getInt(1));
        }
    }
}
