import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.lang.annotation.Annotation;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Date;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Calls methods of a program for heddle, each on a connection of its own to heddle's gate.
 *
 * <p>heddle listens on the port that the environment names. The first connection to it asks for
 * workers, one with each line; each worker makes a connection, on which heddle says what to call.
 * All begin with the token of the environment. A line has fields with tabs between them, in which
 * \\, \t, \n, \r are escapes and \N is null. When the first connection ends, so does all.
 */
public final class HeddleLauncher {

    private static int port;
    private static String token;
    private static Driver driver;
    /** What the driver's addresses begin with. */
    private static String url;
    /** "on" or "off": what connections are at first; null: as OwnConnection says. */
    private static String autocommit;

    private HeddleLauncher() {
    }

    public static void main(String[] arguments) throws Exception {
        port = Integer.parseInt(System.getenv("HEDDLE_PORT"));
        token = System.getenv("HEDDLE_TOKEN");
        autocommit = System.getenv("HEDDLE_AUTOCOMMIT");
        url = System.getenv("HEDDLE_URL");
        try (Lines lines = new Lines()) {
            boolean hasDriver = true;
            try {
                Class.forName(System.getenv("HEDDLE_DRIVER"));
                takeOverDrivers();
            } catch (ClassNotFoundException e) {
                hasDriver = false;
            }
            lines.write(hasDriver ? "driver" : "no driver");
            while (lines.read() != null) {
                Thread reader = new Thread(new Worker()::serve);
                reader.setDaemon(true);
                reader.start();
            }
        } finally {
            Runtime.getRuntime().halt(0);
        }
    }

    /** What the program opens by itself is heddle's connection, too, whatever it names. */
    private static void takeOverDrivers() throws SQLException {
        driver = DriverManager.getDriver(url + "localhost/heddle");
        for (Driver each : Collections.list(DriverManager.getDrivers())) {
            DriverManager.deregisterDriver(each);
        }
        DriverManager.registerDriver(ownDriver());
    }

    /**
     * The only driver that the program finds. Its class is of the loader that the program's classes
     * are of, since DriverManager shows no others.
     */
    private static Driver ownDriver() {
        return (Driver) Proxy.newProxyInstance(ClassLoader.getSystemClassLoader(),
                new Class<?>[] {Driver.class}, (self, method, values) -> {
                    switch (method.getName()) {
                        case "connect":
                            return opened();
                        case "acceptsURL":
                            return true;
                        case "equals":
                            return self == values[0];
                        case "hashCode":
                            return System.identityHashCode(self);
                        case "toString":
                            return "heddle's driver";
                        case "getMajorVersion":
                        case "getMinorVersion":
                            return 1;
                        default:
                            throw new SQLFeatureNotSupportedException(method.getName());
                    }
                });
    }

    private static Connection opened() throws SQLException {
        Call call = Call.CURRENT.get();
        if (call == null) {
            throw new SQLException("a connection is opened outside of a call");
        }
        return OwnConnection.over(call.connection, true);
    }

    /**
     * The call's connection as the program has it: one that it opens commits after each statement
     * until it says otherwise, one that it is given is in a transaction. The connection to heddle
     * is always in one, so that each COMMIT is a step that can be seen; closing it only undoes what
     * is open.
     */
    private static final class OwnConnection implements InvocationHandler {

        private final Connection real;
        private boolean each;
        private boolean isPending;
        private boolean isClosed;

        private OwnConnection(Connection real, boolean each) {
            this.real = real;
            this.each = each;
        }

        static Connection over(Connection real, boolean isOpened) {
            boolean each = autocommit == null ? isOpened : autocommit.equals("on");
            return (Connection) proxy(Connection.class, new OwnConnection(real, each));
        }

        private static Object proxy(Class<?> type, InvocationHandler handler) {
            return Proxy.newProxyInstance(
                    HeddleLauncher.class.getClassLoader(), new Class<?>[] {type}, handler);
        }

        @Override
        public Object invoke(Object self, Method method, Object[] values) throws Throwable {
            switch (method.getName()) {
                case "getAutoCommit":
                    return each;
                case "setAutoCommit":
                    setEach((Boolean) values[0]);
                    return null;
                case "isClosed":
                    return isClosed;
                case "close":
                    if (!isClosed && isPending) {
                        end(false);
                    }
                    isClosed = true;
                    return null;
                case "commit":
                    refuseWhereEachCommits("commit");
                    end(true);
                    return null;
                case "rollback":
                    refuseWhereEachCommits("rollback");
                    if (values != null) {
                        return call(real, method, values);
                    }
                    end(false);
                    return null;
                default:
                    break;
            }
            Object made = call(real, method, values);
            if (made instanceof Statement) {
                return proxy(method.getReturnType(), (proxy, of, with) -> of(self, made, of, with));
            }
            return made;
        }

