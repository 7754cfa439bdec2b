//! Everything outside that we call: Telegram, image providers, media storage. It knows no database.
