package aixgrade.wire;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;

/**
 * The control descriptor: a socket inherited from the server, neither standard input nor output.
 *
 * <p>A solution can write to descriptors 0, 1 and 2 by public means and to no other, because {@code
 * java.io} is open only to this module (by the image, see docs/engine.md) and the sandbox has no {@code
 * /proc} and no {@code /dev/fd}.
 */
public final class Control {
    /** Increase with every change of a frame's layout. The server rejects any other number. */
    public static final int PROTOCOL = 3;

    /** Maximum length of our frames; a longer one means that the stream is out of sync. */
    private static final int LONGEST_FRAME = 64 << 20;

    private final DataInputStream in;
    private final OutputStream out;

    /** Uses any two streams, for a rehearsal. */
    public Control(InputStream in, OutputStream out) {
        this.in = new DataInputStream(new BufferedInputStream(in, 1 << 16));
        this.out = out;
    }

    /** Opens the descriptor with this number. */
    public static Control on(int number) throws ReflectiveOperationException {
        Constructor<FileDescriptor> make = FileDescriptor.class.getDeclaredConstructor(int.class);
        make.setAccessible(true);
        FileDescriptor descriptor = make.newInstance(number);
        return new Control(new FileInputStream(descriptor), new FileOutputStream(descriptor));
    }

    /** The next frame's content; {@code null} once the server has closed its end. */
    public DataInputStream read() throws IOException {
        int first = in.read();
        if (first < 0) {
            return null;
        }
        int length = first << 24 | in.readUnsignedByte() << 16 | in.readUnsignedByte() << 8 | in.readUnsignedByte();
        if (length < 0 || length > LONGEST_FRAME) {
            throw new IOException("a frame of " + length + " bytes");
        }
        return new DataInputStream(new java.io.ByteArrayInputStream(in.readNBytes(length)));
    }

    /** Sends one frame in one write, so that it arrives completely or not at all. */
    public void write(Frame frame) throws IOException {
        out.write(frame.whole());
    }

    /** An encoded string: its length in bytes, then UTF-8. */
    public static String string(DataInputStream in) throws IOException {
        return new String(bytes(in), StandardCharsets.UTF_8);
    }

    /** Encoded bytes: their number, then the bytes. */
    public static byte[] bytes(DataInputStream in) throws IOException {
        return in.readNBytes(in.readInt());
    }

    /** A frame being built. */
    public static final class Frame {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final DataOutputStream out = new DataOutputStream(bytes);

        /** A frame of this kind. */
        public Frame(char kind) throws IOException {
            out.writeByte(kind);
        }

        /** The encoded frame. */
        public byte[] whole() throws IOException {
            ByteArrayOutputStream whole = new ByteArrayOutputStream(bytes.size() + 4);
            new DataOutputStream(whole).writeInt(bytes.size());
            bytes.writeTo(whole);
            return whole.toByteArray();
        }

        /** Adds a number. */
        public Frame number(int value) throws IOException {
            out.writeInt(value);
            return this;
        }

        /** Adds a string. Lone surrogates become question marks. */
        public Frame string(String value) throws IOException {
            return bytes(value.getBytes(StandardCharsets.UTF_8));
        }

        /** Adds bytes. */
        public Frame bytes(byte[] value) throws IOException {
            out.writeInt(value.length);
            out.write(value);
            return this;
        }
    }
}
