package tech.streamfusion.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/**
 * Finds native libraries in the jars and loads the engine, once per class loader.
 *
 * <p>A library lies in its jar as {@code /tech/streamfusion/native/<os>-<arch>/<file>}. It is extracted to {@code
 * <java.io.tmpdir>/streamfusion-<user>/<content hash>/<file>}, a directory of the user's own, where all processes of the
 * user share it; an existing file is used only when its content is right. The system property {@value #PATH_PROPERTY}
 * names a directory that is looked into first, for development.
 */
public final class NativeLibrary {

    /** Directory with the libraries themselves, instead of those in the jars. */
    public static final String PATH_PROPERTY = "streamfusion.native.path";

    private static final String ENGINE = "libstreamfusion.so";

    private static boolean loading;

    private NativeLibrary() {}

    /** Loads the engine into this class's loader. Called by {@link NativeEngine} as its first step. */
    static synchronized void load() {
        if (loading) {
            return; // the library looks NativeEngine up while it is being loaded
        }
        loading = true;
        Path file = resolve(NativeLibrary.class, ENGINE);
        try {
            System.load(file.toString());
        } catch (UnsatisfiedLinkError e) {
            if (!isLoadedElsewhere(e)) {
                loading = false;
                throw e;
            }
            loadCopy(file);
        }
    }

    /**
     * The absolute path of a library that the jar of {@code anchor} brings along, extracted when necessary.
     *
     * @throws UnsatisfiedLinkError when there is none for this platform
     */
    public static Path resolve(Class<?> anchor, String fileName) {
        String override = System.getProperty(PATH_PROPERTY);
        if (override != null) {
            Path file = Paths.get(override, fileName).toAbsolutePath();
            if (Files.isRegularFile(file)) {
                return file;
            }
        }
        String resource = "/tech/streamfusion/native/" + platform() + "/" + fileName;
        byte[] content;
        try (InputStream in = anchor.getResourceAsStream(resource)) {
            if (in == null) {
                throw new UnsatisfiedLinkError(
                        "No native library " + resource + " beside " + anchor.getName() + " (platform " + platform() + ")");
            }
            content = in.readAllBytes();
            return extract(content, fileName);
        } catch (IOException e) {
            throw linkError("Cannot extract " + resource + ": " + e + ". Set java.io.tmpdir to a writable directory", e);
        }
    }

    /** {@code linux-x86_64} and the like. */
    static String platform() {
        String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "");
        String arch = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        if (arch.equals("amd64") || arch.equals("x64")) {
            arch = "x86_64";
        } else if (arch.equals("arm64")) {
            arch = "aarch64";
        }
        return os + "-" + arch;
    }

    private static Path extract(byte[] content, String fileName) throws IOException {
        Path file = ownDirectory().resolve(hash(content)).resolve(fileName);
        if (!holds(file, content)) {
            Files.createDirectories(file.getParent());
            Path partial = Files.createTempFile(file.getParent(), fileName, ".partial");
            try {
                Files.write(partial, content);
                Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(partial);
            }
        }
        return file;
    }

    private static boolean holds(Path file, byte[] content) throws IOException {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Arrays.equals(Files.readAllBytes(file), content);
    }

    /** A directory that nobody else can write to. */
    private static Path ownDirectory() throws IOException {
        String user = System.getProperty("user.name", "").replaceAll("[^A-Za-z0-9._-]", "_");
        Path directory = Paths.get(System.getProperty("java.io.tmpdir"), "streamfusion-" + user).toAbsolutePath();
        Set<PosixFilePermission> own = PosixFilePermissions.fromString("rwx------");
        try {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(own));
        } catch (FileAlreadyExistsException e) {
            boolean trusted =
                    Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                            && Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).equals(owner())
                            && Files.getPosixFilePermissions(directory, LinkOption.NOFOLLOW_LINKS).equals(own);
            if (!trusted) {
                // Somebody else's, or open to others: a private one for this process alone.
                return Files.createTempDirectory("streamfusion-", PosixFilePermissions.asFileAttribute(own));
            }
        }
        return directory;
    }

    /** Whom files of this process belong to. */
    private static UserPrincipal owner() throws IOException {
        Path probe = Files.createTempFile("streamfusion-", ".probe");
        try {
            return Files.getOwner(probe, LinkOption.NOFOLLOW_LINKS);
        } finally {
            Files.delete(probe);
        }
    }

    private static boolean isLoadedElsewhere(UnsatisfiedLinkError e) {
        return e.getMessage() != null && e.getMessage().contains("already loaded in another classloader");
    }

    /** The JVM refuses one file in two class loaders, so the second one loads a copy, which needs no name afterwards. */
    private static void loadCopy(Path file) {
        try {
            Path copy = Files.createTempFile(ownDirectory(), ENGINE, ".so");
            try {
                Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
                System.load(copy.toString());
            } finally {
                Files.deleteIfExists(copy);
            }
        } catch (IOException e) {
            loading = false;
            throw linkError("Cannot copy " + file + " for a second class loader: " + e, e);
        }
    }

    private static String hash(byte[] content) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 16; i++) {
                text.append(String.format("%02x", digest[i]));
            }
            return text.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JVM has SHA-256", e);
        }
    }

    private static UnsatisfiedLinkError linkError(String message, Throwable cause) {
        UnsatisfiedLinkError error = new UnsatisfiedLinkError(message);
        error.initCause(cause);
        return error;
    }
}
