//! Failures on order: which call, how often, what happens instead.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::refusal::Refusal;
use crate::wire::Reply;
use crate::world::Telling;

/// Faults that may wait at one time.
const MOST_FAULTS: usize = 1_000;
/// How long a silent connection is held before it is closed.
const SILENCE: Duration = Duration::from_secs(600);
/// The longest wait of `hang` and `slow`.
const MOST_SECONDS: u64 = 600;

/// A failure that waits for its call.
///
/// As JSON: `{"kind":"flood","method":"sendMessage","chat":5,"skip":1,"count":2,"retry_after":7}`. `kind` is one of
/// the names of [`Play`] in small letters; its fields stand beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The method, in any case; every method when absent.
    #[serde(default)]
    pub method: Option<String>,
    /// `chat_id`, or `user_id` where there is no chat; every one when absent.
    #[serde(default)]
    pub chat: Option<i64>,
    /// Matching calls that pass before it.
    #[serde(default)]
    pub skip: u32,
    /// Matching calls that it hits; every one when 0.
    #[serde(default = "once")]
    pub count: u32,
    /// What happens.
    #[serde(flatten)]
    pub play: Play,
}

fn once() -> u32 {
    1
}

impl Fault {
    /// A fault that hits the next call of a method.
    #[must_use]
    pub fn once(method: &str, play: Play) -> Self {
        Self { method: Some(method.to_owned()), chat: None, skip: 0, count: 1, play }
    }

    /// The same, for so many calls; 0 means for ever.
    #[must_use]
    pub fn times(self, count: u32) -> Self {
        Self { count, ..self }
    }

    /// The same, after so many calls that pass.
    #[must_use]
    pub fn after(self, skip: u32) -> Self {
        Self { skip, ..self }
    }

    /// The same, for one chat or owner.
    #[must_use]
    pub fn in_chat(self, chat: i64) -> Self {
        Self { chat: Some(chat), ..self }
    }
}

/// What happens to a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Play {
    /// 429. `applied`: and yet it was done.
    Flood {
        /// Seconds in the answer.
        retry_after: u64,
        /// The call is carried out all the same.
        #[serde(default)]
        applied: bool,
    },
    /// The server waits, then does it and answers well.
    Hang {
        /// Seconds by the world's clock.
        seconds: u64,
    },
    /// It is done, and the answer is lost.
    Lost {
        /// How.
        how: Loss,
    },
    /// A JSON error.
    Status {
        /// `error_code`.
        code: u16,
        /// The words, to the letter.
        description: String,
        /// The call is carried out all the same.
        #[serde(default)]
        applied: bool,
    },
    /// A page of a proxy.
    Html {
        /// HTTP status.
        code: u16,
        /// The call is carried out all the same.
        #[serde(default)]
        applied: bool,
    },
    /// The connection closes before anything is done.
    Refuse,
    /// The group of the call becomes a supergroup, and the call goes on as if nothing had been ordered.
    Upgrade {
        /// Just before the call, which therefore meets the new state, or right after it.
        #[serde(default)]
        moment: Upgrade,
        /// What the group's bots hear of it.
        #[serde(default)]
        telling: Telling,
    },
    /// It is done at once; the first byte of the answer comes late.
    Slow {
        /// Seconds by the world's clock.
        seconds: u64,
    },
}

/// When the group of a call is upgraded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Upgrade {
    /// Before the call is carried out.
    #[default]
    Before,
    /// After it was carried out and before its answer leaves.
    After,
}

/// How an answer gets lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// The socket closes.
    Close,
    /// Nothing ever comes.
    Silence,
    /// The body is cut in the middle.
    Half,
}

/// When a call is carried out, and what leaves the server then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    pub wait_before: Duration,
    pub apply: bool,
    pub upgrade: Option<(Upgrade, Telling)>,
    pub wait_after: Duration,
    pub answer: Answer,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    AsItIs,
    Refusal(Refusal),
    Html(u16),
    Close,
    Silence,
    Half,
}

impl Plan {
    fn new(apply: bool, answer: Answer) -> Self {
        Self { wait_before: Duration::ZERO, apply, upgrade: None, wait_after: Duration::ZERO, answer }
    }

    /// Nothing goes wrong.
    pub fn well() -> Self {
        Self::new(true, Answer::AsItIs)
    }

    /// What the client gets instead of `reply`.
    pub fn reply(self, reply: Reply) -> Reply {
        match self.answer {
            Answer::AsItIs => reply,
            Answer::Refusal(refusal) => refusal.into(),
            Answer::Html(status) => Reply::Html { status, body: proxy_page(status) },
            Answer::Close => Reply::Closed,
            Answer::Silence => Reply::Silent(SILENCE),
            Answer::Half => match reply {
                Reply::Json { status, body, .. } => Reply::Half { status, body },
                other => other,
            },
        }
    }
}

