package smallbank.benchbase;

import com.oltpbenchmark.api.Procedure;
import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** DepositChecking of SmallBank (Alomari et al., ICDE 2008). */
public class DepositChecking extends Procedure {

    public final SQLStmt findAccount = new SQLStmt(
            "SELECT custid, name FROM accounts WHERE name = ?");

    public final SQLStmt changeChecking = new SQLStmt(
            "UPDATE checking SET bal = bal + ? WHERE custid = ?");

    public void run(Connection conn, String custName, double amount) throws SQLException {
        if (amount < 0) {
            throw new UserAbortException("Cannot deposit " + amount);
        }

        long custId;
        try (PreparedStatement stmt = this.getPreparedStatement(conn, findAccount, custName)) {
            try (ResultSet r = stmt.executeQuery()) {
                if (!r.next()) {
                    throw new UserAbortException("Invalid account '" + custName + "'");
                }
                custId = r.getLong(1);
            }
        }

        try (PreparedStatement stmt =
                this.getPreparedStatement(conn, changeChecking, amount, custId)) {
            stmt.executeUpdate();
        }
    }
}
