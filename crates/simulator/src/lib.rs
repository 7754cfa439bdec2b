//! The outside world, imitated: a Bot API server with persons, chats and packs. It shares no types with the product.
