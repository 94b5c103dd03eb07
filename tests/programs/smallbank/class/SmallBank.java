import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** SmallBank (Alomari et al., ICDE 2008), with the sendPayment that OLTP-Bench adds. */
public class SmallBank {

    private Connection connection;

    public SmallBank(Connection connection) {
        this.connection = connection;
    }

    public double balance(String custName) throws SQLException {
        long custId;
        PreparedStatement account = connection.prepareStatement(
                "SELECT custid, name FROM accounts WHERE name = ?");
        account.setString(1, custName);
        ResultSet rs = account.executeQuery();
        if (!rs.next()) {
            throw new SQLException("Invalid account '" + custName + "'");
        }
        custId = rs.getLong("custid");

        PreparedStatement savings = connection.prepareStatement(
                "SELECT bal FROM savings WHERE custid = ?");
        savings.setLong(1, custId);
        ResultSet savingsRow = savings.executeQuery();
        if (!savingsRow.next()) {
            throw new SQLException("No savings account for customer " + custId);
        }
        double savingsBalance = savingsRow.getDouble("bal");

        PreparedStatement checking = connection.prepareStatement(
                "SELECT bal FROM checking WHERE custid = ?");
        checking.setLong(1, custId);
        ResultSet checkingRow = checking.executeQuery();
        if (!checkingRow.next()) {
            throw new SQLException("No checking account for customer " + custId);
        }
        double checkingBalance = checkingRow.getDouble("bal");

        return savingsBalance + checkingBalance;
    }

    public void depositChecking(String custName, double amount) throws SQLException {
        if (amount < 0) {
            throw new SQLException("Cannot deposit " + amount);
        }

        PreparedStatement account = connection.prepareStatement(
                "SELECT custid, name FROM accounts WHERE name = ?");
        account.setString(1, custName);
        ResultSet rs = account.executeQuery();
        if (!rs.next()) {
            throw new SQLException("Invalid account '" + custName + "'");
        }
        long custId = rs.getLong("custid");

        PreparedStatement update = connection.prepareStatement(
                "UPDATE checking SET bal = bal + ? WHERE custid = ?");
        update.setDouble(1, amount);
        update.setLong(2, custId);
        update.executeUpdate();
    }

    public void transactSavings(String custName, double amount) throws SQLException {
        PreparedStatement account = connection.prepareStatement(
                "SELECT custid, name FROM accounts WHERE name = ?");
        account.setString(1, custName);
        ResultSet rs = account.executeQuery();
        if (!rs.next()) {
            throw new SQLException("Invalid account '" + custName + "'");
        }
        long custId = rs.getLong("custid");

        PreparedStatement savings = connection.prepareStatement(
                "SELECT bal FROM savings WHERE custid = ?");
        savings.setLong(1, custId);
        ResultSet savingsRow = savings.executeQuery();
        if (!savingsRow.next()) {
            throw new SQLException("No savings account for customer " + custId);
        }
        double balance = savingsRow.getDouble("bal") + amount;
        if (balance < 0) {
            throw new SQLException("Negative savings balance for customer " + custId);
        }

        PreparedStatement update = connection.prepareStatement(
                "UPDATE savings SET bal = bal + ? WHERE custid = ?");
        update.setDouble(1, amount);
        update.setLong(2, custId);
        update.executeUpdate();
    }

