//! Outfits and packs from photo files: with the built-in renderer, and with stand-ins of the image services.

use crate::{Place, err, out};
use serde_json::Value;
use simulator::VirtualClock;
use simulator::images::{GEMINI_KEY, ImageFault, ImageWorld, OPENAI_KEY, Scripted, Task};
use std::path::Path;
use std::process::Output;
use std::sync::Arc;

const PORTRAIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../render/tests/data/astronaut.png");
const TWO_PEOPLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../render/tests/data/two_people_synthetic.png");

#[test]
fn a_new_outfit_passes_the_check_and_a_broken_one_is_told_by_file() {
    let place = Place::new();
    let new = place.run(&["templates", "new", "pirate", "--dir", "outfits"], &[]);
    assert!(new.status.success(), "{}", err(&new));
    let check = place.run(&["templates", "check", "outfits"], &[]);
    assert!(check.status.success(), "{}{}", out(&check), err(&check));
    let template = place.path().join("outfits/pirate/template.toml");
    let text = std::fs::read_to_string(&template).expect("the template");
    std::fs::write(&template, text.replacen("pose = \"", "pose = \"moonwalk_", 1)).expect("written");
    let check = place.run(&["templates", "check", "outfits"], &[]);
    assert_eq!(check.status.code(), Some(1));
    let line = out(&check);
    assert!(line.contains("pirate/template.toml:") && line.contains("moonwalk"), "{line}");
    let json: Value =
        serde_json::from_slice(&place.run(&["templates", "check", "outfits", "--json"], &[]).stdout)
            .expect("JSON");
    assert_eq!(json["ok"], false);
    let problems = json["problems"].as_array().expect("a list");
    assert!(problems.iter().any(|problem| problem["line"].as_u64().is_some_and(|line| line > 0)), "{json}");
}

#[test]
fn photos_become_packs_and_a_refused_one_does_not_stop_the_others() {
    let place = Place::new();
    let output = place.run(
        &[
            "render",
            "--template",
            "hoodie",
            TWO_PEOPLE,
            "nothing.jpg",
            PORTRAIT,
            "--out",
            "packs",
            "--lang",
            "en",
            "--sheet",
            "sheet.png",
        ],
        &[],
    );
    let told = err(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("two_people_synthetic.png") && told.contains("several_faces"), "{told}");
    assert!(told.contains("nothing.jpg"), "{told}");
    assert!(out(&output).contains("astronaut.png: 9 stickers"), "{}", out(&output));
    let pack: Vec<_> = std::fs::read_dir(place.path().join("packs/astronaut")).expect("a folder").collect();
    assert_eq!(pack.len(), 9);
    assert!(std::fs::read(place.path().join("sheet.png")).expect("a sheet").starts_with(b"\x89PNG"));
}

#[test]
fn render_tells_packs_and_refusals_as_json() {
    let place = Place::new();
    let output = place.run(&["render", "--template", "hoodie", PORTRAIT, "--out", "packs", "--json"], &[]);
    assert!(output.status.success(), "{}", err(&output));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["packs"][0]["stickers"].as_array().map(Vec::len), Some(9), "{json}");
    assert_eq!(json["refused"], Value::Array(Vec::new()));
}

/// The stand-ins of both image services, and the environment that leads to them.
struct Services {
    world: ImageWorld,
    env: Vec<(&'static str, String)>,
    _runtime: tokio::runtime::Runtime,
}

impl Services {
    fn start(place: &Place) -> Services {
        let runtime = tokio::runtime::Runtime::new().expect("threads");
        let world = ImageWorld::new(Arc::new(VirtualClock::at(0))).expect("the built-in figures");
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        runtime.spawn(simulator::images::serve(listener, world.clone()));
        // Small sheets are drawn faster.
        let catalogue = include_str!("../../../app/src/providers/providers.toml");
        let small = catalogue.replace("\"2K\"", "\"1K\"").replace("2048x2048", "1024x1024");
        std::fs::write(place.path().join("providers.toml"), small).expect("written");
        let env = vec![
            ("GEMINI_API_URL", url.clone()),
            ("OPENAI_API_URL", url),
            ("GEMINI_API_KEY", GEMINI_KEY.to_owned()),
            ("OPENAI_API_KEY", OPENAI_KEY.to_owned()),
            ("PROVIDERS_FILE", "providers.toml".to_owned()),
        ];
        Services { world, env, _runtime: runtime }
    }

