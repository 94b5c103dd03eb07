TRUNCATE users, emails, accounts, ledger, wallets, savings, assets, moves RESTART IDENTITY;
