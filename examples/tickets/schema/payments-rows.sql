TRUNCATE payments, refunds, gift_cards, tills, funds RESTART IDENTITY;
