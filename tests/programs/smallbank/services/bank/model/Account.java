package bank.model;

/** A row of the table accounts of SmallBank (Alomari et al., ICDE 2008). */
public record Account(long custId, String name) {
}
