package bank;

import org.springframework.data.jpa.repository.JpaRepository;

public interface Withdrawals extends JpaRepository<Withdrawal, Long> {
    long countByAccount(Account account);
}
