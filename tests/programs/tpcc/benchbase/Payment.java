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

/** The Payment transaction of TPC-C, revision 5.11, clause 2.5. */
public class Payment extends Procedure {

    public final SQLStmt selectWarehouse = new SQLStmt(
            """
            SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip
              FROM warehouse
             WHERE w_id = ?
            """);

    public final SQLStmt addToWarehouse = new SQLStmt(
            "UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?");

    public final SQLStmt selectDistrict = new SQLStmt(
            """
            SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip
              FROM district
             WHERE d_w_id = ?
               AND d_id = ?
            """);

    public final SQLStmt addToDistrict = new SQLStmt(
            "UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?");

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
            SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state,
                   c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount,
                   c_balance, c_ytd_payment, c_payment_cnt
              FROM customer
             WHERE c_w_id = ?
               AND c_d_id = ?
               AND c_id = ?
            """);

    public final SQLStmt selectData = new SQLStmt(
            "SELECT c_data FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");

    public final SQLStmt changeCustomerAndData = new SQLStmt(
            """
            UPDATE customer
               SET c_balance = ?, c_ytd_payment = ?, c_payment_cnt = ?, c_data = ?
             WHERE c_w_id = ?
               AND c_d_id = ?
               AND c_id = ?
            """);

    public final SQLStmt changeCustomer = new SQLStmt(
            """
            UPDATE customer
               SET c_balance = ?, c_ytd_payment = ?, c_payment_cnt = ?
             WHERE c_w_id = ?
               AND c_d_id = ?
               AND c_id = ?
            """);

    public final SQLStmt addHistory = new SQLStmt(
            """
            INSERT INTO history
             (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """);

    public BigDecimal run(Connection conn, int wId, int dId, int cWId, int cDId, int cId,
            String cLast, BigDecimal amount, Timestamp date) throws SQLException {
        String fromWarehouse = warehouseName(conn, wId);
        try (PreparedStatement stmt =
                this.getPreparedStatement(conn, addToWarehouse, amount, wId)) {
            stmt.executeUpdate();
        }
        String fromDistrict = districtName(conn, wId, dId);
        try (PreparedStatement stmt =
                this.getPreparedStatement(conn, addToDistrict, amount, wId, dId)) {
            stmt.executeUpdate();
        }

        int customerId = cId;
        if (cLast != null) {
            customerId = middleOf(conn, cWId, cDId, cLast);
        }
        Customer c = customerOf(conn, cWId, cDId, customerId);
        c.balance = c.balance.subtract(amount);
        c.ytdPayment = c.ytdPayment.add(amount);
        c.payments += 1;

        if (c.credit.equals("BC")) {
            String data = extendedData(conn, wId, dId, cWId, cDId, c, amount);
            storeWithData(conn, cWId, cDId, c, data);
        } else {
            store(conn, cWId, cDId, c);
        }
        String text = fromWarehouse + "    " + fromDistrict;
        writeHistory(conn, wId, dId, cWId, cDId, c, amount, text, date);
        return c.balance;
    }

    private String warehouseName(Connection conn, int wId) throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, selectWarehouse, wId);
                ResultSet rs = stmt.executeQuery()) {
            if (!rs.next()) {
                throw new UserAbortException("No warehouse " + wId);
            }
            return rs.getString("w_name");
        }
    }

    private String districtName(Connection conn, int wId, int dId) throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, selectDistrict, wId, dId);
                ResultSet rs = stmt.executeQuery()) {
            if (!rs.next()) {
                throw new UserAbortException("No district " + dId);
            }
            return rs.getString("d_name");
        }
    }

    private int middleOf(Connection conn, int cWId, int cDId, String cLast)
            throws SQLException {
        List<Integer> customers = new ArrayList<>();
        try (PreparedStatement stmt = this.getPreparedStatement(conn, selectIdsByName)) {
            stmt.setInt(1, cWId);
            stmt.setInt(2, cDId);
            stmt.setString(3, cLast);
            try (ResultSet rs = stmt.executeQuery()) {
                while (rs.next()) {
                    customers.add(rs.getInt("c_id"));
                }
            }
        }
        if (customers.isEmpty()) {
            throw new UserAbortException("No customer with the last name " + cLast);
        }
        int index = (customers.size() - 1) / 2;
        return customers.get(index);
    }

    private Customer customerOf(Connection conn, int cWId, int cDId, int cId)
            throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, selectCustomer)) {
            stmt.setInt(1, cWId);
            stmt.setInt(2, cDId);
            stmt.setInt(3, cId);
            try (ResultSet rs = stmt.executeQuery()) {
                if (!rs.next()) {
                    throw new UserAbortException("No customer " + cId);
                }
                Customer c = new Customer();
                c.id = cId;
                c.credit = rs.getString("c_credit");
                c.balance = rs.getBigDecimal("c_balance");
                c.ytdPayment = rs.getBigDecimal("c_ytd_payment");
                c.payments = rs.getInt("c_payment_cnt");
                return c;
            }
        }
    }

    private String extendedData(Connection conn, int wId, int dId, int cWId, int cDId, Customer c,
            BigDecimal amount) throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, selectData)) {
            stmt.setInt(1, cWId);
            stmt.setInt(2, cDId);
            stmt.setInt(3, c.id);
            try (ResultSet rs = stmt.executeQuery()) {
                rs.next();
                String data = rs.getString("c_data");
                data = c.id + " " + cDId + " " + cWId + " " + dId + " " + wId + " " + amount
                        + " | " + data;
                if (data.length() > 500) {
                    data = data.substring(0, 500);
                }
                return data;
            }
        }
    }

    private void storeWithData(Connection conn, int cWId, int cDId, Customer c, String data)
            throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, changeCustomerAndData)) {
            stmt.setBigDecimal(1, c.balance);
            stmt.setBigDecimal(2, c.ytdPayment);
            stmt.setInt(3, c.payments);
            stmt.setString(4, data);
            stmt.setInt(5, cWId);
            stmt.setInt(6, cDId);
            stmt.setInt(7, c.id);
            stmt.executeUpdate();
        }
    }

    private void store(Connection conn, int cWId, int cDId, Customer c)
            throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, changeCustomer)) {
            stmt.setBigDecimal(1, c.balance);
            stmt.setBigDecimal(2, c.ytdPayment);
            stmt.setInt(3, c.payments);
            stmt.setInt(4, cWId);
            stmt.setInt(5, cDId);
            stmt.setInt(6, c.id);
            stmt.executeUpdate();
        }
    }

    private void writeHistory(Connection conn, int wId, int dId, int cWId, int cDId, Customer c,
            BigDecimal amount, String text, Timestamp date) throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, addHistory)) {
            stmt.setInt(1, cDId);
            stmt.setInt(2, cWId);
            stmt.setInt(3, c.id);
            stmt.setInt(4, dId);
            stmt.setInt(5, wId);
            stmt.setTimestamp(6, date);
            stmt.setBigDecimal(7, amount);
            stmt.setString(8, text);
            stmt.executeUpdate();
        }
    }

    private static final class Customer {
        private int id;
        private String credit;
        private BigDecimal balance;
        private BigDecimal ytdPayment;
        private int payments;
    }
}
