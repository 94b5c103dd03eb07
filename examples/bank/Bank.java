import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** What customers of a bank do. Each method is one transaction. */
public final class Bank {
    private final Connection connection;

    public Bank(Connection connection) throws SQLException {
        this.connection = connection;
        connection.setAutoCommit(false);
    }

    /** Pays cash out, unless there is too little on the account. */
    public boolean withdraw(int account, BigDecimal amount) throws SQLException {
        BigDecimal balance;
        try (PreparedStatement read = connection.prepareStatement(
                "SELECT balance FROM account WHERE id = ?")) {
            read.setInt(1, account);
            try (ResultSet rows = read.executeQuery()) {
                if (!rows.next()) {
                    connection.rollback();
                    return false;
                }
                balance = rows.getBigDecimal("balance");
            }
        }
        if (balance.compareTo(amount) < 0) {
            connection.rollback();
            return false;
        }
        try (PreparedStatement write = connection.prepareStatement(
                "UPDATE account SET balance = ? WHERE id = ?")) {
            write.setBigDecimal(1, balance.subtract(amount));
            write.setInt(2, account);
            write.executeUpdate();
        }
        connection.commit();
        return true;
    }

    /** Puts cash on the account. */
    public void deposit(int account, BigDecimal amount) throws SQLException {
        try (PreparedStatement write = connection.prepareStatement(
                "UPDATE account SET balance = balance + ? WHERE id = ?")) {
            write.setBigDecimal(1, amount);
            write.setInt(2, account);
            write.executeUpdate();
        }
        connection.commit();
    }
}
