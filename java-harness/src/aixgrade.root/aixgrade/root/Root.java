package aixgrade.root;

/** Nothing: a package must hold a type to be exported. */
public interface Root {}
