import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** One idiom of Java around JDBC in each method: overloads, enumerations, maps, streams, code. */
public class Idioms {

    private final Connection connection;

    public Idioms(Connection connection) {
        this.connection = connection;
    }

    /** A row of the table product. */
    record Item(int id, String name, int stock) {
        boolean isLow() {
            return stock < 5;
        }

        static Item read(ResultSet rs) throws SQLException {
            return new Item(rs.getInt("id"), rs.getString("name"), rs.getInt("stock"));
        }
    }

    /** Tables with what is done to them. */
    enum Table {
        COUNTER("counter", "name") {
            @Override
            String sample() {
                return "hits";
            }
        },
        JOB("job", "worker");

        private final String table;
        private final String key;
        private int weight = 3;

        Table(String table, String key) {
            this.table = table;
            this.key = key;
        }

        String sample() {
            return "nobody";
        }

        String count() {
            return "SELECT COUNT(*) FROM " + table + " WHERE " + key + " = ?";
        }

        int weight() {
            return weight + ordinal();
        }

        static Table of(String table) {
            for (Table each : values()) {
                if (each.table.equals(table)) {
                    return each;
                }
            }
            throw new IllegalArgumentException("no table " + table);
        }

        @Override
        public String toString() {
            return "table " + table;
        }
    }

    enum Level {
        LOW(1), MIDDLE(10), HIGH(100);

        final int least;

        Level(int least) {
            this.least = least;
        }

        static Level of(int stock) {
            Level level = LOW;
            for (Level each : Level.values()) {
                if (stock >= each.least) {
                    level = each;
                }
            }
            return level;
        }
    }

    // Overloads

    public int overloaded(int id, String note) throws SQLException {
        int changed = mark(id);
        changed += mark(note);
        changed += mark((long) id);
        Object boxed = note;
        changed += mark(boxed);
        changed += mark(id, note);
        changed += mark("a", "b", "c");
        Integer number = id;
        changed += mark(number);
        changed += mark(null, id);
        changed += mark(new StringBuilder("x").append(id));
        return changed;
    }

    private int mark(int id) throws SQLException {
        return audit("int " + id);
    }

    private int mark(long id) throws SQLException {
        return audit("long " + id);
    }

    private int mark(String note) throws SQLException {
        return audit("text " + note);
    }

    private int mark(Object any) throws SQLException {
        return audit("object");
    }

    private int mark(CharSequence any) throws SQLException {
        return audit("characters");
    }

    private int mark(int id, Object note) throws SQLException {
        return audit("object pair " + id);
    }

    private int mark(int id, String note) throws SQLException {
        return audit("text pair " + id + " " + note);
    }

    private int mark(String first, int second) throws SQLException {
        return audit("null pair " + second);
    }

    private int mark(String... notes) throws SQLException {
        return audit("many " + notes.length);
    }

