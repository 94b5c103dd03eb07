package bank;

import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
@RequestMapping("/accounts")
public class AccountController {
    public record Opening(String owner, int balance) {
    }

    public record Amount(int amount) {
    }

    private final Accounts accounts;
    private final Withdrawals withdrawals;

    public AccountController(Accounts accounts, Withdrawals withdrawals) {
        this.accounts = accounts;
        this.withdrawals = withdrawals;
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    public Account open(@RequestBody Opening opening) {
        return accounts.save(new Account(opening.owner(), opening.balance()));
    }

    @GetMapping
    public List<Account> list() {
        return accounts.findAll();
    }

    @GetMapping("/{id}")
    @Transactional(readOnly = true)
    public Map<String, Object> show(@PathVariable long id) {
        Account account = find(id);
        return Map.of("id", id, "balance", account.getBalance(),
                      "withdrawals", withdrawals.countByAccount(account));
    }

    // The balance is read, judged here, and written back: two at once may both find it sufficient.
    @PostMapping("/{id}/withdrawals")
    @ResponseStatus(HttpStatus.CREATED)
    @Transactional
    public Map<String, Object> withdraw(@PathVariable long id, @RequestBody Amount amount) {
        Account account = find(id);
        if (account.getBalance() < amount.amount()) {
            throw new ResponseStatusException(HttpStatus.CONFLICT, "the balance is too low");
        }
        account.setBalance(account.getBalance() - amount.amount());
        Withdrawal made = withdrawals.save(new Withdrawal(account, amount.amount()));
        return Map.of("id", made.getId(), "balance", account.getBalance());
    }

    private Account find(long id) {
        return accounts.findById(id)
            .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "no account"));
    }
}
