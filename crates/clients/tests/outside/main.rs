//! The clients against servers of our own.

mod images;
mod media_s3;
mod support;
mod telegram;
mod updates;
