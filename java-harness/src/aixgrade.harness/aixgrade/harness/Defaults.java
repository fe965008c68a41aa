package aixgrade.harness;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.Provider;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TimeZone;

/** The JVM-wide settings that tests rely on, stored before the solution runs and compared after. */
final class Defaults {
    /** Security settings that affect cryptography, networking or class loading. */
    private static final List<String> SECURITY = List.of(
            "securerandom.source", "keystore.type", "networkaddress.cache.ttl", "jdk.certpath.disabledAlgorithms",
            "jdk.tls.disabledAlgorithms", "package.access", "package.definition");

    private final Locale locale = Locale.getDefault();
    private final Locale display = Locale.getDefault(Locale.Category.DISPLAY);
    private final Locale format = Locale.getDefault(Locale.Category.FORMAT);
    private final TimeZone zone = TimeZone.getDefault();
    private final InputStream in = System.in;
    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final Properties properties = System.getProperties();
    private final Map<Object, Object> settings = Map.copyOf(properties);
    private final String security;

    private Defaults(boolean withSecurity) {
        security = withSecurity ? security() : null;
    }

    /**
     * The current settings. Reading the security providers loads them all, which takes as long as
     * everything else together, so it is done only if a solution uses them.
     */
    static Defaults now(boolean withSecurity) {
        return new Defaults(withSecurity);
    }

    /** Whether classes name Java's security settings, as a type or in a string. */
    static boolean concernSecurity(Collection<byte[]> classes) {
        for (byte[] bytes : classes) {
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            if (text.contains("java/security/Security") || text.contains("java.security.Security")) {
                return true;
            }
        }
        return false;
    }

    /** The names of the settings that have changed since. */
    List<String> changed() {
        List<String> changed = new ArrayList<>();
        note(changed, "locale", locale.equals(Locale.getDefault())
                && display.equals(Locale.getDefault(Locale.Category.DISPLAY))
                && format.equals(Locale.getDefault(Locale.Category.FORMAT)));
        note(changed, "time zone", zone.equals(TimeZone.getDefault()));
        note(changed, "System.in", in == System.in);
        note(changed, "System.out", out == System.out);
        note(changed, "System.err", err == System.err);
        note(changed, "system properties", properties == System.getProperties() && unchanged());
        note(changed, "security properties", security == null || security.equals(security()));
        note(changed, "uncaught exception handler", Thread.getDefaultUncaughtExceptionHandler() == null);
        return changed;
    }

    private static void note(List<String> changed, String what, boolean same) {
        if (!same) {
            changed.add(what);
        }
    }

    /** Whether the initial properties are unchanged; new ones are ignored. */
    private boolean unchanged() {
        Properties now = System.getProperties();
        for (Map.Entry<Object, Object> entry : settings.entrySet()) {
            if (!entry.getValue().equals(now.get(entry.getKey()))) {
                return false;
            }
        }
        return true;
    }

    private static String security() {
        StringBuilder text = new StringBuilder(Arrays.toString(
                Arrays.stream(Security.getProviders()).map(Provider::getName).toArray()));
        for (String key : SECURITY) {
            text.append(key).append('=').append(Security.getProperty(key));
        }
        return text.toString();
    }
}
