//! The first story.
