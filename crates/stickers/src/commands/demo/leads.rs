//! What the leads of a demo need and keep between runs: a team in a group with the bot, and a secret between landing site and API.

use super::data::{DataFolder, LEADS};
use super::phones::{BOT_TOKEN, Phones, Team};
use super::ports::Ports;
use crate::config::env::Env;
use crate::failure::Failure;
use crate::system::SystemRng;
use domain::Rng;
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;

/// Random bytes of a secret and of a salt.
const SECRET_BYTES: usize = 24;

/// The leads of one demo.
#[derive(Clone, Serialize, Deserialize)]
pub struct Leads {
    /// What the landing site shows to the API.
    pub secret: String,
    /// The key under which visitor addresses are hashed.
    pub ip_salt: String,
    /// The group and who works in it.
    pub team: Team,
}

impl Leads {
    /// What the last demo in this folder used, or something new; the team's group is there afterwards in any case.
    ///
    /// # Errors
    /// When the folder cannot be read or written, or the team cannot be made.
    pub fn open(folder: &DataFolder, phones: &Phones) -> Result<Leads, Failure> {
        let path = folder.path().join(LEADS);
        let fail = |error: io::Error| {
            Failure::of(
                &format!("{} cannot be used (stickers demo --reset forgets it)", path.display()),
                &error,
            )
        };
        let kept: Option<Leads> = match fs::read(&path) {
            Ok(bytes) => Some(serde_json::from_slice(&bytes).map_err(|error| fail(error.into()))?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(fail(error)),
        };
        let team = phones.team(kept.as_ref().map(|kept| kept.team))?;
        let (secret, ip_salt) = kept.map_or_else(|| (random(), random()), |kept| (kept.secret, kept.ip_salt));
        let leads = Leads { secret, ip_salt, team };
        let bytes = serde_json::to_vec(&leads).map_err(|error| fail(error.into()))?;
        // Readable by the owner only, from the first byte on.
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path);
        file.and_then(|mut file| file.write_all(&bytes)).map_err(fail)?;
        // The group must not be younger than the file that names it.
        phones.save()?;
        Ok(leads)
    }

    /// Sets what the leads module reads.
    pub fn set(&self, env: &mut Env) {
        env.set("LEADS_ENABLED", "1");
        env.set("LEADS_SECRET", &self.secret);
        env.set("LEADS_IP_SALT", &self.ip_salt);
        env.set("LEADS_CHAT_ID", &self.team.group.to_string());
        env.set("LEADS_ADMIN_IDS", &self.team.admin.to_string());
    }

    /// Sets what the landing site reads beside that: the way to the API, and the backup channel to the same group.
    pub fn set_landing(&self, env: &mut Env, ports: Ports) {
        env.set("LANDING_BIND", &format!("127.0.0.1:{}", ports.landing));
        env.set("LANDING_URL", &ports.landing_url());
        env.set("LEADS_ENDPOINT", &format!("http://127.0.0.1:{}/leads", ports.api));
        env.set("FALLBACK_BOT_TOKEN", BOT_TOKEN);
        env.set("FALLBACK_CHAT_ID", &self.team.group.to_string());
    }
}

/// A text that nobody guesses.
fn random() -> String {
    let mut bytes = [0; SECRET_BYTES];
    SystemRng.fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::landing::LandingConfig;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    fn open(path: &Path, reset: bool) -> (Leads, Phones) {
        let opened = DataFolder::take(path, reset).and_then(|folder| {
            let phones = Phones::open(&folder)?;
            Ok((Leads::open(&folder, &phones)?, phones))
        });
        opened.unwrap_or_else(|failure| panic!("{failure:?}"))
    }

    #[test]
    fn secret_salt_and_group_stay_until_the_demo_is_reset() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let (first, _) = open(dir.path(), false);
        let (second, _) = open(dir.path(), false);
        assert_eq!(
            (&first.secret, &first.ip_salt, first.team),
            (&second.secret, &second.ip_salt, second.team)
        );
        assert!(first.secret.len() >= 32 && first.secret != first.ip_salt);
        let mode = fs::metadata(dir.path().join(LEADS)).expect("the file").permissions().mode();
        assert_eq!(mode & 0o077, 0, "only the owner reads the secret");
        let (third, _) = open(dir.path(), true);
        assert_ne!(first.secret, third.secret);
        assert_ne!(first.ip_salt, third.ip_salt);
    }

    #[test]
    fn a_lost_world_gets_a_new_team_and_an_upgraded_group_is_followed() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let (first, phones) = open(dir.path(), false);
        let to = phones.upgrade(first.team.group);
        let (second, _) = open(dir.path(), false);
        assert_eq!((second.team.group, second.team.admin), (to, first.team.admin));
        fs::remove_dir_all(dir.path().join("simulator")).expect("the world is lost");
        let (third, phones) = open(dir.path(), false);
        assert_eq!(third.secret, first.secret);
        assert_eq!(phones.team(Some(third.team)).unwrap_or_else(|failure| panic!("{failure:?}")), third.team);
    }

    #[test]
    fn the_leads_module_is_on_with_this_group_and_this_admin() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let (leads, _) = open(dir.path(), false);
        let mut env = Env::new([("LEADS_ENABLED".to_owned(), "0".to_owned())], []);
        leads.set(&mut env);
        let config = crate::config::Config::read(&env).unwrap_or_else(|lines| panic!("{lines:?}"));
        assert!(config.leads.intake.is_some());
        let group = config.leads.group.expect("a group");
        assert_eq!((group.chat_id, group.admin_ids), (leads.team.group, vec![leads.team.admin]));
        leads.set_landing(&mut env, Ports::from_first(8_000));
        let site = LandingConfig::read(&env).unwrap_or_else(|lines| panic!("{lines:?}"));
        assert_eq!(site.landing.endpoint.as_deref(), Some("http://127.0.0.1:8000/leads"));
        assert_eq!(site.landing.url.as_deref(), Some("http://localhost:8002"));
        assert_eq!(site.landing.fallback_chat, Some(leads.team.group));
    }
}
