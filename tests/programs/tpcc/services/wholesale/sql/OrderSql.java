package wholesale.sql;

/** The SQL of orders and their lines in TPC-C, revision 5.11. */
public final class OrderSql {

    private static final String ORDER_KEY = " WHERE o_id = ? AND o_d_id = ? AND o_w_id = ?";
    private static final String LINE_KEY = " WHERE ol_o_id = ? AND ol_d_id = ? AND ol_w_id = ?";

    public static final String INSERT_ORDER = """
            INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """;

    public static final String INSERT_NEW_ORDER =
            "INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)";

    public static final String INSERT_LINE = """
            INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id,
                ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    public static final String NEWEST_OF_CUSTOMER = """
            SELECT o_id, o_entry_d, o_carrier_id
            FROM orders
            WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ?
            ORDER BY o_id DESC
            LIMIT 1
            """;

    public static final String LINES = """
            SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
            FROM order_line
            WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?
            ORDER BY ol_number
            """;

    public static final String OLDEST_NEW_ORDER = """
            SELECT no_o_id FROM new_order WHERE no_d_id = ? AND no_w_id = ?
            ORDER BY no_o_id ASC LIMIT 1
            """;

    public static final String DELETE_NEW_ORDER =
            "DELETE FROM new_order WHERE no_o_id = ? AND no_d_id = ? AND no_w_id = ?";

    public static final String CUSTOMER_OF_ORDER = "SELECT o_c_id FROM orders" + ORDER_KEY;

    public static final String SET_CARRIER = "UPDATE orders SET o_carrier_id = ?" + ORDER_KEY;

    public static final String SET_DELIVERY_DATE =
            "UPDATE order_line SET ol_delivery_d = ?" + LINE_KEY;

    public static final String SUM_OF_LINES =
            "SELECT SUM(ol_amount) AS ol_total FROM order_line" + LINE_KEY;

    private OrderSql() {
    }
}
