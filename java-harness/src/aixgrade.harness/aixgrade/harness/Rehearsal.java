package aixgrade.harness;

import aixgrade.api.Copies;
import aixgrade.api.Once;
import aixgrade.wire.Control;
import aixgrade.wire.Control.Frame;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.util.List;

/**
 * Runs through all steps of a runner, with jobs that do nothing, while the image is built. The classes that it loads go
 * into the image's archive, so that no runner needs to load them itself.
 */
final class Rehearsal {
    private Rehearsal() {}

    public static void main(String[] args) throws Exception {
        // Standard output instead of the control descriptor, through the same code.
        Control.on(1);
        for (String kind : List.of("aixbench", "aixgrade")) {
            Frame preparation = new Frame('T').number(3);
            preparation.string("a").string("hidden").string("b").string("exported").string("c").string("open");
            preparation.number(0).number(0).number(1).string(args[0] + "/rehearsal/file").bytes(new byte[1]);
            Frame job = new Frame('J').string(kind).string("a.None").string("").string("").string("None");
            job.number(kind.equals("aixbench") ? 1 : 0).number(0).bytes(new byte[0]);
            // Not a class: the tests end with an error, as intended.
            job.number(1).string("a.None").bytes(new byte[1]).number(1).string("None").bytes(new byte[1]);
            ByteArrayOutputStream in = new ByteArrayOutputStream();
            in.writeBytes(preparation.whole());
            in.writeBytes(job.whole());
            in.writeBytes(new Frame('N').string("nonce").whole());
            Runner.serve(new Control(new ByteArrayInputStream(in.toByteArray()), new ByteArrayOutputStream()), 1);
        }
        // What published tests call.
        Once.enter(new Object());
        new Copies().of(new int[1], int[].class);
        System.out.println(FileDescriptor.out.valid());
    }
}
