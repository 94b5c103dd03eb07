package smallbank.benchbase;

import com.oltpbenchmark.api.Procedure;
import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Balance of SmallBank (Alomari et al., ICDE 2008): the total of a customer's two accounts. */
public class Balance extends Procedure {

    public final SQLStmt findAccount = new SQLStmt(
            "SELECT custid, name FROM accounts WHERE name = ?");

    public final SQLStmt readSavings = new SQLStmt(
            "SELECT bal FROM savings WHERE custid = ?");

    public final SQLStmt readChecking = new SQLStmt(
            "SELECT bal FROM checking WHERE custid = ?");

    public double run(Connection conn, String custName) throws SQLException {
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

        double checking;
        try (PreparedStatement stmt = this.getPreparedStatement(conn, readChecking, custId);
                ResultSet r = stmt.executeQuery()) {
            if (!r.next()) {
                throw new UserAbortException("No checking account for customer " + custId);
            }
            checking = r.getDouble(1);
        }
        return savings + checking;
    }
}
