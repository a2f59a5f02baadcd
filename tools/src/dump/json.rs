//! What was found as the Java oracle's `dump` prints it.

use serde_json::Value;

use super::item::{Checkpoint, IndexHeader, Item, Message, QueueEntry, Tail, TailOf};
use super::java_text;
use crate::json::Object;
use crate::replay::data::hex;

/// The oracle's line for an item; `None` for a problem, of which it has no line.
#[must_use]
pub fn to_json(item: &Item) -> Option<Object> {
    let mut o = Object::new();
    match item {
        Item::Store { abort, lock } => {
            put(&mut o, "t", "store");
            put(&mut o, "abort", *abort);
            put(&mut o, "lock", lock.clone());
        }
        Item::Checkpoint(found) => checkpoint(found, &mut o),
        Item::File { path, size, sha256 } => {
            put(&mut o, "t", "file");
            put(&mut o, "path", path.as_str());
            put(&mut o, "size", *size);
            put_some(&mut o, "sha256", sha256.clone());
        }
        Item::Message(m) => message(m, &mut o),
        Item::Undecoded { off, size, body_crc, why: _, sha256 } => {
            message_head(*off, *size, &mut o);
            put(&mut o, "decoded", false);
            put(&mut o, "bodyCRC", *body_crc);
            put_some(&mut o, "sha256", sha256.clone());
        }
        Item::Blank { off, size, to_file_end } => {
            put(&mut o, "t", "blank");
            put(&mut o, "off", *off);
            put(&mut o, "size", *size);
            put(&mut o, "toFileEnd", *to_file_end);
        }
        Item::Tail(found) => tail(found, &mut o),
        Item::QueueEntry(e) => queue_entry(e, &mut o),
        Item::ExtUnit(u) => {
            put(&mut o, "t", "cqExt");
            put(&mut o, "topic", u.topic.as_str());
            put(&mut o, "queueId", u.queue_id);
            put(&mut o, "addr", u.addr);
            put(&mut o, "size", u.size);
            put(&mut o, "tags", u.tags);
            put(&mut o, "storeTime", u.store_time);
            put(&mut o, "bitMapSize", u.bit_map_size);
            put(&mut o, "bitMap", hex(&u.bit_map));
        }
        Item::ExtEnd { addr } => {
            put(&mut o, "t", "cqExtEnd");
            put(&mut o, "addr", *addr);
        }
        Item::Index(header) => index(header, &mut o),
        Item::IndexEntry(e) => {
            put(&mut o, "t", "indexEntry");
            put(&mut o, "i", e.i);
            put(&mut o, "keyHash", e.key_hash);
            put(&mut o, "off", e.off);
            put(&mut o, "timeDiff", e.time_diff);
            put(&mut o, "prev", e.prev);
            put_some(&mut o, "beyondCount", e.beyond_count.then_some(true));
        }
        Item::Config { file, text } => {
            put(&mut o, "t", "config");
            put(&mut o, "file", file.as_str());
            put(&mut o, "text", text.as_str());
        }
        Item::Problem { .. } | Item::Unreadable { .. } => return None,
    }
    Some(o)
}

fn queue_entry(e: &QueueEntry, o: &mut Object) {
    put(o, "t", "cq");
    put(o, "topic", e.topic.as_str());
    put(o, "queueId", e.queue_id);
    put(o, "i", e.i);
    put(o, "off", e.off);
    put(o, "size", e.size);
    put(o, "tags", e.tags);
    put_some(o, "extAddr", e.ext_addr());
}

fn put(o: &mut Object, name: &str, value: impl Into<Value>) {
    o.insert(name.to_owned(), value.into());
}

fn put_some(o: &mut Object, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        put(o, name, value);
    }
}

fn checkpoint(found: &Checkpoint, o: &mut Object) {
    put(o, "t", "checkpoint");
    put(o, "exists", found.size.is_some());
    put_some(o, "size", found.size);
    if let Some([log, queues, index]) = found.times {
        put(o, "physic", log);
        put(o, "logics", queues);
        put(o, "index", index);
        put(o, "restZero", found.rest_zero);
    }
}

fn message_head(off: u64, size: u32, o: &mut Object) {
    put(o, "t", "msg");
    put(o, "off", off);
    put(o, "size", size);
    put(o, "magic", "daa320a7");
}

fn message(m: &Message, o: &mut Object) {
    message_head(m.off, m.size, o);
    put(o, "bodyCRC", m.body_crc);
    put(o, "crcOk", m.crc_ok);
    put(o, "queueId", m.queue_id);
    put(o, "flag", m.flag);
    put(o, "queueOffset", m.queue_offset);
    put(o, "physicalOffset", m.physical_offset);
    put(o, "sysFlag", m.sys_flag);
    put(o, "bornTimestamp", m.born_timestamp);
    put(o, "bornHost", java_text::address(&m.born_host));
    put(o, "storeTimestamp", m.store_timestamp);
    put(o, "storeHost", java_text::address(&m.store_host));
    put(o, "reconsumeTimes", m.reconsume_times);
    put(o, "preparedTransactionOffset", m.prepared_transaction_offset);
    put(o, "bodyLen", m.body_len);
    put_some(o, "bodySha256", m.body_sha256.clone());
    put(o, "topic", m.topic.as_str());
    put(o, "topicLen", m.topic_len);
    put(o, "propertiesLen", m.properties_len);
    put(o, "propertiesRaw", m.properties_raw.as_str());
    let properties: Object =
        m.properties.iter().map(|(n, v)| (n.clone(), Value::from(v.as_str()))).collect();
    put(o, "properties", properties);
    put(o, "msgId", m.msg_id.as_str());
    put(o, "sizeOk", m.size_ok);
    put_some(o, "sha256", m.sha256.clone());
}

fn tail(found: &Tail, o: &mut Object) {
    let name = match found.of {
        TailOf::CommitLog => "clTail",
        TailOf::Queue => "cqTail",
        TailOf::Ext => "cqExtTail",
    };
    put(o, "t", name);
    put(o, "file", found.file.as_str());
    put(o, "from", found.from);
    put(o, "len", found.len);
    put(o, "allZero", found.first_non_zero.is_none());
    put_some(o, "firstNonZero", found.first_non_zero);
    put_some(o, "sha256", found.sha256.clone());
}

fn index(header: &IndexHeader, o: &mut Object) {
    put(o, "t", "index");
    put(o, "file", header.file.as_str());
    put(o, "sizeOk", header.size_ok);
    if let Some(f) = &header.fields {
        put(o, "beginTimestamp", f.begin_timestamp);
        put(o, "endTimestamp", f.end_timestamp);
        put(o, "beginPhyOffset", f.begin_phy_offset);
        put(o, "endPhyOffset", f.end_phy_offset);
        put(o, "hashSlotCount", f.hash_slot_count);
        put(o, "indexCount", f.index_count);
        put(o, "slotNum", f.slot_num);
        put(o, "indexNum", f.index_num);
        let slots = f
            .slots
            .iter()
            .map(|(slot, entry)| Value::from(vec![Value::from(*slot), Value::from(*entry)]));
        put(o, "slots", Value::from(slots.collect::<Vec<Value>>()));
    }
}
