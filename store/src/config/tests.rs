//! The table against RocketMQ's own, and its setters.

use super::table::Settings as _;
use super::*;

/// Name, type and default of each field of `MessageStoreConfig` 4.9.3, in the order of its
/// `getDeclaredFields`.
#[rustfmt::skip]
const JAVA: [(&str, &str, &str); 77] = [
    ("storePathRootDir", "String", "<user home>/store"),
    ("storePathCommitLog", "String", "<user home>/store/commitlog"),
    ("readOnlyCommitLogStorePaths", "String", ""),
    ("mappedFileSizeCommitLog", "int", "1073741824"),
    ("mappedFileSizeConsumeQueue", "int", "6000000"),
    ("enableConsumeQueueExt", "boolean", "false"),
    ("mappedFileSizeConsumeQueueExt", "int", "50331648"),
    ("bitMapLengthConsumeQueueExt", "int", "64"),
    ("flushIntervalCommitLog", "int", "500"),
    ("commitIntervalCommitLog", "int", "200"),
    ("useReentrantLockWhenPutMessage", "boolean", "true"),
    ("flushCommitLogTimed", "boolean", "true"),
    ("flushIntervalConsumeQueue", "int", "1000"),
    ("cleanResourceInterval", "int", "10000"),
    ("deleteCommitLogFilesInterval", "int", "100"),
    ("deleteConsumeQueueFilesInterval", "int", "100"),
    ("destroyMapedFileIntervalForcibly", "int", "120000"),
    ("redeleteHangedFileInterval", "int", "120000"),
    ("deleteWhen", "String", "04"),
    ("diskMaxUsedSpaceRatio", "int", "75"),
    ("fileReservedTime", "int", "72"),
    ("putMsgIndexHightWater", "int", "600000"),
    ("maxMessageSize", "int", "4194304"),
    ("checkCRCOnRecover", "boolean", "true"),
    ("flushCommitLogLeastPages", "int", "4"),
    ("commitCommitLogLeastPages", "int", "4"),
    ("flushLeastPagesWhenWarmMapedFile", "int", "4096"),
    ("flushConsumeQueueLeastPages", "int", "2"),
    ("flushCommitLogThoroughInterval", "int", "10000"),
    ("commitCommitLogThoroughInterval", "int", "200"),
    ("flushConsumeQueueThoroughInterval", "int", "60000"),
    ("maxTransferBytesOnMessageInMemory", "int", "262144"),
    ("maxTransferCountOnMessageInMemory", "int", "32"),
    ("maxTransferBytesOnMessageInDisk", "int", "65536"),
    ("maxTransferCountOnMessageInDisk", "int", "8"),
    ("accessMessageInMemoryMaxRatio", "int", "40"),
    ("messageIndexEnable", "boolean", "true"),
    ("maxHashSlotNum", "int", "5000000"),
    ("maxIndexNum", "int", "20000000"),
    ("maxMsgsNumBatch", "int", "64"),
    ("messageIndexSafe", "boolean", "false"),
    ("haListenPort", "int", "10912"),
    ("haSendHeartbeatInterval", "int", "5000"),
    ("haHousekeepingInterval", "int", "20000"),
    ("haTransferBatchSize", "int", "32768"),
    ("haMasterAddress", "String", ""),
    ("haSlaveFallbehindMax", "int", "268435456"),
    ("brokerRole", "BrokerRole", "ASYNC_MASTER"),
    ("flushDiskType", "FlushDiskType", "ASYNC_FLUSH"),
    ("syncFlushTimeout", "int", "5000"),
    ("slaveTimeout", "int", "3000"),
    ("messageDelayLevel", "String", "1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h"),
    ("flushDelayOffsetInterval", "long", "10000"),
    ("cleanFileForciblyEnable", "boolean", "true"),
    ("warmMapedFileEnable", "boolean", "false"),
    ("offsetCheckInSlave", "boolean", "false"),
    ("debugLockEnable", "boolean", "false"),
    ("duplicationEnable", "boolean", "false"),
    ("diskFallRecorded", "boolean", "true"),
    ("osPageCacheBusyTimeOutMills", "long", "1000"),
    ("defaultQueryMaxNum", "int", "32"),
    ("transientStorePoolEnable", "boolean", "false"),
    ("transientStorePoolSize", "int", "5"),
    ("fastFailIfNoBufferInStorePool", "boolean", "false"),
    ("enableDLegerCommitLog", "boolean", "false"),
    ("dLegerGroup", "String", ""),
    ("dLegerPeers", "String", ""),
    ("dLegerSelfId", "String", ""),
    ("preferredLeaderId", "String", ""),
    ("isEnableBatchPush", "boolean", "false"),
    ("enableScheduleMessageStats", "boolean", "true"),
    ("enableLmq", "boolean", "false"),
    ("enableMultiDispatch", "boolean", "false"),
    ("maxLmqConsumeQueueNum", "int", "20000"),
    ("enableScheduleAsyncDeliver", "boolean", "false"),
    ("scheduleAsyncDeliverMaxPendingLimit", "int", "2000"),
    ("scheduleAsyncDeliverMaxResendNum2Blocked", "int", "3"),
];

