//! The verbs of the product, the bot and the loops. It knows neither HTTP servers nor the environment.
