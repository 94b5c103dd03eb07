package bank.dao;

import bank.model.BankException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The table savings of SmallBank (Alomari et al., ICDE 2008). */
public class SavingsDao {

    private static final String TABLE = "savings";

    private final Connection connection;

    public SavingsDao(Connection connection) {
        this.connection = connection;
    }

    public double balanceOf(long custId) throws SQLException {
        String sql = "SELECT bal FROM " + TABLE + " WHERE custid = " + custId;
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            if (!rows.next()) {
                throw new BankException("No savings account for customer " + custId);
            }
            return rows.getDouble("bal");
        }
    }

    public void add(long custId, double amount) throws SQLException {
        StringBuilder sql = new StringBuilder("UPDATE ");
        sql.append(TABLE);
        sql.append(" SET bal = bal + ?");
        sql.append(" WHERE custid = ?");
        try (PreparedStatement statement = connection.prepareStatement(sql.toString())) {
            statement.setDouble(1, amount);
            statement.setLong(2, custId);
            statement.executeUpdate();
        }
    }

    public void clear(long custId) throws SQLException {
        String sql = String.format("UPDATE %s SET bal = 0 WHERE custid = ?", TABLE);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, custId);
            statement.executeUpdate();
        }
    }
}
