"""Programs in Java, made up, of the shapes that are expensive to read: what bench/reading measures.

    python3 bench/java_trees.py branches FOLDER [--branches=40] [--deep=10] [--calls=each]
    python3 bench/java_trees.py tree FOLDER [--files=2000]
    python3 bench/java_trees.py provider FOLDER [--files=3000]

branches: one class whose methods branch so often and call each other so deep; with --calls=one each
calls the next method once, with --calls=each in every branch. tree: a shop of services, repositories,
entities and controllers with JDBC. provider: one large service with deep layers, interfaces with several
implementations, builders, row mappers, texts that are put together, long methods, switches, recursion
and inheritance. The same arguments make the same files.
"""
import argparse
import pathlib
import random


def write(folder, path, text):
    file = pathlib.Path(folder) / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def branches(folder, count=40, deep=10, calls="each"):
    methods = []
    for level in range(deep):
        last = level + 1 == deep
        lines = []
        for i in range(count):
            sql = f"UPDATE t{level} SET v = v + ? WHERE id = ?"
            update = (f'            PreparedStatement s{i} = c.prepareStatement("{sql}");\n'
                      f"            s{i}.setInt(1, total);\n            s{i}.setInt(2, id + {i});\n"
                      f"            s{i}.executeUpdate();\n")
            call = f"            total = total + step{level + 1}(c, id + {i}, total);\n"
            inner = update if last or calls == "one" else update + call
            lines.append(f"        if (kind % {i + 2} == {level} || total > {100 * i}) {{\n{inner}"
                         f"            total = total + {i};\n        }}\n")
        if not last and calls == "one":
            lines.append(f"        total = total + step{level + 1}(c, id, kind + total);\n")
        access = "public" if level == 0 else "private"
        methods.append(f"    {access} int step{level}(Connection c, int id, int kind) "
                       f"throws SQLException {{\n        int total = kind;\n{''.join(lines)}"
                       "        return total;\n    }\n")
    tables = "".join(f"CREATE TABLE t{i} (id int PRIMARY KEY, v int NOT NULL);\n" for i in range(deep))
    write(folder, "schema.sql", tables)
    write(folder, "Steps.java",
          "import java.sql.*;\n\npublic class Steps {\n" + "\n".join(methods) + "}\n")


ENTITY = """package shop.module{m}.domain;

public class Item{n} {{
    private Long id;
    private String name;
    private int amount;
    private java.math.BigDecimal price;

    public Item{n}(Long id, String name, int amount, java.math.BigDecimal price) {{
        this.id = id;
        this.name = name;
        this.amount = amount;
        this.price = price;
    }}

    public Long getId() {{ return id; }}
    public String getName() {{ return name; }}
    public int getAmount() {{ return amount; }}
    public void setAmount(int amount) {{ this.amount = amount; }}
    public java.math.BigDecimal getPrice() {{ return price; }}
    public boolean isCheap() {{ return price.compareTo(java.math.BigDecimal.TEN) < 0; }}
}}
"""

TRANSFER = """package shop.module{m}.dto;

public class Item{n}Request {{
    public final Long id;
    public final int amount;

    public Item{n}Request(Long id, int amount) {{
        this.id = id;
        this.amount = amount;
    }}

    public static Builder builder() {{ return new Builder(); }}

    public static class Builder {{
        private Long id;
        private int amount;

        public Builder id(Long id) {{ this.id = id; return this; }}
        public Builder amount(int amount) {{ this.amount = amount; return this; }}
        public Item{n}Request build() {{ return new Item{n}Request(id, amount); }}
    }}
}}
"""

