//! What a get answers.
