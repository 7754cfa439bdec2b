//! What the seeds say about hosting, read from the files that install it: units, timer, proxy, scripts and folders; and the handbook's links.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every `NAME=value` of a unit; a name that stands twice has both values, in order.
fn unit(name: &str) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in text(&format!("systemd/{name}")).lines() {
        if let Some((name, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) {
            found.entry(name.to_owned()).or_default().push(value.to_owned());
        }
    }
    found
}

fn one(unit: &BTreeMap<String, Vec<String>>, name: &str) -> String {
    let values = unit.get(name).unwrap_or_else(|| panic!("{name} is missing"));
    assert_eq!(values.len(), 1, "{name} stands {} times", values.len());
    values[0].clone()
}

const SERVICES: [&str; 5] = [
    "sticker-api.service",
    "sticker-bot.service",
    "ai-stickers-landing.service",
    "sticker-backup.service",
    "sticker-privacy-audit.service",
];

#[test]
fn row_002_backup_1_the_copy_is_made_at_half_past_three_utc_and_a_missed_one_after_the_boot() {
    let timer = unit("sticker-backup.timer");
    assert_eq!(one(&timer, "OnCalendar"), "*-*-* 03:30:00 UTC");
    assert_eq!(one(&timer, "RandomizedDelaySec"), "5min");
    assert_eq!(one(&timer, "Persistent"), "true");
    assert!(text("install.sh").contains(
        "enable sticker-api.service sticker-bot.service sticker-backup.timer sticker-privacy-audit.timer"
    ));
}

#[test]
fn row_002_backup_6_the_line_goes_to_the_log_of_the_seed_and_to_the_journal() {
    let script = text("backup.sh");
    assert!(script.contains("/var/log/sticker-backup.log"));
    assert!(script.contains(">>\"$log\""), "the line is appended");
    assert!(
        script.contains("printf '%s\\n' \"$line\"\n"),
        "the line is printed, and systemd keeps what is printed"
    );
    let service = unit("sticker-backup.service");
    assert_eq!(one(&service, "ExecStart"), "/opt/ai-sticker-pack/deploy/backup.sh");
    assert!(!service.contains_key("StandardOutput"), "the journal is the default");
}

#[test]
fn row_002_backup_7_the_copy_has_low_priority_and_the_user_of_the_services() {
    let service = unit("sticker-backup.service");
    assert_eq!(one(&service, "Nice"), "19");
    assert_eq!(one(&service, "IOSchedulingClass"), "idle");
    // The seed says root; a file of root's would lock the services out, and the handbook says so.
    assert_eq!(one(&service, "User"), "sticker");
}

#[test]
fn folders_and_files_are_those_of_the_seeds_and_only_for_their_owners() {
    let folders = text("systemd/tmpfiles.conf");
    let rows: BTreeMap<&str, Vec<&str>> = folders
        .lines()
        .filter(|line| line.starts_with("d ") || line.starts_with("f "))
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .map(|parts| (parts[1], parts[2..5].to_vec()))
        .collect();
    for (path, wanted) in [
        ("/opt/ai-sticker-pack/bot/data", ["0700", "sticker", "sticker"]),
        ("/opt/ai-sticker-pack/logs", ["0750", "sticker", "sticker"]),
        ("/var/backups/sticker-pack", ["0700", "sticker", "sticker"]),
        ("/var/log/sticker-backup.log", ["0640", "sticker", "sticker"]),
    ] {
        assert_eq!(rows.get(path).map(Vec::as_slice), Some(&wanted[..]), "{path}");
    }
    let settings = text("env/kiosk.env");
    for line in [
        "DATA_DIR=/opt/ai-sticker-pack/bot/data",
        "BACKUP_DIR=/var/backups/sticker-pack",
        "BACKUP_KEEP=14",
        "LOG_DIR=/opt/ai-sticker-pack/logs",
        "PHOTO_TTL_HOURS=72",
    ] {
        assert!(settings.lines().any(|found| found == line), "{line}");
    }
}

#[test]
fn every_service_is_confined() {
    for name in SERVICES {
        let service = unit(name);
        for (setting, value) in [
            ("NoNewPrivileges", "yes"),
            ("ProtectSystem", "strict"),
            ("ProtectHome", "yes"),
            ("PrivateTmp", "yes"),
            ("PrivateDevices", "yes"),
            ("CapabilityBoundingSet", ""),
            ("AmbientCapabilities", ""),
            ("MemoryDenyWriteExecute", "yes"),
            ("RestrictAddressFamilies", "AF_INET AF_INET6 AF_UNIX"),
            ("SystemCallArchitectures", "native"),
        ] {
            assert_eq!(one(&service, setting), value, "{name}: {setting}");
        }
        assert_eq!(service["SystemCallFilter"], ["@system-service", "~@privileged @resources"], "{name}");
        assert!(service.contains_key("MemoryMax"), "{name}");
        let dynamic = service.contains_key("DynamicUser");
        let user = service.get("User").map_or("", |values| values[0].as_str());
        assert!(dynamic != (user == "sticker"), "{name} runs as {user:?}");
    }
}

