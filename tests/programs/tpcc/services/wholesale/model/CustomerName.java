package wholesale.model;

import java.math.BigDecimal;

/** A customer as Order-Status shows it in TPC-C, revision 5.11, clause 2.6. */
public record CustomerName(String first, String last, BigDecimal balance) {

    public String describe() {
        return first + " " + last + " " + balance;
    }
}
