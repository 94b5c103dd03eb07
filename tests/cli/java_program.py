"""A bank in Java, for tests that run the compiled program itself."""

import pathlib
import shutil
import subprocess

import program

SCHEMA = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n"

# Two withdrawals at once may lose one of them.
BANK = """package bank;

import java.sql.*;

public class Bank {
    public static int withdraw(Connection connection, int id, int amount) throws SQLException {
        PreparedStatement select =
                connection.prepareStatement("SELECT balance FROM account WHERE id = ?");
        select.setInt(1, id);
        ResultSet rows = select.executeQuery();
        if (!rows.next() || rows.getInt(1) < amount) {
            return -1;
        }
        int left = rows.getInt(1) - amount;
        PreparedStatement update =
                connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?");
        update.setInt(1, left);
        update.setInt(2, id);
        update.executeUpdate();
        return left;
    }
}
"""


class JavaProgramTest(program.ProgramTest):

    bank, schema = BANK, SCHEMA

    def compile(self, text=None):
        """What runs, in the folder classes."""
        (self.folder / "other").mkdir(exist_ok=True)
        self.write("other/Bank.java", self.bank if text is None else text)
        subprocess.run(["javac", "-J-XX:+UseSerialGC", "-g", "-d", "classes", "other/Bank.java"],
                       cwd=self.folder, check=True, timeout=120)

    def write_app(self, bank=None, schema=None):
        """What heddle reads, in the folder app."""
        (self.folder / "app").mkdir(exist_ok=True)
        self.write("app/schema.sql", self.schema if schema is None else schema)
        self.write("app/Bank.java", self.bank if bank is None else bank)

    def find_finding(self):
        """The only one that was saved."""
        finding, = (self.folder / "found").glob("*.json")
        return finding


def demand_java(driver=None):
    """The tests need a compiler, and perhaps an archive: (its path, its package)."""
    if shutil.which("javac") is None:
        raise SystemExit("javac is missing: run scripts/setup")
    if driver and not pathlib.Path(driver[0]).exists():
        raise SystemExit(f"{driver[1]} is missing: run scripts/setup")
