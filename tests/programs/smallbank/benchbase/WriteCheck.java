package smallbank.benchbase;

import com.oltpbenchmark.api.Procedure;
import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** WriteCheck of SmallBank (Alomari et al., ICDE 2008): overdrawing costs a penalty of 1. */
public class WriteCheck extends Procedure {

    public final SQLStmt findAccount = new SQLStmt(
            "SELECT custid, name FROM accounts WHERE name = ?");

    public final SQLStmt readSavings = new SQLStmt(
            "SELECT bal FROM savings WHERE custid = ?");

    public final SQLStmt readChecking = new SQLStmt(
            "SELECT bal FROM checking WHERE custid = ?");

    public final SQLStmt changeChecking = new SQLStmt(
            "UPDATE checking SET bal = bal - ? WHERE custid = ?");

    public void run(Connection conn, String custName, double amount) throws SQLException {
        long custId;
        try (PreparedStatement stmt = this.getPreparedStatement(conn, findAccount, custName);
                ResultSet r = stmt.executeQuery()) {
            if (!r.next()) {
                throw new UserAbortException("Invalid account '" + custName + "'");
            }
            custId = r.getLong(1);
        }

        double savings;
        try (PreparedStatement stmt = this.getPreparedStatement(conn, readSavings, custId);
                ResultSet r = stmt.executeQuery()) {
            if (!r.next()) {
                throw new UserAbortException("No savings account for customer " + custId);
            }
            savings = r.getDouble(1);
        }

        double total;
        try (PreparedStatement stmt = this.getPreparedStatement(conn, readChecking, custId);
                ResultSet r = stmt.executeQuery()) {
            if (!r.next()) {
                throw new UserAbortException("No checking account for customer " + custId);
            }
            total = savings + r.getDouble(1);
        }

        if (total < amount) {
            updateChecking(conn, custId, amount + 1);
        } else {
            updateChecking(conn, custId, amount);
        }
    }

    private void updateChecking(Connection conn, long custId, double amount) throws SQLException {
        try (PreparedStatement stmt =
                this.getPreparedStatement(conn, changeChecking, amount, custId)) {
            stmt.executeUpdate();
        }
    }
}
