//! HTTP edges: kiosk API and page, health. No SQL, no write transaction, no call to Telegram.
