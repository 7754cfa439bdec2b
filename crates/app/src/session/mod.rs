//! One interaction of tablet and guest: one file a verb.

mod abandoned;
mod choose_template;
mod consent;
mod create;
mod expects;
mod expire;
mod face;
mod limit;
mod link;
mod photo;
mod view;
mod watch;
mod watchers;

pub use abandoned::close_abandoned;
pub use choose_template::{choose_template, template_expected};
pub use consent::{ConsentAnswer, consent};
pub use create::{Created, NewKioskSession, create, may_open};
pub use expire::expire;
pub use face::{FaceAnswer, check_face, face_expected};
pub(crate) use limit::{message as limit_message, reached as limit_reached};
pub use link::{LinkAnswer, link};
pub use photo::{Queued, photo_expected, submit_photo};
pub use view::{JobView, SessionView, seen_by_kiosk, view};
pub use watch::watch;
pub use watchers::Watchers;