    fn render(&self, place: &Place, provider: &str, more: &[&str], env: &[(&str, &str)]) -> Output {
        let args = ["render", "--provider", provider, "--template", "chapan", PORTRAIT, "--out", "packs"];
        let args: Vec<&str> = args.iter().chain(more).copied().collect();
        let own = self.env.iter().map(|(name, value)| (*name, value.as_str()));
        let env: Vec<(&str, &str)> = own.chain(env.iter().copied()).collect();
        place.run(&args, &env)
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn render_with_a_provider_draws_without_a_database_and_prints_what_it_cost() {
    let place = Place::new();
    let services = Services::start(&place);
    let output = services.render(&place, "gemini", &["--drawings", "drawn", "--sheet", "sheet.png"], &[]);
    let line = out(&output);
    assert!(output.status.success(), "{}", err(&output));
    assert!(line.contains("astronaut.png: 9 stickers in packs/astronaut, 0.0"), "{line}");
    let paid = line.split("USD (").nth(1).expect("the bill");
    let stages: Vec<&str> = paid.split(", ").filter_map(|call| call.split(' ').next()).collect();
    assert_eq!(stages, ["describe", "anchor", "sheet", "judge"], "{line}");
    assert_eq!(names_in(place.path()), ["drawn", "packs", "providers.toml", "sheet.png"]);
    assert_eq!(names_in(&place.path().join("packs/astronaut")).len(), 9);
    let drawn = ["astronaut_a1_report.json", "astronaut_a1_sheet0.jpg", "astronaut_anchor.jpg"];
    assert_eq!(names_in(&place.path().join("drawn")), drawn);
    let output = services.render(&place, "openai", &["--json"], &[]);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let calls = json["packs"][0]["calls"].as_array().expect("calls");
    assert!(calls.len() == 4 && calls.iter().all(|call| call["provider"] == "openai"), "{json}");
    let sum: f64 = calls.iter().filter_map(|call| call["cost_usd"].as_f64()).sum();
    assert!(sum > 0.0 && json["cost_usd"].as_f64() == Some(sum), "{json}");
}

#[test]
fn render_says_clearly_why_a_provider_drew_nothing() {
    let place = Place::new();
    let services = Services::start(&place);
    let refused = |fault: Option<ImageFault>, env: &[(&str, &str)], code: &str| {
        services.world.all_well();
        fault.into_iter().for_each(|fault| {
            assert!(services.world.order(Scripted::once(fault).on(Task::Draw).times(0)));
        });
        let output = services.render(&place, "gemini", &[], env);
        let line = err(&output);
        assert_eq!((output.status.code(), line.lines().count()), (Some(1), 1), "{line}");
        assert!(line.contains(&format!("({code})")) && !line.contains(GEMINI_KEY), "{line}");
        line
    };
    assert!(refused(Some(ImageFault::OutOfFunds), &[], "out_of_funds").contains("credits are depleted"));
    refused(Some(ImageFault::Safety), &[], "refused_by_provider");
    let limit = refused(None, &[("JOB_COST_LIMIT_USD", "0.05")], "cost_limit");
    assert!(limit.contains("of 0.05") && limit.contains("USD (describe 0.0"), "{limit}");
    let key = refused(None, &[("GEMINI_API_KEY", "a-wrong-key")], "provider_failed");
    assert!(key.contains("the key is not valid") && !key.contains("a-wrong-key"), "{key}");
    assert_eq!(names_in(place.path()), ["providers.toml"], "nothing is written");
}
