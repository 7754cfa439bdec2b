//! What both services have alike: how they answer to [`ImageProvider`](super::ImageProvider), and what they log. A client says how it draws one
//! picture (`draw_one`) and how it looks at some (`look`).

use super::error::ImageError;
use super::orders::Answered;

/// Makes a client an image provider of this name.
macro_rules! image_provider {
    ($service:ident, $name:literal) => {
        impl std::fmt::Debug for $service {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.debug_struct(stringify!($service))
                    .field("base_url", &self.wire.base_url())
                    .finish_non_exhaustive()
            }
        }

        impl crate::images::ImageProvider for $service {
            fn name(&self) -> &'static str {
                $name
            }

            fn image_model(&self) -> &str {
                &self.settings.image_model
            }

            fn vision_model(&self) -> Option<&str> {
                self.settings.vision_model.as_deref()
            }

            fn draw(
                &self,
                order: crate::images::DrawOrder,
            ) -> crate::images::Call<'_, crate::images::Picture> {
                Box::pin(self.draw_one(order))
            }

            fn describe(
                &self,
                order: crate::images::DescribeOrder,
            ) -> crate::images::Call<'_, crate::images::Appearance> {
                Box::pin(async move {
                    self.look(Question::describe(&order), crate::images::Appearance::read).await
                })
            }

            fn judge(
                &self,
                order: crate::images::JudgeOrder,
            ) -> crate::images::Call<'_, crate::images::Judgement> {
                Box::pin(async move {
                    let read = |text: &str| crate::images::Judgement::read(text, order.cells);
                    self.look(Question::judge(&order), read).await
                })
            }
        }
    };
}

pub(super) use image_provider;

/// Notes what came of a call.
pub(super) fn log<T>(provider: &str, what: &str, model: &str, result: &Result<Answered<T>, ImageError>) {
    match result {
        Ok(answered) => {
            let (paid, request_id) = (answered.paid, &answered.request_id);
            tracing::debug!(provider, what, model, ?paid, request_id, "an image service answered");
        }
        Err(error) => {
            let (kind, status, request_id) = (error.kind, error.status, &error.request_id);
            tracing::debug!(
                provider,
                what,
                model,
                ?kind,
                status,
                request_id,
                "an image service did not do it"
            );
        }
    }
}
