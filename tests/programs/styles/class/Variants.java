import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Other ways to say what Idioms says. */
public class Variants {

    private static final Map<String, String> QUERIES = new HashMap<>();
    private static final List<String> COLUMNS = List.of("name", "value");

    static {
        QUERIES.put("counters", "SELECT COUNT(*) FROM counter");
        QUERIES.put("jobs", "SELECT COUNT(*) FROM job");
    }

    private final Connection connection;
    private final String kind = "variants";

    public Variants(Connection connection) {
        this.connection = connection;
    }

    enum Operation {
        ADD("+") {
            @Override
            int apply(int a, int b) {
                return a + b;
            }
        },
        TAKE("-") {
            @Override
            int apply(int a, int b) {
                return a - b;
            }
        };

        private final String sign;

        Operation(String sign) {
            this.sign = sign;
        }

        abstract int apply(int a, int b);

        String sql() {
            return "UPDATE counter SET value = value " + sign + " ? WHERE name = ?";
        }

        boolean isSafe() {
            return this == ADD;
        }

        static final Operation DEFAULT = ADD;
    }

    enum Plain { NEW, OLD }

    interface Sign {
        String sign();
    }

    enum Mark implements Sign {
        STAR("*", 2), DASH("-", 3);

        private final String sign;
        private final int times;

        Mark(String sign, int times) {
            this.sign = sign;
            this.times = times;
        }

        @Override
        public String sign() {
            return sign.repeat(1) + times;
        }

        public int getTimes() {
            return times;
        }
    }

