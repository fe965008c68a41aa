package aixgrade.root;

/** Empty: a package must contain a type to be exported. */
public interface Root {}
