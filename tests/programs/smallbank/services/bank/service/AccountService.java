package bank.service;

import bank.dao.AccountDao;
import bank.dao.CheckingDao;
import bank.dao.SavingsDao;
import bank.model.Account;
import bank.model.BankException;
import bank.model.Holdings;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.transaction.annotation.Transactional;

/** The functionalities of one customer of SmallBank (Alomari et al., ICDE 2008). */
public class AccountService {

    private final DataSource dataSource;

    public AccountService(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Transactional(readOnly = true)
    public double balance(String custName) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            Account account = require(connection, custName);
            return holdings(connection, account.custId()).total();
        }
    }

    @Transactional
    public void depositChecking(String custName, double amount) throws SQLException {
        if (amount < 0) {
            throw new BankException("Cannot deposit " + amount);
        }
        try (Connection connection = dataSource.getConnection()) {
            Account account = require(connection, custName);
            new CheckingDao(connection).add(account.custId(), amount);
        }
    }

    @Transactional
    public void transactSavings(String custName, double amount) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            Account account = require(connection, custName);
            SavingsDao savings = new SavingsDao(connection);
            double balance = savings.balanceOf(account.custId()) + amount;
            if (balance < 0) {
                throw new BankException(
                        "Negative savings balance for customer " + account.custId());
            }
            savings.add(account.custId(), amount);
        }
    }

    @Transactional
    public void writeCheck(String custName, double amount) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            Account account = require(connection, custName);
            Holdings holdings = holdings(connection, account.custId());
            CheckingDao checking = new CheckingDao(connection);
            if (holdings.total() < amount) {
                checking.take(account.custId(), amount + 1);
            } else {
                checking.take(account.custId(), amount);
            }
        }
    }

    private static Account require(Connection connection, String name) throws SQLException {
        return new AccountDao(connection).findByName(name)
                .orElseThrow(() -> new BankException("Invalid account '" + name + "'"));
    }

    private static Holdings holdings(Connection connection, long custId) throws SQLException {
        double savings = new SavingsDao(connection).balanceOf(custId);
        double checking = new CheckingDao(connection).balanceOf(custId);
        return new Holdings(savings, checking);
    }
}
