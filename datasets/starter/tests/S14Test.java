package aixgrade.starter;

import aixgrade.api.Cases;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;

public final class S14Test {
    public interface Solution {
        long copyAtMost(InputStream in, OutputStream out, long limit) throws Exception;
    }

    public static void cases(Cases<Solution> cases) {
        cases.equal("everything fits", List.of(5L, 5), s -> {
            Sink out = new Sink();
            long copied = s.copyAtMost(new Source(bytes(5), 100), out, 100);
            return List.of(copied, out.size());
        });
        cases.equal("stops at the limit", bytes(1000), s -> {
            Sink out = new Sink();
            s.copyAtMost(new Source(bytes(20_000), 20_000), out, 1000);
            return out.toByteArray();
        });
        cases.equal("returns the limit", 1000L, s -> s.copyAtMost(new Source(bytes(20_000), 20_000), new Sink(), 1000));
        cases.equal("takes nothing beyond the limit", 15_000, s -> {
            Source in = new Source(bytes(20_000), 20_000);
            s.copyAtMost(in, new Sink(), 5000);
            return in.available();
        });
        cases.equal("input that comes in small pieces", bytes(20_000), s -> {
            Sink out = new Sink();
            s.copyAtMost(new Source(bytes(30_000), 7), out, 20_000);
            return out.toByteArray();
        });
        cases.equal("limit 0", List.of(0L, 9), s -> {
            Source in = new Source(bytes(9), 100);
            return List.of(s.copyAtMost(in, new Sink(), 0), in.available());
        });
        cases.check("flushes, closes nothing", s -> {
            Source in = new Source(bytes(50), 50);
            Sink out = new Sink();
            s.copyAtMost(in, out, 20);
            return out.flushed && !out.closed && !in.closed;
        });
    }

    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = (byte) (i * 31 + 7);
        }
        return bytes;
    }

    /** Gives at most {@code piece} bytes a call, as a socket does. */
    private static final class Source extends ByteArrayInputStream {
        private final int piece;
        private boolean closed;

        Source(byte[] bytes, int piece) {
            super(Arrays.copyOf(bytes, bytes.length));
            this.piece = piece;
        }

        @Override
        public synchronized int read(byte[] target, int offset, int length) {
            return super.read(target, offset, Math.min(length, piece));
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static final class Sink extends ByteArrayOutputStream {
        private boolean flushed;
        private boolean closed;

        @Override
        public void flush() {
            flushed = true;
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
