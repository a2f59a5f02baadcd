//! The answers of the store, with the names and ordinals of RocketMQ 4.9.3 (spec 01 section 10).

/// What a put answers.
///
/// Several causes share one status, as in RocketMQ; [`crate::cause::Cause`] tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[expect(missing_docs, reason = "the names are RocketMQ's own")]
pub enum PutMessageStatus {
    PutOk = 0,
    FlushDiskTimeout = 1,
    FlushSlaveTimeout = 2,
    SlaveNotAvailable = 3,
    ServiceNotAvailable = 4,
    /// Spelled with one P in RocketMQ.
    CreateMapedFileFailed = 5,
    MessageIllegal = 6,
    PropertiesSizeExceeded = 7,
    OsPageCacheBusy = 8,
    UnknownError = 9,
    LmqConsumeQueueNumExceeded = 10,
}

impl PutMessageStatus {
    /// Every status, in the order of the ordinals.
    pub const ALL: [Self; 11] = [
        Self::PutOk,
        Self::FlushDiskTimeout,
        Self::FlushSlaveTimeout,
        Self::SlaveNotAvailable,
        Self::ServiceNotAvailable,
        Self::CreateMapedFileFailed,
        Self::MessageIllegal,
        Self::PropertiesSizeExceeded,
        Self::OsPageCacheBusy,
        Self::UnknownError,
        Self::LmqConsumeQueueNumExceeded,
    ];

    /// The name of the constant in `PutMessageStatus.java`.
    #[must_use]
    pub const fn java_name(self) -> &'static str {
        match self {
            Self::PutOk => "PUT_OK",
            Self::FlushDiskTimeout => "FLUSH_DISK_TIMEOUT",
            Self::FlushSlaveTimeout => "FLUSH_SLAVE_TIMEOUT",
            Self::SlaveNotAvailable => "SLAVE_NOT_AVAILABLE",
            Self::ServiceNotAvailable => "SERVICE_NOT_AVAILABLE",
            Self::CreateMapedFileFailed => "CREATE_MAPEDFILE_FAILED",
            Self::MessageIllegal => "MESSAGE_ILLEGAL",
            Self::PropertiesSizeExceeded => "PROPERTIES_SIZE_EXCEEDED",
            Self::OsPageCacheBusy => "OS_PAGECACHE_BUSY",
            Self::UnknownError => "UNKNOWN_ERROR",
            Self::LmqConsumeQueueNumExceeded => "LMQ_CONSUME_QUEUE_NUM_EXCEEDED",
        }
    }
}

/// What the append to the log answered; part of a put's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[expect(missing_docs, reason = "the names are RocketMQ's own")]
pub enum AppendMessageStatus {
    PutOk = 0,
    EndOfFile = 1,
    MessageSizeExceeded = 2,
    PropertiesSizeExceeded = 3,
    UnknownError = 4,
}

impl AppendMessageStatus {
    /// Every status, in the order of the ordinals.
    pub const ALL: [Self; 5] = [
        Self::PutOk,
        Self::EndOfFile,
        Self::MessageSizeExceeded,
        Self::PropertiesSizeExceeded,
        Self::UnknownError,
    ];

    /// The name of the constant in `AppendMessageStatus.java`.
    #[must_use]
    pub const fn java_name(self) -> &'static str {
        match self {
            Self::PutOk => "PUT_OK",
            Self::EndOfFile => "END_OF_FILE",
            Self::MessageSizeExceeded => "MESSAGE_SIZE_EXCEEDED",
            Self::PropertiesSizeExceeded => "PROPERTIES_SIZE_EXCEEDED",
            Self::UnknownError => "UNKNOWN_ERROR",
        }
    }
}