#[test]
fn services_come_back_at_any_hour_but_not_with_a_configuration_that_is_wrong() {
    for name in ["sticker-api.service", "sticker-bot.service", "ai-stickers-landing.service"] {
        let service = unit(name);
        assert_eq!(one(&service, "Restart"), "always", "{name}");
        assert_eq!(one(&service, "StartLimitIntervalSec"), "0", "{name}");
        assert_eq!(one(&service, "RestartPreventExitStatus"), "2", "{name}");
        // What runs gets 15 s to finish; being killed before that would count as a crash.
        let stop = one(&service, "TimeoutStopSec").trim_end_matches('s').parse::<u32>();
        assert!(stop.is_ok_and(|seconds| seconds > 15), "{name}");
    }
}

#[test]
fn the_landing_site_knows_no_secret_of_the_bot() {
    let service = unit("ai-stickers-landing.service");
    assert_eq!(one(&service, "LoadCredential"), "env:/opt/ai-sticker-pack/landing/.env");
    assert!(one(&service, "InaccessiblePaths").contains("/opt/ai-sticker-pack/bot"));
    for line in text("env/landing.env").lines() {
        assert!(!line.starts_with("BOT_TOKEN") && !line.starts_with("DATABASE_URL"), "{line}");
    }
}

#[test]
fn row_002_data_13_the_access_log_is_fourteen_files_of_twenty_mebibytes_without_keys_and_tokens() {
    let caddy = text("caddy/Caddyfile");
    for part in [
        "output file /var/log/caddy/stickers.log {",
        "roll_size 20MiB",
        "roll_keep 14",
        "request>headers delete",
        "request>uri regexp",
        "respond /metrics 404",
    ] {
        assert!(caddy.contains(part), "{part}");
    }
    assert_eq!(caddy.matches("import access").count(), 2, "both sites are logged in the same way");
}

#[test]
fn row_002_data_12_the_journal_forgets_after_fourteen_days() {
    let journal = text("systemd/journald.conf");
    assert!(journal.lines().any(|line| line == "MaxRetentionSec=14day"));
}

fn handbook() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/handbook")
}

/// The anchors of a page: its headings as a forge writes them.
fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter_map(|line| line.strip_prefix('#'));
    headings
        .map(|heading| {
            let words = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = words.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

#[test]
fn every_link_of_the_handbook_leads_to_a_file_and_a_section_that_are_there() {
    let mut links = 0;
    for entry in fs::read_dir(handbook()).expect("the handbook").flatten() {
        let page = fs::read_to_string(entry.path()).expect("a page");
        for link in page.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.starts_with("http") {
                continue;
            }
            let (file, section) = link.split_once('#').unwrap_or((link, ""));
            let path = if file.is_empty() { entry.path() } else { handbook().join(file) };
            let target = fs::read_to_string(&path);
            let from = entry.file_name();
            let target = target.unwrap_or_else(|error| panic!("{from:?} links to {link}: {error}"));
            let found = section.is_empty() || anchors(&target).iter().any(|anchor| anchor == section);
            assert!(found, "{from:?} links to {link}, and there is no such section");
            links += 1;
        }
    }
    assert!(links > 20, "only {links} links were found");
}

#[test]
fn every_variable_of_the_templates_and_of_the_compose_file_is_one_that_the_program_reads() {
    let manual = fs::read_to_string(handbook().join("configuration.md")).expect("the page");
    // Those that only the containers' own services or the usual S3 clients know.
    let others = ["POSTGRES_", "S3_SECRET", "AWS_"];
    let named = |text: &str, separator: char| -> Vec<String> {
        let names = text.lines().filter_map(|line| line.trim().split_once(separator)).map(|(name, _)| name);
        let variable = |name: &&str| {
            name.len() > 3 && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        };
        names.filter(variable).map(str::to_owned).collect()
    };
    let mut checked = 0;
    for (file, separator) in
        [("env/kiosk.env", '='), ("env/landing.env", '='), ("env/compose.env", '='), ("compose.yaml", ':')]
    {
        for name in named(&text(file), separator) {
            if others.iter().any(|other| name.starts_with(other)) {
                continue;
            }
            assert!(manual.contains(&format!("`{name}`")), "{file} sets {name}, which nothing reads");
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} variables were found");
}

#[test]
fn dashboard_and_alarms_ask_for_figures_that_exist() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/src");
    let told = ["ops/metrics.rs", "shell/observe.rs"]
        .map(|file| fs::read_to_string(source.join(file)).expect("where figures are made"))
        .concat();
    let mut names = 0;
    for file in ["grafana/stickers.json", "prometheus/alerts.yaml"] {
        let text = text(file);
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for word in words.filter(|word| word.starts_with("stickers_") || word.starts_with("http_request")) {
            let name = word.trim_end_matches("_bucket");
            assert!(told.contains(name), "{file} asks for {word}, which nobody tells");
            names += 1;
        }
    }
    assert!(names > 30, "only {names} figures were found");
}
