//! Where this store answers differently from Java on purpose: one rule each.

/// A decision of spec 08 under which an answer differs from Java's.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name, as failures print it.
    pub name: &'static str,
    /// The row of spec 08 that it follows.
    pub spec: &'static str,
    /// What Java does.
    pub java: &'static str,
    /// What this store does.
    pub ours: &'static str,
}

/// A topic of more than 127 bytes.
pub static TOPIC_BYTES: Rule = Rule {
    name: "topic-over-127-bytes",
    spec: "08 section 3, writing: topic over 127 bytes",
    java: "PUT_OK; the record has a negative topic length and cannot be read",
    ours: "MESSAGE_ILLEGAL, nothing written",
};

/// A name that cannot be that of a folder.
pub static FOLDER_NAME: Rule = Rule {
    name: "name-of-no-folder",
    spec: "08 section 3, writing: names",
    java: "PUT_OK; queue files land somewhere else, or nowhere",
    ours: "MESSAGE_ILLEGAL, nothing written",
};

/// A light queue whose name cannot be that of a folder.
pub static LIGHT_NAME: Rule = Rule {
    name: "light-queue-of-no-folder",
    spec: "08 section 3, writing: names",
    java: "PUT_OK; queue files land somewhere else, or nowhere",
    ours: "MESSAGE_ILLEGAL, nothing written",
};

/// A separator inside a name or value of a property map.
pub static SEPARATOR: Rule = Rule {
    name: "separator-in-property-map",
    spec: "08 section 3, writing: structured properties with U+0001 or U+0002",
    java: "PUT_OK; the properties are read back as others",
    ours: "MESSAGE_ILLEGAL, nothing written",
};

/// Properties of a message and its batch over 32767 bytes together.
pub static BATCH_PROPERTIES: Rule = Rule {
    name: "batch-properties-overflow",
    spec: "08 section 3, writing: batch and inner properties over 32767 in sum",
    java: "PUT_OK; the record has a negative properties length and cannot be read",
    ours: "MESSAGE_ILLEGAL, nothing written",
};

/// A record or batch that no file can hold.
pub static LARGER_THAN_FILE: Rule = Rule {
    name: "larger-than-a-file",
    spec: "08 section 3, writing: a record, or a batch as a whole, larger than a file can hold",
    java: "PUT_OK with END_OF_FILE; one or two whole files are filled with blanks",
    ours: "MESSAGE_ILLEGAL, nothing written",
};

/// A negative length inside an encoded batch.
pub static BATCH_NEGATIVE: Rule = Rule {
    name: "negative-length-in-batch",
    spec: "08 rule 5, 01 section 3.2: malformed client encoding",
    java: "its cursor moves backwards; whatever comes of it",
    ours: "MESSAGE_ILLEGAL, nothing written",
};

/// An IPv6 bit in the sysFlag, with an IPv4 host.
pub static IPV6_FLAG: Rule = Rule {
    name: "ipv6-flag-of-ipv4-host",
    spec: "08 section 3, writing: an IPv6 flag in the sysFlag with an IPv4 host",
    java: "PUT_OK; the record is 12 bytes short of its size",
    ours: "PUT_OK; the flag is set from the address",
};

/// Made not writeable by hand while another reason holds.
pub static FLAG_BY_HAND: Rule = Rule {
    name: "flag-by-hand-counts",
    spec: "08 section 3, writing: each reason for refusing writes",
    java: "ignored while another reason holds",
    ours: "counts, and stays until cleared by hand",
};

/// A disk that was said to be full.
pub static FLAG_STAYS: Rule = Rule {
    name: "flag-stays",
    spec: "08 section 3, writing: a flag set by hand stays until cleared by hand",
    java: "its disk check, one second after the start and then every ten, clears a full disk",
    ours: "puts are refused until it is cleared by hand",
};

/// Raw bytes that do not continue the log.
pub static RAW_NOT_CONTINUING: Rule = Rule {
    name: "raw-bytes-continue-the-log",
    spec: "08 rule 3, C-12: a stored physical offset that differs from its place",
    java: "appended wherever the log ends",
    ours: "refused, nothing written",
};

/// The first puts of a slave that has become a master.
pub static SLAVE_TO_MASTER: Rule = Rule {
    name: "queue-offsets-continue-the-raw-bytes",
    spec: "08 section 3, writing: queue offsets when a slave becomes master",
    java: "queue offsets begin at 0 again",
    ours: "queue offsets go on behind the messages of the raw bytes",
};

/// All of them.
pub static RULES: [&Rule; 12] = [
    &TOPIC_BYTES,
    &FOLDER_NAME,
    &LIGHT_NAME,
    &SEPARATOR,
    &BATCH_PROPERTIES,
    &LARGER_THAN_FILE,
    &BATCH_NEGATIVE,
    &IPV6_FLAG,
    &FLAG_BY_HAND,
    &FLAG_STAYS,
    &RAW_NOT_CONTINUING,
    &SLAVE_TO_MASTER,
];
