TRUNCATE orders, outbox, customers, settings, profiles, vouchers, invoice_years, invoices, purses,
  counters, labels, drafts, returns RESTART IDENTITY;
