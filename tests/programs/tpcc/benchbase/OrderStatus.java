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

/** The Order-Status transaction of TPC-C, revision 5.11, clause 2.6. */
public class OrderStatus extends Procedure {

    public final SQLStmt selectIdsByName = new SQLStmt(
            """
            SELECT c_id
              FROM customer
             WHERE c_w_id = ?
               AND c_d_id = ?
               AND c_last = ?
             ORDER BY c_first
            """);

    public final SQLStmt selectCustomer = new SQLStmt(
            """
            SELECT c_first, c_middle, c_last, c_balance
              FROM customer
             WHERE c_w_id = ?
               AND c_d_id = ?
               AND c_id = ?
            """);

    public final SQLStmt selectNewestOrder = new SQLStmt(
            """
            SELECT o_id, o_entry_d, o_carrier_id
              FROM orders
             WHERE o_w_id = ?
               AND o_d_id = ?
               AND o_c_id = ?
             ORDER BY o_id DESC
             LIMIT 1
            """);

    public final SQLStmt selectLines = new SQLStmt(
            """
            SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
              FROM order_line
             WHERE ol_w_id = ?
               AND ol_d_id = ?
               AND ol_o_id = ?
             ORDER BY ol_number
            """);

    public List<String> run(Connection conn, int wId, int dId, int cId, String cLast)
            throws SQLException {
        int customerId = cId;
        if (cLast != null) {
            customerId = middleOf(conn, wId, dId, cLast);
        }

        List<String> report = new ArrayList<>();
        try (PreparedStatement stmt = this.getPreparedStatement(conn, selectCustomer)) {
            stmt.setInt(1, wId);
            stmt.setInt(2, dId);
            stmt.setInt(3, customerId);
            try (ResultSet rs = stmt.executeQuery()) {
                if (!rs.next()) {
                    throw new UserAbortException("No customer " + customerId);
                }
                BigDecimal balance = rs.getBigDecimal("c_balance");
                report.add(rs.getString("c_first") + " " + rs.getString("c_last") + " "
                        + balance);
            }
        }

        LastOrder o = newestOrder(conn, wId, dId, customerId);
        report.add("order " + o.id + " carrier " + o.carrierId);
        describeLines(conn, wId, dId, o.id, report);
        return report;
    }

    private int middleOf(Connection conn, int wId, int dId, String cLast)
            throws SQLException {
        List<Integer> customers = new ArrayList<>();
        try (PreparedStatement stmt =
                        this.getPreparedStatement(conn, selectIdsByName, wId, dId, cLast);
                ResultSet rs = stmt.executeQuery()) {
            while (rs.next()) {
                customers.add(rs.getInt("c_id"));
            }
        }
        if (customers.isEmpty()) {
            throw new UserAbortException("No customer with the last name " + cLast);
        }
        return customers.get((customers.size() - 1) / 2);
    }

    private LastOrder newestOrder(Connection conn, int wId, int dId, int cId)
            throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, selectNewestOrder)) {
            stmt.setInt(1, wId);
            stmt.setInt(2, dId);
            stmt.setInt(3, cId);
            try (ResultSet rs = stmt.executeQuery()) {
                if (!rs.next()) {
                    throw new UserAbortException("No orders of customer " + cId);
                }
                LastOrder o = new LastOrder();
                o.id = rs.getInt("o_id");
                o.carrierId = rs.getInt("o_carrier_id");
                if (rs.wasNull()) {
                    o.carrierId = -1;
                }
                return o;
            }
        }
    }

    private void describeLines(Connection conn, int wId, int dId, int oId, List<String> report)
            throws SQLException {
        try (PreparedStatement stmt =
                        this.getPreparedStatement(conn, selectLines, wId, dId, oId);
                ResultSet rs = stmt.executeQuery()) {
            while (rs.next()) {
                StringBuilder sb = new StringBuilder();
                sb.append(rs.getInt("ol_i_id")).append(' ');
                sb.append(rs.getInt("ol_supply_w_id")).append(' ');
                sb.append(rs.getInt("ol_quantity")).append(' ');
                sb.append(rs.getBigDecimal("ol_amount")).append(' ');
                Timestamp delivered = rs.getTimestamp("ol_delivery_d");
                if (delivered == null) {
                    sb.append("open");
                } else {
                    sb.append(delivered);
                }
                report.add(sb.toString());
            }
        }
    }

    private static final class LastOrder {
        private int id;
        private int carrierId;
    }
}