    private int audit(String message) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO audit (message) VALUES (?)")) {
            statement.setString(1, message);
            return statement.executeUpdate();
        }
    }

    static class Shape {
        final String name;

        Shape() {
            this("plain");
        }

        Shape(String name) {
            this.name = name;
        }

        Shape(int corners) {
            this("with " + corners);
        }
    }

    static class Round extends Shape {
        Round(String colour) {
            super(colour + " round");
        }

        Round(int size) {
            this("size " + size);
        }
    }

    public int overloadedConstructors(int corners, String colour) throws SQLException {
        int changed = draw(new Shape());
        changed += draw(new Shape(corners));
        changed += draw(new Shape(colour));
        changed += draw(new Round(colour));
        changed += draw(new Round(corners));
        Shape hidden = new Round("hidden");
        return changed + draw(hidden);
    }

    private int draw(Shape shape) throws SQLException {
        return audit("shape " + shape.name);
    }

    private int draw(Round round) throws SQLException {
        return audit("round " + round.name);
    }

    // Enumerations

    public int enumTables() throws SQLException {
        int sum = 0;
        for (Table table : Table.values()) {
            try (PreparedStatement statement = connection.prepareStatement(table.count())) {
                statement.setString(1, table.sample());
                try (ResultSet rs = statement.executeQuery()) {
                    rs.next();
                    sum += rs.getInt(1) * table.weight();
                }
            }
        }
        return sum;
    }

    public int enumChosen(String name, String key) throws SQLException {
        Table table = Table.of(name);
        try (PreparedStatement statement = connection.prepareStatement(table.count())) {
            statement.setString(1, key);
            ResultSet rs = statement.executeQuery();
            rs.next();
            return rs.getInt(1);
        }
    }

    public String enumSwitch(int id) throws SQLException {
        PreparedStatement select = connection.prepareStatement(
                "SELECT stock FROM product WHERE id = ?");
        select.setInt(1, id);
        ResultSet rs = select.executeQuery();
        if (!rs.next()) {
            return "none";
        }
        Level level = Level.of(rs.getInt(1));
        switch (level) {
            case LOW:
                audit("order " + id);
                break;
            case HIGH:
                audit("sell " + id);
                break;
            default:
                break;
        }
        return level.name() + level.ordinal() + (level == Level.HIGH ? "!" : "");
    }

    public int enumParameter(String name) throws SQLException {
        return raise(Level.valueOf(name)) + audit(Table.JOB + " and " + Table.COUNTER.name());
    }

    private int raise(Level level) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE product SET stock = stock + ? WHERE stock < ?")) {
            statement.setInt(1, level.ordinal());
            statement.setInt(2, level.least);
            return statement.executeUpdate();
        }
    }

    // Maps

    public int mapOfConstants(String kind) throws SQLException {
        Map<String, String> statements = Map.of(
                "hit", "UPDATE counter SET value = value + 1 WHERE name = 'hits'",
                "miss", "UPDATE counter SET value = value + 1 WHERE name = 'misses'");
        String sql = statements.get(kind);
        if (sql == null) {
            return -1;
        }
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    public int mapOfColumns() throws SQLException {
        Map<String, Integer> values = new LinkedHashMap<>();
        values.put("hits", 5);
        values.put("misses", 7);
        values.put("empty", 9);
        values.put("hits", 6);
        values.remove("empty");
        int sum = values.size();
        for (Map.Entry<String, Integer> entry : values.entrySet()) {
            try (PreparedStatement statement = connection.prepareStatement(
                    "UPDATE counter SET value = value + ? WHERE name = ?")) {
                statement.setInt(1, entry.getValue());
                statement.setString(2, entry.getKey());
                sum += statement.executeUpdate();
            }
        }
        return sum + values.getOrDefault("empty", 100) + (values.containsKey("hits") ? 1000 : 0);
    }

    public Map<Integer, String> mapOfRows(String category, int id) throws SQLException {
        Map<Integer, String> names = new LinkedHashMap<>();
        for (Item item : items(category)) {
            names.put(item.id(), item.name());
        }
        if (names.containsKey(id)) {
            audit("has " + names.get(id));
            names.put(id, "renamed");
        } else {
            names.put(id, "added");
        }
        names.remove(2);
        for (int key : names.keySet()) {
            audit("key " + key);
        }
        for (String name : names.values()) {
            audit("value " + name);
        }
        return names;
    }

    public int mapOfObjects(String category, int id) throws SQLException {
        Map<Integer, Item> byId = new HashMap<>();
        for (Item item : items(category)) {
            byId.put(item.id(), item);
        }
        Item item = byId.get(id);
        if (item == null) {
            return byId.size();
        }
        return audit(item.name() + " " + item.stock());
    }

    public Map<String, Integer> mapOfCounts() throws SQLException {
        Map<String, Integer> counts = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rs = statement.executeQuery(
                        "SELECT buyer, quantity, status FROM purchase ORDER BY id")) {
            while (rs.next()) {
                String buyer = rs.getString("buyer");
                counts.compute(buyer, (key, old) -> old == null ? 1 : old + 1);
                counts.computeIfAbsent(rs.getString("status"), key -> 0);
                counts.computeIfPresent("open", (key, old) -> old + 10);
                counts.putIfAbsent("none", 3);
            }
        }
        counts.forEach((key, count) -> {
            try {
                audit(key + ": " + count);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        return counts;
    }

    public int mapOfNumbers(int[] ids) throws SQLException {
        Map<Integer, Integer> times = new LinkedHashMap<>();
        for (int id : ids) {
            times.put(id, times.getOrDefault(id, 0) + 1);
        }
        int changed = 0;
        for (Integer id : times.keySet()) {
            try (PreparedStatement statement = connection.prepareStatement(
                    "UPDATE product SET stock = stock + ? WHERE id = ?")) {
                statement.setInt(1, times.get(id));
                statement.setInt(2, id);
                changed += statement.executeUpdate();
            }
        }
        return changed;
    }

    public int setOfRows() throws SQLException {
        Set<String> buyers = new LinkedHashSet<>();
        int again = 0;
        try (Statement statement = connection.createStatement();
                ResultSet rs = statement.executeQuery("SELECT buyer FROM purchase ORDER BY id")) {
            while (rs.next()) {
                if (!buyers.add(rs.getString(1))) {
                    again++;
                }
            }
        }
        for (String buyer : buyers) {
            audit("buyer " + buyer);
        }
        return again * 100 + buyers.size();
    }

    // Streams

    private List<Item> items(String category) throws SQLException {
        List<Item> items = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT id, name, stock FROM product WHERE category = ? ORDER BY id")) {
            statement.setString(1, category);
            try (ResultSet rs = statement.executeQuery()) {
                while (rs.next()) {
                    items.add(Item.read(rs));
                }
            }
        }
        return items;
    }

    public int streamSums(String category) throws SQLException {
        List<Item> items = items(category);
        int sum = items.stream().mapToInt(Item::stock).sum();
        long low = items.stream().filter(Item::isLow).count();
        boolean none = items.stream().noneMatch(item -> item.stock() > 50);
        boolean all = items.stream().allMatch(item -> item.id() > 1);
        int most = items.stream().map(Item::stock).reduce(0, Integer::max);
        if (items.stream().anyMatch(Item::isLow)) {
            audit("low in " + category);
        }
        return sum * 1000 + (int) low * 100 + most + (none ? 10 : 0) + (all ? 1 : 0);
    }

    public List<String> streamNames(String category, int most) throws SQLException {
        return items(category).stream()
                .filter(item -> item.stock() < most)
                .skip(1)
                .limit(2)
                .map(item -> item.name().toUpperCase())
                .collect(Collectors.toList());
    }

    public int streamWithStatements(String category) throws SQLException {
        items(category).stream()
                .filter(item -> check(item.id()))
                .map(Item::id)
                .forEach(this::restock);
        items(category).forEach(item -> {
            if (item.isLow()) {
                restock(item.id());
            }
        });
        return IntStream.rangeClosed(1, 3).map(i -> i * i).sum();
    }

    private boolean check(int id) {
        try {
            return audit("check " + id) == 1 && id != 2;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void restock(int id) {
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE product SET stock = stock + 1 WHERE id = ?")) {
            statement.setInt(1, id);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public String streamFirst(String category, int least) throws SQLException {
        Optional<Item> found = items(category).stream()
                .filter(item -> item.stock() >= least)
                .findFirst();
        found.ifPresent(item -> restock(item.id()));
        int id = found.map(Item::id).orElse(-1);
        String name = items(category).stream().map(Item::name).filter(each -> each.length() > 8)
                .findFirst().orElseGet(() -> "short");
        return name + " " + id;
    }

    public Map<String, Long> streamGroups() throws SQLException {
        List<Item> items = new ArrayList<>(items("yarn"));
        items.addAll(items("tool"));
        Map<Integer, String> names = items.stream()
                .collect(Collectors.toMap(Item::id, Item::name));
        audit("name " + names.get(4));
        return items.stream()
                .collect(Collectors.groupingBy(item -> item.isLow() ? "low" : "enough",
                        TreeMap::new, Collectors.counting()));
    }

    public List<String> streamDistinct() throws SQLException {
        List<String> buyers = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rs = statement.executeQuery(
                        "SELECT buyer FROM purchase ORDER BY id DESC")) {
            while (rs.next()) {
                buyers.add(rs.getString(1));
            }
        }
        return buyers.stream().distinct().sorted().collect(Collectors.toList());
    }

    public int streamOfArray(int[] ids) throws SQLException {
        return Arrays.stream(ids).filter(id -> id > 1).map(id -> {
            try {
                return audit("array " + id);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }).sum();
    }

    // Code that is given to methods

    /** What runs in a transaction. */
    interface Work<T> {
        T run(Connection connection) throws SQLException;

        default T runTwice(Connection connection) throws SQLException {
            run(connection);
            return run(connection);
        }
    }

    interface Task {
        void run() throws SQLException;
    }

    private <T> T inSavepoint(Work<T> work) throws SQLException {
        audit("begin");
        T value = work.run(connection);
        audit("end");
        return value;
    }

    private void inOrder(Task first, Task second) throws SQLException {
        first.run();
        second.run();
    }

    private <T> T supplied(boolean wanted, Supplier<T> value, T other) {
        return wanted ? value.get() : other;
    }

    private <T> List<T> query(String sql, Function<Integer, T> mapper) throws SQLException {
        List<T> values = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rs = statement.executeQuery(sql)) {
            while (rs.next()) {
                values.add(mapper.apply(rs.getInt(1)));
            }
        }
        return values;
    }

    public int lambdaInTransaction(int id, int delta) throws SQLException {
        int limit = delta * 2;
        return inSavepoint(c -> {
            try (PreparedStatement statement = c.prepareStatement(
                    "UPDATE product SET stock = stock + ? WHERE id = ? AND stock < ?")) {
                statement.setInt(1, delta);
                statement.setInt(2, id);
                statement.setInt(3, limit);
                return statement.executeUpdate();
            }
        });
    }

    public int lambdaNested(int id) throws SQLException {
        String note = "note " + id;
        inOrder(() -> audit(note), () -> inOrder(() -> audit("inner " + note), this::silent));
        return inSavepoint(c -> inSavepoint(d -> {
            if (id > 3) {
                return id;
            }
            return audit("deep " + note);
        }));
    }

    private void silent() throws SQLException {
        audit("silent");
    }

    public int anonymousClass(int id) throws SQLException {
        final String note = "anonymous " + id;
        Work<Integer> work = new Work<Integer>() {
            private int runs = 0;

            @Override
            public Integer run(Connection c) throws SQLException {
                runs++;
                return audit(note + " " + runs) + id;
            }
        };
        return work.runTwice(connection) + inSavepoint(work);
    }

    public String methodReferences(int id) throws SQLException {
        List<Integer> doubled = query("SELECT id FROM job ORDER BY id", this::twice);
        String text = supplied(id > 1, () -> "wanted", "other");
        List<String> texts = query("SELECT id FROM job ORDER BY id", Idioms::label);
        return doubled.get(1) + text + texts.get(2) + query(
                "SELECT id FROM job WHERE id = 1", Box::new).get(0).value();
    }

    private int twice(int value) {
        return value * 2;
    }

    private static String label(int value) {
        return "label " + value;
    }

    record Box(int value) {
    }

    /** What one of two queries finds, in an object. */
    public String foundEitherWay(String sku, int id, int by) throws SQLException {
        Found found = id == 0 ? foundBySku(sku) : foundById(id);
        found.stock += by;
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE product SET stock = ?, note = ? WHERE id = ?")) {
            statement.setInt(1, found.stock);
            statement.setString(2, found.label);
            statement.setInt(3, found.id);
            statement.executeUpdate();
        }
        return found.label;
    }

    /** Of several rows the one in the middle, or the one that is named, or none. */
    public int foundAmongThem(String category, int id) throws SQLException {
        Found found = null;
        if (category != null) {
            List<Found> all = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(
                    "SELECT id, stock, name FROM product WHERE category = ? ORDER BY name")) {
                statement.setString(1, category);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        all.add(found(rows));
                    }
                }
            }
            if (!all.isEmpty()) {
                found = all.get(all.size() / 2);
            }
        } else if (id > 0) {
            found = foundById(id);
        }
        if (found == null) {
            return -1;
        }
        audit(found.label);
        return found.stock;
    }

    private Found foundById(int id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT id, stock, name FROM product WHERE id = ?")) {
            statement.setInt(1, id);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return found(rows);
            }
        }
    }

    private Found foundBySku(String sku) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT id, stock, name FROM product WHERE sku = ?")) {
            statement.setString(1, sku);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                Found found = found(rows);
                found.label = "by sku: " + found.label;
                return found;
            }
        }
    }

    private static Found found(ResultSet rows) throws SQLException {
        Found found = new Found();
        found.id = rows.getInt("id");
        found.stock = rows.getInt("stock");
        found.label = rows.getString("name");
        return found;
    }

    private static class Found {
        int id;
        int stock;
        String label;
    }
}