#[test]
fn the_77_fields_have_javas_names_types_and_defaults_in_its_order() {
    let fields = MessageStoreConfig::default().fields();
    let ours: Vec<_> = fields.iter().map(|f| (f.name, f.java_type, &*f.default)).collect();
    assert_eq!(ours, JAVA);
    assert_eq!(fields.len(), 77);
}

#[test]
fn a_default_is_what_a_fresh_configuration_holds() {
    let defaults = MessageStoreConfig::with_home("<user home>").fields();
    for field in &defaults {
        assert_eq!(field.value, field.default, "{}", field.name);
    }
    for field in MqstoreSettings::default().fields() {
        assert_eq!(field.value, field.default, "{}", field.name);
        assert!(field.name.starts_with(MqstoreSettings::PREFIX), "{}", field.name);
    }
}

#[test]
fn each_field_is_used_or_says_why_not() {
    let ours = MqstoreSettings::default().fields();
    for field in MessageStoreConfig::default().fields().iter().chain(&ours) {
        let (Use::Used(why) | Use::NotYet(why) | Use::Never(why)) = field.usage;
        assert!(why.len() > 3, "{}", field.name);
        assert!(field.doc.ends_with('.') && !field.doc.contains("  "), "{}", field.name);
        let useless = matches!(field.usage, Use::Never(_));
        assert_eq!(field.name == "putMsgIndexHightWater", useless && field.doc == "Nothing.");
    }
}

#[test]
fn a_field_is_javas_name_in_snake_case() {
    for field in MessageStoreConfig::default().fields() {
        let squeezed = field.field.replace('_', "");
        assert_eq!(squeezed, field.name.to_ascii_lowercase());
    }
}

#[test]
fn each_value_that_is_shown_can_be_set_again() {
    let from = MessageStoreConfig::default();
    let mut to = MessageStoreConfig::default();
    for field in from.fields() {
        to.set(field.name, &field.value).unwrap();
        assert_eq!(from.get(field.name), Some(field.value));
    }
    assert_eq!(to, from);
    let mut settings = MqstoreSettings::default();
    for field in settings.fields() {
        settings.set(field.name, &field.value).unwrap();
    }
    assert_eq!(settings, MqstoreSettings::default());
    assert_eq!(settings.get("mqstore.nothing"), None);
}

fn refusal(name: &str, text: &str) -> String {
    let mut config = MessageStoreConfig::default();
    let error = config.set(name, text).unwrap_err().to_string();
    assert_eq!(config, MessageStoreConfig::default(), "{name}");
    error
}