fn proxy_page(status: u16) -> String {
    let title = match status {
        413 => "413 Request Entity Too Large".to_owned(),
        502 => "502 Bad Gateway".to_owned(),
        503 => "503 Service Temporarily Unavailable".to_owned(),
        504 => "504 Gateway Time-out".to_owned(),
        other => format!("{other} Error"),
    };
    format!(
        "<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<center><h1>{title}</h1></center>\r\n\
         <hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
    )
}

impl Play {
    fn plan(&self) -> Plan {
        match self {
            Self::Flood { retry_after, applied } => {
                Plan::new(*applied, Answer::Refusal(Refusal::flood(*retry_after)))
            }
            Self::Hang { seconds } => Plan { wait_before: bounded(*seconds), ..Plan::well() },
            Self::Lost { how: Loss::Close } => Plan::new(true, Answer::Close),
            Self::Lost { how: Loss::Silence } => Plan::new(true, Answer::Silence),
            Self::Lost { how: Loss::Half } => Plan::new(true, Answer::Half),
            Self::Status { code, description, applied } => {
                Plan::new(*applied, Answer::Refusal(Refusal::new(*code, description.clone())))
            }
            Self::Html { code, applied } => Plan::new(*applied, Answer::Html(*code)),
            Self::Refuse => Plan::new(false, Answer::Close),
            Self::Upgrade { moment, telling } => Plan { upgrade: Some((*moment, *telling)), ..Plan::well() },
            Self::Slow { seconds } => Plan { wait_after: bounded(*seconds), ..Plan::well() },
        }
    }
}

fn bounded(seconds: u64) -> Duration {
    Duration::from_secs(seconds.min(MOST_SECONDS))
}

/// The faults that wait.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    list: Vec<Fault>,
}

impl Faults {
    /// Adds a fault; false when there are too many.
    pub fn add(&mut self, fault: Fault) -> bool {
        let room = self.list.len() < MOST_FAULTS;
        if room {
            self.list.push(fault);
        }
        room
    }

    pub fn clear(&mut self) {
        self.list.clear();
    }

    pub fn list(&self) -> &[Fault] {
        &self.list
    }

    /// What happens to this call. The first fault that fits is used.
    pub fn plan(&mut self, method: &str, chat: Option<i64>) -> Plan {
        let fits = |fault: &Fault| {
            fault.method.as_ref().is_none_or(|name| name.eq_ignore_ascii_case(method))
                && (fault.chat.is_none() || fault.chat == chat)
        };
        for at in 0..self.list.len() {
            let fault = &mut self.list[at];
            if !fits(fault) {
                continue;
            }
            if fault.skip > 0 {
                fault.skip -= 1;
                continue;
            }
            let plan = fault.play.plan();
            if fault.count == 1 {
                self.list.remove(at);
            } else {
                fault.count = fault.count.saturating_sub(1);
            }
            return plan;
        }
        Plan::well()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fault(value: serde_json::Value) -> Fault {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_fault_hits_its_method_and_chat_so_often_as_told() {
        let mut faults = Faults::default();
        let words = json!({"kind": "flood", "method": "sendmessage", "chat": 5, "skip": 1, "count": 2, "retry_after": 7});
        assert!(faults.add(fault(words)));
        assert_eq!(faults.plan("sendMessage", Some(6)), Plan::well());
        assert_eq!(faults.plan("getMe", Some(5)), Plan::well());
        assert_eq!(faults.plan("sendMessage", Some(5)), Plan::well());
        for _ in 0..2 {
            assert_eq!(
                faults.plan("sendMessage", Some(5)),
                Plan::new(false, Answer::Refusal(Refusal::flood(7)))
            );
        }
        assert_eq!(faults.plan("sendMessage", Some(5)), Plan::well());
        assert!(faults.list().is_empty());
    }

    #[test]
    fn count_zero_lasts_until_cleared() {
        let mut faults = Faults::default();
        faults.add(fault(json!({"kind": "refuse", "count": 0})));
        for _ in 0..5 {
            assert_eq!(faults.plan("getMe", None).answer, Answer::Close);
        }
        faults.clear();
        assert_eq!(faults.plan("getMe", None), Plan::well());
    }

    #[test]
    fn a_lost_answer_was_carried_out_and_a_refused_connection_was_not() {
        for how in ["close", "silence", "half"] {
            assert!(fault(json!({"kind": "lost", "how": how})).play.plan().apply);
        }
        assert!(!fault(json!({"kind": "refuse"})).play.plan().apply);
        assert!(!fault(json!({"kind": "html", "code": 502})).play.plan().apply);
        assert!(fault(json!({"kind": "html", "code": 502, "applied": true})).play.plan().apply);
    }
}
