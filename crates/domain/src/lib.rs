//! The rules of the product without any I/O: states and their transition tables, texts, validation, schedules.
