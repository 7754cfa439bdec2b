-- The same rows for people: times as text, on Tashkent's clock (UTC+5, without daylight saving).

CREATE VIEW sessions_readable AS
SELECT
    session_token, status, telegram_user_id, template_id, closed_reason, notice, kiosk, language,
    strftime('%Y-%m-%d %H:%M:%S+05:00', kiosk_seen_at / 1000 + 18000, 'unixepoch') AS kiosk_seen_at,
    strftime('%Y-%m-%d %H:%M:%S+05:00', created_at / 1000 + 18000, 'unixepoch') AS created_at,
    strftime('%Y-%m-%d %H:%M:%S+05:00', updated_at / 1000 + 18000, 'unixepoch') AS updated_at
FROM sessions;

CREATE VIEW jobs_readable AS
SELECT
    job_id, session_token, telegram_user_id, template_id, status, attempts, error, photo_path,
    pack_key, pack_name, provider_used, render_mode, claim_no, lease_owner, shutdown_returns,
    verify_looks,
    strftime('%Y-%m-%d %H:%M:%S+05:00', created_at / 1000 + 18000, 'unixepoch') AS created_at,
    strftime('%Y-%m-%d %H:%M:%S+05:00', updated_at / 1000 + 18000, 'unixepoch') AS updated_at,
    strftime('%Y-%m-%d %H:%M:%S+05:00', not_before / 1000 + 18000, 'unixepoch') AS not_before,
    strftime('%Y-%m-%d %H:%M:%S+05:00', processing_started_at / 1000 + 18000, 'unixepoch') AS processing_started_at,
    strftime('%Y-%m-%d %H:%M:%S+05:00', lease_until / 1000 + 18000, 'unixepoch') AS lease_until,
    strftime('%Y-%m-%d %H:%M:%S+05:00', pack_created_at / 1000 + 18000, 'unixepoch') AS pack_created_at,
    strftime('%Y-%m-%d %H:%M:%S+05:00', next_verify_at / 1000 + 18000, 'unixepoch') AS next_verify_at,
    strftime('%Y-%m-%d %H:%M:%S+05:00', delay_notice_sent_at / 1000 + 18000, 'unixepoch') AS delay_notice_sent_at,
    strftime('%Y-%m-%d %H:%M:%S+05:00', link_sent_at / 1000 + 18000, 'unixepoch') AS link_sent_at
FROM jobs;

CREATE VIEW leads_readable AS
SELECT
    id, request_id, status, name, telegram, phone, date, guests, comment, locale, utm_source,
    utm_medium, utm_campaign, utm_term, utm_content, chat_id, message_id, publish_attempts,
    publish_error,
    strftime('%Y-%m-%d %H:%M:%S+05:00', created_at / 1000 + 18000, 'unixepoch') AS created_at,
    strftime('%Y-%m-%d %H:%M:%S+05:00', status_at / 1000 + 18000, 'unixepoch') AS status_at,
    strftime('%Y-%m-%d %H:%M:%S+05:00', published_at / 1000 + 18000, 'unixepoch') AS published_at,
    strftime('%Y-%m-%d %H:%M:%S+05:00', next_publish_at / 1000 + 18000, 'unixepoch') AS next_publish_at,
    strftime('%Y-%m-%d %H:%M:%S+05:00', card_dirty_at / 1000 + 18000, 'unixepoch') AS card_dirty_at,
    strftime('%Y-%m-%d %H:%M:%S+05:00', next_edit_at / 1000 + 18000, 'unixepoch') AS next_edit_at,
    strftime('%Y-%m-%d %H:%M:%S+05:00', reminded_at / 1000 + 18000, 'unixepoch') AS reminded_at,
    strftime('%Y-%m-%d %H:%M:%S+05:00', erased_at / 1000 + 18000, 'unixepoch') AS erased_at
FROM leads;
