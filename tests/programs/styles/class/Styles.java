import java.math.BigDecimal;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** One idiom of java.sql (JDBC 4.3 specification) in each method, on the tables of a small shop. */
public class Styles {

    private static final String COLUMNS = "id, name, stock";
    private static final String TABLE = "product";

    private final Connection connection;

    public Styles(Connection connection) {
        this.connection = connection;
    }

    /** Constants of nested classes. */
    static final class Sql {
        static final String COUNTER = "counter";

        static final class Read {
            static final String VALUE = "SELECT value FROM " + COUNTER + " WHERE name = ?";
        }

        static final class Write {
            static final String VALUE = "UPDATE " + COUNTER + " SET value = ? WHERE name = ?";
        }
    }

    /** The states of a purchase. */
    enum Status {
        OPEN("open"),
        SENT("sent"),
        BACK("back");

        private final String code;

        Status(String code) {
            this.code = code;
        }

        String code() {
            return code;
        }
    }

    /** A row of the table product. */
    record Product(int id, String name, int stock) {
    }

    // Texts of statements

    public List<String> concatenatedConstants() throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rs = statement.executeQuery("SELECT " + COLUMNS + " FROM " + TABLE
                        + " WHERE category = '" + "yarn" + "' ORDER BY id")) {
            while (rs.next()) {
                names.add(rs.getString("name"));
            }
        }
        return names;
    }

    public int concatenatedArgument(int id, int delta) throws SQLException {
        Statement statement = connection.createStatement();
        int changed = statement.executeUpdate(
                "UPDATE product SET stock = stock + " + delta + " WHERE id = " + id);
        statement.close();
        return changed;
    }

    public String concatenatedString(String sku) throws SQLException {
        Statement statement = connection.createStatement();
        ResultSet rs = statement.executeQuery(
                "SELECT name FROM product WHERE sku = '" + sku + "'");
        return rs.next() ? rs.getString(1) : null;
    }

    public int formatted(String category, int minStock) throws SQLException {
        String sql = String.format(
                "SELECT COUNT(*) AS %s FROM %s WHERE category = ? AND stock >= %d",
                "found", TABLE, minStock);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, category);
            try (ResultSet rs = statement.executeQuery()) {
                rs.next();
                return rs.getInt("found");
            }
        }
    }

    public List<Integer> conditionalFilter(String category, BigDecimal maxPrice, int minStock)
            throws SQLException {
        StringBuilder sb = new StringBuilder("SELECT id FROM product WHERE stock >= ?");
        if (category != null) {
            sb.append(" AND category = ?");
        }
        if (maxPrice != null) {
            sb.append(" AND price <= ?");
        }
        sb.append(" ORDER BY id");
        List<Integer> ids = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sb.toString())) {
            int index = 1;
            statement.setInt(index++, minStock);
            if (category != null) {
                statement.setString(index++, category);
            }
            if (maxPrice != null) {
                statement.setBigDecimal(index++, maxPrice);
            }
            try (ResultSet rs = statement.executeQuery()) {
                while (rs.next()) {
                    ids.add(rs.getInt(1));
                }
            }
        }
        return ids;
    }

    public String textBlock(int id) throws SQLException {
        String sql = """
                SELECT p.name,
                       p.price -- with tax
                  FROM product AS p
                 WHERE p.id = ?
                   AND p.note IS NOT NULL
                """;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, id);
            try (ResultSet rs = statement.executeQuery()) {
                if (!rs.next()) {
                    return "none";
                }
                return rs.getString("name") + " " + rs.getBigDecimal("price");
            }
        }
    }

    public List<String> inList(int[] ids) throws SQLException {
        StringBuilder marks = new StringBuilder();
        for (int i = 0; i < ids.length; i++) {
            marks.append("?,");
        }
        marks.deleteCharAt(marks.length() - 1);
        PreparedStatement statement = connection.prepareStatement(
                "SELECT name FROM product WHERE id IN (" + marks + ") ORDER BY id");
        for (int i = 0; i < ids.length; i++) {
            statement.setInt(i + 1, ids[i]);
        }
        ResultSet rs = statement.executeQuery();
        List<String> names = new ArrayList<>();
        while (rs.next()) {
            names.add(rs.getString(1));
        }
        return names;
    }

    public int dynamicTable(String year) throws SQLException {
        String table = "archive_" + year;
        try (Statement statement = connection.createStatement();
                ResultSet rs = statement.executeQuery("SELECT SUM(quantity) FROM " + table)) {
            rs.next();
            return rs.getInt(1);
        }
    }

    // Writing

    public int batchInsert(int productId, String[] buyers, int quantity) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO purchase (product_id, buyer, quantity) VALUES (?, ?, ?)")) {
            for (String buyer : buyers) {
                statement.setInt(1, productId);
                statement.setString(2, buyer);
                statement.setInt(3, quantity);
                statement.addBatch();
            }
            int inserted = 0;
            for (int count : statement.executeBatch()) {
                inserted += count;
            }
            return inserted;
        }
    }

    public int statementBatch() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.addBatch("UPDATE counter SET value = value + 1 WHERE name = 'hits'");
            statement.addBatch("UPDATE counter SET value = value - 1 WHERE name = 'misses'");
            return statement.executeBatch().length;
        }
    }

    public long generatedKeys(int productId, String buyer, int quantity, Timestamp bought)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO purchase (product_id, buyer, quantity, bought) VALUES (?, ?, ?, ?)",
                new String[] {"id"})) {
            statement.setInt(1, productId);
            statement.setString(2, buyer);
            statement.setInt(3, quantity);
            statement.setTimestamp(4, bought);
            statement.executeUpdate();
            long id;
            try (ResultSet keys = statement.getGeneratedKeys()) {
                keys.next();
                id = keys.getLong("id");
            }
            try (PreparedStatement audit = connection.prepareStatement(
                    "INSERT INTO audit (message) VALUES (?)")) {
                audit.setString(1, "purchase " + id);
                audit.executeUpdate();
            }
            return id;
        }
    }

    public int returning(int id, int quantity) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE product SET stock = stock - ? WHERE id = ? RETURNING stock, price")) {
            statement.setInt(1, quantity);
            statement.setInt(2, id);
            try (ResultSet rs = statement.executeQuery()) {
                if (rs.next()) {
                    return rs.getInt("stock");
                }
            }
        }
        throw new SQLException("No product " + id);
    }

    public void nullParameter(int id, String note) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE product SET note = ? WHERE id = ?")) {
            if (note == null || note.isEmpty()) {
                statement.setNull(1, Types.VARCHAR);
            } else {
                statement.setString(1, note);
            }
            statement.setInt(2, id);
            statement.executeUpdate();
        }
    }

    public int objectParameters(int id, BigDecimal price, String note) throws SQLException {
        Object[] values = {price, note, id};
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE product SET price = ?, note = ? WHERE id = ?")) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }

    public void countChecked(int id, int quantity) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(
                "UPDATE product SET stock = stock - ? WHERE id = ? AND stock >= ?");
        statement.setInt(1, quantity);
        statement.setInt(2, id);
        statement.setInt(3, quantity);
        int changed = statement.executeUpdate();
        statement.close();
        if (changed == 0) {
            throw new IllegalStateException("Not enough of product " + id);
        }
    }

    public void upsert(String name, long value) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                INSERT INTO counter (name, value)
                VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE
                SET value = counter.value + EXCLUDED.value
                """)) {
            statement.setString(1, name);
            statement.setLong(2, value);
            statement.executeUpdate();
        }
    }

    public int insertSelect(String status) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO audit (message) SELECT buyer FROM purchase WHERE status = ?"
                        + " ORDER BY id")) {
            statement.setString(1, status);
            return statement.executeUpdate();
        }
    }

    // Reading

    public String byIndexWithWasNull(int id) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(
                "SELECT name, rating FROM product WHERE id = ?");
        statement.setInt(1, id);
        ResultSet rs = statement.executeQuery();
        if (!rs.next()) {
            throw new SQLException("No product " + id);
        }
        String name = rs.getString(1);
        double rating = rs.getDouble(2);
        if (rs.wasNull()) {
            PreparedStatement update = connection.prepareStatement(
                    "UPDATE product SET rating = 0 WHERE id = ?");
            update.setInt(1, id);
            update.executeUpdate();
            return name;
        }
        return name + " " + rating;
    }

    public String byName(String sku) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(
                "SELECT p.id AS product_id, p.note, p.price FROM product p WHERE p.sku = ?");
        statement.setString(1, sku);
        ResultSet rs = statement.executeQuery();
        rs.next();
        int id = rs.getInt("product_id");
        String note = rs.getString("note");
        if (note == null) {
            note = "product " + id;
        }
        return note + " " + rs.getBigDecimal("price");
    }

    public List<String> joined(String category) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(
                "SELECT p.name, u.buyer, u.quantity FROM product p"
                        + " JOIN purchase u ON u.product_id = p.id"
                        + " WHERE p.category = ? ORDER BY u.id");
        statement.setString(1, category);
        ResultSet rs = statement.executeQuery();
        List<String> lines = new ArrayList<>();
        while (rs.next()) {
            lines.add(rs.getString(1) + " " + rs.getString(2) + " " + rs.getInt(3));
        }
        return lines;
    }

    public boolean exists(int productId) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(
                "SELECT EXISTS (SELECT 1 FROM purchase WHERE product_id = ?)");
        statement.setInt(1, productId);
        ResultSet rs = statement.executeQuery();
        rs.next();
        if (rs.getBoolean(1)) {
            return true;
        }
        PreparedStatement delete = connection.prepareStatement(
                "DELETE FROM product WHERE id = ?"
                        + " AND NOT EXISTS (SELECT 1 FROM purchase WHERE product_id = product.id)");
        delete.setInt(1, productId);
        delete.executeUpdate();
        return false;
    }

    public Map<String, Integer> groupHaving(int atLeast) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(
                "SELECT category, COUNT(*) AS products, SUM(stock) AS total FROM product"
                        + " GROUP BY category HAVING SUM(stock) >= ? ORDER BY category");
        statement.setInt(1, atLeast);
        ResultSet rs = statement.executeQuery();
        Map<String, Integer> totals = new LinkedHashMap<>();
        while (rs.next()) {
            totals.put(rs.getString("category"), rs.getInt("total"));
        }
        return totals;
    }

    public List<Long> page(int size, int number) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(
                "SELECT id FROM purchase ORDER BY id LIMIT ? OFFSET ?");
        statement.setInt(1, size);
        statement.setInt(2, (number - 1) * size);
        ResultSet rs = statement.executeQuery();
        List<Long> ids = new ArrayList<>();
        while (rs.next()) {
            ids.add(rs.getLong(1));
        }
        return ids;
    }

    public long forUpdate(String name, long delta) throws SQLException {
        PreparedStatement select = connection.prepareStatement(
                "SELECT value FROM counter WHERE name = ? FOR UPDATE");
        select.setString(1, name);
        ResultSet rs = select.executeQuery();
        if (!rs.next()) {
            throw new SQLException("No counter " + name);
        }
        long value = rs.getLong("value") + delta;
        PreparedStatement update = connection.prepareStatement(
                "UPDATE counter SET value = ? WHERE name = ?");
        update.setLong(1, value);
        update.setString(2, name);
        update.executeUpdate();
        return value;
    }

    public int skipLocked(String worker) throws SQLException {
        PreparedStatement select = connection.prepareStatement(
                "SELECT id, payload FROM job WHERE state = 'new' AND payload <> 'never'"
                        + " ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED");
        ResultSet rs = select.executeQuery();
        if (!rs.next()) {
            return 0;
        }
        int id = rs.getInt("id");
        PreparedStatement update = connection.prepareStatement(
                "UPDATE job SET state = ?, worker = ? WHERE id = ?");
        update.setString(1, rs.getString("payload").equals("stop") ? "stopped" : "taken");
        update.setString(2, worker);
        update.setInt(3, id);
        update.executeUpdate();
        return id;
    }

    public String executeGeneric(String kind, int id) throws SQLException {
        String sql;
        if (kind.equals("read")) {
            sql = "SELECT stock FROM product WHERE id = ?";
        } else {
            sql = "UPDATE product SET stock = stock + 1 WHERE id = ?";
        }
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, id);
            boolean hasRows = statement.execute();
            if (hasRows) {
                try (ResultSet rs = statement.getResultSet()) {
                    rs.next();
                    return "stock " + rs.getInt(1);
                }
            }
            return "updated " + statement.getUpdateCount();
        }
    }

    public int callable(int id, int amount) throws SQLException {
        try (CallableStatement call = connection.prepareCall("{? = call restock(?, ?)}")) {
            call.registerOutParameter(1, Types.INTEGER);
            call.setInt(2, id);
            call.setInt(3, amount);
            call.execute();
            return call.getInt(1);
        }
    }

    // Transactions

    public void manualTransaction(String from, String to, long amount) throws SQLException {
        connection.setAutoCommit(false);
        try {
            PreparedStatement take = connection.prepareStatement(
                    "UPDATE counter SET value = value - ? WHERE name = ? AND value >= ?");
            take.setLong(1, amount);
            take.setString(2, from);
            take.setLong(3, amount);
            if (take.executeUpdate() != 1) {
                throw new SQLException("Cannot take " + amount + " from " + from);
            }
            PreparedStatement give = connection.prepareStatement(
                    "UPDATE counter SET value = value + ? WHERE name = ?");
            give.setLong(1, amount);
            give.setString(2, to);
            give.executeUpdate();
            connection.commit();
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    public boolean swallowedRollback(String name, long value) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO counter (name, value) VALUES (?, ?)")) {
            insert.setString(1, name);
            insert.setLong(2, value);
            insert.executeUpdate();
            if (value < 0) {
                connection.rollback();
                return false;
            }
            connection.commit();
            return true;
        } catch (SQLException e) {
            connection.rollback();
            return false;
        }
    }

    public String savepoint(int productId, String buyer, int quantity) throws SQLException {
        connection.setAutoCommit(false);
        PreparedStatement audit = connection.prepareStatement(
                "INSERT INTO audit (message) VALUES (?)");
        audit.setString(1, "savepoint for " + buyer);
        audit.executeUpdate();

        String outcome = "bought";
        Savepoint savepoint = connection.setSavepoint("before_purchase");
        try {
            PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO purchase (product_id, buyer, quantity) VALUES (?, ?, ?)");
            insert.setInt(1, productId);
            insert.setString(2, buyer);
            insert.setInt(3, quantity);
            insert.executeUpdate();
            connection.releaseSavepoint(savepoint);
        } catch (SQLException e) {
            connection.rollback(savepoint);
            outcome = "refused";
        }
        audit.setString(1, outcome);
        audit.executeUpdate();
        connection.commit();
        return outcome;
    }

    public long isolation(String name) throws SQLException {
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        try (PreparedStatement select = connection.prepareStatement(Sql.Read.VALUE)) {
            select.setString(1, name);
            ResultSet rs = select.executeQuery();
            long value = rs.next() ? rs.getLong(1) : -1;
            connection.commit();
            return value;
        } finally {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
    }

    // Control flow

    public int switchStatement(String action, int id) throws SQLException {
        PreparedStatement statement;
        switch (action) {
            case "open":
            case "reopen":
                statement = connection.prepareStatement(
                        "UPDATE purchase SET status = 'open' WHERE id = ?");
                break;
            case "send":
                statement = connection.prepareStatement(
                        "UPDATE purchase SET status = 'sent' WHERE id = ?");
                break;
            case "delete":
                statement = connection.prepareStatement("DELETE FROM purchase WHERE id = ?");
                break;
            default:
                throw new IllegalArgumentException("No action " + action);
        }
        statement.setLong(1, id);
        return statement.executeUpdate();
    }

    public int switchExpression(int size, int id) throws SQLException {
        int step = switch (size) {
            case 0 -> 1;
            case 1, 2 -> 10;
            default -> {
                int bound = size * 10;
                yield bound + 1;
            }
        };
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE product SET stock = stock + ? WHERE id = ?")) {
            statement.setInt(1, step);
            statement.setInt(2, id);
            return statement.executeUpdate();
        }
    }

    public int ternary(int id, int delta) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                delta >= 0 ? "UPDATE product SET stock = stock + ? WHERE id = ?"
                        : "UPDATE product SET stock = stock - ? WHERE id = ?")) {
            statement.setInt(1, delta >= 0 ? delta : -delta);
            statement.setInt(2, id);
            return statement.executeUpdate();
        }
    }

    public int forLoop(int productId, int times) throws SQLException {
        int sum = 0;
        PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO purchase (product_id, buyer, quantity) VALUES (?, ?, ?)");
        for (int i = 1; i <= times; i++) {
            statement.setInt(1, productId);
            statement.setString(2, "loop-" + i);
            statement.setInt(3, i * i);
            sum += statement.executeUpdate();
        }
        return sum;
    }

    public int forEachLoop(int[] ids, int quantity) throws SQLException {
        int missing = 0;
        for (int id : ids) {
            try (PreparedStatement statement = connection.prepareStatement(
                    "UPDATE product SET stock = stock + ? WHERE id = ?")) {
                statement.setInt(1, quantity);
                statement.setInt(2, id);
                if (statement.executeUpdate() == 0) {
                    missing++;
                }
            }
        }
        return missing;
    }

    public int whileLoop(int productId) throws SQLException {
        int open = 0;
        PreparedStatement select = connection.prepareStatement(
                "SELECT id, status, quantity FROM purchase WHERE product_id = ? ORDER BY id");
        PreparedStatement update = connection.prepareStatement(
                "UPDATE purchase SET status = 'sent' WHERE id = ?");
        select.setInt(1, productId);
        ResultSet rs = select.executeQuery();
        while (rs.next()) {
            if ("open".equals(rs.getString("status"))) {
                open += rs.getInt("quantity");
                update.setLong(1, rs.getLong("id"));
                update.executeUpdate();
            }
        }
        return open;
    }

    public int doWhileLoop(String name) throws SQLException {
        int rounds = 0;
        long value;
        do {
            PreparedStatement select = connection.prepareStatement(Sql.Read.VALUE);
            select.setString(1, name);
            ResultSet rs = select.executeQuery();
            rs.next();
            value = rs.getLong(1);
            PreparedStatement update = connection.prepareStatement(Sql.Write.VALUE);
            update.setLong(1, value / 2);
            update.setString(2, name);
            update.executeUpdate();
            rounds++;
        } while (value > 4);
        return rounds;
    }

    public List<String> labelledLoops(String[] categories, int limit) throws SQLException {
        List<String> found = new ArrayList<>();
        PreparedStatement statement = connection.prepareStatement(
                "SELECT name, stock FROM product WHERE category = ? ORDER BY id");
        outer:
        for (String category : categories) {
            statement.setString(1, category);
            ResultSet rs = statement.executeQuery();
            while (rs.next()) {
                if (rs.getInt("stock") == 0) {
                    continue outer;
                }
                found.add(rs.getString("name"));
                if (found.size() >= limit) {
                    break outer;
                }
            }
        }
        return found;
    }

    public int nestedResultSets(String category) throws SQLException {
        int total = 0;
        try (PreparedStatement products = connection.prepareStatement(
                        "SELECT id FROM product WHERE category = ? ORDER BY id");
                PreparedStatement purchases = connection.prepareStatement(
                        "SELECT quantity FROM purchase WHERE product_id = ? ORDER BY id")) {
            products.setString(1, category);
            try (ResultSet outer = products.executeQuery()) {
                while (outer.next()) {
                    purchases.setInt(1, outer.getInt("id"));
                    try (ResultSet inner = purchases.executeQuery()) {
                        while (inner.next()) {
                            total += inner.getInt("quantity");
                        }
                    }
                }
            }
        }
        return total;
    }

    public int listThenLoop(String buyer) throws SQLException {
        List<Long> ids = new ArrayList<>();
        PreparedStatement select = connection.prepareStatement(
                "SELECT id FROM purchase WHERE buyer = ? ORDER BY id");
        select.setString(1, buyer);
        ResultSet rs = select.executeQuery();
        while (rs.next()) {
            ids.add(rs.getLong("id"));
        }
        PreparedStatement update = connection.prepareStatement(
                "UPDATE purchase SET quantity = quantity + 1 WHERE id = ?");
        for (Long id : ids) {
            update.setLong(1, id);
            update.executeUpdate();
        }
        return ids.size();
    }

    public Map<Integer, Integer> mapThenLoop(String status) throws SQLException {
        Map<Integer, Integer> sums = new LinkedHashMap<>();
        PreparedStatement select = connection.prepareStatement(
                "SELECT product_id, quantity FROM purchase WHERE status = ? ORDER BY id");
        select.setString(1, status);
        ResultSet rs = select.executeQuery();
        while (rs.next()) {
            sums.merge(rs.getInt("product_id"), rs.getInt("quantity"), Integer::sum);
        }
        for (Map.Entry<Integer, Integer> entry : sums.entrySet()) {
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO audit (message) VALUES (?)")) {
                insert.setString(1, entry.getKey() + "=" + entry.getValue());
                insert.executeUpdate();
            }
        }
        return sums;
    }

    public int optimisticRetry(String name, int attempts) throws SQLException {
        for (int attempt = 1; attempt <= attempts; attempt++) {
            PreparedStatement select = connection.prepareStatement(Sql.Read.VALUE);
            select.setString(1, name);
            ResultSet rs = select.executeQuery();
            if (!rs.next()) {
                continue;
            }
            long value = rs.getLong(1);
            PreparedStatement update = connection.prepareStatement(
                    "UPDATE counter SET value = ? WHERE name = ? AND value = ?");
            update.setLong(1, value + 1);
            update.setString(2, name);
            update.setLong(3, value);
            update.executeUpdate();
            return attempt;
        }
        return -1;
    }

    // Helpers

    public int staticHelper(String name, long value) throws SQLException {
        return setCounter(connection, name, Math.max(value, 0));
    }

    private static int setCounter(Connection connection, String name, long value)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(Sql.Write.VALUE)) {
            statement.setLong(1, value);
            statement.setString(2, name);
            return statement.executeUpdate();
        }
    }

    public void statementParameter(int productId, String buyer, String other) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO purchase (product_id, buyer, quantity) VALUES (?, ?, ?)")) {
            statement.setInt(1, productId);
            bindBuyer(statement, buyer, 1);
            statement.executeUpdate();
            bindBuyer(statement, other, 2);
            statement.executeUpdate();
        }
    }

    private void bindBuyer(PreparedStatement statement, String buyer, int quantity)
            throws SQLException {
        statement.setString(2, buyer);
        statement.setInt(3, quantity);
    }

    public String resultSetHelper(int id) throws SQLException {
        ResultSet rs = selectProduct(id);
        if (!rs.next()) {
            return null;
        }
        Product product = readProduct(rs);
        if (product.stock() == 0) {
            return product.name() + " is sold out";
        }
        return product.name();
    }

    private ResultSet selectProduct(int id) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(
                "SELECT " + COLUMNS + " FROM " + TABLE + " WHERE id = ?");
        statement.setInt(1, id);
        return statement.executeQuery();
    }

    private static Product readProduct(ResultSet rs) throws SQLException {
        return new Product(rs.getInt("id"), rs.getString("name"), rs.getInt("stock"));
    }

    public int earlyReturn(int id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT stock FROM product WHERE id = ?")) {
            select.setInt(1, id);
            try (ResultSet rs = select.executeQuery()) {
                if (!rs.next()) {
                    return -1;
                }
                if (rs.getInt(1) > 50) {
                    return rs.getInt(1);
                }
            }
            try (PreparedStatement update = connection.prepareStatement(
                    "UPDATE product SET stock = 50 WHERE id = ?")) {
                update.setInt(1, id);
                update.executeUpdate();
            }
            return 50;
        }
    }

    public int nestedConstants(String name, String status) throws SQLException {
        Status wanted = Status.valueOf(status);
        PreparedStatement select = connection.prepareStatement(Sql.Read.VALUE);
        select.setString(1, name);
        ResultSet rs = select.executeQuery();
        rs.next();
        if (wanted == Status.BACK) {
            return 0;
        }
        PreparedStatement update = connection.prepareStatement(
                "UPDATE purchase SET status = ? WHERE quantity > ?");
        update.setString(1, wanted.code());
        update.setLong(2, rs.getLong("value"));
        return update.executeUpdate();
    }

    public int varargs(String first, String second) throws SQLException {
        int changed = update("UPDATE counter SET value = value + 1 WHERE name IN (?, ?)",
                first, second);
        changed += update("UPDATE counter SET value = 0 WHERE value > 1000000");
        return changed;
    }

    private int update(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int index = 1;
            for (Object parameter : parameters) {
                statement.setObject(index++, parameter);
            }
            return statement.executeUpdate();
        }
    }

    public String localVar(int id) throws SQLException {
        var sql = "SELECT name, price, stock FROM product WHERE id = ?";
        try (var statement = connection.prepareStatement(sql)) {
            statement.setInt(1, id);
            try (var rs = statement.executeQuery()) {
                if (rs.next()) {
                    var price = rs.getBigDecimal("price");
                    var stock = rs.getInt("stock");
                    return rs.getString("name") + " " + price.multiply(new BigDecimal(stock));
                }
            }
        }
        return "";
    }

    public String optionalRow(int id) throws SQLException {
        Optional<Product> product = find(id);
        if (product.isPresent() && product.get().stock() > 0) {
            update("UPDATE product SET stock = stock - 1 WHERE id = ?", product.get().id());
        }
        return product.map(Product::name).orElse("nothing");
    }

    private Optional<Product> find(int id) throws SQLException {
        try (ResultSet rs = selectProduct(id)) {
            return rs.next() ? Optional.of(readProduct(rs)) : Optional.empty();
        }
    }

    public String streamed(String category) throws SQLException {
        List<Product> products = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT id, name, stock FROM product WHERE category = ? ORDER BY id")) {
            statement.setString(1, category);
            try (ResultSet rs = statement.executeQuery()) {
                while (rs.next()) {
                    products.add(readProduct(rs));
                }
            }
        }
        return products.stream()
                .filter(product -> product.stock() > 0)
                .map(Product::name)
                .collect(Collectors.joining(", "));
    }

    public int clearedParameters(int[] ids, String note) throws SQLException {
        int changed = 0;
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE product SET note = ? WHERE id = ?")) {
            for (int id : Arrays.copyOf(ids, ids.length)) {
                statement.clearParameters();
                statement.setString(1, note + " " + id);
                statement.setInt(2, id);
                changed += statement.executeUpdate();
            }
        }
        return changed;
    }

    public List<String> twoOpenResultSets(String category) throws SQLException {
        List<String> merged = new ArrayList<>();
        try (Statement first = connection.createStatement();
                PreparedStatement second = connection.prepareStatement(
                        "SELECT id, name FROM product WHERE category = ? ORDER BY id")) {
            second.setString(1, category);
            try (ResultSet left = first.executeQuery(
                            "SELECT name FROM counter ORDER BY name LIMIT 2");
                    ResultSet right = second.executeQuery()) {
                while (left.next() && right.next()) {
                    merged.add(left.getString(1) + "/" + right.getString("name"));
                }
            }
        }
        return merged;
    }

    // Exceptions

    public String catchDuplicate(int id, String sku) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO product (id, sku, name, category, price, stock)"
                        + " VALUES (?, ?, 'new', 'new', 1, 0)")) {
            statement.setInt(1, id);
            statement.setString(2, sku);
            statement.executeUpdate();
            return "inserted";
        } catch (SQLException e) {
            if ("23505".equals(e.getSQLState())) {
                connection.rollback();
                return "duplicate";
            }
            throw e;
        }
    }

    public void rethrown(int productId, int quantity) {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO purchase (product_id, buyer, quantity) VALUES (?, 'rethrown', ?)")) {
            statement.setInt(1, productId);
            statement.setInt(2, quantity);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException("Purchase refused", e);
        }
    }

    public int finallyClosed(int id) throws SQLException {
        PreparedStatement statement = null;
        ResultSet rs = null;
        try {
            if (id < 0) {
                return -1;
            }
            statement = connection.prepareStatement(
                    "SELECT 100 / stock FROM product WHERE id = ?");
            statement.setInt(1, id);
            rs = statement.executeQuery();
            if (rs.next()) {
                return rs.getInt(1);
            }
            return 0;
        } finally {
            if (rs != null) {
                rs.close();
            }
            if (statement != null) {
                statement.close();
            }
        }
    }

    public String caughtByState(int id, int quantity) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO purchase (product_id, buyer, quantity) VALUES (?, 'state', ?)")) {
            statement.setInt(1, id);
            statement.setInt(2, quantity);
            return "inserted " + statement.executeUpdate();
        } catch (SQLException e) {
            connection.rollback();
            switch (e.getSQLState()) {
                case "23503":
                    return "no product";
                case "23514":
                    update("INSERT INTO audit (message) VALUES (?)", "state " + e.getSQLState());
                    return "bad quantity";
                default:
                    throw e;
            }
        }
    }

    public boolean caughtByClass(int id) throws SQLException {
        try {
            return update("DELETE FROM product WHERE id = ?", id) > 0;
        } catch (java.sql.SQLIntegrityConstraintViolationException e) {
            return false;
        } catch (SQLException e) {
            if (e.getSQLState() != null && e.getSQLState().startsWith("23")) {
                connection.rollback();
                update("INSERT INTO audit (message) VALUES (?)", "class " + e.getErrorCode());
            }
            return false;
        }
    }

    public String caughtMessage(String name) throws SQLException {
        String outcome = "new";
        try {
            update("INSERT INTO counter (name, value) VALUES (?, 1)", name);
        } catch (SQLException e) {
            connection.rollback();
            outcome = e.getMessage();
        }
        update("INSERT INTO audit (message) VALUES (?)", outcome.substring(0, 3));
        return outcome;
    }

    public int swallowedFailure(String name) throws SQLException {
        int inserted = 0;
        try {
            inserted = update("INSERT INTO counter (name, value) VALUES (?, 1)", name);
        } catch (SQLException e) {
            inserted = -1;
        }
        connection.commit();
        return inserted;
    }

    public int afterFailure(String name) throws SQLException {
        try {
            update("INSERT INTO counter (name, value) VALUES (?, 1)", name);
        } catch (SQLException ignored) {
            // the transaction can do nothing more
        }
        return update("UPDATE counter SET value = value + 1 WHERE name = ?", name);
    }

    public int retriedUpdate(String name, long value) throws SQLException {
        try {
            update("INSERT INTO counter (name, value) VALUES (?, ?)", name, value);
            connection.commit();
            return 0;
        } catch (SQLException e) {
            connection.rollback();
            int changed = update("UPDATE counter SET value = value + ? WHERE name = ?",
                    value, name);
            connection.commit();
            return changed;
        }
    }

    public int savepoints(int productId, String[] buyers, int[] quantities) throws SQLException {
        int refused = 0;
        for (int i = 0; i < buyers.length; i++) {
            Savepoint savepoint = connection.setSavepoint("item");
            try {
                update("INSERT INTO purchase (product_id, buyer, quantity) VALUES (?, ?, ?)",
                        productId, buyers[i], quantities[i]);
            } catch (SQLException e) {
                connection.rollback(savepoint);
                refused++;
            }
        }
        update("INSERT INTO audit (message) VALUES (?)", "refused " + refused);
        return refused;
    }

    public String savepointInside(int productId, int quantity) throws SQLException {
        Savepoint savepoint = null;
        try {
            update("INSERT INTO audit (message) VALUES ('inside')");
            savepoint = connection.setSavepoint("inner_one");
            update("INSERT INTO purchase (product_id, buyer, quantity) VALUES (?, 'in', ?)",
                    productId, quantity);
            return "bought";
        } catch (SQLException e) {
            if (savepoint == null) {
                connection.rollback();
                return "lost";
            }
            connection.rollback(savepoint);
            return "refused";
        }
    }

    public String nestedCatches(int productId, int quantity, String name) throws SQLException {
        Savepoint savepoint = connection.setSavepoint("outer_one");
        try {
            try {
                update("INSERT INTO purchase (product_id, buyer, quantity) VALUES (?, 'nest', ?)",
                        productId, quantity);
            } catch (SQLException e) {
                if (!"23514".equals(e.getSQLState())) {
                    throw e;
                }
                connection.rollback(savepoint);
            }
            update("INSERT INTO counter (name, value) VALUES (?, 1)", name);
            return "done";
        } catch (SQLException e) {
            connection.rollback(savepoint);
            return e.getSQLState();
        }
    }

    /** An exception of the program's own, with a message made up by its constructor. */
    static final class RefusedException extends RuntimeException {
        private final int product;

        RefusedException(int product, Throwable cause) {
            super("Product " + product + " refused", cause);
            this.product = product;
        }

        int product() {
            return product;
        }
    }

    public void wrappedCause(int productId, int quantity) {
        try {
            update("INSERT INTO purchase (product_id, buyer, quantity) VALUES (?, 'wrap', ?)",
                    productId, quantity);
        } catch (SQLException e) {
            throw new RuntimeException(e);
        }
    }

    public void wrappedMessage(int productId, int quantity) {
        try {
            update("INSERT INTO purchase (product_id, buyer, quantity) VALUES (?, 'wrap', ?)",
                    productId, quantity);
        } catch (SQLException e) {
            throw new IllegalStateException("No purchase: " + e.getMessage(), e);
        }
    }

    public void wrappedTwice(int productId, int quantity) throws SQLException {
        try {
            buy(productId, quantity);
        } catch (RefusedException e) {
            connection.rollback();
            update("INSERT INTO audit (message) VALUES (?)", e.getMessage());
            connection.commit();
            throw new IllegalArgumentException(e.getMessage() + " as " + e.product(), e);
        }
    }

    private void buy(int productId, int quantity) {
        try {
            update("INSERT INTO purchase (product_id, buyer, quantity) VALUES (?, 'own', ?)",
                    productId, quantity);
        } catch (SQLException e) {
            throw new RefusedException(productId, e);
        }
    }

    public int batchOfTexts(int[] ids, int delta) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.addBatch("DELETE FROM audit");
            statement.clearBatch();
            for (int id : ids) {
                statement.addBatch("UPDATE product SET stock = stock + " + delta
                        + " WHERE id = " + id);
            }
            if (delta > 0) {
                statement.addBatch("INSERT INTO audit (message) VALUES ('batch of texts')");
            }
            int changed = 0;
            for (int count : statement.executeBatch()) {
                changed += count;
            }
            return changed;
        }
    }

    public int conditionalBatch(int[] ids, boolean more) throws SQLException {
        try (Statement texts = connection.createStatement();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO audit (message) VALUES (?)")) {
            if (more) {
                for (int id : ids) {
                    texts.addBatch("UPDATE product SET note = 'more' WHERE id = " + id);
                }
                insert.setString(1, "more");
                insert.addBatch();
            }
            insert.setString(1, "last");
            insert.addBatch();
            return texts.executeBatch().length + insert.executeBatch().length;
        }
    }

    public int refusedBatch(int productId, int[] quantities) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO purchase (product_id, buyer, quantity) VALUES (?, 'batch', ?)")) {
            for (int quantity : quantities) {
                statement.setInt(1, productId);
                statement.setInt(2, quantity);
                statement.addBatch();
            }
            return statement.executeBatch().length;
        } catch (java.sql.BatchUpdateException e) {
            connection.rollback();
            update("INSERT INTO audit (message) VALUES (?)", "batch " + e.getSQLState());
            return -1;
        }
    }

    public String executeText(String kind, int id) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean hasRows = statement.execute(kind.equals("read")
                    ? "SELECT name FROM product WHERE id = " + id
                    : "UPDATE product SET stock = stock + 1 WHERE id = " + id);
            if (statement.getUpdateCount() == -1) {
                ResultSet rs = statement.getResultSet();
                return rs.next() ? rs.getString(1) : "none";
            }
            return hasRows + " " + statement.getUpdateCount();
        }
    }

    public int cutTexts(String[] columns, int id) throws SQLException {
        StringBuilder set = new StringBuilder();
        for (String column : columns) {
            set.append(column).append(" = ").append(column).append(" + 1, ");
        }
        set.setLength(set.length() - 2);
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE product SET " + set + " WHERE id = ?")) {
            statement.setInt(1, id);
            return statement.executeUpdate();
        }
    }

    public int cutRange(int[] ids) throws SQLException {
        StringBuilder list = new StringBuilder();
        for (int id : ids) {
            list.append(id).append(", ");
        }
        list.delete(list.length() - 2, list.length());
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(
                    "UPDATE product SET stock = stock + 1 WHERE id IN (" + list + ")");
        }
    }

    public long dynamicTables(String[] years, int atLeast) throws SQLException {
        long sum = 0;
        for (String year : years) {
            try (PreparedStatement statement = connection.prepareStatement(
                    "SELECT product_id, quantity FROM archive_" + year
                            + " WHERE quantity >= ? ORDER BY product_id")) {
                statement.setInt(1, atLeast);
                try (ResultSet rs = statement.executeQuery()) {
                    while (rs.next()) {
                        sum += rs.getInt("quantity");
                    }
                }
            }
        }
        return sum;
    }

    public int dynamicUpdate(int year, int productId) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE archive_" + year + " SET quantity = quantity + 1 WHERE product_id = ?")) {
            statement.setInt(1, productId);
            return statement.executeUpdate();
        }
    }

    public String guardedHelper(int id, int least) throws SQLException {
        String level = level(id, least);
        update("INSERT INTO audit (message) VALUES (?)", level);
        return level;
    }

    private String level(int id, int least) throws SQLException {
        ResultSet rs = selectProduct(id);
        if (!rs.next()) {
            return "missing";
        }
        int stock = rs.getInt("stock");
        if (stock < least) {
            update("UPDATE product SET note = 'low' WHERE id = ?", id);
            if (stock == 0) {
                return "empty";
            }
            update("UPDATE product SET note = 'few' WHERE id = ?", id);
            return "low";
        }
        update("UPDATE product SET note = NULL WHERE id = ?", id);
        return "enough";
    }
}
