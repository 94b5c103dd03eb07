package wholesale.dao;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import wholesale.model.Customer;
import wholesale.model.CustomerName;
import wholesale.model.WholesaleException;
import wholesale.sql.CustomerSql;

/** The tables customer and history of TPC-C, revision 5.11. */
public class CustomerDao {

    public BigDecimal discount(Connection connection, int wId, int dId, int cId)
            throws SQLException {
        String sql = String.format(CustomerSql.SELECT_FORMAT, CustomerSql.CREDIT_COLUMNS);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            setKey(statement, 1, wId, dId, cId);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    throw new WholesaleException("No customer " + cId);
                }
                return rows.getBigDecimal("c_discount");
            }
        }
    }

    /** The customer in the middle of those with one last name, sorted by first name. */
    public int idByLastName(Connection connection, int wId, int dId, String last)
            throws SQLException {
        List<Integer> ids = new ArrayList<>();
        try (PreparedStatement statement =
                connection.prepareStatement(CustomerSql.IDS_BY_LAST_NAME)) {
            statement.setInt(1, wId);
            statement.setInt(2, dId);
            statement.setString(3, last);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ids.add(rows.getInt(1));
                }
            }
        }
        if (ids.isEmpty()) {
            throw new WholesaleException("No customer with the last name " + last);
        }
        int middle = (ids.size() - 1) / 2;
        return ids.get(middle);
    }

    public Optional<CustomerName> findName(Connection connection, int wId, int dId, int cId)
            throws SQLException {
        String sql = String.format(CustomerSql.SELECT_FORMAT, CustomerSql.NAME_COLUMNS);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            setKey(statement, 1, wId, dId, cId);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    return Optional.empty();
                }
                return Optional.of(new CustomerName(rows.getString("c_first"),
                        rows.getString("c_last"), rows.getBigDecimal("c_balance")));
            }
        }
    }

    public Optional<Customer> find(Connection connection, int wId, int dId, int cId)
            throws SQLException {
        String sql = String.format(CustomerSql.SELECT_FORMAT, CustomerSql.PAYMENT_COLUMNS);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            setKey(statement, 1, wId, dId, cId);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    return Optional.empty();
                }
                Customer customer = new Customer(cId, rows.getString("c_credit"),
                        rows.getBigDecimal("c_balance"), rows.getBigDecimal("c_ytd_payment"),
                        rows.getInt("c_payment_cnt"));
                return Optional.of(customer);
            }
        }
    }

    public String data(Connection connection, int wId, int dId, int cId) throws SQLException {
        String sql = String.format(CustomerSql.SELECT_FORMAT, "c_data");
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            setKey(statement, 1, wId, dId, cId);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getString(1);
            }
        }
    }

    /** Writes a customer back, and its data if that was changed. */
    public void update(Connection connection, int wId, int dId, Customer customer,
            boolean withData) throws SQLException {
        StringBuilder sql = new StringBuilder("UPDATE customer SET c_balance = ?,");
        sql.append(" c_ytd_payment = ?, c_payment_cnt = ?");
        if (withData) {
            sql.append(", c_data = ?");
        }
        sql.append(" WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?");
        try (PreparedStatement statement = connection.prepareStatement(sql.toString())) {
            int index = 1;
            statement.setBigDecimal(index++, customer.getBalance());
            statement.setBigDecimal(index++, customer.getYtdPayment());
            statement.setInt(index++, customer.getPaymentCount());
            if (withData) {
                statement.setString(index++, customer.getData());
            }
            setKey(statement, index, wId, dId, customer.getId());
            statement.executeUpdate();
        }
    }

    public void addDelivery(Connection connection, int wId, int dId, int cId, BigDecimal amount)
            throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(CustomerSql.ADD_DELIVERY)) {
            statement.setBigDecimal(1, amount);
            setKey(statement, 2, wId, dId, cId);
            statement.executeUpdate();
        }
    }

    public void insertHistory(Connection connection, int cWId, int cDId, int cId, int wId,
            int dId, Timestamp date, BigDecimal amount, String data) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(CustomerSql.INSERT_HISTORY)) {
            statement.setInt(1, cDId);
            statement.setInt(2, cWId);
            statement.setInt(3, cId);
            statement.setInt(4, dId);
            statement.setInt(5, wId);
            statement.setTimestamp(6, date);
            statement.setBigDecimal(7, amount);
            statement.setString(8, data);
            statement.executeUpdate();
        }
    }

    private static void setKey(PreparedStatement statement, int first, int wId, int dId, int cId)
            throws SQLException {
        statement.setInt(first, wId);
        statement.setInt(first + 1, dId);
        statement.setInt(first + 2, cId);
    }
}
