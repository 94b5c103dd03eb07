package bank.model;

/** The balances of one customer of SmallBank (Alomari et al., ICDE 2008). */
public final class Holdings {

    private final double savings;
    private final double checking;

    public Holdings(double savings, double checking) {
        this.savings = savings;
        this.checking = checking;
    }

    public double getSavings() {
        return savings;
    }

    public double getChecking() {
        return checking;
    }

    public double total() {
        return savings + checking;
    }
}
