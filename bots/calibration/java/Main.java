import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;

/** Does nothing, but reads its input as a bot would: Joust times it. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws IOException {
        String request = arguments.length > 0 ? arguments[arguments.length - 1] : "";
        File[] files = new File(request).listFiles(File::isFile);
        if (files == null) {
            request.split("\n");
        } else {
            for (File file : files) {
                new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8);
            }
            write(new File(request, "move.txt"), "0\n");
            write(new File(request, "command.txt"), "0,0,0\n");
        }
        System.out.println("NO");
    }

    private static void write(File file, String nothing) throws IOException {
        Files.write(file.toPath(), nothing.getBytes(StandardCharsets.UTF_8));
    }
}