/// What a get answers (`GetMessageStatus.java`, spec 06 section 1).
///
/// Brokers send the name as the remark of their answer, so names are part of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[expect(missing_docs, reason = "the names are RocketMQ's own")]
pub enum GetMessageStatus {
    Found = 0,
    NoMatchedMessage = 1,
    MessageWasRemoving = 2,
    OffsetFoundNull = 3,
    OffsetOverflowBadly = 4,
    OffsetOverflowOne = 5,
    OffsetTooSmall = 6,
    /// Never answered: a queue is made when it is first asked for.
    NoMatchedLogicQueue = 7,
    NoMessageInQueue = 8,
}

impl GetMessageStatus {
    /// Every status, in the order of the ordinals.
    pub const ALL: [Self; 9] = [
        Self::Found,
        Self::NoMatchedMessage,
        Self::MessageWasRemoving,
        Self::OffsetFoundNull,
        Self::OffsetOverflowBadly,
        Self::OffsetOverflowOne,
        Self::OffsetTooSmall,
        Self::NoMatchedLogicQueue,
        Self::NoMessageInQueue,
    ];

    /// The name of the constant in `GetMessageStatus.java`.
    #[must_use]
    pub const fn java_name(self) -> &'static str {
        match self {
            Self::Found => "FOUND",
            Self::NoMatchedMessage => "NO_MATCHED_MESSAGE",
            Self::MessageWasRemoving => "MESSAGE_WAS_REMOVING",
            Self::OffsetFoundNull => "OFFSET_FOUND_NULL",
            Self::OffsetOverflowBadly => "OFFSET_OVERFLOW_BADLY",
            Self::OffsetOverflowOne => "OFFSET_OVERFLOW_ONE",
            Self::OffsetTooSmall => "OFFSET_TOO_SMALL",
            Self::NoMatchedLogicQueue => "NO_MATCHED_LOGIC_QUEUE",
            Self::NoMessageInQueue => "NO_MESSAGE_IN_QUEUE",
        }
    }
}

/// Which part a broker plays in replication (`BrokerRole.java`, spec 02 section 12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum BrokerRole {
    /// Answers without waiting for a slave.
    #[default]
    AsyncMaster = 0,
    /// Answers after a slave has acknowledged.
    SyncMaster = 1,
    /// Takes no puts, only raw bytes from its master.
    Slave = 2,
}

impl BrokerRole {
    /// The name of the constant in `BrokerRole.java`.
    #[must_use]
    pub const fn java_name(self) -> &'static str {
        match self {
            Self::AsyncMaster => "ASYNC_MASTER",
            Self::SyncMaster => "SYNC_MASTER",
            Self::Slave => "SLAVE",
        }
    }

    /// The role with this ordinal.
    #[must_use]
    pub const fn from_ordinal(ordinal: i32) -> Option<Self> {
        match ordinal {
            0 => Some(Self::AsyncMaster),
            1 => Some(Self::SyncMaster),
            2 => Some(Self::Slave),
            _ => None,
        }
    }
}

/// When a put is durable (`FlushDiskType.java`, spec 02 section 12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum FlushDiskType {
    /// Before the put is answered.
    SyncFlush = 0,
    /// Within the flush interval after it.
    #[default]
    AsyncFlush = 1,
}

impl FlushDiskType {
    /// The name of the constant in `FlushDiskType.java`.
    #[must_use]
    pub const fn java_name(self) -> &'static str {
        match self {
            Self::SyncFlush => "SYNC_FLUSH",
            Self::AsyncFlush => "ASYNC_FLUSH",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_follow_the_order_of_the_java_enums() {
        for (i, s) in PutMessageStatus::ALL.into_iter().enumerate() {
            assert_eq!(s as usize, i, "{}", s.java_name());
        }
        for (i, s) in AppendMessageStatus::ALL.into_iter().enumerate() {
            assert_eq!(s as usize, i, "{}", s.java_name());
        }
        for (i, s) in GetMessageStatus::ALL.into_iter().enumerate() {
            assert_eq!(s as usize, i, "{}", s.java_name());
        }
        for i in 0..3 {
            assert_eq!(BrokerRole::from_ordinal(i).map(|r| r as i32), Some(i));
        }
        assert_eq!(BrokerRole::from_ordinal(3), None);
    }
}
