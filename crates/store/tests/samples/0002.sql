INSERT INTO outbox (key, chat_id, kind, body, job_id, state, not_before, created_at, updated_at, sent_at)
VALUES ('link:1:abcdefghij', 42, 'link', '', 1, 'sent', 5000, 5000, 6000, 6000);
INSERT INTO outbox (key, chat_id, kind, body, state, not_before, created_at, updated_at)
VALUES ('alert:disk:1', 1, 'alert', '{"text":"disk"}', 'pending', 5000, 5000, 5000);
INSERT INTO updates (update_id, from_id, body, state, received_at, ended_at) VALUES (10, 42, '', 'handled', 1000, 2000);
INSERT INTO updates (update_id, body, state, received_at) VALUES (11, '{"update_id":11}', 'pending', 1000);