    public void amalgamate(long custId0, long custId1) throws SQLException {
        PreparedStatement account = connection.prepareStatement(
                "SELECT custid, name FROM accounts WHERE custid = ?");
        account.setLong(1, custId0);
        ResultSet first = account.executeQuery();
        if (!first.next()) {
            throw new SQLException("Invalid account " + custId0);
        }
        account.setLong(1, custId1);
        ResultSet second = account.executeQuery();
        if (!second.next()) {
            throw new SQLException("Invalid account " + custId1);
        }

        PreparedStatement savings = connection.prepareStatement(
                "SELECT bal FROM savings WHERE custid = ?");
        savings.setLong(1, custId0);
        ResultSet savingsRow = savings.executeQuery();
        if (!savingsRow.next()) {
            throw new SQLException("No savings account for customer " + custId0);
        }
        double total = savingsRow.getDouble("bal");

        PreparedStatement checking = connection.prepareStatement(
                "SELECT bal FROM checking WHERE custid = ?");
        checking.setLong(1, custId0);
        ResultSet checkingRow = checking.executeQuery();
        if (!checkingRow.next()) {
            throw new SQLException("No checking account for customer " + custId0);
        }
        total += checkingRow.getDouble("bal");

        PreparedStatement zeroSavings = connection.prepareStatement(
                "UPDATE savings SET bal = 0 WHERE custid = ?");
        zeroSavings.setLong(1, custId0);
        zeroSavings.executeUpdate();

        PreparedStatement zeroChecking = connection.prepareStatement(
                "UPDATE checking SET bal = 0 WHERE custid = ?");
        zeroChecking.setLong(1, custId0);
        zeroChecking.executeUpdate();

        PreparedStatement add = connection.prepareStatement(
                "UPDATE checking SET bal = bal + ? WHERE custid = ?");
        add.setDouble(1, total);
        add.setLong(2, custId1);
        add.executeUpdate();
    }

    public void writeCheck(String custName, double amount) throws SQLException {
        PreparedStatement account = connection.prepareStatement(
                "SELECT custid, name FROM accounts WHERE name = ?");
        account.setString(1, custName);
        ResultSet rs = account.executeQuery();
        if (!rs.next()) {
            throw new SQLException("Invalid account '" + custName + "'");
        }
        long custId = rs.getLong("custid");

        PreparedStatement savings = connection.prepareStatement(
                "SELECT bal FROM savings WHERE custid = ?");
        savings.setLong(1, custId);
        ResultSet savingsRow = savings.executeQuery();
        if (!savingsRow.next()) {
            throw new SQLException("No savings account for customer " + custId);
        }
        double savingsBalance = savingsRow.getDouble("bal");

        PreparedStatement checking = connection.prepareStatement(
                "SELECT bal FROM checking WHERE custid = ?");
        checking.setLong(1, custId);
        ResultSet checkingRow = checking.executeQuery();
        if (!checkingRow.next()) {
            throw new SQLException("No checking account for customer " + custId);
        }
        double total = savingsBalance + checkingRow.getDouble("bal");

        PreparedStatement update = connection.prepareStatement(
                "UPDATE checking SET bal = bal - ? WHERE custid = ?");
        if (total < amount) {
            update.setDouble(1, amount + 1);
        } else {
            update.setDouble(1, amount);
        }
        update.setLong(2, custId);
        update.executeUpdate();
    }

    public void sendPayment(long sendAcct, long destAcct, double amount) throws SQLException {
        PreparedStatement account = connection.prepareStatement(
                "SELECT custid, name FROM accounts WHERE custid = ?");
        account.setLong(1, sendAcct);
        ResultSet sender = account.executeQuery();
        if (!sender.next()) {
            throw new SQLException("Invalid account " + sendAcct);
        }
        account.setLong(1, destAcct);
        ResultSet receiver = account.executeQuery();
        if (!receiver.next()) {
            throw new SQLException("Invalid account " + destAcct);
        }

        PreparedStatement checking = connection.prepareStatement(
                "SELECT bal FROM checking WHERE custid = ?");
        checking.setLong(1, sendAcct);
        ResultSet checkingRow = checking.executeQuery();
        if (!checkingRow.next()) {
            throw new SQLException("No checking account for customer " + sendAcct);
        }
        double balance = checkingRow.getDouble("bal");
        if (balance < amount) {
            throw new SQLException("Insufficient funds of customer " + sendAcct);
        }

        PreparedStatement update = connection.prepareStatement(
                "UPDATE checking SET bal = bal + ? WHERE custid = ?");
        update.setDouble(1, -amount);
        update.setLong(2, sendAcct);
        update.executeUpdate();
        update.setDouble(1, amount);
        update.setLong(2, destAcct);
        update.executeUpdate();
    }
}
