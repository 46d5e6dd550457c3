import java.io.*;
import java.net.*;
import java.util.Collections;

public class JavaNames {
    public static void main(String[] arguments) throws IOException {
        String own = InetAddress.getLocalHost().getHostName();
        for (String name : new String[] {"localhost", own, "uwcs.co.uk"}) {
            System.err.println(name + " " + InetAddress.getByName(name).getHostAddress());
        }
        Collections.list(NetworkInterface.getNetworkInterfaces());
        try (Socket socket = new Socket("localhost", Integer.parseInt(System.getenv("JOUST_PORT")))) {
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
            OutputStream out = socket.getOutputStream();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("INIT")) out.write("REGISTER java pw\n".getBytes());
                if (line.startsWith("TICK")) out.write("ACTION UP\n".getBytes());
            }
        }
    }
}