#[test]
fn booleans_are_true_or_false_in_any_case_and_nothing_else() {
    let mut config = MessageStoreConfig::default();
    config.set("messageIndexEnable", "FALSE").unwrap();
    assert!(!config.message_index_enable);
    config.set("messageIndexEnable", " True ").unwrap();
    assert!(config.message_index_enable);
    for wrong in ["yes", "1", "", "tru", "truefalse"] {
        let error = refusal("messageIndexEnable", wrong);
        assert_eq!(error, format!("messageIndexEnable = '{wrong}': must be true or false"));
    }
}

#[test]
fn numbers_beyond_their_range_or_no_numbers_are_refused() {
    for wrong in ["", "x", "1.5", "0x10", "2147483648", "9223372036854775808", "-1", "1e3", "1_0"] {
        let error = refusal("slaveTimeout", wrong);
        let allowed = "must be a whole number from 0 to 2147483647";
        assert_eq!(error, format!("slaveTimeout = '{wrong}': {allowed}"));
    }
    assert_eq!(
        refusal("osPageCacheBusyTimeOutMills", "9223372036854775808"),
        "osPageCacheBusyTimeOutMills = '9223372036854775808': \
         must be a whole number from 0 to 9223372036854775807"
    );
    let mut config = MessageStoreConfig::default();
    config.set("slaveTimeout", "+2147483647 ").unwrap();
    assert_eq!(config.slave_timeout, i32::MAX);
    config.set("putMsgIndexHightWater", "-2147483648").unwrap();
}

#[test]
fn roles_and_flush_types_are_named_as_in_java() {
    assert_eq!(
        refusal("brokerRole", "MASTER"),
        "brokerRole = 'MASTER': must be one of ASYNC_MASTER, SYNC_MASTER, SLAVE"
    );
    assert_eq!(
        refusal("flushDiskType", "sync_flush"),
        "flushDiskType = 'sync_flush': must be one of SYNC_FLUSH, ASYNC_FLUSH"
    );
}

#[test]
fn an_unknown_name_is_named_with_the_nearest_known_one() {
    assert_eq!(
        refusal("mapedFileSizeCommitLog", "1"),
        "there is no setting 'mapedFileSizeCommitLog'; did you mean 'mappedFileSizeCommitLog'?"
    );
    assert_eq!(
        refusal("fileReserveTime", "1"),
        "there is no setting 'fileReserveTime'; did you mean 'fileReservedTime'?"
    );
    assert_eq!(refusal("a\nb", "1"), "there is no setting 'a\\nb'");
    assert!(refusal(&"x".repeat(5000), "1").len() < 200);
}

#[test]
fn what_only_counts_at_opening_cannot_change_later_but_may_be_said_again() {
    let mut config = MessageStoreConfig::default();
    config.set_live("brokerRole", "SLAVE").unwrap();
    config.set_live("mappedFileSizeCommitLog", "1073741824").unwrap();
    let error = config.set_live("mappedFileSizeCommitLog", "65536").unwrap_err();
    assert_eq!(
        error.to_string(),
        "mappedFileSizeCommitLog = '65536': cannot change while the store runs \
         (it is '1073741824')"
    );
    let mut settings = MqstoreSettings::default();
    settings.set_live("mqstore.answers", "rocketmq-4.9.3").unwrap();
    assert!(settings.set_live("mqstore.backend", "mem").is_err());
    assert!(matches!(
        settings.set_live("brokerRole", "SLAVE"),
        Err(ConfigError::UnknownName { .. })
    ));
}

#[test]
fn our_own_settings_are_checked_too() {
    let mut settings = MqstoreSettings::default();
    assert_eq!(settings.validate(), Ok(()));
    settings.prepared_bytes = -1;
    assert_eq!(
        settings.validate().unwrap_err().to_string(),
        "mqstore.preparedBytes = '-1': must be a whole number from 0 to 4294967295"
    );
    settings = MqstoreSettings { backend: Backend::Block(String::new()), ..Default::default() };
    assert!(settings.validate().is_err());
    settings = MqstoreSettings { multi_path_splitter: String::new(), ..Default::default() };
    assert!(settings.validate().is_err());
}
