//! The embedded networks against the numbers of the originals (`tests/data/golden.json`).

use serde_json::Value;

use super::*;

fn golden(model: &str) -> Value {
    let text = include_str!("../../../tests/data/golden.json");
    serde_json::from_str::<Value>(text).unwrap()[model].clone()
}

/// The crop of the astronaut that the golden entry names, averaged over blocks of its factor.
fn input(entry: &Value) -> Picture {
    let bytes = include_bytes!("../../../tests/data/astronaut.png");
    let image = image::load_from_memory(bytes).unwrap().into_rgb8();
    let n = |v: &Value| v.as_u64().unwrap() as usize;
    let crop: Vec<usize> = entry["crop"].as_array().unwrap().iter().map(n).collect();
    let factor = n(&entry["factor"]);
    let mean = |channel: usize, x: usize, y: usize| {
        let mut sum = 0.0;
        for dy in 0..factor {
            for dx in 0..factor {
                let (px, py) = (crop[0] + x * factor + dx, crop[1] + y * factor + dy);
                sum += f32::from(image.get_pixel(px as u32, py as u32)[channel]);
            }
        }
        sum / (factor * factor) as f32 / 255.0
    };
    let (w, h) = (crop[2] / factor, crop[3] / factor);
    Picture(std::array::from_fn(|c| Plane::from_fn(w, h, |x, y| mean(c, x, y))))
}

fn close(entry: &Value, output: &str, got: &[f32]) {
    for (index, want) in entry["outputs"][output]["values"].as_object().unwrap() {
        let (got, want) = (got[index.parse::<usize>().unwrap()], want.as_f64().unwrap() as f32);
        assert!((got - want).abs() <= 1e-3, "{output}[{index}] is {got}, the original says {want}");
    }
}

#[test]
fn segmentation_gives_the_numbers_of_the_original() {
    let entry = golden("selfie_segmentation");
    close(&entry, "mask", &Models::load().unwrap().mask(&input(&entry)).unwrap().d);
}

#[test]
fn detection_gives_the_numbers_of_the_original() {
    let entry = golden("face_detection_full_range");
    let (regressors, scores) = Models::load().unwrap().faces(&input(&entry)).unwrap();
    close(&entry, "regressors", &regressors);
    close(&entry, "scores", &scores);
}

#[test]
fn landmarks_give_the_numbers_of_the_original() {
    let entry = golden("face_landmark");
    let (points, presence) = Models::load().unwrap().points(&input(&entry)).unwrap();
    close(&entry, "landmarks", &points);
    close(&entry, "presence", &[presence]);
}
