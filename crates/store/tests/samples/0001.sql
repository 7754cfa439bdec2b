INSERT INTO users (telegram_user_id, first_name, language, created_at) VALUES (41, 'Madina', 'uz', 1000);
INSERT INTO users (telegram_user_id, first_name, last_name, username, language, consented_at, consent_version, pack_name,
    pack_link, created_at)
VALUES (42, 'Timur', 'A.', 'timur', 'ru', 2000, 1, 's1_abcdefghij_by_bot', 'https://t.me/addstickers/s1_abcdefghij_by_bot', 1000);
INSERT INTO sessions (session_token, status, language, created_at, updated_at) VALUES ('idle', 'idle', 'ru', 1000, 1000);
INSERT INTO sessions (session_token, status, telegram_user_id, template_id, language, kiosk, created_at, updated_at)
VALUES ('taken', 'photo_taken', 42, 'chapan', 'ru', 'left', 1000, 3000);
INSERT INTO sessions (session_token, status, telegram_user_id, notice, language, created_at, updated_at)
VALUES ('limit', 'expired', 42, 'pack_ready', 'ru', 1000, 3000);
INSERT INTO jobs (session_token, telegram_user_id, template_id, status, pack_key, pack_name, pack_created_at, provider_used,
    render_mode, link_sent_at, claim_no, created_at, updated_at)
VALUES ('taken', 42, 'chapan', 'done', 'abcdefghij', 's1_abcdefghij_by_bot', 4000, 'local', 'composite', 5000, 1, 3000, 5000);
