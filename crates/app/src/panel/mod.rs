//! What the admin panel asks and does: who may come in, and read models of its pages. Its verbs are those of the bot and the kiosk wherever
//! there is one: a retry, a reset, a pause or a lead's status has one meaning, whoever asks for it.

mod accounts;
mod books;
mod costs;
mod entrance;
mod guests;
mod jobs;
mod leads;
mod lockout;
mod now;
pub mod password;
mod server;
mod todo;

pub use accounts::{Accounts, BadAccounts, NAME_MAX};
pub use books::{AuditLine, audit};
pub use costs::{Costs, costs};
pub use entrance::{
    AGE_MAX, Admin, Attempt, Entrance, IDLE_MAX, SignInRefusal, csrf_of, new_token, same, sign_out,
    sign_out_everywhere,
};
pub use guests::{GuestDetails, guest_details, guest_list};
pub use jobs::{
    Found, JobDetails, JobList, Picture, find_jobs, job_details, job_list, outfit, picture, stickers_of,
};
pub use leads::{LeadColumn, LeadDetails, find_leads, lead_board, lead_column, lead_details};
pub use now::{Active, Now, SLOT, SLOTS, Slot, new_leads, now};
pub use server::{AskDisk, Disk, Facts, Photos, Server};
pub use store::kiosks::Kiosk;
pub use store::panel::{COUNT_MAX, GuestLine, JobCall, JobLine, JobMessage, LeadChange};
pub use todo::Todo;
