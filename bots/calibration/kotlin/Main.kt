import java.io.File

/** Does nothing, but reads its input as a bot would: Joust times it. */
fun main(arguments: Array<String>) {
    val request = arguments.lastOrNull() ?: ""
    val files = File(request).listFiles()
    if (files == null) {
        request.split("\n")
    } else {
        files.filter { it.isFile }.forEach { it.readText() }
        File(request, "move.txt").writeText("0\n")
        File(request, "command.txt").writeText("0,0,0\n")
    }
    println("NO")
}