REPOSITORY = """package shop.module{m}.repository;

import java.sql.*;
import java.util.*;
import javax.sql.DataSource;
import shop.module{m}.domain.Item{n};

public class Item{n}Repository {{
    private final DataSource dataSource;

    public Item{n}Repository(DataSource dataSource) {{ this.dataSource = dataSource; }}

    public Optional<Item{n}> findById(Long id) throws SQLException {{
        try (Connection c = dataSource.getConnection();
             PreparedStatement s = c.prepareStatement(
                 "SELECT id, name, amount, price FROM item{t} WHERE id = ?")) {{
            s.setLong(1, id);
            try (ResultSet rows = s.executeQuery()) {{
                if (!rows.next()) return Optional.empty();
                return Optional.of(new Item{n}(rows.getLong("id"), rows.getString("name"),
                        rows.getInt("amount"), rows.getBigDecimal("price")));
            }}
        }}
    }}

    public List<Item{n}> findByName(String name) throws SQLException {{
        List<Item{n}> found = new ArrayList<>();
        try (Connection c = dataSource.getConnection();
             PreparedStatement s = c.prepareStatement(
                 "SELECT id, name, amount, price FROM item{t} WHERE name = ?")) {{
            s.setString(1, name);
            ResultSet rows = s.executeQuery();
            while (rows.next()) {{
                found.add(new Item{n}(rows.getLong(1), rows.getString(2), rows.getInt(3),
                        rows.getBigDecimal(4)));
            }}
        }}
        return found;
    }}

    public void save(Item{n} item) throws SQLException {{
        try (Connection c = dataSource.getConnection();
             PreparedStatement s = c.prepareStatement(
                 "UPDATE item{t} SET amount = ?, price = ? WHERE id = ?")) {{
            s.setInt(1, item.getAmount());
            s.setBigDecimal(2, item.getPrice());
            s.setLong(3, item.getId());
            if (s.executeUpdate() == 0) throw new IllegalStateException("gone");
        }}
    }}
}}
"""

SERVICE = """package shop.module{m}.service;

import java.sql.SQLException;
import java.util.*;
import shop.module{m}.domain.Item{n};
import shop.module{m}.dto.Item{n}Request;
import shop.module{m}.repository.Item{n}Repository;

public class Item{n}Service {{
    private final Item{n}Repository repository;
    private final Item{o}Service next;

    public Item{n}Service(Item{n}Repository repository, Item{o}Service next) {{
        this.repository = repository;
        this.next = next;
    }}

    public void order(Item{n}Request request) throws SQLException {{
        Item{n} item = repository.findById(request.id)
                .orElseThrow(() -> new IllegalArgumentException("none"));
        if (item.getAmount() < request.amount) throw new IllegalStateException("sold out");
        if (item.isCheap() && request.amount > 10) {{
            item.setAmount(item.getAmount() - 10);
        }} else {{
            item.setAmount(item.getAmount() - request.amount);
        }}
        repository.save(item);
        {forward}
    }}

    public int count(String name) throws SQLException {{
        int sum = 0;
        for (Item{n} item : repository.findByName(name)) {{
            if (item.getAmount() > 0) sum += item.getAmount();
        }}
        return sum;
    }}
}}
"""

CONTROLLER = """package shop.module{m}.web;

import java.sql.SQLException;
import shop.module{m}.dto.Item{n}Request;
import shop.module{m}.service.Item{n}Service;

public class Item{n}Controller {{
    private final Item{n}Service service;

    public Item{n}Controller(Item{n}Service service) {{ this.service = service; }}

    public String buy(Long id, int amount) throws SQLException {{
        service.order(Item{n}Request.builder().id(id).amount(amount).build());
        return "bought";
    }}

    public int show(String name) throws SQLException {{ return service.count(name); }}
}}
"""


