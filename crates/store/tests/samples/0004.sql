INSERT INTO settings (key, value, updated_at) VALUES ('bot_username', 'stickers_bot', 1000);
INSERT INTO kiosks (kiosk, camera, battery, version, first_seen_at, seen_at) VALUES ('left', 'ok', 80, '0.1.0', 1000, 2000);
INSERT INTO leases (name, owner, until) VALUES ('sweeper', 'host:1', 61000);
INSERT INTO ai_usage (job_id, stage, provider, model, input_tokens, output_tokens, images, cost_usd, at)
VALUES (1, 'sheet', 'gemini', 'm', 100, 200, 1, 0.134, 4000);
INSERT INTO audit_log (at, actor, action, subject, details) VALUES (1000, 'operator:1', 'pause', 'maintenance', NULL);
INSERT INTO admin_sessions (token_hash, login, csrf_hash, created_at, seen_at, expires_at) VALUES ('h', 'owner', 'c', 1000, 1000, 9000);
INSERT INTO erasures (guest_hash, packs, at) VALUES ('k', 1, 1000);
