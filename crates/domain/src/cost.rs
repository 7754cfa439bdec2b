//! What a call to an image provider costs: tokens from its answer, prices from the operator's dated table.

/// Tokens of one call, as the provider counts them. What it does not tell is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Text that was sent.
    pub text_in: u32,
    /// Pictures that were sent.
    pub image_in: u32,
    /// Text that came back, thinking included.
    pub text_out: u32,
    /// Pictures that came back.
    pub image_out: u32,
}

impl Tokens {
    /// Everything that was sent.
    pub fn input(&self) -> u64 {
        u64::from(self.text_in) + u64::from(self.image_in)
    }

    /// Everything that came back.
    pub fn output(&self) -> u64 {
        u64::from(self.text_out) + u64::from(self.image_out)
    }
}

/// US dollars for a million tokens of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Price {
    /// Text that is sent.
    pub text_in: f64,
    /// Pictures that are sent.
    pub image_in: f64,
    /// Text that comes back, thinking included.
    pub text_out: f64,
    /// Pictures that come back.
    pub image_out: f64,
}

impl Price {
    /// US dollars for these tokens.
    pub fn of(&self, tokens: Tokens) -> f64 {
        let part = |count: u32, price: f64| f64::from(count) * price / 1e6;
        part(tokens.text_in, self.text_in)
            + part(tokens.image_in, self.image_in)
            + part(tokens.text_out, self.text_out)
            + part(tokens.image_out, self.image_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_token_has_its_own_price() {
        let price = Price { text_in: 1.5, image_in: 2.0, text_out: 7.5, image_out: 30.0 };
        let tokens = Tokens { text_in: 600, image_in: 2_240, text_out: 300, image_out: 1_680 };
        let cost = 600.0 * 1.5e-6 + 2_240.0 * 2e-6 + 300.0 * 7.5e-6 + 1_680.0 * 30e-6;
        assert!((price.of(tokens) - cost).abs() < 1e-12);
        assert_eq!((tokens.input(), tokens.output()), (2_840, 1_980));
    }
}
