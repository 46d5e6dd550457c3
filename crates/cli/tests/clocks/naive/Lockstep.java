import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.Socket;

/** Knows what line comes next, and reads no other. */
public class Lockstep {
    public static void main(String[] args) throws Exception {
        Socket socket = new Socket("uwcs.co.uk", 8037);
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
        PrintWriter out = new PrintWriter(socket.getOutputStream(), true);
        while (!in.readLine().equals("INIT")) {
        }
        out.println("REGISTER lockstep java");
        expect(in.readLine(), "REGISTERED");
        skip(in, in.readLine(), "MAP");
        skip(in, in.readLine(), "PLAYERS");
        String line = in.readLine();
        while (line != null) {
            expect(line, "TICK");
            out.println("ACTION UP");
            expect(in.readLine(), "UP");
            skip(in, in.readLine(), "ACTIONS");
            line = in.readLine();
            if (line.startsWith("DEAD")) {
                skip(in, line, "DEAD");
                line = in.readLine();
            }
            if (line.equals("END")) {
                break;
            }
        }
        while (in.readLine() != null) {
        }
    }

    private static void expect(String line, String word) {
        if (!line.startsWith(word)) {
            throw new IllegalStateException(line + " instead of " + word);
        }
    }

    private static void skip(BufferedReader in, String head, String word) throws Exception {
        expect(head, word);
        for (int lines = Integer.parseInt(head.split(" ")[1]); lines > 0; lines--) {
            in.readLine();
        }
    }
}
