//! After an event (seed 002, "After an event"): the numbers for the client, which are counts and never a person, and the checklist that closes
//! it.

mod close;
mod page;
mod report;
mod table;

pub use close::{CloseError, Closed, Closing, State, Step, close};
pub use page::html;
pub use report::{Figures, Period, Waiting, figures};
pub use table::csv;
