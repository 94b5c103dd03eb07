package smallbank.benchbase;

import com.oltpbenchmark.api.Procedure;
import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** TransactSavings of SmallBank (Alomari et al., ICDE 2008). */
public class TransactSavings extends Procedure {

    public final SQLStmt findAccount = new SQLStmt(
            "SELECT custid, name FROM accounts WHERE name = ?");

    public final SQLStmt readSavings = new SQLStmt(
            "SELECT bal FROM savings WHERE custid = ?");

    public final SQLStmt changeSavings = new SQLStmt(
            "UPDATE savings SET bal = bal + ? WHERE custid = ?");

    public void run(Connection conn, String custName, double amount) throws SQLException {
        long custId = getCustomerId(conn, custName);
        double balance = getBalance(conn, custId) + amount;
        if (balance < 0) {
            throw new UserAbortException("Negative savings balance for customer " + custId);
        }
        updateBalance(conn, custId, amount);
    }

    private long getCustomerId(Connection conn, String custName) throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, findAccount)) {
            stmt.setString(1, custName);
            try (ResultSet r = stmt.executeQuery()) {
                if (!r.next()) {
                    throw new UserAbortException("Invalid account '" + custName + "'");
                }
                return r.getLong(1);
            }
        }
    }

    private double getBalance(Connection conn, long custId) throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, readSavings)) {
            stmt.setLong(1, custId);
            try (ResultSet r = stmt.executeQuery()) {
                if (!r.next()) {
                    throw new UserAbortException("No savings account for customer " + custId);
                }
                return r.getDouble(1);
            }
        }
    }

    private void updateBalance(Connection conn, long custId, double amount) throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, changeSavings)) {
            stmt.setDouble(1, amount);
            stmt.setLong(2, custId);
            stmt.executeUpdate();
        }
    }
}
