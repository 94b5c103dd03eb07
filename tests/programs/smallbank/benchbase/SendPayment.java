package smallbank.benchbase;

import com.oltpbenchmark.api.Procedure;
import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** SendPayment, which OLTP-Bench adds to SmallBank (Alomari et al., ICDE 2008). */
public class SendPayment extends Procedure {

    public final SQLStmt findAccount = new SQLStmt(
            "SELECT custid, name FROM accounts WHERE custid = ?");

    public final SQLStmt readChecking = new SQLStmt(
            "SELECT bal FROM checking WHERE custid = ?");

    public final SQLStmt changeChecking = new SQLStmt(
            "UPDATE checking SET bal = bal + ? WHERE custid = ?");

    public void run(Connection conn, long sendAcct, long destAcct, double amount)
            throws SQLException {
        checkAccount(conn, sendAcct);
        checkAccount(conn, destAcct);

        try (PreparedStatement stmt = this.getPreparedStatement(conn, readChecking, sendAcct);
                ResultSet r = stmt.executeQuery()) {
            if (!r.next()) {
                throw new UserAbortException("No checking account for customer " + sendAcct);
            }
            double balance = r.getDouble(1);
            if (balance < amount) {
                throw new UserAbortException("Insufficient funds of customer " + sendAcct);
            }
        }

        try (PreparedStatement debit =
                this.getPreparedStatement(conn, changeChecking, amount * -1d, sendAcct)) {
            debit.executeUpdate();
        }
        try (PreparedStatement credit =
                this.getPreparedStatement(conn, changeChecking, amount, destAcct)) {
            credit.executeUpdate();
        }
    }

    private void checkAccount(Connection conn, long custId) throws SQLException {
        try (PreparedStatement stmt = this.getPreparedStatement(conn, findAccount, custId);
                ResultSet r = stmt.executeQuery()) {
            if (!r.next()) {
                throw new UserAbortException("Invalid account " + custId);
            }
        }
    }
}
