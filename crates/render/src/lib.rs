//! Pictures: bytes in, bytes or a refusal out. No network, no database, no clock.
