package mqstore.harness;

import com.alibaba.fastjson.JSONObject;
import org.apache.rocketmq.common.SystemClock;

/** Stands still until the trace moves it, so that store timestamps (and so the files) can be reproduced. */
final class TraceClock extends SystemClock {
    private volatile long now;
    private long step;

    TraceClock(long base, long step) {
        this.now = base;
        this.step = step;
    }

    @Override
    public long now() {
        return now;
    }

    /** Every operation moves the clock before it runs: to its "at", else by one step. */
    void tick(JSONObject op) {
        now = op.containsKey("at") ? op.getLongValue("at") : now + step;
    }

    /** The operation "clock". */
    void adjust(JSONObject op) {
        now = Json.number(op, "set", now) + Json.number(op, "advance", 0);
        step = Json.number(op, "step", step);
    }
}
