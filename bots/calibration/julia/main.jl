# Does nothing, but reads its input as a bot would: Joust times it.

function read_request(request)
    if isdir(request)
        for path in readdir(request; join = true)
            isfile(path) && read(path, String)
        end
        write(joinpath(request, "move.txt"), "0\n")
        write(joinpath(request, "command.txt"), "0,0,0\n")
    else
        split(request, '\n')
    end
end

read_request(isempty(ARGS) ? "" : last(ARGS))
println("NO")