        private void setEach(boolean value) throws SQLException {
            if (value && !each && isPending) {
                end(true);
            }
            each = value;
        }

        private void end(boolean keeps) throws SQLException {
            isPending = false;
            if (keeps) {
                real.commit();
            } else {
                real.rollback();
            }
        }

        private void refuseWhereEachCommits(String what) throws SQLException {
            if (each) {
                throw new SQLException("Cannot " + what + " when autoCommit is enabled.", "25P01");
            }
        }

        private Object of(Object self, Object statement, Method method, Object[] values)
                throws Throwable {
            if (method.getName().equals("getConnection")) {
                return self;
            }
            if (!method.getName().startsWith("execute")) {
                return call(statement, method, values);
            }
            isPending = true;
            try {
                Object made = call(statement, method, values);
                if (each) {
                    end(true);
                }
                return made;
            } catch (SQLException e) {
                if (each) {
                    end(false);
                }
                throw e;
            }
        }

        private static Object call(Object on, Method method, Object[] values) throws Throwable {
            try {
                return method.invoke(on, values);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    /** A connection to heddle, line by line. */
    private static final class Lines implements AutoCloseable {

        private final Socket socket;
        private final BufferedReader in;
        private final Writer out;

        Lines() throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(
                    new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            out = new BufferedWriter(
                    new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8));
            write(token);
        }

        String[] read() throws IOException {
            String line = in.readLine();
            return line == null ? null : line.split("\t", -1);
        }

        synchronized void write(String... fields) throws IOException {
            List<String> escaped = new ArrayList<>();
            for (String field : fields) {
                escaped.add(escape(field));
            }
            out.write(String.join("\t", escaped) + "\n");
            out.flush();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** Reads what to do on one thread, and does it on another, whose place can so be told. */
    private static final class Worker {

        private Lines lines;
        private Thread caller;

        void serve() {
            try (Lines opened = new Lines()) {
                lines = opened;
                for (String[] line = lines.read(); line != null; line = lines.read()) {
                    if (line[0].equals("where")) {
                        lines.write("at", place());
                    } else {
                        begin(line);
                    }
                }
            } catch (IOException e) {
                // heddle has gone
            }
        }

        private void begin(String[] line) {
            caller = new Thread(() -> {
                try {
                    lines.write(new Call(line, lines).run());
                } catch (IOException e) {
                    // heddle has gone
                }
            });
            caller.setDaemon(true);
            caller.start();
        }

        /** The innermost line of the program's own code. */
        private String place() {
            if (caller == null) {
                return "";
            }
            for (StackTraceElement frame : caller.getStackTrace()) {
                String type = frame.getClassName();
                boolean isOwn = !type.startsWith("java.") && !type.startsWith("javax.")
                        && !type.startsWith("jdk.") && !type.startsWith("sun.")
                        && !type.startsWith("com.sun.") && !type.startsWith("org.postgresql.")
                        && !type.startsWith("org.mariadb.") && !type.startsWith("HeddleLauncher");
                if (isOwn) {
                    return frame.getFileName() + ":" + frame.getLineNumber();
                }
            }
            return "";
        }
    }

    /** One call: "call", class, method, types of parameters, where to connect, user, arguments. */
    private static final class Call {

        /** Of the thread that calls, and of those that it starts. */
        static final InheritableThreadLocal<Call> CURRENT = new InheritableThreadLocal<>();
        private static final int FIRST_ARGUMENT = 6;

        private final String[] fields;
        private final Lines lines;
        private final List<Annotation> annotations = new ArrayList<>();
        private Connection connection;

        Call(String[] fields, Lines lines) {
            this.fields = fields;
            this.lines = lines;
        }

        /** What came of it, as a line. */
        String[] run() {
            CURRENT.set(this);
            try {
                return runOn(connect());
            } catch (Refusal e) {
                return new String[] {"refused", e.getMessage()};
            } catch (Throwable e) {
                return new String[] {"refused", e.toString()};
            }
        }

        private Connection connect() throws SQLException {
            Properties properties = new Properties();
            properties.setProperty("user", unescape(fields[5]));
            properties.setProperty("password", "");
            if (url.contains("postgresql")) {
                properties.setProperty("sslmode", "disable");
                properties.setProperty("gssEncMode", "disable");
                properties.setProperty("binaryTransfer", "false");
            } else {
                properties.setProperty("useSsl", "false");
                properties.setProperty("useServerPrepStmts", "false");
            }
            return driver.connect(url + fields[4] + "/heddle", properties);
        }

        private String[] runOn(Connection opened) throws Exception {
            connection = opened;
            Class<?> type;
            try {
                type = Class.forName(unescape(fields[1]));
            } catch (ClassNotFoundException e) {
                throw new Refusal("there is no class " + unescape(fields[1])
                        + " on the class path");
            }
            Method method = find(type);
            annotations.addAll(List.of(type.getAnnotations()));
            annotations.addAll(List.of(method.getAnnotations()));
            Object[] values = arguments(method);
            Object target = Modifier.isStatic(method.getModifiers()) ? null : create(type, 0);
            connection.setAutoCommit(false);
            setLevel();
            lines.write("ready");
            try {
                return invoke(method, target, values);
            } finally {
                connection.close();
            }
        }

        private String[] invoke(Method method, Object target, Object[] values) throws Exception {
            try {
                Object value = method.invoke(target, values);
                connection.commit();
                return new String[] {"returned", show(value)};
            } catch (InvocationTargetException e) {
                connection.rollback();
                return thrown(e.getCause());
            } catch (SQLException e) {
                connection.rollback();
                return thrown(e);
            }
        }

        private static String[] thrown(Throwable error) {
            return new String[] {"threw", error.getClass().getName(),
                String.valueOf(error.getMessage())};
        }

        /** The method of that name whose parameters have classes of those simple names. */
        private Method find(Class<?> type) throws Refusal {
            String name = unescape(fields[2]);
            String wanted = unescape(fields[3]);
            for (Class<?> each = type; each != null; each = each.getSuperclass()) {
                for (Method method : each.getDeclaredMethods()) {
                    List<String> types = new ArrayList<>();
                    for (Class<?> parameter : method.getParameterTypes()) {
                        types.add(parameter.getSimpleName());
                    }
                    if (method.getName().equals(name) && String.join(", ", types).equals(wanted)) {
                        method.setAccessible(true);
                        return method;
                    }
                }
            }
            throw new Refusal("there is no method " + type.getName() + "." + name + "(" + wanted
                    + ") on the class path");
        }

        private Object[] arguments(Method method) throws Refusal {
            Class<?>[] types = method.getParameterTypes();
            Type[] generic = method.getGenericParameterTypes();
            Object[] values = new Object[types.length];
            int next = FIRST_ARGUMENT;
            for (int i = 0; i < types.length; i++) {
                if (types[i] == Connection.class) {
                    values[i] = OwnConnection.over(connection, false);
                } else if (types[i] == DataSource.class) {
                    values[i] = dataSource();
                } else if (next < fields.length) {
                    String field = fields[next++];
                    values[i] = field.equals("\\N") ? nothing(types[i])
                            : Values.convert(unescape(field), types[i], generic[i]);
                } else {
                    throw new Refusal("there is no argument for its parameter " + (i + 1));
                }
            }
            return values;
        }

        static Object nothing(Class<?> type) throws Refusal {
            if (type.isPrimitive()) {
                throw new Refusal("the made-up argument has null where Java wants a " + type);
            }
            return type == Optional.class ? Optional.empty() : null;
        }

        /** An object, made by the constructor with the fewest parameters that can all be given. */
        private Object create(Class<?> type, int depth) throws Exception {
            if (Modifier.isAbstract(type.getModifiers()) || depth > 4) {
                throw new Refusal("no object of " + type.getName() + " can be made");
            }
            Constructor<?>[] constructors = type.getDeclaredConstructors();
            java.util.Arrays.sort(constructors,
                    (a, b) -> Integer.compare(a.getParameterCount(), b.getParameterCount()));
            Refusal refusal = new Refusal("no object of " + type.getName() + " can be made");
            for (Constructor<?> constructor : constructors) {
                try {
                    List<Object> values = new ArrayList<>();
                    for (Class<?> parameter : constructor.getParameterTypes()) {
                        values.add(supply(parameter, depth));
                    }
                    constructor.setAccessible(true);
                    Object made = constructor.newInstance(values.toArray());
                    fill(made);
                    return made;
                } catch (Refusal e) {
                    refusal = e;
                }
            }
            throw refusal;
        }

        private Object supply(Class<?> type, int depth) throws Exception {
            if (type == Connection.class) {
                return OwnConnection.over(connection, false);
            }
            if (type == DataSource.class) {
                return dataSource();
            }
            if (type.isPrimitive() || type.isArray() || type.getName().startsWith("java")) {
                throw new Refusal("a constructor wants a " + type.getName());
            }
            return create(type, depth + 1);
        }

        /** What a container would give it. */
        private void fill(Object made) throws IllegalAccessException {
            for (Class<?> type = made.getClass(); type != null; type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    boolean isGiven = field.getType() == Connection.class
                            || field.getType() == DataSource.class;
                    if (!isGiven || Modifier.isStatic(field.getModifiers())) {
                        continue;
                    }
                    field.setAccessible(true);
                    if (field.get(made) == null) {
                        field.set(made, field.getType() == Connection.class
                                ? OwnConnection.over(connection, false) : dataSource());
                    }
                }
            }
        }

        /** Opens the call's connection, each time. */
        private DataSource dataSource() {
            boolean isManaged = false;
            for (Annotation annotation : annotations) {
                String name = annotation.annotationType().getSimpleName();
                isManaged = isManaged || name.equals("Transactional");
            }
            boolean isOpened = !isManaged;
            return (DataSource) OwnConnection.proxy(DataSource.class, (proxy, method, values) -> {
                if (method.getName().equals("getConnection")) {
                    return OwnConnection.over(connection, isOpened);
                }
                throw new UnsupportedOperationException(method.getName());
            });
        }

        /** {@code @Transactional(isolation = ...)}, which a framework would follow. */
        private void setLevel() throws SQLException {
            for (Annotation annotation : annotations) {
                if (!annotation.annotationType().getSimpleName().equals("Transactional")) {
                    continue;
                }
                try {
                    String level = String.valueOf(annotation.annotationType()
                            .getMethod("isolation").invoke(annotation));
                    if (!level.equals("DEFAULT")) {
                        connection.setTransactionIsolation(Connection.class
                                .getField("TRANSACTION_" + level).getInt(null));
                    }
                } catch (ReflectiveOperationException e) {
                    continue;  // an annotation without a level
                }
            }
        }
    }

    /** Why something cannot be called. */
    private static final class Refusal extends Exception {

        private static final long serialVersionUID = 1L;

        Refusal(String message) {
            super(message);
        }
    }

    /** Values from PostgreSQL's texts. */
    private static final class Values {

        static Object convert(String text, Class<?> type, Type generic) throws Refusal {
            if (type.isArray() && type != byte[].class) {
                List<String> elements = elements(text);
                Class<?> of = type.getComponentType();
                Object array = Array.newInstance(of, elements.size());
                for (int i = 0; i < elements.size(); i++) {
                    Array.set(array, i, element(elements.get(i), of, of));
                }
                return array;
            }
            if (type == Optional.class) {
                return Optional.of(convert(text, argumentOf(generic), argumentOf(generic)));
            }
            if (type.isAssignableFrom(ArrayList.class) && type != Object.class) {
                return collect(text, generic, new ArrayList<>());
            }
            if (Set.class.isAssignableFrom(type) && type.isAssignableFrom(LinkedHashSet.class)) {
                return collect(text, generic, new LinkedHashSet<>());
            }
            return scalar(text, type);
        }

        private static Object collect(String text, Type generic, Collection<Object> into)
                throws Refusal {
            Class<?> of = argumentOf(generic);
            for (String element : elements(text)) {
                into.add(element(element, of, of));
            }
            return into;
        }

        private static Object element(String text, Class<?> type, Type generic) throws Refusal {
            return text == null ? Call.nothing(type) : convert(text, type, generic);
        }

        private static Class<?> argumentOf(Type generic) {
            if (generic instanceof ParameterizedType) {
                Type argument = ((ParameterizedType) generic).getActualTypeArguments()[0];
                if (argument instanceof Class<?>) {
                    return (Class<?>) argument;
                }
            }
            return String.class;
        }

        private static Object scalar(String text, Class<?> type) throws Refusal {
            Object number = number(text, type);
            if (number != null) {
                return number;
            }
            if (type == String.class || type == CharSequence.class || type == Object.class) {
                return text;
            } else if (type == boolean.class || type == Boolean.class) {
                return text.startsWith("t");
            } else if ((type == char.class || type == Character.class) && text.length() == 1) {
                return text.charAt(0);
            } else if (type == UUID.class) {
                return UUID.fromString(text);
            } else if (type.isEnum()) {
                for (Object constant : type.getEnumConstants()) {
                    if (((Enum<?>) constant).name().equals(text)) {
                        return constant;
                    }
                }
            }
            Object time = time(text, type);
            if (time == null) {
                throw new Refusal("no argument of the type " + type.getName() + " can be made of "
                        + text);
            }
            return time;
        }

        private static Object number(String text, Class<?> type) {
            if (type == int.class || type == Integer.class) {
                return Integer.valueOf(text);
            } else if (type == long.class || type == Long.class) {
                return Long.valueOf(text);
            } else if (type == short.class || type == Short.class) {
                return Short.valueOf(text);
            } else if (type == byte.class || type == Byte.class) {
                return Byte.valueOf(text);
            } else if (type == double.class || type == Double.class) {
                return Double.valueOf(text);
            } else if (type == float.class || type == Float.class) {
                return Float.valueOf(text);
            } else if (type == BigDecimal.class || type == Number.class) {
                return new BigDecimal(text);
            } else if (type == BigInteger.class) {
                return new BigInteger(text);
            }
            return null;
        }

        private static Object time(String text, Class<?> type) {
            if (type == LocalDate.class || type == Date.class) {
                LocalDate date = LocalDate.parse(text.substring(0, Math.min(10, text.length())));
                return type == Date.class ? Date.valueOf(date) : date;
            } else if (type == LocalTime.class || type == Time.class) {
                LocalTime time = LocalTime.parse(text);
                return type == Time.class ? Time.valueOf(time) : time;
            }
            if (!List.of(Timestamp.class, java.util.Date.class, LocalDateTime.class, Instant.class,
                    OffsetDateTime.class).contains(type)) {
                return null;
            }
            String plain = text.replaceFirst("([+-]\\d\\d(:\\d\\d)?|Z)$", "");
            LocalDateTime point = plain.length() > 10
                    ? LocalDateTime.parse(plain.replace(' ', 'T')) : LocalDate.parse(plain).atStartOfDay();
            if (type == LocalDateTime.class) {
                return point;
            } else if (type == Instant.class) {
                return point.toInstant(ZoneOffset.UTC);
            } else if (type == OffsetDateTime.class) {
                return point.atOffset(ZoneOffset.UTC);
            }
            return Timestamp.valueOf(point);
        }

        /** Of PostgreSQL's {1,"a b",NULL}. */
        private static List<String> elements(String array) {
            List<String> elements = new ArrayList<>();
            StringBuilder element = new StringBuilder();
            boolean isQuoted = false;
            boolean wasQuoted = false;
            for (int i = 1; i + 1 < array.length(); i++) {
                char c = array.charAt(i);
                if (c == '\\') {
                    element.append(array.charAt(++i));
                } else if (c == '"') {
                    isQuoted = !isQuoted;
                    wasQuoted = true;
                } else if (c == ',' && !isQuoted) {
                    elements.add(finished(element, wasQuoted));
                    element.setLength(0);
                    wasQuoted = false;
                } else {
                    element.append(c);
                }
            }
            if (array.length() > 2) {
                elements.add(finished(element, wasQuoted));
            }
            return elements;
        }

        private static String finished(StringBuilder element, boolean wasQuoted) {
            String text = element.toString();
            return !wasQuoted && text.equals("NULL") ? null : text;
        }
    }

    /** What heddle compares: null, numbers, texts and truth values; of the rest only the class. */
    private static String show(Object value) {
        Object shown = value instanceof Optional<?> ? ((Optional<?>) value).orElse(null) : value;
        if (shown == null) {
            return null;
        } else if (shown instanceof BigDecimal) {
            return "=" + ((BigDecimal) shown).toPlainString();
        } else if (shown instanceof Number || shown instanceof Boolean
                || shown instanceof CharSequence) {
            return "=" + shown;
        }
        return "a " + shown.getClass().getName();
    }

    private static String escape(String text) {
        return text == null ? "\\N" : text.replace("\\", "\\\\").replace("\n", "\\n")
                .replace("\r", "\\r").replace("\t", "\\t");
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
}
