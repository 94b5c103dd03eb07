package tpcc.benchbase;

import com.oltpbenchmark.api.Procedure;
import com.oltpbenchmark.api.SQLStmt;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;

/** The New-Order transaction of TPC-C, revision 5.11, clause 2.4. */
public class NewOrder extends Procedure {

    public final SQLStmt selectCustomer = new SQLStmt(
            """
            SELECT c_discount, c_last, c_credit
              FROM customer
             WHERE c_w_id = ?
               AND c_d_id = ?
               AND c_id = ?
            """);

    public final SQLStmt selectWarehouse = new SQLStmt(
            "SELECT w_tax FROM warehouse WHERE w_id = ?");

    public final SQLStmt selectDistrict = new SQLStmt(
            """
            SELECT d_next_o_id, d_tax
              FROM district
             WHERE d_w_id = ? AND d_id = ?
            """);

    public final SQLStmt advanceDistrict = new SQLStmt(
            """
            UPDATE district
               SET d_next_o_id = d_next_o_id + 1
             WHERE d_w_id = ?
               AND d_id = ?
            """);

    public final SQLStmt addOrder = new SQLStmt(
            """
            INSERT INTO orders
             (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
             VALUES (?, ?, ?, ?, ?, ?, ?)
            """);

    public final SQLStmt addNewOrder = new SQLStmt(
            """
            INSERT INTO new_order
             (no_o_id, no_d_id, no_w_id)
             VALUES (?, ?, ?)
            """);

    public final SQLStmt selectItem = new SQLStmt(
            "SELECT i_price, i_name, i_data FROM item WHERE i_id = ?");

    public final SQLStmt selectStock = new SQLStmt(
            """
            SELECT s_quantity, s_data, s_dist_01, s_dist_02, s_dist_03, s_dist_04,
                   s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10
              FROM stock
             WHERE s_i_id = ?
               AND s_w_id = ?
            """);

    public final SQLStmt changeStock = new SQLStmt(
            """
            UPDATE stock
               SET s_quantity = ?,
                   s_ytd = s_ytd + ?,
                   s_order_cnt = s_order_cnt + 1,
                   s_remote_cnt = s_remote_cnt + ?
             WHERE s_i_id = ?
               AND s_w_id = ?
            """);

    public final SQLStmt addOrderLine = new SQLStmt(
            """
            INSERT INTO order_line
             (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id,
              ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """);

    public String run(Connection conn, int wId, int dId, int cId, int[] itemIds,
            int[] supplyWIds, int[] quantities, Timestamp entryDate) throws SQLException {
        BigDecimal discount = discountOf(conn, wId, dId, cId);
        BigDecimal warehouseTax = taxOf(conn, wId);

        int oId;
        BigDecimal districtTax;
        try (PreparedStatement stmt = this.getPreparedStatement(conn, selectDistrict)) {
            stmt.setInt(1, wId);
            stmt.setInt(2, dId);
            try (ResultSet rs = stmt.executeQuery()) {
                rs.next();
                oId = rs.getInt("d_next_o_id");
                districtTax = rs.getBigDecimal("d_tax");
            }
        }

        advance(conn, wId, dId);

        int allLocal = 1;
        for (int supplyWId : supplyWIds) {
            if (supplyWId != wId) {
                allLocal = 0;
            }
        }
        writeOrder(conn, wId, dId, cId, entryDate, itemIds.length, allLocal, oId);
        writeNewOrder(conn, wId, dId, oId);

        BigDecimal total = BigDecimal.ZERO;
        StringBuilder brandGeneric = new StringBuilder();
        try (PreparedStatement stockUpdate =
                        this.getPreparedStatement(conn, changeStock);
                PreparedStatement lineInsert =
                        this.getPreparedStatement(conn, addOrderLine)) {
            for (int number = 1; number <= itemIds.length; number++) {
                int itemId = itemIds[number - 1];
                int lineWId = supplyWIds[number - 1];
                int quantity = quantities[number - 1];

                BigDecimal price;
                String itemData;
                try (PreparedStatement stmt =
                                this.getPreparedStatement(conn, selectItem, itemId);
                        ResultSet rs = stmt.executeQuery()) {
                    if (!rs.next()) {
                        throw new UserAbortException("Item number is not valid");
                    }
                    price = rs.getBigDecimal("i_price");
                    itemData = rs.getString("i_data");
                }

                Stock s = stockOf(conn, lineWId, itemId, dId);
                if (s.quantity >= quantity + 10) {
                    s.quantity -= quantity;
                } else {
                    s.quantity = s.quantity - quantity + 91;
                }

                int remote;
                if (lineWId != wId) {
                    remote = 1;
                } else {
                    remote = 0;
                }
                stockUpdate.setInt(1, s.quantity);
                stockUpdate.setInt(2, quantity);
                stockUpdate.setInt(3, remote);
                stockUpdate.setInt(4, itemId);
                stockUpdate.setInt(5, lineWId);
                stockUpdate.executeUpdate();

                BigDecimal lineAmount = price.multiply(BigDecimal.valueOf(quantity));
                total = total.add(lineAmount);
                if (itemData.contains("ORIGINAL") && s.data.contains("ORIGINAL")) {
                    brandGeneric.append('B');
                } else {
                    brandGeneric.append('G');
                }

                int idx = 1;
                lineInsert.setInt(idx++, oId);
                lineInsert.setInt(idx++, dId);
                lineInsert.setInt(idx++, wId);
                lineInsert.setInt(idx++, number);
                lineInsert.setInt(idx++, itemId);
                lineInsert.setInt(idx++, lineWId);
                lineInsert.setInt(idx++, quantity);
                lineInsert.setBigDecimal(idx++, lineAmount);
                lineInsert.setString(idx, s.distInfo);
                lineInsert.executeUpdate();
            }
        }

        BigDecimal tax = BigDecimal.ONE.add(warehouseTax).add(districtTax);
        total = total.multiply(tax).multiply(BigDecimal.ONE.subtract(discount))
                .setScale(2, RoundingMode.HALF_UP);
        return "order " + oId + " total " + total + " " + brandGeneric;
    }