def tree(folder, files=2000):
    kinds = [("domain", "", ENTITY), ("dto", "Request", TRANSFER),
             ("repository", "Repository", REPOSITORY),
             ("service", "Service", SERVICE), ("web", "Controller", CONTROLLER)]
    tables = 50
    for n in range(files // len(kinds)):
        m = n // 20
        # Services of a module call each other in chains of five.
        is_last = n % 5 == 4
        forward = "" if is_last else ("if (request.amount > 1) next.order("
                                      f"shop.module{m}.dto.Item{n + 1}Request.builder()"
                                      ".id(request.id).amount(1).build());")
        for package, suffix, text in kinds:
            write(folder, f"src/main/java/shop/module{m}/{package}/Item{n}{suffix}.java",
                  text.format(m=m, n=n, o=n if is_last else n + 1, t=n % tables, forward=forward))
    write(folder, "src/main/resources/schema.sql", "".join(
        f"CREATE TABLE item{t} (id bigint PRIMARY KEY, name text NOT NULL, amount int NOT NULL, "
        "price numeric NOT NULL);\n"
        for t in range(tables)))


COMMON = """package bank.core;

import java.math.BigDecimal;
import java.sql.*;
import java.util.*;
import javax.sql.DataSource;

public class Support {
    private final DataSource dataSource;
    private final Map<String, Object> cache = new HashMap<>();

    public Support(DataSource dataSource) { this.dataSource = dataSource; }

    public static boolean isBlank(String text) { return text == null || text.trim().isEmpty(); }

    public static BigDecimal round(BigDecimal value, int digits, boolean up) {
        if (value == null) return BigDecimal.ZERO;
        if (digits < 0) throw new IllegalArgumentException("digits");
        return up ? value.add(BigDecimal.ONE) : value;
    }

    public static String quoted(String text) { return "'" + text.replace("'", "''") + "'"; }

    public Connection open() throws SQLException { return dataSource.getConnection(); }

    public int change(String sql, Object... values) throws SQLException {
        try (Connection c = open(); PreparedStatement s = c.prepareStatement(sql)) {
            for (int i = 0; i < values.length; ++i) s.setObject(i + 1, values[i]);
            return s.executeUpdate();
        }
    }

    public <T> List<T> query(String sql, RowMapper<T> mapper, Object... values) throws SQLException {
        List<T> found = new ArrayList<>();
        try (Connection c = open(); PreparedStatement s = c.prepareStatement(sql)) {
            for (int i = 0; i < values.length; ++i) s.setObject(i + 1, values[i]);
            ResultSet rows = s.executeQuery();
            int at = 0;
            while (rows.next()) found.add(mapper.mapRow(rows, at++));
        }
        return found;
    }
}
"""

MAPPER = """package bank.core;

import java.sql.*;

public interface RowMapper<T> {
    T mapRow(ResultSet rows, int at) throws SQLException;
}
"""

HANDLER = """package bank.core;

public interface CommandHandler {
    CommandResult execute(JsonCommand command) throws Exception;
}
"""

RESULT = """package bank.core;

import java.util.*;

public class CommandResult {
    private final Long id;
    private final Map<String, Object> changes;

    private CommandResult(Long id, Map<String, Object> changes) {
        this.id = id;
        this.changes = changes;
    }

    public static class Builder {
        private Long id;
        private Map<String, Object> changes = new LinkedHashMap<>();

        public Builder withId(Long id) { this.id = id; return this; }
        public Builder with(String name, Object value) { this.changes.put(name, value); return this; }
        public CommandResult build() { return new CommandResult(id, changes); }
    }

    public Long getId() { return id; }
    public Map<String, Object> getChanges() { return changes; }
}
"""

COMMAND = """package bank.core;

import java.math.BigDecimal;
import java.util.*;

public class JsonCommand {
    private final Map<String, String> values;
    private final Long id;

    public JsonCommand(Long id, Map<String, String> values) {
        this.id = id;
        this.values = values;
    }

    public Long entityId() { return id; }
    public boolean parameterExists(String name) { return values.containsKey(name); }
    public String stringValueOfParameterNamed(String name) { return values.get(name); }
    public Long longValueOfParameterNamed(String name) { return Long.valueOf(values.get(name)); }
    public int integerValueOfParameterNamed(String name) { return Integer.parseInt(values.get(name)); }
    public BigDecimal bigDecimalValueOfParameterNamed(String name) {
        return new BigDecimal(values.get(name));
    }
    public boolean isChangeInStringParameterNamed(String name, String old) {
        if (!parameterExists(name)) return false;
        String now = stringValueOfParameterNamed(name);
        return old == null ? now != null : !old.equals(now);
    }
    public boolean isChangeInIntegerParameterNamed(String name, int old) {
        return parameterExists(name) && integerValueOfParameterNamed(name) != old;
    }
}
"""


class Provider:
    """One large service: files of a package for each of its features."""

    FIELDS = 14

    def __init__(self, folder, files, seed=1):
        self.folder = folder
        self.random = random.Random(seed)
        self.features = max(1, (files - 8) // 9)
        self.tables = []

    def path(self, feature, name):
        return f"src/main/java/bank/feature{feature}/{name}.java"

    def java(self, feature, name, body, imports=""):
        write(self.folder, self.path(feature, name),
              f"package bank.feature{feature};\n\nimport bank.core.*;\n"
              "import java.math.BigDecimal;\nimport java.sql.*;\n"
              f"import java.util.*;\nimport java.util.stream.*;\n{imports}\n{body}")

    def make(self):
        for name, text in [("Support", COMMON), ("RowMapper", MAPPER), ("CommandHandler", HANDLER),
                           ("CommandResult", RESULT), ("JsonCommand", COMMAND)]:
            write(self.folder, f"src/main/java/bank/core/{name}.java", text)
        for f in range(self.features):
            self.entity(f)
            self.data(f)
            self.read_service(f)
            self.write_service(f)
            self.calculators(f)
            self.handlers(f)
        columns = ", ".join(f"f{i} int" for i in range(self.FIELDS))
        write(self.folder, "src/main/resources/schema.sql", "".join(
            f"CREATE TABLE m_feature{f} (id bigint PRIMARY KEY, name text, status int, balance numeric, "
            f"parent_id bigint, {columns});\n" for f in range(min(self.features, 400))))

    def table(self, f):
        return f"m_feature{f % 400}"

    def entity(self, f):
        fields = "".join(f"    private int f{i};\n" for i in range(self.FIELDS))
        getters = "".join(f"    public int getF{i}() {{ return f{i}; }}\n" for i in range(self.FIELDS))
        changes = "".join(
            f"        if (command.isChangeInIntegerParameterNamed(\"f{i}\", this.f{i})) {{\n"
            f"            int now = command.integerValueOfParameterNamed(\"f{i}\");\n"
            f"            changes.put(\"f{i}\", now);\n            this.f{i} = now;\n        }}\n"
            for i in range(self.FIELDS))
        self.java(f, f"Feature{f}", f"""public class Feature{f} extends Base{f} {{
{fields}    private String name;
    private BigDecimal balance = BigDecimal.ZERO;
    private List<Feature{f}> children = new ArrayList<>();

    public String getName() {{ return name; }}
    public BigDecimal getBalance() {{ return balance; }}
    public List<Feature{f}> getChildren() {{ return children; }}
{getters}
    public Map<String, Object> update(JsonCommand command) {{
        Map<String, Object> changes = new LinkedHashMap<>();
        if (command.isChangeInStringParameterNamed("name", this.name)) {{
            this.name = command.stringValueOfParameterNamed("name");
            changes.put("name", this.name);
        }}
{changes}        return changes;
    }}

    public BigDecimal total() {{
        BigDecimal sum = balance;
        for (Feature{f} child : children) sum = sum.add(child.total());
        return sum;
    }}

    @Override
    public boolean isOpen() {{ return super.isOpen() && f0 > 0; }}
}}
""")
        self.java(f, f"Base{f}", f"""public abstract class Base{f} {{
    protected Long id;
    protected int status;

    public Long getId() {{ return id; }}
    public int getStatus() {{ return status; }}
    public void setStatus(int status) {{ this.status = status; }}
    public boolean isOpen() {{ return status == 300 || status == 200; }}
    public boolean isClosed() {{ return status >= 600; }}
}}
""")

    def data(self, f):
        parameters = ", ".join(f"int f{i}" for i in range(self.FIELDS))
        names = ", ".join(f"f{i}" for i in range(self.FIELDS))
        fields = "".join(f"    private final int f{i};\n" for i in range(self.FIELDS))
        sets = "".join(f"        this.f{i} = f{i};\n" for i in range(self.FIELDS))
        self.java(f, f"Feature{f}Data", f"""public class Feature{f}Data {{
    private final Long id;
    private final String name;
    private final int status;
    private final BigDecimal balance;
{fields}
    private Feature{f}Data(Long id, String name, int status, BigDecimal balance, {parameters}) {{
        this.id = id;
        this.name = name;
        this.status = status;
        this.balance = balance;
{sets}    }}

    public static Feature{f}Data instance(Long id, String name, int status, BigDecimal balance,
            {parameters}) {{
        return new Feature{f}Data(id, name, status, balance, {names});
    }}

    public Long getId() {{ return id; }}
    public String getName() {{ return name; }}
    public int getStatus() {{ return status; }}
    public BigDecimal getBalance() {{ return balance; }}
}}
""")

    def read_service(self, f):
        columns = "".join(f'            sql.append(" t.f{i} as f{i}, ");\n' for i in range(self.FIELDS))
        gets = ", ".join(f'rows.getInt("f{i}")' for i in range(self.FIELDS))
        filters = "".join(f"""        if (query.get("f{i}") != null) {{
            sql.append(" and t.f{i} = ? ");
            values.add(Integer.parseInt(query.get("f{i}")));
        }}
""" for i in range(self.FIELDS))
        other = self.random.randrange(max(1, f)) if f else 0
        self.java(f, f"Feature{f}ReadService", f"""public interface Feature{f}ReadService {{
    Feature{f}Data retrieveOne(Long id) throws SQLException;
    List<Feature{f}Data> retrieveAll(Map<String, String> query) throws SQLException;
    BigDecimal balanceOf(Long id) throws SQLException;
}}
""")
        self.java(f, f"Feature{f}ReadServiceImpl",
                  f"""public class Feature{f}ReadServiceImpl implements Feature{f}ReadService {{
    private final Support support;
    private final bank.feature{other}.Feature{other}ReadService others;

    public Feature{f}ReadServiceImpl(Support support,
            bank.feature{other}.Feature{other}ReadService others) {{
        this.support = support;
        this.others = others;
    }}

    private static final class Mapper implements RowMapper<Feature{f}Data> {{
        public String schema() {{
            StringBuilder sql = new StringBuilder(400);
            sql.append(" t.id as id, t.name as name, t.status as status, ");
{columns}            sql.append(" t.balance as balance from {self.table(f)} t ");
            sql.append(" left join {self.table(other)} p on p.id = t.parent_id ");
            return sql.toString();
        }}

        @Override
        public Feature{f}Data mapRow(ResultSet rows, int at) throws SQLException {{
            Long id = rows.getLong("id");
            String name = rows.getString("name");
            int status = rows.getInt("status");
            BigDecimal balance = rows.getBigDecimal("balance");
            if (rows.wasNull()) balance = BigDecimal.ZERO;
            return Feature{f}Data.instance(id, name, status, balance, {gets});
        }}
    }}

    @Override
    public Feature{f}Data retrieveOne(Long id) throws SQLException {{
        Mapper mapper = new Mapper();
        String sql = "select " + mapper.schema() + " where t.id = ?";
        List<Feature{f}Data> found = support.query(sql, mapper, id);
        if (found.isEmpty()) throw new IllegalArgumentException("no feature " + id);
        return found.get(0);
    }}

    @Override
    public List<Feature{f}Data> retrieveAll(Map<String, String> query) throws SQLException {{
        Mapper mapper = new Mapper();
        StringBuilder sql = new StringBuilder("select " + mapper.schema() + " where 1 = 1 ");
        List<Object> values = new ArrayList<>();
{filters}        if (!Support.isBlank(query.get("orderBy"))) {{
            sql.append(" order by ").append(query.get("orderBy"));
            if (!Support.isBlank(query.get("sortOrder"))) sql.append(' ').append(query.get("sortOrder"));
        }}
        if (query.containsKey("limit")) {{
            sql.append(" limit ").append(query.get("limit"));
            if (query.containsKey("offset")) sql.append(" offset ").append(query.get("offset"));
        }}
        return support.query(sql.toString(), mapper, values.toArray()).stream()
                .filter(data -> data.getStatus() > 0)
                .sorted(Comparator.comparing(Feature{f}Data::getName))
                .collect(Collectors.toList());
    }}

    @Override
    public BigDecimal balanceOf(Long id) throws SQLException {{
        BigDecimal own = retrieveOne(id).getBalance();
        {f'return own.add(others.balanceOf(id));' if f else 'return own;'}
    }}
}}
""")

    def write_service(self, f):
        lower = [self.random.randrange(f) for _ in range(3)] if f else []
        fields = "".join(f"    private bank.feature{o}.Feature{o}WriteService write{i};\n"
                         for i, o in enumerate(lower))
        validations = "".join(f"""        if (command.parameterExists("f{i}")) {{
            int f{i} = command.integerValueOfParameterNamed("f{i}");
            if (f{i} < 0) errors.add("f{i} is negative");
            if (f{i} > {1000 + i} && command.parameterExists("name")) errors.add("f{i} is large");
        }}
""" for i in range(self.FIELDS))
        cases = "".join(f"""            case {100 * (i + 1)}:
                if (data.getStatus() >= {100 * (i + 1)}) throw new IllegalStateException("status");
                support.change("update {self.table(f)} set status = ?, f{i} = f{i} + 1 where id = ?",
                        {100 * (i + 1)}, id);
                break;
""" for i in range(min(self.FIELDS, 12)))
        cascades = "".join(f"        if (changes.containsKey(\"f{i}\")) "
                           f"write{i}.recalculate(id, depth + 1);\n"
                           for i in range(len(lower)))
        self.java(f, f"Feature{f}WriteService", f"""public class Feature{f}WriteService {{
    private final Support support;
    private final Feature{f}ReadService reads;
    private final Calculator{f} calculator;
{fields}
    public Feature{f}WriteService(Support support, Feature{f}ReadService reads,
            Calculator{f} calculator) {{
        this.support = support;
        this.reads = reads;
        this.calculator = calculator;
    }}

    private void validate(JsonCommand command) {{
        List<String> errors = new ArrayList<>();
{validations}        if (errors.size() > 0)
            throw new IllegalArgumentException(String.join(", ", errors));
    }}

    public CommandResult create(JsonCommand command) throws SQLException {{
        validate(command);
        support.change("insert into {self.table(f)} (id, name, status, balance) values (?, ?, 100, 0)",
                command.entityId(), command.stringValueOfParameterNamed("name"));
        return new CommandResult.Builder().withId(command.entityId()).build();
    }}

    public CommandResult update(JsonCommand command) throws SQLException {{
        validate(command);
        Feature{f}Data data = reads.retrieveOne(command.entityId());
        Feature{f} feature = new Feature{f}();
        Map<String, Object> changes = feature.update(command);
        if (changes.isEmpty()) return new CommandResult.Builder().withId(data.getId()).build();
        StringBuilder sql = new StringBuilder("update {self.table(f)} set status = status");
        List<Object> values = new ArrayList<>();
        for (Map.Entry<String, Object> change : changes.entrySet()) {{
            sql.append(", ").append(change.getKey()).append(" = ?");
            values.add(change.getValue());
        }}
        sql.append(" where id = ?");
        values.add(data.getId());
        support.change(sql.toString(), values.toArray());
        recalculate(data.getId(), 0);
        int depth = 0;
        Long id = data.getId();
{cascades}        CommandResult.Builder result = new CommandResult.Builder().withId(id);
        changes.forEach((name, value) -> result.with(name, value));
        return result.build();
    }}

    public void changeStatus(Long id, int status) throws SQLException {{
        Feature{f}Data data = reads.retrieveOne(id);
        switch (status) {{
{cases}            default:
                throw new IllegalArgumentException("status " + status);
        }}
    }}

    public void recalculate(Long id, int depth) throws SQLException {{
        if (depth > 5) return;
        BigDecimal balance = reads.balanceOf(id);
        BigDecimal interest = calculator.interest(balance, depth);
        if (interest.signum() == 0) {{
            recalculate(id, depth + 1);
            return;
        }}
        support.change("update {self.table(f)} set balance = ? where id = ?",
                Support.round(balance.add(interest), 2, true), id);
{"".join(f"        write{i}.recalculate(id, depth + 1);{chr(10)}" for i in range(len(lower)))}    }}
}}
""")

    def calculators(self, f):
        steps = "".join(f"""        if (periods > {i} && rate.signum() > 0) {{
            sum = sum.add(balance.multiply(rate));
            if (sum.compareTo(limit) > 0) sum = limit;
            else if (balance.signum() < 0) sum = sum.negate();
        }}
""" for i in range(20))
        self.java(f, f"Calculator{f}", f"""public interface Calculator{f} {{
    BigDecimal interest(BigDecimal balance, int periods);

    class Flat implements Calculator{f} {{
        @Override
        public BigDecimal interest(BigDecimal balance, int periods) {{
            return balance.multiply(BigDecimal.ONE);
        }}
    }}

    class Declining implements Calculator{f} {{
        private BigDecimal rate = BigDecimal.TEN;
        private BigDecimal limit = BigDecimal.TEN;

        @Override
        public BigDecimal interest(BigDecimal balance, int periods) {{
            BigDecimal sum = BigDecimal.ZERO;
{steps}            return sum;
        }}
    }}
}}
""")

    def handlers(self, f):
        for action, call in [("Update", "writes.update(command)"), ("Create", "writes.create(command)")]:
            self.java(f, f"{action}{f}CommandHandler",
                      f"""public class {action}{f}CommandHandler implements CommandHandler {{
    private final Feature{f}WriteService writes;

    public {action}{f}CommandHandler(Feature{f}WriteService writes) {{ this.writes = writes; }}

    @Override
    public CommandResult execute(JsonCommand command) throws Exception {{ return {call}; }}
}}
""")
        self.java(f, f"Feature{f}Resource", f"""public class Feature{f}Resource {{
    private final Feature{f}ReadService reads;
    private final Feature{f}WriteService writes;

    public Feature{f}Resource(Feature{f}ReadService reads, Feature{f}WriteService writes) {{
        this.reads = reads;
        this.writes = writes;
    }}

    public Feature{f}Data show(Long id) throws SQLException {{ return reads.retrieveOne(id); }}

    public List<Feature{f}Data> list(Map<String, String> query) throws SQLException {{
        return reads.retrieveAll(query);
    }}

    public CommandResult change(JsonCommand command, int status) throws Exception {{
        if (status > 0) {{
            writes.changeStatus(command.entityId(), status);
            return new CommandResult.Builder().withId(command.entityId()).build();
        }}
        CommandHandler handler = status == 0
                ? new Update{f}CommandHandler(writes) : new Create{f}CommandHandler(writes);
        return handler.execute(command);
    }}
}}
""")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape", choices=["branches", "tree", "provider"])
    parser.add_argument("folder")
    parser.add_argument("--files", type=int)
    parser.add_argument("--branches", type=int, default=40)
    parser.add_argument("--deep", type=int, default=10)
    parser.add_argument("--calls", choices=["one", "each"], default="each")
    options = parser.parse_args()
    if options.shape == "branches":
        branches(options.folder, options.branches, options.deep, options.calls)
    elif options.shape == "tree":
        tree(options.folder, options.files or 2000)
    else:
        Provider(options.folder, options.files or 3000).make()


if __name__ == "__main__":
    main()
