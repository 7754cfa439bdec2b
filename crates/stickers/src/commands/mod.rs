//! One file a command.

pub mod admin_password;
pub mod api;
pub mod backup;
pub mod backups;
pub mod bot;
pub mod config;
pub mod cost_report;
pub mod demo;
pub mod doctor;
pub mod event;
pub mod landing;
pub mod migrate;
pub mod privacy_audit;
pub mod render;
pub mod reset_user;
pub mod restore;
pub mod sql;
pub mod templates;
