package bank.model;

/** A refused functionality of SmallBank (Alomari et al., ICDE 2008). */
public class BankException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public BankException(String message) {
        super(message);
    }
}
