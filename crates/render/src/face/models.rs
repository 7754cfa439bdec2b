//! The three networks, embedded, and running them. Each run uses the caller's thread only: the worker slots of the
//! program are the parallelism.

use std::sync::Arc;

use rten::{Model, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};

use crate::RenderError;
use crate::raster::{Picture, Plane};

static SEGMENTATION: &[u8] = include_bytes!("../../models/selfie_segmentation.onnx");
static DETECTION: &[u8] = include_bytes!("../../models/face_detection_full_range.onnx");
static LANDMARKS: &[u8] = include_bytes!("../../models/face_landmark.onnx");

/// Side of the segmentation's input.
pub(crate) const SEGMENTATION_SIDE: usize = 256;
/// Side of the detector's input.
pub(crate) const DETECTION_SIDE: usize = 192;
/// Side of the landmark network's input.
pub(crate) const LANDMARK_SIDE: usize = 192;

/// All networks, loaded.
pub(crate) struct Models {
    segmentation: Model,
    detection: Model,
    landmarks: Model,
    pool: Arc<ThreadPool>,
}

impl Models {
    /// Loads the embedded files; fails only when the binary is broken.
    pub fn load() -> Result<Models, RenderError> {
        let load = |name, bytes| {
            Model::load_static_slice(bytes).map_err(|e| RenderError::Model { name, cause: e.to_string() })
        };
        Ok(Models {
            segmentation: load("selfie_segmentation", SEGMENTATION)?,
            detection: load("face_detection_full_range", DETECTION)?,
            landmarks: load("face_landmark", LANDMARKS)?,
            pool: Arc::new(ThreadPool::with_num_threads(1)),
        })
    }

    /// Person mask of a 256 x 256 picture in 0..1.
    pub fn mask(&self, picture: &Picture) -> Result<Plane, RenderError> {
        let out = self.run("selfie_segmentation", &self.segmentation, picture, |v| v)?;
        Ok(Plane { w: picture.w(), h: picture.h(), d: first(out)? })
    }

    /// Regressors (16 an anchor) and raw scores of a 192 x 192 picture in 0..1.
    pub fn faces(&self, picture: &Picture) -> Result<(Vec<f32>, Vec<f32>), RenderError> {
        two(self.run("face_detection_full_range", &self.detection, picture, |v| v * 2.0 - 1.0)?)
    }

    /// Landmarks (468 times x, y, z in pixels of the input) and the raw presence of a 192 x 192 picture in 0..1.
    pub fn points(&self, picture: &Picture) -> Result<(Vec<f32>, f32), RenderError> {
        let (points, presence) = two(self.run("face_landmark", &self.landmarks, picture, |v| v)?)?;
        Ok((points, presence.first().copied().unwrap_or(f32::NEG_INFINITY)))
    }

    fn run(
        &self,
        name: &'static str,
        model: &Model,
        picture: &Picture,
        normalise: impl Fn(f32) -> f32,
    ) -> Result<Vec<Vec<f32>>, RenderError> {
        let failed = |cause: String| RenderError::Model { name, cause };
        let pixels: Vec<f32> = picture.0.iter().flat_map(|p| p.d.iter().map(|v| normalise(*v))).collect();
        let input = NdTensor::<f32, 4>::from_data([1, 3, picture.h(), picture.w()], pixels);
        let id = *model.input_ids().first().ok_or_else(|| failed("no input".into()))?;
        let options = RunOptions::default().with_thread_pool(Some(self.pool.clone()));
        let out = model
            .run(vec![(id, ValueOrView::from(input.view()))], model.output_ids(), Some(options))
            .map_err(|e| failed(e.to_string()))?;
        out.into_iter()
            .map(|value| {
                let tensor: Tensor<f32> =
                    value.try_into().map_err(|_| failed("output is not float".into()))?;
                Ok(tensor.to_vec())
            })
            .collect()
    }
}

fn first(mut out: Vec<Vec<f32>>) -> Result<Vec<f32>, RenderError> {
    if out.is_empty() {
        return Err(RenderError::Model { name: "any", cause: "no output".into() });
    }
    Ok(out.swap_remove(0))
}

fn two(out: Vec<Vec<f32>>) -> Result<(Vec<f32>, Vec<f32>), RenderError> {
    let mut out = out.into_iter();
    match (out.next(), out.next()) {
        (Some(a), Some(b)) => Ok((a, b)),
        _ => Err(RenderError::Model { name: "any", cause: "fewer outputs than expected".into() }),
    }
}

#[cfg(test)]
mod tests;
