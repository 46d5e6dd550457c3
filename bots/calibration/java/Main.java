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
        }
        System.out.println("NO");
    }
}
