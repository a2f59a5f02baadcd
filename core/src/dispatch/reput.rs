//! The walk through the log that hands each record to the dispatchers (`doReput`, spec 04
//! section 9.2), a step at a time.

use super::checked::{Checked, Why};
use super::fetch::Span;
use super::request::DispatchRequest;
use super::resync::{Search, Verdict};
use super::sink::Dispatch;
use super::step::{Rules, Step};
use crate::log::CommitLog;
use crate::log::fetch::NoBytes;
use crate::record::parse::RecordView;
use crate::segment::{Segment, SegmentTable};

/// How far a log is dispatched (`ReputMessageService`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reput {
    /// `reputFromOffset`
    position: u64,
    state: State,
}

/// What is known of the place at the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing yet.
    Reading,
    /// It is damaged, and this is how far the search behind it has come.
    Searching(Search),
    /// It is damaged, and nothing behind it counts.
    Stuck(Why),
}

impl Reput {
    /// Dispatches from this log offset on, where a record begins: at most the lowest point that
    /// any queue or the index needs. Those that are further let pass what they have.
    #[must_use]
    pub const fn new(position: u64) -> Self {
        Self { position, state: State::Reading }
    }

    /// Everything below is dispatched or left out (`reputFromOffset`).
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Bytes that are not dispatched of a log that ends at `end`
    /// (`dispatchBehindBytes`); never less than 0.
    #[must_use]
    pub const fn behind(&self, end: u64) -> u64 {
        end.saturating_sub(self.position)
    }

    /// Goes on at another offset, where a record begins: what lies between is left out. For who
    /// knows more than a step does: a recovery that has searched, or an operator.
    pub fn skip_to(&mut self, offset: u64) {
        *self = Self::new(offset);
    }

    /// Looks at damage again: queues may know more than they did, or the medium may be whole.
    pub fn look_again(&mut self) {
        self.state = State::Reading;
    }

    /// Dispatches the next records of `log` below `limit`.
    ///
    /// `limit` is the end of a record, or of what a master has sent so far: the log's end, the
    /// confirmed offset with `duplicationEnable`, or the flushed offset if readers may see no
    /// more. Behind damage it is what a chain of records must reach.
    ///
    /// `scratch` is where a medium that lends no view is read to: as long as the longest record;
    /// it may be empty where views are lent.
    ///
    /// The position moves record by record: whatever stops the step, everything before it is
    /// dispatched, and nothing behind it. Damage is left out only where it is certain what
    /// follows, and named ([`Dispatch::skipped`]); Java skips the rest of the readable data, and
    /// behind a record of a wrong size even what is not written yet (spec 04 section 9.4,
    /// DEFECT).
    pub fn step<S: Segment, T: SegmentTable<S>, D: Dispatch>(
        &mut self,
        log: &CommitLog<S, T>,
        limit: u64,
        scratch: &mut [u8],
        rules: &Rules,
        sink: &mut D,
    ) -> Step<D::Error> {
        let mut left = rules.records_a_step.max(1);
        self.jump(log.min_offset(), sink);
        while self.position < limit {
            if left == 0 {
                return Step::More;
            }
            let went = match self.state {
                State::Reading => self.read(log, limit, scratch, rules, &mut left, sink),
                State::Searching(search) => {
                    self.search(search, log, limit, scratch, &mut left, sink)
                }
                State::Stuck(why) => Err(Step::Damaged { offset: self.position, why }),
            };
            if let Err(step) = went {
                return step;
            }
        }
        Step::Done
    }

    /// What has been removed is not dispatched any more.
    fn jump<D: Dispatch>(&mut self, min: Option<u64>, sink: &mut D) {
        if let Some(min) = min.filter(|min| self.position < *min) {
            sink.jumped(self.position, min);
            self.skip_to(min);
        }
    }

    fn read<S: Segment, T: SegmentTable<S>, D: Dispatch>(
        &mut self,
        log: &CommitLog<S, T>,
        limit: u64,
        scratch: &mut [u8],
        rules: &Rules,
        left: &mut u32,
        sink: &mut D,
    ) -> Result<(), Step<D::Error>> {
        let offset = self.position;
        let Some(segment) = log.table().holding(offset) else {
            let next = log.table().from(offset).map(|s| s.base());
            let next = next.ok_or(Step::NotVisible { offset })?;
            self.state = State::Searching(Search::new(offset, next, Why::Missing));
            return Ok(());
        };
        let span = Span::of(&segment, offset, limit);
        if span.len() == 0 {
            return Err(Step::NotVisible { offset });
        }
        let bytes = span.bytes(&segment, scratch).map_err(no_bytes)?;
        self.dispatch_all(&span, bytes, rules, left, sink)
    }

