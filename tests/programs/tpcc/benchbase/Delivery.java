package tpcc.benchbase;

import com.oltpbenchmark.api.Procedure;
import com.oltpbenchmark.api.SQLStmt;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;

/** The Delivery transaction of TPC-C, revision 5.11, clause 2.7. */
public class Delivery extends Procedure {

    private static final int DISTRICTS = 10;

    public final SQLStmt selectOldest = new SQLStmt(
            """
            SELECT no_o_id
              FROM new_order
             WHERE no_d_id = ?
               AND no_w_id = ?
             ORDER BY no_o_id ASC
             LIMIT 1
            """);

    public final SQLStmt dropNewOrder = new SQLStmt(
            """
            DELETE FROM new_order
             WHERE no_o_id = ?
               AND no_d_id = ?
               AND no_w_id = ?
            """);

    public final SQLStmt selectBuyer = new SQLStmt(
            """
            SELECT o_c_id
              FROM orders
             WHERE o_id = ?
               AND o_d_id = ?
               AND o_w_id = ?
            """);

    public final SQLStmt changeCarrier = new SQLStmt(
            """
            UPDATE orders
               SET o_carrier_id = ?
             WHERE o_id = ?
               AND o_d_id = ?
               AND o_w_id = ?
            """);

    public final SQLStmt changeLines = new SQLStmt(
            """
            UPDATE order_line
               SET ol_delivery_d = ?
             WHERE ol_o_id = ?
               AND ol_d_id = ?
               AND ol_w_id = ?
            """);

    public final SQLStmt sumLines = new SQLStmt(
            """
            SELECT SUM(ol_amount) AS ol_total
              FROM order_line
             WHERE ol_o_id = ?
               AND ol_d_id = ?
               AND ol_w_id = ?
            """);

    public final SQLStmt creditCustomer = new SQLStmt(
            """
            UPDATE customer
               SET c_balance = c_balance + ?,
                   c_delivery_cnt = c_delivery_cnt + 1
             WHERE c_w_id = ?
               AND c_d_id = ?
               AND c_id = ?
            """);

    public List<Integer> run(Connection conn, int wId, int carrierId, Timestamp deliveryDate)
            throws SQLException {
        List<Integer> orderIds = new ArrayList<>();
        for (int d = 1; d <= DISTRICTS; d++) {
            Integer orderId = oldestOrder(conn, wId, d);
            if (orderId == null) {
                continue;
            }
            drop(conn, wId, d, orderId);
            int customerId = buyerOf(conn, wId, d, orderId);
            assignCarrier(conn, wId, carrierId, d, orderId);
            dateLines(conn, wId, d, orderId, deliveryDate);
            BigDecimal total = totalOf(conn, wId, d, orderId);
            credit(conn, wId, d, customerId, total);
            orderIds.add(orderId);
        }
        return orderIds;
    }

    private Integer oldestOrder(Connection conn, int wId, int dId) throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, selectOldest)) {
            stmt.setInt(1, dId);
            stmt.setInt(2, wId);
            try (ResultSet rs = stmt.executeQuery()) {
                if (!rs.next()) {
                    return null;
                }
                return rs.getInt("no_o_id");
            }
        }
    }

    private void drop(Connection conn, int wId, int dId, int oId) throws SQLException {
        try (PreparedStatement stmt =
                this.getPreparedStatement(conn, dropNewOrder, oId, dId, wId)) {
            stmt.executeUpdate();
        }
    }

    private int buyerOf(Connection conn, int wId, int dId, int oId) throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, selectBuyer)) {
            stmt.setInt(1, oId);
            stmt.setInt(2, dId);
            stmt.setInt(3, wId);
            try (ResultSet rs = stmt.executeQuery()) {
                rs.next();
                return rs.getInt("o_c_id");
            }
        }
    }

    private void assignCarrier(Connection conn, int wId, int carrierId, int dId, int oId)
            throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, changeCarrier)) {
            stmt.setInt(1, carrierId);
            stmt.setInt(2, oId);
            stmt.setInt(3, dId);
            stmt.setInt(4, wId);
            stmt.executeUpdate();
        }
    }

    private void dateLines(Connection conn, int wId, int dId, int oId, Timestamp date)
            throws SQLException {
        try (PreparedStatement stmt =
                this.getPreparedStatement(conn, changeLines)) {
            stmt.setTimestamp(1, date);
            stmt.setInt(2, oId);
            stmt.setInt(3, dId);
            stmt.setInt(4, wId);
            stmt.executeUpdate();
        }
    }

    private BigDecimal totalOf(Connection conn, int wId, int dId, int oId)
            throws SQLException {
        try (PreparedStatement stmt =
                        this.getPreparedStatement(conn, sumLines, oId, dId, wId);
                ResultSet rs = stmt.executeQuery()) {
            rs.next();
            return rs.getBigDecimal("ol_total");
        }
    }

    private void credit(Connection conn, int wId, int dId, int cId,
            BigDecimal total) throws SQLException {
        try (PreparedStatement stmt =
                this.getPreparedStatement(conn, creditCustomer)) {
            stmt.setBigDecimal(1, total);
            stmt.setInt(2, wId);
            stmt.setInt(3, dId);
            stmt.setInt(4, cId);
            stmt.executeUpdate();
        }
    }
}
