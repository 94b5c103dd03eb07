package tpcc.benchbase;

import com.oltpbenchmark.api.Procedure;
import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The Stock-Level transaction of TPC-C, revision 5.11, clause 2.8. */
public class StockLevel extends Procedure {

    public final SQLStmt selectNextOrder = new SQLStmt(
            """
            SELECT d_next_o_id
              FROM district
             WHERE d_w_id = ?
               AND d_id = ?
            """);

    public final SQLStmt countLowStock = new SQLStmt(
            """
            SELECT COUNT(DISTINCT s_i_id) AS stock_count
              FROM order_line, stock
             WHERE ol_w_id = ?
               AND ol_d_id = ?
               AND ol_o_id < ?
               AND ol_o_id >= ?
               AND s_w_id = ?
               AND s_i_id = ol_i_id
               AND s_quantity < ?
            """);

    public int run(Connection conn, int wId, int dId, int threshold) throws SQLException {
        int oId = nextOrderOf(conn, wId, dId);
        return countBelow(conn, wId, threshold, dId, oId);
    }

    private int nextOrderOf(Connection conn, int wId, int dId) throws SQLException {
        try (PreparedStatement stmt =
                this.getPreparedStatement(conn, selectNextOrder, wId, dId)) {
            try (ResultSet rs = stmt.executeQuery()) {
                if (!rs.next()) {
                    throw new UserAbortException("No district " + dId);
                }
                return rs.getInt("d_next_o_id");
            }
        }
    }

    private int countBelow(Connection conn, int wId, int threshold, int dId, int oId)
            throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, countLowStock)) {
            stmt.setInt(1, wId);
            stmt.setInt(2, dId);
            stmt.setInt(3, oId);
            stmt.setInt(4, oId - 20);
            stmt.setInt(5, wId);
            stmt.setInt(6, threshold);
            try (ResultSet rs = stmt.executeQuery()) {
                rs.next();
                return rs.getInt("stock_count");
            }
        }
    }
}
