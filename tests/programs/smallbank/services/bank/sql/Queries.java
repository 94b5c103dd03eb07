package bank.sql;

/** The SQL of SmallBank (Alomari et al., ICDE 2008). */
public final class Queries {

    private static final String ACCOUNT_COLUMNS = "custid, name";

    public static final String ACCOUNT_BY_NAME =
            "SELECT " + ACCOUNT_COLUMNS + " FROM accounts WHERE name = ?";

    public static final String ACCOUNT_BY_ID = """
            SELECT custid, name
            FROM accounts
            WHERE custid = ?
            """;

    public static final String BALANCE_FORMAT = "SELECT bal FROM %s WHERE custid = ?";

    public static final String ADD_TO_CHECKING = """
            UPDATE checking
            SET bal = bal + ?
            WHERE custid = ?""";

    public static final String TAKE_FROM_CHECKING =
            "UPDATE checking SET bal = bal - ?" + " WHERE custid = ?";

    private Queries() {
    }
}
