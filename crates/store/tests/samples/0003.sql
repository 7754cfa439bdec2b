INSERT INTO leads (request_id, status, name, telegram, telegram_fold, phone, date, guests, comment, locale, utm_source, ip_hash,
    created_at, published_at, chat_id, message_id)
VALUES ('4f0c5a8e-0000-4000-8000-000000000001', 'new', 'Aziza', '@Aziza_K', '@aziza_k', '+998901234567', '12.12', '80',
    'a wedding', 'ru', 'ads', 'abc', 1000, 2000, -100123, 7);
INSERT INTO leads (request_id, status, status_at, locale, created_at, erased_at)
VALUES ('4f0c5a8e-0000-4000-8000-000000000002', 'spam', 1500, 'uz', 1000, 3000);
INSERT INTO lead_status_history (lead_id, from_status, to_status, user_id, user_name, at) VALUES (2, 'new', 'spam', 5, 'sales', 1500);
INSERT INTO lead_repeats (lead_id, request_id, phone, created_at)
VALUES (1, '4f0c5a8e-0000-4000-8000-000000000003', '+998901234568', 2500);
INSERT INTO lead_cards (lead_id, chat_id, message_id, posted_at) VALUES (1, -100123, 7, 2000);
