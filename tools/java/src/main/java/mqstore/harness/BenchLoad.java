package mqstore.harness;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageExtBatch;
import org.apache.rocketmq.store.DefaultMessageStore;
import org.apache.rocketmq.store.MessageExtBrokerInner;
import org.apache.rocketmq.store.PutMessageResult;
import org.apache.rocketmq.store.PutMessageStatus;

/** Writers that put as fast as they can, each waiting for its answers. Only the call itself counts as latency. */
final class BenchLoad {
    private static final InetSocketAddress BORN = new InetSocketAddress("127.0.0.1", 40000);
    private static final InetSocketAddress STORE = new InetSocketAddress("127.0.0.1", 10911);
    private static final long LONGEST_NANOS = 60_000_000_000L;

    final int batch;
    final int topics;
    final int queues;
    final String props;
    private final DefaultMessageStore store;
    private final byte[] body;

    BenchLoad(DefaultMessageStore store, int bodyBytes, int batch, int topics, int queues, String props) {
        if (!List.of("none", "tags", "full").contains(props)) throw new Cli.Usage("--props is none, tags or full");
        this.store = store;
        this.body = Bytes.fill(bodyBytes, 42);
        this.batch = batch;
        this.topics = topics;
        this.queues = queues;
        this.props = props;
    }

    int bodyBytes() {
        return body.length;
    }

    static final class Result {
        final Histogram latency = new Histogram(LONGEST_NANOS, 3);
        long messages;
        long storedBytes;
        long failedCalls;
        String lastFailure;
        long nanos;
    }

    /** As many calls as fit into the time if there is one, else this many, shared out evenly. */
    Result run(int threads, long calls, double seconds) throws Exception {
        CyclicBarrier go = new CyclicBarrier(threads + 1);
        AtomicLong deadline = new AtomicLong();
        List<Writer> writers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            long share = seconds > 0 ? Long.MAX_VALUE : calls / threads + (i < calls % threads ? 1 : 0);
            Writer w = new Writer(i, share, go, deadline);
            w.start();
            writers.add(w);
        }
        long start = System.nanoTime();
        deadline.set(seconds > 0 ? start + (long) (seconds * 1e9) : Long.MAX_VALUE);
        go.await();
        Result all = new Result();
        for (Writer w : writers) w.join();
        all.nanos = System.nanoTime() - start;
        for (Writer w : writers) {
            all.latency.add(w.result.latency);
            all.messages += w.result.messages;
            all.storedBytes += w.result.storedBytes;
            all.failedCalls += w.result.failedCalls;
            if (w.result.lastFailure != null) all.lastFailure = w.result.lastFailure;
        }
        return all;
    }

    private final class Writer extends Thread {
        final Result result = new Result();
        private final int number;
        private final long calls;
        private final CyclicBarrier go;
        private final AtomicLong deadline;

        Writer(int number, long calls, CyclicBarrier go, AtomicLong deadline) {
            super("bench-" + number);
            this.number = number;
            this.calls = calls;
            this.go = go;
            this.deadline = deadline;
        }

        @Override
        public void run() {
            try {
                go.await();
                long end = deadline.get();
                boolean timed = end != Long.MAX_VALUE;
                for (long n = 0; n < calls && (!timed || System.nanoTime() < end); n++) {
                    if (batch > 1) putBatch(n);
                    else putOne(n);
                }
            } catch (Exception e) {
                result.failedCalls++;
                result.lastFailure = e.toString();
            }
        }

        private void putOne(long n) throws InterruptedException {
            MessageExtBrokerInner m = new MessageExtBrokerInner();
            setCommon(m, n);
            m.setBody(body);
            Map<String, String> p = properties(n);
            MessageAccessor.setProperties(m, p);
            m.setPropertiesString(MessageDecoder.messageProperties2String(p));
            long start = System.nanoTime();
            count(store.putMessage(m), start);
        }

        private void putBatch(long n) throws InterruptedException {
            MessageExtBatch b = new MessageExtBatch();
            setCommon(b, n);
            MessageAccessor.setProperties(b, new HashMap<>());
            List<Message> items = new ArrayList<>(batch);
            for (int i = 0; i < batch; i++) {
                Message m = new Message();
                m.setBody(body);
                MessageAccessor.setProperties(m, properties(n * batch + i));
                items.add(m);
            }
            b.setBody(MessageDecoder.encodeMessages(items));
            long start = System.nanoTime();
            count(store.putMessages(b), start);
        }

        private void count(PutMessageResult r, long start) throws InterruptedException {
            result.latency.recordValue(Math.min(LONGEST_NANOS, System.nanoTime() - start));
            if (r.getPutMessageStatus() == PutMessageStatus.PUT_OK) {
                result.messages += r.getAppendMessageResult().getMsgNum();
                result.storedBytes += r.getAppendMessageResult().getWroteBytes();
            } else {
                result.failedCalls++;
                result.lastFailure = r.getPutMessageStatus().name();
                Thread.sleep(1); // a refusing store must not be asked in a tight loop
            }
        }

        private void setCommon(MessageExt m, long n) {
            m.setTopic("bench-topic-" + (int) ((n + number) % topics));
            m.setQueueId((int) ((n / topics) % queues));
            m.setBornTimestamp(System.currentTimeMillis());
            m.setBornHost(BORN);
            m.setStoreHost(STORE);
        }

        /** "full" is what a producer of RocketMQ sends; "tags" the least that tag filters need. */
        private Map<String, String> properties(long n) {
            Map<String, String> p = new HashMap<>();
            if (props.equals("none")) return p;
            p.put("TAGS", "TagA");
            if (props.equals("full")) {
                p.put("UNIQ_KEY", "7F0000010B2A18B4AAC2" + Integer.toHexString(number) + Long.toHexString(n | 0x100000000L));
                p.put("CLUSTER", "DefaultCluster");
                p.put("KEYS", "order-" + n);
            }
            return p;
        }
    }
}
