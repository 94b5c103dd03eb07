package smallbank.benchbase;

import com.oltpbenchmark.api.Procedure;
import com.oltpbenchmark.api.SQLStmt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Amalgamate of SmallBank (Alomari et al., ICDE 2008): moves all money to another customer. */
public class Amalgamate extends Procedure {

    public final SQLStmt findAccount = new SQLStmt(
            "SELECT custid, name FROM accounts WHERE custid = ?");

    public final SQLStmt readSavings = new SQLStmt(
            "SELECT bal FROM savings WHERE custid = ?");

    public final SQLStmt readChecking = new SQLStmt(
            "SELECT bal FROM checking WHERE custid = ?");

    public final SQLStmt clearSavings = new SQLStmt(
            "UPDATE savings SET bal = 0 WHERE custid = ?");

    public final SQLStmt clearChecking = new SQLStmt(
            "UPDATE checking SET bal = 0 WHERE custid = ?");

    public final SQLStmt changeChecking = new SQLStmt(
            "UPDATE checking SET bal = bal + ? WHERE custid = ?");

    public void run(Connection conn, long custId0, long custId1) throws SQLException {
        try (PreparedStatement stmt0 = this.getPreparedStatement(conn, findAccount, custId0);
                ResultSet r0 = stmt0.executeQuery()) {
            if (!r0.next()) {
                throw new UserAbortException("Invalid account " + custId0);
            }
        }
        try (PreparedStatement stmt1 = this.getPreparedStatement(conn, findAccount, custId1);
                ResultSet r1 = stmt1.executeQuery()) {
            if (!r1.next()) {
                throw new UserAbortException("Invalid account " + custId1);
            }
        }

        double savings;
        try (PreparedStatement stmt = this.getPreparedStatement(conn, readSavings, custId0);
                ResultSet r = stmt.executeQuery()) {
            if (!r.next()) {
                throw new UserAbortException("No savings account for customer " + custId0);
            }
            savings = r.getDouble(1);
        }
        double checking;
        try (PreparedStatement stmt = this.getPreparedStatement(conn, readChecking, custId0);
                ResultSet r = stmt.executeQuery()) {
            if (!r.next()) {
                throw new UserAbortException("No checking account for customer " + custId0);
            }
            checking = r.getDouble(1);
        }
        double total = savings + checking;

        try (PreparedStatement stmt =
                this.getPreparedStatement(conn, clearSavings, custId0)) {
            stmt.executeUpdate();
        }
        try (PreparedStatement stmt =
                this.getPreparedStatement(conn, clearChecking, custId0)) {
            stmt.executeUpdate();
        }
        try (PreparedStatement stmt =
                this.getPreparedStatement(conn, changeChecking, total, custId1)) {
            stmt.executeUpdate();
        }
    }
}
