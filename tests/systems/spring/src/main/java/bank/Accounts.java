package bank;

import org.springframework.data.jpa.repository.JpaRepository;

public interface Accounts extends JpaRepository<Account, Long> {
}
