package wholesale.model;

import java.math.BigDecimal;

/** What Payment changes of a customer in TPC-C, revision 5.11, clause 2.5. */
public class Customer {

    private final int id;
    private final String credit;
    private BigDecimal balance;
    private BigDecimal ytdPayment;
    private int paymentCount;
    private String data;

    public Customer(int id, String credit, BigDecimal balance, BigDecimal ytdPayment,
            int paymentCount) {
        this.id = id;
        this.credit = credit;
        this.balance = balance;
        this.ytdPayment = ytdPayment;
        this.paymentCount = paymentCount;
    }

    public int getId() {
        return id;
    }

    public boolean hasBadCredit() {
        return credit.equals("BC");
    }

    public BigDecimal getBalance() {
        return balance;
    }

    public BigDecimal getYtdPayment() {
        return ytdPayment;
    }

    public int getPaymentCount() {
        return paymentCount;
    }

    public String getData() {
        return data;
    }

    public void setData(String data) {
        this.data = data;
    }

    public void pay(BigDecimal amount) {
        balance = balance.subtract(amount);
        ytdPayment = ytdPayment.add(amount);
        paymentCount++;
    }
}
