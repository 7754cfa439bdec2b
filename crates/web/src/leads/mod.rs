//! Requests of the landing site: `POST /leads` (seed 003, seed 004). One file an operation.

mod form;
mod refused;
pub mod submit;

pub use refused::LeadRefused;
