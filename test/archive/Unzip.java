import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.zip.*;

/** Unpacks a zip as programs in Java do: by its directory ("file"), or entry by entry from its beginning ("stream"). */
class Unzip {
  public static void main(String[] args) throws IOException {
    Path to = Path.of(args[2]);
    if (args[0].equals("file"))
      try (ZipFile zip = new ZipFile(args[1])) {
        for (ZipEntry entry : Collections.list(zip.entries())) write(entry, zip.getInputStream(entry), to);
      }
    else
      try (ZipInputStream zip = new ZipInputStream(new FileInputStream(args[1]))) {
        for (ZipEntry entry; (entry = zip.getNextEntry()) != null; ) write(entry, zip, to);
      }
  }

  static void write(ZipEntry entry, InputStream content, Path to) throws IOException {
    Path path = to.resolve(entry.getName());
    Files.createDirectories(entry.isDirectory() ? path : path.getParent());
    if (!entry.isDirectory()) Files.copy(content, path, StandardCopyOption.REPLACE_EXISTING);
  }
}
