//! Cuts an input into lines, whatever bytes are in it.

use std::io::BufRead;

/// A line longer than this is an error, not a reason to use up all memory.
const LINE_MAX: usize = 256 << 20;

/// The lines of an input.
pub(super) struct Lines<R> {
    input: R,
    /// `None`: the whole input is one line.
    delimiter: Option<Vec<u8>>,
    line: Vec<u8>,
    number: u64,
    bytes: u64,
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) const fn new(input: R, delimiter: Option<Vec<u8>>) -> Self {
        Self { input, delimiter, line: Vec::new(), number: 0, bytes: 0, ended: false }
    }

    /// How many lines there have been.
    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// How many bytes of the input they took.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next line, without its delimiter. What follows the last delimiter is a line unless
    /// it is empty.
    ///
    /// # Errors
    /// A sentence if the input cannot be read, or a line has no end.
    pub(super) fn next_line(&mut self) -> Result<Option<&[u8]>, String> {
        self.line.clear();
        if self.ended {
            return Ok(None);
        }
        let next = self.number + 1;
        let failed = |e: std::io::Error| format!("reading line {next}: {e}");
        loop {
            let chunk = self.input.fill_buf().map_err(failed)?;
            if chunk.is_empty() {
                self.ended = true;
                // an empty input that is taken as a whole is still a message
                let counts = !self.line.is_empty() || (self.delimiter.is_none() && next == 1);
                self.number += u64::from(counts);
                return Ok(counts.then_some(self.line.as_slice()));
            }
            let last = self.delimiter.as_ref().and_then(|d| d.last());
            let end = last.and_then(|last| chunk.iter().position(|b| b == last));
            let taken = end.map_or(chunk.len(), |end| end + 1);
            self.line.extend_from_slice(chunk.get(..taken).unwrap_or_default());
            self.input.consume(taken);
            self.bytes += taken as u64;
            let delimiter = self.delimiter.as_deref().unwrap_or_default();
            if end.is_some() && self.line.ends_with(delimiter) {
                self.line.truncate(self.line.len() - delimiter.len());
                self.number = next;
                return Ok(Some(&self.line));
            }
            if self.line.len() > LINE_MAX {
                return Err(format!("line {next} has more than 256 MiB; is the delimiter right?"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn cut(input: &[u8], delimiter: Option<&[u8]>) -> Vec<Vec<u8>> {
        // a buffer of three bytes, so that lines lie across its ends
        let reader = BufReader::with_capacity(3, input);
        let mut lines = Lines::new(reader, delimiter.map(<[u8]>::to_vec));
        let mut out = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            out.push(line.to_vec());
        }
        assert_eq!(lines.number(), out.len() as u64);
        assert_eq!(lines.bytes(), input.len() as u64);
        out
    }

    #[test]
    fn lines_are_cut_at_the_delimiter_and_nowhere_else() {
        assert_eq!(
            cut(b"a\nbcdef\n\n\xff\r\n", Some(b"\n")),
            [&b"a"[..], b"bcdef", b"", b"\xff\r"]
        );
        assert_eq!(cut(b"a--b-c--", Some(b"--")), [&b"a"[..], b"b-c"]);
        assert_eq!(cut(b"no end", Some(b"\n")), [b"no end"]);
        assert!(cut(b"", Some(b"\n")).is_empty());
    }

    #[test]
    fn the_whole_input_may_be_one_line() {
        assert_eq!(cut(b"a\nb\n", None), [b"a\nb\n"]);
        assert_eq!(cut(b"", None), [b""]);
    }
}
