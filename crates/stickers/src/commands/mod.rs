//! One file a command.

pub mod api;
pub mod backup;
pub mod backups;
pub mod bot;
pub mod config;
pub mod cost_report;
pub mod demo;
pub mod landing;
pub mod migrate;
pub mod render;
pub mod restore;
pub mod templates;
