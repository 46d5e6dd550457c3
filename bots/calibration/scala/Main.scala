import java.io.File
import java.nio.charset.StandardCharsets
import java.nio.file.Files

/** Does nothing, but reads its input as a bot would: Joust times it. */
object Main {
  def main(arguments: Array[String]): Unit = {
    val request = arguments.lastOption.getOrElse("")
    val files = new File(request).listFiles()
    if (files == null) request.split("\n")
    else files.filter(_.isFile).foreach(read)
    println("NO")
  }

  private def read(file: File): String =
    new String(Files.readAllBytes(file.toPath), StandardCharsets.UTF_8)
}
