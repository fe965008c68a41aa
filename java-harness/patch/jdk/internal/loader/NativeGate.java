package jdk.internal.loader;

/**
 * Decides which code may bind native methods or load native libraries: only what the boot loader defined.
 *
 * <p>The image's {@code java.base} contains this class, and calls it first in every method that loads a library,
 * looks up the address of a native method, or enables {@code java.lang.foreign} for a caller. Without it, a class that
 * a solution defines under a JDK class's name could bind the JDK's own native code and write to any descriptor.
 */
public final class NativeGate {
    private NativeGate() {}

    /** Refuses a class that the boot loader did not define. */
    public static void check(Class<?> caller) {
        if (caller == null || caller.getClassLoader() != null) {
            throw refusal();
        }
    }

    /** Refuses every loader but the boot loader, which Java represents as {@code null}. */
    public static void check(ClassLoader loader) {
        if (loader != null) {
            throw refusal();
        }
    }

    private static UnsatisfiedLinkError refusal() {
        return new UnsatisfiedLinkError("native code is not available");
    }
}