    /// Dispatches the records in `bytes`, which lie at the position.
    fn dispatch_all<D: Dispatch>(
        &mut self,
        span: &Span,
        mut bytes: &[u8],
        rules: &Rules,
        left: &mut u32,
        sink: &mut D,
    ) -> Result<(), Step<D::Error>> {
        while *left > 0 && !bytes.is_empty() {
            *left -= 1;
            let offset = self.position;
            match Checked::at(offset, bytes, span.room_at(offset)) {
                Checked::Record(record) => {
                    let size = record.total_size();
                    dispatch(record, rules, sink)
                        .map_err(|error| Step::Refused { offset, error })?;
                    self.position += u64::from(size);
                    bytes = bytes.get(size as usize..).unwrap_or_default();
                }
                Checked::Blank => {
                    self.position = span.next_base();
                    return Ok(());
                }
                Checked::Cut { .. } => return Err(Step::NotVisible { offset }),
                Checked::Damaged { why, len } => {
                    self.search_or_stop(Search::behind(offset, len, why, sink), why);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn search_or_stop(&mut self, search: Option<Search>, why: Why) {
        self.state = search.map_or(State::Stuck(why), State::Searching);
    }

    fn search<S: Segment, T: SegmentTable<S>, D: Dispatch>(
        &mut self,
        mut search: Search,
        log: &CommitLog<S, T>,
        limit: u64,
        scratch: &mut [u8],
        left: &mut u32,
        sink: &mut D,
    ) -> Result<(), Step<D::Error>> {
        let why = search.gap.why;
        let verdict = look(&mut search, log, limit, scratch, left, sink).map_err(no_bytes)?;
        self.state = State::Searching(search);
        match verdict {
            Verdict::GoOn => Ok(()),
            Verdict::Wait => Err(Step::Damaged { offset: self.position, why }),
            Verdict::No => {
                self.search_or_stop(search.next(sink), why);
                Ok(())
            }
            Verdict::Counts => {
                sink.skipped(&search.gap);
                self.skip_to(search.gap.to);
                Ok(())
            }
        }
    }
}

/// Looks at the next piece of the chain behind damage.
fn look<S: Segment, T: SegmentTable<S>, D: Dispatch>(
    search: &mut Search,
    log: &CommitLog<S, T>,
    limit: u64,
    scratch: &mut [u8],
    left: &mut u32,
    sink: &mut D,
) -> Result<Verdict, NoBytes> {
    if search.at >= limit {
        return Ok(if search.at == limit { Verdict::Counts } else { Verdict::Wait });
    }
    let Some(segment) = log.table().holding(search.at) else {
        return Ok(if log.table().from(search.at).is_some() { Verdict::No } else { Verdict::Wait });
    };
    let span = Span::of(&segment, search.at, limit);
    if span.len() == 0 {
        return Ok(Verdict::Wait);
    }
    let bytes = span.bytes(&segment, scratch)?;
    Ok(search.walk(&span, bytes, left, sink))
}

/// Hands one record to all who are to know of it, in Java's order (spec 04 section 9.3).
fn dispatch<D: Dispatch>(
    record: RecordView<'_>,
    rules: &Rules,
    sink: &mut D,
) -> Result<(), D::Error> {
    let request = DispatchRequest::new(record, &rules.levels, rules.multi);
    if record.is_dispatched() {
        if request.queue_name().is_none() {
            sink.no_queue(&request);
        }
        sink.queue(&request)?;
    }
    sink.index(&request)?;
    request.arrivals().for_each(|arrival| sink.arrived(&arrival));
    Ok(())
}

fn no_bytes<E>(why: NoBytes) -> Step<E> {
    match why {
        NoBytes::Scratch { needed } => Step::Scratch { needed },
        NoBytes::Medium { base, kind } => Step::Medium { base, kind },
    }
}
