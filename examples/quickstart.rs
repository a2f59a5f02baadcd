//! A store in a folder: a message, a batch, a transaction, a delayed message; and where they lie.
//!
//! `cargo run -p mqstore-examples --bin quickstart -- some/folder`

use core::error::Error;
use std::env;
use std::path::PathBuf;

use mqstore::config::MessageStoreConfig;
use mqstore::{
    AppendMessageResult, BatchBody, Message, MessageBatch, Properties, PropertyMap,
    PutMessageResult, StoreOptions,
};
use mqstore_core::record::sysflag::{TRANSACTION_COMMIT_TYPE, TRANSACTION_PREPARED_TYPE};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args_os()
        .nth(1)
        .map_or_else(|| env::temp_dir().join("mqstore-quickstart"), PathBuf::from);

    // Every setting has the name that RocketMQ gives it; what is left out has its default.
    let mut config = MessageStoreConfig::default();
    config.set_root(&folder.to_string_lossy());
    config.set("mappedFileSizeCommitLog", "16777216")?;
    let store = StoreOptions::with_config(config).open()?;

    // One message. Any thread may put at any time.
    let tags =
        PropertyMap { entries: &[("TAGS", "paid"), ("KEYS", "order-1")], ..Default::default() };
    let order = Message {
        born_timestamp: store.now(),
        properties: Properties::Map(tags),
        ..Message::new("orders", 0, b"three apples")
    };
    println!("single     {}", place(&stored(store.put(&order))?));

    // Several messages of one queue: all of them or none.
    let mut three = BatchBody::new();
    for body in ["one pear", "two pears", "no pears"] {
        three.push(0, body.as_bytes(), "")?;
    }
    let batch = MessageBatch { head: Message::new("orders", 1, three.as_bytes()) };
    let pears = stored(store.put_batch(&batch))?;
    println!("batch      {}", place(&pears));
    for id in pears.message_ids() {
        println!("           message id {id}");
    }

    // A transaction: the first half is in the log but in no queue, until the second half says
    // what became of it.
    let payment = Message::new("payments", 0, b"three apples, 1.20");
    let half = Message { sys_flag: TRANSACTION_PREPARED_TYPE, ..payment };
    let prepared = stored(store.put(&half))?;
    println!("prepared   {}", place(&prepared));
    let committed = Message {
        sys_flag: TRANSACTION_COMMIT_TYPE,
        prepared_transaction_offset: i64::try_from(prepared.wrote_offset)?,
        ..payment
    };
    println!("committed  {}", place(&stored(store.put(&committed))?));

    // A delayed message waits in a topic of its own; level 3 is ten seconds.
    let later = Message {
        properties: Properties::Text("DELAY\u{1}3"),
        ..Message::new("reminders", 0, b"eat the apples")
    };
    println!("delayed    {}", place(&stored(store.put(&later))?));

    // Everything so far survives a power cut when this returns.
    println!("flushed    up to {}", store.flush()?);
    store.close()?;
    Ok(())
}

/// Where the messages lie; or, as an error, why they are not stored.
fn stored(result: PutMessageResult) -> Result<AppendMessageResult, String> {
    let PutMessageResult { status, cause, append } = result;
    let refused = || match cause {
        Some(cause) => format!("{}: {cause}", status.java_name()),
        None => status.java_name().to_owned(),
    };
    append.ok_or_else(refused)
}

fn place(stored: &AppendMessageResult) -> String {
    let (count, at, len) = (stored.msg_num, stored.wrote_offset, stored.wrote_bytes);
    format!("{count} at {at}, {len} bytes, queue offset {}", stored.queue_offset)
}
