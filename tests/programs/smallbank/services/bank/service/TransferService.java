package bank.service;

import bank.dao.AccountDao;
import bank.dao.CheckingDao;
import bank.dao.SavingsDao;
import bank.model.Account;
import bank.model.BankException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.transaction.annotation.Transactional;

/** The functionalities between two customers of SmallBank (Alomari et al., ICDE 2008). */
@Transactional
public class TransferService {

    private final DataSource dataSource;

    public TransferService(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    public void amalgamate(long custId0, long custId1) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            AccountDao accounts = new AccountDao(connection);
            SavingsDao savings = new SavingsDao(connection);
            CheckingDao checking = new CheckingDao(connection);
            require(accounts, custId0);
            require(accounts, custId1);

            double total = savings.balanceOf(custId0) + checking.balanceOf(custId0);
            savings.clear(custId0);
            checking.clear(custId0);
            checking.add(custId1, total);
        }
    }

    public void sendPayment(long sendAcct, long destAcct, double amount) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            AccountDao accounts = new AccountDao(connection);
            CheckingDao checking = new CheckingDao(connection);
            require(accounts, sendAcct);
            require(accounts, destAcct);

            if (checking.balanceOf(sendAcct) < amount) {
                throw new BankException("Insufficient funds of customer " + sendAcct);
            }
            checking.move(sendAcct, destAcct, amount);
        }
    }

    private static Account require(AccountDao accounts, long custId) throws SQLException {
        Optional<Account> account = accounts.findById(custId);
        if (account.isEmpty()) {
            throw new BankException("Invalid account " + custId);
        }
        return account.get();
    }
}
