import java.io.File
import java.nio.charset.StandardCharsets
import java.nio.file.Files

/** Does nothing, but reads its input as a bot would: Joust times it. */
object Main {
  def main(arguments: Array[String]): Unit = {
    val request = arguments.lastOption.getOrElse("")
    val files = new File(request).listFiles()
    if (files == null) request.split("\n")
    else {
      files.filter(_.isFile).foreach(read)
      write(new File(request, "move.txt"), "0\n")
      write(new File(request, "command.txt"), "0,0,0\n")
    }
    println("NO")
  }

  private def write(file: File, nothing: String): Unit =
    Files.write(file.toPath, nothing.getBytes(StandardCharsets.UTF_8))

  private def read(file: File): String =
    new String(Files.readAllBytes(file.toPath), StandardCharsets.UTF_8)
}
