package bank.dao;

import bank.model.BankException;
import bank.sql.Queries;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The table checking of SmallBank (Alomari et al., ICDE 2008). */
public class CheckingDao {

    private final Connection connection;

    public CheckingDao(Connection connection) {
        this.connection = connection;
    }

    public double balanceOf(long custId) throws SQLException {
        String sql = String.format(Queries.BALANCE_FORMAT, "checking");
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, custId);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    throw new BankException("No checking account for customer " + custId);
                }
                return rows.getDouble("bal");
            }
        }
    }

    public void add(long custId, double amount) throws SQLException {
        change(Queries.ADD_TO_CHECKING, custId, amount);
    }

    public void take(long custId, double amount) throws SQLException {
        change(Queries.TAKE_FROM_CHECKING, custId, amount);
    }

    public void clear(long custId) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "UPDATE checking SET bal = 0 WHERE custid = ?")) {
            statement.setLong(1, custId);
            statement.executeUpdate();
        }
    }

    public void move(long from, long to, double amount) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(Queries.ADD_TO_CHECKING)) {
            statement.setDouble(1, -amount);
            statement.setLong(2, from);
            statement.addBatch();
            statement.setDouble(1, amount);
            statement.setLong(2, to);
            statement.addBatch();
            statement.executeBatch();
        }
    }

    private void change(String sql, long custId, double amount) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setDouble(1, amount);
            statement.setLong(2, custId);
            statement.executeUpdate();
        }
    }
}
