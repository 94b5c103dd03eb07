package bank;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class Bank {
    public static void main(String[] arguments) {
        SpringApplication.run(Bank.class, arguments);
    }
}