    private BigDecimal discountOf(Connection conn, int wId, int dId, int cId)
            throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, selectCustomer)) {
            stmt.setInt(1, wId);
            stmt.setInt(2, dId);
            stmt.setInt(3, cId);
            try (ResultSet rs = stmt.executeQuery()) {
                if (!rs.next()) {
                    throw new UserAbortException("No customer " + cId);
                }
                return rs.getBigDecimal("c_discount");
            }
        }
    }

    private BigDecimal taxOf(Connection conn, int wId) throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, selectWarehouse, wId);
                ResultSet rs = stmt.executeQuery()) {
            rs.next();
            return rs.getBigDecimal("w_tax");
        }
    }

    private void advance(Connection conn, int wId, int dId) throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, advanceDistrict)) {
            stmt.setInt(1, wId);
            stmt.setInt(2, dId);
            stmt.executeUpdate();
        }
    }

    private void writeOrder(Connection conn, int wId, int dId, int cId, Timestamp entryDate,
            int olCnt, int allLocal, int oId) throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, addOrder)) {
            stmt.setInt(1, oId);
            stmt.setInt(2, dId);
            stmt.setInt(3, wId);
            stmt.setInt(4, cId);
            stmt.setTimestamp(5, entryDate);
            stmt.setInt(6, olCnt);
            stmt.setInt(7, allLocal);
            stmt.executeUpdate();
        }
    }

    private void writeNewOrder(Connection conn, int wId, int dId, int oId) throws SQLException {
        try (PreparedStatement stmt =
                this.getPreparedStatement(conn, addNewOrder, oId, dId, wId)) {
            stmt.executeUpdate();
        }
    }

    private Stock stockOf(Connection conn, int supplyWId, int itemId, int dId)
            throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, selectStock)) {
            stmt.setInt(1, itemId);
            stmt.setInt(2, supplyWId);
            try (ResultSet rs = stmt.executeQuery()) {
                if (!rs.next()) {
                    throw new UserAbortException("No stock of item " + itemId);
                }
                Stock s = new Stock();
                s.quantity = rs.getInt("s_quantity");
                s.data = rs.getString("s_data");
                s.distInfo = districtInfo(rs, dId);
                return s;
            }
        }
    }

    private static String districtInfo(ResultSet rs, int dId) throws SQLException {
        return switch (dId) {
            case 1 -> rs.getString("s_dist_01");
            case 2 -> rs.getString("s_dist_02");
            case 3 -> rs.getString("s_dist_03");
            case 4 -> rs.getString("s_dist_04");
            case 5 -> rs.getString("s_dist_05");
            case 6 -> rs.getString("s_dist_06");
            case 7 -> rs.getString("s_dist_07");
            case 8 -> rs.getString("s_dist_08");
            case 9 -> rs.getString("s_dist_09");
            default -> rs.getString("s_dist_10");
        };
    }

    private static final class Stock {
        private int quantity;
        private String data;
        private String distInfo;
    }
}
