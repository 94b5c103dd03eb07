package wholesale.sql;

/** The SQL of customers in TPC-C, revision 5.11. */
public final class CustomerSql {

    /** Columns, then the key, of one customer. */
    public static final String SELECT_FORMAT =
            "SELECT %s FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";

    public static final String CREDIT_COLUMNS = "c_discount, c_last, c_credit";

    public static final String NAME_COLUMNS = "c_first, c_middle, c_last, c_balance";

    public static final String PAYMENT_COLUMNS =
            "c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, "
            + "c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount, "
            + "c_balance, c_ytd_payment, c_payment_cnt";

    public static final String IDS_BY_LAST_NAME = """
            SELECT c_id
            FROM customer
            WHERE c_w_id = ? AND c_d_id = ? AND c_last = ?
            ORDER BY c_first
            """;

    public static final String ADD_DELIVERY = """
            UPDATE customer
            SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1
            WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?
            """;

    public static final String INSERT_HISTORY = """
            INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date,
                h_amount, h_data)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private CustomerSql() {
    }
}
