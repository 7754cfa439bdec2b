-- The same rows for people: times as text, on Tashkent's clock (UTC+5, without daylight saving).

CREATE VIEW sessions_readable AS
SELECT
    session_token, status, telegram_user_id, template_id, closed_reason, notice, kiosk, language,
    to_char(to_timestamp(kiosk_seen_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS kiosk_seen_at,
    to_char(to_timestamp(created_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS created_at,
    to_char(to_timestamp(updated_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS updated_at
FROM sessions;

CREATE VIEW jobs_readable AS
SELECT
    job_id, session_token, telegram_user_id, template_id, status, attempts, error, photo_path,
    pack_key, pack_name, provider_used, render_mode, claim_no, lease_owner, shutdown_returns,
    verify_looks,
    to_char(to_timestamp(created_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS created_at,
    to_char(to_timestamp(updated_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS updated_at,
    to_char(to_timestamp(not_before / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS not_before,
    to_char(to_timestamp(processing_started_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS processing_started_at,
    to_char(to_timestamp(lease_until / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS lease_until,
    to_char(to_timestamp(pack_created_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS pack_created_at,
    to_char(to_timestamp(next_verify_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS next_verify_at,
    to_char(to_timestamp(delay_notice_sent_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS delay_notice_sent_at,
    to_char(to_timestamp(link_sent_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS link_sent_at
FROM jobs;

CREATE VIEW leads_readable AS
SELECT
    id, request_id, status, name, telegram, phone, date, guests, comment, locale, utm_source,
    utm_medium, utm_campaign, utm_term, utm_content, chat_id, message_id, publish_attempts,
    publish_error,
    to_char(to_timestamp(created_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS created_at,
    to_char(to_timestamp(status_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS status_at,
    to_char(to_timestamp(published_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS published_at,
    to_char(to_timestamp(next_publish_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS next_publish_at,
    to_char(to_timestamp(card_dirty_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS card_dirty_at,
    to_char(to_timestamp(next_edit_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS next_edit_at,
    to_char(to_timestamp(reminded_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS reminded_at,
    to_char(to_timestamp(erased_at / 1000 + 18000) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+05:00"') AS erased_at
FROM leads;
