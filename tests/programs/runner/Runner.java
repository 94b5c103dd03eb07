import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Calls the methods that the lines of the standard input name, on one connection.
 *
 * <p>A line is class, method and arguments, separated by tabs. In an argument {@code \N} is null,
 * {@code [1,2]} is an array where the method wants one, and {@code \t \n \r \\ \,} are escapes.
 * Each call prints one line: {@code returned value} or {@code threw class: message}.
 */
public final class Runner {

    private final Connection connection;
    private final PrintStream out;
    private int calls;

    private Runner(Connection connection, PrintStream out) {
        this.connection = connection;
        this.out = out;
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 1 || arguments.length > 3) {
            System.err.println("usage: Runner <jdbc-url> [<user> [<password>]] < calls");
            System.exit(2);
        }
        String user = arguments.length > 1 ? arguments[1] : null;
        String password = arguments.length > 2 ? arguments[2] : null;
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try (Connection connection =
                DriverManager.getConnection(arguments[0], user, password)) {
            Runner runner = new Runner(connection, out);
            BufferedReader in = new BufferedReader(
                    new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (!line.isEmpty()) {
                    runner.call(line.split("\t", -1));
                }
            }
        }
    }

    private void call(String[] fields) throws Exception {
        Class<?> type = Class.forName(fields[0]);
        Method method = find(type, fields[1], fields.length - 2);
        Class<?>[] types = method.getParameterTypes();
        Object[] values = new Object[types.length];
        int shift = types.length > 0 && types[0] == Connection.class ? 1 : 0;
        for (int i = shift; i < types.length; i++) {
            values[i] = convert(fields[2 + i - shift], types[i]);
        }

        // the log of the server says which call a statement belongs to
        connection.setAutoCommit(true);
        calls++;
        connection.setClientInfo("ApplicationName", "call " + calls);
        connection.setAutoCommit(false);
        if (shift == 1) {
            values[0] = connection;
        }
        try {
            Object value = method.invoke(create(type), values);
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
            out.println("returned " + show(value));
        } catch (InvocationTargetException e) {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            Throwable cause = e.getCause();
            out.println("threw " + cause.getClass().getName() + ": " + escape(cause.getMessage()));
        } catch (SQLException e) {
            // what a swallowed error has left cannot be committed
            connection.rollback();
            out.println("threw " + e.getClass().getName() + ": " + escape(e.getMessage()));
        }
    }

    private static Method find(Class<?> type, String name, int count) {
        for (Method method : type.getDeclaredMethods()) {
            Class<?>[] types = method.getParameterTypes();
            int shift = types.length > 0 && types[0] == Connection.class ? 1 : 0;
            if (Modifier.isPublic(method.getModifiers()) && method.getName().equals(name)
                    && types.length - shift == count) {
                return method;
            }
        }
        throw new IllegalArgumentException(
                "no method " + type.getName() + "." + name + " of " + count + " arguments");
    }

    private Object create(Class<?> type) throws Exception {
        for (Constructor<?> constructor : type.getConstructors()) {
            Class<?>[] types = constructor.getParameterTypes();
            if (types.length == 0) {
                return constructor.newInstance();
            }
            if (types.length == 1 && types[0] == Connection.class) {
                return constructor.newInstance(connection);
            }
            if (types.length == 1 && types[0] == DataSource.class) {
                return constructor.newInstance(dataSource());
            }
        }
        throw new IllegalArgumentException("no constructor of " + type.getName());
    }

    /** A source of the one connection, whose close does nothing: the caller ends it. */
    private DataSource dataSource() {
        ClassLoader loader = Runner.class.getClassLoader();
        Connection open = (Connection) Proxy.newProxyInstance(loader,
                new Class<?>[] {Connection.class}, (proxy, method, values) -> {
                    if (method.getName().equals("close")) {
                        return null;
                    }
                    try {
                        return method.invoke(connection, values);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return (DataSource) Proxy.newProxyInstance(loader, new Class<?>[] {DataSource.class},
                (proxy, method, values) -> {
                    if (method.getName().equals("getConnection")) {
                        return open;
                    }
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    private static Object convert(String field, Class<?> type) {
        if (field.equals("\\N")) {
            return null;
        }
        if (type.isArray()) {
            List<String> elements = elements(field.substring(1, field.length() - 1));
            Object array = Array.newInstance(type.getComponentType(), elements.size());
            for (int i = 0; i < elements.size(); i++) {
                Array.set(array, i, convert(elements.get(i), type.getComponentType()));
            }
            return array;
        }
        String text = unescape(field);
        if (type == String.class) {
            return text;
        } else if (type == int.class || type == Integer.class) {
            return Integer.valueOf(text);
        } else if (type == long.class || type == Long.class) {
            return Long.valueOf(text);
        } else if (type == short.class || type == Short.class) {
            return Short.valueOf(text);
        } else if (type == double.class || type == Double.class) {
            return Double.valueOf(text);
        } else if (type == boolean.class || type == Boolean.class) {
            return Boolean.valueOf(text);
        } else if (type == BigDecimal.class) {
            return new BigDecimal(text);
        } else if (type == Timestamp.class) {
            return Timestamp.valueOf(text);
        }
        throw new IllegalArgumentException("no argument of the type " + type.getName());
    }

    /** Splits at commas that no backslash precedes; the elements stay escaped. */
    private static List<String> elements(String text) {
        List<String> elements = new ArrayList<>();
        StringBuilder element = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                element.append(c).append(text.charAt(++i));
            } else if (c == ',') {
                elements.add(element.toString());
                element.setLength(0);
            } else {
                element.append(c);
            }
        }
        if (!text.isEmpty()) {
            elements.add(element.toString());
        }
        return elements;
    }

    private static String unescape(String text) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                c = text.charAt(++i);
                plain.append(c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c);
            } else {
                plain.append(c);
            }
        }
        return plain.toString();
    }

    private static String escape(String text) {
        return String.valueOf(text).replace("\\", "\\\\").replace("\n", "\\n")
                .replace("\r", "\\r").replace("\t", "\\t");
    }

    private static String show(Object value) {
        if (value == null) {
            return "null";
        } else if (value instanceof BigDecimal) {
            return ((BigDecimal) value).toPlainString();
        } else if (value instanceof Number || value instanceof Boolean) {
            return value.toString();
        } else if (value instanceof Optional<?>) {
            return show(((Optional<?>) value).orElse(null));
        } else if (value instanceof Map<?, ?>) {
            List<String> entries = new ArrayList<>();
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                entries.add(show(entry.getKey()) + "=" + show(entry.getValue()));
            }
            return "{" + String.join(", ", entries) + "}";
        } else if (value instanceof Collection<?>) {
            List<String> elements = new ArrayList<>();
            for (Object element : (Collection<?>) value) {
                elements.add(show(element));
            }
            return "[" + String.join(", ", elements) + "]";
        } else if (value.getClass().isArray()) {
            List<Object> elements = new ArrayList<>();
            for (int i = 0; i < Array.getLength(value); i++) {
                elements.add(Array.get(value, i));
            }
            return show(elements);
        }
        return "\"" + escape(value.toString()).replace("\"", "\\\"") + "\"";
    }
}
