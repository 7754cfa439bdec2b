//! A world with one bot, some persons and a standing clock.

use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use image::{ImageFormat, Rgba, RgbaImage};
use serde_json::{Value, json};
use simulator::{NewPerson, Params, VirtualClock, World};

pub const TOKEN: &str = "123456:TEST";
pub const BOT: i64 = 123_456;
pub const START_MS: i64 = 1_800_000_000_000;

pub struct Stage {
    pub world: World,
    pub kamila: i64,
}

/// A world in which Kamila has pressed Start.
pub fn stage() -> Stage {
    let world = World::new(Arc::new(VirtualClock::at(START_MS)), 7);
    world.add_bot(TOKEN, "stickers_sim_bot", "Sticker kiosk");
    let kamila = world.add_person(NewPerson::named("Камила", "ru")).unwrap().id;
    world.start(kamila, BOT, None).unwrap();
    Stage { world, kamila }
}

impl Stage {
    pub async fn call(&self, method: &str, params: impl Into<Params>) -> (u16, Value) {
        self.world.call(TOKEN, method, params).await
    }

    /// The result of a call that must succeed.
    pub async fn done(&self, method: &str, params: impl Into<Params>) -> Value {
        let (status, body) = self.call(method, params).await;
        assert_eq!(status, 200, "{method}: {body}");
        assert_eq!(body["ok"], true);
        body["result"].clone()
    }

    /// A call that must be refused with exactly this.
    pub async fn refused(&self, row: &str, method: &str, params: impl Into<Params>, words: &str) {
        let (status, body) = self.call(method, params).await;
        let code: u16 = words[..3].parse().unwrap();
        assert_eq!((status, body["description"].as_str()), (code, Some(&words[4..])), "{row}");
        assert_eq!(body["ok"], false, "{row}");
        assert_eq!(body["error_code"], code, "{row}");
    }

    pub fn later(&self, seconds: u64) {
        assert!(self.world.advance(Duration::from_secs(seconds)));
    }

    /// Somebody new who has not met the bot.
    pub fn stranger(&self, name: &str) -> i64 {
        self.world.add_person(NewPerson::named(name, "en")).unwrap().id
    }

    /// Sends a text to Kamila; answers its number.
    pub async fn send(&self, text: &str) -> i64 {
        let sent = self.done("sendMessage", json!({"chat_id": self.kamila, "text": text})).await;
        sent["message_id"].as_i64().unwrap()
    }

    /// Fetches and confirms what waits, calmly.
    pub async fn updates(&self) -> Vec<Value> {
        self.later(4);
        let found = self.done("getUpdates", json!({})).await.as_array().unwrap().clone();
        if let Some(last) = found.last() {
            self.later(4);
            let next = last["update_id"].as_i64().unwrap() + 1;
            self.done("getUpdates", json!({"offset": next, "limit": 1})).await;
        }
        found
    }

    /// A set with so many stickers; answers its name.
    pub async fn make_set(&self, short: &str, count: usize) -> String {
        let name = format!("{short}_by_stickers_sim_bot");
        self.done("createNewStickerSet", pack(self.kamila, &name, count)).await;
        name
    }
}

/// The parameters of a whole pack in one call.
pub fn pack(owner: i64, name: &str, count: usize) -> Params {
    let stickers: Vec<Value> = (0..count).map(|n| input(&format!("attach://p{n}"))).collect();
    let params = Params::new()
        .with("user_id", owner)
        .with("name", name)
        .with("title", "Космонавт")
        .with("stickers", json!(stickers));
    let picture = Bytes::from(png(512, 512));
    (0..count).fold(params, |params, n| params.file(&format!("p{n}"), "s.png", picture.clone()))
}

/// An `InputSticker` of this file.
pub fn input(sticker: &str) -> Value {
    json!({"sticker": sticker, "format": "static", "emoji_list": ["😀", "✨"]})
}

fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let image = RgbaImage::from_fn(width, height, |x, _| Rgba([200, 40, 90, if x < 20 { 0 } else { 255 }]));
    let mut bytes = Cursor::new(Vec::new());
    if format == ImageFormat::Jpeg {
        let flat = image::DynamicImage::ImageRgba8(image).to_rgb8();
        flat.write_to(&mut bytes, format).unwrap();
    } else {
        image.write_to(&mut bytes, format).unwrap();
    }
    bytes.into_inner()
}

pub fn png(width: u32, height: u32) -> Vec<u8> {
    picture(width, height, ImageFormat::Png)
}

pub fn webp(width: u32, height: u32) -> Vec<u8> {
    picture(width, height, ImageFormat::WebP)
}

pub fn jpeg(width: u32, height: u32) -> Vec<u8> {
    picture(width, height, ImageFormat::Jpeg)
}
