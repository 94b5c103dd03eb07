package bank.dao;

import bank.model.Account;
import bank.sql.Queries;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** The table accounts of SmallBank (Alomari et al., ICDE 2008). */
public class AccountDao {

    private final Connection connection;

    public AccountDao(Connection connection) {
        this.connection = connection;
    }

    public Optional<Account> findByName(String name) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(Queries.ACCOUNT_BY_NAME)) {
            statement.setString(1, name);
            return single(statement);
        }
    }

    public Optional<Account> findById(long custId) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(Queries.ACCOUNT_BY_ID)) {
            statement.setLong(1, custId);
            return single(statement);
        }
    }

    private static Optional<Account> single(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            if (!rows.next()) {
                return Optional.empty();
            }
            return Optional.of(new Account(rows.getLong("custid"), rows.getString("name")));
        }
    }
}
