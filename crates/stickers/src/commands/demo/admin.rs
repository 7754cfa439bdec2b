//! The demo's admin panel: a login that everybody may know, since the demo is reached from this computer only.

use crate::config::env::Env;
use crate::failure::Failure;
use crate::system::SystemRng;
use app::panel::password;

/// The login.
pub const LOGIN: &str = "demo";
/// The password.
pub const PASSWORD: &str = "stickers";

/// Lets it in, whatever the environment says.
pub fn set(env: &mut Env) -> Result<(), Failure> {
    let hash = password::cheap_hash(PASSWORD, &SystemRng);
    let hash =
        hash.map_err(|error| Failure::Failed(format!("the demo's password cannot be hashed: {error}")))?;
    env.set("ADMIN_LOGIN", LOGIN);
    env.set("ADMIN_PASSWORD_HASH", &hash);
    Ok(())
}
