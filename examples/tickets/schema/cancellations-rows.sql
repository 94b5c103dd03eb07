TRUNCATE cancellations, returned, feedback, reasons RESTART IDENTITY;
INSERT INTO reasons (code, text)
VALUES ('late', 'The train was late'), ('ill', 'The guest was ill');