    private int audit(String message) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO audit (message) VALUES (?)")) {
            statement.setString(1, message);
            return statement.executeUpdate();
        }
    }

    // Enumerations

    public long enumBodies(String name, String operation, int by) throws SQLException {
        Operation chosen = operation == null ? Operation.DEFAULT : Operation.valueOf(operation);
        try (PreparedStatement statement = connection.prepareStatement(chosen.sql())) {
            statement.setInt(1, chosen.apply(by, 1));
            statement.setString(2, name);
            statement.executeUpdate();
        }
        if (!chosen.isSafe()) {
            audit("unsafe " + chosen);
        }
        return chosen.apply(by, chosen.ordinal());
    }

    public int enumOfColumn(int id) throws SQLException {
        PreparedStatement select = connection.prepareStatement(
                "SELECT state FROM job WHERE id = ?");
        select.setInt(1, id);
        ResultSet rs = select.executeQuery();
        rs.next();
        Plain plain = "done".equals(rs.getString(1)) ? Plain.OLD : Plain.NEW;
        int weight = switch (plain) {
            case NEW -> 1;
            case OLD -> audit("old") + 9;
        };
        List<Plain> seen = new ArrayList<>();
        seen.add(plain);
        seen.add(Plain.NEW);
        int same = 0;
        for (Plain each : seen) {
            if (each == Plain.NEW) {
                same++;
            }
        }
        return weight * 10 + same;
    }

    public int enumInterface(boolean star) throws SQLException {
        Sign sign = star ? Mark.STAR : Mark.DASH;
        int times = 0;
        for (Mark mark : Mark.values()) {
            times += mark.getTimes();
            if (mark.getTimes() > 2) {
                audit("mark " + mark.ordinal());
            }
        }
        return times + audit("sign " + (sign == Mark.STAR ? "star" : "dash"));
    }

    // Overloads

    public int overloadedQueries(int id, String name) throws SQLException {
        return count("SELECT COUNT(*) FROM counter WHERE value > ?", id)
                + count("SELECT COUNT(*) FROM counter WHERE name = ?", name)
                + count("SELECT COUNT(*) FROM counter WHERE name = ? AND value > ?", name, id)
                + count("SELECT COUNT(*) FROM counter", (Object[]) new Object[0]);
    }

    private int count(String sql, int value) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, value);
            return single(statement) * 1000;
        }
    }

    private int count(String sql, String value) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, value);
            return single(statement) * 100;
        }
    }

    private int count(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return single(statement);
        }
    }

    private int single(PreparedStatement statement) throws SQLException {
        try (ResultSet rs = statement.executeQuery()) {
            return rs.next() ? rs.getInt(1) : 0;
        }
    }

    // Maps

    public int mapOfTotals(int least) throws SQLException {
        Map<Integer, Long> totals = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rs = statement.executeQuery(
                        "SELECT product_id, quantity FROM purchase ORDER BY id DESC")) {
            while (rs.next()) {
                int product = rs.getInt(1);
                long quantity = rs.getLong(2);
                if (totals.containsKey(product)) {
                    totals.put(product, totals.get(product) + quantity);
                } else {
                    totals.put(product, quantity);
                }
            }
        }
        int changed = 0;
        for (Map.Entry<Integer, Long> each : totals.entrySet()) {
            if (each.getValue() < least) {
                continue;
            }
            changed += audit(each.getKey() + " sold " + each.getValue());
        }
        return changed * 100 + totals.size();
    }

    public int mapUpdatedInLoop(int rounds) throws SQLException {
        Map<String, Integer> state = new HashMap<>();
        state.put("a", 1);
        state.put("b", 1);
        for (int i = 0; i < rounds; i++) {
            int a = state.get("a");
            state.put("a", state.get("b"));
            state.put("b", a + state.get("b"));
        }
        if (state.get("b") > 10) {
            state.clear();
        }
        return audit("state " + state.getOrDefault("a", -1)) + state.size();
    }

    public int mapOfColumnsToText() throws SQLException {
        Map<String, Object> row = new TreeMap<>();
        row.put("name", "made");
        row.put("value", 12);
        StringBuilder names = new StringBuilder();
        StringBuilder marks = new StringBuilder();
        for (String column : row.keySet()) {
            if (names.length() > 0) {
                names.append(", ");
                marks.append(", ");
            }
            names.append(column);
            marks.append("?");
        }
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO counter (" + names + ") VALUES (" + marks + ")")) {
            int index = 1;
            for (Object value : row.values()) {
                statement.setObject(index++, value);
            }
            return statement.executeUpdate();
        }
    }

    public int setOfIds(int[] ids) throws SQLException {
        Set<Integer> wanted = new HashSet<>();
        for (int id : ids) {
            wanted.add(id);
        }
        int found = 0;
        try (Statement statement = connection.createStatement();
                ResultSet rs = statement.executeQuery("SELECT id FROM product ORDER BY id")) {
            while (rs.next()) {
                if (wanted.contains(rs.getInt(1))) {
                    found++;
                }
            }
        }
        return found * 10 + wanted.size();
    }

    public int mapOfStatic(String name) throws SQLException {
        String sql = QUERIES.getOrDefault(name, "SELECT COUNT(*) FROM audit WHERE id < 0");
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            return single(statement) + QUERIES.size();
        }
    }

    // Streams

    public int joinedColumns(String name) throws SQLException {
        String sql = "SELECT " + String.join(", ", COLUMNS) + " FROM counter WHERE "
                + COLUMNS.stream().map(column -> column + " = ?")
                        .collect(Collectors.joining(" AND "));
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT " + String.join(", ", COLUMNS) + " FROM counter WHERE name = ?")) {
            statement.setString(1, name);
            try (ResultSet rs = statement.executeQuery()) {
                return rs.next() ? rs.getInt("value") : sql.length();
            }
        }
    }

    public int joinedMarks(String first) throws SQLException {
        List<String> columns = List.of("name", "value");
        String sql = "INSERT INTO counter (" + String.join(", ", columns) + ") VALUES ("
                + columns.stream().map(column -> "?").collect(Collectors.joining(", ")) + ")";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, first);
            statement.setInt(2, columns.size());
            return statement.executeUpdate();
        }
    }

    public String streamMaxima() throws SQLException {
        List<Integer> stocks = query("SELECT stock FROM product ORDER BY id");
        int most = stocks.stream().mapToInt(Integer::intValue).max().orElse(-1);
        int least = stocks.stream().filter(stock -> stock > 0).min(Integer::compare).orElseThrow();
        int second = stocks.stream().sorted().skip(1).findFirst().orElse(0);
        String text = stocks.stream().map(String::valueOf)
                .collect(Collectors.joining("-", "<", ">"));
        return most + " " + least + " " + second + " " + text;
    }

    public int streamOfConstants() throws SQLException {
        Stream.of("hits", "misses").forEach(this::increment);
        int changed = Stream.of(1, 2, 3).filter(i -> i % 2 == 1).mapToInt(this::touched).sum();
        List<Integer> empty = new ArrayList<>();
        return changed + (int) empty.stream().count();
    }

    private void increment(String name) {
        touch("UPDATE counter SET value = value + 1 WHERE name = '" + name + "'");
    }

    private int touched(int id) {
        return touch("UPDATE job SET worker = 'stream' WHERE id = " + id);
    }

    public String streamSorted() throws SQLException {
        List<Idioms.Item> items = new ArrayList<>();
        each("SELECT id, name, stock FROM product ORDER BY id", rs -> {
            try {
                items.add(Idioms.Item.read(rs));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        Idioms.Item most = items.stream()
                .sorted(Comparator.comparing(Idioms.Item::stock).reversed())
                .findFirst().orElseThrow();
        items.sort(Comparator.comparing(Idioms.Item::name));
        for (Idioms.Item item : items) {
            audit(item.name());
        }
        List<Integer> ids = items.stream().map(Idioms.Item::id).collect(Collectors.toList());
        Collections.sort(ids, Collections.reverseOrder());
        return most.name() + ids.get(0);
    }

    private int touch(String sql) {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<Integer> query(String sql) throws SQLException {
        List<Integer> values = new ArrayList<>();
        each(sql, rs -> {
            try {
                values.add(rs.getInt(1));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        Collections.sort(values);
        return values;
    }

    private void each(String sql, Consumer<ResultSet> consumer) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rs = statement.executeQuery(sql)) {
            while (rs.next()) {
                consumer.accept(rs);
            }
        }
    }

    // Code that is given to methods

    interface Body<T> {
        T run(Connection connection) throws SQLException;
    }

    interface Commands {
        void run(Connection connection) throws SQLException;
    }

    /** The usual template. */
    static final class Template {
        private final Connection connection;
        private int begun;

        Template(Connection connection) {
            this.connection = connection;
        }

        <T> T execute(Body<T> body) throws SQLException {
            begun++;
            return body.run(connection);
        }

        void execute(Commands commands) throws SQLException {
            execute(c -> {
                commands.run(c);
                return begun;
            });
        }

        void retry(int times, Runnable task) {
            for (int i = 0; i < times; i++) {
                task.run();
            }
        }
    }

    public int templated(int id, boolean empty) throws SQLException {
        Template template = new Template(connection);
        template.execute(c -> {
            try (PreparedStatement statement = c.prepareStatement(
                    "UPDATE job SET worker = ? WHERE id = ?")) {
                statement.setString(1, "template");
                statement.setInt(2, id);
                statement.executeUpdate();
            }
        });
        Integer count = template.execute(c -> {
            if (empty) {
                return -5;
            }
            try (PreparedStatement statement = c.prepareStatement(
                    "SELECT COUNT(*) FROM job WHERE worker = 'template'")) {
                return single(statement);
            }
        });
        template.retry(2, () -> touched(id));
        return count + template.begun;
    }

    public int functionsInVariables(int id) throws SQLException {
        BiFunction<Integer, Integer, Integer> sum = (a, b) -> a + b;
        BiFunction<Integer, Integer, Integer> product = (a, b) -> a * b;
        BiFunction<Integer, Integer, Integer> chosen = id > 2 ? sum : product;
        Body<Integer> body = new Counting("template");
        return chosen.apply(id, 10) + body.run(connection);
    }

    static class Counting implements Body<Integer> {
        private final String worker;

        Counting(String worker) {
            this.worker = worker;
        }

        @Override
        public Integer run(Connection connection) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(
                    "SELECT COUNT(*) FROM job WHERE worker = ?")) {
                statement.setString(1, worker);
                try (ResultSet rs = statement.executeQuery()) {
                    rs.next();
                    return rs.getInt(1);
                }
            }
        }
    }

    class Step {
        private final int by;
        private int taken;

        Step(int by) {
            this.by = by;
        }

        int take() throws SQLException {
            taken += by;
            return audit("step " + taken + " of " + kind);
        }
    }

    public int innerClass(int by) throws SQLException {
        Step step = new Step(by);
        Step other = new Step(by * 2);
        return step.take() + other.take() + step.take() + step.taken;
    }
}
